#!/usr/bin/env bash
# reproduce: tables with all their parts, continuing after kills and stops, refusals.
# sanitizers: too long
. "$(dirname "$0")/tap.sh"
tiny="--quick --split 48,16,16 --seeds 2 --threads 1 -q steps=2 batch=8"
make() { "$SLOTTAR" reproduce "$@" $tiny; }
records() { find "$1/runs" -name record.json 2>/dev/null | wc -l; }
same() { if [ -s "$2" ] && cmp -s "$2" "$3"; then ok "$1"; else not_ok "$1"; diff "$2" "$3" | head -5; fi; }
there() { for file in "$@"; do [ -s "$file" ] && ok "$file" || not_ok "$file"; done; }

check "a list" 0 "$SLOTTAR" reproduce --list
says "of tables" out "craft       Craft"
check "completion" 0 "$SLOTTAR" completion bash
says "knows the tables" out "robust"

# ---- the Craft table, whole
check "the Craft table" 0 make craft -o whole
says "says that it was quick" out "the numbers are not results"
[ "$(records whole)" = 48 ] && ok "a record per run" || not_ok "a record per run: $(records whole)"
there whole/results.json whole/report.html whole/data/craft-partial.json whole/runs/craft-full/slottar-reference/1/result.json
says "the paper's figures" whole/results.md "| SloTTAr, the paper | 99.84 (0.02) | 99.41 (0.25) | 80.51 (4.47) | 83.14 (3.87) |"
says "who saw labels" whole/results.md "| CompILE, reference profile ¹ ² ³ ⁴ |"
says "who was told the number of segments" whole/results.md "| SloTTAr, our default ⁴ |"
says "who was told nothing" whole/results.md "| OMPN, our default ²"
says "who begins with the cuts of a rule" whole/results.md "| slottar-mdl ⁴ ⁵ |"
says "baselines" whole/results.md "| *delimiter* | 100.00 |"
says "quick" whole/results.md "**Quick:"
if command -v python3 >/dev/null; then
    python3 - whole <<'P' && ok "means and commands" || not_ok "means and commands"
import json, statistics, sys
folder = sys.argv[1]
results = json.load(open(folder + "/results.json"))
assert results["format"] == "slottar-results-1" and results["quick"] and results["done"] == 48
assert len(results["cells"]) == 24 and len(results["sets"]) == 2 and results["commit"]
for cell in results["cells"]:
    runs = [json.load(open("%s/runs/%s/%s/%d/result.json" % (folder, cell["set"], cell["variant"], i))) for i in (0, 1)]
    for name in "f1", "align", "ari":
        values = [run["test"][name] for run in runs]
        assert abs(cell["test"][name]["mean"] - statistics.mean(values)) < 1e-5
        assert abs(cell["test"][name]["sd"] - statistics.stdev(values)) < 1e-5
    kept = min((0, 1), key=lambda i: runs[i]["valid"]["loss"])
    assert cell["kept"]["run"] == kept and abs(cell["kept"]["f1"] - runs[kept]["test"]["f1"]) < 1e-5
    assert cell["command"].startswith("slottar train " + cell["model"])
    assert "paper" in cell or cell["model"] == "slottar-mdl"
P
else skip "means and commands" "no python3"; fi
# the command of a cell makes its run
command=$(grep -o 'slottar train ompn [^"]*ompn2/0' whole/results.json | head -1 | sed "s|-o .*|-o alone|; s|^slottar|$SLOTTAR|")
(cd whole && $command --threads 1 -q >/dev/null)
same "by its command, the same weights" whole/alone/best.safetensors whole/runs/craft-full/ompn2/0/best.safetensors
cp whole/results.md whole.md
check "once more, at once" 0 make craft -o whole
same "the same page" whole.md whole/results.md

# ---- hypotheses
check "hypotheses" 0 make hypotheses -o trials --only 'craft-full/trial-dropout,craft-full/trial-task' --no-pages
says "a verdict, the device and its precision" trials/results.md '| 0 of 2 | open | cpu fp32 | `slottar train slottar data/craft-full.safetensors --preset craft-full --profile reference'
says "what is to be reached" trials/results.md "F1 94.84 or more"
says "the precision for programs, too" trials/results.json '"device":"cpu","precision":"fp32"'

