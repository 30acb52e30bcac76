#!/usr/bin/env bash
# segment: lines, tables, time lines, and copies of a data set with the segments as labels.
. "$(dirname "$0")/tap.sh"
# two runs of actions, each with action 3 after it: cut alike by every build
awk 'BEGIN { print "episode,action,x,y,reward,split"
    for (e = 0; e < 80; e++) { n = e % 4 + 3; m = n + e * 7 % 5 + 3
        for (t = 0; t < m; t++) print e "," (t == n - 1 || t == m - 1 ? 3 : t < n ? e % 3 : (e + 1) % 3) "," t / 10 "," e % 2 "," (t == m - 1) "," (e >= 64) + (e >= 72) } }' >data.csv
"$SLOTTAR" convert data.csv data.safetensors
"$SLOTTAR" train slottar-mdl data.safetensors prior=2 steps=200 --restarts 4 -o run -q >/dev/null
segment() { "$SLOTTAR" segment run data.safetensors "$@"; }

check "JSON lines" 0 segment
cp out all.jsonl
grep -q '"segments":2' out && ok "with boundaries" || not_ok "with boundaries"
[ "$(wc -l <out)" = 80 ] && ok "one per episode" || not_ok "one per episode"
for field in episode length boundaries segment confidence segments counts; do
    says "have $field" out "\"$field\":"
done
check "a split" 0 segment --split test
tail -8 all.jsonl | cmp -s - out && ok "is its part of the whole" || not_ok "is its part of the whole"
check "a table" 0 segment -o all.csv
steps=$(awk -F'"length":' '{ n += $2 } END { print n }' all.jsonl)
[ "$(wc -l <all.csv)" = $((steps + 1)) ] && ok "has a row per step" || not_ok "has a row per step"

# time lines: a bar between segments where there is no colour
check "time lines" 0 segment --split test --show --limit 3
[ "$(wc -l <out)" = 3 ] && ok "as many as asked for" || not_ok "as many as asked for"
first=$(tail -8 all.jsonl | head -1)
bars=$(head -1 out | sed 's/  [0-9]* segments.*//' | tr -cd '|' | wc -c)
[ "$bars" = "$(echo "$first" | sed 's/.*"segments":\([0-9]*\).*/\1/' | awk '{ print $1 - 1 }')" ] && ok "a bar per boundary" || not_ok "a bar per boundary"
says "tell the confidence" out "confidence"

# copies with labels: what the baselines' scorer then takes for the truth are the model's segments
check "a native copy" 0 segment -o copy.safetensors
check "has labels" 0 "$SLOTTAR" info copy.safetensors
says "and all fields" out "fields: actions rewards segment split"
check "eval against its own labels" 0 "$SLOTTAR" eval run copy.safetensors --json
says "is perfect" out '"f1":1,"f1_one":1,"align":1'
check "a copy as npz" 0 segment -o copy.npz
check "eval of it" 0 "$SLOTTAR" eval run run --data copy.npz --json
says "is perfect, too" out '"f1":1,"f1_one":1,"align":1'
check "a copy as HDF5" 0 segment --split test -o copy.hdf5
"$SLOTTAR" segment run data.safetensors --split test -o part.safetensors
check "back from HDF5" 0 "$SLOTTAR" convert copy.hdf5 back.safetensors
labels() { "$SLOTTAR" convert "$1" "$1.npz" && unzip -p "$1.npz" segment.npy | tail -c +129 | cksum; }
if command -v unzip >/dev/null; then
    [ "$(labels back.safetensors)" = "$(labels part.safetensors)" ] && ok "the same labels" || not_ok "the same labels"
else skip "the same labels" "no unzip"; fi
check "a Minari data set" 0 segment --split test -o found-v0/
[ -d found-v0 ] && ok "is a folder" || not_ok "is a folder"
check "that can be read" 0 "$SLOTTAR" info found-v0
says "with labels" out "segment"

# SloTTAr: boundaries from slots, whatever they are worth after so few steps
awk 'BEGIN { srand(7); print "episode,action,segment,split"
    for (e = 0; e < 160; e++) for (k = 0; k < 3; k++) { n = 2 + int(rand() * 4)
        for (i = 0; i < n; i++) print e ",step" k "," k "," (e % 8 == 7 ? 2 : e % 16 == 6) } }' >slots.csv
"$SLOTTAR" train slottar slots.csv hidden=16 slot_size=16 heads=2 batch=16 epochs=14 lr=0.005 slots=4 -o slots -q >/dev/null
check "SloTTAr" 0 "$SLOTTAR" segment slots slots.csv
cp out slots.jsonl
grep -q '"segments":[234]' slots.jsonl && ok "finds boundaries" || not_ok "finds boundaries"
if command -v python3 >/dev/null; then
    cat >lines.py <<'P'
import json
for line in map(json.loads, open("slots.jsonl")):
    ids, ends = line["segment"], line["boundaries"]
    assert len(ids) == line["length"] and len(ends) == len(line["confidence"]) == line["segments"] - 1 <= 3, line
    assert ids == [sum(end < t for end in ends) for t in range(len(ids))], line
    assert all(0 <= sure <= 1 for sure in line["confidence"]), line
    assert len(line["counts"]) == 4 and abs(sum(line["counts"]) - 1) < 1e-3, line
P
    check "lines agree with themselves" 0 python3 lines.py
else skip "lines agree with themselves" "no python3"; fi
check "SloTTAr's copy" 0 "$SLOTTAR" segment slots slots.csv -o slots.safetensors
check "eval against it" 0 "$SLOTTAR" eval slots slots.safetensors --json
says "is perfect as well" out '"f1":1,"f1_one":1,"align":1'
check "SloTTAr's time lines" 0 "$SLOTTAR" segment slots slots.csv --show
[ "$(sed 's/  [0-9]* segments.*//' out | tr -cd '|' | wc -c)" = "$(awk -F'"segments":' '{ n += $2 - 1 } END { print n }' slots.jsonl)" ] && ok "a bar per boundary there" || not_ok "a bar per boundary there"

check "eval of a checkpoint, alone" 2 "$SLOTTAR" eval run/best.safetensors
says "asks for the data set" err "name the data set after the runs"
check "eval of a checkpoint and a data set" 0 "$SLOTTAR" eval run/best.safetensors data.csv

check "another ending" 2 segment -o all.txt
says "tells the ones there are" err ".safetensors"
check "a limit on a data set" 2 segment -o copy.safetensors --limit 3
check "no such run" 1 "$SLOTTAR" segment nowhere data.safetensors
check "a folder that is no run" 1 "$SLOTTAR" segment . data.safetensors
says "asks what it is" err "is it a run directory"
check "no such split" 2 segment --split half
plan
