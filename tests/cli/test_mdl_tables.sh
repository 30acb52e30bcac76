#!/usr/bin/env bash
# lab/mdl-tables: a line per run, tables, going on where it stopped, refusals.
# sanitizers: too long
. "$(dirname "$0")/tap.sh"
tool=$(cd "$(dirname "$0")/../.." && pwd)/lab/mdl-tables
if ! command -v python3 >/dev/null; then skip "the tables of docs/mdl.md" "no python3"; plan; fi
tables() { "$tool" "$@" --slottar "$SLOTTAR" --tiny --groups 1 --repeats 1 --restarts 2 --singles 2 -j 2; }
lines() { wc -l <"$1/results.jsonl"; }

check "runs on DoorKey without labels" 0 tables a --tables first
[ "$(lines a)" = 2 ] && ok "a line per run" || not_ok "a line per run"
python3 - a <<'P' && ok "the file has no labels, its scores are there" || not_ok "the file has no labels, its scores are there"
import json, struct, sys
data = open(sys.argv[1] + "/data/doorkey-0-small-plain.safetensors", "rb").read()
assert "segment" not in json.loads(data[8:8 + struct.unpack("<Q", data[:8])[0]])
for line in map(json.loads, open(sys.argv[1] + "/results.jsonl")):
    assert 0 <= line["f1"] <= 1 and line["cpu"] > 0 and "warning" in line and line["gap"] is not None
P
says "a summary" a/summary.md "wrong number, 2 runs: "
cp a/results.jsonl before
check "again: nothing is left to do" 0 tables a --tables first
cmp -s before a/results.jsonl && ok "no line is new" || not_ok "no line is new"

# a line that was lost is made again from the run, to the same numbers
head -n 1 before >a/results.jsonl
check "a lost line" 0 tables a --tables first
strip() { sed 's/"cpu": [0-9.]*, //' "$1" | sort; }
[ "$(strip before)" = "$(strip a/results.jsonl)" ] && ok "comes back" || not_ok "comes back"

check "single runs" 0 tables b --tables six,single --heads action
[ "$(lines b)" = 30 ] && ok "beside groups" || not_ok "beside groups"
says "are counted" b/summary.md "of 8 |"
check "some of them" 0 tables f --tables random --heads action --only 'doorkey-action-110[02]'
[ "$(lines f)" = 2 ] && ok "by their names" || not_ok "by their names"
says "from a random start" f/summary.md "| doorkey action | - | - | "
check "codes" 0 tables e --tables codes
[ "$(lines e)" = 3 ] && ok "of three prices" || not_ok "of three prices"
says "and how well they recognise" e/summary.md "| code_cost=0.1 |"
check "no time at all" 0 tables c --tables first --seconds 1e-9
says "still ends with tables" c/summary.md "## The warning"
check "an unknown table" 2 tables d --tables none
says "is refused" err "no table none"
plan
