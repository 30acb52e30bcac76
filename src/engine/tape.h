// The tape: a model's forward equations, written once per shape.
//
// Building is sticky: the first mistake is kept, later calls do nothing, and finish reports it with
// the operation and both shapes, so model code stays free of checks. After finish nothing is
// allocated: the runner walks the nodes, forward and backward.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#ifndef SLT_ENGINE_TAPE_H
#define SLT_ENGINE_TAPE_H

#include "engine/batch.h"
#include "engine/store.h"

typedef struct slt_tape slt_tape;
typedef struct slt_op slt_op;
typedef struct slt_device_rows slt_device_rows; // device_rows.h
typedef int32_t slt_var;                        // 0: none, also what a failed building call gives

enum { SLT_INPUTS = 8, SLT_OUTPUTS = 3, SLT_WEIGHTS = 8, SLT_ATTRIBUTES = 6 };

typedef struct {
    slt_space space;
    int rows; // SLT_FIXED only
    int width;
} slt_shape;

typedef enum { SLT_NUMBERS, SLT_INTEGERS, SLT_BITS } slt_type;

// what SLT_BITS points to: row r has ones at index[offset[r]] .. index[offset[r+1]-1]
typedef struct {
    const int64_t *offset;
    const uint16_t *index;
} slt_bits;

// what a batch takes from device rows for one variable: a row for every token, those of a
// trajectory one after the other
typedef struct {
    const slt_device_rows *rows_of_device;
    int column;
    const int64_t *first; // [count] row of a trajectory's first token
    const int32_t *ones;  // [count+1] of bits: how many the trajectories in front have
} slt_row_slice;

// everything that changes from step to step, one per member
typedef struct {
    uint64_t seed;
    uint32_t step;                // counter of random numbers
    slt_real weight[SLT_WEIGHTS]; // of loss terms; the model names them
    slt_real noise;               // scale of Gaussian noise
    slt_real dropout;             // share of numbers that dropout sets to zero
    slt_real learning_rate, adam_epsilon;
    slt_real max_norm;   // of the gradient; 0: no clipping
    uint32_t adam_count; // steps taken, this one included
    bool active;         // false: parameters and moments stay as they are
} slt_step;

// the data of a step for one member; fed values stay the caller's
typedef struct {
    slt_batch batch;
    slt_step step;
    bool idle;                   // the member is left out: nothing of it is computed
    int live;                    // rows of SLT_LIVE, written by the operation that chooses them
    const void **feed;           // by variable: numbers, int32_t, or slt_bits
    const slt_row_slice **slice; // by variable: where it comes from instead; NULL: it is fed
} slt_frame;

typedef struct {
    int n[SLT_ATTRIBUTES];
    double x[SLT_ATTRIBUTES];
} slt_attributes;

// ---- building

// members and parameters come from the store; several tapes may share one
slt_status slt_tape_create(slt_store *store, slt_limits limits, slt_tape **out);
void slt_tape_destroy(slt_tape *tape);

// data fed at every step; with a gradient only where a test wants one
slt_var slt_tape_input(slt_tape *tape, slt_type type, slt_shape shape, const char *name);
slt_var slt_tape_input_with_gradient(slt_tape *tape, slt_shape shape, const char *name);

// a table that never changes, for the caller to fill before the first run; NULL when the tape
// failed
slt_real *slt_tape_constant(slt_tape *tape, int rows, int width, const char *name, slt_var *out);

// a parameter by name: declared in the store when it is new there, else of the same shape
slt_var slt_tape_named(slt_tape *tape, int rows, const slt_part *parts, int count);
// the same, as the store's number, for those who use rows of it; -1 on failure
int slt_tape_number(slt_tape *tape, int rows, const slt_part *parts, int count);

// matrices end to end in one row [1, all numbers] (slt_store_add_flat)
slt_var slt_tape_flat(slt_tape *tape, const slt_part *parts, const int *flat, int count);

// a parameter of the store by number, or some of its rows. Parts of one parameter that are used on
// one tape must not overlap.
slt_var slt_tape_parameter(slt_tape *tape, int parameter);
slt_var slt_tape_parameter_rows(slt_tape *tape, int parameter, int first, int rows);

// applies an operation; gives its first output
slt_var slt_tape_apply(slt_tape *tape, const slt_op *op, const slt_var *inputs, int count,
                       const slt_attributes *attributes);
// the others of the same node, from 1 on
static inline slt_var slt_output_of(slt_var first, int number) {
    return first ? first + number : 0;
}

