// Contexts: threads, memory, hooks.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include "core/context_impl.h"

#include <stdarg.h>
#include <stdio.h>
#include <unistd.h>
#include "slottar/slottar.h"

const char *slt_version(void) { return SLT_VERSION; }

static int core_count(void) {
    long cores = sysconf(_SC_NPROCESSORS_ONLN);
    return cores < 1 ? 1 : cores > 1024 ? 1024 : (int)cores;
}

slt_status slt_context_create(const slt_context_options *options, slt_context **out) {
    slt_context_options chosen = options ? *options : (slt_context_options){0};
    if (!chosen.alloc != !chosen.free)
        SLT_FAIL(SLT_INVALID, "give both alloc and free, or neither");
    slt_allocator allocator = slt_system_allocator;
    if (chosen.alloc) allocator = (slt_allocator){chosen.alloc, chosen.free, chosen.user};

    slt_context *context;
    SLT_TRY(SLT_ALLOC(&allocator, &context, 1));
    context->options = chosen;
    context->allocator = allocator;
    int threads = chosen.threads ? chosen.threads : core_count();
    slt_status status = slt_pool_create(&allocator, threads, &context->pool);
    if (status != SLT_OK) {
        slt_free(&allocator, context);
        return status;
    }
    *out = context;
    return SLT_OK;
}

void slt_context_destroy(slt_context *context) {
    if (!context) return;
    slt_pool_destroy(context->pool);
    slt_allocator allocator = context->allocator;
    slt_free(&allocator, context);
}

void slt_context_cancel(slt_context *context) { atomic_store(&context->cancelled, true); }
void slt_context_resume(slt_context *context) { atomic_store(&context->cancelled, false); }
int slt_context_threads(const slt_context *context) { return slt_pool_threads(context->pool); }

slt_status slt_context_check(slt_context *context) {
    if (atomic_load(&context->cancelled)) SLT_FAIL(SLT_CANCELLED, "stopped on request");
    return SLT_OK;
}

void slt_context_log(slt_context *context, slt_log_level level, const char *format, ...) {
    if (!context->options.log) return;
    char message[1024];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    context->options.log(context->options.user, level, message);
}

void slt_context_progress(slt_context *context, const char *stage, uint64_t done, uint64_t total,
                          const char *news) {
    if (!context->options.progress) return;
    slt_progress progress = {stage, done, total, news ? news : ""};
    context->options.progress(context->options.user, &progress);
}
