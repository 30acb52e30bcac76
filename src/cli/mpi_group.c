// The group over MPI: sums, broadcasts, gathers. Nothing else here, or anywhere, knows of MPI.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include <limits.h>
#include <mpi.h>
#include <sched.h>
#include <stdlib.h>
#include <time.h>
#include "launch.h"

static MPI_Comm doors = MPI_COMM_NULL; // for the last meeting, apart from the work

static slt_status said(int code) { return code == MPI_SUCCESS ? SLT_OK : SLT_IO; }

static void rest(void) { nanosleep(&(struct timespec){.tv_nsec = 100000}, NULL); }

// process 0 may evaluate for minutes, and there may be more processes than cores: who waits leaves
// the processor to others, and after two milliseconds sleeps in between
static slt_status wait_politely(MPI_Request *request) {
    static const double EAGER = 0.002;
    int there = 0, code = MPI_SUCCESS;
    double until = MPI_Wtime() + EAGER;
    while (!there && code == MPI_SUCCESS) {
        code = MPI_Test(request, &there, MPI_STATUS_IGNORE);
        if (there) break;
        if (MPI_Wtime() < until)
            sched_yield();
        else
            rest();
    }
    return said(code);
}

// ---- the three functions; MPI counts in int

static MPI_Datatype type_of(size_t width) {
    return width == sizeof(float) ? MPI_FLOAT : MPI_DOUBLE;
}

static slt_status sum_politely(void *numbers, int count, MPI_Datatype type) {
    MPI_Request request;
    slt_status status =
        said(MPI_Iallreduce(MPI_IN_PLACE, numbers, count, type, MPI_SUM, MPI_COMM_WORLD, &request));
    return status == SLT_OK ? wait_politely(&request) : status;
}

// a large sum that nobody can wait for politely is twice as fast (docs/scale.md): first all come
// together, so that it does not last
static slt_status sum_at_once(void *numbers, int count, MPI_Datatype type) {
    MPI_Request all_here;
    slt_status status = said(MPI_Ibarrier(MPI_COMM_WORLD, &all_here));
    if (status == SLT_OK) status = wait_politely(&all_here);
    if (status != SLT_OK) return status;
    return said(MPI_Allreduce(MPI_IN_PLACE, numbers, count, type, MPI_SUM, MPI_COMM_WORLD));
}

static slt_status sum(void *user, void *numbers, size_t count, size_t width) {
    enum { LARGE = 1 << 18 }; // bytes
    (void)user;
    slt_status status = SLT_OK;
    for (size_t at = 0; at < count && status == SLT_OK; at += INT_MAX) {
        int part = count - at < INT_MAX ? (int)(count - at) : INT_MAX;
        bool large = (size_t)part * width >= LARGE;
        status = (large ? sum_at_once : sum_politely)((char *)numbers + at * width, part,
                                                      type_of(width));
    }
    return status;
}

static slt_status broadcast(void *user, void *bytes, size_t count, int from) {
    (void)user;
    slt_status status = SLT_OK;
    for (size_t at = 0; at < count && status == SLT_OK; at += INT_MAX) {
        int part = count - at < INT_MAX ? (int)(count - at) : INT_MAX;
        MPI_Request request;
        status =
            said(MPI_Ibcast((char *)bytes + at, part, MPI_BYTE, from, MPI_COMM_WORLD, &request));
        if (status == SLT_OK) status = wait_politely(&request);
    }
    return status;
}

// where the bytes of each rank go; false when they are too many for MPI
static bool lay_out(const size_t *counts, int size, int *lengths, int *places) {
    size_t at = 0;
    for (int i = 0; i < size; i++) {
        if (counts[i] > INT_MAX || at > INT_MAX) return false;
        lengths[i] = (int)counts[i];
        places[i] = (int)at;
        at += counts[i];
    }
    return true;
}

static slt_status gather(void *user, const void *mine, size_t count, void *all,
                         const size_t *counts) {
    (void)user;
    int rank = 0, size = 1;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    int *lengths = calloc(2 * (size_t)size, sizeof *lengths);
    if (!lengths) return SLT_NOMEM;
    int *places = lengths + size;
    slt_status status = SLT_OK;
    if (count > INT_MAX || (rank == 0 && !lay_out(counts, size, lengths, places)))
        status = SLT_RANGE;
    else
        status = said(MPI_Gatherv(mine, (int)count, MPI_BYTE, all, lengths, places, MPI_BYTE, 0,
                                  MPI_COMM_WORLD));
    free(lengths);
    return status;
}

// ---- coming and going

bool cli_mpi_join(slt_group *out, int *size) {
    int level, rank = 0, wanted = *size;
    if (MPI_Init_thread(NULL, NULL, MPI_THREAD_FUNNELED, &level) != MPI_SUCCESS) return false;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, size);
    MPI_Comm_dup(MPI_COMM_WORLD, &doors);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    *out = (slt_group){rank, *size, sum, broadcast, gather, NULL};
    return *size == wanted;
}

bool cli_mpi_meet(void) {
    enum { SECONDS = 5 };
    MPI_Request request;
    int there = 0;
    time_t until = time(NULL) + SECONDS;
    if (MPI_Ibarrier(doors, &request) != MPI_SUCCESS) return false;
    while (!there && time(NULL) <= until) {
        if (MPI_Test(&request, &there, MPI_STATUS_IGNORE) != MPI_SUCCESS) return false;
        if (!there) rest();
    }
    return there;
}

void cli_mpi_leave(void) { MPI_Finalize(); }

// the launcher takes what was said last with it, if it has not passed it on by then
void cli_mpi_abort(int code) {
    nanosleep(&(struct timespec){.tv_sec = 1}, NULL);
    MPI_Abort(MPI_COMM_WORLD, code);
}
