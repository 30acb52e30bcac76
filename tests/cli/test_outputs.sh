#!/usr/bin/env bash
# The rule for outputs, of every command that writes: an input is never written over, not even with
# --force; what exists is kept without it; locks; the umask; the ending decides.
. "$(dirname "$0")/tap.sh"
kept() { # NAME: the inputs are what they were
    if cksum d.safetensors e.npz run/best.safetensors demo-v0/data/main_data.hdf5 | cmp -s - sums; then ok "$1: inputs kept"; else not_ok "$1: inputs kept"; fi
}
input() { # NAME ARGUMENTS...: refused since the output is an input
    name=$1; shift
    "$SLOTTAR" "$@" >out 2>err
    code=$?
    if [ $code = 1 ] || [ $code = 2 ]; then ok "$name is refused"; else not_ok "$name is refused: $code"; fi
    says "$name: says why" err "would write over the input"
    kept "$name"
}
exists() { # NAME FILE ARGUMENTS...: refused, kept, replaced with --force
    name=$1 file=$2; shift 2
    if [ ! -e "$file" ]; then echo mine >"$file"; fi
    before=$(cksum <"$file")
    check "$name: refused" 1 "$SLOTTAR" "$@"
    says "$name: says what to do" err "exists; --force"
    if [ "$(cksum <"$file")" = "$before" ]; then ok "$name: kept"; else not_ok "$name: kept"; fi
    check "$name: replaced with --force" 0 "$SLOTTAR" "$@" --force
    if [ "$(cksum <"$file")" != "$before" ]; then ok "$name: is another"; else not_ok "$name: is another"; fi
}

"$SLOTTAR" collect craft-full --split 24,6,6 -o d.safetensors -q >/dev/null
check "a run" 0 "$SLOTTAR" train ompn d.safetensors -o run epochs=1 hidden=8 batch=8 -q
"$SLOTTAR" convert d.safetensors e.npz
"$SLOTTAR" convert d.safetensors demo-v0/
cksum d.safetensors e.npz run/best.safetensors demo-v0/data/main_data.hdf5 >sums
ln d.safetensors hard.safetensors
ln -s d.safetensors soft.safetensors
mkdir sub

# ---- an input is never written over
input "convert onto itself" convert d.safetensors d.safetensors --force
input "by a hard link" convert d.safetensors hard.safetensors --force
input "by a symbolic link" convert d.safetensors soft.safetensors -f
input "by another path" convert d.safetensors sub/../d.safetensors -f
input "a Minari folder onto itself" convert demo-v0 demo-v0/ -f
input "its file onto its folder" convert demo-v0/data/main_data.hdf5 demo-v0/ -f
input "the folder onto its file" convert demo-v0 demo-v0/data/main_data.hdf5 -f
input "segment onto the data" segment run d.safetensors -o d.safetensors -f
input "segment onto npz" segment run e.npz -o e.npz -f
input "segment onto the model" segment run d.safetensors -o run/best.safetensors -f
input "alone, before it trains" segment d.safetensors -o d.safetensors -f
check "nothing was trained" 1 test -e runs
ln d.safetensors d.jsonl
input "lines onto the data" segment run d.safetensors -o d.jsonl -f
rm d.jsonl
"$SLOTTAR" convert d.safetensors cols.hdf5
before=$(cksum <cols.hdf5)
input "with columns chosen" convert cols.hdf5 cols.hdf5 --observations observations -f
input "labels onto their source" segment run cols.hdf5 -o cols.hdf5 --observations observations -f
input "labels into its folder" segment run cols.hdf5 -o ./ -f
if [ "$(cksum <cols.hdf5)" = "$before" ]; then ok "which stays as it was"; else not_ok "which stays as it was"; fi
input "report onto the data" report run -o d.safetensors -f
input "report onto the model" report run -o run/best.safetensors -f
input "figures onto the run" report run --figures run -f
cp d.safetensors sub/last.safetensors
input "train into the folder of its data" train ompn sub/last.safetensors -o sub epochs=1 -q
input "sweep likewise" sweep ompn sub/last.safetensors -o sub epochs=1 lr=1e-3,1e-2 search=grid -q
if cmp -s d.safetensors sub/last.safetensors; then ok "which stays"; else not_ok "which stays"; fi
"$SLOTTAR" train-expert MiniGrid-Empty-5x5-v0 copies=4 steps=8 eval_interval=2 hidden=8 eval_episodes=2 frames=64 -q -o p.safetensors >/dev/null
cksum p.safetensors >policy
input "collect onto its policy" collect MiniGrid-Empty-5x5-v0 --expert p.safetensors --episodes 4 -o p.safetensors -f
if cksum p.safetensors | cmp -s - policy; then ok "the policy stays"; else not_ok "the policy stays"; fi
cksum d.safetensors >policy
check "a policy onto a data set" 1 "$SLOTTAR" train-expert MiniGrid-Empty-5x5-v0 -q -o d.safetensors
printf 'hidden: 8\nframes: 64\ncopies: 4\nsteps: 8\nlap: 2\njudged: 2\n' >options.safetensors
input "a policy onto its options" train-expert MiniGrid-Empty-5x5-v0 -q --config options.safetensors -o options.safetensors
says "which stay" options.safetensors "hidden: 8"

