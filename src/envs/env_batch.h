// The inside of a batch.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#ifndef SLT_ENVS_ENV_BATCH_H
#define SLT_ENVS_ENV_BATCH_H

#include "core/context_impl.h"
#include "envs/env_impl.h"
#include "slottar/env.h"

// life of a copy
enum { SLT_COPY_FRESH, SLT_COPY_RUNNING, SLT_COPY_ENDED };

struct slt_env_batch {
    slt_context *context;
    slt_arena arena;
    slt_env_info info;
    const slt_env_kind *kind;
    slt_autoreset autoreset;
    int n;
    size_t stride;         // bytes from one state to the next
    unsigned char *states; // [n][stride]
    uint8_t *life;         // [n]
    uint32_t *begun;       // [n] episodes that began in each copy; not part of snapshots
    void *spare;           // room for one more state, aligned
};

static inline void *slt_env_state(const slt_env_batch *batch, int i) {
    return batch->states + (size_t)i * batch->stride;
}

// the next episode of copy i
void slt_env_batch_begin(const slt_env_batch *batch, int i);
// RANGE when an action is not one of 0..count-1, INVALID when a copy cannot be stepped
slt_status slt_env_batch_check(const slt_env_batch *batch, const int64_t *actions, int count,
                               const char *what);

#endif
