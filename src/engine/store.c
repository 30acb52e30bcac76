// The parameter store.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include "engine/store.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include "core/philox.h"
#include "engine/device.h"

slt_status slt_store_create(slt_context *context, int members, slt_store **out) {
    if (members < 1) SLT_FAIL(SLT_RANGE, "a population has at least 1 member, not %d", members);
    slt_store *store;
    SLT_TRY(SLT_ALLOC(&context->allocator, &store, 1));
    store->context = context;
    store->members = members;
    slt_arena_init(&store->arena, &context->allocator, 0);
    slt_status status = slt_device_open(context, &store->device);
    if (status != SLT_OK) {
        slt_store_destroy(store);
        return status;
    }
    *out = store;
    return SLT_OK;
}

void slt_store_destroy(slt_store *store) {
    if (!store) return;
    if (store->on_device) store->device->kind->store_close(store);
    slt_arena_deinit(&store->arena);
    slt_free(&store->context->allocator, store);
}

static int reject(slt_store *store, slt_status status, const char *name, const char *why) {
    if (store->status == SLT_OK) {
        store->status = status;
        snprintf(store->message, sizeof store->message, "parameter '%s': %s", name, why);
    }
    return -1;
}

static bool grow(slt_store *store) {
    if (store->count < store->room) return true;
    int room = store->room ? 2 * store->room : 64;
    slt_parameter *larger;
    if (SLT_NEW(&store->arena, &larger, (size_t)room) != SLT_OK) return false;
    if (store->count) memcpy(larger, store->parameters, (size_t)store->count * sizeof *larger);
    store->parameters = larger;
    store->room = room;
    return true;
}

static bool copy_parts(slt_store *store, slt_parameter *parameter, const slt_part *parts,
                       const int *flat) {
    size_t count = (size_t)parameter->parts;
    if (SLT_NEW(&store->arena, &parameter->part, count) != SLT_OK) return false;
    memcpy(parameter->part, parts, count * sizeof *parts);
    if (flat && SLT_NEW(&store->arena, &parameter->flat, count) != SLT_OK) return false;
    if (flat) memcpy(parameter->flat, flat, count * sizeof *flat);
    for (size_t i = 0; i < count; i++) {
        char *name;
        const char *from = parts[i].name;
        if (slt_arena_text(&store->arena, from, strlen(from), &name) != SLT_OK) return false;
        parameter->part[i].name = name;
    }
    return true;
}

static int add(slt_store *store, int rows, const slt_part *parts, const int *flat, int count) {
    const char *name = parts[0].name;
    if (store->status != SLT_OK) return -1;
    if (store->value) return reject(store, SLT_INVALID, name, "added after finish");
    if (count < 1 || count > SLT_PARTS) return reject(store, SLT_RANGE, name, "number of parts");
    slt_parameter parameter = {.parts = count, .rows = rows};
    for (int i = 0; i < count; i++) {
        if (rows < 1 || parts[i].columns < 1 || parts[i].columns > 1 << 24 || rows > 1 << 24)
            return reject(store, SLT_RANGE, name, "rows and columns must be 1 to 2^24");
        if (flat && (flat[i] < 1 || parts[i].columns % flat[i]))
            return reject(store, SLT_RANGE, parts[i].name, "numbers are no multiple of its rows");
        if (slt_store_find(store, parts[i].name) >= 0)
            return reject(store, SLT_INVALID, parts[i].name, "declared twice");
        if (parameter.columns > INT32_MAX - parts[i].columns)
            return reject(store, SLT_RANGE, name, "too many columns");
        parameter.columns += parts[i].columns;
    }
    if (!grow(store) || !copy_parts(store, &parameter, parts, flat))
        return reject(store, SLT_NOMEM, name, "no memory");
    store->parameters[store->count] = parameter;
    return store->count++;
}

int slt_store_add(slt_store *store, int rows, const slt_part *parts, int count) {
    return add(store, rows, parts, NULL, count);
}

