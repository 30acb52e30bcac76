// Chains on the CUDA device, host side: memory, copies and the order of kernels.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include "cuda/chains/cuda_chains.h"

#include "core/memory.h"
#include "cuda/chains/chain_memory.h"
#include "cuda/chains/cuda_chain_device.h"

enum { MOST_MEMBERS = 1024 };

struct slt_chain_pass {
    slt_chain_memory memory;
    slt_chain_args args;
    int32_t rows[MOST_MEMBERS], sequences[MOST_MEMBERS];
};

// ---- opening

static slt_status measure_shapes(slt_chain_pass *p, const slt_chain_task *task) {
    slt_chain_args *a = &p->args;
    if (task->count < 1 || task->count > MOST_MEMBERS)
        SLT_FAIL(SLT_RANGE, "%d members; a device takes 1 to %d", task->count, MOST_MEMBERS);
    for (int m = 0; m < task->count; m++) {
        const slt_chain_member *member = &task->members[m],
                               *from = task->same ? task->members : member;
        int64_t rows = 0;
        for (int s = 0; s < from->sequences; s++) rows += from->length[s];
        if (rows < 1 || rows >= INT32_MAX || task->steps >= INT32_MAX)
            SLT_FAIL(SLT_RANGE, "%lld steps; a device takes 1 to %d", (long long)rows, INT32_MAX);
        p->rows[m] = (int32_t)rows;
        p->sequences[m] = from->sequences;
        if (rows > a->room) a->room = rows;
        if (from->sequences > a->sequence_room) a->sequence_room = from->sequences;
        if (member->K > a->most) a->most = member->K;
    }
    a->chunks = (int)((a->room + SLT_CHAIN_CHUNK - 1) / SLT_CHAIN_CHUNK);
    a->row_step = task->same ? 0 : a->room;
    a->sequence_step = task->same ? 0 : a->sequence_room + 1;
    return SLT_OK;
}

static void fill_rows(const slt_chain_member *member, int32_t *rows, int32_t *sequences) {
    int32_t at = 0;
    for (int s = 0; s < member->sequences; s++) {
        sequences[s] = at;
        for (int64_t t = 0; t < member->length[s]; t++) {
            int32_t step = (int32_t)(member->first[s] + t);
            rows[at++] = t ? step : ~step;
        }
    }
    sequences[member->sequences] = at;
}

static slt_status send_rows(slt_chain_pass *p, const slt_chain_task *task) {
    slt_chain_args *a = &p->args;
    slt_allocator *allocator = &p->memory.cuda->context->allocator;
    size_t lists = task->same ? 1 : (size_t)task->count, room = (size_t)a->room;
    size_t places = (size_t)a->sequence_room + 1;
    int32_t *rows, *sequences;
    SLT_TRY(slt_chain_reserve(&p->memory, lists * room, sizeof *rows, &a->rows));
    SLT_TRY(slt_chain_reserve(&p->memory, lists * places, sizeof *rows, &a->sequences));
    SLT_TRY(SLT_ALLOC(allocator, &rows, lists * (room + places)));
    sequences = rows + lists * room;
    for (size_t m = 0; m < lists; m++)
        fill_rows(&task->members[m], rows + m * room, sequences + m * places);
    slt_status status = slt_chain_send(&p->memory, a->rows, rows, sizeof *rows * lists * room);
    if (status == SLT_OK)
        status = slt_chain_send(&p->memory, a->sequences, sequences, sizeof *rows * lists * places);
    if (status == SLT_OK) status = slt_cuda_rest(p->memory.cuda);
    slt_free(allocator, rows);
    return status;
}

// the greatest number of sums of all chunks, and of all members
static void sums_room(const slt_chain_args *a, size_t *part, size_t *sums) {
    size_t count = (size_t)a->count, equations = slt_chain_equations(a->D + a->A, a->A);
    size_t spread = 4 * SLT_CHAIN_LAWS * (size_t)a->A, pairs = 2 * SLT_CHAIN_LAWS * SLT_CHAIN_LAWS;
    size_t each = (size_t)a->most * equations;
    each = each > spread ? each : spread;
    *part = count * (size_t)a->chunks * (each > pairs ? each : pairs);
    each = SLT_CHAIN_LAWS * equations;
    *sums = count * (each > spread ? each : spread);
}

