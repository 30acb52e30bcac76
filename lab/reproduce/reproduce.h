// The paper's tables and figures, and our own, from nothing: data sets are played, models trained
// with several seeds, evaluated on the test split, and written next to the paper's figures and the
// baselines.
//
//     slt_reproduce_request request = {.folder = "results", .quick = true};
//     slt_reproduce_result result;
//     slt_reproduce(context, &request, &result);
//
// docs/reproduce.md tells what the tables are and what lies in the folder.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#ifndef SLOTTAR_REPRODUCE_H
#define SLOTTAR_REPRODUCE_H

#include <stdbool.h>
#include <stdint.h>
#include "slottar/context.h"
#include "slottar/dataset.h"

#ifdef __cplusplus
extern "C" {
#endif

// The tables in the order in which they are made: name and title, static texts; NULL after the
// last.
const char *slt_reproduce_table(int index);
const char *slt_reproduce_title(int index);

enum { SLT_REPRODUCE_SEEDS = 100 }; // at most

// What to make. The folder is needed; the rest may stay zero.
typedef struct {
    const char *folder;        // made when it is not there
    const char *const *tables; // names; none: all of them
    int table_count;
    // Trains these only, in this order: names of models as in slt_train_request, or cells as
    // SET/VARIANT, where * and ? are wildcards ("craft-*/ompn*"); none: all of them.
    const char *const *models;
    int model_count;
    bool quick;        // small data sets and models: minutes instead of hours, no results
    int seeds;         // runs of every cell; 0: 5, with quick 2
    int jobs;          // cells at once, each with its share of the context's threads; 0: one
    double seconds;    // stops after so many seconds, to continue in a later call; 0: no bound
    uint64_t seed;     // of the data sets, and of the first run of every cell; 0: the standard sets
    const char *sets;  // folder of NAME.npz for the table segments; NULL: none
    const char *peers; // JSON of other programs' scores for it, kept as FOLDER/peers.json; or NULL
    bool no_runs;      // plays and trains nothing; writes the results of existing runs
    bool no_pages;     // neither figures nor the HTML page
    const char *const *settings; // "key=value" for every run, after those of the tables
    int setting_count;
    int64_t episodes[SLT_SPLITS]; // of every data set; all 0: the paper's, with quick fewer
} slt_reproduce_request;

// How far it came, counted in runs of the wanted tables.
typedef struct {
    int runs, done; // done: those with a result, be it that they failed
    int failed;     // of these: diverged
    int unmade;     // could not be trained here: `reason` has the first message
    char reason[512];
    bool finished; // nothing is left but what could not be made
} slt_reproduce_result;

// Makes what is not there yet, then writes FOLDER/results.json and FOLDER/results.md from what is
// there, and with all runs done the figures and FOLDER/report.html. Killed or cancelled (CANCELLED)
// or out of time (OK, not finished), the same call continues. INVALID when the folder holds runs of
// another size or seed; the number of seeds and the tables may change from call to call. IO when
// another process works in the folder. result may be NULL.
slt_status slt_reproduce(slt_context *context, const slt_reproduce_request *request,
                         slt_reproduce_result *result);

#ifdef __cplusplus
}
#endif
#endif
