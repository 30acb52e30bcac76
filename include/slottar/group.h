// A group: processes that do one piece of work together, each with a context of its own.
//
//     slt_group group = {rank, size, sum, broadcast, gather, NULL};
//     slt_context_options options = {.group = &group};
//     slt_context_create(&options, &context);
//
// The library knows no way to talk between processes: who starts them hands it three functions,
// over MPI, sockets or threads, in the options of the context (slt_context_options.group). The
// command does so under mpirun and srun, where it was built with MPI. Every process then makes the
// same calls: slt_train shares out each batch, slt_collect the episodes; files are written by
// process 0. docs/scale.md tells the rest.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#ifndef SLOTTAR_GROUP_H
#define SLOTTAR_GROUP_H

#include <stddef.h>
#include "slottar/status.h"

#ifdef __cplusplus
extern "C" {
#endif

// The functions are called by all processes of the group in the same order, from the thread that
// called the library. Each gives SLT_OK, or what went wrong: the library's call then fails with it.
typedef struct {
    int rank, size; // this process, from 0, of so many

    // Adds up numbers over all processes, in place: floats where width is 4, doubles where it is 8.
    // All processes get the same bits.
    slt_status (*sum)(void *user, void *numbers, size_t count, size_t width);
    // Gives the bytes of process `from` to all others. They may wait long for it.
    slt_status (*broadcast)(void *user, void *bytes, size_t count, int from);
    // Brings bytes of all processes to process 0, one after the other in the order of ranks.
    // counts and all are read and written there alone: counts[rank] bytes come from each, `all` has
    // room.
    slt_status (*gather)(void *user, const void *mine, size_t count, void *all,
                         const size_t *counts);
    void *user; // handed to all three
} slt_group;

#ifdef __cplusplus
}
#endif
#endif
