// The planner: turns life-times into offsets in one block.
//
// Forward of node i happens at time i, its backward at time 2N-1-i. A value lives from its writer
// to the last forward reader, or to the backward of the last operation that saves it; a gradient
// from its first adder to the backward of the node that made the value. The first adder in backward
// order writes instead of adding, so nothing is ever cleared.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include "core/group_impl.h"
#include "engine/tape_impl.h"

#include <stdlib.h>
#include <string.h>

typedef struct {
    int first, last; // times, inclusive
    size_t size;     // numbers
    int64_t *place;  // where the offset goes
    int number;      // in the order of asking
    size_t offset;
} buffer;

typedef struct {
    slt_tape *tape;
    buffer *buffers;
    int count;
    int *begin, *end; // [2N] the run that a time is in
} planner;

static int forward_time(int node) { return node; }
static int backward_time(const slt_tape *tape, int node) { return 2 * tape->node_count - 1 - node; }
static int end_time(const slt_tape *tape) { return 2 * tape->node_count; }

static size_t capacity(const slt_tape *tape, slt_shape shape) {
    size_t rows = shape.space == SLT_FIXED ? (size_t)shape.rows
                                           : (size_t)slt_space_capacity(tape->limits, shape.space);
    return rows * (size_t)shape.width;
}

// ---- gradients: who has one, who writes it first

static bool takes_gradient(const slt_tape *tape, const slt_node *node, int input) {
    if (!node->in[input] || node->op->no_gradient_in >> input & 1) return false;
    return tape->vars[node->in[input]].wants_gradient;
}

static bool output_has_gradient(const slt_tape *tape, const slt_node *node) {
    for (int i = 0; i < node->outputs; i++)
        if (tape->vars[node->out[i]].has_gradient) return true;
    return false;
}

static void spread_gradients(slt_tape *tape) {
    if (tape->loss) tape->vars[tape->loss].has_gradient = tape->vars[tape->loss].wants_gradient;
    for (int n = tape->node_count - 1; n >= 0; n--) {
        slt_node_info *info = &tape->nodes[n];
        if (!output_has_gradient(tape, &info->node)) continue;
        for (int i = 0; i < info->node.inputs; i++) {
            if (!takes_gradient(tape, &info->node, i)) continue;
            slt_var_info *var = &tape->vars[info->node.in[i]];
            if (var->has_gradient) info->add |= 1u << i;
            var->has_gradient = true;
            info->runs_backward = true;
        }
    }
}

// ---- life-times

static void add_buffer(planner *plan, int first, int last, size_t size, int64_t *place) {
    size_t line = SLT_ALIGN / sizeof(slt_real);
    int end = end_time(plan->tape),
        late = slt_tape_device(plan->tape) ? slt_tape_device(plan->tape)->lag : 0;
    size = (size + line - 1) / line * line;
    // nodes of a run are at work at the same time
    if (first < end) first = plan->begin[first];
    if (last < end) last = plan->end[last];
    if (late && last >= plan->tape->node_count) last = last + late < end ? last + late : end;
    plan->buffers[plan->count] = (buffer){first, last, size, place, plan->count, 0};
    plan->count++;
}

static int later(int a, int b) { return a > b ? a : b; }

// last time anybody reads the value of a variable
static int last_read(const slt_tape *tape, slt_var var) {
    const slt_var_info *info = &tape->vars[var];
    int last = info->kept ? end_time(tape) : forward_time(info->node);
    const slt_node_info *maker = &tape->nodes[info->node];
    for (int i = 0; i < maker->node.outputs; i++)
        if (maker->node.out[i] == var && maker->runs_backward && maker->node.op->saves_out >> i & 1)
            last = later(last, backward_time(tape, info->node));
    for (int n = info->node + 1; n < tape->node_count; n++) {
        const slt_node_info *reader = &tape->nodes[n];
        for (int i = 0; i < reader->node.inputs; i++) {
            if (reader->node.in[i] != var) continue;
            last = later(last, forward_time(n));
            if (reader->runs_backward && reader->node.op->saves_in >> i & 1)
                last = later(last, backward_time(tape, n));
        }
    }
    return last;
}

// time of the first adder: the last reader in forward order that runs backward
static int first_add(const slt_tape *tape, slt_var var) {
    for (int n = tape->node_count - 1; n >= 0; n--)
        for (int i = 0; i < tape->nodes[n].node.inputs; i++)
            if (tape->nodes[n].node.in[i] == var && tape->nodes[n].runs_backward)
                return backward_time(tape, n);
    return tape->node_count; // the loss: set before the backward walk
}

static void plan_vars(planner *plan) {
    slt_tape *tape = plan->tape;
    for (slt_var v = 1; v < tape->var_count; v++) {
        slt_var_info *info = &tape->vars[v];
        size_t size = capacity(tape, info->shape) / (info->bf16 ? 2 : 1);
        bool computed = info->origin == SLT_FROM_NODE;
        if (computed)
            add_buffer(plan, forward_time(info->node), last_read(tape, v), size, &info->value);
        if (!info->has_gradient || info->origin == SLT_FROM_STORE) continue;
        int last = computed ? backward_time(tape, info->node) : end_time(tape);
        add_buffer(plan, first_add(tape, v), last, size, &info->gradient);
    }
}

static size_t ask(size_t (*size)(const slt_sizes *), const slt_sizes *sizes) {
    return size ? size(sizes) : 0;
}

