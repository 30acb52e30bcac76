#!/usr/bin/env bash
# train, eval and segment: resuming after kills, signals, threads, labels or none, refusals.
# sanitizers: too long
. "$(dirname "$0")/tap.sh"
exec= small="hidden=16 slot_size=16 heads=2 batch=16 epochs=3"
"$SLOTTAR" collect craft-full --split 96,16,16 -o data.safetensors -q >/dev/null
# `exec` where it runs in the background, so that signals reach the program itself
train() { run=$1; shift; $exec "$SLOTTAR" train slottar data.safetensors $small -o "$run" -q "$@"; }
same() { if cmp -s "$2" "$3"; then ok "$1"; else not_ok "$1"; fi; }

check "a run" 0 train whole --threads 1
says "tells its scores" out "F1"
check "two threads" 0 train two --threads 2
check "three threads" 0 train three --threads 3
same "two threads give the same bits" whole/last.safetensors two/last.safetensors
same "three threads give the same bits" whole/last.safetensors three/last.safetensors
for file in config.yaml metrics.jsonl last.safetensors best.safetensors result.json segments.safetensors; do
    [ -s whole/$file ] && ok "whole/$file" || not_ok "whole/$file"
done

# killed ten times at odd moments, started again each time
for i in 1 2 3 4 5 6 7 8 9 10; do
    exec=exec train killed --threads 1 >/dev/null 2>&1 &
    sleep "0.$((RANDOM % 9 + 1))"
    kill -9 $! 2>/dev/null; wait $! 2>/dev/null
done
check "resumes after ten kills" 0 train killed --threads 1
touch killed/last.safetensors.part-Ab12yZ killed/last.safetensors.part-mine
train killed --threads 1 >/dev/null
[ "$(ls killed | grep part)" = last.safetensors.part-mine ] && ok "nothing half written stays" || not_ok "nothing half written stays"
same "killed or not, the same weights" whole/last.safetensors killed/last.safetensors
same "and the same best epoch" whole/best.safetensors killed/best.safetensors
same "and the same result" whole/result.json killed/result.json

