#!/usr/bin/env bash
# The tools for machines with a GPU end when the build fails: what they pipe its log into does not
# hide it. The table of precisions has a row per set.
. "$(dirname "$0")/tap.sh"
top=$(cd "$(dirname "$0")/../.." && pwd)
mkdir -p fake made
printf '#!/bin/sh\nfor word; do [ "$word" = --build ] && exit 1; done\nexit 0\n' >fake/cmake
chmod +x fake/cmake
for tool in gpu-measure gpu-reproduce gpu-paper; do
    mkdir -p tree/lab && cp "$top/lab/$tool" tree/lab/
    PATH=$PWD/fake:$PATH OUT=$PWD/made timeout 20 tree/lab/$tool >out.txt 2>&1 </dev/null; code=$?
    [ $code = 1 ] && ok "$tool ends with 1" || not_ok "$tool ends with $code, not 1"
    grep -q '^== ' out.txt && not_ok "$tool does nothing else" || ok "$tool does nothing else"
done
check "a table of precisions" 0 "$top/lab/precision-table" precisions --sets doorkey --precisions fp32 --seeds 2 --slottar "$SLOTTAR" \
    --device cpu --split 60,20,20 epochs=1 hidden=32 slot_size=32
says "with a row" out "| doorkey | "
check "nothing is trained twice" 0 "$top/lab/precision-table" precisions --sets doorkey --precisions fp32 --seeds 2 --slottar false
plan
