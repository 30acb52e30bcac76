// The CUDA device behind a context: a stream, a handle of cuBLAS, and the first thing that went
// wrong. Host side, plain C; kernels know cuda_op.h only.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#ifndef SLT_CUDA_DEVICE_H
#define SLT_CUDA_DEVICE_H

#include <cublas_v2.h>
#include <cuda_runtime_api.h>
#include "cuda/kernels/cuda_op.h"
#include "cuda/kernels/weight_group.h"
#include "engine/shelf.h"
#include "engine/tape_impl.h"

// a stream for weight gradients, which nobody waits for but Adam
typedef struct {
    cudaStream_t stream;
    cublasHandle_t blas;
    void *workspace;
} slt_cuda_side;

// sides take weight gradients in turn; the others are for sums over rows, which are small and are
// never held, for what fills the device at the end of a step: all others go before it, and for the
// slots' nodes that nobody waits for
enum {
    SLT_CUDA_TURN_SIDES = 3,
    SLT_CUDA_SUMS = SLT_CUDA_TURN_SIDES,
    SLT_CUDA_BULK,
    SLT_CUDA_REST,
    SLT_CUDA_SIDES,
    SLT_CUDA_HELD = 64
};

struct slt_cuda {
    slt_device device; // first: a slt_device
    slt_context *context;
    int number; // of the GPU
    cudaStream_t stream;
    cublasHandle_t blas;
    void *workspace;
    slt_cuda_side side[SLT_CUDA_SIDES];
    cudaStream_t copies;            // what is fed, while the step before runs
    cudaEvent_t fork, rest, ready;  // ready: the last gradient that waits for its group
    cudaMemPool_t pool;             // of the device's memory
    struct slt_cuda_pinned *pinned; // memory here that the device copies from
    int forked;                     // where the node at hand has work on the side; -1: it has none
    int side_next;                  // whose turn it is
    cudaGraphNode_t held[SLT_CUDA_HELD]; // of a graph: side work that waits for its time
    int held_count;
    slt_weight_group weights;    // gradients that wait for others
    struct slt_cuda_plan *plans; // of fused products
    slt_status status;           // sticky: a device that failed stays failed
    char message[256];
};

enum { SLT_CUDA_FEW = 40 }; // multiprocessors that a weight gradient of one member is made for
enum { SLT_CUDA_WORKSPACE = 32 << 20 }; // of cuBLAS, fixed, so that captured graphs may use it

#ifndef SLT_CUDA_FUSED
#define SLT_CUDA_FUSED 1 // 0: plain products, one behind the other
#endif
enum { SLT_CUDA_LAG = SLT_CUDA_FUSED ? 32 : 0 }; // nodes that the side may be late

// stream, handle and workspace of a node's products
static inline slt_cuda_side slt_cuda_place(const slt_cuda_args *args) {
    const slt_cuda *cuda = args->cuda;
    for (int i = 0; i < SLT_CUDA_SIDES; i++)
        if (args->stream == cuda->side[i].stream) return cuda->side[i];
    return (slt_cuda_side){cuda->stream, cuda->blas, cuda->workspace};
}
static inline slt_cuda *slt_cuda_of(const slt_store *store) { return (slt_cuda *)store->device; }

// OK, or a sentence with what was being done; the failure sticks to the device
slt_status slt_cuda_check(slt_cuda *cuda, cudaError_t error, const char *doing);
// what stuck, if anything
slt_status slt_cuda_status(slt_cuda *cuda);
#define SLT_CUDA_TRY(cuda, call, doing) SLT_TRY(slt_cuda_check((cuda), (call), (doing)))

// how an event is waited for: where several contexts share the GPU, without keeping a core busy
static inline unsigned slt_cuda_waiting(const slt_cuda *cuda) {
    return cuda->context->trunk ? cudaEventDisableTiming | cudaEventBlockingSync
                                : cudaEventDisableTiming;
}
// waits for all that the stream has to do
slt_status slt_cuda_rest(slt_cuda *cuda);

// Whoever captures, loads code or reserves memory does so alone in the process: the driver may want
// to wait for the whole device, which it cannot while somebody captures.
void slt_cuda_lock(void);
void slt_cuda_unlock(void);

// ---- memory (cuda_memory.c)

slt_status slt_cuda_memory_open(slt_cuda *cuda);
void slt_cuda_memory_close(slt_cuda *cuda);
// zeroed memory on the device; out of memory is said with what is free. It is given back in the
// order of the stream: the side must have been joined
slt_status slt_cuda_alloc(slt_cuda *cuda, size_t bytes, void **out);
void slt_cuda_free(slt_cuda *cuda, void *memory);
// page-locked memory here with `room` for the bytes, seen by the device; laid back when the device
// has done with it
slt_status slt_cuda_pin(slt_cuda *cuda, size_t bytes, void **out, size_t *room);
void slt_cuda_unpin(slt_cuda *cuda, void *memory);

