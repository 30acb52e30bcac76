// Devices: who runs a tape when it is not the CPU. A device keeps blocks of its own next to those
// of the store, and a planned block of its own for every tape; models, layers and operations know
// nothing of it. Which one a context uses is an option of the context.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#ifndef SLT_ENGINE_DEVICE_H
#define SLT_ENGINE_DEVICE_H

#include "engine/chain_device.h"
#include "engine/op.h"
#include "engine/device_symbols.h"

// nodes first to last are one launch; or, with a reason, there is none
typedef struct {
    int first, last;
    const char *why; // NULL: one launch
} slt_fused;

typedef struct {
    const char *name; // as the context's options say it
    // can it be used? SLT_DEVICE, with the reason, if not
    slt_status (*check)(void);
    // work of a node's backward may still run during that of the `lag` nodes after it: what it
    // reads stays where it is for so long
    int lag;
    // nodes that run together: begin[t] and end[t] are the first and last time of the run that
    // time t (of the planner) is in; they come as runs of one. NULL: there are no others
    void (*runs)(const slt_tape *tape, int *begin, int *end);
    // what became of a part of the model that was declared as one (slt_tape_fuse), and begins with
    // node n; NULL: nothing is fused
    void (*fused)(const slt_tape *tape, slt_fusion fusion, int n, slt_fused *out);
    slt_status (*open)(slt_context *context, slt_device **out);
    void (*close)(slt_device *device);

    // blocks of a store: reserved, and brought back here (fetch; clears device_newer)
    slt_status (*store_open)(slt_store *store);
    void (*store_close)(slt_store *store);
    slt_status (*store_fetch)(slt_store *store);
    // gradients alone, here and back, for who adds those of other processes; norms after Adam
    slt_status (*gradients_fetch)(slt_store *store);
    slt_status (*gradients_send)(slt_store *store);
    slt_status (*norms_fetch)(slt_store *store);

    // rows that batches are made of (device_rows.h): room for them, more of them after those that
    // are there
    slt_status (*device_rows_open)(slt_device_rows *rows_of_device);
    void (*device_rows_close)(slt_device_rows *rows_of_device);
    slt_status (*device_rows_add)(slt_device_rows *rows_of_device, const void *const *data,
                                  int rows);

    bool (*knows)(const slt_op *op); // does it have kernels?
    // which of several kernels a node takes, in a word; NULL: there is one
    const char *(*path)(const slt_tape *tape, int n);
    // the best that it can do for so long: billions of operations of a product, of bytes read and
    // written, per second
    slt_status (*peak)(slt_device *device, double seconds, double *gflops, double *gb_per_s);
    slt_status (*tape_open)(slt_tape *tape); // after the planner
    void (*tape_close)(slt_tape *tape);

    // of all members; calls come back before the work is done
    slt_status (*forward)(slt_tape *tape);
    slt_status (*backward)(slt_tape *tape);
    slt_status (*adam)(slt_tape *tape);
    slt_status (*step)(slt_tape *tape); // all three, and a note
    slt_status (*wait)(slt_tape *tape);
    // forward passes one after the other, `ahead` of them under way at most
    int ahead;
    slt_status (*begin)(slt_tape *tape);
    slt_status (*end)(slt_tape *tape);

    // copies here, brought up to date; NULL where there is none
    slt_real *(*value)(const slt_tape *tape, int member, slt_var var);
    slt_real *(*gradient)(const slt_tape *tape, int member, slt_var var);

    // linear and symbol chains; NULL: they run on the CPU
    const slt_chain_device *chains;
    const slt_symbol_device *symbols;
} slt_device_kind;

// what the struct of every device begins with
struct slt_device {
    const slt_device_kind *kind;
};

// the device of a context, opened when it is asked for the first time; NULL: the CPU
static inline slt_status slt_device_open(slt_context *context, slt_device **out) {
    if (context->on_device && !context->device) SLT_TRY(context->device_open(context));
    *out = context->device;
    return SLT_OK;
}

#endif
