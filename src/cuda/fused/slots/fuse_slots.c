// The nodes of a tape that are the slots' part, and their launch as one list of steps
// (fused_slots.h).
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include <string.h>
#include "cuda/fused/common/family.h"
#include "cuda/fused/slots/fused_slots.h"
#include "ops/common/activation_kind.h"

// trajectories: a block each, all of them at work at once. With more, large products are faster,
// and with wider slots, whose weights every block would read
enum { MOST = 132, MOST_WIDTH = 256 };

// ---- what may be in a run

static slt_shape shape_of(const slt_tape *tape, slt_var var) { return tape->vars[var].shape; }

static bool is_weight(const slt_tape *tape, slt_var var) {
    return tape->vars[var].origin == SLT_FROM_STORE;
}

// what is read before the previous kernel has ended: nobody writes weights but Adam
static bool is_steady(const slt_tape *tape, slt_var var) { return !var || is_weight(tape, var); }

// rows of fours
static bool any(const slt_tape *tape, const slt_node *node) {
    return shape_of(tape, node->out[0]).width % 4 == 0;
}
static bool from_fours(const slt_tape *tape, const slt_node *node) {
    return shape_of(tape, node->in[0]).width % 4 == 0;
}
static bool is_start(const slt_tape *tape, const slt_node *node) {
    return any(tape, node) && is_weight(tape, node->in[0]) && is_weight(tape, node->in[1]);
}
static bool is_short(const slt_tape *tape, const slt_node *node) {
    return any(tape, node) && shape_of(tape, node->out[0]).width <= 128 && !node->in[4] &&
           is_steady(tape, node->in[2]) && is_steady(tape, node->in[3]);
}
static bool is_linear(const slt_tape *tape, const slt_node *node) {
    return any(tape, node) && from_fours(tape, node) && is_weight(tape, node->in[1]) &&
           is_steady(tape, node->in[2]) && node->attributes.n[0] == SLT_LINEAR;
}
static bool is_mlp(const slt_tape *tape, const slt_node *node) {
    return any(tape, node) && from_fours(tape, node) && is_weight(tape, node->in[1]) &&
           is_weight(tape, node->in[3]) && is_steady(tape, node->in[2]) &&
           is_steady(tape, node->in[4]) && shape_of(tape, node->in[1]).width % 4 == 0;
}

// ---- its steps

static slt_slot_step *new_step(slt_fused_slots *run, slt_slot_kind kind, const slt_cuda_args *a) {
    slt_slot_step *step = &run->step[run->steps++];
    *step = (slt_slot_step){
        .kind = kind, .in = a->in_width[0], .out = a->out_width[0], .keep = a->keep};
    for (int i = 0; i < SLT_CUDA_INPUTS; i++) step->add |= a->add[i] ? 1u << i : 0;
    return step;
}

static void begin(slt_fused_slots *run, const slt_cuda_args *a, bool backward) {
    if (!backward)
        new_step(run, SLT_SLOT_BEGIN, a)->begin =
            (slt_slot_begin){a->in[0].at, a->in[1].at, a->in[2].at, a->out[0].at};
    if (!backward) run->step[run->steps - 1].in = a->out_width[0];
}
static void norm(slt_fused_slots *run, const slt_cuda_args *a, bool backward) {
    (void)backward;
    new_step(run, SLT_SLOT_NORM, a)->norm =
        (slt_slot_norm){.x = a->in[0].at,
                        .residual = a->in[1].at,
                        .gamma = a->in[2].at,
                        .beta = a->in[3].at,
                        .dy = a->out_grad[0].at,
                        .hat = a->aux.at,
                        .factor = a->aux.at + (size_t)a->in_room[0] * (size_t)a->in_width[0],
                        .y = a->out[0].at,
                        .dx = a->in_grad[0].at,
                        .dresidual = a->in_grad[1].at,
                        .parts = a->shared.at,
                        .epsilon = (float)a->x[0]};
}

