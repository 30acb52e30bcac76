#!/usr/bin/env bash
# info of a run directory: what is trained, how far it came, and a command that continues.
. "$(dirname "$0")/tap.sh"
"$SLOTTAR" collect doorkey --split 32,8,8 -o "it's data.safetensors" -q >/dev/null
small="hidden=8 slot_size=8 heads=2 batch=16 lr=0.002"
# `exec`: signals reach the program itself
train() { exec "$SLOTTAR" train slottar "it's data.safetensors" $small --seed 3 -q --threads 1 "$@"; }
lacks() { if grep -qF -- "$3" "$2"; then not_ok "$1"; else ok "$1"; fi; }
# a run that is stopped after its first epoch
stop_behind_epoch() {
    "$@" >log 2>&1 & pid=$!
    while kill -0 $pid 2>/dev/null && [ ! -s open/metrics.jsonl ]; do sleep 0.05; done
    kill -TERM $pid; wait $pid
}

(train -o whole epochs=2 >/dev/null)
check "a run that is over" 0 "$SLOTTAR" info whole
says "model, data and seed" out "run: slottar on it's data.safetensors, seed 3"
says "what differs from the defaults" out "configuration: epochs=2 batch=16 lr=0.002 hidden=8"
says "all epochs" out "finished: 2 of at most 2 epochs, 4 of at most 4 steps"
says "what may follow" out "next: slottar eval whole"
check "as JSON" 0 "$SLOTTAR" info whole --json
cp out whole.json

stop_behind_epoch train -o open epochs=100000 patience=100000
check "a run that was stopped" 0 "$SLOTTAR" info open
says "is not over" out "not finished: "
says "of how many epochs" out "of at most 100000 epochs"
says "how to go on" out "to resume: slottar train slottar 'it'\\''s data.safetensors' -o open epochs=100000"
lacks "no scores of the test split" out "test: "
sed -n 's/^to resume: slottar/exec "$SLOTTAR"/p' out >again.sh
rm open/metrics.jsonl
SLOTTAR=$SLOTTAR stop_behind_epoch bash again.sh
says "the command resumes" log "resumes after epoch"
"$SLOTTAR" info open --json >open.json

"$SLOTTAR" train slottar "it's data.safetensors" $small steps=6 --restarts 2 -o some -q >/dev/null
check "restarts" 0 "$SLOTTAR" info some
says "how many" out "2 restarts"
says "steps are counted" out "epochs, 6 of at most 6 steps"
cp -r whole fresh && rm fresh/*.safetensors fresh/*.json*
check "a run that has only begun" 0 "$SLOTTAR" info fresh
says "has no best epoch" out "best epoch: none yet"

if command -v python3 >/dev/null; then
    cat >compare.py <<'P'
import json
run, result = json.load(open("whole.json")), json.load(open("whole/result.json"))
assert (run["kind"], run["model"], run["data"], run["seed"], run["restarts"]) == ("run", "slottar", "it's data.safetensors", 3, 1)
assert run["finished"] and run["epochs"] == result["epochs"] == 2 and run["steps"] == run["most_steps"] == 4
assert "hidden=8" in run["settings"] and not [s for s in run["settings"] if s.startswith("slots=")]
best = [line for line in map(json.loads, open("whole/metrics.jsonl")) if line["epoch"] == result["best_epoch"]][0]
assert run["best_epoch"] == result["best_epoch"]
for ours, theirs in [("loss", "valid_loss"), ("f1", "valid_f1"), ("align", "valid_align")]: assert run["valid"][ours] == best[theirs]
for key in run["test"]: assert run["test"][key] == result["test"][key]
stopped = json.load(open("open.json"))
assert not stopped["finished"] and stopped["epochs"] >= 1 and stopped["test"] == {"loss": None, "f1": None, "align": None}
P
    check "the numbers are those of the run's files" 0 python3 compare.py
else skip "the numbers are those of the run's files" "no python3"; fi

mkdir empty
check "a folder that is no run" 1 "$SLOTTAR" info empty
says "asks what it is" err "is it a run directory"
sed -i 's/^hidden: .*/hidden: -1/' fresh/config.yaml
check "a damaged configuration" 1 "$SLOTTAR" info fresh
says "with its file and key" err "config.yaml: hidden=-1"
sed -i 's/^hidden: .*/hidden: 8/; s/^seed: .*/seed: three/' fresh/config.yaml
check "a damaged seed" 1 "$SLOTTAR" info fresh
says "with its value" err "'three'"
echo '{"epoch":' >>whole/metrics.jsonl
check "a damaged line" 1 "$SLOTTAR" info whole
says "with its file" err "metrics.jsonl"
head -c 3000 whole/last.safetensors >cut && mv cut whole/last.safetensors
check "a cut checkpoint" 1 "$SLOTTAR" info whole
says "with the file's name" err "last.safetensors"
plan
