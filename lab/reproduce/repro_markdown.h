// The kinds of tables in results.md, one function each: repro_view_*.c.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#ifndef SLT_REPRODUCE_MARKDOWN_H
#define SLT_REPRODUCE_MARKDOWN_H

#include "paper/paper_scores.h"
#include "reproduce/repro_summary.h"

// the table after its title and text; memory from r->arena is taken back after it
typedef slt_status (*slt_repro_view)(slt_repro *r, const slt_repro_table *table, slt_text *out);

slt_status slt_repro_view_scores(slt_repro *r, const slt_repro_table *table, slt_text *out);
slt_status slt_repro_view_trend(slt_repro *r, const slt_repro_table *table, slt_text *out);
slt_status slt_repro_view_access(slt_repro *r, const slt_repro_table *table, slt_text *out);
slt_status slt_repro_view_robust(slt_repro *r, const slt_repro_table *table, slt_text *out);
slt_status slt_repro_view_restarts(slt_repro *r, const slt_repro_table *table, slt_text *out);
slt_status slt_repro_view_verdicts(slt_repro *r, const slt_repro_table *table, slt_text *out);
slt_status slt_repro_view_segments(slt_repro *r, const slt_repro_table *table, slt_text *out);
slt_status slt_repro_view_warnings(slt_repro *r, const slt_repro_table *table, slt_text *out);
slt_status slt_repro_view_speed(slt_repro *r, const slt_repro_table *table, slt_text *out);
slt_status slt_repro_view_priors(slt_repro *r, const slt_repro_table *table, slt_text *out);
slt_status slt_repro_view_figures(slt_repro *r, const slt_repro_table *table, slt_text *out);

// ---- small things they share

// " 99.84 (0.02) |": percent, a dash where there is none, no spread where there is none
void slt_repro_put(slt_text *out, double mean, double sd);
// what the runs of a cell say; zero runs where there is none
slt_status slt_repro_summary_of(slt_repro *r, const slt_repro_set *set,
                                const slt_repro_variant *variant, slt_repro_summary *out);
// the paper's row; NULL: it has none
const slt_published_score *slt_repro_paper(const slt_repro_set *set, const char *model);
// "CompILE, reference profile ¹ ²"; summary may be NULL
void slt_repro_put_name(slt_text *out, const slt_repro_variant *variant,
                        const slt_repro_summary *summary);
// "|---|---|" of so many columns after the first
void slt_repro_put_line(slt_text *out, int columns);

#endif
