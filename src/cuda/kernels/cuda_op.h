// What a kernel sees of a node: plain numbers and addresses on the device, the same for C and for
// CUDA's C++. A kernel takes the whole struct by value; blockIdx.z is the member of the population.
//
// Rows: a launch is made for `rows` of a space, at least as many as the step has (its capacity
// class, so that a captured graph fits many batches). Rows beyond the count of the step are the
// tail: forward leaves finite numbers there, backward zeros, so that products may run over them.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#ifndef SLT_CUDA_OP_H
#define SLT_CUDA_OP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "engine/batch.h"
#include "ops/common/ops.h"

enum {
    SLT_CUDA_INPUTS = 8,
    SLT_CUDA_OUTPUTS = 3,
    SLT_CUDA_NUMBERS = 6, // attributes of a node
    SLT_CUDA_WEIGHTS = 8,
    SLT_BF16_OUTPUT = 16,
};

// numbers of all members, or words of 32 bits: those of member m begin at at + m·stride
typedef struct {
    float *at; // NULL: absent
    int64_t stride;
} slt_cuda_view;

// places of ones, for inputs that are bits; `in` has the offsets of rows
typedef struct {
    const uint16_t *at;
    int64_t stride;
} slt_cuda_ones;

// what changes from step to step, at the head of a member's frame
typedef struct {
    uint64_t seed, stats;
    int32_t count, tokens, true_tokens; // of the batch
    int32_t total;                      // trajectories of the whole batch, of which it is a share
    int32_t active;
    int32_t live; // rows of SLT_LIVE: written on the device, by the operation that chooses them
    uint32_t step;
    float noise, dropout, rate, epsilon, max_norm;
    float weight[SLT_CUDA_WEIGHTS];
} slt_cuda_frame_header;

// the batches on the device: a head, then arrays at fixed distances
typedef struct {
    const char *at; // of member 0
    int64_t stride; // bytes
    int32_t offset, length, index, companion;
    int32_t place; // trajectory of every token
} slt_cuda_frames;

typedef struct slt_cuda slt_cuda;

typedef struct {
    slt_cuda *cuda; // of the host
    void *stream;
    slt_cuda_frames frames;
    int members, trajectories, slots, length; // P and limits: B, K, L
    int n[SLT_CUDA_NUMBERS];                  // attributes
    double x[SLT_CUDA_NUMBERS];
    slt_space in_space[SLT_CUDA_INPUTS], out_space[SLT_CUDA_OUTPUTS];
    int in_rows[SLT_CUDA_INPUTS], in_width[SLT_CUDA_INPUTS];
    int out_rows[SLT_CUDA_OUTPUTS], out_width[SLT_CUDA_OUTPUTS];
    int in_room[SLT_CUDA_INPUTS]; // rows that are planned
    slt_cuda_view in[SLT_CUDA_INPUTS], out[SLT_CUDA_OUTPUTS];
    slt_cuda_ones ones[SLT_CUDA_INPUTS];
    slt_cuda_view in_grad[SLT_CUDA_INPUTS], out_grad[SLT_CUDA_OUTPUTS];
    bool add[SLT_CUDA_INPUTS];
    uint32_t stored;    // bits of inputs that nobody writes but Adam: kernels may read them early
    uint32_t bf16;      // bits of inputs, and from SLT_BF16_OUTPUT on of outputs, that are in bf16
    bool keep;          // backward will come: aux is read again
    slt_cuda_view from; // what is added to for in_grad[0] with add[0]; absent: what is there
    slt_cuda_view aux, shared;
    slt_cuda_view partials; // room for the parts of sums over rows
    int32_t *counters;      // zeros: which block is the last; [members][·]
    int counter_stride;
    slt_cuda_view side_partials; // the same, for work on the side
    int32_t *side_counters;
    // all parameters, and the same numbers in bf16, rounded where a pass begins; NULL: there are
    // none
    const float *values;
    uint16_t *rounded;
    size_t rounded_size;
} slt_cuda_args;

