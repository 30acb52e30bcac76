// Environments: what there is, and many copies of one stepped together.
//
// A batch holds n copies of one environment and steps all of them in one call, on all cores of its
// context, into arrays of the caller. Results depend on seeds and actions only, never on the number
// of threads. Nothing is allocated between creation and destruction.
//
//     enum { N = 64 };
//     uint64_t seeds[N] = {0};
//     int64_t actions[N] = {0};
//     double rewards[N];
//     slt_env_batch *batch;
//     slt_env_batch_create(context, "makebedfull-v0", N, SLT_AUTORESET_NEXT_STEP, &batch);
//     size_t size = (size_t)slt_env_batch_info(batch)->observation_size;
//     uint8_t *observations = malloc(N * size);
//     slt_env_batch_reset(batch, seeds, NULL, observations);
//     slt_env_outputs outputs = {.observations = observations, .rewards = rewards};
//     slt_env_batch_step(batch, actions, &outputs);
//     slt_env_batch_destroy(batch);
//     free(observations);
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#ifndef SLOTTAR_ENV_H
#define SLOTTAR_ENV_H

#include <stddef.h>
#include <stdint.h>
#include "slottar/context.h"

#ifdef __cplusplus
extern "C" {
#endif

// What an environment looks like from outside. Texts are static. An observation is
// observation_size bytes, the product of its shape; actions are 0..actions-1.
typedef struct {
    const char *id;
    int actions;
    const char *const *action_names; // [actions]
    int rank, shape[3];
    int observation_size;
    int step_limit; // steps after which an episode is truncated
} slt_env_info;

// The number of environments, and each by its place (0..count-1) or by its id. RANGE for a place
// beyond the last, INVALID for an id that there is not.
SLT_API int slt_env_count(void);
SLT_API slt_status slt_env_describe(int index, slt_env_info *out);
SLT_API slt_status slt_env_describe_id(const char *id, slt_env_info *out);

// What happens to a copy whose episode has ended, in Gymnasium's words.
//
// NEXT_STEP: the next step ignores its action and resets: reward 0, the new episode's first
// observation. SAME_STEP: the step that ends the episode resets at once: its observation is the new
// episode's first, the last of the old one goes to final_observations. DISABLED: the caller resets,
// with a mask; stepping an ended copy is INVALID.
typedef enum {
    SLT_AUTORESET_NEXT_STEP,
    SLT_AUTORESET_SAME_STEP,
    SLT_AUTORESET_DISABLED,
} slt_autoreset;

// Where a step writes; n entries each, whatever is NULL is not wanted. Rewards come as doubles, as
// floats, or both. Row i of final_observations is written by SAME_STEP only, and only when copy i
// has ended (terminated or truncated).
typedef struct {
    uint8_t *observations; // [n][observation_size]
    double *rewards;
    float *rewards_f32;
    uint8_t *terminated, *truncated;
    uint8_t *final_observations; // [n][observation_size]
} slt_env_outputs;

typedef struct slt_env_batch slt_env_batch;

// Creates n >= 1 copies of an environment. They must be reset, with seeds, before the first step.
// Destroy accepts NULL.
SLT_API slt_status slt_env_batch_create(slt_context *context, const char *id, int n,
                                        slt_autoreset autoreset, slt_env_batch **out);
SLT_API void slt_env_batch_destroy(slt_env_batch *batch);

SLT_API int slt_env_batch_size(const slt_env_batch *batch);
SLT_API const slt_env_info *slt_env_batch_info(const slt_env_batch *batch);

// Starts a new episode in every copy, or in those with mask[i] != 0 when mask is given. seeds[i]
// starts the generator of copy i anew; when seeds is NULL the generators continue. Observations of
// the copies that were reset are written; observations may be NULL. INVALID when a copy that never
// had a seed is reset without.
SLT_API slt_status slt_env_batch_reset(slt_env_batch *batch, const uint64_t *seeds,
                                       const uint8_t *mask, uint8_t *observations);

// One step of every copy. RANGE, with the copy's number in the message, when an action does not
// exist: then no copy is stepped and nothing is written.
SLT_API slt_status slt_env_batch_step(slt_env_batch *batch, const int64_t *actions,
                                      const slt_env_outputs *out);

// Writes the present observations, [n][observation_size].
SLT_API void slt_env_batch_observe(const slt_env_batch *batch, uint8_t *observations);

// Copies the whole state, generators included, out to and in from bytes of the caller. Restore
// takes bytes of a batch of the same environment and size; FORMAT, with nothing changed, when they
// are damaged or of another batch. The bytes fit the build of the library that wrote them.
SLT_API size_t slt_env_batch_snapshot_size(const slt_env_batch *batch);
SLT_API void slt_env_batch_snapshot(const slt_env_batch *batch, void *bytes);
SLT_API slt_status slt_env_batch_restore(slt_env_batch *batch, const void *bytes, size_t size);

#ifdef __cplusplus
}
#endif
#endif
