// The answers of a run, from its segments.safetensors.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#ifndef SLT_REPORT_SEGMENTS_H
#define SLT_REPORT_SEGMENTS_H

#include "report/report_impl.h"

bool slt_report_has_segments(const char *run);
// fills out->slots and out->list; FORMAT when the file tells of other trajectories than the set's
slt_status slt_report_read_segments(slt_report_book *book, const char *run,
                                    const slt_report_set *set, slt_report_answers *out);

#endif