// rows of an input or an output, and their gradients, are in bf16: two numbers in a float's place
static inline bool slt_in_bf16(const slt_cuda_args *args, int i) { return args->bf16 >> i & 1; }
static inline bool slt_out_bf16(const slt_cuda_args *args, int i) {
    return args->bf16 >> (SLT_BF16_OUTPUT + i) & 1;
}
// a view of parameters as numbers in bf16; absent where they are not at multiples of 16 bytes there
static inline slt_cuda_view slt_rounded_weights(const slt_cuda_args *args, slt_cuda_view x) {
    slt_cuda_view none = {NULL, 0}, there = {NULL, x.stride / 2};
    uintptr_t at = (uintptr_t)x.at, first = (uintptr_t)args->values;
    if (!args->rounded || at < first) return none;
    size_t place = (at - first) / sizeof(float);
    if (place >= args->rounded_size || place % 8 || (args->members > 1 && x.stride % 8))
        return none;
    there.at = (float *)(void *)(args->rounded + place);
    return there;
}

// ---- frames on their way

// so many 16 bytes, from one place to another
typedef struct {
    int64_t from, to, fours;
} slt_cuda_move;

// rows that a member takes from device rows, for one variable; places count from the stage's begin
typedef struct {
    const char *rows_of_device; // words of rows, or of bits 64-bit offsets; NULL: place is made
    const uint16_t *ones;       // of bits
    int64_t batch;              // the member's head and arrays
    int64_t first;              // [count] rows of the device rows
    int64_t before;             // [count+1] of bits: ones before each trajectory's
    int64_t to, to_ones;
    int32_t width, rows; // rows of the launch: zeros after those that are there
} slt_cuda_gather;

typedef struct {
    void *stream;
    char *stage;
    int64_t list;   // of gathers
    int32_t offset; // as in the frames
    int blocks;     // trajectories and a tail, at most
    int gathers;
} slt_cuda_fetch;

typedef struct {
    void *stream;
    const char *from; // the moves, then what they move; places count from here
    char *to;         // the frames of all members
    int moves;
} slt_cuda_spread;

// ---- notes: as slt_step_stats of the engine

enum { SLT_CUDA_WATCHED = 6, SLT_CUDA_STATS_KEPT = 64 };

typedef struct {
    float value[SLT_CUDA_WATCHED];
    double norm;
    uint64_t number;
} slt_cuda_step_stats;

typedef struct {
    void *stream;
    slt_cuda_frames frames;
    slt_cuda_view watched[SLT_CUDA_WATCHED];
    int members, count;
    slt_cuda_step_stats *stats; // [members][SLT_CUDA_STATS_KEPT], in memory that the host reads
} slt_cuda_stats_writer;

// ---- the optimiser

enum { SLT_CUDA_PIECE = 2048, SLT_CUDA_ZEROS = 4 };

// a stretch of one member's parameter
typedef struct {
    int64_t start; // in the blocks
    int64_t place; // of its first number inside the parameter
    int32_t count, member, columns;
    int32_t zeros, zero_first[SLT_CUDA_ZEROS], zero_end[SLT_CUDA_ZEROS]; // columns kept at zero
} slt_cuda_piece;

typedef struct {
    void *stream;
    slt_cuda_frames frames;
    float *value, *gradient, *moment1, *moment2;
    const slt_cuda_piece *pieces; // those of a member next to each other
    int members, pieces_each;
    double *norms, *norm;        // [pieces] at most, [members]
    slt_cuda_stats_writer stats; // its own notes may be NULL: none are taken
} slt_cuda_update;

