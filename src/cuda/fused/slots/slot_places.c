// What the steps of a launch of the slots' part share (fused_slots.h): their order, places of rows
// in shared memory, and what is prefetched there.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include <string.h>
#include "cuda/fused/slots/fuse_slots.h"

// ---- rows that stay in shared memory: what a step writes and others read

typedef struct {
    const float *at;
    int width;
    bool written, added;
} row_use;

#define READS(rows, width)                                                                         \
    { (rows), (width), false, false }
#define WRITES(rows, width, add)                                                                   \
    { (rows), (width), true, (add) }

typedef struct {
    row_use use[SLT_SLOT_PLACES];
} row_uses;

static row_uses uses_forward(const slt_slot_step *s) {
    int in = s->in;
    switch (s->kind) {
    case SLT_SLOT_BEGIN:
        return (row_uses){{WRITES(s->begin.slots, in, false)}};
    case SLT_SLOT_NORM:
        return (row_uses){
            {READS(s->norm.x, in), READS(s->norm.residual, in), WRITES(s->norm.y, in, false)}};
    case SLT_SLOT_PRODUCT:
        return (row_uses){{READS(s->product.x, in), WRITES(s->product.y, s->out, false),
                           READS(s->product.plus, s->out)}};
    case SLT_SLOT_ATTEND:
        return (row_uses){{READS(s->attend.q, in), WRITES(s->attend.update, in, false)}};
    case SLT_SLOT_CELL:
        return (row_uses){{READS(s->cell.gx, 3 * in), READS(s->cell.gh, 3 * in),
                           READS(s->cell.state, in), WRITES(s->cell.y, in, false)}};
    case SLT_SLOT_SUM:
        return (row_uses){{READS(s->sum.x, in), READS(s->sum.z, in), WRITES(s->sum.y, in, false)}};
    case SLT_SLOT_HALTING:
        return (row_uses){{READS(s->halt.slots, in)}};
    }
    return (row_uses){0};
}

static row_uses uses_backward(const slt_slot_step *s) {
    bool add[] = {s->add & 1, s->add >> 1 & 1, s->add >> 2 & 1};
    int in = s->in;
    switch (s->kind) {
    case SLT_SLOT_NORM:
        return (row_uses){{READS(s->norm.dy, in), WRITES(s->norm.dx, in, add[0]),
                           WRITES(s->norm.dresidual, in, add[1])}};
    case SLT_SLOT_PRODUCT:
        return (row_uses){{READS(s->product.dy, s->out), WRITES(s->product.dx, in, add[0])}};
    case SLT_SLOT_ATTEND:
        return (row_uses){{READS(s->attend.du, in), WRITES(s->attend.dq, in, add[0])}};
    case SLT_SLOT_CELL:
        return (row_uses){{READS(s->cell.dy, in), WRITES(s->cell.dgx, 3 * in, add[0]),
                           WRITES(s->cell.dgh, 3 * in, add[1]),
                           WRITES(s->cell.dstate, in, add[2])}};
    case SLT_SLOT_SUM:
        return (row_uses){
            {READS(s->sum.dy, in), WRITES(s->sum.dx, in, add[0]), WRITES(s->sum.dz, in, add[1])}};
    case SLT_SLOT_HALTING:
        return (row_uses){{WRITES(s->halt.dslots, in, add[0])}};
    default:
        return (row_uses){0};
    }
}

static row_uses uses_of(const slt_slot_step *step, bool backward) {
    return backward ? uses_backward(step) : uses_forward(step);
}

// does one of the first steps write, or read, these rows?
static bool is_used(const slt_fused_slots *run, int steps, const float *rows, bool written,
                    bool backward) {
    for (int n = 0; n < steps; n++) {
        row_uses uses = uses_of(&run->step[n], backward);
        for (int i = 0; i < SLT_SLOT_PLACES; i++)
            if (uses.use[i].written == written && uses.use[i].at == rows) return true;
    }
    return false;
}

// rows and their place, which is theirs until the last step that uses them
typedef struct {
    const float *at;
    int place, end, last;
} row_place;

typedef struct {
    row_place row[SLT_SLOT_STEPS * SLT_SLOT_PLACES];
    int count;
} row_places;

static int last_use(const slt_fused_slots *run, const float *rows, bool backward) {
    int last = 0;
    for (int n = 0; n < run->steps; n++) {
        row_uses uses = uses_of(&run->step[n], backward);
        for (int i = 0; i < SLT_SLOT_PLACES; i++)
            if (uses.use[i].at == rows) last = n;
    }
    return last;
}

// the first place for so many fours that no rows have which step n or a later one uses
static int free_place(const row_places *rows, int n, int fours) {
    int place = 0;
    for (int i = 0; i < rows->count; i++) {
        const row_place *row = &rows->row[i];
        if (row->last < n || row->place >= place + fours || place >= row->end) continue;
        place = row->end;
        i = -1; // look again from there
    }
    return place;
}

// of step n; what no step reads has none, nor what was written before the run and is added to
static int16_t place_of(slt_fused_slots *run, row_places *rows, int n, const row_use *use,
                        bool backward) {
    if (!use->at || !is_used(run, run->steps, use->at, false, backward)) return -1;
    for (int i = 0; i < rows->count; i++)
        if (rows->row[i].at == use->at) return (int16_t)rows->row[i].place;
    if (!use->written || use->added) return -1;
    int fours = (use->width + 3) / 4, place = free_place(rows, n, fours);
    rows->row[rows->count++] =
        (row_place){use->at, place, place + fours, last_use(run, use->at, backward)};
    if (run->kept < 4 * (place + fours)) run->kept = 4 * (place + fours);
    return (int16_t)place;
}

// ---- the order of steps

