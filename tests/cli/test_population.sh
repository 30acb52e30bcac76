#!/usr/bin/env bash
# train --population: every seed as alone, killed, stopped, resumed together or alone; refusals. sanitizers: too long
. "$(dirname "$0")/tap.sh"
small="hidden=8 slot_size=8 heads=2 batch=16 lr=0.02 epochs=30 patience=3"
"$SLOTTAR" collect craft-full --split 64,16,16 -o data.safetensors -q >/dev/null
many() { run=$1; shift; ${exec:-} "$SLOTTAR" train slottar data.safetensors $small --population 3 --seed 4 -o "$run" "$@"; }
one() { "$SLOTTAR" train slottar data.safetensors $small --seed "$1" -o "$2" -q >/dev/null; }
same() { # NAME RUN RUN: all files but for the seconds
    for file in config.yaml last.safetensors best.safetensors segments.safetensors result.json; do
        cmp -s "$2/$file" "$3/$file" || { not_ok "$1"; echo "# $file"; return; }
    done
    cmp -s <(sed 's/"seconds":[^,]*,//' "$2/metrics.jsonl") <(sed 's/"seconds":[^,]*,//' "$3/metrics.jsonl") &&
        ok "$1" || { not_ok "$1"; echo "# metrics.jsonl"; }
}
for seed in 4 5 6; do one $seed alone$seed; done
check "three seeds" 0 many all
says "tells about all" err "epoch 1 of 3 runs: loss "
[ "$(grep -c '^all/[012]: best epoch' out)" = 3 ] && ok "a result for each" || not_ok "a result for each"
for i in 0 1 2; do same "seed $((4 + i)) as alone" alone$((4 + i)) all/$i; done
[ "$(cat all/?/result.json | grep -o '"epochs":[0-9]*' | sort -u | wc -l)" -gt 1 ] && ok "that end at epochs of their own" || not_ok "that end at epochs of their own"
[ -z "$(ls all/?/lock 2>/dev/null)" ] && ok "no lock stays" || not_ok "no lock stays"
check "as JSON" 0 many all --json -q
[ "$(grep -c '^{"run":"all/[012]",' out)" = 3 ] && ok "a line for each" || not_ok "a line for each"
check "eval" 0 "$SLOTTAR" eval all/1
check "info" 0 "$SLOTTAR" info all/2
check "segment" 0 "$SLOTTAR" segment all/0 data.safetensors -o segments.jsonl -q

# ---- killed at odd moments, then started again
for attempt in 1 2 3 4 5 6; do
    exec=exec many killed -q --threads 1 >/dev/null 2>&1 &
    pid=$!
    while kill -0 $pid 2>/dev/null && [ "$(cat killed/1/metrics.jsonl 2>/dev/null | wc -l)" -lt $((2 * attempt)) ]; do sleep 0.01; done
    kill -9 $pid 2>/dev/null; wait $pid 2>/dev/null
done
check "resumes after kills" 0 many killed -q
for i in 0 1 2; do same "killed or not, the same run $i" alone$((4 + i)) killed/$i; done

# ---- stopped, one of them brought to its end alone, then the others
exec=exec many stopped --threads 1 patience=30 >/dev/null 2>err &
pid=$!
while kill -0 $pid 2>/dev/null && [ ! -s stopped/2/metrics.jsonl ]; do sleep 0.01; done
kill -TERM $pid; wait $pid
[ $? = 75 ] && ok "SIGTERM ends with 75" || not_ok "SIGTERM ends with 75"
says "and says how to resume" err "saved in stopped; run the same command to resume"
check "one resumes alone" 0 "$SLOTTAR" train slottar data.safetensors $small patience=30 --seed 5 -o stopped/1 -q
check "then the others" 0 many stopped patience=30 -q
check "undisturbed" 0 many calm patience=30 -q --threads 1
for i in 0 1 2; do same "stopped or not, the same run $i" calm/$i stopped/$i; done

# ---- refusals
check "other options on the same runs" 1 many all -q beta=0.7
[ "$(grep -c "config.yaml: this run has 'beta" err)" = 3 ] && ok "are refused, each" || not_ok "are refused, each"
check "a population of none" 2 "$SLOTTAR" train slottar data.safetensors --population 0 -o none
plan
