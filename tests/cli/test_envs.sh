#!/usr/bin/env bash
# slottar envs and slottar bench envs.
. "$(dirname "$0")/tap.sh"
check "envs" 0 "$SLOTTAR" envs
mv out table
says "lists Craft" table "makebedfull-v0"
check "Craft has 26 environments of 1075 bytes" 0 test "$(grep -cE '^(get|make)[a-z]+-v0 +6  1075 +64$' table)" = 26
check "envs as JSON" 0 "$SLOTTAR" envs --json
says "with all fields" out '{"id":"makebed-v0","actions":6,"action_names":["down","up","left","right","use","done"],"observation_shape":[1075],"step_limit":64}'
check "as many rows as the table" 0 test "$(grep -c '"id"' out)" = "$(($(wc -l <table) - 1))"

check "bench envs" 0 "$SLOTTAR" bench envs makebed --ms 5 --threads 1
check "a head and two rows" 0 test "$(grep -c 'million steps/s' out)/$(wc -l <out)" = 2/3
check "bench envs as JSON" 0 "$SLOTTAR" bench envs makebedfull --ms 5 --threads 1 --json
says "has a head" out '"threads":1,"device":"cpu","peak_gflops":'
says "has a rate" out '{"name":"makebedfull-v0","steps_per_s":'
check "no such environment" 2 "$SLOTTAR" bench envs nowhere --threads 1
says "said so" err "no measurement has that name"
check "no such section" 2 "$SLOTTAR" bench frobs
says "named" err "frobs"
plan
