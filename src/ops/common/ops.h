// The operations: their list, and how a model writes them. Each is a file ops/FOLDER/NAME.c, its
// kernels are cuda/ops/FOLDER/NAME.cu. A call puts one node on the tape and gives its output. An
// absent input is 0.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#ifndef SLT_OPS_H
#define SLT_OPS_H

// clang-format off
#define SLT_OPS_WITH_KERNELS(X)                                                                    \
    X(dense) X(dense_active) X(dense_bits) X(embed) X(mlp) X(layer_norm) X(activate) X(add)        \
    X(add_position) X(add_table) X(softmax) X(attention) X(join_tokens) X(join_slots) X(noise)     \
    X(slot_start) X(slot_attention) X(gru_cell) X(lstm) X(uniform) X(stack_slots)                  \
    X(boundary_sample) X(boundary_kl) X(boundary_readout) X(boundary_masks) X(segment_xent)        \
    X(gaussian_sample) X(gaussian_kl) X(concrete_sample) X(concrete_kl) X(segment_mask)            \
    X(count_mask) X(halting) X(halting_kl) X(prefix_xent) X(softmax_xent) X(squared_error)         \
    X(weighted_sum) X(add_loss) X(ompn) X(done_xent) X(end_probability) X(window_attention)        \
    X(add_slots) X(count_xent) X(count_kl) X(live_rows) X(mask_pool) X(segment_code) X(scale)      \
    X(exception_cost) X(policy_loss) X(prefix_gaussian) X(segment_gaussian) X(done_gaussian)       \
    X(dropout)
#define SLT_OPS_WITHOUT_KERNELS(X) X(spread_slots)
// clang-format on
#define SLT_OPS(X) SLT_OPS_WITH_KERNELS(X) SLT_OPS_WITHOUT_KERNELS(X)

#ifndef __cplusplus // kernels read the list only

#include "core/philox.h"
#include "engine/tape.h"
#include "ops/common/activation_kind.h"

// ---- layers

// act(x·W + c): x [r,i], W [i,o], c [1,o] or 0
slt_var slt_dense(slt_tape *tape, slt_var x, slt_var w, slt_var c, slt_activation activation);
// bits·W + c: cost follows the ones
slt_var slt_dense_bits(slt_tape *tape, slt_var bits, slt_var w, slt_var c);
// rows of a table: ids [r,1] integers, table [n,o]
slt_var slt_embed(slt_tape *tape, slt_var ids, slt_var table);
// relu(x·W1 + c1)·W2 + c2
slt_var slt_mlp(slt_tape *tape, slt_var x, slt_var w1, slt_var c1, slt_var w2, slt_var c2);
// γ·(s-mean)/sqrt(var+ε) + β + P[l] with s = x + residual; residual, γ, β and P [L,w] may be 0
slt_var slt_layer_norm(slt_tape *tape, slt_var x, slt_var residual, slt_var gamma, slt_var beta,
                       slt_var positions, double epsilon);
// act(x)
slt_var slt_activate(slt_tape *tape, slt_var x, slt_activation activation);
// s·x; s [1,1] is not learned
slt_var slt_scale(slt_tape *tape, slt_var x, slt_var s);
// zeros with the step's rate, the others times 1/(1 - rate); place: which dropout of the model
slt_var slt_dropout(slt_tape *tape, slt_var x, int place);
// a + b
slt_var slt_add(slt_tape *tape, slt_var a, slt_var b);
// x + t·w + c at every position l of a trajectory, t = l/(L-1); w, c [1,o]
slt_var slt_add_position(slt_tape *tape, slt_var x, slt_var w, slt_var c);
// x + P[l], a constant table [L,w]
slt_var slt_add_table(slt_tape *tape, slt_var x, slt_var table);
// softmax over the width
slt_var slt_softmax(slt_tape *tape, slt_var x);
// multi-head self-attention inside each sequence: qkv [r,3d], keys beyond the truth are left out
slt_var slt_attention(slt_tape *tape, slt_var qkv, int heads);

// ---- the joint embedding

// relu(x + table[id]); x may be 0
slt_var slt_join_tokens(slt_tape *tape, slt_var x, slt_var ids, slt_var table);
// relu(slot part, broadcast over the sequence + token part of the companion); tokens may be 0
slt_var slt_join_slots(slt_tape *tape, slt_var slots, slt_var tokens);
// slot, broadcast over the sequence + P[l], a table [L,w]
slt_var slt_spread_slots(slt_tape *tape, slt_var slots, slt_var table);

// ---- slots

