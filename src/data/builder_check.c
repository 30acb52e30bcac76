// What a builder refuses: descriptions that make no sense, episodes that do not keep them.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include <inttypes.h>
#include <math.h>
#include <string.h>
#include "data/dataset_impl.h"
#include "data/names.h"

bool slt_dataset_is_reserved(const char *key) {
    static const char *const keys[] = {
        "format",        "action_count",        "action_names",      "environment",
        "expert",        "observation_meaning", "observation_names", "observations_bits_width",
        "subtask_names",
    };
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        if (strcmp(key, keys[i]) == 0) return true;
    return false;
}

// ---- the description

static slt_status check_action_info(const slt_dataset_info *info) {
    if (info->action_kind == SLT_ACTIONS_CONTINUOUS) {
        if (info->action_size < 1) SLT_FAIL(SLT_INVALID, "action_size is %d", info->action_size);
        return SLT_OK;
    }
    if (info->action_count < 1 || info->action_count > SLT_DATA_MOST_ACTIONS)
        SLT_FAIL(SLT_INVALID, "action_count is %d, not 1 to %d", info->action_count,
                 SLT_DATA_MOST_ACTIONS);
    return SLT_OK;
}

static slt_status check_names(const char *what, const char *const *names, int64_t count) {
    for (int64_t i = 0; names && i < count; i++)
        if (!names[i] || strchr(names[i], ','))
            SLT_FAIL(SLT_INVALID, "%s name '%s' %s", what, names[i] ? names[i] : "",
                     names[i] ? "holds a comma" : "is missing");
    return SLT_OK;
}

slt_status slt_dataset_check_info(const slt_dataset_info *info) {
    bool discrete = info->action_kind == SLT_ACTIONS_DISCRETE;
    SLT_TRY(check_action_info(info));
    SLT_TRY(check_names("action", info->action_names,
                        discrete ? info->action_count : info->action_size));
    SLT_TRY(check_names("subtask", info->subtask_names, info->subtask_count));
    if (info->has_subtasks && (info->subtask_count < 1 || !info->subtask_names))
        SLT_FAIL(SLT_INVALID, "sub-tasks without names: subtask_count is %d", info->subtask_count);
    if (info->observation_kind == SLT_OBSERVATIONS_NONE) return SLT_OK;
    int64_t most = info->observation_kind == SLT_OBSERVATIONS_BITS ? SLT_DATA_MOST_BITS : INT32_MAX;
    int64_t size = 1;
    bool fine = info->observation_rank >= 1 && info->observation_rank <= SLT_OBSERVATION_RANK;
    for (int i = 0; fine && i < info->observation_rank; i++)
        fine = info->observation_shape[i] >= 1 &&
               !__builtin_mul_overflow(size, info->observation_shape[i], &size) && size <= most;
    if (!fine || size != info->observation_size)
        SLT_FAIL(SLT_INVALID, "observation_shape does not make %" PRId64 " numbers, or too many",
                 info->observation_size);
    return check_names("observation", info->observation_names, info->observation_size);
}

// ---- an episode

static slt_status missing(const char *what) {
    return slt_fail(SLT_INVALID, "the episode has no %s, but the data set was described with them",
                    what);
}

// names: [width], or NULL
static slt_status check_reals(const char *what, const float *values, int64_t steps, int64_t width,
                              const char *const *names) {
    char name[SLT_NAME_TEXT];
    for (int64_t i = 0; i < steps * width; i++)
        if (!isfinite(values[i]))
            SLT_FAIL(SLT_RANGE, "%s: step %" PRId64 ", column %" PRId64 "%s is %f", what, i / width,
                     i % width, slt_name_quote(names, i % width, name), (double)values[i]);
    return SLT_OK;
}

static slt_status check_actions(const slt_dataset_info *info, const slt_episode *episode) {
    if (info->action_kind == SLT_ACTIONS_CONTINUOUS) {
        if (!episode->actions_f32) return missing("actions_f32");
        return check_reals("actions", episode->actions_f32, episode->length, info->action_size,
                           info->action_names);
    }
    if (!episode->actions_u8 && !episode->actions_i32) return missing("actions");
    for (int64_t t = 0; t < episode->length; t++) {
        int32_t action = slt_episode_action(episode, t);
        if (action < 0 || action >= info->action_count)
            SLT_FAIL(SLT_RANGE, "actions: %" PRId32 " at step %" PRId64 " is outside of 0 to %d",
                     action, t, info->action_count - 1);
    }
    return SLT_OK;
}

