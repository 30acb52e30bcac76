// Symbol chains on the CUDA device, host side: memory, copies and the order of kernels.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include "cuda/chains/cuda_symbols.h"

#include <string.h>
#include "core/memory.h"
#include "cuda/chains/chain_memory.h"
#include "cuda/chains/cuda_chain_device.h"

enum { MOST_MEMBERS = 65535 };

struct slt_symbol_pass {
    slt_chain_memory memory;
    slt_symbol_args args;
};

// ---- opening

static int64_t more(int64_t x, int64_t y) { return x > y ? x : y; }

static slt_status measure_shapes(slt_symbol_pass *p, const slt_symbol_task *task) {
    slt_symbol_args *a = &p->args;
    if (task->count < 1 || task->count > MOST_MEMBERS)
        SLT_FAIL(SLT_RANGE, "%d members; a device takes 1 to %d", task->count, MOST_MEMBERS);
    for (int i = 0; i < task->lists; i++) {
        const slt_symbol_list *list = &task->list[i];
        a->room = more(a->room, list->rows);
        a->sequence_room = more(a->sequence_room, list->sequences);
        a->key_room = more(a->key_room, list->keys);
        a->part_room = more(a->part_room, list->parts);
    }
    a->chunks = (int)((a->room + SLT_SYMBOL_CHUNK - 1) / SLT_SYMBOL_CHUNK);
    return SLT_OK;
}

// an array of every list, `room` apart
static slt_status send_array(slt_symbol_pass *p, const slt_symbol_task *task, size_t place,
                             int64_t room, const int32_t *lengths, const int32_t **out) {
    SLT_TRY(
        slt_chain_reserve(&p->memory, (size_t)task->lists * (size_t)room, sizeof(int32_t), out));
    for (int i = 0; i < task->lists; i++) {
        const int32_t *from;
        memcpy(&from, (const char *)&task->list[i] + place, sizeof from);
        SLT_TRY(
            slt_chain_send(&p->memory, *out + i * room, from, sizeof *from * (size_t)lengths[i]));
    }
    return SLT_OK;
}

typedef enum { ROWS, SEQUENCES, KEYS, PARTS, SIZES } list_size;

static slt_status send_lists(slt_symbol_pass *p, const slt_symbol_task *task) {
    slt_symbol_args *a = &p->args;
    slt_allocator *allocator = &p->memory.cuda->context->allocator;
    size_t lists = (size_t)task->lists;
    const struct {
        size_t place;
        int64_t room;
        list_size size;
        int more;
        const int32_t **out;
    } arrays[] = {
        {offsetof(slt_symbol_list, key), a->room, ROWS, 0, &a->key},
        {offsetof(slt_symbol_list, sequence), a->sequence_room + 1, SEQUENCES, 1, &a->sequence},
        {offsetof(slt_symbol_list, order), a->room, ROWS, 0, &a->order},
        {offsetof(slt_symbol_list, part), a->part_room + 1, PARTS, 1, &a->part},
        {offsetof(slt_symbol_list, key_parts), a->key_room + 1, KEYS, 1, &a->key_parts},
    };
    int32_t *size;
    int32_t *lengths;
    slt_status status = SLT_OK;
    SLT_TRY(slt_chain_reserve(&p->memory, lists * SIZES, sizeof *size, &a->size));
    SLT_TRY(SLT_ALLOC(allocator, &size, lists * (SIZES + 1)));
    lengths = size + lists * SIZES;
    for (size_t i = 0; i < lists; i++) {
        const slt_symbol_list *list = &task->list[i];
        const int32_t sizes[SIZES] = {list->rows, list->sequences, list->keys, list->parts};
        memcpy(size + i * SIZES, sizes, sizeof sizes);
    }
    for (size_t n = 0; n < sizeof arrays / sizeof *arrays && status == SLT_OK; n++) {
        for (size_t i = 0; i < lists; i++)
            lengths[i] = size[i * SIZES + arrays[n].size] + arrays[n].more;
        status = send_array(p, task, arrays[n].place, arrays[n].room, lengths, arrays[n].out);
    }
    if (status == SLT_OK)
        status = slt_chain_send(&p->memory, a->size, size, sizeof *size * lists * SIZES);
    if (status == SLT_OK) status = slt_cuda_rest(p->memory.cuda);
    slt_free(allocator, size);
    return status;
}

static slt_status reserve_values(slt_symbol_pass *p, const slt_symbol_task *task) {
    slt_symbol_args *a = &p->args;
    size_t count = (size_t)a->count, numbers = count * (size_t)a->key_room * 2 * (size_t)a->laws;
    SLT_TRY(slt_chain_reserve(&p->memory, count, sizeof *a->law, &a->law));
    SLT_TRY(slt_chain_reserve(&p->memory, numbers, sizeof(double), &a->tables));
    if (!a->told) return SLT_OK;
    SLT_TRY(slt_chain_reserve(&p->memory, (size_t)a->states, sizeof(double), &a->prior));
    return slt_chain_send(&p->memory, a->prior, task->prior, sizeof(double) * (size_t)a->states);
}