# ---- without hints
check "slottar-mdl without hints" 0 make hints -o hints --only 'doorkey/mdl-*' --no-pages
says "no prior and no preset" hints/results.json "slottar train slottar-mdl data/doorkey.safetensors --restarts 4 steps=200 steps=2 batch=8 --seed 0 -o runs/doorkey/mdl-untold/0"
says "no cuts to begin with" hints/results.json "slottar train slottar-mdl data/doorkey.safetensors --preset doorkey --restarts 4 steps=200 init=random steps=2 batch=8 --seed 0 -o runs/doorkey/mdl-random/0"
grep -q '^prior: "auto"' hints/runs/doorkey/mdl-bare/0/config.yaml && grep -q '^init: random' hints/runs/doorkey/mdl-bare/0/config.yaml && ok "neither" || not_ok "neither"

# ---- killed at two places, then in two jobs
for place in 3 20; do
    (exec "$SLOTTAR" reproduce craft -o killed --no-pages $tiny) >/dev/null 2>&1 &
    pid=$!
    while kill -0 $pid 2>/dev/null && [ "$(records killed)" -lt $place ]; do sleep 0.01; done
    kill -9 $pid 2>/dev/null; wait $pid 2>/dev/null
done
check "resumes after the kills" 0 make craft -o killed -j 2
same "the page of an undisturbed call" whole.md killed/results.md

# ---- folders of several machines are put together by copying
mkdir -p parts && cp -r whole/data whole/reproduce.yaml parts && mkdir -p parts/runs && cp -r whole/runs/craft-full parts/runs
check "the results of half of the runs" 75 make craft -o parts --no-runs --no-pages
says "says what is missing" err "24 runs left"
says "in the page, too" parts/results.md "| OMPN, our default ² (2 of 4 runs) |"
cp -r whole/runs/craft-partial parts/runs
[ "$(wc -l <parts/records.jsonl)" = 24 ] && ok "a line per run" || not_ok "a line per run"
check "the results of all" 0 make craft -o parts --no-runs
same "the same page" whole.md parts/results.md

# ---- or without the runs, by their lines; what is done is not made again
mkdir -p lines/data && cp whole/data/*.json lines/data && cp whole/reproduce.yaml whole/records.jsonl lines
sed -i 's/"baselines":/"floors":/' lines/data/*.json # the earlier key is read
check "the results of lines" 0 make craft -o lines --no-runs --no-pages
same "the same page again" whole.md lines/results.md
same "and the same lines" whole/records.jsonl lines/records.jsonl
check "nothing is left to do" 0 make craft -o lines --no-pages
[ ! -e lines/runs ] && ok "nothing is trained" || not_ok "nothing is trained"
sed -i '3s/"test"/"toast"/' lines/records.jsonl
check "a damaged line" 1 make craft -o lines --no-runs
says "is named" err "records.jsonl:3: no record of a run"
sed -i '3s|craft-|kraft-|' lines/records.jsonl
check "a run of no table" 1 make craft -o lines --no-runs
says "is named, too" err "records.jsonl:3: no table has a run 'kraft-full/"

# ---- the results in the tree are what their records say
cp -r "$(dirname "$0")/../../results" kept
"$SLOTTAR" reproduce -o kept --no-runs -q >out 2>err
[ $? = 0 ] || grep -q "runs left" err && ok "results of the tree" || not_ok "results of the tree"
same "their page" "$(dirname "$0")/../../results/results.md" kept/results.md

if command -v python3 >/dev/null; then
    python3 - kept <<'P' && ok "searched options are those that the searches found" || not_ok "searched options are those that the searches found"
import json, sys
searches = {"slottar-searched": "reference", "slottar-settled": "seeds"}
cells = [c for c in json.load(open(sys.argv[1] + "/results.json"))["cells"] if c["variant"] in searches]
assert len(cells) == 7
for cell in cells:
    best = json.load(open("%s/search/slottar-%s-%s/table.json" % (sys.argv[1], cell["set"], searches[cell["variant"]])))["configurations"][0]
    words = cell["command"].split()
    assert all("%s=%s" % option in words for option in best["settings"].items()), (cell["set"], best["settings"])
P
else skip "searched options are those that the searches found" "no python3"; fi

# ---- some cells, in the order that was asked for
check "some cells" 0 make craft -o some --only 'craft-full/ompn2,*-full/compile*' --no-pages
[ "$(records some)" = 8 ] && [ ! -e some/data/craft-partial.safetensors ] && ok "and no more" || not_ok "and no more: $(records some)"
[ some/runs/craft-full/compile/0/record.json -nt some/runs/craft-full/ompn2/1/record.json ] && ok "in this order" || not_ok "in this order"

# ---- stopped: by its time, by a signal
long="--quick --split 48,16,16 --seeds 1 --threads 1 -q batch=8 steps=100000000"
run=timed/runs/craft-full/slottar-reference/0
# a busy machine may need more than one call to come to the first step
until [ -e $run/last.safetensors ]; do
    "$SLOTTAR" reproduce craft -o timed --only slottar --seconds 1 $long >/dev/null 2>&1
    [ $? = 75 ] || break
done
check "out of time" 75 "$SLOTTAR" reproduce craft -o timed --only slottar --seconds 1 $long
says "says what is left" err "4 runs left; run the same command to continue"
[ "$(records timed)" = 0 ] && [ -s timed/results.md ] && ok "with a page of what is there" || not_ok "with a page of what is there"
there $run/last.safetensors $run/seconds
"$SLOTTAR" reproduce craft -o timed --only slottar $long >out 2>err &
pid=$!
while kill -0 $pid 2>/dev/null && [ -e $run/seconds ]; do sleep 0.02; done
kill -TERM $pid; wait $pid
[ $? = 75 ] && ok "SIGTERM ends with 75" || not_ok "SIGTERM ends with 75"
says "and says how to resume" err "run the same command to resume"

# ---- all other kinds of tables
check "other tables" 0 make single speed priors robust warnings access figures -o other \
    --only '*-single/mdl,*-noise*/mdl*,*-ref/mdl*,*-16x16/mdl*,doorkey-learned/mdl*'
