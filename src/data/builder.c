// Making data sets: each part of the file grows in its own spool; commit declares them all and
// copies them one after another.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include "core/spool.h"
#include "core/text.h"
#include "data/dataset_impl.h"
#include "data/formats.h"
#include "data/names.h"

// the parts in the order of the file, wide elements first: name, type
// clang-format off
#define PARTS(X) \
    X(EPISODE_OFFSETS,    "episode_offsets",                 I64) \
    X(BITS_OFFSETS,       "observations_bits_offsets",       I64) \
    X(FINAL_BITS_OFFSETS, "final_observations_bits_offsets", I64) \
    X(SEED,               "seed",                            I64) \
    X(ACTIONS_F32,        "actions",                         F32) \
    X(OBSERVATIONS_F32,   "observations",                    F32) \
    X(FINALS_F32,         "final_observations",              F32) \
    X(REWARDS,            "rewards",                         F32) \
    X(ACTIONS_I32,        "actions",                         I32) \
    X(SEGMENT,            "segment",                         I32) \
    X(SUBTASK,            "subtask",                         I32) \
    X(TASK,               "task",                            I32) \
    X(BITS,               "observations_bits",               U16) \
    X(FINAL_BITS,         "final_observations_bits",         U16) \
    X(ACTIONS_U8,         "actions",                         U8)  \
    X(OBSERVATIONS_U8,    "observations",                    U8)  \
    X(FINALS_U8,          "final_observations",              U8)  \
    X(SPLIT,              "split",                           U8)  \
    X(TERMINATED,         "terminated",                      U8)  \
    X(TRUNCATED,          "truncated",                       U8)
// clang-format on

enum {
#define ROW(id, name, dtype) id,
    PARTS(ROW)
#undef ROW
        PART_COUNT
};

static const struct {
    const char *name;
    slt_dtype dtype;
} parts[PART_COUNT] = {
#define ROW(id, name, dtype) {name, SLT_DTYPE_##dtype},
    PARTS(ROW)
#undef ROW
};

struct slt_dataset_builder {
    slt_context *context;
    slt_arena arena;
    slt_dataset_info info; // its texts are used in create only
    slt_safetensors_writer *writer;
    bool used[PART_COUNT];
    slt_spool spools[PART_COUNT];
    int64_t ones, final_ones; // so far
    slt_delivery delivery;    // of an output under a user's name, else empty
};

static void put(slt_dataset_builder *builder, int part, const void *bytes, size_t count) {
    slt_spool_put(&builder->spools[part], bytes, count * slt_dtype_size(parts[part].dtype));
}

// ---- beginning

static void choose_parts(slt_dataset_builder *builder) {
    const slt_dataset_info *info = &builder->info;
    bool discrete = info->action_kind == SLT_ACTIONS_DISCRETE, finals = info->has_finals;
    bool bits = info->observation_kind == SLT_OBSERVATIONS_BITS;
    bool bytes = info->observation_kind == SLT_OBSERVATIONS_U8;
    bool reals = info->observation_kind == SLT_OBSERVATIONS_F32;
    bool *used = builder->used;
    used[EPISODE_OFFSETS] = true;
    used[ACTIONS_F32] = !discrete;
    used[ACTIONS_I32] = discrete && info->action_count > 256;
    used[ACTIONS_U8] = discrete && info->action_count <= 256;
    used[BITS] = used[BITS_OFFSETS] = bits;
    used[FINAL_BITS] = used[FINAL_BITS_OFFSETS] = bits && finals;
    used[OBSERVATIONS_U8] = bytes;
    used[FINALS_U8] = bytes && finals;
    used[OBSERVATIONS_F32] = reals;
    used[FINALS_F32] = reals && finals;
    used[REWARDS] = info->has_rewards;
    used[SEGMENT] = info->has_segments;
    used[SUBTASK] = info->has_subtasks;
    used[SPLIT] = info->has_splits;
    used[TERMINATED] = info->has_terminated;
    used[TRUNCATED] = info->has_truncated;
    used[SEED] = info->has_seeds;
    used[TASK] = info->has_tasks;
}

// the reader bounds the header: names that are longer than all else are left out
static slt_status describe_names(slt_dataset_builder *builder, const char *key,
                                 const char *const *names, int64_t count) {
    if (!names || !count) return SLT_OK;
    slt_text joined;
    slt_text_init(&joined, &builder->context->allocator);
    slt_names_join(&joined, names, count);
    if (joined.status == SLT_OK && joined.length <= SLT_NAMES_BYTES)
        slt_safetensors_describe(builder->writer, key, joined.bytes);
    slt_text_deinit(&joined);
    return joined.status;
}

