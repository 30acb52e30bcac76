#!/usr/bin/env bash
# slottar envs and slottar bench envs.
. "$(dirname "$0")/tap.sh"
check "envs" 0 "$SLOTTAR" envs
says "lists Craft" out "makebedfull-v0"
check "Craft has 26 environments of 1075 bytes" 0 test "$(grep -cE '^(get|make)[a-z]+-v0 +6  1075 +64$' out)" = 26
"$SLOTTAR" envs >table
check "envs as JSON" 0 "$SLOTTAR" envs --json
says "with all fields" out '{"id":"makebed-v0","actions":6,"action_names":["down","up","left","right","use","done"],"observation_shape":[1075],"step_limit":64}'
check "as many rows as the table" 0 test "$(grep -c '"id"' out)" = "$(($(wc -l <table) - 1))"
check "envs takes no arguments" 2 "$SLOTTAR" envs craft

check "bench envs" 0 "$SLOTTAR" bench envs makebed --ms 5 --threads 1
says "in words" out "million steps/s"
check "two rows and a head" 0 test "$(wc -l <out)" = 3
check "bench envs as JSON" 0 "$SLOTTAR" bench envs makebedfull --ms 5 --threads 1 --json
says "has a head" out '"threads":1,"device":"cpu","peak_gflops":'
says "has a rate" out '{"name":"makebedfull-v0","steps_per_s":'
check "no such section" 2 "$SLOTTAR" bench frobs
says "named" err "frobs"
plan
