// OMPN's recurrence: where its buffers lie, and in which order its rows come.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include "ops/ompn/ompn_impl.h"

enum { X, W, GROUP = 32 };

// a group is wide enough for the products, and there are enough groups for the threads
int slt_ompn_groups(int trajectories) { return slt_blocks(trajectories, GROUP); }

// ---- laying out: with a base of NULL it only counts

typedef struct {
    slt_real *base;
    size_t used;
} bump;

static slt_real *take(bump *b, size_t count) {
    size_t line = SLT_ALIGN / sizeof(slt_real);
    slt_real *at = b->base ? b->base + b->used : NULL;
    b->used += (count + line - 1) / line * line;
    return at;
}

static void keep_cell(bump *b, slt_ompn_part *part, size_t rows, size_t d) {
    size_t gates = (size_t)part->at.inputs + 1;
    part->hidden = take(b, rows * 4 * d);
    part->record = take(b, rows * (2 * gates + 1) * d);
    part->inverse = take(b, rows * 2);
}

static size_t lay_out_kept(slt_ompn *o, slt_real *base, size_t rows, size_t trajectories) {
    bump b = {base, 0};
    size_t n = (size_t)o->n, d = (size_t)o->d;
    o->order = (const int32_t *)take(&b, trajectories);
    for (int i = 0; i < o->n; i++) keep_cell(&b, &o->com[i], rows, d);
    for (int i = 0; i + 1 < o->n; i++) keep_cell(&b, &o->decom[i], rows, d);
    for (int i = 0; i + 1 < o->n; i++) o->family[i] = take(&b, rows * 2 * d);
    o->state = take(&b, rows * (2 * n + 1) * d);
    o->gate_x = take(&b, rows * d);
    o->gate_hidden = take(&b, rows * n * d);
    o->chance = take(&b, rows * (2 * n + 1));
    o->leaf_kernel = take(&b, d * 4 * d);
    return b.used;
}

static void pack_cell(bump *b, slt_ompn_part *part, int d, bool backward) {
    part->packed1 = take(b, slt_ompn_packed_size(slt_ompn_first_kernel(part, d), backward));
    part->packed2 = take(b, slt_ompn_packed_size(slt_ompn_second_kernel(part, d), backward));
}

static void lay_out_kernels(bump *b, slt_ompn *o, bool backward) {
    for (int i = 0; i < o->n; i++) pack_cell(b, &o->com[i], o->d, backward);
    for (int i = 0; i + 1 < o->n; i++) pack_cell(b, &o->decom[i], o->d, backward);
    o->gate_packed = take(b, slt_ompn_packed_size(slt_ompn_gate_kernel(o), backward));
}

static size_t lay_out_forward(slt_ompn *o, slt_real *base) {
    bump b = {base, 0};
    lay_out_kernels(&b, o, false);
    return b.used;
}

static void differ_cell(bump *b, slt_ompn_part *part, size_t rows, size_t d) {
    part->dhidden = take(b, rows * 4 * d);
    part->dsecond = take(b, rows * ((size_t)part->at.inputs + 2) * d);
}

static size_t lay_out_backward(slt_ompn *o, slt_real *base, size_t rows, size_t groups) {
    bump b = {base, 0};
    size_t n = (size_t)o->n, d = (size_t)o->d;
    lay_out_kernels(&b, o, true);
    for (int i = 0; i < o->n; i++) differ_cell(&b, &o->com[i], rows, d);
    for (int i = 0; i + 1 < o->n; i++) differ_cell(&b, &o->decom[i], rows, d);
    o->dgate_x = take(&b, rows * d);
    o->dgate_hidden = take(&b, rows * n * d);
    o->dx = take(&b, rows * d);
    o->partial = take(&b, groups * slt_ompn_partial(o->n, o->d));
    return b.used;
}

static void place_weights(slt_ompn *o) {
    for (int i = 0; i < o->n; i++) o->com[i].at = slt_ompn_com(o->d, i);
    for (int i = 0; i + 1 < o->n; i++) o->decom[i].at = slt_ompn_decom(o->n, o->d, i);
    o->com[o->n - 1].leaf = true;
    o->gate = slt_ompn_gate_at(o->n, o->d);
}

// ---- sizes

size_t slt_ompn_partial(int n, int d) { return (size_t)(6 * n + 4 * (n - 1) + 1) * (size_t)d + 1; }

static slt_ompn sized(const slt_sizes *sizes) {
    slt_ompn o = {.n = sizes->node->attributes.n[0], .d = sizes->in[X].width};
    place_weights(&o);
    return o;
}

