// The inside of a context.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#ifndef SLT_CORE_CONTEXT_IMPL_H
#define SLT_CORE_CONTEXT_IMPL_H

#include <stdatomic.h>
#include "core/memory.h"
#include "core/threads.h"
#include "slottar/context.h"

typedef enum { SLT_FP32, SLT_TF32, SLT_BF16, SLT_PRECISIONS } slt_precision;
const char *slt_precision_name(slt_precision precision);
typedef struct slt_device slt_device; // engine/device.h

struct slt_context {
    slt_context_options options;
    slt_allocator allocator;
    slt_pool *pool;
    atomic_int cancelled; // 0: no; 1: yes; more: so many looks from now, for tests
    slt_context *parent;  // of a child: it stops when that one does; else NULL
    bool on_device;       // models compute elsewhere than on the CPU
    slt_precision precision;
    slt_device *device;                              // opened by the first store; NULL until then
    slt_status (*device_open)(slt_context *context); // sets it, and how it is closed
    void (*device_close)(slt_device *device);
    slt_group group;         // size 1: alone
    slt_status group_status; // the first failure among its calls
};

// SLT_CANCELLED when somebody asked to stop, else SLT_OK
slt_status slt_context_check(slt_context *context);
// a look at a context that is to be cancelled some looks later
bool slt_context_count_down(slt_context *context);
static inline bool slt_context_is_cancelled(slt_context *context) {
    bool own = atomic_load_explicit(&context->cancelled, memory_order_relaxed) &&
               slt_context_count_down(context);
    return own || (context->parent && atomic_load(&context->parent->cancelled) == 1);
}

// the public call without the devices of the build, for any processor (devices/context_create.c)
slt_status slt_context_make(const slt_context_options *options,
                            slt_status (*device_open)(slt_context *context), slt_context **out);

// a context for another thread: the same device, threads of its own, no hooks. The parent must
// outlive it
slt_status slt_context_child(slt_context *parent, int threads, slt_context **out);

void slt_context_log(slt_context *context, slt_log_level level, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
void slt_context_progress(slt_context *context, const char *stage, uint64_t done, uint64_t total,
                          const char *news);

#endif
