// The workers: threads, each with a context of its own, that take one cell after the other. Their
// hooks look at the clock and at the caller's wish to stop.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include <stdio.h>
#include <string.h>
#include "reproduce/repro_impl.h"

typedef struct {
    slt_repro *r;
    slt_context *context;
    pthread_t thread;
    int number;
    bool runs;
    double share; // of the current run that is done
} worker;

enum { MOST_JOBS = 256, PARTS = 1000 }; // parts: of a run, in the progress

typedef struct {
    worker list[MOST_JOBS];
    int count;
} workers;

// ---- hooks

static void *allocate(void *user, size_t bytes) {
    const slt_allocator *a = &((worker *)user)->r->context->allocator;
    return a->alloc(a->user, bytes);
}

static void release(void *user, void *memory) {
    const slt_allocator *a = &((worker *)user)->r->context->allocator;
    a->free(a->user, memory);
}

static void pass_on(void *user, slt_log_level level, const char *message) {
    worker *w = user;
    pthread_mutex_lock(&w->r->lock);
    slt_context_log(w->r->context, level, "%s", message);
    pthread_mutex_unlock(&w->r->lock);
}

// called between steps: the place to stop a training
static void watch(void *user, const slt_progress *progress) {
    worker *w = user;
    slt_repro *r = w->r;
    pthread_mutex_lock(&r->lock);
    if (slt_repro_over(r) || r->status != SLT_OK) slt_context_cancel(w->context);
    double share =
        progress->done < progress->total ? (double)progress->done / (double)progress->total : 0;
    r->in_work += share - w->share;
    w->share = share;
    double parts = PARTS * (r->result.done + r->trained + r->in_work);
    slt_context_progress(r->context, "reproduce", (uint64_t)parts,
                         (uint64_t)PARTS * (uint64_t)r->result.runs, "");
    pthread_mutex_unlock(&r->lock);
}

// ---- one worker

static slt_status open_context(worker *w, int threads) {
    // a user's memory is asked for by one thread of a context; ours by all of them
    bool users = w->r->context->options.alloc != NULL;
    slt_context_options options = {.threads = threads,
                                   .alloc = users ? allocate : NULL,
                                   .free = users ? release : NULL,
                                   .log = pass_on,
                                   .progress = watch,
                                   .user = w,
                                   .device = w->r->context->options.device,
                                   .precision = slt_precision_name(w->r->context->precision)};
    SLT_TRY(slt_context_create(&options, &w->context));
    w->context->parent = w->r->context;
    return SLT_OK;
}

// the first cell that nobody has, of one wish or (-1) of any; NULL: there is none
static slt_repro_cell *find(slt_repro *r, int wish) {
    for (int i = 0; i < r->cell_count; i++) {
        slt_repro_cell *cell = &r->cells[i];
        bool wanted = wish < 0 || cell->wish == wish;
        if (wanted && !cell->taken && cell->done < cell->runs) return cell;
    }
    return NULL;
}

// the next cell; NULL: there is none, or it is time to stop. Each worker begins with another wish,
// so that models which load a device in different ways run concurrently with each other
static const slt_repro_cell *take(slt_repro *r, int number) {
    slt_repro_cell *cell = NULL;
    int wishes = r->request->model_count;
    pthread_mutex_lock(&r->lock);
    if (slt_repro_over(r)) r->stopped = true;
    if (!r->stopped && r->status == SLT_OK) {
        if (wishes) cell = find(r, number % wishes);
        if (!cell) cell = find(r, -1);
    }
    if (cell) cell->taken = true;
    pthread_mutex_unlock(&r->lock);
    return cell;
}

// the first failure ends them all, in the middle of their runs; a stop is none
static void note(slt_repro *r, slt_status status) {
    pthread_mutex_lock(&r->lock);
    if (status == SLT_CANCELLED) {
        r->stopped = true;
    } else if (r->status == SLT_OK) {
        r->status = status;
        snprintf(r->message, sizeof r->message, "%s", slt_last_error());
    }
    pthread_mutex_unlock(&r->lock);
}

static void announce(slt_repro *r, const slt_repro_cell *cell) {
    pthread_mutex_lock(&r->lock);
    slt_context_log(r->context, SLT_LOG_INFO, "%d of %d runs: %s, %s %s",
                    r->result.done + r->trained, r->result.runs, cell->set->name,
                    cell->variant->name, cell->done ? "(resumed)" : "");
    pthread_mutex_unlock(&r->lock);
}

// a device that failed stays failed: another try for the next cell
static slt_status renew(worker *w) {
    int threads = slt_context_threads(w->context);
    slt_context_destroy(w->context);
    w->context = NULL;
    return open_context(w, threads);
}

static void *work(void *user) {
    worker *w = user;
    for (const slt_repro_cell *cell; w->context && (cell = take(w->r, w->number));) {
        announce(w->r, cell);
        slt_status status = slt_repro_is_vote(cell->variant)
                                ? slt_repro_vote(w->r, w->context, cell)
                                : slt_repro_train(w->r, w->context, cell);
        if (status == SLT_DEVICE) status = renew(w);
        if (status != SLT_OK) note(w->r, status);
    }
    return NULL;
}

// ---- all of them

static slt_status start(workers *worker_set, slt_repro *r, int jobs) {
    int threads = slt_context_threads(r->context) / jobs;
    for (; worker_set->count < jobs; worker_set->count++) {
        worker *w = &worker_set->list[worker_set->count];
        w->r = r;
        w->number = worker_set->count;
        SLT_TRY(open_context(w, threads > 1 ? threads : 1));
        w->runs = pthread_create(&w->thread, NULL, work, w) == 0;
        if (!w->runs) {
            slt_context_destroy(w->context);
            SLT_FAIL(SLT_NOMEM, "no thread for job %d", worker_set->count + 1);
        }
    }
    return SLT_OK;
}

slt_status slt_repro_work(slt_repro *r) {
    int jobs = r->request->jobs ? r->request->jobs : 1;
    if (jobs < 1 || jobs > MOST_JOBS)
        SLT_FAIL(SLT_RANGE, "%d jobs are not 1 to %d", jobs, MOST_JOBS);
    workers *worker_set;
    SLT_TRY(SLT_NEW(&r->arena, &worker_set, 1));
    slt_status status = start(worker_set, r, jobs);
    if (status != SLT_OK) note(r, status);
    for (int i = 0; i < worker_set->count; i++) {
        pthread_join(worker_set->list[i].thread, NULL);
        slt_context_destroy(worker_set->list[i].context);
    }
    if (r->status != SLT_OK) return slt_fail(r->status, "%s", r->message);
    return SLT_OK;
}
