// A tape on the device: its planned block, the walk over its nodes, and captured graphs. A class of
// batches is run once node by node (libraries load and choose), captured the second time, and
// replayed from then on.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include <stdio.h>
#include <string.h>
#include "cuda/fused/common/family.h"
#include "cuda/fused/fusion.h"
#include "cuda/fused/layer/layer_packed.h"
#include "cuda/ops/cuda_ops.h"
#include "cuda/tape/cuda_walk.h"

_Static_assert(sizeof(slt_cuda_step_stats) == sizeof(slt_step_stats), "notes are shared");
_Static_assert((int)SLT_CUDA_STATS_KEPT == (int)SLT_STATS_KEPT &&
                   (int)SLT_CUDA_WATCHED == (int)SLT_WATCHED,
               "notes are shared");
_Static_assert((int)SLT_CUDA_INPUTS == (int)SLT_INPUTS && (int)SLT_CUDA_OUTPUTS == (int)SLT_OUTPUTS,
               "a kernel sees all inputs");
_Static_assert((int)SLT_BF16_OUTPUT == (int)SLT_BF16_OUT, "and which of them are in bf16");
_Static_assert((int)SLT_CUDA_NUMBERS == (int)SLT_ATTRIBUTES, "and all attributes");

// ---- opening

// sums over rows are at most as wide as a variable, or as a narrow product's weights; a row of many
// parameters (ompn has all of them in one) is none of them
static int widest(const slt_tape *tape) {
    int width = 1;
    for (slt_var v = 1; v < tape->var_count; v++) {
        const slt_var_info *info = &tape->vars[v];
        bool row = info->shape.space == SLT_FIXED && info->shape.width > 4096;
        if (!row && info->shape.width > width) width = info->shape.width;
    }
    return 16 * width;
}

static slt_status open_sums(slt_tape *tape, slt_cuda_tape *t) {
    size_t width = (size_t)widest(tape), members = (size_t)tape->store->members;
    t->partials_each = 64 * width; // at least 32 parts of the widest, more of others
    t->counter_stride = (int)(width / 32 + 1);
    float **const partials[] = {&t->partials, &t->side_partials};
    int32_t **const counters[] = {&t->counters, &t->side_counters};
    for (int i = 0; i < 2; i++) {
        size_t many = members * (i ? SLT_CUDA_SIDE_STREAMS : 1);
        SLT_TRY(
            slt_cuda_alloc(t->cuda, t->partials_each * many * sizeof(float), (void **)partials[i]));
        SLT_TRY(slt_cuda_alloc(t->cuda, (size_t)t->counter_stride * many * sizeof(int32_t),
                               (void **)counters[i]));
    }
    return SLT_OK;
}

static slt_status open_side(slt_tape *tape, slt_cuda_tape *t) {
    SLT_TRY(SLT_NEW(&tape->arena, &t->done, (size_t)tape->node_count));
    SLT_TRY(SLT_NEW(&tape->arena, &t->has_done, (size_t)tape->node_count));
    SLT_TRY(SLT_NEW(&tape->arena, &t->waits, (size_t)tape->node_count));
    for (int n = 0; n < tape->node_count; n++)
        SLT_CUDA_TRY(t->cuda, cudaEventCreateWithFlags(&t->done[n], cudaEventDisableTiming),
                     "making an event");
    return SLT_OK;
}

static slt_status open_runs(slt_tape *tape, slt_cuda_tape *t) {
    int times = 2 * tape->node_count;
    SLT_TRY(SLT_NEW(&tape->arena, &t->begin, (size_t)times + 1));
    SLT_TRY(SLT_NEW(&tape->arena, &t->end, (size_t)times + 1));
    for (int i = 0; i < times; i++) t->begin[i] = t->end[i] = i;
    slt_cuda_find_fused(tape, t->begin, t->end);
    t->last_room = slt_cuda_last_room(tape);
    return slt_cuda_runs_pack(tape);
}

// notes in memory that both sides see
static slt_status open_stats(slt_tape *tape, slt_cuda_tape *t) {
    size_t bytes = (size_t)tape->store->members * SLT_STATS_KEPT * sizeof(slt_step_stats);
    void *memory = NULL, *there = NULL;
    size_t room;
    SLT_TRY(slt_cuda_pin(t->cuda, bytes, &memory, &room));
    tape->stats = memory;
    memset(memory, 0, bytes);
    SLT_CUDA_TRY(t->cuda, cudaHostGetDevicePointer(&there, memory, 0), "mapping memory");
    t->stats = there;
    return SLT_OK;
}