says "priors" other/results.md "| DoorKey-8x8 | 48 | 3: 1.000 | 1e-4,1e-4,0.9997,1e-4 |"
says "robustness" other/results.md "| KeyCorridor-S4R3, 20 % noise |"
says "an expert that learned" other/results.md "| DoorKey-8x8, learned expert |"
says "and how" other/results.json "slottar train-expert doorkey --seed 0 -o data/doorkey-policy.safetensors && slottar collect doorkey --expert"
says "warnings" other/results.md "70 groups of restarts"
says "speed of the paper" other/results.md "| OMPN-2, our default | 4 | 10 | 78 min | – | – | – |"
check "speed and figures" 0 make speed figures -o whole --only slottar
there whole/speed/slottar.json whole/figures/doorkey/slots.svg
says "are in the page" whole/results.md "[masks](figures/doorkey/masks.svg)"

# ---- damaged files, and what is refused
echo '{"failed":false' >whole/runs/craft-full/mdl/0/record.json
check "a damaged record" 1 make craft -o whole
says "is named" err "runs/craft-full/mdl/0/record.json"
rm whole/runs/craft-full/mdl/0/record.json
echo '{}' >whole/data/craft-full.json
check "a damaged description" 1 make craft -o whole
says "is named, too" err "data/craft-full.json"
rm whole/data/craft-full.json
check "without them" 0 make craft -o whole
same "they are made again" whole.md whole/results.md
check "another size in the same folder" 1 "$SLOTTAR" reproduce craft -o whole
says "with what differs" err "quick: yes"
check "no such table" 1 make kraft -o x
says "lists them" err "craft, tasks, fixed"
check "no such model" 1 make craft -o x --only mdl
says "says what there is" err "SET/VARIANT"
check "no such cell" 1 make craft -o x --only 'craft/ompn*'
says "is named as well" err "no cell 'craft/ompn*'"
check "no folder" 2 make craft
check "no split" 2 "$SLOTTAR" reproduce craft -o x --split a
check "too many seeds" 2 "$SLOTTAR" reproduce craft -o x --seeds 1000
check "an option that no model has" 1 "$SLOTTAR" reproduce craft -o x --quick --split 48,16,16 --seeds 1 -q nothing=1
says "with the message of the first" err "24 runs could not be trained here"
[ ! -e whole/lock ] && ok "no lock is left" || not_ok "no lock is left"
plan