static slt_status check_zeros_and_ones(const uint8_t *bytes, int64_t count) {
    for (int64_t i = 0; i < count; i++)
        if (bytes[i] > 1) SLT_FAIL(SLT_RANGE, "observations: %d is no bit", bytes[i]);
    return SLT_OK;
}

static slt_status check_places(const slt_dataset_info *info, const uint16_t *ones, int64_t count) {
    for (int64_t i = 0; i < count; i++)
        if (ones[i] >= info->observation_size || (i && ones[i] <= ones[i - 1]))
            SLT_FAIL(SLT_RANGE, "observations: place %d is not below %" PRId64 " or does not rise",
                     ones[i], info->observation_size);
    return SLT_OK;
}

static slt_status check_bits(const slt_dataset_info *info, const slt_episode *episode) {
    int64_t size = info->observation_size;
    if (!episode->ones && !episode->observations_u8) return missing("ones");
    if (!episode->ones)
        SLT_TRY(check_zeros_and_ones(episode->observations_u8, episode->length * size));
    for (int64_t t = 0; episode->ones && t < episode->length; t++) {
        const int64_t *starts = episode->ones_offsets + t;
        if (starts[0] < 0 || starts[1] < starts[0])
            SLT_FAIL(SLT_RANGE, "ones_offsets fall at step %" PRId64, t);
        SLT_TRY(check_places(info, episode->ones + starts[0], starts[1] - starts[0]));
    }
    if (!info->has_finals) return SLT_OK;
    if (episode->final_ones) return check_places(info, episode->final_ones, episode->final_count);
    return episode->final_u8 ? check_zeros_and_ones(episode->final_u8, size)
                             : missing("final observations");
}

static slt_status check_observations(const slt_dataset_info *info, const slt_episode *episode) {
    int64_t size = info->observation_size;
    switch (info->observation_kind) {
    case SLT_OBSERVATIONS_NONE:
        return SLT_OK;
    case SLT_OBSERVATIONS_BITS:
        return check_bits(info, episode);
    case SLT_OBSERVATIONS_U8:
        if (!episode->observations_u8) return missing("observations_u8");
        return info->has_finals && !episode->final_u8 ? missing("final observations") : SLT_OK;
    case SLT_OBSERVATIONS_F32:
        if (!episode->observations_f32) return missing("observations_f32");
        SLT_TRY(check_reals("observations", episode->observations_f32, episode->length, size,
                            info->observation_names));
        if (!info->has_finals) return SLT_OK;
        if (!episode->final_f32) return missing("final observations");
        return check_reals("final observation", episode->final_f32, 1, size,
                           info->observation_names);
    }
    return SLT_OK;
}

slt_status slt_dataset_check_addition(const slt_dataset_info *info, const slt_episode *episode) {
    if (episode->length < 1)
        SLT_FAIL(SLT_INVALID, "an episode of %" PRId64 " steps", episode->length);
    SLT_TRY(check_actions(info, episode));
    SLT_TRY(check_observations(info, episode));
    if (info->has_rewards && !episode->rewards) return missing("rewards");
    if (info->has_rewards)
        SLT_TRY(check_reals("rewards", episode->rewards, episode->length, 1, NULL));
    if (info->has_segments && !episode->segments) return missing("segments");
    for (int64_t t = 0; info->has_segments && t < episode->length; t++)
        if (episode->segments[t] < -1)
            SLT_FAIL(SLT_RANGE, "segment: %" PRId32 " at step %" PRId64, episode->segments[t], t);
    if (info->has_subtasks && !episode->subtasks) return missing("subtasks");
    for (int64_t t = 0; info->has_subtasks && t < episode->length; t++)
        if (episode->subtasks[t] < -1 || episode->subtasks[t] >= info->subtask_count)
            SLT_FAIL(SLT_RANGE, "subtask: %" PRId32 " at step %" PRId64, episode->subtasks[t], t);
    if (info->has_splits && (unsigned)episode->split >= SLT_SPLITS)
        SLT_FAIL(SLT_RANGE, "split: %d", (int)episode->split);
    if (info->has_tasks && episode->task < -1) SLT_FAIL(SLT_RANGE, "task: %d", (int)episode->task);
    return SLT_OK;
}
