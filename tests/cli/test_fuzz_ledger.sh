#!/usr/bin/env bash
# The ledger of tools/fuzz: what targets say they did is added up, a finding fails and is counted. Two
# scripts stand in for targets of libFuzzer.
. "$(dirname "$0")/tap.sh"
fuzz=$(cd "$(dirname "$0")/../../tools" && pwd)/fuzz
export BUILT=$PWD/built LEDGER=$PWD/ledger.tsv
mkdir -p built/tests
cat >built/tests/fuzz_calm <<'S'
#!/bin/sh
echo "stat::number_of_executed_units: 500" >&2
S
cat >built/tests/fuzz_wild <<'S'
#!/bin/sh
echo "stat::number_of_executed_units: 7" >&2
echo "SUMMARY: libFuzzer: deadly signal" >&2
exit 77
S
chmod +x built/tests/fuzz_*
check "a calm target" 0 "$fuzz" 1s calm
says "is told" out "calm: 0 s, 500 executions"
check "once more" 0 "$fuzz" 1s calm
check "a target with a finding fails" 1 "$fuzz" 1s
says "and is told with its words" out "wild: 0 s, 7 executions, a FINDING"
says "from its log" out "SUMMARY: libFuzzer: deadly signal"
check "the ledger" 0 "$fuzz" ledger
says "adds up executions" out " 1500 executions  0 findings"
says "counts findings" out " 7 executions  1 findings"
says "has a last line" out "2 targets, 0.0 hours"

# turns go to those that had the least; a finding ends a target's turns
printf 'calm\tvax\t90\t10\t0\nwild\tvax\t80\t10\t0\n' >turns.tsv
check "turns" 1 env LEDGER="$PWD/turns.tsv" "$fuzz" turns 1
head -1 out >first && grep -c '^wild: ' out >turns
says "begin with the least" first "wild: 0 s"
check "and leave out what found something" 0 test "$(cat turns)" = 1

# what another machine brought
rm built/tests/fuzz_wild
mkdir other && printf 'calm\tvax\t3600\t10\t2\ncalm\tvax\t3600\t10\t0\n' >other/ledger.tsv
check "a ledger from elsewhere" 0 "$fuzz" merge "$PWD/other"
check "is taken over" 0 "$fuzz" ledger
says "in a line of its own" out "calm         vax         7200 s           20 executions  2 findings"
plan
