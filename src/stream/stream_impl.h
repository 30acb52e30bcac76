// The inside of a stream. What every stream of a model reads is in its plan, which belongs to the
// model; what changes is in the stream.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#ifndef SLT_STREAM_IMPL_H
#define SLT_STREAM_IMPL_H

#include "core/context_impl.h"
#include "slottar/stream.h"

typedef struct {
    const float *observation; // NULL: none
    int32_t action;
    const float *vector; // continuous actions; NULL: discrete ones
} slt_stream_step;

// how a model streams; `state` is what its open function made. A step is pushed after it was
// checked.
typedef struct {
    void (*begin)(void *state);
    void (*push)(void *state, const slt_stream_step *step, slt_stream_event *event);
    void (*finish)(void *state, slt_stream_end *end);
} slt_stream_kind;

struct slt_stream {
    slt_arena arena;
    slt_context *context;
    const slt_stream_kind *kind;
    void *state;
    slt_stream_info info;
    int64_t steps;
    float *observation, *action; // of a step that came as a text
};

// one per kind of model: fill kind, state and info
slt_status slt_mdl_stream_open(slt_stream *stream, slt_model *model,
                               const slt_stream_options *options);
slt_status slt_ompn_stream_open(slt_stream *stream, slt_model *model,
                                const slt_stream_options *options);
slt_status slt_vote_stream_open(slt_stream *stream, slt_segmenter *segmenter,
                                const slt_stream_options *options);

#endif