# a finished run takes more epochs, and becomes what one training of all of them makes
check "some of its epochs" 0 train more epochs=1 --threads 1
check "and the rest" 0 train more --threads 1
same "more epochs, the same weights" whole/last.safetensors more/last.safetensors
[ "$(cut -d, -f1,2,4- more/metrics.jsonl | sed 's/"seconds[^,]*,//')" = "$(cut -d, -f1,2,4- whole/metrics.jsonl | sed 's/"seconds[^,]*,//')" ] && ok "and the same losses" || not_ok "and the same losses"
check "fewer" 1 train more epochs=2
says "are refused" err "'epochs: 3' (asked for: 'epochs: 2')"

# SIGTERM saves inside an epoch
exec=exec train stopped --threads 1 epochs=50 patience=50 >out 2>err &
pid=$!
while [ ! -s stopped/metrics.jsonl ]; do sleep 0.05; done
kill -TERM $pid; wait $pid
[ $? = 75 ] && ok "SIGTERM ends with 75" || not_ok "SIGTERM ends with 75"
says "and says how to resume" err "run the same command to resume"
[ -s stopped/last.safetensors ] && ok "with a checkpoint" || not_ok "with a checkpoint"

check "another configuration is refused" 1 train whole lr=1e-3
says "with both values" err "this run has 'lr: 0.0005' (asked for: 'lr: 0.001')"
check "two of them" 1 train whole lr=1e-3 beta=0.25 --seed 3
says "are all named" err "'seed: 0' (asked for: 'seed: 3'), 'lr: 0.0005' (asked for: 'lr: 0.001'), 'beta: 0.1' (asked for: 'beta: 0.25')"
cp -r stopped older; cp -r stopped other
sed -i '/^adam_eps: /d; /^iterations: /d' older/config.yaml other/config.yaml # as before there were these options
check "a run of an earlier version, with another value for what it did not name" 1 train other epochs=50 patience=50 adam_eps=1e-6
says "is refused" err "this run has 'adam_eps: 1e-08' (asked for: 'adam_eps: 1e-06')"
check "one with an option that is no more" 1 sh -c 'echo "colour: red" >>other/config.yaml; exec "$0" "$@"' "$SLOTTAR" train slottar data.safetensors $small -o other epochs=50 patience=50
says "is refused by its name" err "config.yaml: no option 'colour'"
exec=exec train older --threads 1 epochs=50 patience=50 >out 2>err &
pid=$! lines=$(wc -l <older/metrics.jsonl)
while kill -0 $pid 2>/dev/null && [ "$(wc -l <older/metrics.jsonl)" -le "$lines" ]; do sleep 0.05; done
kill -TERM $pid; wait $pid
[ $? = 75 ] && [ "$(wc -l <older/metrics.jsonl)" -gt "$lines" ] && ok "with the defaults it continues" || { not_ok "with the defaults it continues"; sed 's/^/# /' err; }
check "an unknown option" 1 train new hiden=3
says "with the nearest name" err "hidden"
check "an unknown preset" 1 train new --preset craft
says "with the list" err "craft-full"
check "a length that is too short" 1 train new length=5
says "with what to do" err "set length="
check "an unknown model" 1 "$SLOTTAR" train slotar data.safetensors -o new
says "with the list of models" err "slottar"
check "a learning rate that diverges" 1 train wild lr=10 max_grad_norm=0 epochs=30
says "names the step" err "step"

# using the model
check "eval" 0 "$SLOTTAR" eval whole
says "has baselines" out "uniform"
check "eval as JSON" 0 "$SLOTTAR" eval whole two --json
if command -v python3 >/dev/null; then
    python3 - out <<'P' && ok "the JSON has its fields" || not_ok "the JSON has its fields"
import json, sys
d = json.load(open(sys.argv[1]))
assert len(d["runs"]) == 2 and set(d) == {"runs", "mean", "sd", "baselines"}
assert set(d["runs"][0]) >= {"run", "split", "episodes", "f1", "f1_one", "align", "ari", "covering", "accuracy", "forward", "backward", "counts"}
P
else skip "the JSON has its fields" "no python3"; fi
check "segment" 0 "$SLOTTAR" segment whole data.safetensors -o s.jsonl
[ "$(wc -l <s.jsonl)" = 128 ] && ok "a line per episode" || not_ok "a line per episode"
check "segment as csv" 0 "$SLOTTAR" segment whole data.safetensors -o s.csv
check "segment as time lines" 0 "$SLOTTAR" segment whole data.safetensors --split test --show --limit 3
[ "$(wc -l <out)" = 3 ] && ok "as many as asked" || not_ok "as many as asked"
check "segment to another ending" 2 "$SLOTTAR" segment whole data.safetensors -o s.txt

example=$(dirname "$SLOTTAR")/tests/example_segment
check "the example in C" 0 "$example" whole data.safetensors
[ "$(wc -l <out)" = 128 ] && ok "a line per episode, too" || not_ok "a line per episode, too"

# the answer for a trajectory does not depend on its neighbours
"$SLOTTAR" segment whole data.safetensors --split test -o t.jsonl
tail -16 s.jsonl >tail.jsonl
same "the same answer in other company" t.jsonl tail.jsonl

# no labels, no observations, one action, length 1
printf 'episode,action\n' >plain.csv
for e in $(seq 1 40); do for t in $(seq 1 $((e % 7 + 1))); do echo "$e,$(((e * t) % 3))" >>plain.csv; done; done
check "data without labels and observations" 0 "$SLOTTAR" train slottar plain.csv $small batch=8 slots=3 prior=2 -o plain -q
check "its eval says what is missing" 0 "$SLOTTAR" eval plain
says "in words" out "no labels"
printf 'episode,action\n' >one.csv
for e in $(seq 1 20); do echo "$e,0" >>one.csv; done
check "one action, length 1" 0 "$SLOTTAR" train slottar one.csv $small batch=4 slots=2 -o one -q
printf 'episode,action,a\n1,0,1\n1,1,nan\n2,0,1\n' >nan.csv
check "NaN observations are refused" 1 "$SLOTTAR" train slottar nan.csv $small -o nan -q
check "switching chains are not trained here" 1 "$SLOTTAR" train switching plain.csv -o chains -q
says "names the command that does" err "slottar segment DATA kind=phases"
plan
