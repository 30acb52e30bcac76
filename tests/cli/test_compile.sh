#!/usr/bin/env bash
# CompILE through the commands: train, resume, eval, segment; given the number of segments or not;
# the step DONE; data without labels or observations.
# sanitizers: too long
. "$(dirname "$0")/tap.sh"
exec= small="hidden=12 batch=16 epochs=3"
"$SLOTTAR" collect craft-full --split 64,12,12 -o data.safetensors -q >/dev/null
train() { run=$1; shift; $exec "$SLOTTAR" train compile data.safetensors $small -o "$run" -q "$@"; }
same() { if cmp -s "$2" "$3"; then ok "$1"; else not_ok "$1"; fi; }
lacks() { if grep -qF -- "$3" "$2"; then not_ok "$1"; sed 's/^/# /' "$2"; else ok "$1"; fi; }

check "a run" 0 train whole --threads 1
says "tells its scores" out "F1"
lacks "nobody told it the number" out "told the number"
check "three threads" 0 train three --threads 3
same "three threads give the same bits" whole/last.safetensors three/last.safetensors
says "its own epsilon of Adam" whole/config.yaml "adam_eps: 1e-07"
says "and the label-free choice" whole/config.yaml "early_stop: loss"

# killed at odd moments, started again each time
for i in 1 2 3 4; do
    exec=exec train killed --threads 1 >/dev/null 2>&1 &
    sleep "0.$((RANDOM % 9 + 1))"
    kill -9 $! 2>/dev/null; wait $! 2>/dev/null
done
check "resumes after kills" 0 train killed --threads 1
same "killed or not, the same weights" whole/last.safetensors killed/last.safetensors
same "and the same result" whole/result.json killed/result.json
check "another configuration is refused" 1 train whole latent=concrete
says "with the line that differs" err "latent"

# as the reference does it: padded, oracle, reference prior, scored with DONE
check "profile reference" 0 train reference --profile reference latent=concrete
says "says that it was told the number" out "given the number of segments"
says "chosen by its scores" reference/config.yaml "early_stop: ari_f1_align"
check "profile paper" 0 train paper --profile paper
check "eval of several runs" 0 "$SLOTTAR" eval whole reference
says "one table, no mean over both" out "different configurations"
check "none" 1 grep -q 'mean of' out
check "eval again" 0 "$SLOTTAR" eval whole reference
says "without DONE" out "  the same with DONE"
says "and with it" out "  the same without DONE"
says "who was told" out "compile     labels*"
says "in words" out "*: the true number of segments"
says "baselines" out "uniform"
check "eval as JSON" 0 "$SLOTTAR" eval whole reference --json
if command -v python3 >/dev/null; then
    python3 - out <<'P' && ok "the JSON has its fields" || not_ok "the JSON has its fields"
import json, sys
a, b = json.load(open(sys.argv[1]))["runs"]
assert a["forward"] is None and a["counts"]["true"][4] == 12
assert not a["told_count"] and b["told_count"] and a["model"] == b["model"] == "compile"
assert a["with_done"]["f1"] != a["f1"] and b["without_done"]["f1"] != b["f1"]
P
else skip "the JSON has its fields" "no python3"; fi
[ "$(grep -c told_count reference/result.json)" = 1 ] && ok "in the result, too" || not_ok "in the result, too"

# segments
check "segment" 0 "$SLOTTAR" segment whole data.safetensors -o s.jsonl
lacks "no word of an oracle" err "told"
"$SLOTTAR" segment whole data.safetensors --split test -o t.jsonl
tail -12 s.jsonl >tail.jsonl
same "the same answer in other company" t.jsonl tail.jsonl
check "segment with the oracle" 0 "$SLOTTAR" segment reference data.safetensors -o r.jsonl
says "says so" err "88 trajectories: the true number of segments was used"
says "line by line" r.jsonl '"told_count":true'
if command -v python3 >/dev/null; then
    python3 - s.jsonl <<'P' && ok "counts are a distribution" || not_ok "counts are a distribution"
import json, sys
for line in open(sys.argv[1]):
    d = json.loads(line)
    assert len(d["segment"]) == d["length"] and len(d["counts"]) == 4
    assert abs(sum(d["counts"]) - 1) < 1e-4 and d["segments"] == len(d["boundaries"]) + 1
P
else skip "counts are a distribution" "no python3"; fi

# other data: no labels, no observations
printf 'episode,action\n' >plain.csv
for e in $(seq 1 40); do for t in $(seq 1 $((e % 7 + 1))); do echo "$e,$(((e * t) % 3))" >>plain.csv; done; done
check "data without labels and observations" 0 "$SLOTTAR" train compile plain.csv $small batch=8 segments=3 -o plain -q
check "its eval says what is missing" 0 "$SLOTTAR" eval plain
says "in words" out "no labels"
check "an oracle needs labels" 1 "$SLOTTAR" train compile plain.csv $small count=oracle -o none -q
says "and says what to do" err "count=own"
check "a length without room for DONE" 1 "$SLOTTAR" train compile plain.csv $small length=7 -o none -q
says "with what to do" err "length=8"

# a model that asks for the number, on data that does not know it
tr -d '\r' <plain.csv | awk -F, 'NR == 1 {print $0 ",segment"} NR > 1 {print $0 "," ($1 % 2)}' >labelled.csv
check "labels" 0 "$SLOTTAR" train compile labelled.csv $small batch=8 segments=3 count=oracle -o asks -q
check "none any more" 0 "$SLOTTAR" segment asks plain.csv -o p.jsonl
lacks "is on its own" err "true number"
lacks "in every line" p.jsonl "told_count"


for set in craft-full craft-partial doorkey unlockpickup blockedunlockpickup keycorridor; do
    check "preset $set" 0 train "preset-$set" --preset "$set" hidden=8 epochs=1 length=80
done
says "a row of the table" preset-keycorridor/config.yaml "segments: 10"
check "its options" 0 "$SLOTTAR" train compile --options
for option in count compile_last compile_prior compile_enc boundary_pad baseline_scoring latent prior_rate; do
    says "$option is listed" out "  $option "
done
plan
