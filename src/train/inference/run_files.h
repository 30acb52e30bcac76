// The files of a run directory next to the checkpoints: config.yaml, metrics.jsonl, TensorBoard
// events, result.json. (segments.safetensors: segments.h)
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#ifndef SLT_TRAIN_RUN_FILES_H
#define SLT_TRAIN_RUN_FILES_H

#include "core/tensorboard.h"
#include "core/text.h"
#include "core/yaml_config.h"
#include "slottar/train.h"
#include "train/learner/checkpoint.h"
#include "train/inference/predict.h"

enum { SLT_RUN_PATH = 4096 };

// "run/name"; gives the buffer of SLT_RUN_PATH bytes
const char *slt_run_path(char *text, const char *run, const char *name);
bool slt_run_has(const char *run, const char *name);

// Writes a text of "key: value" lines, or checks that the file that is there says the same. A line
// that it does not have counts as it stands in `usual` (NULL: there is none): an earlier version
// did not know it. With `usual`, more epochs, steps or patience replace those of the file. INVALID
// names what differs, with both values.
slt_status slt_run_settle(slt_context *context, const char *path, const slt_text *text,
                          const slt_text *usual);

// what config.yaml says, in a text of the caller's; checksum: that of the data set
slt_status slt_run_config_text(const slt_train_request *request, const slt_setup *setup,
                               uint32_t checksum, slt_text *text);
// writes config.yaml, or checks that the one that is there says the same; options that it does not
// name have their defaults
slt_status slt_run_configure(slt_context *context, const slt_train_request *request,
                             const slt_setup *setup, uint32_t checksum);

// the options of a config.yaml, for a model that it names; `path` is for messages
slt_status slt_run_config_options(const slt_yaml *yaml, const char *path, const char *model,
                                  slt_setup *out);

// the numbers of one epoch
typedef struct {
    int64_t epoch, step;
    double seconds, train_loss, train_rec, train_kl;
    slt_evaluation valid;
    slt_restart_report restarts; // members is 0 without restarts
} slt_epoch_record;

// appends a line to metrics.jsonl and scalars to the event file
slt_status slt_run_log(slt_context *context, const char *run, slt_tensorboard *events,
                       const slt_epoch_record *record);
// appends bytes to a file, all of them or none
slt_status slt_run_append(const char *path, const char *text, size_t length);
// drops lines of epochs that the checkpoint does not know; of any file of such lines
slt_status slt_lines_cut_back(const char *path, int64_t epochs);
slt_status slt_run_cut_back(slt_context *context, const char *run, int64_t epochs);

slt_status slt_run_result(slt_context *context, const char *run, const slt_train_result *result,
                          const slt_calibration *calibration);
slt_run_scores slt_run_scores_of(const slt_evaluation *evaluation, int64_t episodes);

#endif