// a product between widths of its own
static void product(slt_fused_slots *run, const slt_cuda_args *a, int in, int out, unsigned add,
                    slt_slot_product product) {
    slt_slot_step *step = new_step(run, SLT_SLOT_PRODUCT, a);
    step->in = in;
    step->out = out;
    step->add = add;
    step->product = product;
}
static void dense(slt_fused_slots *run, const slt_cuda_args *a, bool backward) {
    (void)backward;
    product(run, a, a->in_width[0], a->out_width[0], a->add[0],
            (slt_slot_product){.x = a->in[0].at,
                               .w = a->in[1].at,
                               .c = a->in[2].at,
                               .dy = a->out_grad[0].at,
                               .y = a->out[0].at,
                               .dx = a->in_grad[0].at});
}
static void mlp(slt_fused_slots *run, const slt_cuda_args *a, bool backward) {
    int in = a->in_width[0], wide = a->in_width[1], out = a->out_width[0];
    const float *w1 = a->in[1].at, *c1 = a->in[2].at, *w2 = a->in[3].at, *c2 = a->in[4].at;
    float *middle = a->aux.at, *dmiddle = a->shared.at;
    if (!backward) {
        product(run, a, in, wide, 0,
                (slt_slot_product){.x = a->in[0].at, .w = w1, .c = c1, .y = middle, .relu = true});
        product(run, a, wide, out, 0,
                (slt_slot_product){.x = middle, .w = w2, .c = c2, .y = a->out[0].at});
        return;
    }
    product(run, a, wide, out, 0,
            (slt_slot_product){.w = w2, .dy = a->out_grad[0].at, .gate = middle, .dx = dmiddle});
    product(run, a, in, wide, a->add[0],
            (slt_slot_product){.w = w1, .dy = dmiddle, .dx = a->in_grad[0].at});
}
static void attend(slt_fused_slots *run, const slt_cuda_args *a, bool backward) {
    (void)backward;
    new_step(run, SLT_SLOT_ATTEND, a)->attend = (slt_slot_attend){.q = a->in[0].at,
                                                                  .kv = a->in[1].at,
                                                                  .du = a->out_grad[0].at,
                                                                  .update = a->out[0].at,
                                                                  .attention = a->out[1].at,
                                                                  .sum = a->aux.at,
                                                                  .dq = a->in_grad[0].at,
                                                                  .dkv = a->in_grad[1].at,
                                                                  .rows = a->in_rows[1],
                                                                  .uniform = a->n[0] != 0};
    run->token_width = a->in_width[1];
}
static void cell(slt_fused_slots *run, const slt_cuda_args *a, bool backward) {
    (void)backward;
    slt_slot_step *step = new_step(run, SLT_SLOT_CELL, a);
    step->in = a->in_width[2];
    step->cell = (slt_slot_cell){.gx = a->in[0].at,
                                 .gh = a->in[1].at,
                                 .state = a->in[2].at,
                                 .dy = a->out_grad[0].at,
                                 .kept = a->aux.at,
                                 .y = a->out[0].at,
                                 .dgx = a->in_grad[0].at,
                                 .dgh = a->in_grad[1].at,
                                 .dstate = a->in_grad[2].at};
}
static void sum(slt_fused_slots *run, const slt_cuda_args *a, bool backward) {
    (void)backward;
    new_step(run, SLT_SLOT_SUM, a)->sum = (slt_slot_sum){.x = a->in[0].at,
                                                         .z = a->in[1].at,
                                                         .dy = a->out_grad[0].at,
                                                         .y = a->out[0].at,
                                                         .dx = a->in_grad[0].at,
                                                         .dz = a->in_grad[1].at};
}
static void halt(slt_fused_slots *run, const slt_cuda_args *a, bool backward) {
    (void)backward;
    new_step(run, SLT_SLOT_HALTING, a)->halt = (slt_slot_halting){.slots = a->in[0].at,
                                                                  .dh = a->out_grad[0].at,
                                                                  .h = a->out[0].at,
                                                                  .lambda = a->out[1].at,
                                                                  .sum = a->aux.at,
                                                                  .dslots = a->in_grad[0].at};
}

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