// Gaussian noise times the step's scale; rows refer to the place in the unsorted batch
slt_var slt_noise(slt_tape *tape, slt_space space, int width, slt_random_purpose purpose);
// μ_k + exp(ρ_k)·noise; μ, ρ [K,S]
slt_var slt_slot_start(slt_tape *tape, slt_var mu, slt_var rho, slt_var noise);
// one round of competition: q [slots,S], kv [tokens,2S]; gives the update [slots,S], and after it
// the attention [tokens,K]. uniform: padded positions take part, as in the reference code
slt_var slt_slot_attention(slt_tape *tape, slt_var q, slt_var kv, bool uniform);
// GRU cell, reset after the product: gx = u·W + b0, gh = s·U + b1, both [r,3S]
slt_var slt_gru_cell(slt_tape *tape, slt_var gx, slt_var gh, slt_var s);

// ---- ordered memory

// OMPN over whole sequences: x [tokens,d], all weights in one row (ompn_layout.h). Gives the leaf
// of the memory [tokens,d], after it p̂ [tokens,n+1] and the memory [tokens,n·d]. alias: what
// stays of the memory is the candidate; bptt: the gradient is cut every so many steps, 0: never
slt_var slt_ompn_sequence(slt_tape *tape, slt_var x, slt_var weights, int depth, double epsilon,
                          double slope, bool alias, int bptt);

// ---- recurrence and relaxed samples (CompILE)

// LSTM over sequences: gx = x·W + c [tokens,4d], U [d,4d]; mask [tokens,1] scales the states on
// their way to the next step, may be 0; masked: the masked state is given, not the plain one
slt_var slt_lstm(slt_tape *tape, slt_var gx, slt_var u, slt_var mask, bool masked);
// numbers drawn evenly from [0,1): slots of any width, slot tokens of width 1
slt_var slt_uniform(slt_tape *tape, slt_space space, int width, slt_random_purpose purpose);
// stack [slots,w] or [slot tokens,w] with slot k replaced by x [trajectories,w] or [tokens,w];
// stack may be 0: zero elsewhere
slt_var slt_stack_slots(slt_tape *tape, slt_var x, slt_var stack, int k);

typedef struct {
    int pass;     // 0, 1, ...: whose noise is taken
    bool include; // padding takes part
    bool oracle;  // pass+1 >= counts: the segment ends with the trajectory
    double temperature;
} slt_boundary_rule;
// a relaxed one-hot [tokens,1] over positions 1, 2, ... of each trajectory, a hard one in a step
// without noise: counts [trajectories,1] integers, logits [tokens,1] (0: the end of the
// trajectory), uniform [slot tokens,1]
slt_var slt_boundary_sample(slt_tape *tape, slt_var counts, slt_var logits, slt_var uniform,
                            slt_boundary_rule rule);
// weight · mean KL(softmax(logits) over positions 1, 2, ... || prior); prior [1,L] of logarithms
slt_var slt_boundary_kl(slt_tape *tape, slt_var logits, slt_var prior, double weight, bool include);
// Σ_l b[l+1]·enc[l]: [trajectories,w]
slt_var slt_boundary_readout(slt_tape *tape, slt_var enc, slt_var boundary);
// the segment's share (1-cumsum(b))∘mask and after it the next mask, both [tokens,1]; mask may be
// 0
slt_var slt_boundary_masks(slt_tape *tape, slt_var boundary, slt_var mask);
// mean over trajectories of Σ share·cross-entropy, over the first counts segments; logits and share
// are of slot tokens, targets of tokens
slt_var slt_segment_xent(slt_tape *tape, slt_var logits, slt_var share, slt_var targets,
                         slt_var counts, bool include);
// mean + exp(logvar/2)·noise, zeta = (mean, logvar) [r,2Z]
slt_var slt_gaussian_sample(slt_tape *tape, slt_var zeta, slt_var noise);
// mean over trajectories of the KL to N(0,1), over the first counts slots
slt_var slt_gaussian_kl(slt_tape *tape, slt_var zeta, slt_var counts);
// softmax((zeta + Gumbel)/temperature) over the width; a one-hot in a step without noise
slt_var slt_concrete_sample(slt_tape *tape, slt_var zeta, slt_var uniform, double temperature);
// mean over trajectories of Σ q·log q, over the first counts slots
slt_var slt_concrete_kl(slt_tape *tape, slt_var zeta, slt_var counts);

// ---- masks, halting, losses