// kernels count the numbers of a member in 32 bits
static slt_status check_sizes(const slt_tape *tape) {
    for (slt_var v = 1; v < tape->var_count; v++)
        if (slt_cuda_capacity(tape, v) > INT32_MAX)
            SLT_FAIL(SLT_RANGE, "%d rows of %d numbers are too many for the device",
                     slt_shape_rows(tape, tape->vars[v].shape, NULL), tape->vars[v].shape.width);
    return SLT_OK;
}

slt_status slt_cuda_tape_open(slt_tape *tape) {
    slt_cuda_tape *t;
    SLT_TRY(check_sizes(tape));
    SLT_TRY(SLT_NEW(&tape->arena, &t, 1));
    t->cuda = slt_cuda_of(tape->store);
    tape->on_device = t;
    SLT_TRY(slt_cuda_frames_open(tape));
    SLT_TRY(slt_cuda_mirrors_open(tape));
    SLT_TRY(open_sums(tape, t));
    SLT_TRY(open_side(tape, t));
    SLT_TRY(open_runs(tape, t));
    SLT_TRY(slt_cuda_layers_open(tape));
    SLT_TRY(open_stats(tape, t));
    for (int i = 0; i < 2; i++)
        SLT_CUDA_TRY(t->cuda, cudaEventCreate(&t->timer[i]), "making an event");
    return slt_cuda_alloc(t->cuda, slt_tape_bytes(tape), (void **)&t->block);
}

void slt_cuda_tape_close(slt_tape *tape) {
    slt_cuda_tape *t = slt_cuda_tape_of(tape);
    cudaStreamSynchronize(t->cuda->stream);
    for (int i = 0; i < t->graphs; i++)
        if (t->graph[i].run) cudaGraphExecDestroy(t->graph[i].run);
    for (int i = 0; i < 2; i++)
        if (t->timer[i]) cudaEventDestroy(t->timer[i]);
    slt_cuda_frames_close(tape);
    slt_cuda_mirrors_close(tape);
    slt_cuda_layers_close(tape);
    if (tape->stats) slt_cuda_unpin(t->cuda, tape->stats);
    slt_cuda_free(t->cuda, t->block);
    for (int n = 0; t->done && n < tape->node_count; n++)
        if (t->done[n]) cudaEventDestroy(t->done[n]);
    slt_cuda_free(t->cuda, t->partials);
    slt_cuda_free(t->cuda, t->side_partials);
    slt_cuda_free(t->cuda, t->counters);
    slt_cuda_free(t->cuda, t->side_counters);
    tape->on_device = NULL;
}

// tables are filled after finish, so they go with the first run
static slt_status send_constants(slt_tape *tape) {
    slt_cuda_tape *t = slt_cuda_tape_of(tape);
    if (t->constants_sent) return SLT_OK;
    for (slt_var v = 1; v < tape->var_count; v++)
        if (t->constant[v])
            SLT_CUDA_TRY(t->cuda,
                         cudaMemcpyAsync(t->constant[v], tape->vars[v].constant,
                                         slt_cuda_capacity(tape, v) * sizeof(float),
                                         cudaMemcpyHostToDevice, t->cuda->stream),
                         "sending tables");
    t->constants_sent = true;
    return slt_cuda_check(t->cuda, cudaStreamSynchronize(t->cuda->stream), "sending tables");
}

// ---- one node

static slt_status launch_node(slt_tape *tape, int n, bool backward) {
    slt_cuda *cuda = slt_cuda_of(tape->store);
    const slt_node_info *info = &tape->nodes[n];
    const slt_cuda_op *op = slt_cuda_find(info->node.op);
    slt_cuda_args args = slt_cuda_args_of(tape, n, backward);
    (backward ? op->backward : op->forward)(&args);
    cudaError_t error = cudaPeekAtLastError();
    if (error == cudaSuccess) return slt_cuda_status(cuda);
    char doing[64];
    snprintf(doing, sizeof doing, "%.40s %s", op->op->name, backward ? "backward" : "forward");
    return slt_cuda_check(cuda, error, doing);
}

