#!/usr/bin/env bash
# One doubtful run: the same warning from train, segment, info, result.json and the report; confidence that is calibrated
# or not called so; what a score was told.
. "$(dirname "$0")/tap.sh"
lacks() { if grep -qF -- "$3" "$2"; then not_ok "$1"; else ok "$1"; fi; }
small="hidden=8 heads=2 window=4 batch=16 steps=24"
"$SLOTTAR" collect doorkey --split 64,16,16 -o data.safetensors -q >/dev/null

# told nine segments where there are three or four
said="does not fit the prior"
check "a doubtful run" 0 "$SLOTTAR" train slottar-mdl data.safetensors $small prior=9 --restarts 3 -o doubtful -q
says "train warns" out "warning: the number of segments $said"
says "with a number" out "trust: 0.50, doubtful"
check "as JSON" 0 "$SLOTTAR" train slottar-mdl data.safetensors $small prior=9 --restarts 3 -o doubtful -q --json
says "too" out '"doubtful":true'
says "so does result.json" doubtful/result.json "$said"
check "info" 0 "$SLOTTAR" info doubtful
says "warns" out "warning: the number of segments $said"
check "info as JSON" 0 "$SLOTTAR" info doubtful --json
says "warns" out '"trust":{"trust":0.5000,"doubtful":true,"calibrated":true,"warnings":["'
check "segment with the run" 0 "$SLOTTAR" segment doubtful data.safetensors -o s.jsonl
says "warns in its summary" out "warning: the number of segments $said"
[ "$(grep -c "$said" s.jsonl)" = 96 ] && ok "and in every line" || not_ok "and in every line"
check "a checkpoint alone" 0 "$SLOTTAR" segment doubtful/best.safetensors data.safetensors --split test
says "warns" out "$said"
check "the report" 0 "$SLOTTAR" report doubtful -o page.html -q
says "has a banner" page.html '<div class="trust doubtful" role="alert"><p><b>These segments are doubtful. Trust 0.50 of 1.</b>'
says "with the words" page.html "<li>the number of segments $said"
says "calls calibrated confidence so" page.html "<span>Confidence, %</span>"

# one run alone: nothing is known of it
check "a single run" 0 "$SLOTTAR" train slottar-mdl data.safetensors $small prior=3 -o single -q
says "is not trusted" out "trust: unknown"
says "with advice" out "note: trained once, with nothing to compare: confidence is not calibrated; train with 8 restarts or more"
check "its segments" 0 "$SLOTTAR" segment single data.safetensors --show --limit 1
lacks "have no confidence" out "confidence"
says "but what the model says" out "not calibrated: "
says "as the summary says" err "Boundary probability (not calibrated)"
check "as JSON" 0 "$SLOTTAR" segment single data.safetensors --limit 1 -q
says "say so" out '"trust":{"trust":null,"doubtful":false,"calibrated":false,'
check "its report" 0 "$SLOTTAR" report single -o single.html -q
says "has no confidence either" single.html "<span>The model's own probability, %</span>"
says "but a banner" single.html "Trust is unknown."

# actions that a rule describes better: 0 1 2 and 3 4 5 in any order, cut by hardly any training
awk 'BEGIN { srand(1); print "episode,action"
    for (e = 0; e < 200; e++) for (s = 0; s < 4; s++) { a = rand() < 0.5 ? 0 : 3; for (t = 0; t < 3; t++) print e "," a + t } }' >rule.csv
check "a run that a rule beats" 0 "$SLOTTAR" train slottar-mdl rule.csv hidden=8 heads=2 window=2 batch=16 steps=1 init=random prior=4 slots=6 --restarts 2 -o beaten -q
says "names the rule" out "the baseline comb describes the data better"
says "in its result" beaten/result.json "the baseline comb describes the data better"
# nothing to cut at
awk 'BEGIN { print "episode,action"; for (e = 0; e < 100; e++) for (t = 0; t < 12; t++) print e "," (t == 11) }' >even.csv
check "prior=~4.3 that ends in one segment" 0 "$SLOTTAR" segment even.csv hidden=8 heads=2 window=2 batch=16 steps=100 init=random prior=~4.3 --restarts 2 --run one -o one.jsonl
says "everywhere" out "1 in 100.0 %"
says "is warned of" out "warning: the number of segments does not fit the prior: 1.0 on average, told 4.3"

# calibration: never certain, and its error where there are labels
check "eval" 0 "$SLOTTAR" eval doubtful
says "has the error" out "ece"
check "as JSON" 0 "$SLOTTAR" eval doubtful --json
if command -v python3 >/dev/null; then
    python3 - out s.jsonl doubtful/result.json <<'P' && ok "by the bins" || not_ok "by the bins"
import json, sys
run = json.load(open(sys.argv[1]))["runs"][0]
test = json.load(open(sys.argv[3]))["test"]
assert all(0 < c < 1 for line in map(json.loads, open(sys.argv[2])) for c in line["confidence"])
bins = test["reliability"]
assert bins and abs(run["ece"] - sum(abs(c - r) for _, c, r in bins) / sum(n for n, _, _ in bins)) < 1e-6
P
else skip "by the bins" "no python3"; fi

# what was told
check "a rule" 0 "$SLOTTAR" eval --rule uniform data.safetensors --json -q
says "that is told counts" out '"told":"count","told_count":true'
check "another" 0 "$SLOTTAR" eval --rule delimiter data.safetensors --json -q
says "a histogram" out '"told":"histogram","told_count":false'
check "another" 0 "$SLOTTAR" eval --rule comb data.safetensors --json -q
says "nothing" out '"told":"nothing","told_count":false'
check "models and rules in one table" 0 "$SLOTTAR" eval single --json -q
says "say it, too" out '"model":"slottar-mdl","told":"count"'
says "all of them" out '"comb":{"told":"nothing",'
plan
