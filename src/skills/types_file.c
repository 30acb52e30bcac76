// Types as a file (docs/formats.md), and as words. The file is not trusted.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include "core/output_impl.h"
#include "core/safetensors.h"
#include "skills/types_impl.h"

static const char FORMAT_NAME[] = "slottar-types-1";

// the numbers of `about`, in their order
enum {
    ABOUT_CONTINUOUS,
    ABOUT_ACTIONS,
    ABOUT_OBSERVATION,
    ABOUT_CHANNELS,
    ABOUT_STILL,
    ABOUT_ORIGIN,
    ABOUT_COUNT
};
enum { SYMBOL_COLUMNS = 2 + 2 * SLT_CELL_CHANNELS, EFFECT_COLUMNS = 2 + SLT_TYPE_SYMBOLS };

// ---- writing

static slt_status pack_symbols(const slt_types *types, slt_arena *arena, int32_t **out) {
    SLT_TRY(SLT_NEW(arena, out, (size_t)types->symbol_count * SYMBOL_COLUMNS + 1));
    for (int i = 0; i < types->symbol_count; i++) {
        const slt_atom *atom = &types->symbols[i];
        int32_t *row = *out + i * SYMBOL_COLUMNS;
        row[0] = atom->cell;
        row[1] = atom->channels;
        for (int c = 0; c < SLT_CELL_CHANNELS; c++) {
            row[2 + c] = atom->before[c];
            row[2 + SLT_CELL_CHANNELS + c] = atom->after[c];
        }
    }
    return SLT_OK;
}

static slt_array array_of(const char *name, slt_dtype dtype, int64_t rows, int64_t columns,
                          const void *data) {
    slt_array array = {.name = name, .dtype = dtype, .rank = columns ? 2 : 1, .data = data};
    array.shape[0] = rows;
    array.shape[1] = columns;
    return array;
}

slt_status slt_types_pack(const slt_types *types, slt_arena *arena,
                          slt_array out[SLT_TYPES_ARRAYS]) {
    int32_t *symbols;
    int64_t *about, K = types->count, D = types->features;
    SLT_TRY(pack_symbols(types, arena, &symbols));
    SLT_TRY(SLT_NEW(arena, &about, ABOUT_COUNT));
    about[ABOUT_CONTINUOUS] = types->continuous;
    about[ABOUT_ACTIONS] = types->actions;
    about[ABOUT_OBSERVATION] = types->observation;
    about[ABOUT_CHANNELS] = types->shape.channels;
    about[ABOUT_STILL] = types->still_symbols;
    about[ABOUT_ORIGIN] = (int64_t)types->origin;
    const slt_array by_effect[SLT_TYPES_ARRAYS] = {
        array_of("about", SLT_DTYPE_I64, ABOUT_COUNT, 0, about),
        array_of("times", SLT_DTYPE_I64, K, 0, types->times),
        array_of("occurrences", SLT_DTYPE_I64, K, 0, types->occurrences),
        array_of("effects", SLT_DTYPE_I32, K, EFFECT_COLUMNS, types->effects.keys),
        array_of("symbols", SLT_DTYPE_I32, types->symbol_count, SYMBOL_COLUMNS, symbols),
        array_of("cells", SLT_DTYPE_U8, types->shape.cells, 0, types->cells),
    };
    const slt_array by_cluster[SLT_TYPES_ARRAYS] = {
        array_of("about", SLT_DTYPE_I64, ABOUT_COUNT, 0, about),
        array_of("times", SLT_DTYPE_I64, K, 0, types->times),
        array_of("occurrences", SLT_DTYPE_I64, K, 0, types->occurrences),
        array_of("means", SLT_DTYPE_F64, D, 0, types->means),
        array_of("scales", SLT_DTYPE_F64, D, 0, types->scales),
        array_of("centres", SLT_DTYPE_F64, K, D, types->centres),
    };
    memcpy(out, D ? by_cluster : by_effect, sizeof by_effect);
    return SLT_OK;
}

