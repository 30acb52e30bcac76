#!/usr/bin/env bash
# --device and --precision: names, builds without CUDA, machines without a GPU.
. "$(dirname "$0")/tap.sh"
no_gpu() { if grep -qE "$3.*(driver|no CUDA device|not installed)" "$2"; then ok "$1"; else not_ok "$1"; sed 's/^/# /' "$2"; fi; } # NAME FILE WORDS
golden=$GOLDEN/models/slottar_tiny_it1_own.safetensors
check "no such device" 2 "$SLOTTAR" verify "$golden" --device gpu
says "with the names" err "cpu, cuda or auto"
check "no such precision" 2 "$SLOTTAR" verify "$golden" --device cuda --precision fp16
says "with the names" err "fp32, tf32 or bf16"
"$SLOTTAR" verify "$golden" --device cuda --precision bf16 >out 2>err
check "bf16 is taken" 1 grep -q precision err
check "tf32 is for cuda" 2 "$SLOTTAR" verify "$golden" --precision tf32
if "$SLOTTAR" bench ops dense --ms 1 --precision bf16 >out 2>err; then
    says "bf16 on the cpu" out "dense.backward"
    check "bf16 is no other's fp32" 0 "$SLOTTAR" verify "$golden" --precision bf16
else
    says "bf16 is for processors that have it" err "precision bf16 needs a processor with AMX (x86) or BF16 (ARM); this one computes in fp32"
fi
check "the cpu by its name" 0 "$SLOTTAR" verify "$golden" --device cpu --precision fp32

check "a second GPU is chosen by CUDA's own means" 2 "$SLOTTAR" verify "$golden" --device cuda:1
says "which it says" err "CUDA_VISIBLE_DEVICES=1"

build=$(dirname "$SLOTTAR")
for file in libslottar.so slottar; do
    if ldd "$build/$file" | grep -qiE 'libcu(da|blas)'; then not_ok "$file needs no library of CUDA"
    else ok "$file needs no library of CUDA"; fi
done

"$SLOTTAR" verify "$golden" --device auto >out 2>err; code=$?
[ $code = 0 ] && ok "auto works everywhere" || not_ok "auto works everywhere"
says "and says where" err "device auto: "
if "$SLOTTAR" verify "$golden" --device cuda:0 >out 2>err; then
    says "golden on the device" out "mismatches 0"
    "$SLOTTAR" verify "$golden" --device auto >out 2>err
    says "which auto takes" err "device auto: cuda"
else
    no_gpu "without a device: why" err "device cuda: "
    says "and what to do" err "device auto takes the CPU"
    "$SLOTTAR" verify "$golden" --device auto --precision tf32 >out 2>err && ok "auto takes the GPU's precision along" || not_ok "auto takes the GPU's precision along"
    no_gpu "auto says why" err "device auto: the CPU; "
    "$SLOTTAR" --version >out
    no_gpu "the version, too" out "CUDA: "
    "$SLOTTAR" collect craft-full --split 20,4,4 -o data.safetensors -q >/dev/null
    check "training refuses as well" 1 "$SLOTTAR" train slottar data.safetensors --device cuda -o run
    [ ! -e run ] && ok "before it writes anything" || not_ok "before it writes anything"
fi

# libraries of a device that are none, and one that is: the emulated GPU
printf 'none' >broken.so
export SLOTTAR_CUDA=$PWD/broken.so
check "a broken library" 1 "$SLOTTAR" verify "$golden" --device cuda
says "is named" err "broken.so cannot be loaded"
export SLOTTAR_CUDA=$build/tests/libhost_locale.so
check "another library" 1 "$SLOTTAR" verify "$golden" --device cuda
says "is none of ours" err "libhost_locale.so is of another version"
export SLOTTAR_CUDA=$build/tests/libemulated_cuda.so
if [ -e "$SLOTTAR_CUDA" ]; then
    check "loaded at run time" 0 "$SLOTTAR" verify "$golden" --device auto
    says "auto takes it" err "device auto: cuda"
    says "golden on it" out "mismatches 0"
    "$SLOTTAR" --version >out
    says "the version says so" out "CUDA: yes"
    if command -v python3 >/dev/null && [ -z "$(sed -n 's/^SLT_SANITIZE:STRING=//p' "$build/CMakeCache.txt")" ]; then
        # Python loads the library for itself alone
        check "into a host like Python" 0 python3 -c "
import ctypes
library = ctypes.CDLL('$build/libslottar.so')
library.slt_last_error.restype = ctypes.c_char_p
assert library.slt_device_check(b'cuda:0') == 0, library.slt_last_error()"
    else skip "into a host like Python" "no python3, or sanitizers"; fi
else skip "a device loaded at run time" "no emulated device in this build"; fi
plan