static slt_status describe_actions(slt_dataset_builder *builder) {
    const slt_dataset_info *info = &builder->info;
    bool discrete = info->action_kind == SLT_ACTIONS_DISCRETE;
    char count[16];
    snprintf(count, sizeof count, "%d", info->action_count);
    if (discrete) slt_safetensors_describe(builder->writer, "action_count", count);
    SLT_TRY(describe_names(builder, "action_names", info->action_names,
                           discrete ? info->action_count : info->action_size));
    SLT_TRY(describe_names(builder, "subtask_names", info->subtask_names, info->subtask_count));
    return describe_names(builder, "observation_names", info->observation_names,
                          info->observation_size);
}

static slt_status describe(slt_dataset_builder *builder) {
    const slt_dataset_info *info = &builder->info;
    const struct {
        const char *key, *value;
    } texts[] = {{"format", SLT_DATA_FORMAT},
                 {"environment", info->environment},
                 {"expert", info->expert},
                 {"observation_meaning", info->observation_meaning}};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        if (texts[i].value) slt_safetensors_describe(builder->writer, texts[i].key, texts[i].value);
    if (info->observation_kind == SLT_OBSERVATIONS_BITS) {
        char width[24];
        snprintf(width, sizeof width, "%lld", (long long)info->observation_size);
        slt_safetensors_describe(builder->writer, "observations_bits_width", width);
    }
    return describe_actions(builder);
}

static slt_status begin(slt_dataset_builder *builder, const char *path) {
    char *copy;
    SLT_TRY(slt_arena_text(&builder->arena, path, strlen(path), &copy));
    for (int i = 0; i < PART_COUNT; i++)
        slt_spool_init(&builder->spools[i], &builder->context->allocator, copy);
    SLT_TRY(slt_dataset_check_info(&builder->info));
    SLT_TRY(slt_safetensors_writer_open(&builder->context->allocator, path, &builder->writer));
    SLT_TRY(describe(builder));
    choose_parts(builder);
    // every list of starts begins with 0
    static const int starts[] = {EPISODE_OFFSETS, BITS_OFFSETS, FINAL_BITS_OFFSETS};
    for (size_t i = 0; i < sizeof starts / sizeof *starts; i++)
        if (builder->used[starts[i]]) put(builder, starts[i], &(int64_t){0}, 1);
    return SLT_OK;
}

static slt_status make_builder(slt_context *context, const slt_dataset_info *info,
                               slt_dataset_builder **out) {
    slt_dataset_builder *builder;
    SLT_TRY(SLT_ALLOC(&context->allocator, &builder, 1));
    builder->context = context;
    builder->info = *info;
    builder->info.episodes = builder->info.steps = builder->info.longest = 0;
    slt_arena_init(&builder->arena, &context->allocator, 8192);
    for (int i = 0; i < PART_COUNT; i++)
        slt_spool_init(&builder->spools[i], &context->allocator, NULL);
    *out = builder;
    return SLT_OK;
}

static slt_status or_destroy(slt_dataset_builder *builder, slt_status status,
                             slt_dataset_builder **out) {
    if (status == SLT_OK)
        *out = builder;
    else
        slt_dataset_builder_destroy(builder);
    return status;
}

slt_status slt_dataset_builder_native(slt_context *context, const char *path,
                                      const slt_dataset_info *info, slt_dataset_builder **out) {
    slt_dataset_builder *builder;
    SLT_TRY(make_builder(context, info, &builder));
    return or_destroy(builder, begin(builder, path), out);
}

void slt_dataset_builder_deliver(slt_dataset_builder *builder, const slt_delivery *delivery) {
    builder->delivery = *delivery;
}

slt_status slt_dataset_builder_describe(slt_dataset_builder *builder, const char *key,
                                        const char *value) {
    if (slt_dataset_is_reserved(key))
        SLT_FAIL(SLT_INVALID, "metadata '%s' is written by the library", key);
    slt_safetensors_describe(builder->writer, key, value);
    return SLT_OK;
}

// ---- adding

static void add_actions(slt_dataset_builder *builder, const slt_episode *episode) {
    size_t length = (size_t)episode->length;
    if (builder->used[ACTIONS_F32]) {
        put(builder, ACTIONS_F32, episode->actions_f32, length * (size_t)builder->info.action_size);
        return;
    }
    for (int64_t t = 0; t < episode->length; t++) {
        int32_t action = slt_episode_action(episode, t);
        if (builder->used[ACTIONS_U8])
            put(builder, ACTIONS_U8, &(uint8_t){(uint8_t)action}, 1);
        else
            put(builder, ACTIONS_I32, &action, 1);
    }
}

// one row of ones, from places or from bytes of zeros and ones
static void add_ones(slt_dataset_builder *builder, int part, int offsets, int64_t *total,
                     const uint16_t *places, int64_t count, const uint8_t *bytes) {
    if (places) {
        put(builder, part, places, (size_t)count);
    } else {
        count = 0;
        for (int64_t i = 0; i < builder->info.observation_size; i++)
            if (bytes[i]) put(builder, part, &(uint16_t){(uint16_t)i}, 1), count++;
    }
    *total += count;
    put(builder, offsets, total, 1);
}