// what the device needs next to the operation's own memory
static void ask_device(slt_tape *tape, const slt_sizes *sizes, size_t *aux, size_t *shared) {
    const slt_op *op = sizes->node->op;
    if (!tape->store->device) return;
    if (op->collective && slt_group_size(tape->context) > 1)
        slt_tape_fail(tape, SLT_UNSUPPORTED,
                      "operation '%s' asks the other processes and does not run on %s with them; "
                      "use device cpu",
                      op->name, slt_tape_device(tape)->name);
    const char *why = op->kernel_limit ? op->kernel_limit(sizes) : NULL;
    if (!slt_tape_device(tape)->knows(op)) why = "it has no kernels yet";
    if (why)
        slt_tape_fail(tape, SLT_UNSUPPORTED,
                      "operation '%s' does not run on %s: %s; use device cpu", op->name,
                      slt_tape_device(tape)->name, why);
    size_t kept = ask(op->kernel_aux, sizes), wanted = ask(op->kernel_shared, sizes);
    if (kept > *aux) *aux = kept;
    if (wanted > *shared) *shared = wanted;
}

static void plan_nodes(planner *plan) {
    slt_tape *tape = plan->tape;
    for (int n = 0; n < tape->node_count; n++) {
        slt_node_info *info = &tape->nodes[n];
        slt_sizes sizes = slt_node_sizes(tape, &info->node, NULL);
        const slt_op *op = info->node.op;
        int last = info->runs_backward ? backward_time(tape, n) : forward_time(n);
        size_t aux = ask(op->aux, &sizes), shared = ask(op->shared, &sizes);
        ask_device(tape, &sizes, &aux, &shared);
        if (aux) add_buffer(plan, forward_time(n), last, aux, &info->aux);
        if (shared) add_buffer(plan, forward_time(n), forward_time(n), shared, &info->shared[0]);
        if (shared && info->runs_backward) add_buffer(plan, last, last, shared, &info->shared[1]);
        size_t scratch = ask(op->scratch, &sizes);
        if (scratch > tape->scratch_size) tape->scratch_size = scratch;
    }
}

// times of runs: a device may have some
static slt_status plan_runs(planner *plan, slt_arena *work) {
    size_t times = (size_t)end_time(plan->tape);
    const slt_device_kind *device = slt_tape_device(plan->tape);
    SLT_TRY(SLT_NEW(work, &plan->begin, times + 1));
    SLT_TRY(SLT_NEW(work, &plan->end, times + 1));
    for (int t = 0; t < (int)times; t++) plan->begin[t] = plan->end[t] = t;
    if (device && device->runs) device->runs(plan->tape, plan->begin, plan->end);
    return SLT_OK;
}

// ---- placing

static int by_size(const void *a, const void *b) {
    const buffer *x = a, *y = b;
    if (x->size != y->size) return x->size < y->size ? 1 : -1;
    return x->first != y->first ? (x->first < y->first ? -1 : 1) : x->number - y->number;
}

static int by_offset(const void *a, const void *b) {
    const buffer *x = *(const buffer *const *)a, *y = *(const buffer *const *)b;
    return x->offset < y->offset ? -1 : x->offset > y->offset;
}

// the lowest gap among the placed buffers that live at the same time
static size_t lowest_gap(const buffer *wanted, buffer **near, int count) {
    qsort(near, (size_t)count, sizeof *near, by_offset);
    size_t offset = 0;
    for (int i = 0; i < count; i++) {
        if (near[i]->offset >= offset + wanted->size) break;
        size_t end = near[i]->offset + near[i]->size;
        if (end > offset) offset = end;
    }
    return offset;
}

static void place(planner *plan, bool separate, buffer **near) {
    qsort(plan->buffers, (size_t)plan->count, sizeof *plan->buffers, by_size);
    size_t total = 0;
    for (int i = 0; i < plan->count; i++) {
        buffer *wanted = &plan->buffers[i];
        int count = 0;
        for (int k = 0; k < i; k++) {
            buffer *other = &plan->buffers[k];
            bool overlap = other->first <= wanted->last && wanted->first <= other->last;
            if (overlap) near[count++] = other;
        }
        wanted->offset = separate ? total : lowest_gap(wanted, near, count);
        *wanted->place = (int64_t)wanted->offset;
        if (wanted->offset + wanted->size > total) total = wanted->offset + wanted->size;
    }
    plan->tape->block_size = total;
}

static slt_status reserve(slt_tape *tape) {
    size_t members = (size_t)tape->store->members;
    size_t threads = (size_t)slt_context_threads(tape->context);
    size_t size, line = SLT_ALIGN / sizeof(slt_real);
    if (!slt_size_mul(tape->block_size, members, &size))
        SLT_FAIL(SLT_NOMEM, "a population of %zu does not fit into memory", members);
    if (tape->store->device) return SLT_OK; // it has memory of its own
    SLT_TRY(SLT_NEW(&tape->arena, &tape->block, size));
    tape->scratch_size = (tape->scratch_size + line - 1) / line * line;
    return SLT_NEW(&tape->arena, &tape->scratch, tape->scratch_size * threads);
}

slt_status slt_tape_plan(slt_tape *tape, bool separate) {
    spread_gradients(tape);
    slt_tape_plan_bf16(tape);
    slt_arena work;
    slt_arena_init(&work, &tape->context->allocator, 0);
    planner plan = {.tape = tape};
    buffer **near = NULL;
    size_t most = (size_t)tape->var_count * 2 + (size_t)tape->node_count * 3;
    slt_status status = SLT_NEW(&work, &plan.buffers, most);
    if (status == SLT_OK) status = SLT_NEW(&work, &near, most);
    if (status == SLT_OK) status = plan_runs(&plan, &work);
    if (status == SLT_OK) {
        plan_vars(&plan);
        plan_nodes(&plan);
        place(&plan, separate, near);
        status =
            tape->status == SLT_OK ? reserve(tape) : slt_fail(tape->status, "%s", tape->message);
    }
    slt_arena_deinit(&work);
    return status;
}
