// A search over configurations: many trainings in one folder, compared in one table.
//
//     const char *const settings[] = {"lr=1e-4,1e-3", "beta=0.1,0.5,1", "search=grid"};
//     slt_sweep_request request = {.model = "slottar", .data = "demos.safetensors",
//                                  .folder = "sweeps/a", .settings = settings, .setting_count = 3};
//     slt_sweep *sweep = NULL;
//     if (slt_sweep_run(context, &request, &sweep) == SLT_OK)
//         for (int i = 0; i < slt_sweep_count(sweep); i++) show(slt_sweep_at(sweep, i));
//     slt_sweep_close(sweep);
//
// docs/sweep.md tells what may be written as a setting, and what lies in the folder.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#ifndef SLOTTAR_SWEEP_H
#define SLOTTAR_SWEEP_H

#include <stdbool.h>
#include <stdint.h>
#include "slottar/option.h"
#include "slottar/train.h"

#ifdef __cplusplus
extern "C" {
#endif

// What to search. The folder is needed, and model and data unless the file says them.
typedef struct {
    const char *folder;           // made when it is not there
    const char *spec;             // a YAML file of settings, lists among them; may be NULL
    const char *model, *data;     // as in slt_train_request; over what the file says
    const char *profile, *preset; // likewise; may be NULL
    const char *const *settings;  // options of training and of the model with one value, several
    int setting_count;            // "a,b,c" or a range "low..high"; options of the search itself
    uint64_t seed;                // of the draws, and of the first run of each configuration
    int jobs;       // threads that take trials, each with threads of its own, and on a
                    // device side by side; 0: one
    int population; // most runs of one shape that are trained together; 0: one on the
                    // CPU, as many as suit a device
} slt_sweep_request;

// One configuration: means over its runs.
typedef struct {
    int configuration;           // its number: runs are FOLDER/NUMBER-0, FOLDER/NUMBER-1, ...
    const char *const *settings; // "key=value", those that vary
    int setting_count;
    int round;          // how far it came in a halving, from 0
    int64_t epochs;     // trained, of the run with the most
    bool failed;        // a run diverged or could not be made; the numbers below are 0 then
    const char *reason; // why it failed, else ""
    double score, sd;   // what was compared, on the validation split; sd 0 for a single run
    slt_run_scores valid, test;
} slt_sweep_row;

// The finished table.
typedef struct slt_sweep slt_sweep;

// Trains what is not trained yet and gives the table, which is also written to FOLDER/table.json.
// Killed or cancelled (CANCELLED), the same call continues, and the table is the one of an
// undisturbed search. Several processes may work in the same folder: each takes trials that
// nobody has, and all of them end with the table. INVALID when the folder holds another search, or
// when no configuration could be trained.
SLT_API slt_status slt_sweep_run(slt_context *context, const slt_sweep_request *request,
                                 slt_sweep **out);
SLT_API void slt_sweep_close(slt_sweep *sweep);

// Rows, the best first; the row is the sweep's.
SLT_API int slt_sweep_count(const slt_sweep *sweep);
SLT_API const slt_sweep_row *slt_sweep_at(const slt_sweep *sweep, int index);
// The name of the score that was compared, "loss" say.
SLT_API const char *slt_sweep_score(const slt_sweep *sweep);

// The options of the search itself.
SLT_API const slt_option *slt_sweep_options_of(void);

#ifdef __cplusplus
}
#endif
#endif
