// A group whose processes are threads of this one, each with a context of its own: what ranks of
// MPI do, without MPI.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#ifndef SLT_TESTS_THREAD_GROUP_H
#define SLT_TESTS_THREAD_GROUP_H

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include "check.h"
#include "slottar/context.h"

enum { MOST_RANKS = 4 };

typedef struct {
    pthread_barrier_t barrier;
    void *buffer[MOST_RANKS]; // what each rank brought to the call at hand
    size_t count[MOST_RANKS];
    int sums; // calls so far
} hall;

typedef struct rank {
    hall *hall;
    slt_group group;
    slt_context *context;
    slt_status status;
    char message[256];
    void (*work)(struct rank *);
    void *user;
    int fail_at; // the sum that fails, from 1; 0: none
} rank;

static inline void meet(const rank *r) { pthread_barrier_wait(&r->hall->barrier); }

// in the order of ranks: all have the same bits
static inline void add_up(const rank *r, void *out, size_t count, size_t width) {
    memset(out, 0, count * width);
    for (int i = 0; i < r->group.size; i++) {
        const float *floats = r->hall->buffer[i];
        const double *doubles = r->hall->buffer[i];
        for (size_t k = 0; k < count; k++)
            if (width == sizeof(float))
                ((float *)out)[k] += floats[k];
            else
                ((double *)out)[k] += doubles[k];
    }
}

static inline slt_status hall_sum(void *user, void *numbers, size_t count, size_t width) {
    rank *r = user;
    if (r->group.rank == 0) r->hall->sums++;
    if (r->fail_at && r->fail_at-- == 1) return SLT_IO;
    void *total = malloc(count * width);
    r->hall->buffer[r->group.rank] = numbers;
    meet(r);
    add_up(r, total, count, width);
    meet(r);
    memcpy(numbers, total, count * width);
    free(total);
    return SLT_OK;
}

static inline slt_status hall_broadcast(void *user, void *bytes, size_t count, int from) {
    rank *r = user;
    r->hall->buffer[r->group.rank] = bytes;
    meet(r);
    if (r->group.rank != from) memcpy(bytes, r->hall->buffer[from], count);
    meet(r);
    return SLT_OK;
}

static inline slt_status hall_gather(void *user, const void *mine, size_t count, void *all,
                                     const size_t *counts) {
    rank *r = user;
    r->hall->buffer[r->group.rank] = (void *)(uintptr_t)mine;
    r->hall->count[r->group.rank] = count;
    meet(r);
    for (int i = 0; r->group.rank == 0 && i < r->group.size; i++) {
        if (counts[i] != r->hall->count[i]) r->status = SLT_INTERNAL;
        if (counts[i]) memcpy(all, r->hall->buffer[i], counts[i]);
        all = (char *)all + counts[i];
    }
    meet(r);
    return SLT_OK;
}

static inline void *run_rank(void *argument) {
    rank *r = argument;
    slt_context_options options = {.threads = 1, .group = &r->group};
    r->status = slt_context_create(&options, &r->context);
    if (r->status != SLT_OK) return NULL;
    r->work(r);
    if (r->status != SLT_OK) snprintf(r->message, sizeof r->message, "%s", slt_last_error());
    slt_context_destroy(r->context);
    return NULL;
}

// runs `size` ranks to their ends; those who set `work` and the rest beforehand find it kept
static inline void run_ranks(rank *ranks, int size, void (*work)(rank *)) {
    static hall h;
    pthread_t threads[MOST_RANKS];
    memset(&h, 0, sizeof h);
    assert_int_equal(pthread_barrier_init(&h.barrier, NULL, (unsigned)size), 0);
    for (int i = 0; i < size; i++) {
        ranks[i].hall = &h;
        ranks[i].work = work;
        ranks[i].group = (slt_group){i, size, hall_sum, hall_broadcast, hall_gather, &ranks[i]};
        assert_int_equal(pthread_create(&threads[i], NULL, run_rank, &ranks[i]), 0);
    }
    for (int i = 0; i < size; i++) pthread_join(threads[i], NULL);
    pthread_barrier_destroy(&h.barrier);
}

#endif