# ---- what exists is kept
exists "collect" c.safetensors collect doorkey --episodes 3 -o c.safetensors
exists "convert" c.npz convert d.safetensors c.npz
exists "convert to HDF5" c.hdf5 convert d.safetensors c.hdf5
exists "segment to lines" s.jsonl segment run d.safetensors -o s.jsonl
exists "segment to csv" s.csv segment run d.safetensors -o s.csv
exists "segment to a data set" s.safetensors segment run d.safetensors -o s.safetensors
"$SLOTTAR" train ompn cols.hdf5 -o numbers epochs=1 hidden=8 batch=8 -q >/dev/null
check "labels back" 0 "$SLOTTAR" segment numbers cols.hdf5 -o back/ -q
exists "labels back again" back/cols.hdf5 segment numbers cols.hdf5 --min-length 4 -o back/
exists "report" page.html report run -o page.html
mkdir figures && echo mine >figures/slots.svg && echo mine >figures/losses.svg
exists "figures" figures/losses.svg report run --figures figures
mkdir empty
check "an empty folder is free" 0 "$SLOTTAR" report run --figures empty
mkdir other && echo mine >other/metrics.jsonl
check "a folder that is no run" 1 "$SLOTTAR" train ompn d.safetensors -o other epochs=1 -q
says "named" err "other/metrics.jsonl: exists"
check "kept" 0 grep -qx mine other/metrics.jsonl
mkdir tables && echo mine >tables/table.json && echo mine >tables/results.json
check "a folder that is no sweep" 1 "$SLOTTAR" sweep ompn d.safetensors -o tables epochs=1 lr=1e-3,1e-2 search=grid -q
check "a folder of other results" 1 "$SLOTTAR" reproduce craft --quick -o tables -q
check "both kept" 0 grep -cx mine tables/table.json tables/results.json
check "a run continues" 0 "$SLOTTAR" train ompn d.safetensors -o run epochs=1 hidden=8 batch=8 -q
kept "in the end"

# ---- nothing is left beside the outputs
if [ -z "$(find . -name '*.lock' -o -name '*.part-*')" ]; then ok "no locks or parts left"; else not_ok "no locks or parts left"; fi

# ---- lines take the lock, too
if command -v flock >/dev/null; then
    held() { flock new.jsonl.lock "$@"; }
    check "lines under a held lock" 1 held "$SLOTTAR" segment run d.safetensors -o new.jsonl
    says "named" err "writes here"
    check "none written" 1 test -e new.jsonl
else
    skip "lines under a held lock" "flock is missing"
fi

# ---- permissions
modes() { # UMASK MODE FOLDER
    mkdir -p "$3"
    (umask "$1"
        "$SLOTTAR" collect doorkey --split 8,2,2 -o "$3/d.safetensors" -q
        "$SLOTTAR" collect doorkey --episodes 2 -o "$3/d.npz" -q
        "$SLOTTAR" convert d.safetensors "$3/d.hdf5"
        "$SLOTTAR" segment run d.safetensors -o "$3/s.jsonl" -q
        "$SLOTTAR" report run -o "$3/page.html" -q
        "$SLOTTAR" train ompn "$3/d.safetensors" -o "$3/run" epochs=1 hidden=8 batch=8 -q) >/dev/null
    other=$(find "$3" -type f ! -perm "$2")
    if [ -z "$other" ] && [ "$(find "$3" -type f | wc -l)" -ge 11 ]; then ok "umask $1 gives $2"; else not_ok "umask $1 gives $2"; ls -lR "$3" | sed 's/^/# /'; fi
}
modes 077 600 private
modes 002 664 shared

# ---- the ending decides
check "collect to npz" 0 "$SLOTTAR" collect doorkey --episodes 3 -o x.npz -q
check "is npz" 0 unzip -tq x.npz
check "collect to a Minari folder" 0 "$SLOTTAR" collect doorkey --episodes 3 -o x-v0/ -q
check "is Minari" 0 test -s x-v0/data/main_data.hdf5
check "collect to what cannot be written" 2 "$SLOTTAR" collect doorkey --episodes 3 -o x.csv -q
says "says what can" err ".npz"
check "nor to anything else" 2 "$SLOTTAR" collect doorkey --episodes 3 -o x.parquet -q

# ---- a Minari folder appears whole
"$SLOTTAR" collect doorkey --episodes 2000 -o many.safetensors -q >/dev/null
"$SLOTTAR" convert many.safetensors whole-v0/ -q 2>/dev/null &
for i in $(seq 200); do if ls whole-v0* 2>/dev/null | grep -q part-; then break; fi; sleep 0.02; done
kill -9 $! 2>/dev/null
wait 2>/dev/null
if [ ! -e whole-v0 ] || [ -s whole-v0/data/metadata.json ]; then ok "killed: whole or not there"; else not_ok "killed: whole or not there"; fi
rm -rf whole-v0
check "the next one" 0 "$SLOTTAR" convert many.safetensors whole-v0/ -q
check "is whole" 0 test -s whole-v0/data/metadata.json
if ls -d whole-v0.part-* >/dev/null 2>&1; then not_ok "and removes what was left"; else ok "and removes what was left"; fi

# ---- quiet means quiet
check "quiet" 0 "$SLOTTAR" segment run d.safetensors -q -o quiet.jsonl
if [ ! -s out ] && [ ! -s err ]; then ok "says nothing"; else not_ok "says nothing"; cat out err | sed 's/^/# /'; fi
plan
