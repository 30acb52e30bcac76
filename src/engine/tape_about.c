// What a tape says about itself: its first mistake, its limits, shapes.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include "engine/tape_impl.h"

#include <stdarg.h>
#include <stdio.h>
#include "core/number.h"

void slt_tape_fail(slt_tape *tape, slt_status status, const char *format, ...) {
    if (tape->status != SLT_OK) return;
    tape->status = status;
    va_list arguments;
    va_start(arguments, format);
    slt_format_list(tape->message, sizeof tape->message, format, arguments);
    va_end(arguments);
}

bool slt_tape_failed(const slt_tape *tape) { return tape->status != SLT_OK; }
slt_status slt_tape_status(const slt_tape *tape) { return tape->status; }
slt_limits slt_tape_limits(const slt_tape *tape) { return tape->limits; }
int slt_tape_members(const slt_tape *tape) { return tape->store->members; }
bool slt_tape_has_device(const slt_tape *tape) { return tape->store->device != NULL; }
slt_shape slt_tape_shape(const slt_tape *tape, slt_var var) { return tape->vars[var].shape; }

const char *slt_var_shape_text(slt_shape shape, char *text, size_t size) {
    static const char *const names[SLT_SPACES] = {
        "", "trajectories", "slots", "tokens", "slot tokens", "live", "seen"};
    if (shape.space == SLT_FIXED)
        snprintf(text, size, "[%d, %d]", shape.rows, shape.width);
    else
        snprintf(text, size, "[%s, %d]", names[shape.space], shape.width);
    return text;
}

int slt_space_capacity(slt_limits limits, slt_space space) {
    switch (space) {
    case SLT_TRAJECTORIES:
        return limits.trajectories;
    case SLT_SLOTS:
        return limits.trajectories * limits.slots;
    case SLT_TOKENS:
        return limits.tokens;
    case SLT_SLOT_TOKENS:
    case SLT_LIVE:
        return limits.tokens * limits.slots;
    case SLT_SHARED_TOKENS:
        return limits.seen;
    default:
        return 0;
    }
}

const char *slt_fusion_name(slt_fusion fusion) {
    static const char *const names[SLT_FUSIONS] = {
        "leaves", "slots", "encoder input", "decoder input", "layer", "output", "norm", "loss"};
    return names[fusion];
}

int slt_group_end(const slt_tape *tape, int n, slt_fusion fusion) {
    int group = tape->nodes[n].group[fusion], end = n;
    if (!group) return -1;
    while (end + 1 < tape->node_count && tape->nodes[end + 1].group[fusion] == group) end++;
    return end;
}
