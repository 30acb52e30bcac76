#!/usr/bin/env bash
# The golden Craft files: no mismatch, whatever their names; a changed trace is noticed.
. "$(dirname "$0")/tap.sh"
craft=$GOLDEN/craft
for file in "$craft"/bot_* "$craft"/random_policy* "$craft"/custom_maps* "$craft"/outcomes* "$craft"/paths* "$craft"/rng*; do
    cp "$file" nameless
    check "$(basename "$file")" 0 "$SLOTTAR" verify nameless --json
    says "$(basename "$file") agrees" out '"mismatches":0,"max_error":0}'
    check "$(basename "$file") was compared" 1 grep -q '"checked":0,' out
done

# change FILE SED-SCRIPT WORDS: the altered copy fails, and the message has the words
change() {
    case $1 in *.gz) gzip -dc "$craft/$1" ;; *) cat "$craft/$1" ;; esac >plain
    sed "$2" plain >changed
    if cmp -s plain changed; then not_ok "$1: $2 changes something"; fi
    check "$1: $2 is noticed" 1 "$SLOTTAR" verify changed
    cat out err >both
    says "$1: $2 in words" both "$3"
}
change bot_makebed_full.jsonl.gz '1s/"rewards":\[0/"rewards":[1/' "line 1: rewards is 0, not 1"
change bot_makebed_full.jsonl.gz '20s/"recorded_actions":\[[0-9]/"recorded_actions":[5/' "line 20: recorded_actions"
change bot_makeaxe_partial.jsonl.gz '2s/"obs":\[\[1,/"obs":[[2,/;2s/"obs":\[\[0,/"obs":[[2,/' "line 2: obs"
change bot_makeshears_full.jsonl.gz '1s/"seed":[0-9]*/"seed":77/' "line 1: the seed's map"
change random_policy.jsonl.gz '1s/"dir":[0-9]/"dir":9/' "field 'dir' is 9"
change custom_maps.jsonl.gz '1s/"policy":"custom"/"policy":"random"/' "field 'policy'"
change custom_maps.jsonl.gz '4s/"grid":\["1/"grid":["0/' "grid cell (0, 0)"
change outcomes.tsv.gz '100s/S/T/' "outcome is 'S', not 'T'"
change outcomes.tsv.gz '7s/partial\|full/empty/' "line 7 is no outcome"
change paths.jsonl '1s/"path":\[\[7/"path":[[6/' "line 1: cell of the path"
change rng.json 's/2357136044/2357136045/' "seed 0: np_uint32 is 2357136044, not 2357136045"

gzip -dc "$craft/bot_makebed_full.jsonl.gz" | head -c 5000 >cut
check "a cut trace is refused" 1 "$SLOTTAR" verify cut
echo '{"env_id":8,"inv_changes":[],"task":5}' >odd
check "a strange record is refused" 1 "$SLOTTAR" verify odd
says "and named" err "odd: line 1: field 'task'"
plan
