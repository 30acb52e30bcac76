#!/usr/bin/env bash
# The paper's searches, as they are shipped: every file is read, and one of its configurations trained.
# sanitizers: too long
. "$(dirname "$0")/tap.sh"
examples=$(cd "$(dirname "$0")/../../examples/sweeps" && pwd)
for set in craft-full craft-partial doorkey unlockpickup blockedunlockpickup keycorridor; do
    "$SLOTTAR" collect $set --split 6,3,3 -o $set.safetensors -q >/dev/null
    for model in slottar compile ompn; do
        # seeds=3 and trials=300 are for those who have the time
        check "$model on $set" 0 "$SLOTTAR" sweep "$examples/$model-$set.yaml" -o $model-$set search=random trials=1 seeds=1 epochs=1 --json -q
        grep -q "\"data\":\"$set.safetensors\"\|data: *\"\?$set.safetensors" $model-$set/sweep.yaml out && grep -q "\"score\": *\"f1_align\"" out &&
            ok "$model on $set: its own data and score" || not_ok "$model on $set: its own data and score"
    done
done
[ "$(ls "$examples" | wc -l)" = 18 ] && ok "eighteen searches" || not_ok "eighteen searches"
plan