// rows with a place, in the order in which they are written
typedef struct {
    const float *at[SLT_SLOT_STEPS * SLT_SLOT_PLACES];
    int place[SLT_SLOT_STEPS * SLT_SLOT_PLACES];
    int count;
} row_places;

// what no step reads has none, nor what was written before the run and is added to
static int16_t place_of(slt_fused_slots *run, row_places *rows, const row_use *use, bool backward) {
    if (!use->at || !is_used(run, run->steps, use->at, false, backward)) return -1;
    for (int i = 0; i < rows->count; i++)
        if (rows->at[i] == use->at) return (int16_t)rows->place[i];
    if (!use->written || use->added) return -1;
    int place = run->kept / 4;
    rows->at[rows->count] = use->at;
    rows->place[rows->count++] = place;
    run->kept += use->width;
    return (int16_t)place;
}

// reads nothing but weights, noise, and what the first steps of the run write
static bool waits_for_none(const slt_fused_slots *run, int steps, const slt_slot_step *step) {
    row_uses uses = uses_forward(step);
    for (int i = 0; i < SLT_SLOT_PLACES; i++)
        if (uses.use[i].at && !uses.use[i].written &&
            !is_used(run, steps, uses.use[i].at, true, false))
            return false;
    return step->kind != SLT_SLOT_ATTEND;
}

// such steps come first
static void advance(slt_fused_slots *run) {
    for (int n = 0; n < run->steps; n++) {
        slt_slot_step step = run->step[n];
        if (!waits_for_none(run, run->early, &step)) continue;
        memmove(&run->step[run->early + 1], &run->step[run->early],
                (size_t)(n - run->early) * sizeof step);
        run->step[run->early++] = step;
    }
}

