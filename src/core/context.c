// Contexts: threads, memory, hooks.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include "core/context_impl.h"

#include <sched.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include "core/number.h"
#include "slottar/version.h"

const char *slt_version(void) { return SLT_VERSION; }

// cores that this process may use; where it may use all, others share them with it
static int core_count(int sharers) {
    cpu_set_t mine;
    long cores = sysconf(_SC_NPROCESSORS_ONLN), given = cores;
    if (sched_getaffinity(0, sizeof mine, &mine) == 0) given = CPU_COUNT(&mine);
    if (given >= cores) given = cores / sharers;
    return given < 1 ? 1 : given > 1024 ? 1024 : (int)given;
}

const char *slt_precision_name(slt_precision precision) {
    static const char *const names[SLT_PRECISIONS] = {"fp32", "tf32", "bf16"};
    return names[precision];
}

// "cpu", "cuda" or "cuda:0", and what may stand next to it
static slt_status read_device(const slt_context_options *options, bool *on_device,
                              slt_precision *precision) {
    const char *device = options->device ? options->device : "cpu";
    if (strncmp(device, "cuda:", 5) == 0 && device[5] > '0' && device[5] <= '9')
        SLT_FAIL(SLT_INVALID,
                 "device %s: models compute on the first GPU that is visible; run with "
                 "CUDA_VISIBLE_DEVICES=%s and device cuda",
                 device, device + 5);
    *on_device = strcmp(device, "cuda") == 0 || strcmp(device, "cuda:0") == 0;
    if (!*on_device && strcmp(device, "cpu") != 0)
        SLT_FAIL(SLT_INVALID, "no device '%s': cpu, cuda or auto", device);
    *precision = *on_device ? SLT_TF32 : SLT_FP32;
    if (!options->precision) return SLT_OK;
    for (slt_precision i = 0; i < SLT_PRECISIONS; i++) {
        if (strcmp(options->precision, slt_precision_name(i)) != 0) continue;
        if (i == SLT_TF32 && !*on_device)
            SLT_FAIL(SLT_INVALID, "precision tf32 is for device cuda; the cpu computes in fp32");
        *precision = i;
        return SLT_OK;
    }
    SLT_FAIL(SLT_INVALID, "no precision '%s': fp32, tf32 or bf16", options->precision);
}

static slt_status read_group(const slt_group *given, slt_group *out) {
    *out = (slt_group){.size = 1};
    if (!given) return SLT_OK;
    if (given->size < 1 || given->rank < 0 || given->rank >= given->size)
        SLT_FAIL(SLT_INVALID, "process %d of a group of %d", given->rank, given->size);
    if (!given->sum || !given->broadcast || !given->gather)
        SLT_FAIL(SLT_INVALID, "a group needs all three functions");
    *out = *given;
    return SLT_OK;
}

slt_status slt_context_make(const slt_context_options *options,
                            slt_status (*device_open)(slt_context *context), slt_context **out) {
    slt_context_options chosen = options ? *options : (slt_context_options){0};
    if (!chosen.alloc != !chosen.free)
        SLT_FAIL(SLT_INVALID, "give both alloc and free, or neither");
    bool on_device = false;
    slt_precision precision = SLT_FP32;
    slt_group group;
    SLT_TRY(read_device(&chosen, &on_device, &precision));
    SLT_TRY(read_group(chosen.group, &group));
    slt_allocator allocator = slt_system_allocator;
    if (chosen.alloc) allocator = (slt_allocator){chosen.alloc, chosen.free, chosen.user};

    slt_context *context;
    SLT_TRY(SLT_ALLOC(&allocator, &context, 1));
    context->options = chosen;
    context->allocator = allocator;
    context->on_device = on_device;
    context->device_open = device_open;
    context->options.device = on_device ? "cuda" : "cpu"; // ours: the caller's may go away
    context->precision = precision;
    context->group = group;
    context->options.group = NULL;
    int threads = chosen.threads;
    if (threads <= 0) threads = core_count(threads < 0 ? -threads : 1);
    slt_status status = slt_pool_create(&allocator, threads, &context->pool);
    if (status != SLT_OK) {
        slt_free(&allocator, context);
        return status;
    }
    *out = context;
    return SLT_OK;
}

slt_status slt_context_child(slt_context *parent, int threads, slt_context **out) {
    slt_context_options options = {.threads = threads,
                                   .alloc = parent->options.alloc,
                                   .free = parent->options.free,
                                   .user = parent->options.user,
                                   .device = parent->options.device};
    SLT_TRY(slt_context_make(&options, parent->device_open, out));
    (*out)->precision = parent->precision;
    (*out)->parent = parent;
    return SLT_OK;
}

void slt_context_destroy(slt_context *context) {
    if (!context) return;
    if (context->device) context->device_close(context->device);
    slt_pool_destroy(context->pool);
    slt_allocator allocator = context->allocator;
    slt_free(&allocator, context);
}

void slt_context_cancel(slt_context *context) { atomic_store(&context->cancelled, 1); }
void slt_context_resume(slt_context *context) { atomic_store(&context->cancelled, 0); }
int slt_context_threads(const slt_context *context) { return slt_pool_threads(context->pool); }
const char *slt_context_device(const slt_context *context) { return context->options.device; }

bool slt_context_count_down(slt_context *context) {
    int left = atomic_load(&context->cancelled);
    while (left > 1 && !atomic_compare_exchange_weak(&context->cancelled, &left, left - 1))
        continue;
    return left == 1;
}

slt_status slt_context_check(slt_context *context) {
    if (slt_context_is_cancelled(context)) SLT_FAIL(SLT_CANCELLED, "stopped on request");
    return SLT_OK;
}

void slt_context_log(slt_context *context, slt_log_level level, const char *format, ...) {
    if (!context->options.log) return;
    char message[1024];
    va_list arguments;
    va_start(arguments, format);
    slt_format_list(message, sizeof message, format, arguments);
    va_end(arguments);
    context->options.log(context->options.user, level, message);
}

void slt_context_progress(slt_context *context, const char *stage, uint64_t done, uint64_t total,
                          const char *news) {
    if (!context->options.progress) return;
    slt_progress progress = {stage, done, total, news ? news : ""};
    context->options.progress(context->options.user, &progress);
}
