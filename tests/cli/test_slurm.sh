#!/usr/bin/env bash
# The job scripts of examples/slurm on a Slurm of this machine (tools/local-slurm): an array of four
# workers searches, two processes train.
# sanitizers: too long
. "$(dirname "$0")/tap.sh"
root=$(cd "$(dirname "$0")/../.." && pwd) build=$(dirname "$SLOTTAR")
slurm=$(mktemp -d) && trap '"$root"/tools/local-slurm stop "$slurm"; rm -rf "$slurm"' EXIT
"$root"/tools/local-slurm start "$slurm" 4 >out 2>err
case $? in
0) ok "a Slurm of one machine" ;;
3) skip "job scripts" "$(sed 's/^local-slurm: //' err)"; plan ;;
*) not_ok "a Slurm of one machine"; sed 's/^/# /' err; plan ;;
esac
export SLURM_CONF=$slurm/slurm.conf SLOTTAR
same() { if [ -s "$2" ] && cmp -s "$2" "$3"; then ok "$1"; else not_ok "$1"; diff "$2" "$3" | head -5 | sed 's/^/# /'; fi; }

"$SLOTTAR" collect craft-full --split 48,16,16 -o data.safetensors -q >/dev/null
cat >spec.yaml <<'Y'
model: slottar
data: data.safetensors
search: grid
lr: [1e-3, 2e-3, 5e-3, 1e-2]
beta: [0.1, 0.5, 1]
hidden: 8
slot_size: 8
heads: 2
batch: 16
epochs: 2
Y
mkdir alone && (cd alone && ln -s ../data.safetensors ../spec.yaml . && "$SLOTTAR" sweep spec.yaml -o search -q --threads 1) >alone.txt
check "an array of four" 0 sbatch --wait -o worker-%a.txt "$root"/examples/slurm/sweep.sbatch spec.yaml search
for i in 0 1 2 3; do same "worker $i has the table of one" alone.txt worker-$i.txt; done
same "which is the file" alone/search/table.json search/table.json
check "a search without its folder" 2 sbatch --wait -o usage.txt "$root"/examples/slurm/sweep.sbatch spec.yaml
says "says what it wants" usage.txt "usage: sbatch"

# ---- two processes train
small="hidden=8 slot_size=8 heads=2 batch=16 epochs=3 adam_eps=0.1"
"$SLOTTAR" train slottar data.safetensors $small -o one -q --threads 1 >/dev/null
while read -r mpi command _; do
    pmi=pmix; [ "$mpi" = mpich ] && pmi=pmi2
    if ! srun --mpi=list 2>&1 | grep -qw $pmi; then skip "$mpi: two processes" "srun knows no $pmi"; continue; fi
    SLOTTAR=$command SLOTTAR_PMI=$pmi check "$mpi: two processes" 0 sbatch --wait -o $mpi.txt "$root"/examples/slurm/train.sbatch slottar data.safetensors $mpi $small
    near "$mpi: the losses of one" one $mpi
    [ "$(grep -c '^next: ' $mpi.txt)" = 1 ] && ok "$mpi: one of them speaks" || not_ok "$mpi: one of them speaks"
done <"$build/tests/mpi_flavours"
plan
