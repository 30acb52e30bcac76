// Running a tape on the CPU. One member: the pool works inside each node. A population: each thread
// walks the tape for a member of its own; borders of tasks are the same, so the bits are, too. A
// walk looks before every node whether the context was cancelled, and then goes no further.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include "engine/tape_impl.h"

#include "core/clock.h"
#include "core/group_impl.h"
#include "engine/device_rows.h"

slt_frame *slt_tape_frame(slt_tape *tape, int member) { return &tape->frames[member]; }

void slt_tape_feed(slt_tape *tape, int member, slt_var var, const void *data) {
    slt_tape_take(tape, member, var, NULL, data);
}

void slt_tape_take(slt_tape *tape, int member, slt_var var, const slt_row_slice *slice,
                   const void *data) {
    if (var <= 0) return;
    tape->frames[member].feed[var] = data;
    tape->frames[member].slice[var] = slice;
}

static slt_real *member_block(const slt_tape *tape, int member) {
    return tape->block + tape->block_size * (size_t)member;
}

slt_real *slt_tape_value(const slt_tape *tape, int member, slt_var var) {
    const slt_var_info *info = &tape->vars[var];
    if (tape->on_device && info->origin != SLT_FROM_FEED)
        return slt_tape_device(tape)->value(tape, member, var);
    if (info->origin == SLT_FROM_STORE)
        return slt_store_at(tape->store, tape->store->value, info->parameter, member) + info->first;
    if (info->constant) return info->constant;
    if (info->origin == SLT_FROM_FEED) return (slt_real *)tape->frames[member].feed[var];
    return member_block(tape, member) + info->value;
}

slt_real *slt_tape_gradient(const slt_tape *tape, int member, slt_var var) {
    const slt_var_info *info = &tape->vars[var];
    if (!info->has_gradient) return NULL;
    if (tape->on_device) return slt_tape_device(tape)->gradient(tape, member, var);
    if (info->origin == SLT_FROM_STORE)
        return slt_store_at(tape->store, tape->store->gradient, info->parameter, member) +
               info->first;
    return member_block(tape, member) + info->gradient;
}

static int shape_rows(const slt_tape *tape, slt_shape shape, const slt_batch *batch, int live) {
    if (shape.space == SLT_FIXED) return shape.rows;
    if (shape.space == SLT_LIVE && batch) return live;
    return batch ? slt_batch_rows(batch, tape->limits.slots, shape.space)
                 : slt_space_capacity(tape->limits, shape.space);
}

int slt_shape_rows(const slt_tape *tape, slt_shape shape, const slt_batch *batch) {
    return shape_rows(tape, shape, batch, slt_space_capacity(tape->limits, shape.space));
}

slt_sizes slt_node_sizes(const slt_tape *tape, const slt_node *node, const slt_batch *batch) {
    slt_sizes sizes = {.node = node,
                       .limits = tape->limits,
                       .batch = batch,
                       .bf16 = tape->context->precision == SLT_BF16};
    int live = batch ? tape->frames[0].live : 0;
    for (int i = 0; i < node->inputs; i++) {
        if (!node->in[i]) continue;
        sizes.in[i] = tape->vars[node->in[i]].shape;
        sizes.in[i].rows = shape_rows(tape, sizes.in[i], batch, live);
    }
    for (int i = 0; i < node->outputs; i++) {
        sizes.out[i] = tape->vars[node->out[i]].shape;
        sizes.out[i].rows = shape_rows(tape, sizes.out[i], batch, live);
    }
    return sizes;
}

// ---- one node for one member

static void fill_inputs(const slt_tape *tape, int member, slt_args *args) {
    const slt_node *node = args->node;
    for (int i = 0; i < node->inputs; i++) {
        slt_var var = node->in[i];
        if (!var) continue;
        slt_shape shape = tape->vars[var].shape;
        args->in_rows[i] = shape_rows(tape, shape, args->batch, *args->live);
        args->in_width[i] = shape.width;
        args->in[i] = slt_tape_value(tape, member, var);
    }
    for (int i = 0; i < node->outputs; i++) {
        slt_shape shape = tape->vars[node->out[i]].shape;
        args->out_rows[i] = shape_rows(tape, shape, args->batch, *args->live);
        args->out_width[i] = shape.width;
        args->out[i] = slt_tape_value(tape, member, node->out[i]);
    }
}

