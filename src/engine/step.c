// A training step as one call, and the notes it leaves: losses and the norm of the gradient. On the
// CPU they are there when the call returns; a device writes them when it gets there.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
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

static void take_note(slt_tape *tape, int member) {
    slt_note *note = &tape->notes[member * SLT_NOTES + (int)(tape->steps % SLT_NOTES)];
    for (int i = 0; i < tape->watched_count; i++)
        note->value[i] = tape->watched[i] ? *slt_tape_value(tape, member, tape->watched[i]) : 0;
    note->norm = tape->store->norm[member];
    note->number = tape->steps;
}

slt_status slt_tape_step(slt_tape *tape) {
    if (!tape->loss) SLT_FAIL(SLT_INVALID, "the tape has no loss");
    if (tape->on_device) {
        for (int m = 0; m < tape->store->members; m++) SLT_TRY(slt_tape_check(tape, m));
        tape->steps++;
        return slt_tape_device(tape)->step(tape);
    }
    SLT_TRY(slt_tape_forward(tape));
    SLT_TRY(slt_tape_backward(tape));
    SLT_TRY(slt_adam_step(tape));
    tape->steps++;
    for (int m = 0; m < tape->store->members; m++) take_note(tape, m);
    return SLT_OK;
}

slt_status slt_tape_note(slt_tape *tape, int member, bool wait, slt_note *out, bool *there) {
    uint64_t *read = &tape->notes_read[member];
    *there = false;
    if (*read + SLT_NOTES < tape->steps) *read = tape->steps - SLT_NOTES;
    if (*read == tape->steps) return SLT_OK;
    const slt_note *note = &tape->notes[member * SLT_NOTES + (int)((*read + 1) % SLT_NOTES)];
    uint64_t number = __atomic_load_n(&note->number, __ATOMIC_ACQUIRE);
    if (number != *read + 1 && wait) {
        SLT_TRY(slt_tape_device(tape)->wait(tape));
        number = __atomic_load_n(&note->number, __ATOMIC_ACQUIRE);
        if (number != *read + 1)
            SLT_FAIL(SLT_DEVICE, "step %llu left no note", (unsigned long long)*read + 1);
    }
    if (number != *read + 1) return SLT_OK;
    *out = *note;
    *there = true;
    ++*read;
    return SLT_OK;
}
