// A pool of threads that share out numbered tasks.
//
// Which thread takes which task is free; the borders of tasks must depend on sizes only, so that
// results do not depend on the number of threads.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#ifndef SLT_CORE_THREADS_H
#define SLT_CORE_THREADS_H

#include "core/memory.h"

typedef struct slt_pool slt_pool;

// task: 0..tasks-1; thread: 0..threads-1, for scratch memory of its own
typedef void (*slt_task)(void *argument, int task, int thread);

slt_status slt_pool_create(const slt_allocator *allocator, int threads, slt_pool **out);
void slt_pool_destroy(slt_pool *pool);
int slt_pool_threads(const slt_pool *pool);

// runs all tasks and returns when they are done; the caller works too, as thread 0. Not to be
// called from inside a task. pool may be NULL, or busy with another caller's tasks: then the caller
// does everything.
void slt_pool_run(slt_pool *pool, int tasks, slt_task task, void *argument);

#endif
