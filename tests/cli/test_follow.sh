#!/usr/bin/env bash
# segment RUN --follow: the boundaries of `segment RUN DATA`, line by line; a FIFO; nonsense, half lines, no newline, signals; the example.
. "$(dirname "$0")/tap.sh"
python() { # NAME: a script on standard input that must succeed
    if ! command -v python3 >/dev/null; then skip "$1" "no python3"; return; fi
    if python3 - >python.out 2>&1; then ok "$1"; else not_ok "$1"; sed 's/^/# /' python.out; fi
}
# episodes of three phases, as columns and as steps
moves() { # EPISODES SEED csv|jsonl
    awk -v episodes="$1" -v seed="$2" -v form="$3" 'BEGIN { srand(seed); if (form == "csv") print "demo,ax,ay,qx"
        for (e = 0; e < episodes; e++) { x = 0
            for (s = 0; s < 3; s++) { n = 8 + int(6 * rand()); for (t = 0; t < n; t++) {
                vx = (s == 0 ? 0.8 : s == 1 ? -0.5 : 0.1) + 0.05 * (rand() - 0.5); vy = (s == 0 ? 0.2 : s == 1 ? 0.9 : -0.7) + 0.05 * (rand() - 0.5); x += vx / 10
                if (form == "csv") printf "%d,%.4f,%.4f,%.4f\n", e, vx, vy, x
                else printf "{\"observation\":[%.4f],\"action\":[%.4f,%.4f]%s}\n", x, vx, vy, s == 2 && t == n - 1 ? ",\"end\":true" : "" } } } }'
}
moves 20 1 csv >moves.csv
moves 20 1 jsonl >moves.jsonl
columns=(--actions 'a*' --observations 'q*' --episode demo)
"$SLOTTAR" segment moves.csv "${columns[@]}" --runs 8 --run a -o a.jsonl -q
follow() { "$SLOTTAR" segment a --follow "$@"; }

check "steps from standard input" 0 follow --lag 16 <moves.jsonl
cp out followed
python "the boundaries of all episodes at once" <<'P'
import json
offline = [json.loads(line) for line in open("a.jsonl")]
lines = [json.loads(line) for line in open("followed")]
for one in offline:
    mine = [line for line in lines if line["episode"] == one["episode"]]
    steps, end = mine[:-1], mine[-1]
    assert [line["step"] for line in steps] == list(range(one["length"])), steps
    assert all({"probability", "segment", "type", "decided"} <= set(line) for line in steps)
    final = [line["boundary"] for line in steps if "boundary" in line] + end["boundaries"]
    assert [b["step"] for b in final] == one["boundaries"], (final, one)
    assert [b["type"] for b in final] + [end["type"]] == one["types"], (final, one)
    assert all(abs(b["confidence"] - c) < 2e-4 for b, c in zip(final, one["confidence"]))
    assert end["length"] == one["length"] and end["segments"] == one["segments"]
assert lines[-1]["episode"] == 19
P

# every line is answered at once
mkfifo steps
(follow steps --lag 0 >answers 2>err) &
pid=$!
exec 3>steps
head -n 1 moves.jsonl >&3
for _ in $(seq 100); do [ -s answers ] && break; sleep 0.05; done
says "a FIFO: the first step is answered before the second comes" answers '{"episode":0,"step":0,'
exec 3>&-
wait $pid && ok "and it ends with its input" || not_ok "and it ends with its input"
says "which ends the episode" answers '{"episode":0,"length":1,"segments":1,'

# nonsense
{ head -n 3 moves.jsonl; printf '%s\n' nonsense '' '{"observation":[1]}' '{"observation":[1],"action":[1,"x"]}' '{"obs":1}' '[[[[[[[[[[[[' '{"observation":[1],"action":[1e999,0]}'
  printf '\0\377\n{"end":true}\n{"observation":[1],"acti'; } >hostile
check "lines that are no steps" 1 follow <hostile
[ "$(grep -c '"step":' out)" = 3 ] && ok "leave the others as they are" || not_ok "leave the others as they are"
[ "$(grep -c '"error":' out)" = 8 ] && ok "and are answered each" || { not_ok "and are answered each"; sed 's/^/# /' out; }
says "with their number and a reason" out '{"line":4,"error":"a step: bad JSON'
says "numbers that are missing" out '{"line":6,"error":"no \"action\"; the model takes 2 numbers"}'
says "no number" out '{"line":7,"error":"\"action\" holds something that is no number"}'
says "a key" out '{"line":8,"error":"unknown key \"obs\"'
says "half a line" out '{"line":13,"error":"a step: bad JSON'
says "a sentence at the end" err "8 of 13 lines were no steps and were left out; line 4: "
says "the episode ended where it said" out '{"episode":0,"length":3,'

# 1 GB without a newline, in little memory
most=600000 # KiB of addresses; the sanitizers reserve terabytes
nm "$SLOTTAR" 2>/dev/null | grep -qE '__(asan|tsan)_' && most=unlimited
(ulimit -v $most; head -c 1000000000 /dev/zero | tr '\0' 7 | follow --threads 1 >out 2>err); code=$?
[ $code = 1 ] && ok "1 GB without a newline" || not_ok "1 GB without a newline"
says "is one line that is too long" out '{"line":1,"error":"longer than 65728 bytes: no step of this model"}'

# a signal
mkfifo more
(exec "$SLOTTAR" segment a more --follow >answers 2>err) &
pid=$!
exec 3>more
head -n 2 moves.jsonl >&3
for _ in $(seq 100); do [ -s answers ] && break; sleep 0.05; done
kill -TERM $pid
wait $pid; code=$?
exec 3>&-
[ $code = 75 ] && ok "a signal ends it" || { not_ok "a signal ends it"; echo "# $code"; }
says "with a sentence" err "stopped after 2 lines"
says "and the end of the episode" answers '"length":2'

# usage
check "no run" 1 "$SLOTTAR" segment nowhere --follow </dev/null
says "is named" err "nowhere"
check "an input that is not there" 1 follow nowhere.jsonl
says "is named, too" err "nowhere.jsonl"
check "flags of other uses" 2 follow -o x.jsonl
says "by name" err "--output does not go with --follow"
check "a lag that is none" 2 follow --lag -1
check "options of training" 2 follow prior=3
check "lag without follow" 2 "$SLOTTAR" segment a moves.csv --lag 3
says "is told so" err "go with --follow"

# models that cannot
"$SLOTTAR" train slottar moves.csv?actions='a*'\&observations='q*'\&episode=demo epochs=1 hidden=8 heads=2 slot_size=8 -o s -q 2>/dev/null
check "SloTTAr needs the whole" 1 "$SLOTTAR" segment s --follow </dev/null
says "and says so" err "slottar finds its segments with a softmax over the whole trajectory"

# the example
"$SLOTTAR" collect doorkey --split 40,10,10 -o d.safetensors -q
"$SLOTTAR" segment d.safetensors --restarts 1 prior=3 steps=40 --run m -o m.jsonl -q
check "the example of a control loop" 0 "$(dirname "$SLOTTAR")/tests/example_control_loop" m MiniGrid-DoorKey-8x8-v0 50
says "counts its steps" out "50 steps, "
check "with a run of another environment" 1 "$(dirname "$SLOTTAR")/tests/example_control_loop" m MiniGrid-Nowhere-v0
plan
