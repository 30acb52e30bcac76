#!/usr/bin/env bash
# The tools for machines with a GPU end when the build fails: what they pipe its log into does not
# hide it.
. "$(dirname "$0")/tap.sh"
top=$(cd "$(dirname "$0")/../.." && pwd)
mkdir -p fake out
printf '#!/bin/sh\nfor word; do [ "$word" = --build ] && exit 1; done\nexit 0\n' >fake/cmake
chmod +x fake/cmake
for tool in gpu-measure gpu-reproduce gpu-paper; do
    mkdir -p tree/lab && cp "$top/lab/$tool" tree/lab/
    PATH=$PWD/fake:$PATH OUT=$PWD/out timeout 20 tree/lab/$tool >out.txt 2>&1 </dev/null; code=$?
    [ $code = 1 ] && ok "$tool ends with 1" || not_ok "$tool ends with $code, not 1"
    grep -q '^== ' out.txt && not_ok "$tool does nothing else" || ok "$tool does nothing else"
done
plan
