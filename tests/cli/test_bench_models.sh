#!/usr/bin/env bash
# slottar bench train and infer: a step of every model, on a data set that is played or given.
. "$(dirname "$0")/tap.sh"
export TMPDIR=$PWD/temporary
mkdir -p "$TMPDIR"
small="hidden=16 heads=2 slot_size=16 --threads 2 --seconds 0.01"
numbers='"ms":[0-9.e+-]+,"cpu_ms":[0-9.e+-]+,"gflops":[0-9.e+-]+,"share_of_peak":[0-9.e+-]+,"tokens_per_s":[0-9.e+]+,"true_tokens_per_s":[0-9.e+]+'
check "bench train" 0 "$SLOTTAR" bench train slottar $small --batch 8 --json
cp out step
check "a step with all its numbers" 0 grep -qE "^\{\"name\":\"slottar.train\",$numbers\}" step
check "and one measurement only" 0 test "$(grep -c '"name"' step)" = 1
check "bench infer, with its parts" 0 "$SLOTTAR" bench infer slottar $small --parts --json
cp out step
check "the step" 0 grep -qE "^\{\"name\":\"slottar.infer\",$numbers\}" step
says "its operations" step '"name":"slottar.infer.attention"'
if command -v python3 >/dev/null; then
    check "is JSON" 0 python3 -c 'import json; json.load(open("step"))'
    # B·L of the padded step is 8 times 65, whatever is true of it
    check "a padded step" 0 "$SLOTTAR" bench train slottar $small batch=8 --profile reference --json
    cp out step
    check "tokens per second count the padding" 0 python3 -c '
import json
r = json.load(open("step"))["results"][0]
assert abs(r["tokens_per_s"] * r["ms"] / 1e3 / (8 * 65) - 1) < 1e-3, r
assert 0.1 < r["true_tokens_per_s"] / r["tokens_per_s"] < 0.9, r'
else
    skip "is JSON" "no python3"
fi
check "three models at once" 0 "$SLOTTAR" bench train slottar $small --batch 8 --population 3 --json
cp out step
check "a step with all its numbers" 0 grep -qE "^\{\"name\":\"slottar.train.x3\",$numbers\}" step
if command -v python3 >/dev/null; then
    check "tokens per second are those of all" 0 python3 -c '
import json
r = json.load(open("step"))["results"][0]
assert abs(r["tokens_per_s"] * r["ms"] / 1e3 / (3 * 8 * 65) - 1) < 1e-3, r'
fi
check "in use, too" 0 "$SLOTTAR" bench infer slottar $small --population 2
says "by name" out "slottar.infer.x2"
check "nothing is left behind" 0 test -z "$(ls -A "$TMPDIR")"
"$SLOTTAR" collect MiniGrid-Unlock-v0 --episodes 20 -o own.safetensors --quiet >/dev/null
check "a data set of one's own, without a preset" 0 "$SLOTTAR" bench train slottar $small --batch 4 --data own.safetensors
says "in words" out "ms of processor time"
check "a data set in the place of a model" 2 "$SLOTTAR" bench train slottar own.safetensors $small --batch 4
says "what to do" err "no model 'own.safetensors' (a data set is given with --data FILE)"
check "no such preset" 2 "$SLOTTAR" bench train slottar $small --preset nowhere
check "no such data set" 1 "$SLOTTAR" bench train slottar $small --data nowhere.safetensors
check "no such option" 1 "$SLOTTAR" bench train slottar $small colour=red
check "no such number" 2 "$SLOTTAR" bench train --seconds never
plan
