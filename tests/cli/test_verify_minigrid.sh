#!/usr/bin/env bash
# slottar verify on the MiniGrid golden files: all agree, known by content, damage is found.
. "$(dirname "$0")/tap.sh"
golden=$GOLDEN/minigrid

# agrees NAME FILE KIND LEAST: no mismatch, at least LEAST values compared
agrees() {
    check "$1" 0 "$SLOTTAR" verify --json "$2"
    says "$1: its kind" out "\"kind\":\"$3\""
    says "$1: no mismatch" out '"mismatches":0,'
    checked=$(sed 's/.*"checked":\([0-9]*\).*/\1/' out)
    if [ "$checked" -ge "$4" ]; then ok "$1: $checked values"; else not_ok "$1: only $checked values"; fi
}
agrees "random numbers" "$golden/rng_vectors.json" numpy-rng 5500
agrees "layouts" "$golden/layouts.jsonl.gz" minigrid-layouts 25000
agrees "traces" "$golden/traces.jsonl.gz" minigrid-traces 970000
agrees "layouts of rooms without things" "$golden/layouts_open.jsonl.gz" minigrid-layouts 3000
agrees "traces in them" "$golden/traces_open.jsonl.gz" minigrid-traces 60000

# under any name, packed or not
cp "$golden/rng_vectors.json" a
cp "$golden/layouts.jsonl.gz" b
gzip -dc "$golden/traces.jsonl.gz" >c
agrees "random numbers under another name" a numpy-rng 5500
agrees "layouts under another name" b minigrid-layouts 25000
agrees "traces unpacked" c minigrid-traces 970000
head -1 c >one
agrees "a single line" one minigrid-traces 1000

# differs NAME FILE WHAT EXPRESSION: a change by sed is found and named
differs() {
    sed "$4" "$2" >changed
    if cmp -s "$2" changed; then not_ok "$1: nothing was changed"; return; fi
    check "$1" 1 "$SLOTTAR" verify changed
    says "$1: counted" out "mismatches 1 "
    says "$1: named" out "$3"
}
gzip -dc "$golden/layouts.jsonl.gz" >layouts
differs "an output of the generator" a raw64 '0,/a30febcfd9c2825f/s//a30febcfd9c2825e/'
differs "a generator's state" layouts pcg_state '0,/1c7d5cf055830071/s//1c7d5cf055830072/'
differs "an agent's start" layouts "start is" '0,/"start":\[3,1,3\]/s//"start":[3,1,2]/'
differs "an observation" c "observation's CRC" '1s/d9276425/d9276424/'
differs "a place" c "place and direction" '1s/"pos_dir":"010610/"pos_dir":"010620/'
differs "the last bit of a reward" c "reward is" '1s/0x1.ea66666666666p-1/0x1.ea66666666667p-1/'
differs "a carried object" c "carried object" '1s/"11":\[5,4,0\]/"11":[5,3,0]/'
differs "an end" c "terminated is" '1s/"terminated":29/"terminated":28/'
differs "the grid at the end" c grid_end_crc '1s/739dbdfe/739dbdff/'

# damage is a failure, not a mismatch
sed '1s/"grid":"eNpj/"grid":"eNqj/' c >changed
check "a damaged field" 1 "$SLOTTAR" verify changed
says "names what is damaged" err "packed field"
sed '1s/"actions":"00/"actions":"0/' c >changed
check "lists of different lengths" 1 "$SLOTTAR" verify changed
says "names the lists" err "other lengths"
sed '2s/"resets"/"rests"/' layouts >changed
check "a line without resets" 1 "$SLOTTAR" verify changed
says "says so" err "no resets"
sed '0,/"raw64"/s//"raw"/' a >changed
check "a missing list" 1 "$SLOTTAR" verify changed
says "names the list" err "no list 'raw64'"
sed 's/MiniGrid-DoorKey-8x8-v0/MiniGrid-Nowhere-v0/' one >changed
check "an unknown id" 1 "$SLOTTAR" verify changed
says "names the id" err "Nowhere"
plan