// reads nothing but weights, noise, and what the first steps of the run write
static bool waits_for_none(const slt_fused_slots *run, int steps, const slt_slot_step *step) {
    row_uses uses = uses_forward(step);
    for (int i = 0; i < SLT_SLOT_PLACES; i++)
        if (uses.use[i].at && !uses.use[i].written &&
            !is_used(run, steps, uses.use[i].at, true, false))
            return false;
    return step->kind != SLT_SLOT_ATTEND;
}

void slt_slots_advance(slt_fused_slots *run) {
    for (int n = 0; n < run->steps; n++) {
        slt_slot_step step = run->step[n];
        if (!waits_for_none(run, run->early, &step)) continue;
        memmove(&run->step[run->early + 1], &run->step[run->early],
                (size_t)(n - run->early) * sizeof step);
        run->step[run->early++] = step;
    }
}

void slt_slots_postpone(slt_fused_slots *run) {
    for (int n = 0; n + 1 < run->steps; n++) {
        slt_slot_step step = run->step[n], *last = &run->step[run->steps - 1];
        if (step.kind != SLT_SLOT_HALTING || last->kind != SLT_SLOT_PRODUCT ||
            last->product.y == step.halt.slots)
            continue;
        memmove(&run->step[n], &run->step[n + 1], (size_t)(run->steps - 1 - n) * sizeof step);
        *last = step;
        last->concurrent = true;
        return;
    }
}

void slt_slots_join_sum(slt_fused_slots *run) {
    if (run->steps < 2) return;
    slt_slot_step *product = &run->step[run->steps - 2];
    slt_slot_sum sum = run->step[run->steps - 1].sum;
    if (product->kind != SLT_SLOT_PRODUCT || product->product.plus) return;
    const float *half = product->product.y, *other = sum.x == half ? sum.z : sum.x;
    if ((sum.x != half && sum.z != half) || other == half) return;
    product->product.plus = other;
    product->product.y = sum.y;
    run->steps--;
}

// ---- what else the steps read, prefetched into shared memory

static void prefetch(slt_fused_slots *run, const void *field, int numbers, bool own, bool fresh) {
    const float *from = *(const float *const *)field;
    if (!from || run->pieces == SLT_SLOT_PIECES) return;
    ptrdiff_t place = (const char *)field - (const char *)run->step;
    run->piece[run->pieces++] =
        (slt_slot_piece){.from = from,
                         .to = run->prefetched,
                         .numbers = numbers,
                         .field = (int16_t)(place / (ptrdiff_t)sizeof(int64_t)),
                         .own = own,
                         .fresh = fresh};
    run->prefetched += (numbers + 3) / 4 * 4;
}

static void prefetch_forward(slt_fused_slots *run, const slt_slot_step *s) {
    int all = run->slots * s->in;
    switch (s->kind) {
    case SLT_SLOT_BEGIN:
        prefetch(run, &s->begin.mu, all, false, false);
        prefetch(run, &s->begin.rho, all, false, false);
        prefetch(run, &s->begin.noise, all, true, true);
        break;
    case SLT_SLOT_NORM:
        prefetch(run, &s->norm.gamma, s->in, false, false);
        prefetch(run, &s->norm.beta, s->in, false, false);
        break;
    case SLT_SLOT_PRODUCT:
        prefetch(run, &s->product.c, s->out, false, false);
        break;
    default:
        break;
    }
}

static void prefetch_backward(slt_fused_slots *run, const slt_slot_step *s) {
    int K = run->slots, all = K * s->in;
    switch (s->kind) {
    case SLT_SLOT_NORM:
        prefetch(run, &s->norm.gamma, s->in, false, false);
        prefetch(run, &s->norm.hat, all, true, false);
        prefetch(run, &s->norm.factor, K, true, false);
        break;
    case SLT_SLOT_PRODUCT:
        prefetch(run, &s->product.gate, all, true, false);
        if (s->fresh) prefetch(run, &s->product.dy, K * s->out, true, true);
        break;
    case SLT_SLOT_ATTEND:
        prefetch(run, &s->attend.q, all, true, false);
        prefetch(run, &s->attend.update, all, true, false);
        prefetch(run, &s->attend.sum, K, true, false);
        break;
    case SLT_SLOT_CELL:
        prefetch(run, &s->cell.kept, 3 * all, true, false);
        prefetch(run, &s->cell.gh, 3 * all, true, false);
        prefetch(run, &s->cell.state, all, true, false);
        break;
    case SLT_SLOT_HALTING:
        prefetch(run, &s->halt.h, K, true, false);
        prefetch(run, &s->halt.lambda, K, true, false);
        prefetch(run, &s->halt.dh, K, true, true);
        prefetch(run, &s->halt.sum, 1, true, false);
        break;
    default:
        break;
    }
}

// ---- all of it

void slt_slots_connect(slt_fused_slots *run, bool backward) {
    row_places rows = {.count = 0};
    for (int n = 0; n < run->steps; n++) {
        slt_slot_step *step = &run->step[n];
        row_uses uses = uses_of(step, backward);
        step->fresh =
            step->kind == SLT_SLOT_PRODUCT && !is_used(run, n, uses.use[0].at, true, backward);
        for (int i = 0; i < SLT_SLOT_PLACES; i++)
            step->place[i] = place_of(run, &rows, n, &uses.use[i], backward);
    }
    run->attend = -1;
    run->product = -1;
    for (int n = run->steps - 1; n >= 0; n--) {
        run->step[n].next = run->product;
        if (run->step[n].kind == SLT_SLOT_PRODUCT) run->product = n;
        if (run->step[n].kind == SLT_SLOT_ATTEND) run->attend = n;
    }
    for (int n = 0; n < run->steps; n++)
        (backward ? prefetch_backward : prefetch_forward)(run, &run->step[n]);
}
