#!/usr/bin/env bash
# Golden CompILE files: no mismatch under any name, and a changed number is found.
. "$(dirname "$0")/tap.sh"
for file in "$GOLDEN"/models/compile_*.safetensors; do
    check "$(basename "$file")" 0 "$SLOTTAR" verify "$file"
    says "no mismatch" out "mismatches 0"
done

# where an array begins; the header's length is in the first eight bytes
start_of() {
    header=$(od -An -tu4 -N4 "$1" | tr -d ' ')
    at=$(head -c $((8 + header)) "$1" | tail -c +9 | grep -o "\"$2\":{[^}]*}" | sed 's/.*"data_offsets": *\[\([0-9]*\).*/\1/')
    echo $((8 + header + at))
}
# the exponent of an array's first number
for array in mid.enc gmid.state_masks gmid.boundary_samples mid.boundary_logits grad.lstm.recurrent adam1.lstm.kernel \
    adam.losses loss.kl_b test.rec_logits test.segment_probs; do
    cp "$GOLDEN/models/compile_tiny_gaussian.safetensors" other-name
    printf '\x7f' | dd of=other-name bs=1 seek=$(($(start_of other-name "$array") + 3)) conv=notrunc status=none
    case $array in # the first position's logit is a constant
    mid.boundary_logits) printf '\x7f' | dd of=other-name bs=1 seek=$(($(start_of other-name "$array") + 7)) conv=notrunc status=none ;;
    esac
    check "a changed number of $array is found" 1 "$SLOTTAR" verify other-name
    says "and said" out "first: "
done
cp "$GOLDEN/models/compile_tiny_concrete.safetensors" other-name
check "known under another name" 0 "$SLOTTAR" verify other-name
printf '\x07' | dd of=other-name bs=1 seek=$(start_of other-name test.pred_ids) conv=notrunc status=none
check "a changed id is found" 1 "$SLOTTAR" verify other-name
cp "$GOLDEN/models/compile_log_priors.safetensors" priors
printf '\x7f' | dd of=priors bs=1 seek=$(($(start_of priors reference.L65.rate3) + 3)) conv=notrunc status=none
check "a changed prior is found" 1 "$SLOTTAR" verify priors
head -c 50000 "$GOLDEN/models/compile_tiny_gaussian.safetensors" >cut
check "a cut file is refused" 1 "$SLOTTAR" verify cut
says "with its name" err "cut"
plan
