// The inside of a tape, for the planner, the runner and the dump.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#ifndef SLT_ENGINE_TAPE_IMPL_H
#define SLT_ENGINE_TAPE_IMPL_H

#include "engine/device.h"
#include "engine/op.h"

typedef enum { SLT_FROM_FEED, SLT_FROM_STORE, SLT_FROM_NODE } slt_origin;

enum { SLT_NOWHERE = -1 };

typedef struct {
    slt_shape shape;
    slt_type type;
    slt_origin origin;
    const char *name;    // of a feed or a parameter
    slt_real *constant;  // of a table that is never fed
    int parameter;       // of the store
    size_t first;        // offset inside the parameter
    int node;            // that computes it
    bool wants_gradient; // depends on something trainable
    bool has_gradient;   // and the loss depends on it
    bool kept;
    bool bf16;               // value and gradient are numbers of 16 bits, two in a float's place
    int64_t value, gradient; // offsets in the planned block, or SLT_NOWHERE
} slt_var_info;

typedef struct {
    slt_node node;
    unsigned add; // bits of inputs whose gradient holds something already
    bool runs_backward;
    int group[SLT_FUSIONS]; // 1 + the first node of the part that it was declared in; 0: none
    int64_t aux, shared[2]; // offsets in the planned block, or SLT_NOWHERE; forward's, backward's
} slt_node_info;

struct slt_tape {
    slt_context *context;
    slt_store *store;
    const struct slt_gemm_kernel *bf16; // as slt_args
    slt_limits limits;
    slt_arena arena;
    slt_status status;
    char message[512];

    slt_var_info *vars; // vars[0] is "none"
    int var_count, var_room;
    slt_node_info *nodes;
    int node_count, node_room;
    slt_var loss;
    bool finished;
    bool separate; // every buffer has memory of its own: all of them can be read

    size_t block_size; // numbers of one member
    slt_real *block;
    size_t scratch_size; // numbers of one thread
    slt_real *scratch;
    slt_frame *frames;
    slt_var watched[SLT_WATCHED];
    int watched_count;
    slt_step_stats *stats; // [members][SLT_STATS_KEPT], number n at place n % SLT_STATS_KEPT
    uint64_t steps;        // begun
    bool stop_asked;       // by a process of the group, in the last one
    uint64_t *stats_read;  // [members]
    void *on_device;       // the device's side of it; NULL: the CPU
    double *seconds;       // [2][node_count], forward and backward of member 0; NULL: not measured
};

// the device that runs the tape; NULL: the CPU
static inline const slt_device_kind *slt_tape_device(const slt_tape *tape) {
    return tape->store->device ? tape->store->device->kind : NULL;
}
// is everything fed that a member needs, and does it fit the tape?
slt_status slt_tape_check(const slt_tape *tape, int member);
SLT_PLUGIN int slt_shape_rows(const slt_tape *tape, slt_shape shape, const slt_batch *batch);

int slt_space_capacity(slt_limits limits, slt_space space);
// arithmetic of a node on member 0's current batch
SLT_PLUGIN double slt_node_flops(const slt_tape *tape, const slt_node_info *info, bool backward);
slt_sizes slt_node_sizes(const slt_tape *tape, const slt_node *node, const slt_batch *batch);
const char *slt_var_shape_text(slt_shape shape, char *text, size_t size);

// the last node of the part that node n was declared in; -1: none
SLT_PLUGIN int slt_group_end(const slt_tape *tape, int n, slt_fusion fusion);

// dump.c: the next declared part, from (0, -1) on; and what became of it
bool slt_fused_part(const slt_tape *tape, int *fusion, int *n);
void slt_fused_text(const slt_tape *tape, slt_fusion fusion, int n, char *text, size_t size);

// plan_bf16.c: which variables are in bf16
void slt_tape_plan_bf16(slt_tape *tape);

// plan.c: who needs a gradient, in which order they are added, where everything lies
slt_status slt_tape_plan(slt_tape *tape, bool separate);

#endif
