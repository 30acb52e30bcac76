// Many copies of an environment, stepped together.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include "envs/env_batch.h"

enum { PER_TASK = 64 }; // copies; a border that depends on no number of threads

static slt_status take_memory(slt_env_batch *batch) {
    size_t n = (size_t)batch->n;
    batch->stride = (batch->kind->state_size + SLT_ALIGN - 1) / SLT_ALIGN * SLT_ALIGN;
    batch->states = slt_arena_take(&batch->arena, n, batch->stride);
    batch->spare = slt_arena_take(&batch->arena, 1, batch->stride);
    if (!batch->states || !batch->spare) return SLT_NOMEM;
    SLT_TRY(SLT_NEW(&batch->arena, &batch->begun, n));
    return SLT_NEW(&batch->arena, &batch->life, n);
}

slt_status slt_env_batch_create(slt_context *context, const char *id, int n,
                                slt_autoreset autoreset, slt_env_batch **out) {
    slt_env_info info;
    SLT_TRY(slt_env_describe_id(id, &info));
    if (n < 1) SLT_FAIL(SLT_RANGE, "a batch has at least 1 copy, not %d", n);
    if (autoreset < SLT_AUTORESET_NEXT_STEP || autoreset > SLT_AUTORESET_DISABLED)
        SLT_FAIL(SLT_INVALID, "no autoreset mode %d", (int)autoreset);
    slt_env_batch *batch;
    SLT_TRY(SLT_ALLOC(&context->allocator, &batch, 1));
    *batch = (slt_env_batch){.context = context, .info = info, .autoreset = autoreset, .n = n};
    batch->kind = slt_env_find(id);
    slt_arena_init(&batch->arena, &context->allocator, 0);
    slt_status status = take_memory(batch);
    if (status != SLT_OK) {
        slt_env_batch_destroy(batch);
        return status;
    }
    *out = batch;
    return SLT_OK;
}

void slt_env_batch_destroy(slt_env_batch *batch) {
    if (!batch) return;
    slt_arena_deinit(&batch->arena);
    slt_free(&batch->context->allocator, batch);
}

int slt_env_batch_size(const slt_env_batch *batch) { return batch->n; }
const slt_env_info *slt_env_batch_info(const slt_env_batch *batch) { return &batch->info; }

// a call on all copies; what it does not use stays NULL
typedef struct work work;
struct work {
    const slt_env_batch *batch;
    void (*one)(const work *work, int i);
    const uint64_t *seeds;
    const uint8_t *mask;
    const int64_t *actions;
    slt_env_outputs out;
};

static void run_task(void *argument, int task, int thread) {
    (void)thread;
    const work *w = argument;
    int first = task * PER_TASK, left = w->batch->n - first;
    for (int i = first; i < first + (left < PER_TASK ? left : PER_TASK); i++) w->one(w, i);
}

static void run(work *w) {
    slt_pool_run(w->batch->context->pool, (w->batch->n - 1) / PER_TASK + 1, run_task, w);
}

// writes the observation of copy i to its row; rows may be NULL
static void observe(const slt_env_batch *batch, int i, uint8_t *rows) {
    if (!rows) return;
    size_t size = (size_t)batch->kind->observation_size;
    batch->kind->observe(batch->kind, slt_env_state(batch, i), rows + (size_t)i * size);
}

static void observe_one(const work *w, int i) { observe(w->batch, i, w->out.observations); }

void slt_env_batch_observe(const slt_env_batch *batch, uint8_t *observations) {
    run(&(work){.batch = batch, .one = observe_one, .out.observations = observations});
}

void slt_env_batch_begin(const slt_env_batch *batch, int i) {
    batch->kind->reset(batch->kind, slt_env_state(batch, i));
    batch->begun[i]++;
}

static void reset_one(const work *w, int i) {
    const slt_env_kind *kind = w->batch->kind;
    void *state = slt_env_state(w->batch, i);
    if (w->mask && !w->mask[i]) return;
    if (w->seeds) {
        uint32_t words[2] = {(uint32_t)w->seeds[i], (uint32_t)(w->seeds[i] >> 32)};
        kind->seed(kind, state, words, words[1] ? 2 : 1);
    }
    slt_env_batch_begin(w->batch, i);
    w->batch->life[i] = SLT_COPY_RUNNING;
    observe(w->batch, i, w->out.observations);
}

slt_status slt_env_batch_reset(slt_env_batch *batch, const uint64_t *seeds, const uint8_t *mask,
                               uint8_t *observations) {
    for (int i = 0; !seeds && i < batch->n; i++)
        if ((!mask || mask[i]) && batch->life[i] == SLT_COPY_FRESH)
            SLT_FAIL(SLT_INVALID, "the first reset of copy %d needs a seed", i);
    run(&(work){.batch = batch,
                .one = reset_one,
                .seeds = seeds,
                .mask = mask,
                .out.observations = observations});
    return SLT_OK;
}

static void write_result(const slt_env_outputs *out, int i, const slt_env_result *result) {
    if (out->rewards) out->rewards[i] = result->reward;
    if (out->rewards_f32) out->rewards_f32[i] = (float)result->reward;
    if (out->terminated) out->terminated[i] = result->terminated;
    if (out->truncated) out->truncated[i] = result->truncated;
}

static void step_one(const work *w, int i) {
    const slt_env_batch *batch = w->batch;
    const slt_env_kind *kind = batch->kind;
    void *state = slt_env_state(batch, i);
    slt_env_result result = {0};

    // an ended copy uses its step to reset
    if (batch->life[i] == SLT_COPY_ENDED)
        slt_env_batch_begin(batch, i);
    else
        result = kind->step(kind, state, (int)w->actions[i]);

    bool has_ended = result.terminated || result.truncated;
    if (has_ended && batch->autoreset == SLT_AUTORESET_SAME_STEP) {
        observe(batch, i, w->out.final_observations);
        slt_env_batch_begin(batch, i);
        has_ended = false;
    }
    batch->life[i] = has_ended ? SLT_COPY_ENDED : SLT_COPY_RUNNING;
    write_result(&w->out, i, &result);
    observe(batch, i, w->out.observations);
}

slt_status slt_env_batch_check(const slt_env_batch *batch, const int64_t *actions, int count,
                               const char *what) {
    bool takes_ended = batch->autoreset != SLT_AUTORESET_DISABLED;
    for (int i = 0; i < batch->n; i++) {
        if (actions[i] < 0 || actions[i] >= count)
            SLT_FAIL(SLT_RANGE, "%s %lld of copy %d: %s has %ss 0 to %d", what,
                     (long long)actions[i], i, batch->kind->id, what, count - 1);
        if (batch->life[i] == SLT_COPY_RUNNING) continue;
        if (batch->life[i] == SLT_COPY_FRESH || !takes_ended)
            SLT_FAIL(SLT_INVALID, "copy %d must be reset before it is stepped", i);
    }
    return SLT_OK;
}

slt_status slt_env_batch_step(slt_env_batch *batch, const int64_t *actions,
                              const slt_env_outputs *out) {
    SLT_TRY(slt_env_batch_check(batch, actions, batch->kind->actions, "action"));
    run(&(work){.batch = batch, .one = step_one, .actions = actions, .out = *out});
    return SLT_OK;
}
