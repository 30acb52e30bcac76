// A run directory: what is trained there, how far it came, and how it continues.
//
//     slt_run *run;
//     slt_run_open(context, "runs/a", &run);
//     printf("%s, epoch %lld\n", slt_run_about(run)->model, (long long)slt_run_about(run)->epochs);
//     slt_run_close(run);
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#ifndef SLOTTAR_RUN_H
#define SLOTTAR_RUN_H

#include <stdbool.h>
#include <stdint.h>
#include "slottar/context.h"
#include "slottar/trust.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct slt_run slt_run;

// Reads what the run wrote; weights stay where they are. IO when the folder is no run directory,
// FORMAT when a file in it is damaged. A run that somebody trains may be read at any time.
SLT_API slt_status slt_run_open(slt_context *context, const char *path, slt_run **out);
SLT_API void slt_run_close(slt_run *run);

// Scores of an epoch on a held-out split; NAN what is not known.
typedef struct {
    double loss, f1, align;
} slt_run_epoch;

// Texts live as long as the run.
typedef struct {
    const char *model, *data; // as in slt_train_request
    uint64_t seed;
    int restarts;                // 1: none
    const char *const *settings; // "key=value", those that are not the model's defaults: with them
    int setting_count;           // and the fields above, slt_train continues
    int64_t epochs, steps;       // done and saved
    int64_t most_epochs;         // that training may take; 0: steps are counted
    int64_t most_steps;          // 0: not known before the first epoch is over
    bool finished;
    int64_t best_epoch;  // 0: none yet
    slt_run_epoch valid; // of the best epoch
    slt_run_epoch test;  // of the best epoch, when training is over
    slt_trust trust;     // unknown before that
} slt_run_info;
SLT_API const slt_run_info *slt_run_about(const slt_run *run);

#ifdef __cplusplus
}
#endif
#endif
