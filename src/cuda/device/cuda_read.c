// Results of a tape here: copies of kept variables, brought over when they are asked for. What was
// asked for once comes with the next run, all at once.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include "cuda/device/cuda_tape.h"

#include <string.h>

// what can be read here: kept values, and gradients of fed numbers
static bool is_mirrored(const slt_tape *tape, const slt_var_info *info) {
    return info->origin == SLT_FROM_NODE ? info->kept || tape->separate
                                         : info->origin == SLT_FROM_FEED && info->has_gradient;
}

// page-locked: the device writes it while the host does something else
static slt_status open_mirror(slt_cuda *cuda, size_t count, slt_real **out) {
    void *memory = NULL;
    size_t room;
    SLT_TRY(slt_cuda_pin(cuda, count * sizeof(slt_real), &memory, &room));
    *out = memory;
    return SLT_OK;
}

static slt_status open_turn(slt_tape *tape, slt_cuda_turn *turn) {
    slt_cuda_tape *t = slt_cuda_tape_of(tape);
    size_t vars = (size_t)tape->var_count, members = (size_t)tape->store->members;
    SLT_TRY(SLT_NEW(&tape->arena, &turn->mirror, vars));
    SLT_TRY(SLT_NEW(&tape->arena, &turn->mirrored, vars));
    for (slt_var v = 1; v < tape->var_count; v++)
        if (is_mirrored(tape, &tape->vars[v]))
            SLT_TRY(open_mirror(t->cuda, slt_cuda_capacity(tape, v) * members, &turn->mirror[v]));
    return slt_cuda_check(t->cuda,
                          cudaEventCreateWithFlags(&turn->ready, slt_cuda_waiting(t->cuda)),
                          "making an event");
}

// passes that take turns are those of a tape without a loss
slt_status slt_cuda_mirrors_open(slt_tape *tape) {
    slt_cuda_tape *t = slt_cuda_tape_of(tape);
    size_t vars = (size_t)tape->var_count, members = (size_t)tape->store->members;
    t->turn = &t->turns[0];
    for (int i = 0; i < (tape->loss ? 1 : SLT_CUDA_TURNS); i++)
        SLT_TRY(open_turn(tape, &t->turns[i]));
    SLT_TRY(SLT_NEW(&tape->arena, &t->constant, vars));
    SLT_TRY(SLT_NEW(&tape->arena, &t->asked, vars));
    SLT_TRY(SLT_NEW(&tape->arena, &t->inner, vars));
    for (slt_var v = 1; v < tape->var_count; v++) {
        const slt_var_info *info = &tape->vars[v];
        size_t size = slt_cuda_capacity(tape, v);
        if (tape->separate && info->origin == SLT_FROM_NODE && info->has_gradient)
            SLT_TRY(SLT_NEW(&tape->arena, &t->inner[v], size * members));
        if (info->constant)
            SLT_TRY(slt_cuda_alloc(t->cuda, size * sizeof(float), (void **)&t->constant[v]));
    }
    return SLT_OK;
}

static void close_turn(slt_tape *tape, slt_cuda_turn *turn) {
    for (slt_var v = 1; turn->mirror && v < tape->var_count; v++)
        if (turn->mirror[v]) slt_cuda_unpin(slt_cuda_of(tape->store), turn->mirror[v]);
    if (turn->ready) cudaEventDestroy(turn->ready);
}

void slt_cuda_mirrors_close(slt_tape *tape) {
    slt_cuda_tape *t = slt_cuda_tape_of(tape);
    for (int i = 0; i < SLT_CUDA_TURNS; i++) close_turn(tape, &t->turns[i]);
    for (slt_var v = 1; t->constant && v < tape->var_count; v++)
        slt_cuda_free(t->cuda, t->constant[v]);
}

// rows that the last run of a member had
static size_t rows_there(const slt_tape *tape, slt_shape shape, int member) {
    const slt_cuda_tape *t = slt_cuda_tape_of(tape);
    int slots = tape->limits.slots, count = t->count[2 * member], tokens = t->count[2 * member + 1];
    int wide = tokens * slots; // of live rows, how many there are is known on the device only
    const int rows[SLT_SPACES] = {shape.rows, count, count * slots, tokens, wide, wide};
    return (size_t)rows[shape.space];
}

