#!/usr/bin/env bash
# Golden SloTTAr files: no mismatch under any name, and a changed number is found.
. "$(dirname "$0")/tap.sh"
for file in "$GOLDEN"/models/slottar_*.safetensors; do
    check "$(basename "$file")" 0 "$SLOTTAR" verify "$file"
    says "no mismatch" out "mismatches 0"
done
large=$(dirname "$0")/../../../shared/golden/models/slottar_craftfull_b4.safetensors
if [ -f "$large" ]; then check "Craft-full size" 0 "$SLOTTAR" verify "$large"
else skip "Craft-full size" "slottar_craftfull_b4.safetensors (4.5 MB) is not in the repository"; fi

cp "$GOLDEN/models/slottar_tiny_it1_own.safetensors" other-name
check "known under another name" 0 "$SLOTTAR" verify other-name

# the exponent of the first number of out.slots; the header's length is in the first eight bytes
header=$(od -An -tu4 -N4 other-name | tr -d ' ')
start=$(head -c $((8 + header)) other-name | tail -c +9 | grep -o '"out.slots":{[^}]*}' | sed 's/.*"data_offsets": *\[\([0-9]*\).*/\1/')
printf '\x7f' | dd of=other-name bs=1 seek=$((8 + header + start + 3)) conv=notrunc status=none
check "a changed number is found" 1 "$SLOTTAR" verify other-name
says "and said" out "first:"
head -c 100000 "$GOLDEN/models/slottar_tiny_it1_own.safetensors" >cut
check "a cut file is refused" 1 "$SLOTTAR" verify cut
says "with its name" err "cut"
plan
