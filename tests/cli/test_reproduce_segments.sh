#!/usr/bin/env bash
# reproduce segments: recordings from a folder, peers, baselines, models and the vote in one table, made again from records.
# sanitizers: too long
. "$(dirname "$0")/tap.sh"
same() { if [ -s "$2" ] && cmp -s "$2" "$3"; then ok "$1"; else not_ok "$1"; diff "$2" "$3" | head -5; fi; }
mkdir sets
# three phases of a motion, and three of one action each; 30, 10 and 10 episodes
awk 'BEGIN { srand(1); print "episode,split,ax,ay,segment"
    for (e = 0; e < 50; e++) for (s = 0; s < 3; s++) { n = 8 + int(6 * rand()); for (t = 0; t < n; t++)
        printf "%d,%d,%.4f,%.4f,%d\n", e, e < 30 ? 0 : e < 40 ? 1 : 2, (s == 0 ? 0.8 : s == 1 ? -0.5 : 0.1) + 0.05 * rand(), (s == 0 ? 0.2 : s == 1 ? 0.9 : -0.7) + 0.05 * rand(), s } }' >motion.csv
awk 'BEGIN { srand(2); print "episode,split,action,segment"
    for (e = 0; e < 50; e++) for (s = 0; s < 3; s++) { n = 4 + int(4 * rand()); for (t = 0; t < n; t++)
        printf "%d,%d,%d,%d\n", e, e < 30 ? 0 : e < 40 ? 1 : 2, s, s } }' >symbols.csv
"$SLOTTAR" convert motion.csv sets/robot-carry.npz --actions 'a*' -q && "$SLOTTAR" convert symbols.csv sets/phases-plain.npz -q
echo '{"robot-carry":{"kernel+":{"f1_one":0.91},"elbow":{"f1_one":0.5}},"phases-plain":{"elbow":{"f1_one":0.75}}}' >peers.json
make() { "$SLOTTAR" reproduce segments --quick --seeds 2 --threads 1 -q "$@"; }
only='phases-plain/vote*,robot-carry/vote*,robot-carry/slottar-vectors'

check "no folder of recordings" 1 make -o none --only "$only"
says "says what to do" err "name the folder that holds phases-plain.npz with --sets"
check "a set that is not there" 1 make -o none --only 'errands/vote' --sets sets
says "is named" err "sets/errands.npz"
check "the table" 0 make -o made --only "$only" --sets sets --peers peers.json epochs=1
says "peers that are told" made/results.md "| peer: kernel | count | – | – | – | – | 91.0 | – | – | – |"
says "and the best of those that are not" made/results.md "| **best peer** | nothing | 75.0 | – | – | – | 50.0 | – | – | – |"
says "baselines" made/results.md "| *jump* | count | – | – | – | – | 100.0 | – | – | – |"
says "told nothing" made/results.md "| *jump-threshold* | nothing | – | – | – | – | 100.0 | – | – | – |"
says "a model alone" made/results.md "| SloTTAr, 12 epochs, width 64 | nothing |"
says "the vote" made/results.md "| **the vote** | nothing | 100.0 (100.0) |"
says "told the histogram" made/results.md "| **the vote** | histogram | 100.0 (100.0) |"
says "told the range, which is one number here" made/results.md "| **the vote** | range | 100.0 (100.0) |"
says "as a number" made/results.json "slottar segment data/robot-carry.safetensors --split test prior=3 --runs 6 --seed 0 --run runs/robot-carry/vote-range/0"
says "its runs" made/results.md "| one run of the vote, mean of all | nothing |"
says "who answers" made/results.md "| – answered by |  | phases | – | – | – | switching | – | – | – |"
says "warnings" made/results.md "| – warned |"
says "calibration" made/results.md "Expected calibration error"
says "its command" made/results.json "slottar segment data/robot-carry.safetensors --split test prior=0.0000,0.0000,1.0000 --runs 6 --seed 0 --run runs/robot-carry/vote-told/0"
cp made/results.md table.md
# ---- from records alone
mkdir -p again/data && cp made/records.jsonl made/reproduce.yaml made/peers.json again/ && cp made/data/*.json again/data/
check "from records" 0 make -o again --no-runs --no-pages --only "$only" epochs=1
same "the same table" table.md again/results.md
check "the recordings are in the folder" 0 make -o made --only "$only" epochs=1
echo '{' >bad.json
check "peers that are no JSON" 1 make -o made --only "$only" --peers bad.json epochs=1
says "are named" err "bad.json"
plan