static slt_status write_file(const slt_types *types, slt_arena *arena, const char *path) {
    const slt_metadata format = {"format", FORMAT_NAME};
    slt_array arrays[SLT_TYPES_ARRAYS];
    SLT_TRY(slt_types_pack(types, arena, arrays));
    return slt_safetensors_save(&types->context->allocator, path, arrays, SLT_TYPES_ARRAYS, &format,
                                1);
}

slt_status slt_types_save(const slt_types *types, const char *path, bool overwrite) {
    slt_arena arena;
    slt_lock lock;
    slt_output_request output = {.path = path, .overwrite = overwrite};
    SLT_TRY(slt_output_claim(&lock, types->context, &output));
    slt_arena_init(&arena, &types->context->allocator, 0);
    slt_status status = write_file(types, &arena, path);
    slt_arena_deinit(&arena);
    slt_lock_release(&lock);
    return status;
}

// ---- reading

static slt_status refuse(const slt_safetensors *file, const char *name, const char *what) {
    return slt_fail(SLT_FORMAT, "%s: %s: %s", slt_safetensors_path(file), name, what);
}

static slt_status get(const slt_safetensors *file, const char *name, slt_dtype dtype, int64_t rows,
                      int64_t columns, const slt_array **out) {
    const int64_t shape[2] = {rows, columns};
    return slt_safetensors_get(file, name, dtype, columns ? 2 : 1, shape, out);
}

static slt_status read_counts(slt_types *types, const slt_safetensors *file) {
    const slt_array *times, *occurrences;
    SLT_TRY(get(file, "times", SLT_DTYPE_I64, -1, 0, &times));
    if (times->count < 1 || times->count > SLT_MOST_TYPES)
        return refuse(file, "times", "there are no types, or too many");
    types->count = (int)times->count;
    SLT_TRY(get(file, "occurrences", SLT_DTYPE_I64, types->count, 0, &occurrences));
    SLT_TRY(SLT_NEW(&types->arena, &types->times, times->count));
    SLT_TRY(SLT_NEW(&types->arena, &types->occurrences, times->count));
    memcpy(types->times, times->data, times->bytes);
    memcpy(types->occurrences, occurrences->data, times->bytes);
    for (int k = 0; k < types->count; k++)
        if (types->times[k] < 1 || types->occurrences[k] < types->times[k])
            return refuse(file, "occurrences", "fewer than `times`, or no times");
    return SLT_OK;
}

static slt_status read_about(slt_types *types, const slt_safetensors *file) {
    const slt_array *array;
    SLT_TRY(get(file, "about", SLT_DTYPE_I64, ABOUT_COUNT, 0, &array));
    const int64_t *about = array->data;
    if (about[ABOUT_CONTINUOUS] < 0 || about[ABOUT_CONTINUOUS] > 1 || about[ABOUT_ACTIONS] < 1 ||
        about[ABOUT_ACTIONS] > 1 << 20 || about[ABOUT_OBSERVATION] < 0 ||
        about[ABOUT_OBSERVATION] > INT32_MAX || about[ABOUT_CHANNELS] < 0 ||
        about[ABOUT_CHANNELS] > SLT_CELL_CHANNELS || about[ABOUT_STILL] < 0)
        return refuse(file, "about", "a number is out of range");
    types->continuous = about[ABOUT_CONTINUOUS] != 0;
    types->actions = (int)about[ABOUT_ACTIONS];
    types->observation = about[ABOUT_OBSERVATION];
    types->shape.channels = (int)about[ABOUT_CHANNELS];
    types->still_symbols = about[ABOUT_STILL] < INT32_MAX ? (int)about[ABOUT_STILL] : INT32_MAX;
    types->origin = (uint64_t)about[ABOUT_ORIGIN];
    return read_counts(types, file);
}