static void fill_gradients(const slt_tape *tape, int member, const slt_node_info *info,
                           slt_args *args) {
    const slt_node *node = args->node;
    for (int i = 0; i < node->inputs; i++) {
        if (!node->in[i] || node->op->no_gradient_in >> i & 1) continue;
        args->in_grad[i] = slt_tape_gradient(tape, member, node->in[i]);
        args->add[i] = info->add >> i & 1;
    }
    for (int i = 0; i < node->outputs; i++)
        args->out_grad[i] = slt_tape_gradient(tape, member, node->out[i]);
}

typedef struct {
    slt_tape *tape;
    bool backward;
    slt_pool *pool;
    slt_cancel_token *cancel;
} walk;

static void run_node(const walk *w, const slt_node_info *info, int member, int thread) {
    slt_tape *tape = w->tape;
    bool backward = w->backward;
    slt_frame *frame = &tape->frames[member];
    slt_args args = {.node = &info->node,
                     .batch = &frame->batch,
                     .step = &frame->step,
                     .limits = tape->limits,
                     .scratch = tape->scratch + tape->scratch_size * (size_t)thread,
                     .scratch_size = tape->scratch_size,
                     .live = &frame->live,
                     .keep = info->runs_backward,
                     .bf16 = tape->bf16,
                     .pool = w->pool,
                     .context = tape->context,
                     .cancel = w->cancel};
    slt_real *block = member_block(tape, member);
    if (info->aux >= 0) args.aux = block + info->aux;
    if (info->shared[backward] >= 0) args.shared = block + info->shared[backward];
    fill_inputs(tape, member, &args);
    if (backward) fill_gradients(tape, member, info, &args);
    (backward ? info->node.op->backward : info->node.op->forward)(&args);
}

// ---- tasks of a node

typedef struct {
    const slt_args *args;
    slt_op_task task;
} task_call;

static void call_task(void *argument, int task, int thread) {
    const task_call *call = argument;
    call->task(call->args, task, call->args->scratch + call->args->scratch_size * (size_t)thread);
}

void slt_args_run(const slt_args *args, int tasks, slt_op_task task) {
    task_call call = {args, task};
    slt_pool_run(args->pool, tasks, call_task, &call);
}

// ---- the walks

// runs a node and, where somebody asked for it, notes how long it took
static void visit(const walk *w, int n, int member, int thread) {
    slt_tape *tape = w->tape;
    bool timed = tape->seconds && member == 0;
    double started = timed ? slt_seconds() : 0;
    run_node(w, &tape->nodes[n], member, thread);
    if (timed) tape->seconds[w->backward * tape->node_count + n] += slt_seconds() - started;
}

static void walk_member(void *argument, int member, int thread) {
    const walk *w = argument;
    slt_tape *tape = w->tape;
    if (tape->frames[member].idle) return;
    if (w->backward) {
        slt_real *seed = slt_tape_gradient(tape, member, tape->loss);
        if (seed) *seed = 1;
        for (int n = tape->node_count - 1; n >= 0 && !slt_cancel_asked(w->cancel); n--)
            if (tape->nodes[n].runs_backward) visit(w, n, member, thread);
    } else {
        for (int n = 0; n < tape->node_count && !slt_cancel_asked(w->cancel); n++)
            visit(w, n, member, thread);
    }
}

// processes of a group must ask each other in the same order
static bool in_order(const slt_tape *tape) {
    bool collective = false;
    for (int n = 0; n < tape->node_count; n++) collective |= tape->nodes[n].node.op->collective;
    return tape->store->members == 1 || (collective && slt_group_size(tape->context) > 1);
}