// ---- clocks, where somebody asked for them

static slt_status start_clock(const slt_tape *tape) {
    const slt_cuda_tape *t = slt_cuda_tape_of(tape);
    if (!tape->seconds) return SLT_OK;
    return slt_cuda_check(t->cuda, cudaEventRecord(t->timer[0], t->cuda->stream),
                          "taking the time");
}

// the time since then is node n's; its side is waited for
static slt_status stop_clock(slt_tape *tape, int n, bool backward) {
    const slt_cuda_tape *t = slt_cuda_tape_of(tape);
    float ms = 0;
    if (!tape->seconds) return SLT_OK;
    SLT_TRY(slt_cuda_stream_mark(tape, n));
    SLT_TRY(slt_cuda_stream_wait(tape, n));
    SLT_CUDA_TRY(t->cuda, cudaEventRecord(t->timer[1], t->cuda->stream), "taking the time");
    SLT_CUDA_TRY(t->cuda, cudaEventSynchronize(t->timer[1]), "taking the time");
    SLT_CUDA_TRY(t->cuda, cudaEventElapsedTime(&ms, t->timer[0], t->timer[1]), "taking the time");
    tape->seconds[backward * tape->node_count + n] += 1e-3 * (double)ms;
    return SLT_OK;
}

// ---- the walks

static slt_status visit(slt_tape *tape, int n, bool backward) {
    SLT_TRY(start_clock(tape));
    SLT_TRY(launch_node(tape, n, backward));
    return stop_clock(tape, n, backward);
}

// the time of a run is that of its largest node
static int largest_of(const slt_tape *tape, int first, int last, bool backward) {
    int largest = first;
    for (int n = first; tape->seconds && n <= last; n++)
        if (slt_node_flops(tape, &tape->nodes[n], backward) >
            slt_node_flops(tape, &tape->nodes[largest], backward))
            largest = n;
    return largest;
}

static slt_status forward_run(slt_tape *tape, int first, int last) {
    slt_cuda *cuda = slt_cuda_of(tape->store);
    SLT_TRY(start_clock(tape));
    slt_cuda_fused_forward(tape, first, last);
    SLT_CUDA_TRY(cuda, cudaPeekAtLastError(), "a run forward");
    return stop_clock(tape, largest_of(tape, first, last, false), false);
}

// parameters in bf16, concurrently with what comes before their first reader: work of node 0
static slt_status round_parameters(slt_tape *tape) {
    slt_cuda_args args = slt_cuda_args_of(tape, -1, false);
    if (!args.rounded) return SLT_OK;
    slt_cuda_args side = slt_cuda_on_sum_stream(&args);
    slt_cuda_round_values(&side);
    return slt_cuda_stream_mark(tape, 0);
}

// does node n multiply with them?
static bool reads_rounded(const slt_tape *tape, int n) {
    const slt_node *node = &tape->nodes[n].node;
    for (int i = 0; i < node->inputs && node->op->bf16_rows; i++)
        if (tape->vars[node->in[i]].origin == SLT_FROM_STORE) return true;
    return false;
}

// trains: a run that continues backward is left to it
static slt_status walk_forward(slt_tape *tape, bool trains) {
    const slt_cuda_tape *t = slt_cuda_tape_of(tape);
    int N = tape->node_count;
    SLT_TRY(round_parameters(tape));
    slt_cuda_layers_begin(tape);
    for (int n = 0, last; n < N; n = last + 1) {
        last = t->end[n] < N ? t->end[n] : N - 1;
        for (int i = n; i <= last; i++)
            if (reads_rounded(tape, i)) SLT_TRY(slt_cuda_stream_wait(tape, 0));
        if (trains && t->end[n] >= N) break;
        SLT_TRY(last > n ? forward_run(tape, n, last) : visit(tape, n, false));
    }
    return slt_cuda_stream_wait(tape, 0); // where nobody reads them
}

// a parameter that already has a gradient: whoever adds waits for who wrote it
static bool adds_to_parameter(const slt_tape *tape, int n) {
    const slt_node_info *info = &tape->nodes[n];
    for (int i = 0; i < info->node.inputs; i++)
        if (info->add >> i & 1 && tape->vars[info->node.in[i]].origin == SLT_FROM_STORE)
            return true;
    return false;
}

