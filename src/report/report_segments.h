// The answers of a run, from its segments.safetensors.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#ifndef SLT_REPORT_SEGMENTS_H
#define SLT_REPORT_SEGMENTS_H

#include "core/safetensors.h"
#include "report/report_impl.h"

bool slt_report_has_segments(const char *run);
// fills out->slots and out->list; FORMAT when the file tells of other trajectories than the set's
slt_status slt_report_read_segments(slt_report_book *book, const char *run,
                                    const slt_report_set *set, slt_report_answers *out);

// the trajectories that a file must tell of, the first `count` of `all`
typedef struct {
    const char *data; // the data set's name, for messages
    int64_t count, all;
    const int64_t *episodes, *lengths; // [count]
} slt_report_wanted;

// the same from an open file; out->list has room for wanted->count
slt_status slt_report_take_segments(slt_arena *arena, const slt_safetensors *file,
                                    const slt_report_wanted *wanted, slt_report_answers *out);

#endif
