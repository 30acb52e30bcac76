// The pool: workers spin a short while for the next piece of work, then sleep. A step of training
// has some hundred pieces, so waking a sleeper for each would cost more than the work.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include "core/threads.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>

enum { SPINS = 20000 };

typedef struct {
    slt_pool *pool;
    pthread_t thread;
    int number;
} worker;

struct slt_pool {
    slt_allocator allocator;
    int threads, started;
    worker *workers;

    // the piece of work at hand; written before `round` grows
    slt_task task;
    void *argument;
    int tasks;
    atomic_int next;    // first task nobody has taken
    atomic_int working; // workers that have not finished this round
    atomic_uint round;
    atomic_bool stop;
    atomic_bool busy; // somebody runs a piece of work

    pthread_mutex_t mutex;
    pthread_cond_t wake;
    int sleeping; // under mutex
};

static void relax(void) {
#if defined(__aarch64__)
    __asm__ volatile("yield");
#elif defined(__x86_64__)
    __builtin_ia32_pause();
#endif
}

static void take_tasks(slt_pool *pool, int thread) {
    for (;;) {
        int task = atomic_fetch_add_explicit(&pool->next, 1, memory_order_relaxed);
        if (task >= pool->tasks) return;
        pool->task(pool->argument, task, thread);
    }
}

// waits until the round is another than `seen`
static unsigned wait_round(slt_pool *pool, unsigned seen) {
    for (int spin = 0; spin < SPINS; spin++) {
        unsigned round = atomic_load_explicit(&pool->round, memory_order_acquire);
        if (round != seen) return round;
        relax();
    }
    pthread_mutex_lock(&pool->mutex);
    pool->sleeping++;
    while (atomic_load_explicit(&pool->round, memory_order_acquire) == seen)
        pthread_cond_wait(&pool->wake, &pool->mutex);
    pool->sleeping--;
    pthread_mutex_unlock(&pool->mutex);
    return atomic_load_explicit(&pool->round, memory_order_acquire);
}

static void start_round(slt_pool *pool) {
    pthread_mutex_lock(&pool->mutex);
    atomic_fetch_add_explicit(&pool->round, 1, memory_order_release);
    if (pool->sleeping) pthread_cond_broadcast(&pool->wake);
    pthread_mutex_unlock(&pool->mutex);
}

static void *work(void *argument) {
    worker *self = argument;
    slt_pool *pool = self->pool;
    unsigned seen = 0;
    for (;;) {
        seen = wait_round(pool, seen);
        if (atomic_load(&pool->stop)) return NULL;
        take_tasks(pool, self->number);
        atomic_fetch_sub_explicit(&pool->working, 1, memory_order_release);
    }
}

static slt_status start_workers(slt_pool *pool) {
    for (int i = 1; i < pool->threads; i++) {
        worker *w = &pool->workers[i];
        *w = (worker){.pool = pool, .number = i};
        if (pthread_create(&w->thread, NULL, work, w) != 0)
            SLT_FAIL(SLT_NOMEM, "could not start thread %d of %d", i + 1, pool->threads);
        pool->started++;
    }
    return SLT_OK;
}

slt_status slt_pool_create(const slt_allocator *allocator, int threads, slt_pool **out) {
    if (threads < 1 || threads > 1024)
        SLT_FAIL(SLT_RANGE, "threads must be 1 to 1024, not %d", threads);
    slt_pool *pool;
    SLT_TRY(SLT_ALLOC(allocator, &pool, 1));
    pool->allocator = *allocator;
    pool->threads = threads;
    pthread_mutex_init(&pool->mutex, NULL);
    pthread_cond_init(&pool->wake, NULL);
    slt_status status = SLT_ALLOC(allocator, &pool->workers, (size_t)threads);
    if (status == SLT_OK) status = start_workers(pool);
    if (status != SLT_OK) {
        slt_pool_destroy(pool);
        return status;
    }
    *out = pool;
    return SLT_OK;
}

void slt_pool_destroy(slt_pool *pool) {
    if (!pool) return;
    atomic_store(&pool->stop, true);
    start_round(pool);
    for (int i = 1; i <= pool->started; i++) pthread_join(pool->workers[i].thread, NULL);
    pthread_mutex_destroy(&pool->mutex);
    pthread_cond_destroy(&pool->wake);
    slt_allocator allocator = pool->allocator;
    slt_free(&allocator, pool->workers);
    slt_free(&allocator, pool);
}

int slt_pool_threads(const slt_pool *pool) { return pool ? pool->threads : 1; }

void slt_pool_run(slt_pool *pool, int tasks, slt_task task, void *argument) {
    // two handles of a context in two threads: who comes second works alone
    if (!pool || pool->threads == 1 || tasks <= 1 ||
        atomic_exchange_explicit(&pool->busy, true, memory_order_acquire)) {
        for (int i = 0; i < tasks; i++) task(argument, i, 0);
        return;
    }
    pool->task = task;
    pool->argument = argument;
    pool->tasks = tasks;
    atomic_store_explicit(&pool->next, 0, memory_order_relaxed);
    atomic_store_explicit(&pool->working, pool->threads - 1, memory_order_relaxed);
    start_round(pool);
    take_tasks(pool, 0);
    for (int spin = 0; atomic_load_explicit(&pool->working, memory_order_acquire) > 0; spin++)
        if (spin < SPINS)
            relax();
        else
            sched_yield();
    atomic_store_explicit(&pool->busy, false, memory_order_release);
}
