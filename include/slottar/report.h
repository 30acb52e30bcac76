// The report: one HTML file that shows what trained models found, and the same pictures as SVG.
//
//     const char *runs[] = {"runs/a", "runs/b"};
//     slt_report_request request = {.runs = runs, .run_count = 2, .page = "report.html",
//                                   .split = SLT_SPLIT_TEST};
//     slt_report(context, &request, NULL);
//
// docs/report.md tells what is on the page and how its data is laid out.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#ifndef SLOTTAR_REPORT_H
#define SLOTTAR_REPORT_H

#include <stdbool.h>
#include <stdint.h>
#include "slottar/dataset.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { SLT_REPORT_RUNS = 64 }; // the most runs of one page

// A published result to show next to the runs: mean and standard deviation as fractions; NAN: not
// reported.
typedef struct {
    const char *set, *model; // set: as the page calls the data, e.g. "DoorKey-8x8"
    double f1, f1_sd, align, align_sd, forward, forward_sd, backward, backward_sd;
} slt_published_score;

// What to show. runs and one of page and figures are needed; the rest may stay zero.
typedef struct {
    const char *const *runs; // run directories, or checkpoints (then data is needed too)
    int run_count;
    const char *page;    // the HTML file
    const char *figures; // a folder for SVG files; made when it is not there
    bool overwrite;      // replaces a page or figures that exist, else EXISTS (output.h)
    const char *data;    // a data set other than the runs' own
    slt_split split;     // which part of the data: SLT_SPLIT_TEST, as a rule
    int detailed;        // trajectories with pictures, masks and attention per data set; 0: 240
    uint64_t seed;       // of the trajectories chosen at random, and of models that sample
    const slt_published_score *published; // of the paper
    int published_count;
} slt_report_request;

typedef struct {
    int64_t trajectories, left_out; // on the page; of the splits, but not on the page
    int64_t detailed;
    int figures;         // SVG files written
    uint64_t page_bytes; // of the HTML file
} slt_report_result;

// Writes the page, all or nothing. A run's answers come from its segments.safetensors where these
// belong to what is shown, else its model is asked again. Runs with the same data set are shown
// next to one another. result may be NULL. SHAPE when a data set does not fit a model.
SLT_API slt_status slt_report(slt_context *context, const slt_report_request *request,
                              slt_report_result *result);

#ifdef __cplusplus
}
#endif
#endif
