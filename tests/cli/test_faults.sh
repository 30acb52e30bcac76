#!/usr/bin/env bash
# Some broken runs of train, collect, convert and sweep end as undisturbed ones ('make faults' runs 500).
# sanitizers: too long
. "$(dirname "$0")/tap.sh"
build=$(dirname "$SLOTTAR") top=$(cd "$(dirname "$0")/../.." && pwd)
check "broken runs go on" 0 "$top/tools/faults" 40 1 "$build"
says "and end as undisturbed ones" out "40 of 40"
[ "$bad" = 0 ] || sed 's/^/# /' out
plan