static slt_status join_side(slt_tape *tape, int n) {
    for (int late = tape->node_count - 1; late > n; late--)
        SLT_TRY(slt_cuda_stream_wait(tape, late));
    return SLT_OK;
}

// before time `now` of the planner: who is later than the lag allows
static slt_status join_late(slt_tape *tape, int now) {
    const slt_cuda_tape *t = slt_cuda_tape_of(tape);
    int N = tape->node_count;
    for (int n = N - 1; n >= 0; n--)
        if (t->end[2 * N - 1 - n] + SLT_CUDA_LAG < now) SLT_TRY(slt_cuda_stream_wait(tape, n));
    return SLT_OK;
}

// the gradient of a table that joins tokens is made on the side: who reads it, or adds to it
static slt_status wait_for_table(slt_tape *tape, int n) {
    const slt_node *node = &tape->nodes[n].node;
    for (int m = n + 1; m < tape->node_count; m++) {
        const slt_node *join = &tape->nodes[m].node;
        if (!slt_node_is(tape, m, &slt_op_join_tokens)) continue;
        bool waits = node->out[0] == join->in[SLT_JOIN_TABLE];
        for (int i = 0; i < node->inputs; i++)
            waits = waits || node->in[i] == join->in[SLT_JOIN_TABLE];
        if (waits) SLT_TRY(slt_cuda_stream_wait(tape, m));
    }
    return SLT_OK;
}

// what waits until the chain leaves room: it has left the large nodes. After the last launch that
// leaves any, groups wait for the end
static slt_status release_side(slt_tape *tape, int n) {
    if (slt_is_large(tape, n)) return SLT_OK;
    slt_cuda_release(slt_cuda_of(tape->store));
    return n < slt_cuda_tape_of(tape)->last_room ? SLT_OK
                                                 : slt_cuda_stream_weights(tape, SLT_BESIDE_SMALL);
}

static slt_status backward_node(slt_tape *tape, int n) {
    if (!tape->nodes[n].runs_backward) return SLT_OK;
    SLT_TRY(wait_for_table(tape, n));
    SLT_TRY(release_side(tape, n));
    if (adds_to_parameter(tape, n)) SLT_TRY(join_side(tape, n));
    SLT_TRY(visit(tape, n, true));
    SLT_TRY(slt_cuda_stream_mark(tape, n));
    return release_side(tape, n);
}

static slt_status run_weights(slt_tape *tape, int first, int n) {
    if (!tape->nodes[n].runs_backward) return SLT_OK;
    SLT_TRY(slt_cuda_stream_after(tape, n));
    slt_cuda_fused_weights(tape, first, n);
    SLT_TRY(slt_cuda_stream_mark(tape, n));
    return tape->seconds ? slt_cuda_stream_wait(tape, n) : SLT_OK;
}

static slt_status backward_run(slt_tape *tape, int first, int last, slt_cuda_view seed, bool both) {
    SLT_TRY(start_clock(tape));
    slt_cuda_stream_forget(tape);
    for (int n = last; n >= first; n--) SLT_TRY(wait_for_table(tape, n));
    if (!seed.at) SLT_TRY(release_side(tape, last));
    int n = last;
    if (slt_cuda_fused_fills(tape, first)) {
        SLT_TRY(run_weights(tape, first, n--));
        SLT_TRY(slt_cuda_stream_weights(tape, SLT_BESIDE_FRONT));
    }
    slt_cuda_fused_backward(tape, first, last, seed, both);
    for (; n >= first; n--) SLT_TRY(run_weights(tape, first, n));
    SLT_CUDA_TRY(slt_cuda_of(tape->store), cudaPeekAtLastError(), "a run backward");
    return stop_clock(tape, largest_of(tape, first, last, true), true);
}

