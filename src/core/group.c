// Groups: the caller's functions, checked.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include "core/group_impl.h"

#include <stdio.h>

static bool alone(const slt_context *context) { return context->group.size < 2; }

static slt_status broken(const slt_context *context) {
    SLT_FAIL(context->group_status, "process %d of %d lost the others", context->group.rank,
             context->group.size);
}

// keeps the first failure
static slt_status keep(slt_context *context, slt_status status) {
    if (context->group_status == SLT_OK) context->group_status = status;
    return context->group_status == SLT_OK ? SLT_OK : broken(context);
}

slt_status slt_group_sum(slt_context *context, void *numbers, size_t count, size_t width) {
    const slt_group *group = &context->group;
    if (alone(context)) return SLT_OK;
    if (context->group_status != SLT_OK) return broken(context);
    return keep(context, group->sum(group->user, numbers, count, width));
}

static slt_status broadcast(slt_context *context, void *bytes, size_t count, int from) {
    const slt_group *group = &context->group;
    if (context->group_status != SLT_OK) return broken(context);
    return keep(context, group->broadcast(group->user, bytes, count, from));
}

slt_status slt_group_share(slt_context *context, void *bytes, size_t count) {
    return alone(context) ? SLT_OK : broadcast(context, bytes, count, 0);
}

slt_status slt_group_gather(slt_context *context, const void *mine, size_t count, void *all,
                            const size_t *counts) {
    const slt_group *group = &context->group;
    if (alone(context)) return SLT_OK;
    if (context->group_status != SLT_OK) return broken(context);
    return keep(context, group->gather(group->user, mine, count, all, counts));
}

// ---- agreeing

typedef struct {
    int32_t status;
    char text[1020];
} report;

// the report of the first process that failed
static slt_status find_failure(slt_context *context, slt_status mine, report *out, int *rank) {
    for (*rank = 0; *rank < context->group.size; ++*rank) {
        *out = (report){.status = (int32_t)mine};
        if (mine != SLT_OK) snprintf(out->text, sizeof out->text, "%s", slt_last_error());
        SLT_TRY(broadcast(context, out, sizeof *out, *rank));
        if (out->status != SLT_OK) break;
    }
    return SLT_OK;
}

slt_status slt_group_agree(slt_context *context, slt_status mine) {
    if (alone(context) || context->group_status != SLT_OK) return mine;
    report first = {.status = SLT_OK};
    double failed = mine != SLT_OK;
    int rank;
    SLT_TRY(slt_group_sum(context, &failed, 1, sizeof failed));
    if (failed == 0) return SLT_OK;
    SLT_TRY(find_failure(context, mine, &first, &rank));
    if (first.status == SLT_OK)
        SLT_FAIL(SLT_INTERNAL, "%g processes failed, none says why", failed);
    first.text[sizeof first.text - 1] = 0;
    // what all say needs no name
    if (failed == context->group.size) return slt_fail((slt_status)first.status, "%s", first.text);
    return slt_fail((slt_status)first.status, "process %d: %s", rank, first.text);
}