static void add_bits(slt_dataset_builder *builder, const slt_episode *episode) {
    int64_t size = builder->info.observation_size;
    const int64_t *starts = episode->ones_offsets;
    for (int64_t t = 0; t < episode->length; t++) {
        if (episode->ones)
            add_ones(builder, BITS, BITS_OFFSETS, &builder->ones, episode->ones + starts[t],
                     starts[t + 1] - starts[t], NULL);
        else
            add_ones(builder, BITS, BITS_OFFSETS, &builder->ones, NULL, 0,
                     episode->observations_u8 + t * size);
    }
    if (builder->used[FINAL_BITS])
        add_ones(builder, FINAL_BITS, FINAL_BITS_OFFSETS, &builder->final_ones, episode->final_ones,
                 episode->final_count, episode->final_u8);
}

slt_status slt_dataset_builder_add(slt_dataset_builder *builder, const slt_episode *episode) {
    slt_dataset_info *info = &builder->info;
    SLT_TRY(slt_dataset_check_addition(info, episode));
    size_t length = (size_t)episode->length, size = (size_t)info->observation_size;
    add_actions(builder, episode);
    if (builder->used[BITS]) add_bits(builder, episode);
    info->episodes++;
    info->steps += episode->length;
    const struct {
        int part;
        const void *values;
        size_t count;
    } columns[] = {
        {EPISODE_OFFSETS, &info->steps, 1},
        {OBSERVATIONS_U8, episode->observations_u8, length * size},
        {OBSERVATIONS_F32, episode->observations_f32, length * size},
        {FINALS_U8, episode->final_u8, size},
        {FINALS_F32, episode->final_f32, size},
        {REWARDS, episode->rewards, length},
        {SEGMENT, episode->segments, length},
        {SUBTASK, episode->subtasks, length},
        {SPLIT, &(uint8_t){(uint8_t)episode->split}, 1},
        {TERMINATED, &(uint8_t){episode->terminated}, 1},
        {TRUNCATED, &(uint8_t){episode->truncated}, 1},
        {SEED, &episode->seed, 1},
        {TASK, &episode->task, 1},
    };
    for (size_t i = 0; i < sizeof columns / sizeof *columns; i++)
        if (builder->used[columns[i].part])
            put(builder, columns[i].part, columns[i].values, columns[i].count);
    return SLT_OK;
}

// ---- committing

static void declare(slt_dataset_builder *builder, int part) {
    const slt_dataset_info *info = &builder->info;
    int64_t elements = (int64_t)(builder->spools[part].size / slt_dtype_size(parts[part].dtype));
    int64_t shape[SLT_ARRAY_RANK] = {elements};
    int rank = 1;
    if (part == ACTIONS_F32) {
        shape[0] = info->steps, shape[1] = info->action_size, rank = 2;
    } else if (part == OBSERVATIONS_F32 || part == OBSERVATIONS_U8 || part == FINALS_F32 ||
               part == FINALS_U8) {
        shape[0] = elements / info->observation_size;
        for (int i = 0; i < info->observation_rank; i++) shape[rank++] = info->observation_shape[i];
    }
    slt_safetensors_declare(builder->writer, parts[part].name, parts[part].dtype, rank, shape);
}

static void take(void *user, const void *bytes, size_t count) {
    slt_safetensors_put(((slt_dataset_builder *)user)->writer, bytes, count);
}

static slt_status copy_parts(slt_dataset_builder *builder) {
    if (builder->info.episodes == 0) SLT_FAIL(SLT_INVALID, "a data set needs an episode");
    for (int i = 0; i < PART_COUNT; i++)
        if (builder->used[i]) declare(builder, i);
    for (int i = 0; i < PART_COUNT; i++)
        if (builder->used[i]) SLT_TRY(slt_spool_read(&builder->spools[i], take, builder));
    return SLT_OK;
}

slt_status slt_dataset_builder_commit(slt_dataset_builder *builder) {
    slt_status status = copy_parts(builder);
    if (status == SLT_OK) {
        status = slt_safetensors_commit(builder->writer);
        builder->writer = NULL; // it is gone
    }
    const slt_delivery *to = &builder->delivery;
    if (status == SLT_OK && to->format)
        status = to->format->write(builder->context, to->native, to->output);
    slt_dataset_builder_destroy(builder);
    return status;
}

void slt_dataset_builder_destroy(slt_dataset_builder *builder) {
    if (!builder) return;
    slt_safetensors_abort(builder->writer);
    for (int i = 0; i < PART_COUNT; i++) slt_spool_deinit(&builder->spools[i]);
    if (builder->delivery.format) unlink(builder->delivery.native);
    slt_lock_release(&builder->delivery.lock);
    slt_arena_deinit(&builder->arena);
    slt_free(&builder->context->allocator, builder);
}