static slt_status reserve_values(slt_chain_pass *p, const slt_chain_task *task) {
    slt_chain_args *a = &p->args;
    size_t count = (size_t)a->count, steps = (size_t)task->steps;
    SLT_TRY(slt_chain_reserve(&p->memory, steps * (size_t)a->A, sizeof(float), &a->actions));
    SLT_TRY(slt_chain_reserve(&p->memory, steps * (size_t)a->D, sizeof(float), &a->features));
    SLT_TRY(slt_chain_reserve(&p->memory, count, sizeof *a->law, &a->law));
    SLT_TRY(
        slt_chain_reserve(&p->memory, count * slt_chain_w_size(a->A, a->D), sizeof(float), &a->W));
    SLT_TRY(
        slt_chain_reserve(&p->memory, count * slt_chain_v_size(a->A, a->D), sizeof(float), &a->V));
    SLT_TRY(slt_chain_reserve(&p->memory, count * slt_chain_numbers(a->A), sizeof(double),
                              &a->numbers));
    SLT_TRY(slt_chain_send(&p->memory, a->actions, task->actions,
                           sizeof(float) * steps * (size_t)a->A));
    return slt_chain_send(&p->memory, a->features, task->features,
                          sizeof(float) * steps * (size_t)a->D);
}

static slt_status reserve_rows(slt_chain_pass *p, bool paths) {
    slt_chain_args *a = &p->args;
    size_t rows = (size_t)a->count * (size_t)a->room, laws = rows * (size_t)a->most, part, sums;
    SLT_TRY(slt_chain_reserve(&p->memory, laws * (size_t)a->A, sizeof(float), &a->r_stay));
    SLT_TRY(slt_chain_reserve(&p->memory, laws * (size_t)a->A, sizeof(float), &a->r_fresh));
    SLT_TRY(slt_chain_reserve(&p->memory, laws, sizeof(double), &a->p_stay));
    SLT_TRY(slt_chain_reserve(&p->memory, laws, sizeof(double), &a->p_fresh));
    if (paths) {
        SLT_TRY(slt_chain_reserve(&p->memory, laws, 1, &a->back));
        SLT_TRY(slt_chain_reserve(&p->memory, rows, 1, &a->cut));
        return slt_chain_reserve(&p->memory, rows, 1, &a->path);
    }
    sums_room(a, &part, &sums);
    SLT_TRY(slt_chain_reserve(&p->memory, rows, sizeof(double), &a->offset));
    SLT_TRY(slt_chain_reserve(&p->memory, rows, sizeof(double), &a->scale));
    SLT_TRY(slt_chain_reserve(&p->memory, laws, sizeof(double), &a->alpha));
    SLT_TRY(slt_chain_reserve(&p->memory, laws, sizeof(double), &a->back_p));
    SLT_TRY(slt_chain_reserve(&p->memory, laws, sizeof(double), &a->back_f));
    SLT_TRY(slt_chain_reserve(&p->memory, laws, sizeof(float), &a->stay));
    SLT_TRY(slt_chain_reserve(&p->memory, laws, sizeof(float), &a->fresh));
    SLT_TRY(slt_chain_reserve(&p->memory, (size_t)a->count * (size_t)a->sequence_room,
                              sizeof(double), &a->nats));
    SLT_TRY(slt_chain_reserve(&p->memory, part, sizeof(double), &a->part));
    SLT_TRY(slt_chain_reserve(&p->memory, sums, sizeof(double), &a->sums));
    return slt_chain_reserve(&p->memory, (size_t)a->count, sizeof *a->moves, &a->moves);
}

static slt_status open_pass(slt_chain_pass *p, const slt_chain_task *task) {
    SLT_TRY(measure_shapes(p, task));
    SLT_TRY(send_rows(p, task));
    SLT_TRY(reserve_values(p, task));
    SLT_TRY(reserve_rows(p, task->paths));
    return slt_cuda_rest(p->memory.cuda);
}

static void close_pass(slt_chain_pass *p) {
    if (!p) return;
    slt_allocator *allocator = &p->memory.cuda->context->allocator;
    slt_chain_release(&p->memory);
    slt_free(allocator, p);
}

