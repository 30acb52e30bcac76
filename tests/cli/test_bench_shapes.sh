#!/usr/bin/env bash
# slottar bench shapes: a grid of lengths and widths, with what each step took and ran.
. "$(dirname "$0")/tap.sh"
export TMPDIR=$PWD/temporary
mkdir -p "$TMPDIR"
small="--threads 2 --ms 1 heads=2 slots=2"
check "a grid" 0 "$SLOTTAR" bench shapes --lengths 12,20 --widths 8,16 --batch 4 $small --json
cp out grid
numbers='"ms":[0-9.e+-]+,"cpu_ms":[0-9.e+-]+,"gflops":[0-9.e+-]+,"share_of_peak":[0-9.e+-]+,"tokens_per_s":[0-9.e+]+,"true_tokens_per_s":[0-9.e+]+'
for point in 12x8 12x16 20x8 20x16; do
    check "$point" 0 grep -qE "^\{\"name\":\"slottar.$point\",$numbers,\"length\":${point%x*},\"batch\":4,\"megabytes\":[0-9.e+-]+,\"path\":\"node by node\"\}" grid
done
check "and no more" 0 test "$(grep -c '"name"' grid)" = 4
if command -v python3 >/dev/null; then
    check "is JSON, and the mean length is 80 % of it" 0 python3 -c '
import json
for r in json.load(open("grid"))["results"]: assert 0.65 < r["true_tokens_per_s"] / r["tokens_per_s"] < 0.9, r'
else
    skip "is JSON" "no python3"
fi
check "another model, in words" 0 "$SLOTTAR" bench shapes compile --lengths 12 --widths 8 --batch 2 --threads 1 --ms 1
says "its point" out "compile.12x8"
says "its batch" out "batch 2 "
check "nothing is left behind" 0 test -z "$(ls -A "$TMPDIR")"
check "no such length" 2 "$SLOTTAR" bench shapes --lengths 12,none
says "which" err "--lengths expects up to 16 numbers"
check "a list that ends in a comma" 2 "$SLOTTAR" bench shapes --widths 12,
check "no such model" 2 "$SLOTTAR" bench shapes nobody --lengths 12 --ms 1
plan
