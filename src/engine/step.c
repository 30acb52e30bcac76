// A training step as one call, and the notes it leaves: losses and the norm of the gradient. On the
// CPU they are there when the call returns; a device writes them when it gets there.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include "core/group_impl.h"
#include "engine/adam.h"
#include "engine/tape_impl.h"

void slt_tape_watch(slt_tape *tape, const slt_var *vars, int count) {
    for (int i = 0; i < count; i++) {
        if (tape->watched_count == SLT_WATCHED) {
            slt_tape_fail(tape, SLT_RANGE, "more than %d variables to watch", SLT_WATCHED);
            return;
        }
        slt_tape_keep(tape, vars[i]);
        tape->watched[tape->watched_count++] = vars[i] < tape->var_count ? vars[i] : 0;
    }
}

static slt_real *watched(const slt_tape *tape, int member) {
    return tape->store->tail + SLT_TAIL_WORDS + member * SLT_WATCHED;
}

// after the gradients go what is watched, and whether somebody wants to stop: one sum for all. A
// share of a batch has a share of the losses, so that they add up as well
static slt_status exchange(slt_tape *tape) {
    slt_store *store = tape->store;
    slt_real *stop = &store->tail[SLT_TAIL_STOP];
    *stop = slt_context_is_cancelled(tape->context);
    for (int m = 0; m < store->members; m++)
        for (int i = 0; i < tape->watched_count; i++)
            watched(tape, m)[i] = tape->watched[i] ? *slt_tape_value(tape, m, tape->watched[i]) : 0;
    SLT_TRY(slt_group_sum(tape->context, store->gradient, store->size + slt_store_tail(store),
                          sizeof *store->gradient));
    tape->stop_asked = *stop > 0;
    return SLT_OK;
}

bool slt_tape_stop_asked(const slt_tape *tape) { return tape->stop_asked; }

static void write_stats(slt_tape *tape, int member) {
    slt_step_stats *stats =
        &tape->stats[member * SLT_STATS_KEPT + (int)(tape->steps % SLT_STATS_KEPT)];
    for (int i = 0; i < tape->watched_count; i++) stats->value[i] = watched(tape, member)[i];
    stats->norm = tape->store->norm[member];
    stats->number = tape->steps;
}

// on a device, where processes share the work: gradients go through the memory here
static slt_status step_through_here(slt_tape *tape) {
    const slt_device_kind *device = slt_tape_device(tape);
    slt_store *store = tape->store;
    SLT_TRY(slt_tape_forward(tape));
    SLT_TRY(slt_tape_backward(tape));
    SLT_TRY(device->gradients_fetch(store));
    SLT_TRY(exchange(tape));
    SLT_TRY(device->gradients_send(store));
    SLT_TRY(slt_adam_step(tape));
    SLT_TRY(device->norms_fetch(store));
    tape->steps++;
    for (int m = 0; m < store->members; m++) write_stats(tape, m);
    return SLT_OK;
}

slt_status slt_tape_step(slt_tape *tape) {
    if (!tape->loss) SLT_FAIL(SLT_INVALID, "the tape has no loss");
    if (tape->on_device && slt_group_size(tape->context) > 1) return step_through_here(tape);
    if (tape->on_device) {
        for (int m = 0; m < tape->store->members; m++) SLT_TRY(slt_tape_check(tape, m));
        tape->steps++;
        return slt_tape_device(tape)->step(tape);
    }
    SLT_TRY(slt_tape_forward(tape));
    SLT_TRY(slt_tape_backward(tape));
    SLT_TRY(exchange(tape));
    SLT_TRY(slt_adam_step(tape));
    tape->steps++;
    for (int m = 0; m < tape->store->members; m++) write_stats(tape, m);
    return SLT_OK;
}

slt_status slt_tape_stats(slt_tape *tape, int member, bool wait, slt_step_stats *out, bool *there) {
    uint64_t *read = &tape->stats_read[member];
    *there = false;
    if (*read + SLT_STATS_KEPT < tape->steps) *read = tape->steps - SLT_STATS_KEPT;
    if (*read == tape->steps) return SLT_OK;
    const slt_step_stats *stats =
        &tape->stats[member * SLT_STATS_KEPT + (int)((*read + 1) % SLT_STATS_KEPT)];
    uint64_t number = __atomic_load_n(&stats->number, __ATOMIC_ACQUIRE);
    if (number != *read + 1 && wait) {
        SLT_TRY(slt_tape_device(tape)->wait(tape));
        number = __atomic_load_n(&stats->number, __ATOMIC_ACQUIRE);
        if (number != *read + 1)
            SLT_FAIL(SLT_DEVICE, "step %llu left no statistics", (unsigned long long)*read + 1);
    }
    if (number != *read + 1) return SLT_OK;
    *out = *stats;
    *there = true;
    ++*read;
    return SLT_OK;
}
