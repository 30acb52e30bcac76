// What an operation declares. One file in ops/ and one row in op_table.c make an operation; the row
// alone gives the gradient check, the benchmark and the profile name.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#ifndef SLT_ENGINE_OP_H
#define SLT_ENGINE_OP_H

#include "engine/tape.h"

typedef struct slt_args slt_args;
typedef struct slt_probe slt_probe;

// one application on a tape
typedef struct {
    const slt_op *op;
    slt_attributes attributes;
    slt_var in[SLT_INPUTS], out[SLT_OUTPUTS];
    int inputs, outputs;
} slt_node;

// what the shape rule sees and fills; a mistake is noted with slt_tape_fail
typedef struct {
    slt_tape *tape;
    const slt_node *node;
    slt_shape in[SLT_INPUTS]; // width 0: the input is absent
    slt_type type[SLT_INPUTS];
    slt_limits limits;
    slt_shape out[SLT_OUTPUTS]; // to fill
    int outputs;                // to fill; 1 unless said otherwise
} slt_shape_check;

// sizes of one application at capacity or of a step; rows are filled in for every space
typedef struct {
    const slt_node *node;
    slt_shape in[SLT_INPUTS], out[SLT_OUTPUTS];
    slt_limits limits;
    const slt_batch *batch; // NULL at capacity
    bool bf16;              // products are in bf16
} slt_sizes;

// a walk that ends early when the context is cancelled; who asked once is not forgotten
typedef struct {
    slt_context *context;
    atomic_bool asked;
} slt_cancel_token;

// what the walk computed is thrown away: an operation that takes long may leave its outputs as they
// are and return. Never where halt is NULL
static inline bool slt_cancel_asked(slt_cancel_token *cancel) {
    if (!cancel) return false;
    if (slt_context_is_cancelled(cancel->context)) atomic_store(&cancel->asked, true);
    return atomic_load_explicit(&cancel->asked, memory_order_relaxed);
}

// one member's run of a node. Backward adds into the gradients of its inputs: where add is false it
// is the first to write there and must write every row.
struct slt_args {
    const slt_node *node;
    const slt_batch *batch;
    const slt_step *step;
    slt_limits limits;
    int in_rows[SLT_INPUTS], in_width[SLT_INPUTS];
    int out_rows[SLT_OUTPUTS], out_width[SLT_OUTPUTS];
    const void *in[SLT_INPUTS]; // NULL: absent
    slt_real *out[SLT_OUTPUTS];
    slt_real *in_grad[SLT_INPUTS]; // NULL: not wanted
    bool add[SLT_INPUTS];
    const slt_real *out_grad[SLT_OUTPUTS]; // NULL: nobody has one
    slt_real *aux;                         // what forward keeps for backward
    bool keep;                             // backward will come: aux is read again
    const struct slt_gemm_kernel *bf16;    // rounds factors of products; NULL: they are in fp32
    slt_real *shared;                      // scratch of the whole node, during this call
    slt_real *scratch;                     // scratch of threads, scratch_size numbers each
    size_t scratch_size;
    int *live;                // number of live rows, for the operation that chooses them
    slt_pool *pool;           // NULL inside a population: members are spread over threads instead
    slt_context *context;     // whose group a collective operation asks
    slt_cancel_token *cancel; // to look at now and then during long work; NULL: to the end
};

typedef void (*slt_op_task)(const slt_args *args, int task, slt_real *scratch);

// spreads tasks over the threads; their borders depend on sizes only
void slt_args_run(const slt_args *args, int tasks, slt_op_task task);

enum { SLT_BF16_OUT = 16 };
enum { SLT_ROW_BLOCK = 256, SLT_COLUMN_BLOCK = 64, SLT_OP_CASES = 6 };
static inline int slt_blocks(int count, int size) { return (count + size - 1) / size; }
static inline int slt_min(int a, int b) { return a < b ? a : b; }

struct slt_op {
    const char *name;
    const char *sentence; // what it computes, for docs and dumps
    int least, most;      // inputs; those beyond `least` may be absent
    unsigned optional;    // bits of inputs below `least` that may be absent
    void (*shape)(slt_shape_check *rule);
    unsigned no_gradient_in;      // bits of inputs that never get a gradient
    unsigned no_gradient_out;     // bits of outputs that never have one
    unsigned saves_in, saves_out; // bits of what backward reads
    bool collective; // asks the other processes where the batch is shared: one member at a time
    size_t (*aux)(const slt_sizes *sizes);     // numbers forward keeps for backward
    size_t (*shared)(const slt_sizes *sizes);  // scratch numbers of a node
    size_t (*scratch)(const slt_sizes *sizes); // scratch numbers of a task
    // of its kernels: numbers where they need more than the above; why they refuse sizes, or NULL
    size_t (*kernel_aux)(const slt_sizes *sizes);
    size_t (*kernel_shared)(const slt_sizes *sizes);
    const char *(*kernel_limit)(const slt_sizes *sizes);
    // rows that its kernels read or write in bf16 at these sizes, gradients as their values: bits
    // of inputs, and from SLT_BF16_OUT on of outputs; alike: all of them are in bf16, or none
    unsigned (*bf16_rows)(const slt_sizes *sizes);
    bool bf16_alike;
    double (*flops)(const slt_sizes *sizes); // forward
    double backward_flops;                   // as a multiple of forward; 0 means 2
    void (*forward)(const slt_args *args);
    void (*backward)(const slt_args *args);
    slt_var (*cases[SLT_OP_CASES])(slt_probe *probe); // small ones, for finite differences
    slt_var (*bench)(slt_probe *probe);               // of the size of a training step
};

// ---- probes: how a case makes its inputs (ops/common/probe.c)

// values are uniform in [low, high]; every number gets a gradient
slt_var slt_probe_numbers(slt_probe *probe, slt_space space, int rows, int width, double low,
                          double high);
slt_var slt_probe_parameter(slt_probe *probe, int rows, int width, double low, double high);
slt_var slt_probe_constant(slt_probe *probe, slt_space space, int rows, int width, double low,
                           double high);
slt_var slt_probe_integers(slt_probe *probe, slt_space space, int below);
slt_var slt_probe_bits(slt_probe *probe, int width, double share);
slt_tape *slt_probe_tape(slt_probe *probe);

#endif
