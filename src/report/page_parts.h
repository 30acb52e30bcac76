// Parts of the page in words and tables.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#ifndef SLT_REPORT_PAGE_PARTS_H
#define SLT_REPORT_PAGE_PARTS_H

#include "report/report_impl.h"

// what was trained on what, and how good it is next to baselines and the paper
void slt_page_summary(slt_report_book *book, int set, slt_text *out);
// the table of scores: runs with the options in which they differ, the paper's, baselines; nothing
// where there is no number
void slt_page_scores(slt_report_book *book, const slt_report_set *set, slt_text *out);
// the groups that voted, and the answers of the chosen one
void slt_page_vote(const slt_report_run *run, slt_text *out);
// what the words mean
void slt_page_about(slt_report_book *book, slt_text *out);

#endif
