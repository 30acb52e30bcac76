// The two large parts of the page's data.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#ifndef SLT_REPORT_DOCUMENT_H
#define SLT_REPORT_DOCUMENT_H

#include "report/report_impl.h"

// the worlds of the trajectories in detail, as keys of "detail"
slt_status slt_document_pictures(slt_report_book *book, slt_text *out, const slt_report_set *set);
// observations of few numbers where there is no world to draw, as a key of "detail"
// the numbers of continuous actions of the chosen trajectories (document_values.c)
slt_status slt_document_channels(slt_report_book *book, slt_text *out, const slt_report_set *set);
slt_status slt_document_values(slt_report_book *book, slt_text *out, const slt_report_set *set);
// what a run said: "trajectories" for all, "detail" for the chosen ones
slt_status slt_document_answers(slt_report_book *book, slt_text *out, const slt_report_run *run);

#endif
