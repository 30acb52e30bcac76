// The figures of a data set and its runs: one function each, a row of the table in figures.c.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#ifndef SLT_REPORT_FIGURE_H
#define SLT_REPORT_FIGURE_H

#include "report/report_impl.h"
#include "report/svg.h"

// writes nothing when there is nothing to show
typedef slt_status (*slt_figure_draw)(slt_report_book *book, const slt_report_set *set,
                                      slt_text *out);

typedef struct {
    const char *name, *part, *title, *caption; // part: the section of the page it stands in
    slt_figure_draw draw;
} slt_figure;

const slt_figure *slt_figure_row(int index); // NULL after the last

// "A", "B", ... for the runs of a set; "predicted" when there is one only
enum { SLT_RUN_LABEL = 16 };
const char *slt_run_label(const slt_report_book *book, int run, char out[SLT_RUN_LABEL]);
// colours 0 ... 5 for runs
int slt_run_colour(int run);
// one character for an action: the first letter of its name, a capital where another action has it
// already; its number where a third one wants it, or without names
enum { SLT_ACTION_LETTER = 16 };
const char *slt_action_letter(const slt_dataset_info *info, int action,
                              char out[SLT_ACTION_LETTER]);
// the trajectory that figures show: typical, of the best run; -1: none has pictures
int64_t slt_figure_example(const slt_report_book *book, const slt_report_set *set, int *run);

slt_status slt_figure_losses(slt_report_book *, const slt_report_set *, slt_text *);
slt_status slt_figure_scores(slt_report_book *, const slt_report_set *, slt_text *);
slt_status slt_figure_counts(slt_report_book *, const slt_report_set *, slt_text *);
slt_status slt_figure_offsets(slt_report_book *, const slt_report_set *, slt_text *);
slt_status slt_figure_durations(slt_report_book *, const slt_report_set *, slt_text *);
slt_status slt_figure_trust(slt_report_book *, const slt_report_set *, slt_text *);
slt_status slt_figure_quality(slt_report_book *, const slt_report_set *, slt_text *);
slt_status slt_figure_access(slt_report_book *, const slt_report_set *, slt_text *);
slt_status slt_figure_priors(slt_report_book *, const slt_report_set *, slt_text *);
slt_status slt_figure_slots(slt_report_book *, const slt_report_set *, slt_text *);
slt_status slt_figure_masks(slt_report_book *, const slt_report_set *, slt_text *);
slt_status slt_figure_tasks(slt_report_book *, const slt_report_set *, slt_text *);
slt_status slt_figure_episode(slt_report_book *, const slt_report_set *, slt_text *);
slt_status slt_figure_answers(slt_report_book *, const slt_report_set *, slt_text *);
slt_status slt_figure_agreement(slt_report_book *, const slt_report_set *, slt_text *);

#endif
