#!/usr/bin/env bash
# skills: types of segments from labels and from a model; segment and eval have them too.
# sanitizers: too long
. "$(dirname "$0")/tap.sh"
"$SLOTTAR" collect doorkey --split 200,20,40 -o data.safetensors -q >/dev/null

check "types from labels" 0 "$SLOTTAR" skills data.safetensors
says "every name is a type" out "accuracy 100.00, purity 100.00, NMI 100.00; 3 types, 3 names"
says "says what was told" out "boundaries told labels"
says "a type has its effect" out "toggle, cell 26"
check "as JSON" 0 "$SLOTTAR" skills data.safetensors --json
says "with scores" out '"scores":{"accuracy":1,'

"$SLOTTAR" train slottar-mdl data.safetensors prior=3 steps=300 -o run -q >/dev/null
check "segments with types" 0 "$SLOTTAR" segment run data.safetensors --split test
says "a type per segment" out '"segments":3,'
grep -qE '"types":\[[0-9-]+,[0-9-]+,[0-9-]+\]' out && ok "in every line" || not_ok "in every line"
[ -f run/types.safetensors ] && ok "kept in the run" || not_ok "kept in the run"
cp out first.jsonl; cp run/types.safetensors kept
mv data.safetensors moved.safetensors
check "types do not need the data again" 0 "$SLOTTAR" segment run moved.safetensors --split test
cmp -s out first.jsonl && ok "and are the same" || not_ok "and are the same"
check "a table" 0 "$SLOTTAR" segment run moved.safetensors --split test -o all.csv
[ "$(head -1 all.csv)" = "episode,step,segment,type" ] && ok "has a column for them" || not_ok "has a column for them"
check "types from a model" 0 "$SLOTTAR" skills moved.safetensors run
says "told nothing" out "boundaries told nothing"
check "eval" 0 "$SLOTTAR" eval run moved.safetensors --json
says "scores types" out '"types":{"accuracy":'

check "split by type" 0 "$SLOTTAR" segment run moved.safetensors --split-by-type -o split.csv
check "and in skills" 0 "$SLOTTAR" skills moved.safetensors run --split-by-type
check "labels are not split" 2 "$SLOTTAR" skills moved.safetensors --split-by-type
says "says why" err "for boundaries that the model of a RUN finds"

check "sub-policies" 0 "$SLOTTAR" skills moved.safetensors --hidden 16 -o skills.safetensors
says "say how well they imitate" out "imitation of held-out segments"
check "are kept" 1 "$SLOTTAR" skills moved.safetensors -o skills.safetensors
says "unless forced" err "skills.safetensors"
check "never over the input" 1 "$SLOTTAR" skills moved.safetensors -o moved.safetensors -f
check "of a model's segments" 0 "$SLOTTAR" skills moved.safetensors run --hidden 16 -o found.safetensors --json
says "as JSON" out '"skills":[{"skill":0,'

check "they play" 0 "$SLOTTAR" collect doorkey --expert skills.safetensors --episodes 3 -o played.safetensors
says "and say how often a skill reaches its effect" out "all skills: "
check "as JSON" 0 "$SLOTTAR" collect doorkey --expert skills.safetensors --episodes 3 -o played.safetensors -f --json
says "per skill" out '"skills":[{"skill":0,"starts":'
check "step by step" 0 sh -c 'printf eeerq | "$0" play MiniGrid-DoorKey-8x8-v0 --expert skills.safetensors' "$SLOTTAR"
says "shows the present skill" out "skill 0  step 3 of it"
check "a planner" 0 sh -c 'printf eq | "$0" play MiniGrid-DoorKey-8x8-v0 --expert bot' "$SLOTTAR"
grep -q '^skill' out && not_ok "shows none" || ok "shows none"
check "keys are the expert's alone" 0 sh -c 'printf fpq | "$0" play MiniGrid-DoorKey-8x8-v0 --expert bot' "$SLOTTAR"
grep -q '^step 1 ' out && not_ok "others do nothing" || ok "others do nothing"
check "not in other worlds" 1 "$SLOTTAR" play makebedfull-v0 --expert skills.safetensors </dev/null
says "which is said" err "the skills know 7 actions"
check "an episode has no expert" 2 "$SLOTTAR" play moved.safetensors --expert bot </dev/null
check "others have no skills" 0 "$SLOTTAR" collect doorkey --episodes 3 -o played.safetensors -f --json
grep -q '"skills"' out && not_ok "in their JSON" || ok "in their JSON"

# types of another checkpoint are not used; damaged ones are refused
rm run/types.safetensors
check "without data" 0 "$SLOTTAR" segment run moved.safetensors --split test
grep -q '"types"' out && not_ok "there are no types" || ok "there are no types"
check "nothing to split by" 1 "$SLOTTAR" segment run moved.safetensors --split-by-type
says "is said" err "no types by effect to split segments by"
head -c 100 kept >run/types.safetensors
check "a cut file" 1 "$SLOTTAR" segment run moved.safetensors --split test
says "is named" err "run/types.safetensors"
check "no labels" 1 "$SLOTTAR" skills run/types.safetensors
plan
