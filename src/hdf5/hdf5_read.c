// From HDF5 to arrays: Minari 0.5 (a group per episode), robomimic (the same below data/), D4RL
// (one long table). Written as a safetensors file with the names that an import knows.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include "hdf5/hdf5_helper.h"

enum { PIECE = 4 << 20 }; // bytes read at once

typedef enum {
    ACTIONS,
    OBSERVATIONS,
    NEXT,
    REWARDS,
    TERMINATED,
    TRUNCATED,
    SEGMENT,
    SUBTASK,
    COLUMNS
} column_id;

// numbers that stand as attributes of an episode
enum { SEED, SPLIT, TASK, ATTRIBUTES };
static const char *const attributes[ATTRIBUTES] = {"seed", "split", "task"};

typedef struct {
    slt_context *context;
    const char *path;
    const slt_hdf5_choice *choice;
    const slt_hdf5_layout *layout;
    hid_t file;
    int64_t episodes, steps;
    int64_t *offsets; // [episodes+1]
    int64_t *splits;  // [episodes], from masks
    bool has_masks;
    slt_hdf5_field columns[COLUMNS];
    bool has_finals, has_attribute[ATTRIBUTES];
    uint64_t bytes, most; // to be handed over, and the limit
    slt_safetensors_writer *writer;
    void *room, *scratch;
} source;

static const char *column_path(const slt_hdf5_layout *layout, column_id id) {
    const char *const paths[COLUMNS] = {layout->actions, layout->observations, layout->next,
                                        layout->rewards, layout->terminated,   layout->truncated,
                                        layout->segment, layout->subtask};
    return paths[id];
}

// ---- finding out what is there

static hid_t open_episode(const source *in, int64_t index) {
    char name[64];
    if (!in->layout->episode) return H5Gopen2(in->file, "/", H5P_DEFAULT);
    snprintf(name, sizeof name, in->layout->episode, index);
    return slt_hdf5_group(in->file, name);
}

// several numbers are a continuous action
static slt_status find_actions(source *in, hid_t episode) {
    slt_hdf5_field *actions = &in->columns[ACTIONS];
    const char *patterns = in->choice->actions;
    if (!patterns) return slt_hdf5_column(episode, in->layout->actions, actions);
    SLT_TRY(slt_hdf5_column_chosen(episode, patterns, NULL, "actions", actions));
    if (actions->width > 1) actions->dtype = SLT_DTYPE_F32;
    return SLT_OK;
}

// the observation after the last action is made of the same parts
static slt_status find_observations(source *in, hid_t episode) {
    const char *patterns = in->choice->observations, *folder = in->layout->observations;
    slt_hdf5_field *observations = &in->columns[OBSERVATIONS];
    SLT_TRY(patterns
                ? slt_hdf5_column_chosen(episode, patterns, folder, "observations", observations)
                : slt_hdf5_column_plain(episode, folder, observations));
    if (!in->layout->next) return SLT_OK;
    return slt_hdf5_column_moved(episode, observations, folder, in->layout->next,
                                 &in->columns[NEXT]);
}

static slt_status find_columns(source *in) {
    hid_t episode = open_episode(in, 0);
    if (episode < 0) SLT_FAIL(SLT_FORMAT, "the first episode is missing");
    slt_status status = find_actions(in, episode);
    if (status == SLT_OK) status = find_observations(in, episode);
    for (int i = REWARDS; i < COLUMNS && status == SLT_OK; i++)
        if (column_path(in->layout, (column_id)i))
            status =
                slt_hdf5_column(episode, column_path(in->layout, (column_id)i), &in->columns[i]);
    for (int i = 0; i < ATTRIBUTES; i++)
        in->has_attribute[i] = in->layout->episode && H5Aexists(episode, attributes[i]) > 0;
    H5Gclose(episode);
    SLT_TRY(status);
    if (in->columns[ACTIONS].count < 1 || (!in->choice->actions && in->columns[ACTIONS].count > 1))
        SLT_FAIL(SLT_FORMAT, "actions: missing, or several; choose with --actions");
    return SLT_OK;
}

