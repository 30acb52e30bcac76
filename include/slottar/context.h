// A context: threads, memory and hooks of a piece of work.
//
//     slt_context *context;
//     slt_context_options options = {.threads = 4, .device = "auto"};
//     slt_context_create(&options, &context);
//     printf("%d threads, %s\n", slt_context_threads(context), slt_context_device(context));
//     slt_context_destroy(context);
//
// A handle is used by one thread at a time; slt_context_cancel may be called from any thread or
// from a signal handler. Contexts know nothing of each other. Handles of one context may be used by
// different threads at once, but on cuda: while one has the context's threads the others work
// alone, and hooks are called from all of them.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#ifndef SLOTTAR_CONTEXT_H
#define SLOTTAR_CONTEXT_H

#include <stddef.h>
#include <stdint.h>
#include "slottar/group.h"
#include "slottar/status.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct slt_context slt_context;

typedef enum { SLT_LOG_INFO, SLT_LOG_WARNING } slt_log_level;

// One report of progress: stage is a short word ("train"), done of total units (total 0: unknown),
// news a sentence or "".
typedef struct {
    const char *stage;
    uint64_t done, total;
    const char *news;
} slt_progress;

// Zero-initialise, then set what you need. alloc returns memory of `bytes` bytes or NULL.
typedef struct {
    int threads; // 0: one per core that this process may use; -N: shared with N - 1 others
    void *(*alloc)(void *user, size_t bytes);
    void (*free)(void *user, void *memory);
    void (*log)(void *user, slt_log_level level, const char *message);
    void (*progress)(void *user, const slt_progress *progress);
    void *user; // handed to every hook
    // where models compute: "cpu" (also NULL); "cuda" or "cuda:0", an NVIDIA GPU; "auto", the GPU
    // where there is one, else the CPU, with the reason in the log
    const char *device;
    // of matrix products: "fp32" (also NULL), and on cuda "tf32" (also NULL there). "bf16" rounds
    // factors to bf16 and adds in fp32; a processor needs AMX or the BF16 of ARM for it; without
    // them slt_context_create fails
    const char *precision;
    // processes that share the work; NULL: this one alone. Copied
    const slt_group *group;
} slt_context_options;

// Creates a context; options may be NULL. Destroy accepts NULL and must come after the destruction
// of all handles made from the context.
SLT_API slt_status slt_context_create(const slt_context_options *options, slt_context **out);
SLT_API void slt_context_destroy(slt_context *context);

// Asks the long call that runs in this context to stop; it returns SLT_CANCELLED soon after, with
// its files whole. Stays in force until slt_context_resume.
SLT_API void slt_context_cancel(slt_context *context);
SLT_API void slt_context_resume(slt_context *context);

// The number of threads the context works with, and its device: "cpu" or "cuda".
SLT_API int slt_context_threads(const slt_context *context);
SLT_API const char *slt_context_device(const slt_context *context);

// Can a device be used here? Loads libslottar_cuda.so for "cuda". SLT_DEVICE, with the reason, if
// not.
SLT_API slt_status slt_device_check(const char *device);

#ifdef __cplusplus
}
#endif
#endif
