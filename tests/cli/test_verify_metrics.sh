#!/usr/bin/env bash
# slottar verify on the golden metrics: everything agrees, a file is known by its content, and one
# changed value is found.
. "$(dirname "$0")/tap.sh"
models="$GOLDEN/models/metrics.json" craft="$GOLDEN/craft/metrics.jsonl"

check "both files agree" 0 "$SLOTTAR" verify --json "$models" "$craft"
says "all of models/metrics.json is compared" out '"kind":"metrics","checked":9021,"mismatches":0'
says "all of craft/metrics.jsonl is compared" out '"kind":"craft metrics","checked":4112,"mismatches":0'

cp "$models" first.bin && gzip -c "$craft" >second
check "known under any name, packed or not" 0 "$SLOTTAR" verify first.bin second

# changed NAME EXPRESSION FILE WORDS: one value is changed (once), verify finds it and says where
changed() {
    sed "0,/$2/s/$2/$3/" "$4" >changed.json
    if cmp -s "$4" changed.json; then not_ok "$1: nothing was changed"; return; fi
    check "$1" 1 "$SLOTTAR" verify changed.json
    says "$1, with words" out "$5"
}
changed "a changed F1" '"f1": *0.6153846153846154' '"f1":0.6153846170' "$models" "segmentation 0: f1 is 0.615384615, not 0.615384617"
changed "a changed boundary" '"gt_boundaries": *\[0' '"gt_boundaries":[1' "$models" "segmentation 0: gt_boundaries[0] is 0, not 1"
changed "a changed access" '"fa": *[0-9]' '"fa":1' "$models" "access 0: fa is"
changed "a changed end" '"ends": *\[1' '"ends":[2' "$models" "ompn_ids"
changed "a changed count of segments" '"num_segments": *7' '"num_segments":8' "$models" "ground_truth 0: num_segments is 7, not 8"
changed "a changed clean score" '"clean_align":1.0' '"clean_align":0.9' "$craft" "clean_align is 1, not 0.9"
changed "a changed mask" '"masks":\[\[1.0' '"masks":[[-1.0' "$craft" "line 1: pred_ids"

# damaged files are refused, not believed
sed '0,/"masks":\[\[1.0,/s//"masks":[[/' "$craft" >ragged.json
check "rows of two lengths" 1 "$SLOTTAR" verify ragged.json
says "names the field" err "'masks'"
sed '0,/"length":10/s//"length":1000000000/' "$craft" >long.json
check "an absurd length" 1 "$SLOTTAR" verify long.json
says "names the length" err "'length'"
head -c 3000 "$craft" >cut.json
check "a cut line" 1 "$SLOTTAR" verify cut.json
plan
