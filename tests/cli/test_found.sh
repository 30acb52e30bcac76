#!/usr/bin/env bash
# What users ran into: colliding run folders, cut names, means over different configurations, files
# of other kinds, data that is elsewhere.
. "$(dirname "$0")/tap.sh"
small="epochs=1 hidden=8 batch=8 -q"
"$SLOTTAR" collect craft-full --split 24,6,6 -o noise-0.05.safetensors -q >/dev/null
"$SLOTTAR" collect craft-full --split 24,6,6 --noise 0.2 -o noise-0.2.safetensors -q >/dev/null
"$SLOTTAR" convert noise-0.05.safetensors demos-v0/
"$SLOTTAR" convert noise-0.2.safetensors others-v0/

# ---- run folders of their own
for data in noise-0.05.safetensors noise-0.2.safetensors demos-v0/ others-v0/; do
    check "train on $data" 0 "$SLOTTAR" train ompn $data $small
done
for run in noise-0.05 noise-0.2 demos-v0 others-v0; do
    check "runs/ompn-$run-0" 0 test -s runs/ompn-$run-0/result.json
done

# ---- the command line
check "-oa=b" 0 "$SLOTTAR" collect doorkey --episodes 2 -q -oa=b
check "is a=b" 0 test -s a=b
check "-o=c" 0 "$SLOTTAR" collect doorkey --episodes 2 -q -o=c
check "is c" 0 test -s c
check "letters that are none" 2 "$SLOTTAR" collect doorkey -fq
check "a rule and two data sets" 2 "$SLOTTAR" eval --rule uniform noise-0.05.safetensors noise-0.2.safetensors
says "names the second" err "noise-0.2.safetensors"

# ---- eval: long names, configurations
long=a-run-whose-name-is-longer-than-sixty-three-characters-which-happens-in-sweeps
for seed in 0 1; do "$SLOTTAR" train ompn noise-0.05.safetensors $small --seed $seed -o $long-$seed >/dev/null; done
for seed in 0 1; do "$SLOTTAR" train ompn noise-0.05.safetensors $small lr=1e-2 --seed $seed -o other-$seed >/dev/null; done
check "eval" 0 "$SLOTTAR" eval $long-0 $long-1 --json
says "whole names" out "\"$long-1\""
says "a mean of one configuration" out '"mean":{"f1":'
check "eval of two configurations" 0 "$SLOTTAR" eval $long-0 $long-1 other-0 other-1 --json
says "no mean over both" out '"mean":null,"sd":null'
says "each apart" out "{\"model\":\"ompn\",\"runs\":[\"other-0\",\"other-1\"],\"mean\":{\"f1\":"
check "as a table" 0 "$SLOTTAR" eval $long-0 $long-1 other-0 other-1
says "says so" out "different configurations"
check "two means" 0 test "$(grep -c '^mean of 2' out)" = 2
check "no mean of four" 1 grep -q 'mean of 4' out
check "report of two configurations" 0 "$SLOTTAR" report $long-0 $long-1 other-0 other-1 -o page.html -q
says "says so" page.html "different configurations"
check "two means there" 0 test "$(grep -c 'mean of 2 ' page.html)" = 2
check "none of four" 1 grep -q 'mean of 4 ' page.html

# ---- data that is elsewhere
mkdir elsewhere
(cd elsewhere && "$SLOTTAR" eval ../other-0) >out 2>err && not_ok "eval from another folder" || ok "eval from another folder"
says "points at --data" err "--data"
(cd elsewhere && "$SLOTTAR" report ../other-0 -o p.html) >out 2>err && not_ok "report from another folder" || ok "report from another folder"
says "points at --data, too" err "--data"

# ---- files of other kinds
printf '\211PNG\r\n\032\n0000000000000' >picture.safetensors
: >empty.safetensors
echo "just some words in a file" >words.safetensors
check "a picture" 1 "$SLOTTAR" info picture.safetensors
says "says what it looks like" err "looks like a PNG picture; expected"
check "an empty file" 1 "$SLOTTAR" train ompn empty.safetensors
says "says so, and what is expected" err "is empty; expected"
check "words" 1 "$SLOTTAR" info words.safetensors
says "look like text" err "looks like text"

# ---- long episodes; the summary
awk 'BEGIN { print "episode,action"; for (t = 0; t < 65536; t++) print "0," t % 3; for (e = 1; e < 20; e++) for (t = 0; t < 9; t++) print e "," t % 3 }' >long.csv
check "an episode of 65,536 steps" 1 timeout 100 "$SLOTTAR" train slottar-mdl long.csv $small -o long
says "gives the limit and what to do" err "65536 steps, models take 65535 at most; cut it"
awk 'BEGIN { print "episode,action"; for (e = 0; e < 12; e++) for (t = 0; t < 5000; t++) print e "," (t % 2) }' >wide.csv
check "segments of 5,000 steps" 0 timeout 300 "$SLOTTAR" segment wide.csv --restarts 1 steps=1 hidden=4 batch=2 prior=1 --min-length 5000 --limit 3 -o wide.jsonl
says "only those that are asked for" out "3 trajectories"
says "lengths are not cut" out "5000"

# ---- a prefix with a space
make -n -C "$(dirname "$0")/../.." install PREFIX="/a b" >out 2>err
says "make install PREFIX='/a b'" out 'CMAKE_INSTALL_PREFIX="/a b"'
plan
