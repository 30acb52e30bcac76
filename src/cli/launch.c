// Processes that mpirun or srun started side by side.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include "launch.h"

#include <stdio.h>
#include <stdlib.h>

// what launchers say in the environment. srun comes last: inside of it another may be at work
static const struct {
    const char *rank, *size, *here; // here: processes on this machine
} launchers[] = {
    {"OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_LOCAL_SIZE"}, // OpenMPI
    {"PMI_RANK", "PMI_SIZE", "MPI_LOCALNRANKS"}, // MPICH, srun --mpi=pmi2
    {"SLURM_PROCID", "SLURM_STEP_NUM_TASKS", ""},
};

typedef struct {
    int rank, size, here;
} place;

static int number(const char *name, int fallback) {
    const char *text = getenv(name);
    return text ? atoi(text) : fallback;
}

static place find_place(void) {
    for (size_t i = 0; i < sizeof launchers / sizeof *launchers; i++) {
        place p = {number(launchers[i].rank, -1), number(launchers[i].size, 0),
                   number(launchers[i].here, 1)};
        if (p.size >= 1 && p.rank >= 0 && p.rank < p.size) return p;
    }
    return (place){0, 1, 1};
}

// ---- the group

#ifdef SLT_MPI

static struct {
    bool joined, asked, met;
    slt_group group;
} us;

static bool join_group(place p, const char *command, slt_context_options *options) {
    (void)command;
    int size = p.size;
    us.joined = cli_mpi_join(&us.group, &size);
    options->group = &us.group;
    if (!us.joined && p.rank == 0)
        fprintf(stderr,
                "slottar: %d processes were started, and MPI knows of %d: start them with the "
                "mpirun of the MPI that slottar was built with, or with srun --mpi=pmi2 or pmix\n",
                p.size, size);
    return us.joined;
}

// do all come to an end? asked once
static bool all_meet(void) {
    if (!us.asked) us.met = cli_mpi_meet();
    us.asked = true;
    return us.met;
}

bool cli_speaks(void) {
    if (!us.joined) return true;
    all_meet();
    if (!us.met) fprintf(stderr, "process %d: ", us.group.rank);
    return !us.met || us.group.rank == 0;
}

int cli_leave(int code) {
    if (!us.joined) return code;
    // who fails alone must not wait for others, who may wait for it
    if (code != CLI_DONE && !all_meet()) cli_mpi_abort(code);
    cli_mpi_leave();
    return code;
}

#else

static bool join_group(place p, const char *command, slt_context_options *options) {
    (void)options;
    if (p.rank == 0)
        fprintf(stderr,
                "slottar: %d processes were started to share '%s', which a build without MPI "
                "cannot do\n",
                p.size, command);
    return false;
}

bool cli_speaks(void) { return true; }
int cli_leave(int code) { return code; }

#endif

bool cli_join(cli_call *call, slt_context_options *options) {
    place p = find_place();
    cli_ranks ranks = call->command->ranks;
    call->follower = ranks != CLI_RANKS_APART && p.rank > 0;
    if (p.size == 1 || ranks == CLI_RANKS_APART) return true;
    // those on one machine share its cores
    if (!options->threads) options->threads = -p.here;
    return ranks == CLI_RANKS_WORK || join_group(p, call->command->name, options);
}