// steps of an episode, and whether its observations have one row more
static slt_status measure(source *in, int64_t index, int64_t *steps, int64_t *more) {
    hid_t episode = open_episode(in, index);
    if (episode < 0) SLT_FAIL(SLT_FORMAT, "episode %" PRId64 ": missing", index);
    slt_status status = slt_hdf5_rows(episode, &in->columns[ACTIONS], steps);
    int64_t rows;
    for (int i = 1; i < COLUMNS && status == SLT_OK; i++) {
        if (!in->columns[i].count) continue;
        status = slt_hdf5_rows(episode, &in->columns[i], &rows);
        if (status != SLT_OK) break;
        bool one_more = rows == *steps + 1 && (i == OBSERVATIONS || i == SEGMENT);
        if (rows != *steps && !one_more)
            status = slt_fail(SLT_FORMAT,
                              "episode %" PRId64 ": %s has %" PRId64 " rows for %" PRId64 " steps",
                              index, column_path(in->layout, (column_id)i), rows, *steps);
        if (i == OBSERVATIONS) *more = one_more;
    }
    H5Gclose(episode);
    if (status == SLT_OK && *steps < 1)
        SLT_FAIL(SLT_FORMAT, "episode %" PRId64 ": has no steps", index);
    return status;
}

// numbers run from 0 without a gap: nothing is left out silently
static slt_status count_episodes(source *in) {
    if (!in->layout->episode) return in->episodes = 1, SLT_OK;
    for (hid_t episode; (episode = open_episode(in, in->episodes)) >= 0; in->episodes++)
        H5Gclose(episode);
    H5G_info_t info;
    if (H5Gget_info_by_name(in->file, in->layout->folder, &info, H5P_DEFAULT) < 0 ||
        info.nlinks != (hsize_t)in->episodes)
        SLT_FAIL(SLT_FORMAT, "%s holds more than the episodes 0 to %" PRId64, in->layout->folder,
                 in->episodes - 1);
    return SLT_OK;
}

// splits from masks, where episodes have no attribute that says it
static slt_status find_masks(source *in) {
    SLT_TRY(SLT_ALLOC(&in->context->allocator, &in->splits, (size_t)in->episodes));
    if (in->has_attribute[SPLIT] || !in->layout->episode) return SLT_OK;
    return slt_hdf5_masks(in->file, in->splits, in->episodes, &in->has_masks);
}

static slt_status measure_all(source *in) {
    SLT_TRY(count_episodes(in));
    SLT_TRY(SLT_ALLOC(&in->context->allocator, &in->offsets, (size_t)in->episodes + 1));
    for (int64_t i = 0; i < in->episodes; i++) {
        int64_t steps = 0, more = 0;
        SLT_TRY(measure(in, i, &steps, &more));
        if (i && in->has_finals != (more == 1))
            SLT_FAIL(SLT_FORMAT, "episode %" PRId64 ": some have a final observation, some not", i);
        in->has_finals = more == 1;
        in->offsets[i + 1] = in->steps += steps;
    }
    return SLT_OK;
}

// a small file may promise terabytes of zeros
static slt_status check_size(source *in) {
    for (int i = 0; i < COLUMNS; i++) {
        uint64_t width = (uint64_t)in->columns[i].width * slt_dtype_size(in->columns[i].dtype);
        if (__builtin_mul_overflow(width, (uint64_t)in->steps, &width) ||
            __builtin_add_overflow(in->bytes, width, &in->bytes) || in->bytes > in->most)
            SLT_FAIL(SLT_FORMAT,
                     "%s: promises more than the %" PRIu64 " bytes that such a file can hold",
                     column_path(in->layout, (column_id)i), in->most);
    }
    return SLT_OK;
}

// ---- handing over

// rows of one column of one episode
static slt_status copy(source *in, hid_t episode, const slt_hdf5_field *column, int64_t first,
                       int64_t count) {
    size_t row = (size_t)column->width * slt_dtype_size(column->dtype);
    int64_t piece = (int64_t)(PIECE / row) ? (int64_t)(PIECE / row) : 1;
    for (int64_t end = first + count; first < end; first += piece) {
        int64_t rows = end - first < piece ? end - first : piece;
        SLT_TRY(slt_hdf5_read_rows(episode, column, first, rows, in->room, in->scratch));
        slt_safetensors_put(in->writer, in->room, (size_t)rows * row);
    }
    return SLT_OK;
}

// which rows of an episode a part takes
typedef enum { ALL, LAST, AFTER, LABELS } part_rows;

