#!/usr/bin/env bash
# info and convert: what they print, and what they say about bad files.
. "$(dirname "$0")/tap.sh"
printf 'episode,action,x,segment\n0,left,1,0\n0,right,-1,0\n0,left,0,1\n5,up,3,0\n' >a.csv
check "csv to native" 0 "$SLOTTAR" convert a.csv a.safetensors
check "native to npz" 0 "$SLOTTAR" convert a.safetensors a.npz
check "npz to native" 0 "$SLOTTAR" convert a.npz b.safetensors
check "the same bytes" 0 cmp a.safetensors b.safetensors
check "info" 0 "$SLOTTAR" info a.safetensors
says "counts" out "2 episodes, 4 steps, longest 3"
says "names of actions" out "left right up"
says "a bar" out "1        1 ####"
check "info of npz as JSON" 0 "$SLOTTAR" info a.npz --json
says "histogram" out '"lengths":{"least":1,"most":3,"mean":2,"sd":1,"low":1,"width":1,"bins":[1,0,1]}'
check "info of other tensors" 0 "$SLOTTAR" info "$GOLDEN/formats/python.safetensors"
says "a tensor" out "w.kernel"
says "their number" out "9 tensors, 51 bytes"
check "info of other tensors as JSON" 0 "$SLOTTAR" info "$GOLDEN/formats/python.safetensors" --json
says "a tensor in JSON" out '{"name":"w.kernel","dtype":"F32","shape":[2,3],"bytes":24}'
check "to a Minari folder" 0 "$SLOTTAR" convert a.safetensors demo/
train() { "$SLOTTAR" train slottar "$1" epochs=1 hidden=8 heads=1 slot_size=8 -o run -q; }
check "which can be trained on" 0 train demo
check "and gone on with" 0 train demo/
check "but not with other data" 1 train a.safetensors
says "which is told by its checksum" err "data_crc32c"

# names of sub-tasks: from csv, through npz and Minari and back
printf 'episode,action,x,segment,subtask\n0,left,1,0,get key\n0,right,2,0,get key\n0,left,0,1,\n5,up,3,0,open\n' >named.csv
check "names of sub-tasks from csv" 0 "$SLOTTAR" convert named.csv named.safetensors
check "to npz" 0 "$SLOTTAR" convert named.safetensors named.npz
check "and back" 0 "$SLOTTAR" convert named.npz again.safetensors
check "the same bytes with names" 0 cmp named.safetensors again.safetensors
check "to Minari" 0 "$SLOTTAR" convert named.safetensors named/
check "and back from there" 0 "$SLOTTAR" convert named/ minari.safetensors
for file in named minari; do
    grep -aq '"subtask_names":"get key,open"' $file.safetensors && ok "$file has the names" || not_ok "$file has the names"
    check "types of $file" 0 "$SLOTTAR" skills $file.safetensors --split train
    says "are scored against them" out "2 names, 2 segments"
done
printf 'episode,action,segment,subtask\n0,left,0,"a,b"\n' >comma.csv
check "a comma in a name" 1 "$SLOTTAR" convert comma.csv comma.safetensors
says "is no name" err "is no name of a sub-task"

head -c 100 a.safetensors >cut.safetensors
check "a cut file" 1 "$SLOTTAR" info cut.safetensors
says "names the file" err "cut.safetensors: header length"
check "no file" 1 "$SLOTTAR" info none.safetensors
says "says so" err "none.safetensors: No such file"
check "a folder" 1 "$SLOTTAR" info .
check "an output that cannot be" 1 "$SLOTTAR" convert a.csv a.txt
says "says what can" err ".safetensors"
check "an output folder that is not there" 1 "$SLOTTAR" convert a.csv none/a.safetensors
says "names it" err "none/a.safetensors"
check "nothing is left behind" 0 test -z "$(find . \( -name '*.??????' -o -name '*.part-*' \) -newer a.csv ! -name '*.safetensors' ! -name '*.npz' ! -name '*.csv')"
plan