size_t slt_ompn_aux(const slt_sizes *sizes) {
    slt_ompn o = sized(sizes);
    return lay_out_kept(&o, NULL, (size_t)sizes->in[X].rows, (size_t)sizes->limits.trajectories);
}

size_t slt_ompn_shared(const slt_sizes *sizes) {
    slt_ompn o = sized(sizes);
    size_t forward = lay_out_forward(&o, NULL);
    size_t backward = lay_out_backward(&o, NULL, (size_t)sizes->in[X].rows,
                                       (size_t)slt_ompn_groups(sizes->limits.trajectories));
    return forward > backward ? forward : backward;
}

// gradients of memory, state, children and parent, and of the chances, of a group's rows
size_t slt_ompn_scratch(const slt_sizes *sizes) {
    size_t n = (size_t)sizes->node->attributes.n[0], d = (size_t)sizes->in[X].width;
    size_t group = (size_t)sizes->limits.trajectories * ((4 * n + 2) * d + 3 * n);
    size_t kernel = d * 4 * d; // of a weight gradient that is added twice
    return group > kernel ? group : kernel;
}

// ---- rows

void slt_ompn_sort(const slt_args *args) {
    const slt_batch *batch = args->batch;
    int32_t *order = (int32_t *)args->aux;
    for (int b = 0; b < batch->count; b++) {
        int place = b, length = slt_batch_computed(batch, b);
        for (; place > 0 && slt_batch_computed(batch, order[place - 1]) < length; place--)
            order[place] = order[place - 1];
        order[place] = b;
    }
}

void slt_ompn_open(slt_ompn *o, const slt_args *args, bool backward) {
    const slt_attributes *a = &args->node->attributes;
    *o = (slt_ompn){.args = args,
                    .w = args->in[W],
                    .n = a->n[0],
                    .d = args->in_width[X],
                    .rows = args->in_rows[X],
                    .groups = slt_ompn_groups(args->batch->count),
                    .epsilon = (slt_real)a->x[0],
                    .slope = (slt_real)a->x[1],
                    .alias = a->n[1],
                    .bptt = a->n[2]};
    place_weights(o);
    lay_out_kept(o, args->aux, (size_t)o->rows, (size_t)args->limits.trajectories);
    if (backward)
        lay_out_backward(o, args->shared, (size_t)o->rows, (size_t)o->groups);
    else
        lay_out_forward(o, args->shared);
}

static int length_of(const slt_ompn *o, const slt_ompn_group *g, int r) {
    return slt_batch_computed(o->args->batch, slt_ompn_member(o, g, r));
}

// whether the next trajectory has its middle before the border
static bool belongs(const slt_ompn *o, const slt_ompn_group *g, int64_t border) {
    return 2 * (int64_t)(g->row + g->rows) + length_of(o, g, g->count) <= 2 * border;
}

// groups have about as many rows; the border is nearest to an equal share
slt_ompn_group slt_ompn_group_at(const slt_ompn *o, int number) {
    int count = o->args->batch->count;
    slt_ompn_group g = {.number = 0};
    for (;; g.number++) {
        int64_t border = (int64_t)o->rows * (g.number + 1) / o->groups;
        g.count = g.rows = 0;
        while (g.first + g.count < count && belongs(o, &g, border))
            g.rows += length_of(o, &g, g.count++);
        if (g.number == number) break;
        g.first += g.count;
        g.row += g.rows;
    }
    g.most = g.count ? length_of(o, &g, 0) : 0;
    return g;
}

slt_ompn_moment slt_ompn_first(const slt_ompn_group *g) {
    return (slt_ompn_moment){0, g->row, g->count};
}

slt_ompn_moment slt_ompn_next(const slt_ompn *o, const slt_ompn_group *g, slt_ompn_moment at) {
    slt_ompn_moment next = {at.t + 1, at.row + at.live, at.live};
    while (next.live > 0 && length_of(o, g, next.live - 1) <= next.t) next.live--;
    return next;
}

slt_ompn_moment slt_ompn_before(const slt_ompn *o, const slt_ompn_group *g, slt_ompn_moment at) {
    slt_ompn_moment before = {at.t - 1, at.row, at.live};
    while (before.live < g->count && length_of(o, g, before.live) > before.t) before.live++;
    before.row -= before.live;
    return before;
}

slt_ompn_moment slt_ompn_last(const slt_ompn *o, const slt_ompn_group *g) {
    return slt_ompn_before(o, g, (slt_ompn_moment){g->most, g->row + g->rows, 0});
}
