// Cells of the vote: `slottar segment` on a set, told nothing, or the range or the
// histogram of the training labels. The record holds the scores of its result, trust, and what its
// runs reach one by one.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include <math.h>
#include <stdio.h>
#include <string.h>
#include "core/clock.h"
#include "core/file.h"
#include "reproduce/repro_impl.h"
#include "segmenter/segmenter_model.h"
#include "slottar/model.h"

static void fill_record(slt_segmenter *segmenter, slt_repro_record *record) {
    const slt_vote_result *result = slt_segmenter_result(segmenter);
    const slt_vote_group *group = &result->groups[result->chosen];
    record->members = group->runs;
    record->gap = INFINITY;
    record->trust = result->trust;
    snprintf(record->group, sizeof record->group, "%s", group->name);
    if (result->doubtful && result->warning_count)
        snprintf(record->warning, sizeof record->warning, "%s", result->warnings[0]);
}

static slt_status score(slt_context *context, slt_dataset *data, const slt_repro_run *run,
                        uint64_t seed, slt_repro_record *record) {
    slt_segment_options options = {.one_split = true, .split = SLT_SPLIT_TEST, .seed = seed};
    slt_model *model;
    SLT_TRY(slt_model_open(context, run->run, &model));
    slt_status status = slt_model_score(model, data, &options, &record->test);
    slt_model_close(model);
    return status;
}

// a vote that was stopped has fewer runs: it is made again
static slt_status save(slt_context *context, slt_segmenter *segmenter, const slt_repro_run *run) {
    char path[SLT_REPRO_PATH + 32];
    SLT_TRY(slt_context_check(context));
    SLT_TRY(slt_folder_make(run->run));
    snprintf(path, sizeof path, "%s/" SLT_MEMBERS_FILE, run->run);
    return slt_segmenter_save(segmenter, path, true);
}

// what the run says after "name=", or NULL
static const char *setting_of(const slt_repro_run *run, const char *name) {
    for (int i = 0; i < run->train.setting_count; i++)
        if (strncmp(run->train.settings[i], name, strlen(name)) == 0)
            return run->train.settings[i] + strlen(name);
    return NULL;
}

static slt_status fit(slt_context *context, slt_dataset *data, const slt_repro_run *run,
                      slt_repro_record *record) {
    slt_segmenter *segmenter;
    slt_segmenter_options options = {
        .runs = run->train.restarts, .seed = run->train.seed, .prior = setting_of(run, "prior=")};
    if (setting_of(run, "kind=")) options.kind = SLT_KIND_MDL;
    double started = slt_seconds();
    SLT_TRY(slt_segmenter_fit(context, data, &options, &segmenter));
    slt_status status = save(context, segmenter, run);
    if (status == SLT_OK) status = score(context, data, run, run->train.seed, record);
    record->seconds = slt_seconds() - started;
    fill_record(segmenter, record);
    if (status == SLT_OK)
        status = slt_segmenter_alone(segmenter, data, SLT_SPLIT_TEST, &record->alone);
    slt_segmenter_close(segmenter);
    return status;
}

slt_status slt_repro_vote(slt_repro *r, slt_context *context, const slt_repro_cell *cell) {
    for (int i = 0; i < cell->runs; i++) {
        bool there;
        slt_repro_run run;
        slt_dataset *data;
        slt_repro_record record = {.missed_f1 = NAN, .together = 1, .valid = {.loss = NAN}};
        SLT_TRY(slt_repro_record_find(r, cell->set, cell->variant, i, &there, NULL));
        if (there) continue;
        SLT_TRY(slt_context_check(context));
        SLT_TRY(slt_repro_run_init(r, cell->set, cell->variant, i, &run));
        SLT_TRY(slt_dataset_open(context, run.data, &data));
        slt_status status = fit(context, data, &run, &record);
        slt_dataset_close(data);
        SLT_TRY(status);
        SLT_TRY(slt_repro_record_keep(r, &run, &record));
    }
    return SLT_OK;
}