// a walk of some members; CANCELLED when it ended early. Processes of a group stop together, after
// a step
static slt_status run_walk(slt_tape *tape, bool backward, int first, int count) {
    slt_context *context = tape->context;
    slt_cancel_token cancel = {.context = context};
    walk w = {tape, backward, NULL, slt_group_size(context) > 1 ? NULL : &cancel};
    if (count == 1 || in_order(tape)) {
        w.pool = context->pool;
        for (int m = first; m < first + count; m++) walk_member(&w, m, 0);
    } else {
        slt_pool_run(context->pool, count, walk_member, &w);
    }
    if (atomic_load(&cancel.asked)) SLT_FAIL(SLT_CANCELLED, "stopped on request");
    return SLT_OK;
}

// ---- what would otherwise be read beyond its end

static slt_status check_trajectory(const slt_tape *tape, const slt_batch *batch, int b) {
    int computed = slt_batch_computed(batch, b), L = tape->limits.length, K = tape->limits.slots;
    int seen = slt_batch_shared(batch).count;
    if (computed < 1 || computed > L || batch->length[b] < 1 || batch->length[b] > L)
        SLT_FAIL(SLT_RANGE, "trajectory %d of the batch: %d positions, %d true, on a tape for %d",
                 b, computed, batch->length[b], L);
    for (int k = 0; batch->companion && k < K; k++)
        if (batch->companion[b * K + k] < -1 || batch->companion[b * K + k] >= seen)
            SLT_FAIL(SLT_RANGE, "trajectory %d of the batch: companion %d of %d", b,
                     batch->companion[b * K + k], seen);
    return SLT_OK;
}

static slt_status check_shared(const slt_tape *tape, const slt_shared_observations *seen) {
    int L = tape->limits.length, room = tape->limits.seen;
    if (seen->count < 0 || !seen->count != !room)
        SLT_FAIL(SLT_INVALID, "%d trajectories to see on a tape for %d tokens of such", seen->count,
                 room);
    if (!seen->count) return SLT_OK;
    if (!seen->offset || !seen->length || seen->offset[0] != 0 || seen->offset[seen->count] > room)
        SLT_FAIL(SLT_RANGE, "tokens to see on a tape for %d", room);
    for (int c = 0; c < seen->count; c++) {
        int computed = seen->offset[c + 1] - seen->offset[c];
        if (computed < 1 || computed > L || seen->length[c] < 1 || seen->length[c] > L)
            SLT_FAIL(SLT_RANGE, "trajectory %d to see: %d positions, %d true, on a tape for %d", c,
                     computed, seen->length[c], L);
    }
    return SLT_OK;
}

static slt_status check_batch(const slt_tape *tape, const slt_batch *batch) {
    if (batch->count < 0 || batch->count > tape->limits.trajectories)
        SLT_FAIL(SLT_RANGE, "batch of %d trajectories on a tape for %d", batch->count,
                 tape->limits.trajectories);
    if (!batch->offset || !batch->length || !batch->index)
        SLT_FAIL(SLT_INVALID, "batch without offsets, lengths or places");
    if (batch->offset[0] != 0 || batch->offset[batch->count] > tape->limits.tokens)
        SLT_FAIL(SLT_RANGE, "batch of %d tokens on a tape for %d", batch->offset[batch->count],
                 tape->limits.tokens);
    if (batch->count && batch->true_tokens < 1)
        SLT_FAIL(SLT_RANGE, "batch of %d true tokens", batch->true_tokens);
    SLT_TRY(check_shared(tape, &batch->seen));
    for (int b = 0; b < batch->count; b++) SLT_TRY(check_trajectory(tape, batch, b));
    return SLT_OK;
}

