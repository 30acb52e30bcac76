#!/usr/bin/env bash
# sweep: grid, random, halving; killed, shared and stopped searches end with the table of an
# undisturbed one; refusals.
# sanitizers: too long
. "$(dirname "$0")/tap.sh"
small="hidden=16 slot_size=16 heads=2 batch=16"
data=$PWD/data.safetensors
"$SLOTTAR" collect craft-full --split 48,16,16 -o "$data" -q >/dev/null
# searches of the same name in folders of their own, so that tables can be compared to the letter
search() { # FOLDER ARGUMENTS...
    mkdir -p "$1"; cd "$1" || exit 1; shift
    exec "$SLOTTAR" sweep slottar "$data" -o s -q --threads 1 $small "$@"
}
sweep() { (search "$@"); }
same() { if [ -s "$2" ] && cmp -s "$2" "$3"; then ok "$1"; else not_ok "$1"; diff "$2" "$3" | head -5; fi; }
tickets() { ls "$1/s/tickets" 2>/dev/null | grep -cE "$2"; }

# ---- a grid, whole
grid="epochs=3 lr=1e-3,3e-3,1e-2 beta=0.1,1 search=grid seeds=2"
check "a grid" 0 sweep whole $grid
cp out whole.txt
[ "$(grep -c 'lr=' out)" = 6 ] && ok "six configurations" || not_ok "six configurations"
says "with a spread over two seeds" out "+-"
says "names the best" out "best: s/0"
[ "$(tickets whole 'done$')" = 12 ] && ok "twelve trials done" || not_ok "twelve trials done"
for file in config.yaml best.safetensors result.json trial.0.json; do
    [ -s whole/s/0005-1/$file ] && ok "whole/s/0005-1/$file" || not_ok "whole/s/0005-1/$file"
done
check "once more, at once" 0 sweep whole $grid
same "the same table" whole.txt out
check "as JSON" 0 sweep whole $grid --json
same "which is the file" out whole/s/table.json
check "a trial is a run" 0 "$SLOTTAR" eval whole/s/0003-0
# a trial's numbers are those of train
"$SLOTTAR" train slottar data.safetensors $small epochs=3 lr=1e-3 beta=1 --seed 1 --threads 1 -o alone -q >/dev/null
same "and its weights are those of train" alone/best.safetensors whole/s/0001-1/best.safetensors
if command -v python3 >/dev/null; then
    python3 - whole/s <<'P' && ok "the table holds the means" || not_ok "the table holds the means"
import json, sys
table = json.load(open(sys.argv[1] + "/table.json"))
rows = table["configurations"]
assert table["score"] == "loss" and len(rows) == 6
assert [r["score"] for r in rows] == sorted(r["score"] for r in rows)
for row in rows:
    runs = [json.load(open("%s/%s/result.json" % (sys.argv[1], run))) for run in row["runs"]]
    for split in "valid", "test":
        for name in "loss", "f1", "align", "ari":
            mean = sum(run[split][name] for run in runs) / 2
            assert abs(mean - row[split][name]) < 1e-7, (row, split, name)
    a, b = (run["valid"]["loss"] for run in runs)
    assert abs(row["sd"] - abs(a - b) / 2 ** 0.5) < 1e-7
P
else skip "the table holds the means" "no python3"; fi

# ---- killed at three places, then started again; a kill that comes too late is tried again
killed=0
for place in 1 5 9; do
    for attempt in 1 2 3 4 5; do
        [ "$place" = 1 ] && rm -rf killed
        (search killed $grid) >/dev/null 2>&1 &
        pid=$!
        while kill -0 $pid 2>/dev/null && [ "$(tickets killed 'done$')" -lt $place ]; do sleep 0.01; done
        kill -9 $pid 2>/dev/null; wait $pid 2>/dev/null
        [ $? = 137 ] && [ "$(tickets killed 'done$')" -lt 12 ] && { killed=$((killed + 1)); break; }
        rm -rf killed
    done
done
[ $killed = 3 ] && ok "killed three times" || not_ok "killed three times, not $killed"
check "resumes after the kills" 0 sweep killed $grid
same "the table of an undisturbed search" whole.txt out
same "and its file" whole/s/table.json killed/s/table.json
[ "$(tickets killed 'done$') $(tickets killed .)" = "12 12" ] && ok "each trial done once" || not_ok "each trial done once"

