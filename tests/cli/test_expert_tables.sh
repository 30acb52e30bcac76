#!/usr/bin/env bash
# lab/expert-tables: policies, demonstrations, SloTTAr on both; nothing is made twice.
# sanitizers: too long
. "$(dirname "$0")/tap.sh"
tool=$(cd "$(dirname "$0")/../.." && pwd)/lab/expert-tables
if ! command -v python3 >/dev/null; then skip "the tables of docs/experts.md" "no python3"; plan; fi
tables() { "$tool" a --slottar "$SLOTTAR" --tiny --worlds doorkey --split 12,4,4 --threads 1 -j 2 "$@"; }

check "tables" 0 tables
says "with the policy" out "| doorkey | 0 | 61,440 |"
says "what the planner shows" out "| doorkey | planner | "
says "and what the policy does" out "| doorkey | policy | "
cp a/policies.jsonl policies; cp a/sets.jsonl sets
check "again: nothing is left to do" 0 tables
cmp -s policies a/policies.jsonl && cmp -s sets a/sets.jsonl && ok "no line is new" || not_ok "no line is new"
check "an option behind all flags, policies alone" 0 "$tool" b --slottar "$SLOTTAR" --tiny --worlds doorkey --only policies epochs=1
[ ! -e b/sets.jsonl ] && [ -s b/policies.jsonl ] && ok "no set was made" || not_ok "no set was made"
check "an unknown world" 2 tables --worlds nowhere
plan
