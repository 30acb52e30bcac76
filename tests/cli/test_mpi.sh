#!/usr/bin/env bash
# Processes under mpirun, with every MPI that is here: the losses of one process, stopping together,
# continuing with another number, a process that dies, collecting, searching.
# sanitizers: too long
. "$(dirname "$0")/tap.sh"
flavours=$(dirname "$SLOTTAR")/tests/mpi_flavours
if [ ! -s "$flavours" ]; then # no MPI in this build: no trace of it, and processes do not fall over each other
    ldd "$SLOTTAR" "$(dirname "$SLOTTAR")/libslottar.so" | grep -qE 'libmpi(ch)?[.]' && not_ok "nothing of MPI is linked" || ok "nothing of MPI is linked"
    "$SLOTTAR" collect craft-full --split 8,4,4 -o data.safetensors -q >/dev/null
    OMPI_COMM_WORLD_RANK=0 OMPI_COMM_WORLD_SIZE=2 check "a share of a training is refused" 1 "$SLOTTAR" train slottar data.safetensors -o run
    says "with the reason" err "2 processes were started to share 'train', which a build without MPI cannot do"
    [ ! -e run ] && ok "and leaves nothing" || not_ok "and leaves nothing"
    skip "mpirun" "no MPI in this build"
    plan
fi
# a container's administrator, more processes than cores, no network
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_rmaps_base_oversubscribe=1
export OMPI_MCA_btl=self,vader,tcp OMPI_MCA_btl_vader_single_copy_mechanism=none HWLOC_HIDE_ERRORS=2
"$SLOTTAR" collect craft-full --split 64,16,16 -o data.safetensors -q >/dev/null
# steps as small as their gradients: see tests/unit/test_ranks.c
small="hidden=8 slot_size=8 heads=2 batch=16 steps=200 patience=1000 lr=1e-3 adam_eps=0.1"
train() { "$command" train slottar data.safetensors $small "${@:2}" -o "$1" -q --threads 1; }
same() { if [ -s "$2" ] && cmp -s "$2" "$3"; then ok "$1"; else not_ok "$1"; fi; }
command=$SLOTTAR
train one decoder_pairing=reference >/dev/null
[ "$(grep -o '"step":200,' one/metrics.jsonl)" = '"step":200,' ] && ok "200 steps" || not_ok "200 steps"

while read -r mpi command mpirun <&3; do
    many() { "$mpirun" -n "$@" </dev/null; }
    ranks_of() { # RUN: process numbers
        for p in /proc/[0-9]*; do
            mapfile -d '' -t words 2>/dev/null <$p/cmdline || continue
            [[ "${words[*]} " == "$command "*" -o $PWD/$1 "* ]] && echo ${p#/proc/}
        done 2>/dev/null
    }
    # ---- the losses of one process
    for n in 2 3; do
        check "$mpi: $n processes" 0 many $n "$command" train slottar data.safetensors $small decoder_pairing=reference -o $mpi-$n -q --threads 1
        near "$mpi: the losses of one" one $mpi-$n
    done
    [ "$(grep -c '^next: ' out)" = 1 ] && ok "$mpi: one of them speaks" || not_ok "$mpi: one of them speaks"

    # ---- stopped by a signal to one of them, and gone on with by another number
    many 3 "$command" train slottar data.safetensors $small decoder_pairing=reference -o $PWD/$mpi-stop -q --threads 1 >out 2>err &
    pid=$!
    while kill -0 $pid 2>/dev/null && [ ! -s $mpi-stop/metrics.jsonl ]; do sleep 0.02; done
    kill -USR1 $(ranks_of $mpi-stop | tail -1) 2>/dev/null; wait $pid
    [ $? = 75 ] && ok "$mpi: SIGUSR1 to one process ends all with 75" || { not_ok "$mpi: SIGUSR1 to one process ends all with 75"; sed 's/^/# /' err; }
    says "$mpi: and says how to resume" err "run the same command to resume"
    grep -q '"step":200,' $mpi-stop/metrics.jsonl && not_ok "$mpi: before the end" || ok "$mpi: before the end"
    check "$mpi: two go on" 0 many 2 "$command" train slottar data.safetensors $small decoder_pairing=reference -o $PWD/$mpi-stop -q --threads 1
    near "$mpi: with the losses of one" one $mpi-stop

    # ---- one dies; MPICH may report first that another, which misses it, aborted (6)
    many 3 "$command" train slottar data.safetensors $small decoder_pairing=reference steps=0 epochs=100000 -o $PWD/$mpi-dead -q --threads 1 >out 2>err &
    pid=$!
    while kill -0 $pid 2>/dev/null && [ ! -s $mpi-dead/metrics.jsonl ]; do sleep 0.02; done
    kill -KILL $(ranks_of $mpi-dead | tail -1)
    (sleep 30; kill -KILL $pid) >/dev/null 2>&1 & watch=$!
    wait $pid; code=$?
    kill $watch 2>/dev/null && [ $code != 0 ] && grep -qiE 'signal 9|KILLED BY SIGNAL: 9|EXIT CODE: (9|6)([^0-9]|$)' out err &&
        ok "$mpi: a process that dies ends all, with a message" || { not_ok "$mpi: a process that dies ends all, with a message"; echo "# exit $code"; sed 's/^/# /' out err; }
    for i in 1 2 3 4 5 6 7 8 9 10; do [ -n "$(ranks_of $mpi-dead)" ] || break; sleep 0.5; done
    [ -n "$(ranks_of $mpi-dead)" ] && not_ok "$mpi: nobody is left" || ok "$mpi: nobody is left"
    check "$mpi: its checkpoint is whole" 0 "$command" info $mpi-dead/last.safetensors

    # ---- refusals are said once
    check "$mpi: a wrong option" 1 many 2 "$command" train slottar data.safetensors hiden=3 -o $mpi-no -q
    [ "$(grep -c '^slottar: ' err)" = 1 ] && ok "$mpi: is said once" || { not_ok "$mpi: is said once"; sed 's/^/# /' err; }
    [ ! -e $mpi-no ] && ok "$mpi: and leaves nothing" || not_ok "$mpi: and leaves nothing"

    # ---- one that fails alone ends the others
    share="train slottar data.safetensors $small -q --threads 1"
    check "$mpi: one fails alone" 2 timeout 30 "$mpirun" -n 1 "$command" $share -o $mpi-alone : -n 1 "$command" $share -o $mpi-alone --precision half </dev/null
    says "$mpi: and says who it is" err "process 1: slottar train: no precision 'half'"

    # ---- collecting
    check "$mpi: three collect" 0 many 3 "$command" collect craft-full --split 64,16,16 -o $mpi.safetensors -q
    same "$mpi: the same file" data.safetensors $mpi.safetensors
    [ "$(grep -c 'episodes' out)" = 1 ] && ok "$mpi: told once" || not_ok "$mpi: told once"

    # ---- a search whose workers are processes
    check "$mpi: two search" 0 many 2 "$command" sweep slottar data.safetensors $small steps=4 lr=1e-3,1e-2 beta=0.1,1 search=grid -o $mpi-sweep -q --threads 1
    [ "$(grep -c 'lr=' out)" = 4 ] && ok "$mpi: one table" || not_ok "$mpi: one table"
    [ "$(ls $mpi-sweep/tickets | grep -c done)" = 4 ] && ok "$mpi: four trials" || not_ok "$mpi: four trials"
done 3<"$flavours"
plan