# ---- three workers, one of them killed with a trial in hand
for i in 1 2 3; do (search shared $grid) >shared$i.txt 2>/dev/null & pids[i]=$!; done
while kill -0 ${pids[1]} 2>/dev/null && [ "$(tickets shared "taken.*[.]${pids[1]}$")" = 0 ]; do sleep 0.01; done
kill -9 ${pids[1]} 2>/dev/null; wait ${pids[1]} 2>/dev/null
wait ${pids[2]} && ok "the second worker ends" || not_ok "the second worker ends"
wait ${pids[3]} && ok "the third worker ends" || not_ok "the third worker ends"
same "the second has the table" whole.txt shared2.txt
same "the third has the table" whole.txt shared3.txt

# ---- stopped
(search stopped $grid epochs=200 patience=200) >out 2>err &
pid=$!
while kill -0 $pid 2>/dev/null && [ ! -s stopped/s/0000-0/metrics.jsonl ]; do sleep 0.02; done
kill -TERM $pid; wait $pid
[ $? = 75 ] && ok "SIGTERM ends with 75" || not_ok "SIGTERM ends with 75"
says "and says how to resume" err "run the same command to resume"
[ "$(tickets stopped 'free$')" = 12 ] && ok "with all tickets free" || not_ok "with all tickets free"

# ---- random, by a file; a plan is a file
cat >spec.yaml <<'Y'
model: slottar
data: data.safetensors
search: random
trials: 3
score: f1_align
lr: log:1e-4..1e-2
slots: [4, 5]
epochs: 2
hidden: 16
slot_size: 16
heads: 2
batch: 16
Y
check "a file" 0 "$SLOTTAR" sweep spec.yaml -o a -q --threads 1
cp out a.txt
[ "$(grep -c 'slots=' out)" = 3 ] && ok "three trials" || not_ok "three trials"
check "the plan as a file" 0 "$SLOTTAR" sweep a/sweep.yaml -o b -q --threads 1
same "the same results" a/table.json b/table.json
check "another seed" 0 "$SLOTTAR" sweep spec.yaml -o c -q --threads 1 --seed 1
cmp -s a/table.json c/table.json && not_ok "other configurations" || ok "other configurations"

# ---- the paper's search, two of its configurations
examples=$(cd "$(dirname "$0")/../../examples" && pwd)
check "the paper's search" 0 "$SLOTTAR" sweep "$examples/sweeps/slottar-craft-full.yaml" -o paper -q data=data.safetensors trials=2 seeds=1 epochs=1
[ "$(grep -cE ' F1 .*batch=.*beta=.*hidden=.*heads=.*slot_size=.*slot_std=.*iterations=.*lr=' out)" = 2 ] &&
    ok "varies eight options" || not_ok "varies eight options"

# ---- another model, with restarts; its epochs are not all evaluated, pauses wait for one that is
mdl="hidden=8 steps=70 batch=16 lr=1e-3,1e-2 beta=1 restarts=2"
mdl() { "$SLOTTAR" sweep slottar-mdl data.safetensors -o "$1" -q --threads 1 $mdl "${@:2}"; }
check "slottar-mdl with restarts" 0 mdl mdl search=grid
[ "$(grep -c 'lr=' out)" = 2 ] && ok "two configurations" || not_ok "two configurations"
run_of() { sed -n 's|^ *1  \([0-9]*\) .*|\1-0|p' "$1"; }
cp out mdl.txt
check "and halving" 0 mdl pauses search=halving trials=2 eta=2
same "paused or not, the same weights" mdl/$(run_of mdl.txt)/best.safetensors pauses/$(run_of out)/best.safetensors

# ---- halving: nine, three, one; what continues is what it would have been without the pause
halving="epochs=9 patience=9 lr=log:1e-4..3e-2 trials=9 search=halving"
check "halving" 0 sweep half $halving
cp out half.txt
rounds=$(for r in 0 1 2; do echo "$(tickets half "[.]$r[.]done$")"; done | xargs)
[ "$rounds" = "6 2 1" ] && ok "nine, three, one" || not_ok "nine, three, one: $rounds stayed"
[ "$(head -2 out | tail -1 | awk '{ print $3 }')" = 9 ] && ok "the winner has all epochs" || not_ok "the winner has all epochs"
best=$(sed -n 's|^best: s/\([0-9]*\)-0.*|\1|p' out) lr=$(grep -E "^ *1 " out | grep -oE 'lr=[^ ]*')
"$SLOTTAR" train slottar data.safetensors $small epochs=9 patience=9 $lr --threads 1 -o one -q >/dev/null
same "paused or not, the same weights" one/best.safetensors half/s/$best-0/best.safetensors
for place in 2 7; do
    (search cut $halving) >/dev/null 2>&1 &
    pid=$!
    while kill -0 $pid 2>/dev/null && [ "$(tickets cut '([.]0[.]done|[.][12][.][a-z]*$)')" -lt $place ]; do sleep 0.01; done
    kill -9 $pid 2>/dev/null; wait $pid 2>/dev/null