// ---- work on the side (cuda_side.c)

// what node n has launched on the side, or left to wait for others, is its own
slt_status slt_cuda_side_note(slt_tape *tape, int n);
// weight gradients that wait for others, in one launch
slt_status slt_cuda_side_weights(const slt_tape *tape, slt_weight_time time);
// the parts of a step's last group, in front of Adam, on the stream where it runs
slt_status slt_cuda_side_add(slt_tape *tape);
// the chain waits for node n's
slt_status slt_cuda_side_wait(slt_tape *tape, int n);

// ---- side work that is held until the chain leaves room for it (cuda_defer.c)

// what is launched on the side from here on waits until `release`
void slt_cuda_hold(slt_cuda *cuda, cudaStream_t side);
void slt_cuda_release(slt_cuda *cuda);

// ---- products (cuda_gemm.c, cuda_fused.c)

cublasComputeType_t slt_cuda_compute(const slt_cuda *cuda);
void slt_cuda_plans_close(slt_cuda *cuda);

// ---- a store's blocks (cuda_store.c)

typedef struct {
    float *value, *gradient, *moment1, *moment2;
    slt_cuda_piece *pieces;
    int pieces_each;
    double *piece_norm, *norm;
} slt_cuda_blocks;

slt_status slt_cuda_store_open(slt_store *store);
void slt_cuda_store_close(slt_store *store);
slt_status slt_cuda_store_fetch(slt_store *store);
slt_status slt_cuda_gradients_fetch(slt_store *store);
slt_status slt_cuda_gradients_send(slt_store *store);
slt_status slt_cuda_norms_fetch(slt_store *store);
// what was edited here goes to the device
slt_status slt_cuda_store_send(slt_store *store);

// ---- shelves (cuda_shelf.c)

typedef struct {
    char *rows[SLT_COLUMNS]; // words, or of bits 64-bit offsets
    uint16_t *ones[SLT_COLUMNS];
    int64_t count[SLT_COLUMNS]; // of ones that are there
} slt_cuda_shelf;

slt_status slt_cuda_shelf_open(slt_shelf *shelf);
void slt_cuda_shelf_close(slt_shelf *shelf);
slt_status slt_cuda_shelf_add(slt_shelf *shelf, const void *const *data, int rows);

// ---- a tape's side (cuda_tape.c), its frames (cuda_frame.c)

enum { SLT_CUDA_STAGES = 4, SLT_CUDA_GRAPHS = 320, SLT_CUDA_FRAMES = 2 };