int slt_store_add_flat(slt_store *store, const slt_part *parts, const int *flat, int count) {
    return add(store, 1, parts, flat, count);
}

void slt_store_part_shape(const slt_parameter *parameter, int part, int64_t shape[2]) {
    shape[0] = parameter->flat ? parameter->flat[part] : parameter->rows;
    shape[1] = parameter->part[part].columns / (parameter->flat ? shape[0] : 1);
}

int slt_store_find(const slt_store *store, const char *name) {
    for (int i = 0; i < store->count; i++)
        for (int k = 0; k < store->parameters[i].parts; k++)
            if (strcmp(store->parameters[i].part[k].name, name) == 0) return i;
    return -1;
}

static size_t parameter_size(const slt_parameter *parameter) {
    return (size_t)parameter->rows * (size_t)parameter->columns;
}

static slt_status cut_pieces(slt_store *store) {
    enum { PIECE = 16384 };
    size_t room = 0;
    for (int i = 0; i < store->count; i++)
        room += (parameter_size(&store->parameters[i]) + PIECE - 1) / PIECE;
    room *= (size_t)store->members;
    if (room > INT32_MAX) SLT_FAIL(SLT_RANGE, "too many parameters");
    SLT_TRY(SLT_NEW(&store->arena, &store->pieces, room));
    SLT_TRY(SLT_NEW(&store->arena, &store->piece_norm, room));
    SLT_TRY(SLT_NEW(&store->arena, &store->norm, (size_t)store->members));
    for (int m = 0; m < store->members; m++)
        for (int i = 0; i < store->count; i++) {
            size_t size = parameter_size(&store->parameters[i]);
            size_t start = store->parameters[i].offset + size * (size_t)m;
            for (size_t at = 0; at < size; at += PIECE)
                store->pieces[store->piece_count++] =
                    (slt_piece){i, m, start + at, size - at < PIECE ? size - at : PIECE};
        }
    return SLT_OK;
}

slt_status slt_store_finish(slt_store *store) {
    if (store->status != SLT_OK) SLT_FAIL(store->status, "%s", store->message);
    size_t line = SLT_ALIGN / sizeof(slt_real), offset = 0;
    for (int i = 0; i < store->count; i++) {
        store->parameters[i].offset = offset;
        offset += parameter_size(&store->parameters[i]) * (size_t)store->members;
        offset = (offset + line - 1) / line * line;
    }
    store->size = offset;
    SLT_TRY(SLT_NEW(&store->arena, &store->value, offset));
    SLT_TRY(SLT_NEW(&store->arena, &store->gradient, offset + slt_store_tail(store)));
    store->tail = store->gradient + offset;
    SLT_TRY(SLT_NEW(&store->arena, &store->moment1, offset));
    SLT_TRY(SLT_NEW(&store->arena, &store->moment2, offset));
    SLT_TRY(cut_pieces(store));
    return store->device ? store->device->kind->store_open(store) : SLT_OK;
}

slt_status slt_store_fetch(slt_store *store) {
    return store->device && store->device_newer ? store->device->kind->store_fetch(store) : SLT_OK;
}

slt_status slt_store_edit(slt_store *store) {
    SLT_TRY(slt_store_fetch(store));
    store->host_newer = true;
    return SLT_OK;
}

slt_real *slt_store_at(const slt_store *store, slt_real *block, int parameter, int member) {
    const slt_parameter *p = &store->parameters[parameter];
    return block + p->offset + parameter_size(p) * (size_t)member;
}

size_t slt_store_member_size(const slt_store *store) {
    size_t size = 0;
    for (int i = 0; i < store->count; i++) size += parameter_size(&store->parameters[i]);
    return size;
}

// FNV-1a: a new parameter moves no other's numbers
static uint64_t hash_name(const char *name) {
    uint64_t hash = 0xcbf29ce484222325u;
    for (; *name; name++) hash = (hash ^ (unsigned char)*name) * 0x100000001b3u;
    return hash;
}

