#!/usr/bin/env bash
# train --restarts with a rate that does not fall: the restart and the epoch with the least held-out loss are kept.
. "$(dirname "$0")/tap.sh"
# what is held out has actions that training unlearns: its loss rises
awk 'BEGIN { print "episode,action,segment,split"
    for (e = 0; e < 96; e++) for (t = 0; t < 8; t++) print e "," (e < 64 ? (e * 7 + t) % 17 == 0 ? 2 : t % 2 : t % 3 ? 2 : 1) "," (t > 3) "," (e >= 64) + (e >= 80) }' >data.csv
train() { "$SLOTTAR" train slottar data.csv prior=2 hidden=16 slot_size=16 heads=2 slots=3 batch=16 lr=0.01 epochs=12 --restarts 3 --threads 1 -q "$@"; }
told() { grep -o "\"$2\":[^,}]*" "$1/result.json" | head -1 | cut -d: -f2; }

check "three restarts" 0 train -o whole
[ "$(wc -l <whole/metrics.jsonl)" = 12 ] && ok "all epochs are run" || not_ok "all epochs are run"
if command -v python3 >/dev/null; then
    # by the log: who is picked, which epoch of it is kept
    python3 - >kept <<'P'
import json
best = float("inf")
for line in map(json.loads, open("whole/metrics.jsonl")):
    losses = [float("inf") if loss is None else loss for loss in line["restarts"]["losses"]]
    picked = losses.index(min(losses))
    assert line["restarts"]["picked"] == picked, line
    if losses[picked] < best:
        kept, best, epoch, f1 = picked, losses[picked], line["epoch"], line["valid_f1"]
print(kept, epoch, "%.9g" % f1)
P
    [ $? = 0 ] && ok "the least loss of an epoch is picked" || not_ok "the least loss of an epoch is picked"
    read -r member epoch f1 <kept
    [ "$epoch" -lt 12 ] && ok "the last is not the best epoch here" || not_ok "the last is the best epoch here: no test"
    [ "$(told whole best_epoch)" = "$epoch" ] && ok "the least of all is kept" || not_ok "epoch $(told whole best_epoch) is kept, not $epoch"
    [ "$(told whole picked)" = "$member" ] && ok "and it is named" || not_ok "$(told whole picked) is named, not $member"
    check "eval" 0 "$SLOTTAR" eval whole --json --split valid
    says "has the scores of that epoch" out "\"f1\":$f1,"
    "$SLOTTAR" info whole >out; says "info names it" out "best epoch: $epoch"
else skip "the least loss is picked and kept" "no python3"; fi

# killed at some places, and resumed: the same end
for i in 2 4 6; do
    train -o killed >/dev/null 2>&1 & pid=$!
    while kill -0 $pid 2>/dev/null && [ "$(cat killed/metrics.jsonl 2>/dev/null | wc -l)" -lt $i ]; do sleep 0.01; done
    kill -9 $pid 2>/dev/null; wait $pid 2>/dev/null
done
# the numbers of a restart, one of them in two
cp -r whole other && LC_ALL=C sed -i 's/\("run.member0":"[^"]*0x1\.[0-9a-f]\)[0-9a-f][0-9a-f]\([0-9a-f]*p[^"]*"\)/\1 0\2/' other/last.safetensors
check "numbers of another build are refused" 1 train -o other
says "with advice" err "begun again, in another folder"
check "resumes after kills" 0 train -o killed
cmp -s whole/best.safetensors killed/best.safetensors && ok "to the same weights" || not_ok "to the same weights"
cmp -s <(sed 's/"seconds":[^,}]*//' whole/result.json) <(sed 's/"seconds":[^,}]*//' killed/result.json) && ok "and the same scores" || not_ok "and the same scores"

# a rate that falls settles: the last epoch
check "with a rate that falls" 0 train lr_end=0.1 -o falls
[ "$(told falls best_epoch)" = 12 ] && ok "the last epoch counts" || not_ok "the last epoch counts"

# models that read DONE, and action vectors, which no rule can cut
awk 'BEGIN { print "episode,action,a,b,x,split"
    for (e = 0; e < 24; e++) for (t = 0; t < 8; t++) printf "%d,%d,%.2f,%d,%.1f,%d\n", e, (t > 3), (t > 3) + e / 50, t % 2, t / 10, e % 3 }' >seen.csv
for model in compile ompn; do
    for actions in action a,b; do
        check "restarts of $model, actions $actions" 0 "$SLOTTAR" train $model seen.csv --actions $actions --observations x hidden=8 batch=8 epochs=1 --restarts 2 -o $model-$actions -q
    done
done
check "restarts of slottar with action vectors" 0 "$SLOTTAR" train slottar seen.csv --actions a,b --observations x prior=2 hidden=8 slot_size=8 heads=2 batch=8 epochs=1 --restarts 2 -o vectors -q
grep -q "the rule " out && not_ok "no rule is named" || ok "no rule is named"
plan
