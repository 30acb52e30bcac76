#!/usr/bin/env bash
# OMPN through the commands: train, resume, eval next to SloTTAr, segment with and without labels.
# sanitizers: too long
. "$(dirname "$0")/tap.sh"
exec= small="hidden=12 batch=16 epochs=2"
"$SLOTTAR" collect craft-full --split 96,16,16 -o data.safetensors -q >/dev/null
train() { run=$1; shift; $exec "$SLOTTAR" train ompn data.safetensors $small -o "$run" -q "$@"; }
same() { if cmp -s "$2" "$3"; then ok "$1"; else not_ok "$1"; fi; }

check "a run" 0 train whole --threads 1
says "tells its scores" out "F1"
says "and that it knew the number of segments" out "given the number of segments"
says "Adam has the baselines' epsilon" whole/config.yaml "adam_eps: 1e-07"
check "three threads" 0 train three --threads 3
same "give the same bits" whole/last.safetensors three/last.safetensors

# killed at odd moments, started again each time
for i in 1 2 3 4; do
    exec=exec train killed --threads 1 >/dev/null 2>&1 &
    sleep "0.$((RANDOM % 9 + 1))"
    kill -9 $! 2>/dev/null; wait $! 2>/dev/null
done
check "resumes after four kills" 0 train killed --threads 1
same "killed or not, the same weights" whole/last.safetensors killed/last.safetensors
same "and the same result" whole/result.json killed/result.json

# stopped inside an epoch
exec=exec train stopped --threads 1 epochs=50 patience=50 >out 2>err &
pid=$!
while [ ! -s stopped/metrics.jsonl ]; do sleep 0.05; done
kill -TERM $pid; wait $pid
[ $? = 75 ] && ok "SIGTERM ends with 75" || not_ok "SIGTERM ends with 75"

check "depth 2 and the reference's rules" 0 train two depth=2 --profile reference
says "stop by the baselines' score" two/config.yaml "early_stop: ari_f1_align"
says "count DONE" two/config.yaml "baseline_scoring: reference"
check "the list of options" 0 "$SLOTTAR" train ompn --options
for set in craft-full craft-partial doorkey unlockpickup blockedunlockpickup keycorridor; do says "preset $set" out " $set"; done
check "a preset's row" 0 "$SLOTTAR" train ompn data.safetensors --preset unlockpickup $small length=65 -o preset -q
says "has its norm" preset/config.yaml "max_grad_norm: 2"
says "its rate" preset/config.yaml "lr: 0.0002"
says "and shows the last observation again" preset/config.yaml "done_step: repeat"
check "no room for DONE" 1 train short length=20
says "is said" err "and DONE"
check "a depth of 1" 1 train flat depth=1

# without observations there is nothing to read
printf 'episode,action\n1,0\n1,1\n2,0\n2,1\n' >blind.csv
check "no observations" 1 "$SLOTTAR" train ompn blind.csv -o blind -q
says "in words" err "observations alone"

# numbers instead of bits, no labels, no final observations
printf 'episode,action,a,b\n' >plain.csv
for e in $(seq 1 40); do for t in $(seq 1 $((e % 7 + 1))); do echo "$e,$(((e * t) % 3)),$e.5,$t" >>plain.csv; done; done
check "no labels" 0 "$SLOTTAR" train ompn plain.csv $small batch=8 -o plain -q
check "segments without them" 0 "$SLOTTAR" segment plain plain.csv -o plain.jsonl
[ "$(wc -l <plain.jsonl)" = 40 ] && ok "a line per episode" || not_ok "a line per episode"
grep -q told_count plain.jsonl && not_ok "nobody told anything" || ok "nobody told anything"

# several models and the baselines in one table
"$SLOTTAR" train slottar data.safetensors hidden=16 slot_size=16 heads=2 batch=16 epochs=1 -o slots -q >/dev/null
check "another seed" 0 train seeded --seed 1
check "eval of four runs" 0 "$SLOTTAR" eval slots whole seeded two -q
for word in "slots " "whole " "two " "uniform" "mean of 2" "different configurations" "told: what the method was told"; do says "the table has '$word'" out "$word"; done
[ "$(grep -c '^slots  *slottar  *histogram ' out)" = 1 ] && ok "SloTTAr was told the histogram" || not_ok "SloTTAr was told the histogram"
[ "$(grep -c '^whole  *ompn  *count\*' out)" = 1 ] && ok "OMPN is marked" || not_ok "OMPN is marked"
says "both scorings" out "the same with DONE"
says "the reference's first where asked" out "the same without DONE"
grep -q 'mean of 1\|mean of [34]' out && not_ok "no mean over different models" || ok "no mean over different models"
check "as JSON" 0 "$SLOTTAR" eval slots whole seeded two -q --json
if command -v python3 >/dev/null; then
    python3 - out <<'P' && ok "the JSON has its fields" || not_ok "the JSON has its fields"
import json, sys
d = json.load(open(sys.argv[1]))
slots, whole, seeded, two = d["runs"]
assert [r["model"] for r in d["runs"]] == ["slottar", "ompn", "ompn", "ompn"]
assert not slots["told_count"] and whole["told_count"] and two["told_count"]
assert "with_done" in whole and "without_done" in two and "with_done" not in slots
assert slots["forward"] is not None and whole["forward"] is None
assert set(d["models"]) == {"slottar"} and d["models"]["slottar"]["sd"]["f1"] is None
assert [c["runs"] for c in d["configurations"]] == [["slots"], ["whole", "seeded"], ["two"]]
mean = (whole["f1"] + seeded["f1"]) / 2
assert abs(d["configurations"][1]["mean"]["f1"] - mean) < 1e-6
assert sum(whole["counts"]["predicted"]) == whole["episodes"] == 16
P
else skip "the JSON has its fields" "no python3"; fi

check "segment" 0 "$SLOTTAR" segment whole data.safetensors -o s.jsonl
says "says that it was told" err "true number of segments was used"
[ "$(grep -c '"told_count":true' s.jsonl)" = 128 ] && ok "in every line" || not_ok "in every line"
check "a threshold instead" 0 train free count=threshold threshold=0.3
check "segments by it" 0 "$SLOTTAR" segment free data.safetensors --split test -o t.jsonl
grep -q told_count t.jsonl && not_ok "untold" || ok "untold"
[ "$(wc -l <t.jsonl)" = 16 ] && ok "of the test split" || not_ok "of the test split"
"$SLOTTAR" segment free data.safetensors -o all.jsonl -q
tail -16 all.jsonl >tail.jsonl
same "the same answer in other company" t.jsonl tail.jsonl
plan