static slt_status read_cells(slt_types *types, const slt_safetensors *file) {
    const slt_array *array;
    SLT_TRY(get(file, "cells", SLT_DTYPE_U8, -1, 0, &array));
    const uint8_t *kinds = array->data;
    size_t channels = (size_t)types->shape.channels;
    if (array->count > SLT_MOST_CELLS || channels < 1 ||
        (array->count && array->count * channels != (size_t)types->observation))
        return refuse(file, "cells", "they do not make an observation");
    for (size_t i = 0; i < array->count; i++)
        if (kinds[i] > SLT_CELL_LATE) return refuse(file, "cells", "no such kind of cell");
    types->shape.cells = (int32_t)array->count;
    types->shape.size = (int64_t)(array->count * channels);
    SLT_TRY(SLT_NEW(&types->arena, &types->cells, array->count + 1));
    if (array->count) memcpy(types->cells, kinds, array->count);
    return SLT_OK;
}

static bool unpack_symbol(const slt_types *types, const int32_t *row, slt_atom *out) {
    int all = (1 << types->shape.channels) - 1;
    if (row[0] < 0 || row[0] >= types->shape.cells || row[1] < 1 || row[1] > all) return false;
    *out = (slt_atom){.cell = row[0], .channels = (uint8_t)row[1]};
    for (int c = 0; c < SLT_CELL_CHANNELS; c++) {
        int before = row[2 + c], after = row[2 + SLT_CELL_CHANNELS + c];
        if (before < 0 || before > 255 || after < 0 || after > 255) return false;
        out->before[c] = (uint8_t)before;
        out->after[c] = (uint8_t)after;
    }
    return true;
}

static slt_status read_symbols(slt_types *types, const slt_safetensors *file) {
    const slt_array *array;
    SLT_TRY(get(file, "symbols", SLT_DTYPE_I32, -1, SYMBOL_COLUMNS, &array));
    size_t count = array->count / SYMBOL_COLUMNS;
    if (count > INT32_MAX || types->still_symbols > (int)count)
        return refuse(file, "symbols", "fewer than `about` says");
    types->symbol_count = (int)count;
    SLT_TRY(SLT_NEW(&types->arena, &types->symbols, count + 1));
    for (size_t i = 0; i < count; i++)
        if (!unpack_symbol(types, (const int32_t *)array->data + i * SYMBOL_COLUMNS,
                           &types->symbols[i]))
            return refuse(file, "symbols", "a number is out of range");
    return SLT_OK;
}

static bool is_effect(const slt_types *types, const slt_effect *effect) {
    if (effect->action < 0 || effect->action >= types->actions || effect->count < 0 ||
        effect->count > SLT_TYPE_SYMBOLS)
        return false;
    for (int i = 0; i < SLT_TYPE_SYMBOLS; i++) {
        int32_t symbol = effect->symbols[i];
        if (i >= effect->count ? symbol != 0
                               : symbol >= types->symbol_count || symbol == -1 ||
                                     (symbol < 0 && -2 - (int64_t)symbol >= types->shape.cells))
            return false;
    }
    return true;
}

static slt_status read_effects(slt_types *types, const slt_safetensors *file) {
    const slt_array *array;
    SLT_TRY(read_cells(types, file));
    SLT_TRY(read_symbols(types, file));
    SLT_TRY(get(file, "effects", SLT_DTYPE_I32, types->count, EFFECT_COLUMNS, &array));
    for (int k = 0; k < types->count; k++) {
        slt_effect effect;
        int32_t number;
        memcpy(&effect, (const int32_t *)array->data + k * EFFECT_COLUMNS, sizeof effect);
        if (!is_effect(types, &effect)) return refuse(file, "effects", "a number is out of range");
        SLT_TRY(slt_key_map_add(&types->effects, &effect, &number));
        if (number != k) return refuse(file, "effects", "an effect is there twice");
    }
    return SLT_OK;
}