static slt_status open(void *device, const slt_chain_task *task, slt_chain_pass **out) {
    slt_cuda *cuda = device;
    slt_chain_pass *p;
    SLT_TRY(SLT_ALLOC(&cuda->context->allocator, &p, 1));
    p->memory.cuda = cuda;
    p->args =
        (slt_chain_args){.stream = cuda->stream, .A = task->A, .D = task->D, .count = task->count};
    slt_status status = open_pass(p, task);
    if (status != SLT_OK) {
        close_pass(p);
        return status;
    }
    *out = p;
    return SLT_OK;
}

// ---- working

static slt_status load(slt_chain_pass *p, const slt_chain_values *values) {
    const slt_chain_args *a = &p->args;
    size_t count = (size_t)a->count;
    for (size_t m = 0; m < count; m++) {
        values->law[m].rows = p->rows[m];
        values->law[m].sequences = p->sequences[m];
    }
    SLT_TRY(slt_chain_send(&p->memory, a->law, values->law, count * sizeof *values->law));
    SLT_TRY(slt_chain_send(&p->memory, a->W, values->W,
                           count * slt_chain_w_size(a->A, a->D) * sizeof(float)));
    SLT_TRY(slt_chain_send(&p->memory, a->V, values->V,
                           count * slt_chain_v_size(a->A, a->D) * sizeof(float)));
    SLT_TRY(slt_chain_send(&p->memory, a->numbers, values->numbers,
                           count * slt_chain_numbers(a->A) * sizeof(double)));
    return slt_cuda_rest(p->memory.cuda);
}

static slt_status measure(slt_chain_pass *p) {
    slt_cuda_chain_residuals(&p->args);
    return slt_cuda_check(p->memory.cuda, cudaGetLastError(), "residuals of chains");
}

static slt_status fetch_equations(slt_chain_pass *p, slt_chain_rows rows, int X, double *out) {
    const slt_chain_args *a = &p->args;
    size_t numbers = (size_t)a->count * SLT_CHAIN_LAWS * slt_chain_equations(X, a->A);
    slt_cuda_chain_equations(a, rows);
    return slt_chain_fetch(&p->memory, out, a->sums, sizeof(double) * numbers);
}

static slt_status expect(slt_chain_pass *p, slt_chain_sums *sums, double *stay, double *fresh) {
    const slt_chain_args *a = &p->args;
    slt_cuda_chain_densities(a, false);
    slt_cuda_chain_smooth(a);
    slt_cuda_chain_moves(a);
    SLT_TRY(slt_chain_fetch(&p->memory, sums, a->moves, sizeof *sums * (size_t)a->count));
    SLT_TRY(fetch_equations(p, SLT_SUM_STAY, a->D + a->A, stay));
    if (fresh) SLT_TRY(fetch_equations(p, SLT_SUM_FRESH, a->D, fresh));
    return slt_cuda_rest(p->memory.cuda);
}

static slt_status memory(slt_chain_pass *p, double *out) {
    const slt_chain_args *a = &p->args;
    size_t numbers = (size_t)a->count * 2 * SLT_CHAIN_LAWS * (size_t)a->A;
    slt_cuda_chain_memory(a);
    SLT_TRY(slt_chain_fetch(&p->memory, out, a->sums, sizeof(double) * numbers));
    return slt_cuda_rest(p->memory.cuda);
}

static slt_status spread(slt_chain_pass *p, double *out) {
    const slt_chain_args *a = &p->args;
    size_t numbers = (size_t)a->count * 4 * SLT_CHAIN_LAWS * (size_t)a->A;
    slt_cuda_chain_spread(a);
    SLT_TRY(slt_chain_fetch(&p->memory, out, a->sums, sizeof(double) * numbers));
    return slt_cuda_rest(p->memory.cuda);
}

static slt_status paths(slt_chain_pass *p, uint8_t *cut, uint8_t *law) {
    const slt_chain_args *a = &p->args;
    size_t bytes = (size_t)a->count * (size_t)a->room;
    slt_cuda_chain_densities(a, true);
    slt_cuda_chain_paths(a);
    SLT_TRY(slt_chain_fetch(&p->memory, cut, a->cut, bytes));
    SLT_TRY(slt_chain_fetch(&p->memory, law, a->path, bytes));
    return slt_cuda_rest(p->memory.cuda);
}

const slt_chain_device slt_cuda_chains = {.open = open,
                                          .close = close_pass,
                                          .load = load,
                                          .measure = measure,
                                          .expect = expect,
                                          .memory = memory,
                                          .spread = spread,
                                          .paths = paths};
