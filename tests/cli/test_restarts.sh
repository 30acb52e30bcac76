#!/usr/bin/env bash
# train --restarts with a rate that does not fall: the restart and the epoch with the least held-out loss are kept.
. "$(dirname "$0")/tap.sh"
# what is held out has actions that training unlearns: its loss rises
awk 'BEGIN { print "episode,action,segment,split"
    for (e = 0; e < 96; e++) for (t = 0; t < 8; t++) print e "," (e < 64 ? (e * 7 + t) % 17 == 0 ? 2 : t % 2 : t % 3 ? 2 : 1) "," (t > 3) "," (e >= 64) + (e >= 80) }' >data.csv
train() { "$SLOTTAR" train slottar data.csv prior=2 hidden=16 slot_size=16 heads=2 slots=3 batch=16 lr=0.01 epochs=12 --restarts 3 --threads 1 -q "$@"; }
# epoch with the least held-out loss, and that loss
least() { sed 's/.*"epoch":\([0-9]*\),.*"valid_loss":\([^,]*\),.*/\1 \2/' "$1/metrics.jsonl" | sort -g -k2 | head -1; }
told() { grep -o "\"$2\":[^,}]*" "$1/result.json" | head -1 | cut -d: -f2; }

check "three restarts" 0 train -o whole
read -r epoch loss <<<"$(least whole)"
[ "$(wc -l <whole/metrics.jsonl)" = 12 ] && ok "all epochs are run" || not_ok "all epochs are run"
[ "$epoch" -lt 12 ] && ok "the last is not the best here" || not_ok "the last is the best here: no test"
[ "$(told whole best_epoch)" = "$epoch" ] && ok "the least loss is kept" || not_ok "epoch $(told whole best_epoch) is kept, not $epoch"
check "its scores" 0 "$SLOTTAR" eval whole --json --split valid
tests=$(grep -o '"f1":[^,]*' out | head -1)
grep -q "\"epoch\":$epoch,.*\"valid_f1\":$(echo "$tests" | cut -d: -f2 | cut -c1-7)" whole/metrics.jsonl && ok "are those of that epoch" || not_ok "are those of that epoch: $tests"
"$SLOTTAR" info whole >out; says "it says so" out "best epoch: $epoch"

# killed at some places, and resumed: the same end
for i in 2 4 6; do
    train -o killed >/dev/null 2>&1 & pid=$!
    while kill -0 $pid 2>/dev/null && [ "$(cat killed/metrics.jsonl 2>/dev/null | wc -l)" -lt $i ]; do sleep 0.01; done
    kill -9 $pid 2>/dev/null; wait $pid 2>/dev/null
done
check "goes on behind kills" 0 train -o killed
cmp -s whole/best.safetensors killed/best.safetensors && ok "to the same weights" || not_ok "to the same weights"
cmp -s <(sed 's/"seconds":[^,}]*//' whole/result.json) <(sed 's/"seconds":[^,}]*//' killed/result.json) && ok "and the same scores" || not_ok "and the same scores"

# a rate that falls settles: the last epoch
check "with a rate that falls" 0 train lr_end=0.1 -o falls
[ "$(told falls best_epoch)" = 12 ] && ok "the last epoch counts" || not_ok "the last epoch counts"
plan
