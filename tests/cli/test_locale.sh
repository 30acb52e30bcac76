#!/usr/bin/env bash
# The command where a loaded library has set a locale with a decimal comma: it prints and writes the
# same bytes as without.
# sanitizers: too long
. "$(dirname "$0")/tap.sh"
build=$(dirname "$SLOTTAR")
with() { (TEST_LOCALE=de_DE.UTF-8 && . "$GOLDEN/../comma_locale" && exec "$@"); }
same() { if cmp "$2" "$3" >diff 2>&1; then ok "$1"; else not_ok "$1"; sed 's/^/# /' diff; diff "$2" "$3" | head -4 | sed 's/^/# /'; fi; }
without() { env -u TEST_LOCALE -u LD_PRELOAD "$@"; }

check "the host has a decimal comma" 0 with "$build/tests/show_locale"
says "as its printf shows" out "0,5"
small="doorkey --split 60,20,20 --noise 0.25 --seed 3"
check "collect" 0 without "$SLOTTAR" collect $small -o a.safetensors --quiet
check "collect with a comma" 0 with "$SLOTTAR" collect $small -o b.safetensors --quiet
same "the same data" a.safetensors b.safetensors
train="slottar-mdl a.safetensors prior=0.25,0.5,0.25 steps=12 hidden=16 heads=2 lr=0.002 --restarts 2 --quiet"
check "train" 0 without "$SLOTTAR" train $train -o point
cp out point.out
check "train with a comma" 0 with "$SLOTTAR" train $train -o comma
sed 's/comma/point/g; s/, [0-9]* s$//' out >comma.out; sed -i 's/, [0-9]* s$//' point.out
same "what it prints" point.out comma.out
for file in config.yaml result.json last.safetensors best.safetensors segments.safetensors; do same "$file" point/$file comma/$file; done
for words in "eval point --json" "segment point a.safetensors --quiet" "info point --json" "eval --rule surprise a.safetensors --json"; do
    check "$words" 0 without "$SLOTTAR" $words
    cp out point.out
    check "$words with a comma" 0 with "$SLOTTAR" $words
    same "the same text" point.out out
done
check "a share of a second" 0 with "$SLOTTAR" bench ops --seconds 0.01 --json
says "has numbers with a point" out '"ms":0.'
plan