// a variable's numbers on their way here, those of all members
static cudaError_t copy_here(const slt_tape *tape, slt_var var, slt_cuda_view from, slt_real *to) {
    slt_cuda_tape *t = slt_cuda_tape_of(tape);
    slt_shape shape = tape->vars[var].shape;
    size_t size = slt_cuda_capacity(tape, var);
    cudaError_t error = cudaSuccess;
    for (int m = 0; m < tape->store->members && error == cudaSuccess; m++) {
        size_t bytes = rows_there(tape, shape, m) * (size_t)shape.width *
                       (tape->vars[var].bf16 ? sizeof(uint16_t) : sizeof(float));
        error = cudaMemcpyAsync(to + size * (size_t)m, from.at + m * from.stride, bytes,
                                cudaMemcpyDeviceToHost, t->cuda->stream);
    }
    return error;
}

// numbers in bf16 came as they are: the last one first, where it lies
static void widen(const slt_tape *tape, slt_var var, slt_real *to) {
    size_t size = slt_cuda_capacity(tape, var);
    for (int m = 0; m < tape->store->members; m++) {
        slt_real *own = to + size * (size_t)m;
        for (size_t i = size; i-- > 0;) {
            uint16_t half;
            memcpy(&half, (const char *)own + i * sizeof half, sizeof half);
            uint32_t bits = (uint32_t)half << 16;
            memcpy(&own[i], &bits, sizeof bits);
        }
    }
}

static void prefetch(const slt_tape *tape, slt_var var, slt_cuda_view from, slt_real *to) {
    slt_cuda *cuda = slt_cuda_of(tape->store);
    slt_cuda_check(cuda, copy_here(tape, var, from, to), "reading a result"); // sticks
    slt_cuda_rest(cuda);
    if (tape->vars[var].bf16) widen(tape, var, to);
}

static void mirror(const slt_tape *tape, slt_var var, slt_cuda_view from) {
    slt_cuda_tape *t = slt_cuda_tape_of(tape);
    if (t->turn->mirrored[var] == t->read) return;
    prefetch(tape, var, from, t->turn->mirror[var]);
    t->turn->mirrored[var] = t->read;
    t->asked[var] = !tape->vars[var].bf16;
}

static slt_status send_here(slt_tape *tape, slt_cuda_turn *turn, slt_var var) {
    slt_cuda_tape *t = slt_cuda_tape_of(tape);
    slt_cuda_view from = slt_cuda_value_view(tape, var);
    SLT_CUDA_TRY(t->cuda, copy_here(tape, var, from, turn->mirror[var]), "reading results");
    turn->mirrored[var] = t->runs;
    return SLT_OK;
}

slt_status slt_cuda_mirror_asked(slt_tape *tape) {
    slt_cuda_tape *t = slt_cuda_tape_of(tape);
    for (slt_var v = 1; v < tape->var_count; v++)
        if (t->asked[v] && tape->vars[v].origin == SLT_FROM_NODE)
            SLT_TRY(send_here(tape, t->turn, v));
    return SLT_OK;
}

slt_status slt_cuda_mirror_kept(slt_tape *tape, slt_cuda_turn *turn) {
    turn->run = slt_cuda_tape_of(tape)->runs;
    for (slt_var v = 1; v < tape->var_count; v++)
        if (tape->vars[v].kept && tape->vars[v].origin == SLT_FROM_NODE)
            SLT_TRY(send_here(tape, turn, v));
    return SLT_OK;
}

slt_real *slt_cuda_value(const slt_tape *tape, int member, slt_var var) {
    slt_cuda_tape *t = slt_cuda_tape_of(tape);
    const slt_var_info *info = &tape->vars[var];
    if (info->origin == SLT_FROM_STORE) {
        slt_store_fetch(tape->store); // a failure sticks
        return slt_store_at(tape->store, tape->store->value, info->parameter, member) + info->first;
    }
    if (!t->turn->mirror[var]) return NULL;
    mirror(tape, var, slt_cuda_value_view(tape, var));
    return t->turn->mirror[var] + slt_cuda_capacity(tape, var) * (size_t)member;
}

slt_real *slt_cuda_gradient(const slt_tape *tape, int member, slt_var var) {
    slt_cuda_tape *t = slt_cuda_tape_of(tape);
    const slt_var_info *info = &tape->vars[var];
    if (info->origin == SLT_FROM_STORE) {
        slt_store_fetch(tape->store);
        return slt_store_at(tape->store, tape->store->gradient, info->parameter, member) +
               info->first;
    }
    if (t->inner[var]) {
        prefetch(tape, var, slt_cuda_gradient_view(tape, var), t->inner[var]);
        return t->inner[var] + slt_cuda_capacity(tape, var) * (size_t)member;
    }
    if (info->origin != SLT_FROM_FEED || !t->turn->mirror[var]) return NULL;
    mirror(tape, var, slt_cuda_gradient_view(tape, var));
    return t->turn->mirror[var] + slt_cuda_capacity(tape, var) * (size_t)member;
}
