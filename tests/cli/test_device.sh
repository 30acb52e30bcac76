#!/usr/bin/env bash
# --device and --precision: names, builds without CUDA, machines without a GPU.
. "$(dirname "$0")/tap.sh"
golden=$GOLDEN/models/slottar_tiny_it1_own.safetensors
check "no such device" 2 "$SLOTTAR" verify "$golden" --device gpu
says "with the names" err "cpu or cuda"
check "no such precision" 2 "$SLOTTAR" verify "$golden" --device cuda --precision fp16
says "with the names" err "fp32, tf32 or bf16"
"$SLOTTAR" verify "$golden" --device cuda --precision bf16 >out 2>err
check "bf16 is taken" 1 grep -q precision err
check "tf32 is for cuda" 2 "$SLOTTAR" verify "$golden" --precision tf32
check "the cpu by its name" 0 "$SLOTTAR" verify "$golden" --device cpu --precision fp32

"$SLOTTAR" verify "$golden" --device cuda >out 2>err; code=$?
if [ $code = 0 ]; then
    says "golden on the device" out "mismatches 0"
else
    [ $code = 1 ] && ok "without a device: exit code 1" || not_ok "without a device: exit code 1, not $code"
    if grep -q "without SLT_CUDA" err; then
        library=$(dirname "$SLOTTAR")/libslottar.so
        if nm "$library" 2>/dev/null | grep -qi cuda; then not_ok "no trace of CUDA in the library"
        else ok "no trace of CUDA in the library"; fi
        if ldd "$library" | grep -qiE 'libcu(da|blas)'; then not_ok "nor among the libraries it needs"
        else ok "nor among the libraries it needs"; fi
    else says "in one sentence" err "no CUDA device"; fi
    "$SLOTTAR" collect craft-full --split 20,4,4 -o data.safetensors -q >/dev/null
    check "training refuses as well" 1 "$SLOTTAR" train slottar data.safetensors --device cuda -o run
    [ ! -e run ] && ok "before it writes anything" || not_ok "before it writes anything"
fi
plan