static slt_status check_slice(const slt_tape *tape, const slt_batch *batch,
                              const slt_row_slice *from, const slt_var_info *info) {
    const slt_device_rows *rows_of_device = from->rows_of_device;
    const slt_row_column *column = &rows_of_device->column[from->column];
    if (rows_of_device->device != tape->store->device || from->column >= rows_of_device->columns ||
        info->shape.space != SLT_TOKENS || column->type != info->type ||
        column->width != info->shape.width)
        SLT_FAIL(SLT_INVALID, "input '%s' does not fit column %d of its device rows", info->name,
                 from->column);
    for (int b = 0; b < batch->count; b++)
        if (from->first[b] < 0 ||
            from->first[b] > rows_of_device->rows - slt_batch_computed(batch, b))
            SLT_FAIL(SLT_RANGE, "input '%s': row %lld of %lld device rows", info->name,
                     (long long)from->first[b], (long long)rows_of_device->rows);
    return SLT_OK;
}

static slt_status check_feed(const slt_tape *tape, const slt_frame *frame, slt_var var) {
    const slt_var_info *info = &tape->vars[var];
    if (info->origin != SLT_FROM_FEED || info->constant) return SLT_OK;
    if (frame->slice[var]) return check_slice(tape, &frame->batch, frame->slice[var], info);
    if (!frame->feed[var]) SLT_FAIL(SLT_INVALID, "input '%s' was not fed", info->name);
    return SLT_OK;
}

slt_status slt_tape_check(const slt_tape *tape, int member) {
    const slt_frame *frame = &tape->frames[member];
    SLT_TRY(check_batch(tape, &frame->batch));
    for (slt_var v = 1; v < tape->var_count; v++) {
        if (tape->vars[v].shape.space == SLT_SLOT_TOKENS && !frame->batch.companion)
            SLT_FAIL(SLT_INVALID, "batch without companions on a tape with slot tokens");
        SLT_TRY(check_feed(tape, frame, v));
    }
    return SLT_OK;
}

slt_status slt_tape_forward(slt_tape *tape) {
    for (int m = 0; m < tape->store->members; m++) SLT_TRY(slt_tape_check(tape, m));
    if (tape->on_device) return slt_tape_device(tape)->forward(tape);
    return run_walk(tape, false, 0, tape->store->members);
}

slt_status slt_tape_forward_member(slt_tape *tape, int member) {
    if (tape->on_device) return slt_tape_forward(tape); // all members at once
    SLT_TRY(slt_tape_check(tape, member));
    return run_walk(tape, false, member, 1);
}

int slt_tape_ahead(const slt_tape *tape) {
    return tape->on_device ? slt_tape_device(tape)->ahead : 1;
}

slt_status slt_tape_begin(slt_tape *tape, int member) {
    if (!tape->on_device)
        return member < 0 ? slt_tape_forward(tape) : slt_tape_forward_member(tape, member);
    for (int m = 0; m < tape->store->members; m++) SLT_TRY(slt_tape_check(tape, m));
    return slt_tape_device(tape)->begin(tape);
}

slt_status slt_tape_end(slt_tape *tape) {
    return tape->on_device ? slt_tape_device(tape)->end(tape) : SLT_OK;
}

slt_status slt_tape_backward(slt_tape *tape) {
    if (!tape->loss) SLT_FAIL(SLT_INVALID, "the tape has no loss");
    if (tape->on_device) return slt_tape_device(tape)->backward(tape);
    return run_walk(tape, true, 0, tape->store->members);
}

size_t slt_tape_bytes(const slt_tape *tape) {
    return tape->block_size * (size_t)tape->store->members * sizeof(slt_real);
}

double slt_node_flops(const slt_tape *tape, const slt_node_info *info, bool backward) {
    const slt_op *op = info->node.op;
    if (!op->flops || (backward && !info->runs_backward)) return 0;
    slt_sizes sizes = slt_node_sizes(tape, &info->node, &tape->frames[0].batch);
    double share = backward ? (op->backward_flops ? op->backward_flops : 2) : 1;
    return share * op->flops(&sizes);
}

double slt_tape_flops(const slt_tape *tape, bool backward) {
    double sum = 0;
    for (int n = 0; n < tape->node_count; n++)
        sum += slt_node_flops(tape, &tape->nodes[n], backward);
    return sum;
}
