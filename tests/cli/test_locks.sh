#!/usr/bin/env bash
# Two writers of one place: the second is refused by name, and a killed one holds nothing.
. "$(dirname "$0")/tap.sh"
small="hidden=8 slot_size=8 heads=2 batch=8"
"$SLOTTAR" collect craft-full --split 16,4,4 -o data.safetensors -q >/dev/null
is_gone() { [ ! -e "$2" ] && ok "$1" || not_ok "$1"; }

# ---- train
"$SLOTTAR" train slottar data.safetensors $small epochs=100000 patience=100000 -o run -q >/dev/null 2>&1 &
first=$!
while kill -0 $first 2>/dev/null && [ ! -s run/last.safetensors ]; do sleep 0.05; done
check "a second training is refused" 1 "$SLOTTAR" train slottar data.safetensors $small epochs=100000 patience=100000 -o run -q
says "with the process that is there" err "run: process $first on host $(uname -n | cut -c1-47)"
says "and what to do" err "wait for its end"
kill -9 $first; wait $first 2>/dev/null
[ -e run/lock ] && ok "the killed one leaves its lock" || not_ok "the killed one leaves its lock"
check "other settings are still refused" 1 "$SLOTTAR" train slottar data.safetensors $small epochs=3 -o run -q
says "by their name" err "epochs"
is_gone "a lock goes with its process" run/lock

# ---- files: somebody else holds the lock
if command -v flock >/dev/null; then
    echo "process 1 on host elsewhere" >new.safetensors.lock
    held() { flock new.safetensors.lock "$@"; }
    check "a second collection is refused" 1 held "$SLOTTAR" collect craft-full --episodes 2 -o new.safetensors -q
    says "by name" err "new.safetensors: process 1 on host elsewhere writes here"
    check "a second conversion, too" 1 held "$SLOTTAR" convert data.safetensors new.safetensors
    is_gone "nothing was written" new.safetensors
    check "a stale lock is taken over" 0 "$SLOTTAR" collect craft-full --episodes 2 -o new.safetensors -q
    is_gone "and is gone" new.safetensors.lock
    # a search waits for who begins it
    mkdir s
    (flock s/lock sh -c 'echo begun >begun; sleep 1; echo over >over') &
    while [ ! -e begun ]; do sleep 0.05; done
    check "a search waits" 0 sh -c "\"$SLOTTAR\" sweep slottar data.safetensors $small epochs=1 lr=1e-3 search=grid -o s -q; code=\$?; [ -e over ] && exit \$code"
    wait
else skip "locks of files" "no flock"; fi

# ---- a file system without locks: the text of the file decides
faults=$(dirname "$SLOTTAR")/tests/libfaults.so
if [ -e "$faults" ]; then
    host=$(uname -n | cut -c1-47)
    lockless() { FAULT_NO_LOCKS=1 LD_PRELOAD=$faults "$SLOTTAR" collect craft-full --episodes 2 -o bare.safetensors -q; }
    sleep 0 & gone=$!; wait $gone
    echo "process $$ on host $host" >bare.safetensors.lock
    check "a living process is believed" 1 lockless
    says "by name" err "process $$ on host $host writes here"
    echo "process $gone on host elsewhere" >bare.safetensors.lock
    check "another host is believed" 1 lockless
    says "with the file to remove" err "remove bare.safetensors.lock"
    echo "process $gone on host $host" >bare.safetensors.lock
    check "a process that is gone is not" 0 lockless
    is_gone "its lock is gone" bare.safetensors.lock
fi
plan
