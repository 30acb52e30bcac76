#!/usr/bin/env bash
# Golden OMPN files: no mismatch under any name, and a changed number is found.
. "$(dirname "$0")/tap.sh"
for depth in 2 3; do
    check "depth $depth" 0 "$SLOTTAR" verify "$GOLDEN/models/ompn_tiny_depth$depth.safetensors"
    says "no mismatch" out "mismatches 0"
done
cp "$GOLDEN/models/ompn_tiny_depth2.safetensors" other-name
check "known under another name" 0 "$SLOTTAR" verify other-name
says "as what it is" out "ompn"

# number `place` of an array gets another exponent; the header's length is in the first eight bytes
header=$(od -An -tu4 -N4 other-name | tr -d ' ')
spoil() {
    cp "$GOLDEN/models/ompn_tiny_depth2.safetensors" spoilt
    start=$(head -c $((8 + header)) spoilt | tail -c +9 | grep -o "\"$1\":{[^}]*}" | sed 's/.*"data_offsets": *\[\([0-9]*\).*/\1/')
    printf '\x7f' | dd of=spoilt bs=1 seek=$((8 + header + start + 3)) conv=notrunc status=none
}
for array in mid.memory mid.p_hat mid.p mid.obs_emb out.log_probs loss.total test.depth test.pred_ids \
    grad.com1.l1.kernel grad_clipped.decom0.l2.kernel grad.gate.l2.bias gradnorm.global adam.losses; do
    spoil $array
    check "a changed $array is found" 1 "$SLOTTAR" verify spoilt
    says "and said" out "first:"
done
head -c 100000 other-name >cut
check "a cut file is refused" 1 "$SLOTTAR" verify cut
plan
