#!/usr/bin/env bash
# slottar bench ops: every operation, forward and backward, as a share of the machine's peak.
# sanitizers: too long
. "$(dirname "$0")/tap.sh"
check "bench ops" 0 "$SLOTTAR" bench ops softmax --ms 2 --threads 1
cp out table
says "says the peak" table "1 thread, peak "
check "softmax and softmax_xent, forward and backward, and a head" 0 test "$(wc -l <table)" = 5
says "in words" table "softmax.forward "
check "bench ops as JSON" 0 "$SLOTTAR" bench ops --ms 2 --threads 2 --json
cp out all.json
if command -v python3 >/dev/null; then
    check "is JSON" 0 python3 -c 'import json; json.load(open("all.json"))'
else
    skip "is JSON" "no python3"
fi
check "a product has GFLOP/s and a share" 0 grep -qE '^\{"name":"dense.forward","ms":[0-9.e-]+,"gflops":[0-9.e+-]+,"share_of_peak":[0-9.e-]+\}' all.json
check "the others GB/s" 0 grep -qE '^\{"name":"layer_norm.backward","ms":[0-9.e-]+,"gb_per_s":[0-9.e+-]+,"share_of_peak":[0-9.e-]+\}' all.json
check "every operation has both but those that draw or choose" 0 test "$(grep -c backward all.json)" = "$(grep forward all.json | grep -cvE "noise|uniform|live_rows")"
says "the noise" all.json '"noise.forward"'
says "the numbers of [0,1)" all.json '"uniform.forward"'
says "and the choice of live rows" all.json '"live_rows.forward"'
check "the peak is a number" 0 grep -qE '"peak_gflops":[0-9.]+,"peak_gb_per_s":[0-9.]+' all.json
check "no peak without operations" 0 "$SLOTTAR" bench envs makebed-v0 --ms 2 --threads 1 --json
says "none" out '"peak_gflops":null'
plan
