// The parameter store: blocks of values, gradients and Adam's moments at the same offsets.
//
// A parameter is [P, rows, columns], its P members next to each other, so that a population of
// models is trained at once; P = 1 is the plain case. Some parameters are several matrices side by
// side that are multiplied in one product (query, key and value): their parts keep names of their
// own, and files know the parts only. Matrices that one operation takes all at once may also lie
// end to end in a parameter of one row.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#ifndef SLT_ENGINE_STORE_H
#define SLT_ENGINE_STORE_H

#include "core/context_impl.h"
#include "engine/real.h"

// how a parameter starts: uniform in ±range, a constant, or orthogonal rows
typedef enum {
    SLT_INIT_CONSTANT,
    SLT_INIT_UNIFORM,
    SLT_INIT_NORMAL,
    SLT_INIT_ORTHOGONAL,
    SLT_INIT_FORGET // the value in the second quarter of the columns (forget gate), else 0
} slt_init_kind;

typedef struct {
    slt_init_kind kind;
    double value; // the constant, the range, or the standard deviation
} slt_init;

enum { SLT_PARTS = 1024 };

typedef struct {
    const char *name;
    int columns;
    slt_init init;
    int zero_columns; // last columns whose gradient is zero but for rounding: kept at exactly zero
} slt_part;

// a stretch of one member's parameter: the unit of work of the optimiser
typedef struct {
    int parameter, member;
    size_t start, count; // in the blocks
} slt_piece;

typedef struct {
    slt_part *part; // part[0].name names the parameter
    int *flat;      // rows of the parts of a flat parameter; NULL: they stand side by side
    int parts;
    int rows, columns;
    size_t offset; // of member 0, in numbers
} slt_parameter;

typedef struct slt_store {
    slt_context *context;
    slt_arena arena;
    int members;
    slt_parameter *parameters;
    int count, room;
    size_t size;                                    // numbers in a block
    slt_real *value, *gradient, *moment1, *moment2; // NULL until finish
    slt_real *tail;    // after the gradients: what goes with them from process to process (step.c)
    slt_piece *pieces; // in the order of members, then parameters
    int piece_count;
    double *piece_norm; // [piece_count], scratch of the optimiser
    double *norm;       // [members], of the last gradient; not finite: the step was left out
    slt_status status;  // first mistake while declaring
    char message[256];
    slt_device *device; // NULL: the CPU's memory is all there is
    void *on_device;    // the device's own blocks
    bool host_newer;    // the blocks here were edited since the device last took them
    bool device_newer;  // the device computed since its blocks were last fetched
} slt_store;

slt_status slt_store_create(slt_context *context, int members, slt_store **out);
void slt_store_destroy(slt_store *store);

// declares a parameter and gives its number; mistakes are kept and reported by finish
int slt_store_add(slt_store *store, int rows, const slt_part *parts, int count);
// matrices end to end in one row: part i has flat[i] rows, and its `columns` count all its numbers
int slt_store_add_flat(slt_store *store, const slt_part *parts, const int *flat, int count);
int slt_store_find(const slt_store *store, const char *name); // -1: none of that name

// reserves the blocks (zeroed); no parameter can be added afterwards
slt_status slt_store_finish(slt_store *store);

// initial values of one member: a function of seed and names alone
slt_status slt_store_init(slt_store *store, int member, uint64_t seed);

// the blocks here, where a device works on blocks of its own: fetch before reading them, edit
// before writing them. Both do nothing on the CPU.
SLT_PLUGIN slt_status slt_store_fetch(slt_store *store);
slt_status slt_store_edit(slt_store *store);

// numbers after the gradients: some words, then what a tape watches of every member
enum { SLT_TAIL_STOP, SLT_TAIL_WORDS, SLT_WATCHED = 6 };
static inline size_t slt_store_tail(const slt_store *store) {
    return SLT_TAIL_WORDS + (size_t)store->members * SLT_WATCHED;
}

// the place of a member's parameter in a block
SLT_PLUGIN slt_real *slt_store_at(const slt_store *store, slt_real *block, int parameter,
                                  int member);

// rows and columns of a part, as files have it
void slt_store_part_shape(const slt_parameter *parameter, int part, int64_t shape[2]);

// numbers of one member, over all parameters
size_t slt_store_member_size(const slt_store *store);

#endif