// a run may set the loss's own gradient, else it is set before
static slt_status walk_backward(slt_tape *tape, bool trains) {
    const slt_cuda_tape *t = slt_cuda_tape_of(tape);
    slt_cuda_args args = slt_cuda_args_of(tape, -1, true);
    slt_cuda_view seed = slt_cuda_gradient_view(tape, tape->loss), none = {NULL, 0};
    int N = tape->node_count;
    for (int n = N - 1, first; n >= 0; n = first - 1, seed = none) {
        int end = t->end[2 * N - 1 - n];
        first = 2 * N - 1 - end;
        SLT_TRY(join_late(tape, end));
        bool runs = first < n && tape->nodes[n].runs_backward;
        if (seed.at && !runs) slt_cuda_seed(&args, seed);
        bool both = trains && t->begin[2 * N - 1 - n] < N;
        SLT_TRY(first < n ? backward_run(tape, first, n, runs ? seed : none, both)
                          : backward_node(tape, n));
    }
    SLT_TRY(slt_cuda_stream_weights(tape, SLT_BESIDE_NOTHING));
    SLT_TRY(join_side(tape, -1));
    return slt_cuda_stream_add(tape);
}

static slt_cuda_stats_writer stats_of(const slt_tape *tape) {
    const slt_cuda_tape *t = slt_cuda_tape_of(tape);
    slt_cuda_stats_writer stats = {.stream = t->cuda->stream,
                                   .frames = t->frames,
                                   .members = tape->store->members,
                                   .count = tape->watched_count,
                                   .stats = t->stats};
    for (int i = 0; i < tape->watched_count; i++)
        if (tape->watched[i]) stats.watched[i] = slt_cuda_value_view(tape, tape->watched[i]);
    return stats;
}

static slt_status walk_adam(slt_tape *tape, slt_cuda_stats_writer stats) {
    const slt_cuda_tape *t = slt_cuda_tape_of(tape);
    const slt_cuda_blocks *b = tape->store->on_device;
    slt_cuda_update update = {.stream = t->cuda->stream,
                              .frames = t->frames,
                              .value = b->value,
                              .gradient = b->gradient,
                              .moment1 = b->moment1,
                              .moment2 = b->moment2,
                              .pieces = b->pieces,
                              .members = tape->store->members,
                              .pieces_each = b->pieces_each,
                              .norms = b->norms,
                              .norm = b->norm,
                              .stats = stats};
    if (b->pieces_each)
        slt_cuda_adam(&update);
    else if (stats.stats)
        slt_cuda_write_stats(&stats);
    return slt_cuda_check(t->cuda, cudaPeekAtLastError(), "Adam");
}

static slt_status walk(slt_tape *tape, bool trains) {
    SLT_TRY(walk_forward(tape, trains));
    if (!trains) return SLT_OK;
    SLT_TRY(walk_backward(tape, true));
    return walk_adam(tape, stats_of(tape));
}

// ---- graphs

static slt_cuda_graph *graph_of(slt_cuda_tape *t, bool trains) {
    for (int i = 0; i < t->graphs; i++)
        if (t->graph[i].tokens == t->tokens && t->graph[i].frame == t->frame &&
            t->graph[i].trains == trains)
            return &t->graph[i];
    if (t->graphs == SLT_CUDA_GRAPHS) return NULL;
    t->graph[t->graphs] =
        (slt_cuda_graph){.tokens = t->tokens, .frame = t->frame, .trains = trains};
    return &t->graph[t->graphs++];
}

// kernels of the chain go before those of the sides, as their streams say
static slt_status capture(slt_tape *tape, bool trains, slt_cuda_graph *graph) {
    slt_cuda *cuda = slt_cuda_of(tape->store);
    cudaGraph_t captured = NULL;
    SLT_CUDA_TRY(cuda, cudaStreamBeginCapture(cuda->stream, cudaStreamCaptureModeRelaxed),
                 "capturing a step");
    cuda->held_count = 0;
    slt_status status = walk(tape, trains);
    cudaError_t error = cudaStreamEndCapture(cuda->stream, &captured);
    if (status == SLT_OK) status = slt_cuda_check(cuda, error, "capturing a step");
    if (status == SLT_OK)
        status = slt_cuda_check(
            cuda,
            cudaGraphInstantiate(&graph->run, captured, cudaGraphInstantiateFlagUseNodePriority),
            "preparing a captured step");
    if (captured) cudaGraphDestroy(captured);
    return status;
}

static slt_status replay(slt_cuda_tape *t, const slt_cuda_graph *graph) {
    return slt_cuda_check(t->cuda, cudaGraphLaunch(graph->run, t->cuda->stream), "a step");
}