static double normal(uint64_t seed, uint64_t index) {
    slt_words words = slt_random_words(seed, SLT_RANDOM_INIT, index, 0);
    double u = ((double)words.word[0] + 0.5) * 0x1p-32, v = (double)words.word[1] * 0x1p-32;
    return sqrt(-2 * log(u)) * cos(2 * 3.14159265358979323846 * v);
}

static double draw(const slt_init *init, uint64_t seed, uint64_t index) {
    switch (init->kind) {
    case SLT_INIT_UNIFORM: {
        uint32_t word = slt_random_words(seed, SLT_RANDOM_INIT, index, 0).word[0];
        return init->value * (2 * (double)slt_random_unit(word) - 1);
    }
    case SLT_INIT_NORMAL:
        return init->value * normal(seed, index);
    default:
        return init->value;
    }
}

// rows of length `columns` made orthonormal one after the other (modified Gram-Schmidt); with the
// positive diagonal this is the Q of a QR decomposition of a normal matrix
static void orthogonal(double *rows, int count, int columns) {
    for (int i = 0; i < count; i++) {
        double *row = rows + (size_t)i * (size_t)columns, norm = 0;
        for (int j = 0; j < i; j++) {
            const double *other = rows + (size_t)j * (size_t)columns;
            double dot = 0;
            for (int c = 0; c < columns; c++) dot += row[c] * other[c];
            for (int c = 0; c < columns; c++) row[c] -= dot * other[c];
        }
        for (int c = 0; c < columns; c++) norm += row[c] * row[c];
        for (int c = 0; c < columns; c++) row[c] /= sqrt(norm);
    }
}

// gates i, f, g, o: all but the second become zero
static void keep_forget_gate(double *values, int rows, int columns) {
    for (int i = 0; i < rows * columns; i++)
        if (i % columns / (columns / 4) != 1) values[i] = 0;
}

static slt_status init_part(slt_store *store, const slt_parameter *parameter, const slt_part *part,
                            int first, slt_real *value, uint64_t seed) {
    int rows = parameter->rows, columns = part->columns;
    slt_init init = part->init;
    bool is_orthogonal = init.kind == SLT_INIT_ORTHOGONAL;
    if (is_orthogonal && rows > columns)
        SLT_FAIL(SLT_SHAPE, "parameter '%s': orthogonal needs rows <= columns, not %d > %d",
                 part->name, rows, columns);
    if (is_orthogonal) init = (slt_init){SLT_INIT_NORMAL, 1};
    slt_arena_mark mark = slt_arena_now(&store->arena);
    double *drawn;
    SLT_TRY(SLT_NEW(&store->arena, &drawn, (size_t)rows * (size_t)columns));
    uint64_t base = hash_name(part->name);
    for (size_t i = 0; i < (size_t)rows * (size_t)columns; i++)
        drawn[i] = draw(&init, seed, base + i);
    if (is_orthogonal) orthogonal(drawn, rows, columns);
    if (init.kind == SLT_INIT_FORGET) keep_forget_gate(drawn, rows, columns);
    for (int r = 0; r < rows; r++)
        for (int c = 0; c < columns; c++)
            value[(size_t)r * (size_t)parameter->columns + (size_t)(first + c)] =
                (slt_real)drawn[(size_t)r * (size_t)columns + (size_t)c];
    slt_arena_reset(&store->arena, mark);
    return SLT_OK;
}

slt_status slt_store_init(slt_store *store, int member, uint64_t seed) {
    SLT_TRY(slt_store_edit(store));
    for (int i = 0; i < store->count; i++) {
        const slt_parameter *parameter = &store->parameters[i];
        slt_real *value = slt_store_at(store, store->value, i, member);
        for (int k = 0, first = 0; k < parameter->parts; first += parameter->part[k++].columns)
            SLT_TRY(init_part(store, parameter, &parameter->part[k], first, value, seed));
    }
    return SLT_OK;
}