// memory that the device copies from while the host writes the next. Behind what is sent, the
// device has what it makes itself
typedef struct {
    char *at, *there; // here, and on the device
    size_t room, room_there;
    size_t sent, made;           // where the next piece goes
    slt_cuda_move *move;         // at its head
    slt_cuda_gather *gather;     // behind them
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
    slt_cuda_frames frames; // of the run at hand
    char *both; // frames take turns: one is filled while the step before reads the other
    int frame;
    cudaEvent_t left[SLT_CUDA_FRAMES]; // whoever read it has ended
    size_t frame_bytes;
    int64_t *feed;      // [vars] bytes from the head to what is fed; -1: nothing
    int64_t *feed_ones; // [vars] and to the places of ones
    float **constant;   // [vars] tables that never change
    bool constants_sent;
    slt_cuda_stage stage[SLT_CUDA_STAGES];
    slt_cuda_stage *filled; // the one at hand
    int stage_next;
    slt_var *fed; // [feeds] variables
    int feeds;
    int tokens;                      // the class of the run at hand
    int *count;                      // [members][2]: trajectories and tokens of the last run
    float *partials, *side_partials; // side: [SLT_CUDA_SIDES][members][·]
    size_t partials_each;
    int32_t *counters, *side_counters;
    int *begin, *end;  // [2·nodes] times of the run that a node's forward and backward is in
    int last_room;     // behind this node no launch of backward leaves room on the device
    cudaEvent_t *done; // [nodes] work on the side
    bool *has_done;    // [nodes] recorded in the pass at hand
    bool *waits;       // [nodes] its weight gradients wait for others
    int waiting;       // products that wait, of nodes that are marked so
    int counter_stride;
    float **laid;         // [nodes] weights of the layer that begins there; NULL: none does
    int to_lay;           // in the pass at hand: of nodes from here on
    slt_cuda_note *notes; // as the device sees them
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

slt_status slt_cuda_tape_open(slt_tape *tape);
void slt_cuda_tape_close(slt_tape *tape);
slt_status slt_cuda_forward(slt_tape *tape);
slt_status slt_cuda_backward(slt_tape *tape);
slt_status slt_cuda_adam_step(slt_tape *tape);
slt_status slt_cuda_step(slt_tape *tape);
slt_status slt_cuda_wait(slt_tape *tape);
slt_status slt_cuda_begin(slt_tape *tape);
slt_status slt_cuda_end(slt_tape *tape);
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
// copies it, gathers; spreads it before the step in front has ended (ahead), or behind that
slt_status slt_cuda_stage_send(slt_tape *tape, bool ahead);
// bytes of the stage have a place in a frame; what lies behind them, up to 16, comes along
void slt_cuda_stage_move(slt_cuda_tape *t, int member, int64_t place, int64_t from, size_t bytes);

// rows of a launch, at the class of the run at hand
int slt_cuda_rows(const slt_tape *tape, slt_shape shape);
// lays out the frames; reserves them
slt_status slt_cuda_frames_open(slt_tape *tape);
void slt_cuda_frames_close(slt_tape *tape);
// batch, step and feeds of all members into a stage, and the class of the run; or what changes
// between forward and Adam
slt_status slt_cuda_frames_put(slt_tape *tape);
slt_status slt_cuda_heads_put(slt_tape *tape);

// what a kernel sees of node n; -1: of none
slt_cuda_args slt_cuda_args_of(const slt_tape *tape, int n, bool backward);

// ---- runs of nodes in one launch (cuda_runs.c)

// first and last time of the run that a node's forward and backward is in
void slt_cuda_runs(const slt_tape *tape, int *begin, int *end);
// the last node backward whose run leaves much of the device to others; 0: there is none
int slt_cuda_last_room(const slt_tape *tape);
// is the run that begins with node `first`, backward, of a family with `fills`?
bool slt_cuda_run_fills(const slt_tape *tape, int first);
void slt_cuda_run_forward(slt_tape *tape, int first, int last);
// seed: the loss's gradient, which the run sets to 1; absent where somebody did. both: forward as
// well
void slt_cuda_run_backward(slt_tape *tape, int first, int last, slt_cuda_view seed, bool both);
// sums for the weights of node n, in the run that begins with `first`
void slt_cuda_run_weights(slt_tape *tape, int first, int n);

// runs of one kind: the last node of the one that begins with `first`, which may be that node
// alone; its launch; what is left of node n's backward
typedef struct {
    int (*last)(const slt_tape *tape, int first);
    void (*run)(const slt_tape *tape, int first, int last, bool backward);
    void (*weights)(const slt_tape *tape, int first, int n); // NULL: they run forward only
    bool fills; // backward, with groups beside it, the device: those that wait when it is launched,
                // with the weights of its last node, which need nothing of the run
} slt_cuda_family;

// weights that are laid down for runs of layers and fronts: room for them; at the beginning of a
// pass. They are laid down by whoever takes them first, or else by the first run
slt_status slt_cuda_layers_open(slt_tape *tape);
void slt_cuda_layers_close(slt_tape *tape);
void slt_cuda_layers_begin(slt_tape *tape);
struct slt_layer_weights;
int slt_cuda_layers_take(const slt_tape *tape, struct slt_layer_weights *out, int room);
bool slt_cuda_layers_lay(const slt_tape *tape); // true: they were laid down long ago
slt_cuda_view slt_cuda_laid(const slt_tape *tape, int n, bool backward);
// of a front that begins with node n
bool slt_cuda_front_lays(const slt_tape *tape, int n);
struct slt_layer_weights slt_cuda_front_weights(const slt_tape *tape, int n);

// node n + 1 is the only one that reads what node n writes, and reads it as its rows
bool slt_cuda_hands_on(const slt_tape *tape, int n);

extern const slt_cuda_family slt_cuda_broadcasts;  // slots and positions (cuda_broadcast.c)
extern const slt_cuda_family slt_cuda_fronts;      // in front of attention (cuda_front.c)
extern const slt_cuda_family slt_cuda_heads;       // a norm and the output layer (cuda_heads.c)
extern const slt_cuda_family slt_cuda_layers;      // behind attention (cuda_layers.c)
extern const slt_cuda_family slt_cuda_inputs;      // what waits for nothing (cuda_inputs.c)
extern const slt_cuda_family slt_cuda_slots;       // the slots' part (cuda_slots.c)
extern const slt_cuda_family slt_cuda_rows_family; // rows on their way to a norm (cuda_rows.c)

// ---- operations (cuda_ops.c)

typedef struct {
    const char *name;
    void (*forward)(const slt_cuda_args *args);
    void (*backward)(const slt_cuda_args *args);
} slt_cuda_op;

const slt_cuda_op *slt_cuda_find(const slt_op *op); // NULL: there is none
bool slt_cuda_knows(const slt_sizes *sizes, size_t *aux, size_t *shared, const char **why);

#endif
