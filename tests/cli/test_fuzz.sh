#!/usr/bin/env bash
# Every fuzz target replays its corpus and takes a few thousand mutated inputs ('make fuzz' runs a million).
. "$(dirname "$0")/tap.sh"
here=$(cd "$(dirname "$0")/.." && pwd) build=$(dirname "$SLOTTAR")
for source in "$here"/fuzz/fuzz_*.c; do
    name=$(basename "$source" .c)
    case $name in fuzz_hdf5) n=100 ;; *) n=4000 ;; esac # a process for every file
    check "$name takes mutated files" 0 "$build/tests/$name" "$here/fuzz/corpus/${name#fuzz_}" $n
    says "$name says how many" out "$n mutated inputs"
done
plan
