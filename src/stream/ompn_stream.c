// OMPN step by step.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include "stream/stream_impl.h"
#include "train/inference/model_api.h"

slt_status slt_ompn_stream_open(slt_stream *stream, slt_model *model,
                                const slt_stream_options *options) {
    (void)stream, (void)options;
    SLT_FAIL(SLT_UNSUPPORTED, "%s: ompn does not stream yet", slt_model_path(model));
}