// masks from end logits, the last column of [slot tokens, A+1], and after them the probability
// that the slot's end has come, both [slot tokens,1]; include: padding takes part
slt_var slt_segment_mask(slt_tape *tape, slt_var logits, bool include);
// masks from end probabilities b [tokens,1]: m_k(t) = P(k ends before t), k < K; [tokens,K]
slt_var slt_count_mask(slt_tape *tape, slt_var ends);
// h [trajectories,K] from the slots' last channel; after it λ
slt_var slt_halting(slt_tape *tape, slt_var slots);
// mean over trajectories of KL(h || prior); prior [1,K]
slt_var slt_halting_kl(slt_tape *tape, slt_var h, slt_var prior);
// expected cross-entropy of the prefix mixtures, per true token
slt_var slt_prefix_xent(slt_tape *tape, slt_var logits, slt_var masks, slt_var h, slt_var targets);
// mean over true tokens of -log softmax(logits)[target]
slt_var slt_softmax_xent(slt_tape *tape, slt_var logits, slt_var targets);
// mean over true tokens of -log probability of an action, softmax of the logits [tokens,A-1] for
// what the end leaves over, or of the end itself, the last action: its probability is the first
// column of ends, clipped to [1e-6, 1-1e-6]. After it the log-probabilities [tokens,A]
slt_var slt_done_xent(slt_tape *tape, slt_var logits, slt_var ends, slt_var targets);
// mean over true tokens of the sum over the width of (x - target)²; targets are constant
slt_var slt_squared_error(slt_tape *tape, slt_var x, slt_var target);
// sum of x·weights, one number; weights are constant
slt_var slt_weighted_sum(slt_tape *tape, slt_var x, slt_var weights);
// first + the step's weight[w]·second
slt_var slt_add_loss(slt_tape *tape, slt_var first, slt_var second, int w);

// ---- losses over action vectors (channel.h): targets [tokens,C+1] are standardised numbers and
// bits, and a mark above 0 where there is no action

// of every channel ρ, from which its spread follows, and its kind; both [1,C], kinds are constant
typedef struct {
    slt_var spread, kinds;
} slt_vector_law;
// expected nats of the prefix mixtures, per true token: head [slot tokens,C+1], the last column is
// left out
slt_var slt_prefix_gaussian(slt_tape *tape, slt_var head, slt_var masks, slt_var h, slt_var targets,
                            slt_vector_law law);
// mean over trajectories of Σ share·nats, over the first counts segments: head [slot tokens,C]
slt_var slt_segment_gaussian(slt_tape *tape, slt_var head, slt_var share, slt_var targets,
                             slt_var counts, slt_vector_law law, bool include);
// mean over true tokens of the nats of an action and of no end, or of the end, where there is no
// action: head [tokens,C]; the end's probability is the first column of ends, clipped as above
slt_var slt_done_gaussian(slt_tape *tape, slt_var head, slt_var ends, slt_var targets,
                          slt_vector_law law);

// ---- policies

// what a policy loses: logits [tokens,A], actions, advantages and log-probabilities of the actions
// when they were taken, all [tokens,1]; clip: the step's weight that bounds the ratio, where it is
// 0, or clip -1: no ratio, -A·log p. After it the mean entropy, and how far the policy has gone
slt_var slt_policy_loss(slt_tape *tape, slt_var logits, slt_var actions, slt_var advantage,
                        slt_var before, int clip);

// ---- counting: ends, a decoder that forgets at them, code lengths

// b = σ(x) [tokens,1], 1 at the end of a trajectory; rounded where the step's weight[w] is not 0
slt_var slt_end_probability(slt_tape *tape, slt_var x, int w);
// the slot tokens with a mask of at least `least`: [live,2], token and slot; after it the first
// row and the number of rows of each trajectory [trajectories,2]
slt_var slt_live_rows(slt_tape *tape, slt_var masks, double least);
// the last W actions of the same segment: q [K,d] or [slots,d], table [A,2d] of keys and values
// (the last row is the start), ids, ends b [tokens,1], lags [H,W+1]; gives [live,d]
slt_var slt_window_attention(slt_tape *tape, slt_var q, slt_var table, slt_var ids, slt_var ends,
                             slt_var lags, slt_var live);
// x [live,d] + its slot, s [K,d] or [slots,d]
slt_var slt_add_slots(slt_tape *tape, slt_var x, slt_var s, slt_var live);
// expected nats of the actions per true step: logits [live,2A], inside and end; paid: ends are
// written down together with the actions
slt_var slt_count_xent(slt_tape *tape, slt_var logits, slt_var masks, slt_var ends, slt_var targets,
                       slt_var live, bool paid);
// mean of the steps that a slot covers: masks [tokens,K], x [tokens,d]; gives [slots,d]
slt_var slt_mask_pool(slt_tape *tape, slt_var masks, slt_var x);
// z = μ + exp(v/2)·noise from stats [slots,2c]; after it its KL to N(0,1) per true step, each slot
// weighted by the largest value of its mask
slt_var slt_segment_code(slt_tape *tape, slt_var stats, slt_var noise, slt_var masks);
// KL of the number of segments per true step, of each trajectory and γ times that of the batch;
// prior [1,K+1], the last one for more than K
slt_var slt_count_kl(slt_tape *tape, slt_var masks, slt_var prior, double gamma);
// what ends [tokens,1] say beyond their action, in nats per true step; actions below `symbols`
slt_var slt_exception_cost(slt_tape *tape, slt_var ends, slt_var actions, int symbols);

#endif
#endif