static slt_status read_reals(slt_types *types, const slt_safetensors *file, const char *name,
                             int64_t rows, int64_t columns, double **out) {
    const slt_array *array;
    SLT_TRY(get(file, name, SLT_DTYPE_F64, rows, columns, &array));
    const double *values = array->data;
    for (size_t i = 0; i < array->count; i++)
        if (!isfinite(values[i])) return refuse(file, name, "a number is not finite");
    SLT_TRY(SLT_NEW(&types->arena, out, array->count + 1));
    memcpy(*out, values, array->bytes);
    return SLT_OK;
}

static slt_status read_clusters(slt_types *types, const slt_safetensors *file) {
    int64_t D = types->observation + types->actions;
    if (D > INT32_MAX) return refuse(file, "about", "a number is out of range");
    types->features = (int)D;
    SLT_TRY(read_reals(types, file, "means", D, 0, &types->means));
    SLT_TRY(read_reals(types, file, "scales", D, 0, &types->scales));
    for (int64_t i = 0; i < D; i++)
        if (!(types->scales[i] > 0)) return refuse(file, "scales", "a number is not above 0");
    return read_reals(types, file, "centres", types->count, D, &types->centres);
}

static slt_status read_types(slt_types *types, const slt_safetensors *file) {
    SLT_TRY(read_about(types, file));
    return slt_safetensors_find(file, "centres") ? read_clusters(types, file)
                                                 : read_effects(types, file);
}

slt_status slt_types_unpack(slt_context *context, const slt_safetensors *file, slt_types **out) {
    static const slt_dataset_info none = {0};
    slt_types *types = NULL;
    SLT_TRY(slt_types_create(context, &none, &types));
    slt_status status = read_types(types, file);
    if (status != SLT_OK) return slt_types_close(types), status;
    *out = types;
    return SLT_OK;
}

slt_status slt_types_open(slt_context *context, const char *path, slt_types **out) {
    slt_safetensors *file;
    SLT_TRY(slt_safetensors_open(&context->allocator, path, &file));
    const char *format = slt_safetensors_metadata(file, "format");
    slt_status status = format && strcmp(format, FORMAT_NAME) == 0
                            ? slt_types_unpack(context, file, out)
                            : refuse(file, "format", "no types of segments (slottar-types-1)");
    slt_safetensors_close(file);
    return status;
}

// ---- as words

static int print_symbol(const slt_types *types, int32_t symbol, char *out, size_t size) {
    if (symbol < 0) return snprintf(out, size, ", cell %d changed", -2 - symbol);
    const slt_atom *atom = &types->symbols[symbol];
    int at = snprintf(out, size, ", cell %d", atom->cell);
    for (int c = 0; c < types->shape.channels && at < (int)size; c++) {
        if (!(atom->channels >> c & 1)) continue;
        if (types->shape.channels > 1)
            at += snprintf(out + at, size - (size_t)at, " channel %d", c);
        if (at < (int)size)
            at += snprintf(out + at, size - (size_t)at, " %d->%d", atom->before[c], atom->after[c]);
    }
    return at;
}

slt_status slt_types_describe(const slt_types *types, const slt_dataset *data, int type, char *out,
                              size_t size) {
    if (type < 0 || type >= types->count)
        SLT_FAIL(SLT_RANGE, "no type %d, there are %d", type, types->count);
    if (size < 1) SLT_FAIL(SLT_INVALID, "no room for a text");
    if (types->features) return snprintf(out, size, "cluster %d", type), SLT_OK;
    const slt_effect *effect = slt_key_map_at(&types->effects, type);
    const slt_dataset_info *info = data ? slt_dataset_about(data) : NULL;
    int at;
    if (info && info->action_names && effect->action < info->action_count)
        at = snprintf(out, size, "%s", info->action_names[effect->action]);
    else
        at = snprintf(out, size, "action %d", effect->action);
    for (int i = 0; i < effect->count && at < (int)size; i++)
        at += print_symbol(types, effect->symbols[i], out + at, size - (size_t)at);
    return SLT_OK;
}