// Parts of a model that a device may run as one launch. Whoever builds the model says which nodes
// form one; whether it has a launch that fits them is the device's matter, and the dump says so.
typedef enum {
    SLT_FUSE_LEAVES,        // what waits for nothing
    SLT_FUSE_SLOTS,         // the slots, from their beginning to halting
    SLT_FUSE_ENCODER_INPUT, // rows of steps on their way to attention
    SLT_FUSE_DECODER_INPUT, // rows of slots and steps on their way to attention, and that
    SLT_FUSE_LAYER,         // a Transformer layer after attention, and what is done to its rows
    SLT_FUSE_OUTPUT,        // a norm and the output layer
    SLT_FUSE_NORM,          // a norm, with what makes its rows
    SLT_FUSE_LOSS,          // masks and losses
    SLT_FUSIONS
} slt_fusion;

const char *slt_fusion_name(slt_fusion fusion);
// the nodes from that of `first` to that of `last`; with those that `first` was declared with
void slt_tape_fuse(slt_tape *tape, slt_fusion fusion, slt_var first, slt_var last);

// keeps a value readable after the run
void slt_tape_keep(slt_tape *tape, slt_var var);

// notes a mistake (the first one counts)
void slt_tape_fail(slt_tape *tape, slt_status status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
bool slt_tape_failed(const slt_tape *tape);
slt_status slt_tape_status(const slt_tape *tape);

slt_shape slt_tape_shape(const slt_tape *tape, slt_var var);
slt_limits slt_tape_limits(const slt_tape *tape);
int slt_tape_members(const slt_tape *tape);
bool slt_tape_has_device(const slt_tape *tape);

// plans the memory. loss: one number, or 0 for a tape that only runs forward. separate: every
// buffer gets memory of its own (the results must be the same, bit for bit)
slt_status slt_tape_finish(slt_tape *tape, slt_var loss, bool separate);

// ---- running

slt_frame *slt_tape_frame(slt_tape *tape, int member);
void slt_tape_feed(slt_tape *tape, int member, slt_var var, const void *data);
// the same from device rows of the tape's device. data: what is read of it here, NULL: nothing
void slt_tape_take(slt_tape *tape, int member, slt_var var, const slt_row_slice *slice,
                   const void *data);

slt_status slt_tape_forward(slt_tape *tape);
// one member alone, with all threads
slt_status slt_tape_forward_member(slt_tape *tape, int member);
// gradients of all parameters the loss depends on are written, not added to
slt_status slt_tape_backward(slt_tape *tape);

// ---- training: a step as one call, its results without waiting (step.c)

enum { SLT_STATS_KEPT = 64 }; // SLT_WATCHED: store.h

// what a training step gave
typedef struct {
    slt_real value[SLT_WATCHED]; // of the watched variables
    double norm;                 // of the gradient, before clipping; not finite: no update
    uint64_t number;             // 1, 2, ... of the tape's steps; 0: not there yet
} slt_step_stats;

// numbers (kept, [1,1]; 0 stands for none) that are noted at every step; before finish
void slt_tape_watch(slt_tape *tape, const slt_var *vars, int count);
// forward, backward, Adam, and a note for every member; may come back before the work is done
slt_status slt_tape_step(slt_tape *tape);
// did a process of the group ask to stop before the last step? the same answer in all of them
bool slt_tape_stop_asked(const slt_tape *tape);
// the next note of a member in *out and true in *there, as long as there is one. wait: also those
// of steps that are still running. At most SLT_STATS_KEPT stay unread, older ones are lost
slt_status slt_tape_stats(slt_tape *tape, int member, bool wait, slt_step_stats *out, bool *there);

// values of a kept variable, of the loss, or of a parameter; gradients of parameters and of inputs
// that want one
slt_real *slt_tape_value(const slt_tape *tape, int member, slt_var var);
slt_real *slt_tape_gradient(const slt_tape *tape, int member, slt_var var);

// ---- forward passes one after the other, on a tape without a loss: the results of one are read
// while the next is on its way

// passes that may have begun and not ended
int slt_tape_ahead(const slt_tape *tape);
// what was fed may change when the pass has ended. member < 0: all of them
slt_status slt_tape_begin(slt_tape *tape, int member);
// the oldest that was begun: threads may read its kept values at once, until another ends or, where
// no more than one may be under way, begins
slt_status slt_tape_end(slt_tape *tape);

SLT_PLUGIN size_t slt_tape_bytes(const slt_tape *tape);     // planned block, all members
double slt_tape_flops(const slt_tape *tape, bool backward); // of member 0's current batch

// ---- what costs what (profile.c)

// seconds that one operation took since the start of the profile, over all its nodes
typedef struct {
    const char *op;
    int nodes;
    double forward, backward; // seconds of member 0
    double flops;             // of forward and backward of one step
} slt_profile_row;

// begins to measure, or begins anew; off until then
slt_status slt_tape_profile_start(slt_tape *tape);
// a row per operation, the dearest first; gives the number of rows, at most `room`
int slt_tape_profile_rows(const slt_tape *tape, slt_profile_row *rows, int room);

// ---- looking at it (dump.c)

// text, a line per node; and the Graphviz language
slt_status slt_tape_dump(const slt_tape *tape, const char *path, bool graph);

#endif