// halting comes last, next to a product that does not write what it reads: nobody waits for it
static void postpone(slt_fused_slots *run) {
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

// a sum of which the product before it is a half: the product adds the other one
static void join_sum(slt_fused_slots *run) {
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

// places of all rows, and the products one after the other
static void connect(slt_fused_slots *run, bool backward) {
    row_places rows = {.count = 0};
    for (int n = 0; n < run->steps; n++) {
        slt_slot_step *step = &run->step[n];
        row_uses uses = uses_of(step, backward);
        step->fresh =
            step->kind == SLT_SLOT_PRODUCT && !is_used(run, n, uses.use[0].at, true, backward);
        for (int i = 0; i < SLT_SLOT_PLACES; i++)
            step->place[i] = place_of(run, &rows, &uses.use[i], backward);
    }
    run->attend = -1;
    run->product = -1;
    for (int n = run->steps - 1; n >= 0; n--) {
        run->step[n].next = run->product;
        if (run->step[n].kind == SLT_SLOT_PRODUCT) run->product = n;
        if (run->step[n].kind == SLT_SLOT_ATTEND) run->attend = n;
    }
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

// ---- what is left to the side: gradients of weights

static void norm_weights(const slt_cuda_args *a) { slt_cuda_norm_weights(a, a->trajectories); }

static const struct {
    const slt_op *op;
    int steps;
    bool (*may)(const slt_tape *tape, const slt_node *node);
    void (*add)(slt_fused_slots *run, const slt_cuda_args *args, bool backward);
    void (*weights)(const slt_cuda_args *args); // NULL: none
} parts[] = {{&slt_op_slot_start, 1, is_start, begin, slt_cuda_slot_start_backward},
             {&slt_op_layer_norm, 1, is_short, norm, norm_weights},
             {&slt_op_dense, 1, is_linear, dense, slt_cuda_dense_weights},
             {&slt_op_slot_attention, 1, from_fours, attend, NULL},
             {&slt_op_gru_cell, 1, any, cell, NULL},
             {&slt_op_mlp, 2, is_mlp, mlp, slt_cuda_mlp_weights},
             {&slt_op_add, 1, any, sum, NULL},
             {&slt_op_halting, 1, from_fours, halt, NULL}};

enum { PARTS = sizeof parts / sizeof *parts };

static int part_of(const slt_node *node) {
    for (int i = 0; i < PARTS; i++)
        if (parts[i].op == node->op) return i;
    return PARTS;
}

// ---- runs

// halting writes a row for each trajectory
static bool is_of_slots(const slt_tape *tape, const slt_node *node) {
    return shape_of(tape, node->out[0]).space == SLT_SLOTS ||
           shape_of(tape, node->in[0]).space == SLT_SLOTS;
}

static bool may_run(const slt_tape *tape, int n) {
    const slt_node *node = &tape->nodes[n].node;
    int part = part_of(node);
    return part < PARTS && is_of_slots(tape, node) && parts[part].may(tape, node);
}

// the widest row that a node reads or writes: keys with values are the two of attention
static int widest_of(const slt_tape *tape, int first, int last) {
    int widest = 4;
    for (int n = first; n <= last; n++) {
        const slt_node *node = &tape->nodes[n].node;
        for (int i = -1; i < node->inputs; i++) {
            slt_var var = i < 0 ? node->out[0] : node->in[i];
            int width = var ? shape_of(tape, var).width : 0;
            if (width > widest) widest = width;
        }
    }
    return widest;
}

static int last_of(const slt_tape *tape, int first, int end, const char **why) {
    int last = first - 1, steps = 0;
    bool attention = false;
    if (tape->store->members > 1) return slt_no_launch(first, "a population fills the device", why);
    if (tape->limits.trajectories > MOST)
        return slt_no_launch(first, "more than 132 trajectories", why);
    if (shape_of(tape, tape->nodes[first].node.out[0]).width > MOST_WIDTH)
        return slt_no_launch(first, "slots wider than 256", why);
    for (int n = first; n <= end && may_run(tape, n); n++) {
        int part = part_of(&tape->nodes[n].node);
        steps += parts[part].steps;
        if (steps > SLT_SLOT_STEPS) break;
        attention = attention || parts[part].op == &slt_op_slot_attention;
        last = n;
    }
    if (last <= first || !attention) return slt_no_launch(first, "no attention of slots", why);
    if (!slt_cuda_slots_fit(tape->limits.slots, tape->limits.length, widest_of(tape, first, last)))
        return slt_no_launch(first, "more than 12 slots, or sequences too long for a block", why);
    return last;
}

static int end_of(const slt_tape *tape, int first) {
    return slt_family_last(&slt_fuse_slots, tape, first);
}

// ---- who waits for whom

// the steps that read nothing but weights and noise may run concurrently with the previous launch:
// it is one of ours, which let others in when all before them have ended, noise among them
static bool may_start_early(const slt_tape *tape, int first) {
    const slt_cuda_tape *t = slt_cuda_tape_of(tape);
    const slt_node *node = &tape->nodes[first].node;
    if (first == 0 || node->op != &slt_op_slot_start) return false;
    const slt_var_info *noise = &tape->vars[node->in[SLT_START_NOISE]];
    return t->begin[first - 1] < first - 1 &&
           (noise->origin != SLT_FROM_NODE || noise->node < t->begin[first - 1]);
}

// backward, node n of the run writes a gradient for a node that is waited for, or for one before
// the run; or writes where such a node adds something later
static bool hands_on(const slt_tape *tape, int first, int n, uint32_t chain) {
    for (int i = 0; i < tape->nodes[n].node.inputs; i++) {
        slt_var in = tape->nodes[n].node.in[i];
        const slt_var_info *var = &tape->vars[in];
        if (!var->has_gradient || var->origin != SLT_FROM_NODE) continue;
        if (var->node < first || chain >> (var->node - first) & 1) return true;
        for (int m = first; m < n; m++)
            for (int k = 0; k < tape->nodes[m].node.inputs; k++)
                if (chain >> (m - first) & 1 && tape->nodes[m].node.in[k] == in) return true;
    }
    return false;
}

// nodes of a run, backward, that something before it waits for: bit i is node first + i. The
// others, of the first round of attention, lead to the slots' beginning alone
static uint32_t chain_of(const slt_tape *tape, int first) {
    uint32_t chain = 0;
    if (!slt_node_is(tape, first, &slt_op_slot_start)) return UINT32_MAX;
    for (int n = first; n <= end_of(tape, first); n++)
        if (hands_on(tape, first, n, chain)) chain |= 1u << (n - first);
    return chain;
}
static bool is_in(uint32_t chain, int first, int n) { return chain >> (n - first) & 1; }

// nobody but one node reads it
static bool is_own(const slt_tape *tape, slt_var var) {
    return slt_readers_of(tape, var) == 1 && !tape->vars[var].kept;
}

// the nodes of a run whose bits are set
static void launch_nodes(const slt_tape *tape, int first, bool backward, uint32_t nodes,
                         void *stream) {
    int last = end_of(tape, first);
    slt_fused_slots run = {.stream = stream,
                           .frames = slt_cuda_tape_of(tape)->frames,
                           .trajectories = tape->limits.trajectories,
                           .slots = tape->limits.slots,
                           .length = tape->limits.length,
                           .exact = slt_cuda_is_fp32(slt_cuda_of(tape->store)),
                           .widest = widest_of(tape, first, last)};
    for (int i = 0; i <= last - first; i++) {
        int n = backward ? last - i : first + i;
        slt_cuda_args args = slt_cuda_args_of(tape, n, backward);
        if (is_in(nodes, first, n) && (!backward || tape->nodes[n].runs_backward))
            parts[part_of(&tape->nodes[n].node)].add(&run, &args, backward);
        if (!backward && n > first && is_own(tape, tape->nodes[n - 1].node.out[0]) &&
            slt_node_is(tape, n, &slt_op_add))
            join_sum(&run);
    }
    if (!backward && may_start_early(tape, first)) advance(&run);
    if (!backward) postpone(&run);
    connect(&run, backward);
    for (int n = 0; n < run.steps; n++)
        (backward ? prefetch_backward : prefetch_forward)(&run, &run.step[n]);
    // whoever is let in holds room on the device, which others lack
    run.let_next = run.steps > 2 ? run.steps - 2 : 0;
    if (run.steps) (backward ? slt_cuda_slots_backward : slt_cuda_slots_forward)(&run);
}

static void launch(const slt_tape *tape, int first, int last, bool backward) {
    (void)last;
    launch_nodes(tape, first, backward, backward ? chain_of(tape, first) : UINT32_MAX,
                 slt_cuda_of(tape->store)->stream);
}

static void run_weights(const slt_tape *tape, int n) {
    int part = part_of(&tape->nodes[n].node);
    slt_cuda_args args = slt_cuda_args_of(tape, n, true);
    if (tape->nodes[n].runs_backward && parts[part].weights) parts[part].weights(&args);
}

// all of the nodes that are not on the chain: they have a side of their own. Gradients of weights
// that are ready do not wait for theirs
static void run_rest(const slt_tape *tape, int first, uint32_t chain) {
    slt_cuda_args begin = slt_cuda_args_of(tape, first, true);
    slt_cuda_stream_weights(tape, SLT_BESIDE_SMALL);
    launch_nodes(tape, first, true, ~chain, slt_cuda_on_slot_stream(&begin).stream);
    for (int n = end_of(tape, first); n >= first; n--)
        if (!is_in(chain, first, n)) run_weights(tape, n);
}

static void weights(const slt_tape *tape, int first, int n) {
    uint32_t chain = chain_of(tape, first);
    if (is_in(chain, first, n))
        run_weights(tape, n);
    else if (n == first)
        run_rest(tape, first, chain);
}

const slt_fusion_pattern slt_fuse_slots = {SLT_FUSE_SLOTS, last_of, launch, weights, NULL, false};
