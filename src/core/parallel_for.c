// Work shared out to threads: messages of failures are a thread's own, the lowest one is carried
// over.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include "core/parallel_for.h"

#include <pthread.h>
#include <stdio.h>

typedef struct {
    slt_parallel_work work;
    void *user;
    pthread_mutex_t mutex;
    int failed; // the lowest number that failed so far; -1: none
    slt_status status;
    char message[1024];
} each;

static void keep_failure(each *e, int i, slt_status status) {
    pthread_mutex_lock(&e->mutex);
    if (e->failed < 0 || i < e->failed) {
        e->failed = i;
        e->status = status;
        snprintf(e->message, sizeof e->message, "%s", slt_last_error());
    }
    pthread_mutex_unlock(&e->mutex);
}

static void call(void *argument, int task, int thread) {
    each *e = argument;
    (void)thread;
    slt_status status = e->work(e->user, task);
    if (status != SLT_OK) keep_failure(e, task, status);
}

slt_status slt_parallel_for(slt_context *context, int count, slt_parallel_work work, void *user) {
    each e = {.work = work, .user = user, .failed = -1};
    pthread_mutex_init(&e.mutex, NULL);
    slt_pool_run(context->options.alloc ? NULL : context->pool, count, call, &e);
    pthread_mutex_destroy(&e.mutex);
    return e.status == SLT_OK ? SLT_OK : slt_fail(e.status, "%s", e.message);
}