static slt_status reserve_rows(slt_symbol_pass *p, bool paths) {
    slt_symbol_args *a = &p->args;
    size_t count = (size_t)a->count, rows = count * (size_t)a->room;
    size_t cells = rows * (size_t)a->states * (size_t)a->laws,
           columns = slt_symbol_columns(a->laws);
    if (paths) {
        SLT_TRY(slt_chain_reserve(&p->memory, cells, 1, &a->back));
        SLT_TRY(slt_chain_reserve(&p->memory, rows, 1, &a->cut));
        return slt_chain_reserve(&p->memory, rows, 1, &a->path);
    }
    SLT_TRY(slt_chain_reserve(&p->memory, cells, sizeof(double), &a->alpha));
    SLT_TRY(slt_chain_reserve(&p->memory, cells, sizeof(double), &a->stay));
    SLT_TRY(slt_chain_reserve(&p->memory, cells, sizeof(double), &a->enter));
    SLT_TRY(slt_chain_reserve(&p->memory, cells, sizeof(double), &a->next));
    SLT_TRY(slt_chain_reserve(&p->memory, rows, sizeof(double), &a->scale));
    SLT_TRY(slt_chain_reserve(&p->memory, rows, sizeof(float), &a->chance));
    SLT_TRY(
        slt_chain_reserve(&p->memory, count * (size_t)a->sequence_room, sizeof(double), &a->nats));
    SLT_TRY(slt_chain_reserve(&p->memory, count * (size_t)a->part_room * columns, sizeof(double),
                              &a->part_sums));
    SLT_TRY(slt_chain_reserve(&p->memory,
                              count * (size_t)a->chunks * SLT_SYMBOL_LAWS * SLT_SYMBOL_LAWS,
                              sizeof(double), &a->chunk_moves));
    SLT_TRY(slt_chain_reserve(&p->memory, count * (size_t)a->key_room * columns, sizeof(double),
                              &a->sums));
    return slt_chain_reserve(&p->memory, count, sizeof *a->totals, &a->totals);
}

static slt_status open_pass(slt_symbol_pass *p, const slt_symbol_task *task) {
    SLT_TRY(measure_shapes(p, task));
    SLT_TRY(send_lists(p, task));
    SLT_TRY(reserve_values(p, task));
    SLT_TRY(reserve_rows(p, task->paths));
    return slt_cuda_rest(p->memory.cuda);
}

static void close_pass(slt_symbol_pass *p) {
    if (!p) return;
    slt_allocator *allocator = &p->memory.cuda->context->allocator;
    slt_chain_release(&p->memory);
    slt_free(allocator, p);
}

static slt_status open(void *device, const slt_symbol_task *task, slt_symbol_pass **out) {
    slt_cuda *cuda = device;
    slt_symbol_pass *p;
    SLT_TRY(SLT_ALLOC(&cuda->context->allocator, &p, 1));
    p->memory.cuda = cuda;
    p->args = (slt_symbol_args){.stream = cuda->stream,
                                .count = task->count,
                                .laws = task->laws,
                                .told = task->counts > 0,
                                .states = task->counts > 0 ? task->counts : 1};
    slt_status status = open_pass(p, task);
    if (status != SLT_OK) {
        close_pass(p);
        return status;
    }
    *out = p;
    return SLT_OK;
}

// ---- working

static slt_status load(slt_symbol_pass *p, const slt_symbol_law *law, const double *tables) {
    const slt_symbol_args *a = &p->args;
    size_t count = (size_t)a->count, numbers = count * (size_t)a->key_room * 2 * (size_t)a->laws;
    SLT_TRY(slt_chain_send(&p->memory, a->law, law, count * sizeof *law));
    SLT_TRY(slt_chain_send(&p->memory, a->tables, tables, numbers * sizeof *tables));
    return slt_cuda_rest(p->memory.cuda);
}

static slt_status expect(slt_symbol_pass *p, slt_symbol_totals *totals, double *sums) {
    const slt_symbol_args *a = &p->args;
    size_t count = (size_t)a->count, columns = slt_symbol_columns(a->laws);
    slt_cuda_symbol_smooth(a);
    slt_cuda_symbol_sums(a);
    SLT_TRY(slt_chain_fetch(&p->memory, totals, a->totals, sizeof *totals * count));
    SLT_TRY(slt_chain_fetch(&p->memory, sums, a->sums,
                            sizeof *sums * count * (size_t)a->key_room * columns));
    return slt_cuda_rest(p->memory.cuda);
}

static slt_status paths(slt_symbol_pass *p, uint8_t *cut, uint8_t *law) {
    const slt_symbol_args *a = &p->args;
    size_t bytes = (size_t)a->count * (size_t)a->room;
    slt_cuda_symbol_paths(a);
    SLT_TRY(slt_chain_fetch(&p->memory, cut, a->cut, bytes));
    SLT_TRY(slt_chain_fetch(&p->memory, law, a->path, bytes));
    return slt_cuda_rest(p->memory.cuda);
}

const slt_symbol_device slt_cuda_symbols = {
    .open = open, .close = close_pass, .load = load, .expect = expect, .paths = paths};
