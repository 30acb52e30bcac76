// A tape on the device: its memory, its frames and stages, results on their way back, and what a
// kernel sees of its nodes.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#ifndef SLT_CUDA_TAPE_H
#define SLT_CUDA_TAPE_H

#include "cuda/device/cuda_device.h"

struct slt_layer_weights;

enum { SLT_CUDA_STAGES = 4, SLT_CUDA_GRAPHS = 320, SLT_CUDA_FRAMES = 2 };

// memory that the device copies from while the host writes the next. After what is sent, the
// device has what it makes itself
typedef struct {
    char *at, *there; // here, and on the device
    size_t room, room_there;
    size_t sent, made;           // where the next piece goes
    slt_cuda_move *move;         // at its head
    slt_cuda_gather *gather;     // after them
    int moves, gathers, blocks;  // blocks: of a gather
    cudaEvent_t arrived, spread; // on the device, in the frames
    bool used;
} slt_cuda_stage;

typedef struct {
    int tokens;  // the class
    int frame;   // of two
    bool trains; // forward, backward, Adam; else forward
    int runs;
    cudaGraphExec_t run; // NULL until the second run
} slt_cuda_graph;

// results of a pass here; passes take turns
typedef struct {
    slt_real **mirror;  // [vars] of kept variables; [members][capacity]
    uint64_t *mirrored; // [vars] the run it is of
    uint64_t run;
    cudaEvent_t ready;
} slt_cuda_turn;

enum { SLT_CUDA_TURNS = 2 };

typedef struct {
    slt_cuda *cuda;
    float *block;           // planned, of all members
    slt_cuda_frames frames; // of the current pass
    char *both; // frames take turns: one is filled while the step before reads the other
    int frame;
    cudaEvent_t left[SLT_CUDA_FRAMES]; // whoever read it has ended
    size_t frame_bytes;
    int64_t *feed;      // [vars] bytes from the head to what is fed; -1: nothing
    int64_t *feed_ones; // [vars] and to the places of ones
    float **constant;   // [vars] tables that never change
    bool constants_sent;
    slt_cuda_stage stage[SLT_CUDA_STAGES];
    slt_cuda_stage *filled; // the current one
    int stage_next;
    slt_var *fed; // [feeds] variables
    int feeds;
    int tokens;                      // the class of the current pass
    int *count;                      // [members][2]: trajectories and tokens of the last run
    float *partials, *side_partials; // side: [SLT_CUDA_SIDE_STREAMS][members][·]
    size_t partials_each;
    int32_t *counters, *side_counters;
    int *begin, *end;  // [2·nodes] times of the run that a node's forward and backward is in
    int last_room;     // after this node no launch of backward leaves room on the device
    cudaEvent_t *done; // [nodes] work on the side
    bool *has_done;    // [nodes] recorded in the current pass
    bool *waits;       // [nodes] its weight gradients wait for others
    int waiting;       // products that wait, of nodes that are marked so
    int counter_stride;
    // [nodes] weights that are packed for the launch that begins there; NULL: none are
    struct slt_layer_weights (**pack)(const slt_tape *tape, int n);
    float **packed;             // [nodes] where
    int to_pack;                // in the current pass: of nodes from here on
    slt_cuda_step_stats *stats; // as the device sees them
    slt_cuda_graph graph[SLT_CUDA_GRAPHS];
    int graphs;
    uint64_t runs;       // forward passes; what was brought here is of one of them
    uint64_t read;       // the one whose results are asked for
    slt_cuda_turn *turn; // where they are
    slt_cuda_turn turns[SLT_CUDA_TURNS];
    uint64_t begun, ended;
    slt_real **inner; // [vars] gradients of nodes here, on a tape whose buffers are separate
    bool *asked;      // [vars] somebody read it once
    cudaEvent_t timer[2];
} slt_cuda_tape;

static inline slt_cuda_tape *slt_cuda_tape_of(const slt_tape *tape) { return tape->on_device; }

slt_real *slt_cuda_value(const slt_tape *tape, int member, slt_var var);
slt_real *slt_cuda_gradient(const slt_tape *tape, int member, slt_var var);

// where values and gradients lie on the device, and how many numbers of a member they may have
slt_cuda_view slt_cuda_value_view(const slt_tape *tape, slt_var var);
slt_cuda_view slt_cuda_gradient_view(const slt_tape *tape, slt_var var);
size_t slt_cuda_capacity(const slt_tape *tape, slt_var var);

// copies of results here (cuda_read.c)
slt_status slt_cuda_mirrors_open(slt_tape *tape);
void slt_cuda_mirrors_close(slt_tape *tape);
// what was asked for before, or all that is kept, on its way; the caller waits
slt_status slt_cuda_mirror_asked(slt_tape *tape);
slt_status slt_cuda_mirror_kept(slt_tape *tape, slt_cuda_turn *turn);

// ---- stages (cuda_stage.c)

static inline size_t slt_cuda_aligned(size_t bytes) { return (bytes + 255) / 256 * 256; }
// a piece of what is sent or made there; places count from the stage's begin
static inline int64_t slt_cuda_take_piece(size_t *next, size_t bytes) {
    int64_t place = (int64_t)*next;
    *next += slt_cuda_aligned(bytes);
    return place;
}
slt_status slt_cuda_stages_open(slt_cuda_tape *t);
void slt_cuda_stages_close(slt_cuda_tape *t);
// the next of the ring, free to write, with room for what is sent and what is made there
slt_status slt_cuda_stage_take(slt_tape *tape, size_t sent, size_t made);
// copies it, gathers; spreads it before the previous step has ended (ahead), or after that
slt_status slt_cuda_stage_send(slt_tape *tape, bool ahead);
// bytes of the stage have a place in a frame; what lies after them, up to 16, comes along
void slt_cuda_stage_move(slt_cuda_tape *t, int member, int64_t place, int64_t from, size_t bytes);

// rows of a launch, at the class of the current pass
int slt_cuda_rows(const slt_tape *tape, slt_shape shape);
// lays out the frames; reserves them
slt_status slt_cuda_frames_open(slt_tape *tape);
void slt_cuda_frames_close(slt_tape *tape);
// batch, step and feeds of all members into a stage, and the class of the run; or what changes
// between forward and Adam
slt_status slt_cuda_frames_put(slt_tape *tape);
slt_status slt_cuda_headers_put(slt_tape *tape);

// what a kernel sees of node n; -1: of none
slt_cuda_args slt_cuda_args_of(const slt_tape *tape, int n, bool backward);

// ---- work on the side (weight_streams.c)

// what node n has launched on the side, or left to wait for others, is its own
slt_status slt_cuda_stream_mark(slt_tape *tape, int n);
// weight gradients that wait for others, in one launch
slt_status slt_cuda_stream_weights(const slt_tape *tape, slt_weight_time time);
// the parts of a step's last group, before Adam, on the stream where it runs
slt_status slt_cuda_stream_add(slt_tape *tape);
// what node n, and the nodes of its run, launch on the side comes after the side work of those
// whose gradients of parameters node n adds to
slt_status slt_cuda_stream_after(slt_tape *tape, int n);
// a new run begins: it has nothing to come after, unless a group has
void slt_cuda_stream_forget(slt_tape *tape);
// the chain waits for node n's
slt_status slt_cuda_stream_wait(slt_tape *tape, int n);

#endif