static slt_status copy_part(source *in, column_id id, part_rows which) {
    const slt_hdf5_field *column = &in->columns[id];
    for (int64_t i = 0; i < in->episodes; i++) {
        int64_t steps = in->offsets[i + 1] - in->offsets[i], rows = steps;
        hid_t episode = open_episode(in, i);
        if (episode < 0) SLT_FAIL(SLT_FORMAT, "episode %" PRId64 ": missing", i);
        slt_status status = which == LABELS ? slt_hdf5_rows(episode, column, &rows) : SLT_OK;
        // labels that were recorded at reset too: the next one a step belongs to it
        int64_t first = which == LAST ? steps - 1 : which == AFTER ? steps : rows - steps;
        if (which == ALL) first = 0;
        if (status == SLT_OK)
            status = copy(in, episode, column, first, which == ALL || which == LABELS ? steps : 1);
        H5Gclose(episode);
        if (status != SLT_OK) {
            char where[64];
            snprintf(where, sizeof where, "episode %" PRId64, i);
            return slt_fail_in(status, where);
        }
    }
    return SLT_OK;
}

// a whole number; -1 when there is none
static int64_t read_attribute(hid_t object, const char *name) {
    int64_t value = -1;
    if (object < 0 || H5Aexists(object, name) <= 0) return value;
    hid_t attribute = H5Aopen(object, name, H5P_DEFAULT);
    if (attribute < 0) return value;
    hid_t space = H5Aget_space(attribute), type = H5Aget_type(attribute);
    bool one = space >= 0 && type >= 0 && H5Sget_simple_extent_npoints(space) == 1 &&
               H5Tget_class(type) == H5T_INTEGER;
    if (one && H5Aread(attribute, H5T_NATIVE_INT64, &value) < 0) value = -1;
    if (type >= 0) H5Tclose(type);
    if (space >= 0) H5Sclose(space);
    H5Aclose(attribute);
    return value;
}

static void put_attributes(source *in, const char *name) {
    for (int64_t i = 0; i < in->episodes; i++) {
        hid_t episode = open_episode(in, i);
        int64_t value = read_attribute(episode, name);
        if (episode >= 0) H5Gclose(episode);
        slt_safetensors_put(in->writer, &value, sizeof value);
    }
}

typedef struct {
    const char *name;
    column_id column; // COLUMNS: numbers of our own
    part_rows rows;
    bool is_there;
} file_part;

static void declare(source *in, const file_part *part) {
    const slt_hdf5_field *column = &in->columns[part->column];
    bool per_step = part->rows == ALL || part->rows == LABELS;
    int64_t shape[SLT_ARRAY_RANK] = {per_step ? in->steps : in->episodes, column->width};
    int rank = 2;
    if (column->count == 1) {
        rank = column->leaves[0].rank;
        for (int i = 1; i < rank; i++) shape[i] = column->leaves[0].shape[i];
    }
    slt_safetensors_declare(in->writer, part->name, column->dtype, rank, shape);
}

static slt_status hand_over(source *in) {
    bool table = !in->layout->episode;
    const slt_hdf5_field *columns = in->columns;
    const file_part parts[] = {
        {"actions", ACTIONS, ALL, true},
        {"observations", OBSERVATIONS, ALL, columns[OBSERVATIONS].count > 0},
        {"final_observations", OBSERVATIONS, AFTER, in->has_finals},
        {"final_observations", NEXT, LAST, !in->has_finals && columns[NEXT].count > 0},
        {"rewards", REWARDS, ALL, columns[REWARDS].count > 0},
        {"segment", SEGMENT, LABELS, columns[SEGMENT].count > 0},
        {"subtask", SUBTASK, ALL, columns[SUBTASK].count > 0},
        {table ? "terminals" : "terminated", TERMINATED, table ? ALL : LAST,
         columns[TERMINATED].count > 0},
        {table ? "timeouts" : "truncated", TRUNCATED, table ? ALL : LAST,
         columns[TRUNCATED].count > 0},
    };
    enum { PARTS = sizeof parts / sizeof *parts };
    static const slt_dtype widths[] = {SLT_DTYPE_I64, SLT_DTYPE_F32, SLT_DTYPE_U8};
    if (!table)
        slt_safetensors_declare(in->writer, "episode_offsets", SLT_DTYPE_I64, 1,
                                &(int64_t){in->episodes + 1});
    for (int i = 0; i < ATTRIBUTES; i++)
        if (in->has_attribute[i])
            slt_safetensors_declare(in->writer, attributes[i], SLT_DTYPE_I64, 1, &in->episodes);
    if (in->has_masks)
        slt_safetensors_declare(in->writer, "split", SLT_DTYPE_I64, 1, &in->episodes);
    for (int k = 0; k < 3; k++)
        for (int i = 0; i < PARTS; i++)
            if (parts[i].is_there && columns[parts[i].column].dtype == widths[k])
                declare(in, &parts[i]);
    if (!table)
        slt_safetensors_put(in->writer, in->offsets,
                            (size_t)(in->episodes + 1) * sizeof *in->offsets);
    for (int i = 0; i < ATTRIBUTES; i++)
        if (in->has_attribute[i]) put_attributes(in, attributes[i]);
    if (in->has_masks)
        slt_safetensors_put(in->writer, in->splits, (size_t)in->episodes * sizeof *in->splits);
    for (int k = 0; k < 3; k++)
        for (int i = 0; i < PARTS; i++)
            if (parts[i].is_there && columns[parts[i].column].dtype == widths[k])
                SLT_TRY(copy_part(in, parts[i].column, parts[i].rows));
    return SLT_OK;
}

