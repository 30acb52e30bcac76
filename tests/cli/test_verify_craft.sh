#!/usr/bin/env bash
# The golden Craft files: no mismatch, whatever their names; a changed trace is noticed. One call for
# all files of a kind: a process is dear under the sanitizers.
. "$(dirname "$0")/tap.sh"
craft=$GOLDEN/craft
mkdir same other
number=0
for file in "$craft"/bot_* "$craft"/random_policy* "$craft"/custom_maps* "$craft"/outcomes* "$craft"/paths* "$craft"/rng*; do
    number=$((number + 1))
    cp "$file" "same/$number"
done
check "there are 12 golden files" 0 test $number = 12
check "all agree" 0 "$SLOTTAR" verify same/* --json
cp out report
for i in $(seq $number); do says "file $i was compared" report "{\"file\":\"same/$i\",\"kind\":"; done
check "no mismatch anywhere" 0 test "$(grep -c '"mismatches":0,"max_error":0}$' report)" = 12
check "nothing was left out" 1 grep '"checked":0,' report

# change FILE SED-SCRIPT: makes an altered copy, one more file of other/
number=0
change() {
    number=$((number + 1))
    case $1 in *.gz) gzip -dc "$craft/$1" ;; *) cat "$craft/$1" ;; esac >plain
    sed "$2" plain >"other/$number"
    if cmp -s plain "other/$number"; then not_ok "$1: $2 changes nothing"; fi
}
change bot_makebed_full.jsonl.gz '1s/"rewards":\[0/"rewards":[1/'
change bot_makebed_full.jsonl.gz '20s/"recorded_actions":\[[0-9]/"recorded_actions":[5/'
change bot_makeaxe_partial.jsonl.gz '2s/"obs":\[\[[01],/"obs":[[2,/'
change bot_makeshears_full.jsonl.gz '1s/"seed":[0-9]*/"seed":77/'
change outcomes.tsv.gz '100s/S/T/'
change paths.jsonl '1s/"path":\[\[7/"path":[[6/'
change rng.json 's/2357136044/2357136045/'
found=$number
check "changes are mismatches" 1 "$SLOTTAR" verify other/*
cp out report
for i in $(seq $found); do check "file $i differs" 0 grep -qE "^other/$i .* mismatches [1-9]" report; done
says "a reward" report "line 1: rewards is 0, not 1"
says "a recorded action" report "line 20: recorded_actions"
says "a feature" report "line 2: obs"
says "a seed" report "line 1: the seed's map"
says "an outcome" report "outcome is 'S', not 'T'"
says "a path" report "line 1: cell of the path is 77, not 67"
says "a random number" report "seed 0: np_uint32 is 2357136044, not 2357136045"

rm other/*
change random_policy.jsonl.gz '1s/"dir":[0-9]/"dir":9/'
change custom_maps.jsonl.gz '1s/"policy":"custom"/"policy":"random"/'
change custom_maps.jsonl.gz '4s/"grid":\["1/"grid":["0/'
change outcomes.tsv.gz '7s/partial\|full/empty/'
gzip -dc "$craft/bot_makebed_full.jsonl.gz" | head -c 5000 >other/cut
echo '{"env_id":8,"inv_changes":[],"task":5}' >other/odd
check "what is no golden file is refused" 1 "$SLOTTAR" verify other/*
says "a direction" err "line 1: field 'dir' is 9"
says "a policy" err "line 1: field 'policy'"
says "a hole in the ring" err "line 4: grid cell (0, 0)"
says "a kind of sight" err "line 7 is no outcome"
says "a cut file" err "other/cut: bad JSON line"
says "a strange record" err "other/odd: line 1: field 'task'"
check "nothing of it is reported" 0 test "$(wc -c <out)" = 0
plan
