#!/usr/bin/env bash
# The user's files: columns of csv files and keys of HDF5 files by pattern, cameras, and labels back
# into what the data came from.
. "$(dirname "$0")/tap.sh"
awk 'BEGIN { print "demo,a0,gripper,q0,q1"
    for (d = 0; d < 12; d++) for (t = 0; t < 20; t++)
        printf "demo_%d,%.3f,%d,%d,%.2f\n", d, (t % 7) / 7 - 0.3, (t > 9), t, d / 2 }' >joints.csv
check "info of chosen columns" 0 "$SLOTTAR" info joints.csv --actions 'a*,gripper' --observations 'q*' --episode demo
says "names the numbers" out "gripper  binary, 0 or 1"
says "continuous" out "a0  -0.3 to"
says "observations" out "observations: f32 [2] q0 q1"
says "episodes by name" out "12 episodes, 240 steps"
check "convert" 0 "$SLOTTAR" convert joints.csv joints.safetensors --actions 'a*,gripper' --episode demo
check "names are kept" 0 "$SLOTTAR" info joints.safetensors
says "in the native file" out "gripper  binary"
check "no column" 1 "$SLOTTAR" info joints.csv --actions 'x*' --episode demo
says "says which there are" err "no column matches --actions 'x*'; there are demo, a0, gripper, q0, q1"
check "columns of a native file" 1 "$SLOTTAR" info joints.safetensors --actions 'a*'
says "are not chosen" err "columns are chosen in csv and HDF5 files"
check "slottar-mdl takes discrete actions" 1 "$SLOTTAR" train slottar-mdl joints.csv --actions 'a*,gripper' --episode demo -o none
says "by name" err "slottar-mdl takes discrete actions; slottar, compile and ompn take both"
check "a rule does not crash" 1 "$SLOTTAR" eval --rule surprise joints.csv --actions 'a*,gripper' --episode demo
# the action jumps at every boundary, and by less inside
awk 'BEGIN { print "episode,action,segment"
    for (d = 0; d < 12; d++) for (t = 0; t < 20; t++) printf "%d,%.3f,%d\n", d, int(t / 5) * 0.7 + (t % 3) * 0.1, t / 5 }' >steps.csv
check "jumps, told the number" 0 "$SLOTTAR" eval --rule jump steps.csv --split train --json
says "says so" out '"told":"count","told_count":true,'
says "and finds them" out '"f1_one":1,'
check "jumps, not told" 0 "$SLOTTAR" eval --rule jump-threshold steps.csv --split train --json
says "says so" out '"told":"nothing","told_count":false,'
says "and finds them" out '"f1_one":1,'
check "a short training" 0 "$SLOTTAR" train slottar steps.csv epochs=1 hidden=8 heads=1 slot_size=8 slots=4 -o steps -q
says "the baseline doubts it" steps/result.json "the largest jumps of the action are elsewhere"
check "and is in the table" 0 "$SLOTTAR" eval steps steps.csv --split train -q
says "without the rules that do not fit" out "left out, they do not take actions of this kind: rarest, surprise, delimiter"
printf 'episode,action\n0,0.691\n0,-0.425\n0,0.1\n' >fraction.csv
check "a fraction is no class" 0 "$SLOTTAR" info fraction.csv
says "but continuous" out "actions: continuous, 1 number"
printf 'episode,action\n0,0.5\n0,nan\n' >nan.csv
check "NaN" 1 "$SLOTTAR" info nan.csv
says "by line and column" err "nan.csv:3: column 'action': 'nan' is no number"

# a camera
check "a camera is left out" 0 "$SLOTTAR" info "$GOLDEN/formats/camera.hdf5"
says "with a note" err "left out the pictures obs/agentview_image; --observations"
says "numbers stay" out "observations: f32 [3] gripper joint[0] joint[1]"
check "quiet" 0 "$SLOTTAR" info "$GOLDEN/formats/camera.hdf5" -q
check "is quiet" 1 test -s err
check "unless asked for" 0 "$SLOTTAR" info "$GOLDEN/formats/camera.hdf5" --observations agentview_image
says "the picture" out "observations: u8 [84,84,3]"

# discrete actions in a column of another name: trained, judged and labelled with one choice
awk 'BEGIN { print "demo,move,segment"
    for (d = 0; d < 20; d++) for (t = 0; t < 12; t++)
        printf "%d,%d,%d\n", d, t % 4 == 3 ? 3 : (t * 7 + d) % 3, t / 4 }' >moves.csv
check "discrete actions do not jump" 1 "$SLOTTAR" eval --rule jump moves.csv --actions move --episode demo --split train
says "which is said" err "its actions are discrete; the rule jump takes continuous ones"
train() { "$SLOTTAR" train slottar moves.csv --actions "$1" --episode demo epochs=1 hidden=8 heads=1 slot_size=8 slots=4 -o run -q; }
check "a run with chosen columns" 0 train move
check "continues with the same" 0 train move
check "not with others" 1 train 'mov*'
says "which are other data" err "data_crc32c"
check "a run knows its columns" 0 "$SLOTTAR" eval run --split train
check "labels go back into a copy" 0 "$SLOTTAR" segment run moves.csv --actions move --episode demo -o labelled/
check "with all rows" 0 test "$(wc -l <labelled/moves.csv)" = 241
check "and columns" 0 grep -qx demo,move,segment labelled/moves.csv
check "never over the source" 1 "$SLOTTAR" segment run moves.csv --actions move --episode demo -o ./
says "which is said" err "would write over the input"
plan