#ifdef __cplusplus
extern "C" {
#endif

// why no kernel of this build runs on the GPU; NULL: they do
const char *slt_cuda_kernels_fail(void);
void slt_cuda_frames_gather(const slt_cuda_fetch *fetch);
void slt_cuda_frames_spread(const slt_cuda_spread *spread);
// Adam with clipping by the norm of a member's gradient (engine/adam.c); takes the notes
void slt_cuda_adam(const slt_cuda_update *update);
// the head of the backward pass: the loss's own gradient is 1
void slt_cuda_seed(const slt_cuda_args *args, slt_cuda_view gradient);
// the notes of a step that trains nothing
void slt_cuda_write_stats(const slt_cuda_stats_writer *stats);

// c (m,n) = op(a)·op(b) for every member, added to c where `add`; strides as in engine/gemm.h
void slt_cuda_gemm(const slt_cuda_args *args, bool transpose_a, bool transpose_b, int m, int n,
                   int k, slt_cuda_view a, int lda, slt_cuda_view b, int ldb, bool add,
                   slt_cuda_view c, int ldc);

// the same in bf16: a and b, and with `pairs` c, are numbers of 16 bits, two in a float's place;
// strides of views are those of floats, as everywhere
void slt_cuda_gemm_pairs(const slt_cuda_args *args, bool transpose_a, bool transpose_b, int m,
                         int n, int k, slt_cuda_view a, int lda, slt_cuda_view b, int ldb, bool add,
                         slt_cuda_view c, int ldc, bool pairs);

// the same node on the side stream, after all that was launched so far. What is launched there may
// read what the node's backward reads, and write gradients of parameters only
slt_cuda_args slt_cuda_on_weight_stream(const slt_cuda_args *args);
// the same for a group of gradients, after the last of them that was ready
slt_cuda_args slt_cuda_on_group_stream(const slt_cuda_args *args, bool last);
// the same for sums over rows, few blocks: concurrently with the chain at any time
slt_cuda_args slt_cuda_on_sum_stream(const slt_cuda_args *args);
// and for what takes the whole device: after all others
slt_cuda_args slt_cuda_on_final_stream(const slt_cuda_args *args);
// and for nodes that lead to gradients of parameters alone: it may write those of rows, too
slt_cuda_args slt_cuda_on_slot_stream(const slt_cuda_args *args);

// are products in tf32? those of attention are, too
bool slt_cuda_is_tf32(const slt_cuda *cuda);
bool slt_cuda_is_fp32(const slt_cuda *cuda);
bool slt_cuda_is_bf16(const slt_cuda *cuda);
// attention on tensor cores, of sequences that fit into shared memory (tensor_attention.cu,
// whole_attention.cu), and of any length (wide_attention.cu, tiled_attention.cu), at the sizes and
// precisions that they take
bool slt_cuda_resident_fits(const slt_cuda_args *args);
void slt_cuda_resident_attention(const slt_cuda_args *args, bool backward);
bool slt_cuda_wide_fits(const slt_cuda_args *args);
void slt_cuda_wide_attention(const slt_cuda_args *args, bool backward);
enum { SLT_BRIEF_LENGTH = 128 }; // steps, up to which the wide kind is this
void slt_cuda_brief_attention(const slt_cuda_args *args, bool backward);
bool slt_cuda_whole_fits(const slt_cuda_args *args);
void slt_cuda_whole_attention(const slt_cuda_args *args, bool backward);
bool slt_cuda_tiled_fits(const slt_cuda_args *args);
void slt_cuda_tiled_attention(const slt_cuda_args *args, bool backward);
// which of them a node takes: "resident", "wide", "whole", "tiled", or "plain", without tensor
// cores
const char *slt_cuda_attention_kind(const slt_cuda_args *args);

// y = act(x·W + c), in one launch where the library can
void slt_cuda_dense_product(const slt_cuda_args *args, int rows, int out, int in, slt_cuda_view x,
                            slt_cuda_view w, slt_cuda_view c, int activation, slt_cuda_view y);
// dx (+)= dy·Wᵀ; dx may be absent
void slt_cuda_input_gradient(const slt_cuda_args *args, int rows, int in, int out, slt_cuda_view dy,
                             slt_cuda_view w, bool add, slt_cuda_view dx);
// dx = dy·Wᵀ where the gate is positive, zero elsewhere (gated_product.cu)
typedef struct {
    slt_cuda_view dy, w, gate, dx; // (rows,k), (n,k), (rows,n), (rows,n)
    int rows, n, k;
} slt_gated;

// false: not in one launch at this size or precision, and nothing was done
bool slt_cuda_gated_gradient(const slt_cuda_args *args, const slt_gated *product);
// the same in bf16 (gated_pairs.cu), n and k multiples of eight, and sums over rows of dx: so many
// rows of n of them in `sums`, at most one for every SLT_GATED_ROWS. 0: not at this size, and
// nothing was done
enum { SLT_GATED_ROWS = 256 };
int slt_cuda_gated_gradient_pairs(const slt_cuda_args *args, const slt_gated *product,
                                  slt_cuda_view sums);
// a layer norm's gradient of very many rows (norm_gradient.cu): the number of sums that it leaves
// in `shared`; 0: not at this size, and nothing was done
int slt_cuda_norm_gradient(const slt_cuda_args *args);
// dW (+)= bitsᵀ·dy on tensor cores (bits_gradient.cu), for more rows of all members than these
#ifdef SLT_EMULATED
enum { SLT_BITS_FEW = 300 };
#else
enum { SLT_BITS_FEW = 16384 };
#endif

typedef struct {
    slt_cuda_view marks;  // (rows/32, numbers) words: bit i of word w is row 32·w + i
    slt_cuda_view dy, dw; // (rows,width), (numbers,width)
    int rows, numbers, width;
    bool add;
} slt_bits_gradient;

// false: not at this size or precision, and nothing was done
bool slt_cuda_bits_gradient(const slt_cuda_args *args, const slt_bits_gradient *product);
// a gradient of weights that is launched with others (weight_streams.c); false: not at this size or
// precision
struct slt_weight_product;
bool slt_cuda_weights_wait(const slt_cuda_args *args, const struct slt_weight_product *product);
// dW (+)= xᵀ·dy and dc (+)= Σ over rows of dy, on the side; either may be absent
void slt_cuda_weight_gradient(const slt_cuda_args *args, int in, int out, int rows, slt_cuda_view x,
                              slt_cuda_view dy, slt_cuda_view dw, bool add_w, slt_cuda_view dc,
                              bool add_c);
// the library's fused forms; false: it has none for these shapes, and nothing was done
bool slt_cuda_fused_bias(const slt_cuda_args *args, int rows, int out, int in, slt_cuda_view x,
                         slt_cuda_view w, slt_cuda_view c, bool relu, slt_cuda_view y);
bool slt_cuda_fused_gradient(const slt_cuda_args *args, int in, int out, int rows, slt_cuda_view x,
                             slt_cuda_view dy, bool add, slt_cuda_view dw, slt_cuda_view dc);
// x and w in bf16; with `pairs` y and c, too
bool slt_cuda_fused_pairs(const slt_cuda_args *args, int rows, int out, int in, slt_cuda_view x,
                          slt_cuda_view w, slt_cuda_view c, bool relu, bool pairs, slt_cuda_view y);
// y = from + x·wᵀ, all in bf16
bool slt_cuda_fused_residual(const slt_cuda_args *args, int rows, int out, int in, slt_cuda_view x,
                             slt_cuda_view w, slt_cuda_view from, slt_cuda_view y);
// an MLP whose middle and its gradient are in bf16 (mlp_pairs.cu); false: not at this size or
// precision, and nothing was done. Both ways or none
bool slt_cuda_mlp_pairs_forward(const slt_cuda_args *args);
bool slt_cuda_mlp_pairs_backward(const slt_cuda_args *args);
// the same for a linear layer (dense_pairs.cu)
bool slt_cuda_dense_pairs_forward(const slt_cuda_args *args);
bool slt_cuda_dense_pairs_backward(const slt_cuda_args *args);

// y = act(y + c) on rows of the launch; c may be absent
void slt_cuda_bias_activate(const slt_cuda_args *args, slt_cuda_view y, int rows, int width,
                            slt_cuda_view c, int activation);
// out (+)= Σ over rows of x
void slt_cuda_bias_gradient(const slt_cuda_args *args, slt_cuda_view x, int rows, int width,
                            slt_cuda_view out, bool add);
// the same on rows in bf16, multiples of eight wide; y = y + c, or its ReLU
void slt_cuda_bias_pairs(const slt_cuda_args *args, slt_cuda_view y, int rows, int width,
                         slt_cuda_view c, bool relu);
void slt_cuda_bias_gradient_pairs(const slt_cuda_args *args, slt_cuda_view x, int rows, int width,
                                  slt_cuda_view out, bool add);
// all parameters in bf16
void slt_cuda_round_values(const slt_cuda_args *args);
// d table[id_r] (+)= dy_r
void slt_cuda_table_gradient(const slt_cuda_args *args, slt_cuda_view dy, slt_cuda_view ids,
                             slt_space space, int rows, int width, slt_cuda_view table, bool add,
                             int entries);

// what a backward does next to a row's own gradient, for a group of fused nodes that were one
// launch: sums for weights and tables. parts: so many sums of rows are in `shared`; 0: none, they
// are made from the rows
void slt_cuda_dense_weights(const slt_cuda_args *args);
void slt_cuda_narrow_weights(const slt_cuda_args *args); // of a dense layer
void slt_cuda_mlp_weights(const slt_cuda_args *args);
void slt_cuda_norm_weights(const slt_cuda_args *args, int parts);
void slt_cuda_position_weights(const slt_cuda_args *args);
void slt_cuda_join_weights(const slt_cuda_args *args);

// ---- kernels of the operations (ops/common/ops.h)

#define SLT_DECLARE_KERNELS(name)                                                                  \
    void slt_cuda_##name##_forward(const slt_cuda_args *args);                                     \
    void slt_cuda_##name##_backward(const slt_cuda_args *args);
SLT_OPS_WITH_KERNELS(SLT_DECLARE_KERNELS)
#undef SLT_DECLARE_KERNELS

#ifdef __cplusplus
}
#endif
#endif