// node by node the first time, captured the second
static slt_status prepare_and_run(slt_tape *tape, bool trains, slt_cuda_graph *graph) {
    if (!graph || graph->runs++ == 0) return walk(tape, trains);
    SLT_TRY(capture(tape, trains, graph));
    return replay(slt_cuda_tape_of(tape), graph);
}

// what may load code or reserve memory waits for those that capture
static slt_status run(slt_tape *tape, bool trains) {
    slt_cuda_tape *t = slt_cuda_tape_of(tape);
    slt_cuda_graph *graph = tape->seconds ? NULL : graph_of(t, trains);
    if (graph && graph->run) return replay(t, graph);
    slt_cuda_lock();
    slt_status status = prepare_and_run(tape, trains, graph);
    slt_cuda_unlock();
    return status;
}

// ---- the calls of the engine

static slt_status put(slt_tape *tape) {
    slt_cuda_tape *t = slt_cuda_tape_of(tape);
    SLT_TRY(slt_cuda_status(t->cuda));
    SLT_TRY(slt_cuda_store_send(tape->store));
    SLT_TRY(send_constants(tape));
    t->read = ++t->runs;
    t->turn = &t->turns[0];
    return slt_cuda_frames_put(tape);
}

// A graph begins when all before it has ended. Kernels one by one may ask for weights before that:
// for them the frame is spread between Adam and forward
static slt_status send(slt_tape *tape, bool trains) {
    SLT_TRY(put(tape));
    const slt_cuda_graph *graph = tape->seconds ? NULL : graph_of(slt_cuda_tape_of(tape), trains);
    return slt_cuda_stage_send(tape, graph && graph->runs > 0);
}

slt_status slt_cuda_wait(slt_tape *tape) { return slt_cuda_rest(slt_cuda_of(tape->store)); }

static slt_status forward_alone(slt_tape *tape) {
    SLT_TRY(put(tape));
    SLT_TRY(slt_cuda_stage_send(tape, false));
    return walk_forward(tape, false);
}

// results of a tape without a loss are read at once: a failure shows here
slt_status slt_cuda_forward(slt_tape *tape) {
    if (tape->loss) return forward_alone(tape);
    SLT_TRY(send(tape, false));
    SLT_TRY(run(tape, false));
    SLT_TRY(slt_cuda_mirror_asked(tape));
    return slt_cuda_wait(tape);
}

slt_status slt_cuda_begin(slt_tape *tape) {
    slt_cuda_tape *t = slt_cuda_tape_of(tape);
    slt_cuda_turn *turn = &t->turns[t->begun % SLT_CUDA_TURNS];
    if (tape->loss || t->begun - t->ended >= SLT_CUDA_TURNS)
        SLT_FAIL(SLT_INTERNAL, "more passes begun than results have room for");
    SLT_TRY(send(tape, false));
    SLT_TRY(run(tape, false));
    SLT_TRY(slt_cuda_mirror_kept(tape, turn));
    t->begun++;
    return slt_cuda_check(t->cuda, cudaEventRecord(turn->ready, t->cuda->stream), "a pass");
}

slt_status slt_cuda_end(slt_tape *tape) {
    slt_cuda_tape *t = slt_cuda_tape_of(tape);
    if (t->ended == t->begun) SLT_FAIL(SLT_INTERNAL, "no pass was begun");
    t->turn = &t->turns[t->ended++ % SLT_CUDA_TURNS];
    t->read = t->turn->run;
    return slt_cuda_check(t->cuda, cudaEventSynchronize(t->turn->ready), "a pass");
}

slt_status slt_cuda_backward(slt_tape *tape) {
    SLT_TRY(slt_cuda_status(slt_cuda_of(tape->store)));
    tape->store->device_newer = true;
    slt_cuda_tape *t = slt_cuda_tape_of(tape);
    t->read = ++t->runs; // gradients of inputs are new
    SLT_TRY(walk_backward(tape, false));
    return slt_cuda_wait(tape);
}

slt_status slt_cuda_adam_step(slt_tape *tape) {
    SLT_TRY(slt_cuda_headers_put(tape));
    SLT_TRY(slt_cuda_stage_send(tape, false));
    tape->store->device_newer = true;
    return walk_adam(tape, (slt_cuda_stats_writer){0});
}

slt_status slt_cuda_step(slt_tape *tape) {
    SLT_TRY(send(tape, true));
    tape->store->device_newer = true;
    return run(tape, true);
}
