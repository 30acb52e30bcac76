// Every operation at the size of a training step: the best of many runs of its node, forward and
// backward, as GFLOP/s where arithmetic decides and as GB/s where memory does.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include <stdio.h>
#include "core/clock.h"
#include "engine/peak.h"
#include "engine/tape_impl.h"
#include "ops/common/op_table.h"
#include "ops/common/probe.h"
#include "slottar/bench.h"

enum { LEAST_RUNS = 3 };
static const double PRODUCT = 4; // from this many operations per byte on, arithmetic decides

// Craft: padded, 4160 rows of tokens; packed, some 7500 rows of slot tokens
static const slt_probe_batch PADDED = {64, 5, 65, true, 23.4, 5, 1, 0};
static const slt_probe_batch PACKED = {64, 5, 65, false, 23.4, 5, 1, 0};

int slt_bench_op_count(void) {
    int count = 0;
    while (slt_op_table[count]) count++;
    return count;
}

const char *slt_bench_op_name(int i) {
    return i < 0 || i >= slt_bench_op_count() ? NULL : slt_op_table[i]->name;
}

// ---- bytes of a node

static double bytes_of(slt_shape shape) {
    return sizeof(slt_real) * (double)shape.rows * shape.width;
}

// a row of bits is a list of ones
static double input_bytes(const slt_tape *tape, const slt_sizes *sizes, int i) {
    slt_var var = sizes->node->in[i];
    if (!var) return 0;
    if (tape->vars[var].type != SLT_BITS) return bytes_of(sizes->in[i]);
    const slt_bits *bits = tape->frames[0].feed[var];
    return 8.0 * sizes->in[i].rows + 2.0 * (double)bits->offset[sizes->in[i].rows];
}

// forward reads inputs and writes outputs; backward reads what it saves and the gradients of
// outputs, and writes those of inputs. aux is written by one and read by the other
static double node_bytes(const slt_tape *tape, const slt_node_info *info, bool backward) {
    const slt_node *node = &info->node;
    const slt_op *op = node->op;
    slt_sizes sizes = slt_node_sizes(tape, node, &tape->frames[0].batch);
    double sum = op->aux ? sizeof(slt_real) * (double)op->aux(&sizes) : 0;
    for (int i = 0; i < node->inputs; i++) {
        bool gradient = node->in[i] && tape->vars[node->in[i]].has_gradient;
        if (!backward || op->saves_in >> i & 1) sum += input_bytes(tape, &sizes, i);
        if (backward && gradient) sum += bytes_of(sizes.in[i]);
    }
    for (int i = 0; i < node->outputs; i++) {
        if (!backward || op->saves_out >> i & 1) sum += bytes_of(sizes.out[i]);
        if (backward && tape->vars[node->out[i]].has_gradient) sum += bytes_of(sizes.out[i]);
    }
    return sum;
}

// ---- running

static bool has_slot_tokens(const slt_tape *tape) {
    for (slt_var v = 1; v < tape->var_count; v++)
        if (tape->vars[v].shape.space == SLT_SLOT_TOKENS) return true;
    return false;
}

static slt_status open_probe(slt_probe *probe, slt_context *context, const slt_op *op) {
    SLT_TRY(slt_probe_init(probe, context, PADDED, op->bench));
    if (!has_slot_tokens(probe->tape)) return SLT_OK;
    slt_probe_deinit(probe);
    return slt_probe_init(probe, context, PACKED, op->bench);
}

static int node_with(const slt_tape *tape, const slt_op *op) {
    for (int n = 0; n < tape->node_count; n++)
        if (tape->nodes[n].node.op == op) return n;
    return -1;
}

// shortest forward and backward of node n
static slt_status time_node(slt_tape *tape, int n, double seconds, double best[2]) {
    double started = slt_seconds();
    for (int run = 0; run < LEAST_RUNS || slt_seconds() - started < seconds; run++) {
        SLT_TRY(slt_context_check(tape->context));
        SLT_TRY(slt_tape_profile_start(tape));
        SLT_TRY(slt_tape_forward(tape));
        SLT_TRY(slt_tape_backward(tape));
        for (int k = 0; k < 2; k++) {
            double time = tape->seconds[k * tape->node_count + n];
            if (run == 0 || time < best[k]) best[k] = time;
        }
    }
    return SLT_OK;
}

static void fill_result(const slt_tape *tape, const slt_node_info *info, bool backward,
                        double seconds, const slt_bench_peaks *peaks, slt_bench_result *out) {
    double flops = slt_node_flops(tape, info, backward), bytes = node_bytes(tape, info, backward);
    *out = (slt_bench_result){.ms = 1e3 * seconds};
    snprintf(out->name, sizeof out->name, "%s.%s", info->node.op->name,
             backward ? "backward" : "forward");
    bool product = flops > PRODUCT * bytes;
    *(product ? &out->gflops : &out->gb_per_s) = 1e-9 * (product ? flops : bytes) / seconds;
    out->share_of_peak = product ? slt_peak_share(out->gflops, peaks->gflops)
                                 : slt_peak_share(out->gb_per_s, peaks->gb_per_s);
}

slt_status slt_bench_op(slt_context *context, int i, double seconds, const slt_bench_peaks *peaks,
                        slt_bench_result out[2], int *count) {
    if (!slt_bench_op_name(i)) SLT_FAIL(SLT_RANGE, "no operation number %d", i);
    const slt_op *op = slt_op_table[i];
    slt_probe probe;
    SLT_TRY(open_probe(&probe, context, op));
    int n = node_with(probe.tape, op);
    double best[2] = {0, 0};
    slt_status status = time_node(probe.tape, n, seconds, best);
    const slt_node_info *info = &probe.tape->nodes[n];
    if (status == SLT_OK) {
        *count = info->runs_backward ? 2 : 1;
        for (int k = 0; k < *count; k++) fill_result(probe.tape, info, k, best[k], peaks, &out[k]);
    }
    slt_probe_deinit(&probe);
    return status;
}
