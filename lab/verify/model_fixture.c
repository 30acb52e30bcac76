// Golden files of models: reading.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include "verify/model_fixture.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "core/number.h"

// a safetensors header names the model in its metadata; the header starts after eight bytes
bool slt_fixture_knows(const slt_golden *golden, const char *model) {
    char want[64];
    snprintf(want, sizeof want, "\"\\\"%s\\\"\"", model);
    if (golden->length < 16 || golden->text[8] != '{') return false;
    const char *start = golden->text + 8;
    size_t header = golden->length - 8 < 65536 ? golden->length - 8 : 65536;
    const char *metadata = memmem(start, header, "\"model\":", 8);
    if (!metadata) return false;
    size_t left = header - (size_t)(metadata - start);
    return memmem(metadata, left < 32 ? left : 32, want, strlen(want)) != NULL;
}

static slt_status metadata_of(const slt_fixture *fixture, const char *key, const char **out) {
    *out = slt_safetensors_metadata(fixture->file, key);
    if (!*out)
        SLT_FAIL(SLT_FORMAT, "%s: metadata '%s' is missing", slt_safetensors_path(fixture->file),
                 key);
    return SLT_OK;
}

slt_status slt_fixture_real(const slt_fixture *fixture, const char *key, double *out) {
    const char *text;
    char *end;
    SLT_TRY(metadata_of(fixture, key, &text));
    double value = slt_number_start(text, &end);
    if (end == text || *end || !isfinite(value))
        SLT_FAIL(SLT_FORMAT, "%s: metadata '%s' is no number: %.40s",
                 slt_safetensors_path(fixture->file), key, text);
    *out = value;
    return SLT_OK;
}

slt_status slt_fixture_int(const slt_fixture *fixture, const char *key, int low, int high,
                           int *out) {
    double value = 0;
    SLT_TRY(slt_fixture_real(fixture, key, &value));
    if (value < low || value > high || value != floor(value))
        SLT_FAIL(SLT_FORMAT, "%s: metadata '%s' is %g, not a whole number from %d to %d",
                 slt_safetensors_path(fixture->file), key, value, low, high);
    *out = (int)value;
    return SLT_OK;
}

bool slt_fixture_is(const slt_fixture *fixture, const char *key, const char *text) {
    const char *value = slt_safetensors_metadata(fixture->file, key);
    size_t length = strlen(text);
    return value && value[0] == '"' && strncmp(value + 1, text, length) == 0;
}

static const slt_array *find(const slt_fixture *fixture, const char *name, slt_dtype dtype,
                             size_t count) {
    char full[128];
    bool input = strncmp(name, "in.", 3) == 0 || strncmp(name, "w.", 2) == 0;
    snprintf(full, sizeof full, "%s%.100s", input ? "" : fixture->prefix, name);
    const slt_array *array = slt_safetensors_find(fixture->file, full);
    return array && array->dtype == dtype && array->count == count ? array : NULL;
}

const float *slt_fixture_find(const slt_fixture *fixture, const char *name, size_t count) {
    const slt_array *array = find(fixture, name, SLT_DTYPE_F32, count);
    return array ? array->data : NULL;
}

static slt_status missing(const slt_fixture *fixture, const char *name, size_t count) {
    SLT_FAIL(SLT_FORMAT, "%s: no array '%s%s' of %zu numbers", slt_safetensors_path(fixture->file),
             fixture->prefix, name, count);
}

slt_status slt_fixture_floats(const slt_fixture *fixture, const char *name, size_t count,
                              const float **out) {
    *out = slt_fixture_find(fixture, name, count);
    return *out ? SLT_OK : missing(fixture, name, count);
}

slt_status slt_fixture_ints(const slt_fixture *fixture, const char *name, size_t count,
                            const int32_t **out) {
    const slt_array *array = find(fixture, name, SLT_DTYPE_I32, count);
    if (!array) return missing(fixture, name, count);
    *out = array->data;
    return SLT_OK;
}

// ---- parameters, part by part

typedef struct {
    const slt_part *part;
    const slt_parameter *parameter;
    int number, first; // first column
} part_view;

typedef slt_status (*part_visit)(slt_fixture *fixture, const slt_store *store, part_view view,
                                 double argument);

static slt_status visit_parts(slt_fixture *fixture, const slt_store *store, part_visit visit,
                              double argument) {
    for (int i = 0; i < store->count; i++) {
        const slt_parameter *parameter = &store->parameters[i];
        for (int k = 0, first = 0; k < parameter->parts; first += parameter->part[k++].columns)
            SLT_TRY(visit(fixture, store, (part_view){&parameter->part[k], parameter, i, first},
                          argument));
    }
    return SLT_OK;
}

static size_t part_count(part_view view) {
    return (size_t)view.parameter->rows * (size_t)view.part->columns;
}

// number i of a part in a block
static slt_real *at(const slt_store *store, slt_real *block, part_view view, size_t i) {
    size_t columns = (size_t)view.part->columns;
    return slt_store_at(store, block, view.number, 0) +
           i / columns * (size_t)view.parameter->columns + (size_t)view.first + i % columns;
}

// an entry whose gradient is rounding noise
static bool is_noise(part_view view, size_t i) {
    int column = (int)(i % (size_t)view.part->columns);
    return column >= view.part->columns - view.part->zero_columns;
}

static const char *named(char *text, const char *kind, part_view view) {
    snprintf(text, 128, "%s.%.100s", kind, view.part->name);
    return text;
}

