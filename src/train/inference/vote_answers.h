// The answers of a segmenter in the form of a model's, so that scoring and showing are the same.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#ifndef SLT_TRAIN_VOTE_ANSWERS_H
#define SLT_TRAIN_VOTE_ANSWERS_H

#include "segmenter/segmenter_model.h"
#include "train/inference/predict.h"

slt_status slt_vote_answers(slt_segmenter *segmenter, slt_dataset *data,
                            const slt_segment_options *options, slt_predict_visit visit,
                            void *user);
slt_status slt_vote_evaluate(slt_context *context, slt_segmenter *segmenter, slt_dataset *data,
                             const slt_segment_options *options, slt_evaluation *out,
                             int64_t *episodes);
slt_trust slt_vote_trust(const slt_vote_result *result);

#endif