static slt_status take_room(source *in) {
    size_t row = PIECE;
    for (int i = 0; i < COLUMNS; i++) {
        size_t width = (size_t)in->columns[i].width * slt_dtype_size(in->columns[i].dtype);
        if (width > row) row = width;
    }
    in->room = slt_alloc(&in->context->allocator, row, 1);
    in->scratch = slt_alloc(&in->context->allocator, row, 1);
    return in->room && in->scratch ? SLT_OK : SLT_NOMEM;
}

static slt_status read_file(source *in, const char *out) {
    SLT_TRY(slt_hdf5_find_layout(in->file, &in->layout));
    SLT_TRY(find_columns(in));
    SLT_TRY(measure_all(in));
    SLT_TRY(find_masks(in));
    SLT_TRY(check_size(in));
    SLT_TRY(take_room(in));
    SLT_TRY(slt_safetensors_writer_open(&in->context->allocator, out, &in->writer));
    slt_safetensors_describe(in->writer, "source", in->layout->name);
    slt_hdf5_put_names(in->writer, "action_names", &in->columns[ACTIONS], NULL);
    slt_hdf5_put_names(in->writer, "observation_names", &in->columns[OBSERVATIONS],
                       in->layout->observations);
    if (in->columns[OBSERVATIONS].left_out[0])
        slt_safetensors_describe(in->writer, "left_out", in->columns[OBSERVATIONS].left_out);
    SLT_TRY(hand_over(in));
    slt_status status = slt_safetensors_commit(in->writer);
    in->writer = NULL;
    return status;
}

// every episode is looked at several times: keep what describes them in memory
static hid_t open_file(const char *path) {
    H5AC_cache_config_t cache = {.version = H5AC__CURR_CACHE_CONFIG_VERSION};
    hid_t plan = H5Pcreate(H5P_FILE_ACCESS);
    if (plan >= 0 && H5Pget_mdc_config(plan, &cache) >= 0) {
        cache.set_initial_size = true;
        cache.initial_size = cache.max_size = 64 << 20;
        H5Pset_mdc_config(plan, &cache);
    }
    hid_t file = H5Fopen(path, H5F_ACC_RDONLY, plan < 0 ? H5P_DEFAULT : plan);
    if (plan >= 0) H5Pclose(plan);
    return file;
}

slt_status slt_hdf5_to_arrays(slt_context *context, const char *path, const char *out,
                              const slt_hdf5_choice *choice) {
    struct stat info;
    if (stat(path, &info) != 0 || !S_ISREG(info.st_mode)) SLT_FAIL(SLT_IO, "not a regular file");
    source in = {.context = context, .path = path, .choice = choice};
    // deflate packs at most 1032 to 1
    in.most = (1ull << 30) + 1100ull * (uint64_t)info.st_size;
    in.file = open_file(path);
    if (in.file < 0) SLT_FAIL(SLT_FORMAT, "no HDF5 file, or a damaged one");
    slt_status status = read_file(&in, out);
    slt_safetensors_abort(in.writer);
    slt_free(&context->allocator, in.offsets);
    slt_free(&context->allocator, in.splits);
    slt_free(&context->allocator, in.room);
    slt_free(&context->allocator, in.scratch);
    H5Fclose(in.file);
    return status;
}