done
check "a halving resumes after kills" 0 sweep cut $halving
same "with the same table" half.txt out

# ---- several at once: the same table, whatever the shapes; killed, too
check "a grid, five runs at once" 0 sweep together $grid --population 5
same "the same table" whole.txt out
same "and its file" whole/s/table.json together/s/table.json
same "and the same weights" whole/s/0005-1/last.safetensors together/s/0005-1/last.safetensors
shapes="epochs=2 lr=1e-3,1e-2 slots=4,5 search=grid heads=2,3"
sweep shapes $shapes >shapes.txt 2>/dev/null
check "of two shapes, and some of none" 0 sweep shaped $shapes --population 8
same "the same table, failures and all" shapes.txt out
[ "$(grep -c failed out)" = 4 ] && ok "four fail" || not_ok "four fail"
check "by three threads" 0 sweep threads $grid --jobs 3 --population 2
same "the same table" whole.txt out
same "and the same weights" whole/s/0005-1/last.safetensors threads/s/0005-1/last.safetensors
(search threaded $grid epochs=200 patience=200 --jobs 2) >out 2>err &
pid=$!
while kill -0 $pid 2>/dev/null && [ "$(cat threaded/s/000?-?/metrics.jsonl 2>/dev/null | wc -l)" -lt 4 ]; do sleep 0.02; done
kill -TERM $pid; wait $pid
[ $? = 75 ] && ok "SIGTERM stops all of them" || not_ok "SIGTERM stops all of them"
[ "$(tickets threaded 'free$')" = 12 ] && ok "with all tickets free" || not_ok "with all tickets free"
for place in 1 3; do
    (search halved $halving --population 4) >/dev/null 2>&1 &
    pid=$!
    while kill -0 $pid 2>/dev/null && [ "$(cat halved/s/*/metrics.jsonl 2>/dev/null | wc -l)" -lt $((4 * place)) ]; do sleep 0.01; done
    kill -9 $pid 2>/dev/null; wait $pid 2>/dev/null
done
check "a halving, four at once, behind kills" 0 sweep halved $halving --population 4
same "the same table" half.txt out

# ---- what fails, and what is refused
check "a configuration that diverges" 0 sweep wild epochs=2 lr=1e-3,10 beta=1000 search=grid
says "is told" out "failed: s/0001-0: step"
cp out wild.txt
check "beside one that does not" 0 sweep tame epochs=2 lr=1e-3,10 beta=1000 search=grid --population 2
same "is told just so" wild.txt out
check "none that can be trained" 1 sweep none length=5,6 search=grid epochs=1
says "with the reason" err "no configuration could be trained"
check "another search in the same folder" 1 sweep whole $grid lr=1e-3
says "with the line that differs" err "sweep.yaml: this run has"
check "an unknown option" 1 sweep new hiden=3,4
says "with the nearest name" err "hidden"
check "a grid over a range" 1 sweep new lr=1e-3..1e-2 search=grid
[ ! -e new/s ] && ok "leaves no folder" || not_ok "leaves no folder"
printf 'episode,action\n' >plain.csv
for e in $(seq 1 40); do for t in 1 2 3; do echo "$e,$(((e * t) % 3))" >>plain.csv; done; done
check "a score without labels" 1 "$SLOTTAR" sweep slottar plain.csv -o p $small slots=2,3 prior=2 epochs=1 score=f1 -q
says "says what to take" err "score=loss"
[ "$(ls -d p/0* | wc -l)" = 1 ] && ok "at the first trial" || not_ok "at the first trial"
check "no folder" 2 "$SLOTTAR" sweep slottar data.safetensors lr=1,2
check "no data" 2 "$SLOTTAR" sweep -o x
check "no such data" 1 "$SLOTTAR" sweep slottar nowhere.safetensors -o x lr=1e-3,1e-2
check "a list of options" 0 "$SLOTTAR" sweep --options
says "with their defaults" out "(default random)"
plan