static slt_status load_part(slt_fixture *fixture, const slt_store *store, part_view view,
                            double unused) {
    (void)unused;
    char name[128];
    const float *values;
    SLT_TRY(slt_fixture_floats(fixture, named(name, "w", view), part_count(view), &values));
    for (size_t i = 0; i < part_count(view); i++) *at(store, store->value, view, i) = values[i];
    return SLT_OK;
}

slt_status slt_fixture_load(const slt_fixture *fixture, slt_store *store) {
    slt_fixture copy = *fixture;
    SLT_TRY(slt_store_edit(store));
    return visit_parts(&copy, store, load_part, 0);
}

// ---- comparing

static double largest(const float *values, size_t count) {
    float most = 0;
    for (size_t i = 0; i < count; i++)
        if (fabsf(values[i]) > most) most = fabsf(values[i]);
    return most;
}

void slt_fixture_compare(slt_fixture *fixture, const char *name, const slt_real *got, size_t rows,
                         size_t width, size_t stride, double tolerance) {
    const float *want = slt_fixture_find(fixture, name, rows * width);
    if (!want) return;
    double scale = fmax(largest(want, rows * width), 1e-30);
    for (size_t i = 0; i < rows * width; i++)
        slt_verify_near(fixture->verification, want[i], (double)got[i / width * stride + i % width],
                        tolerance, scale, name);
}

static slt_status global_norm(const slt_fixture *fixture, double *out) {
    const float *norm;
    SLT_TRY(slt_fixture_floats(fixture, "gradnorm.global", 1, &norm));
    *out = norm[0];
    return SLT_OK;
}

// norm over the live columns, row by row
static double part_norm(const slt_store *store, slt_real *block, part_view view) {
    double sum = 0;
    int live = view.part->columns - view.part->zero_columns;
    for (int r = 0; r < view.parameter->rows; r++) {
        const slt_real *row = at(store, block, view, (size_t)r * (size_t)view.part->columns);
        for (int c = 0; c < live; c++) sum += (double)row[c] * (double)row[c];
    }
    return sqrt(sum);
}

static slt_status compare_gradient(slt_fixture *fixture, const slt_store *store, part_view view,
                                   double global) {
    char name[128];
    const float *want = slt_fixture_find(fixture, named(name, "grad", view), part_count(view));
    double scale = want ? fmax(largest(want, part_count(view)), 1e-4 * global) : 1;
    for (size_t i = 0; want && i < part_count(view); i++)
        if (!is_noise(view, i))
            slt_verify_near(fixture->verification, want[i],
                            (double)*at(store, store->gradient, view, i), 1e-4, scale, name);
    const float *norm = slt_fixture_find(fixture, named(name, "gradnorm", view), 1);
    if (norm && view.part->zero_columns < view.part->columns)
        slt_verify_near(fixture->verification, norm[0], part_norm(store, store->gradient, view),
                        1e-4, fmax(norm[0], 1e-4 * global), name);
    return SLT_OK;
}

slt_status slt_fixture_gradients(slt_fixture *fixture, slt_store *store) {
    double global;
    SLT_TRY(slt_store_fetch(store));
    SLT_TRY(global_norm(fixture, &global));
    return visit_parts(fixture, store, compare_gradient, global);
}

static slt_status compare_clipped(slt_fixture *fixture, const slt_store *store, part_view view,
                                  double clip) {
    char name[128];
    double global;
    SLT_TRY(global_norm(fixture, &global));
    const float *want =
        slt_fixture_find(fixture, named(name, "grad_clipped", view), part_count(view));
    double scale = want ? fmax(largest(want, part_count(view)), 1e-4 * clip * global) : 1;
    for (size_t i = 0; want && i < part_count(view); i++)
        if (!is_noise(view, i))
            slt_verify_near(fixture->verification, want[i],
                            clip * (double)*at(store, store->gradient, view, i), 1e-4, scale, name);
    return SLT_OK;
}

slt_status slt_fixture_clipped(slt_fixture *fixture, slt_store *store, double scale) {
    SLT_TRY(slt_store_fetch(store));
    return visit_parts(fixture, store, compare_clipped, scale);
}

static slt_status compare_step(slt_fixture *fixture, const slt_store *store, part_view view,
                               double rate) {
    char name[128];
    double global, sum = 0;
    const float *before;
    SLT_TRY(global_norm(fixture, &global));
    SLT_TRY(slt_fixture_floats(fixture, named(name, "w", view), part_count(view), &before));
    const float *want = slt_fixture_find(fixture, named(name, "adam1", view), part_count(view));
    for (size_t i = 0; i < part_count(view); i++) {
        double got = (double)*at(store, store->value, view, i);
        double gradient = (double)*at(store, store->gradient, view, i);
        sum += (got - before[i]) * (got - before[i]);
        if (want && !is_noise(view, i) && fabs(gradient) > 1e-5 * global)
            slt_verify_near(fixture->verification, want[i], got, 2e-3, rate, name);
    }
    const float *norm = slt_fixture_find(fixture, named(name, "adam1_delta_norm", view), 1);
    bool partly_noise = view.part->zero_columns > 0;
    if (norm && view.part->zero_columns < view.part->columns)
        slt_verify_near(fixture->verification, norm[0], sqrt(sum), partly_noise ? 1e-2 : 2e-3,
                        norm[0], name);
    return SLT_OK;
}

slt_status slt_fixture_first_step(slt_fixture *fixture, slt_store *store, double rate) {
    SLT_TRY(slt_store_fetch(store));
    return visit_parts(fixture, store, compare_step, rate);
}
