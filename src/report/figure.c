// What figures share: names and colours of runs, letters of actions, the trajectory that is shown.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include "report/figure.h"

#include <stdio.h>

const char *slt_run_label(const slt_report_book *book, int run, char out[SLT_RUN_LABEL]) {
    if (book->sets[book->runs[run].set].run_count == 1)
        snprintf(out, SLT_RUN_LABEL, "predicted");
    else if (run < 26)
        snprintf(out, SLT_RUN_LABEL, "%c", 'A' + run);
    else
        snprintf(out, SLT_RUN_LABEL, "%c%c", 'A' + run / 26 - 1, 'A' + run % 26);
    return out;
}

int slt_run_colour(int run) { return run % 6; }

const char *slt_action_letter(const slt_dataset_info *info, int action,
                              char out[SLT_ACTION_LETTER]) {
    char letter = info->action_names ? info->action_names[action][0] : 0;
    int before = 0;
    for (int a = 0; letter && a < action; a++) before += info->action_names[a][0] == letter;
    if (before == 1 && letter >= 'a' && letter <= 'z') letter = (char)(letter - 32);
    if (before > 1 || letter <= ' ' || letter > '~')
        snprintf(out, SLT_ACTION_LETTER, "%d", action);
    else
        snprintf(out, SLT_ACTION_LETTER, "%c", letter);
    return out;
}

int64_t slt_figure_example(const slt_report_book *book, const slt_report_set *set, int *run) {
    double best = -1;
    int64_t place = -1;
    for (int r = 0; r < set->run_count; r++) {
        const slt_report_run *candidate = &book->runs[set->runs[r]];
        double score = candidate->each ? candidate->scores.f1_one : 0;
        if (!candidate->answers.list[0].masks || !candidate->answers.list[0].attention) continue;
        if (score > best) {
            best = score;
            *run = set->runs[r];
        }
    }
    for (int i = 0; best >= 0 && place < 0 && i < set->chosen_count; i++)
        if (set->chosen[i].why == SLT_WHY_TYPICAL) place = set->chosen[i].place;
    return place >= 0 || best < 0 ? place : set->chosen[0].place;
}
