// From a native data set to Minari's HDF5 layout: a group per episode. No times are stored: the
// same data gives the same bytes.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "core/file.h"
#include "hdf5/hdf5_helper.h"
#include "slottar/dataset.h"

typedef struct {
    slt_context *context;
    const slt_dataset_info *info;
    hid_t file, group_plan, data_plan, truth; // truth: h5py's bool
    slt_arena arena;                          // of one episode
} sink;

#define CHECK(call)                                                                                \
    do {                                                                                           \
        if ((call) < 0) SLT_FAIL(SLT_IO, "could not write: %s", #call);                            \
    } while (0)

static slt_status put(const sink *to, hid_t group, const char *name, hid_t file_type,
                      hid_t memory_type, int rank, const hsize_t *shape, const void *values) {
    hid_t space = H5Screate_simple(rank, shape, NULL);
    hid_t dataset = space < 0 ? -1
                              : H5Dcreate2(group, name, file_type, space, H5P_DEFAULT,
                                           to->data_plan, H5P_DEFAULT);
    bool fine =
        dataset >= 0 && H5Dwrite(dataset, memory_type, H5S_ALL, H5S_ALL, H5P_DEFAULT, values) >= 0;
    if (dataset >= 0 && H5Dclose(dataset) < 0) fine = false;
    if (space >= 0) H5Sclose(space);
    if (!fine) SLT_FAIL(SLT_IO, "%s: could not write", name);
    return SLT_OK;
}

static slt_status put_attribute(hid_t object, const char *name, int64_t value) {
    hid_t space = H5Screate(H5S_SCALAR);
    hid_t attribute =
        space < 0 ? -1 : H5Acreate2(object, name, H5T_STD_I64LE, space, H5P_DEFAULT, H5P_DEFAULT);
    bool fine = attribute >= 0 && H5Awrite(attribute, H5T_NATIVE_INT64, &value) >= 0;
    if (attribute >= 0) H5Aclose(attribute);
    if (space >= 0) H5Sclose(space);
    if (!fine) SLT_FAIL(SLT_IO, "%s: could not write", name);
    return SLT_OK;
}

// ---- the parts of an episode

static slt_status put_actions(sink *to, hid_t group, const slt_episode *episode) {
    hsize_t shape[2] = {(hsize_t)episode->length, (hsize_t)to->info->action_size};
    if (to->info->action_kind == SLT_ACTIONS_CONTINUOUS)
        return put(to, group, "actions", H5T_IEEE_F32LE, H5T_NATIVE_FLOAT, 2, shape,
                   episode->actions_f32);
    int64_t *actions;
    SLT_TRY(SLT_NEW(&to->arena, &actions, (size_t)episode->length));
    for (int64_t t = 0; t < episode->length; t++) actions[t] = slt_episode_action(episode, t);
    return put(to, group, "actions", H5T_STD_I64LE, H5T_NATIVE_INT64, 1, shape, actions);
}

// T+1 observations; without a final one the last is there twice
static slt_status put_observations(sink *to, hid_t group, const slt_episode *episode) {
    const slt_dataset_info *info = to->info;
    size_t size = (size_t)info->observation_size, rows = (size_t)episode->length + 1, cells;
    float *values;
    if (!slt_size_mul(rows, size, &cells)) SLT_FAIL(SLT_NOMEM, "an episode is too long");
    SLT_TRY(SLT_NEW(&to->arena, &values, cells));
    for (size_t t = 0; t < rows; t++) {
        int64_t step = (int64_t)t - (t + 1 == rows && !info->has_finals);
        SLT_TRY(slt_episode_observe(info, episode, step, values + t * size));
    }
    hsize_t shape[1 + SLT_OBSERVATION_RANK] = {rows};
    for (int i = 0; i < info->observation_rank; i++)
        shape[i + 1] = (hsize_t)info->observation_shape[i];
    bool reals = info->observation_kind == SLT_OBSERVATIONS_F32;
    return put(to, group, "observations", reals ? H5T_IEEE_F32LE : H5T_STD_U8LE, H5T_NATIVE_FLOAT,
               info->observation_rank + 1, shape, values);
}

static slt_status put_ends(sink *to, hid_t group, const slt_episode *episode) {
    const slt_dataset_info *info = to->info;
    bool unknown = !info->has_terminated && !info->has_truncated;
    const struct {
        const char *name;
        bool last;
    } ends[] = {{"terminations", episode->terminated},
                {"truncations", episode->truncated || unknown}};
    hsize_t length = (hsize_t)episode->length;
    uint8_t *flags;
    SLT_TRY(SLT_NEW(&to->arena, &flags, (size_t)length));
    for (int i = 0; i < 2; i++) {
        flags[length - 1] = ends[i].last;
        SLT_TRY(put(to, group, ends[i].name, to->truth, to->truth, 1, &length, flags));
    }
    return SLT_OK;
}

static slt_status put_labels(sink *to, hid_t group, const slt_episode *episode) {
    if (!episode->segments) return SLT_OK;
    hsize_t length = (hsize_t)episode->length;
    hid_t infos = H5Gcreate2(group, "infos", H5P_DEFAULT, to->group_plan, H5P_DEFAULT);
    CHECK(infos);
    slt_status status =
        put(to, infos, "segment", H5T_STD_I32LE, H5T_NATIVE_INT32, 1, &length, episode->segments);
    if (status == SLT_OK && episode->subtasks)
        status = put(to, infos, "subtask", H5T_STD_I32LE, H5T_NATIVE_INT32, 1, &length,
                     episode->subtasks);
    H5Gclose(infos);
    return status;
}

static slt_status put_numbers(sink *to, hid_t group, const slt_episode *episode) {
    const slt_dataset_info *info = to->info;
    const struct {
        const char *name;
        int64_t value;
        bool is_there;
    } numbers[] = {{"id", episode->index, true},
                   {"total_steps", episode->length, true},
                   {"seed", episode->seed, info->has_seeds},
                   {"split", episode->split, info->has_splits},
                   {"task", episode->task, info->has_tasks}};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        if (numbers[i].is_there) SLT_TRY(put_attribute(group, numbers[i].name, numbers[i].value));
    return SLT_OK;
}

static slt_status put_parts(sink *to, hid_t group, const slt_episode *episode) {
    SLT_TRY(put_numbers(to, group, episode));
    SLT_TRY(put_observations(to, group, episode));
    SLT_TRY(put_actions(to, group, episode));
    SLT_TRY(put_ends(to, group, episode));
    SLT_TRY(put_labels(to, group, episode));
    const float *rewards = episode->rewards;
    float *zeros;
    SLT_TRY(SLT_NEW(&to->arena, &zeros, (size_t)episode->length));
    return put(to, group, "rewards", H5T_IEEE_F32LE, H5T_NATIVE_FLOAT, 1,
               &(hsize_t){(hsize_t)episode->length}, rewards ? rewards : zeros);
}

// ---- the file

static slt_status put_episodes(sink *to, slt_dataset *data) {
    for (int64_t i = 0; i < to->info->episodes; i++) {
        slt_episode episode;
        char name[32];
        SLT_TRY(slt_dataset_episode(data, i, &episode));
        snprintf(name, sizeof name, "episode_%" PRId64, i);
        hid_t group = H5Gcreate2(to->file, name, H5P_DEFAULT, to->group_plan, H5P_DEFAULT);
        CHECK(group);
        slt_arena_mark mark = slt_arena_now(&to->arena);
        slt_status status = put_parts(to, group, &episode);
        slt_arena_reset(&to->arena, mark);
        H5Gclose(group);
        SLT_TRY(status);
    }
    return SLT_OK;
}

static slt_status write_file(sink *to, slt_dataset *data, const char *path) {
    to->group_plan = H5Pcreate(H5P_GROUP_CREATE);
    to->data_plan = H5Pcreate(H5P_DATASET_CREATE);
    to->truth = H5Tenum_create(H5T_NATIVE_INT8);
    CHECK(H5Pset_obj_track_times(to->group_plan, false));
    CHECK(H5Pset_obj_track_times(to->data_plan, false));
    CHECK(H5Tenum_insert(to->truth, "FALSE", &(int8_t){0}));
    CHECK(H5Tenum_insert(to->truth, "TRUE", &(int8_t){1}));
    to->file = H5Fcreate(path, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    CHECK(to->file);
    slt_status status = put_episodes(to, data);
    if (H5Fclose(to->file) < 0 && status == SLT_OK) SLT_FAIL(SLT_IO, "could not close");
    return status;
}

// temporary name, sync, rename
static slt_status write_whole(sink *to, slt_dataset *data, const char *out) {
    char name[4096];
    if (snprintf(name, sizeof name, "%s.part-XXXXXX", out) >= (int)sizeof name)
        SLT_FAIL(SLT_INVALID, "file name too long");
    int descriptor = slt_part_create(name);
    if (descriptor < 0) SLT_FAIL(SLT_IO, "could not create: %s", strerror(errno));
    slt_status status = write_file(to, data, name);
    if (status == SLT_OK && (fsync(descriptor) != 0 || rename(name, out) != 0))
        status = slt_fail(SLT_IO, "%s", strerror(errno));
    if (status != SLT_OK) unlink(name);
    close(descriptor);
    return status;
}

slt_status slt_hdf5_from_dataset(slt_context *context, const char *native, const char *out,
                                 const slt_hdf5_choice *none) {
    (void)none;
    slt_dataset *data;
    SLT_TRY(slt_dataset_open(context, native, &data));
    sink to = {.context = context, .info = slt_dataset_about(data)};
    slt_arena_init(&to.arena, &context->allocator, 1 << 20);
    slt_status status =
        to.info->observation_kind == SLT_OBSERVATIONS_NONE
            ? slt_fail(SLT_UNSUPPORTED, "Minari expects observations, there are none")
            : write_whole(&to, data, out);
    slt_arena_deinit(&to.arena);
    slt_dataset_close(data);
    return status;
}
