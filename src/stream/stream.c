// Streams: opening, and steps that are checked before a model sees them.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include <math.h>
#include <string.h>
#include "segmenter/segmenter_model.h"
#include "stream/stream_impl.h"
#include "train/inference/model_api.h"

// ---- opening

static slt_status refuse(slt_stream *stream, slt_model *model, const slt_stream_options *options) {
    (void)stream, (void)options;
    const char *name = slt_model_about(model)->name;
    SLT_FAIL(
        SLT_UNSUPPORTED,
        "%s: %s finds its segments with a softmax over the whole trajectory and cannot stream; "
        "train slottar-mdl or ompn, or let `slottar segment` vote",
        slt_model_path(model), name);
}

static slt_status open_vote(slt_stream *stream, slt_model *model,
                            const slt_stream_options *options) {
    return slt_vote_stream_open(stream, slt_model_vote(model), options);
}

static const struct {
    const char *model;
    slt_status (*open)(slt_stream *stream, slt_model *model, const slt_stream_options *options);
} openers[] = {
    {"slottar-mdl", slt_mdl_stream_open},
    {"ompn", slt_ompn_stream_open},
    {"vote", open_vote},
    {NULL, refuse},
};

static slt_status check_options(const slt_stream_options *options) {
    if (options->lag < 0 || options->lag > SLT_MOST_LAG)
        SLT_FAIL(SLT_RANGE, "a lag of %d steps: 0 to %d", options->lag, SLT_MOST_LAG);
    return SLT_OK;
}

static slt_status create(slt_context *context, slt_stream **out) {
    slt_stream *stream;
    SLT_TRY(SLT_ALLOC(&context->allocator, &stream, 1));
    stream->context = context;
    slt_arena_init(&stream->arena, &context->allocator, 0);
    *out = stream;
    return SLT_OK;
}

static slt_status reserve(slt_stream *stream) {
    SLT_TRY(SLT_NEW(&stream->arena, &stream->observation, (size_t)stream->info.observation + 1));
    return SLT_NEW(&stream->arena, &stream->action, (size_t)stream->info.action_size + 1);
}

static slt_status ready(slt_stream *stream, slt_status status, slt_stream **out) {
    if (status == SLT_OK) status = reserve(stream);
    if (status != SLT_OK) {
        slt_stream_close(stream);
        return status;
    }
    stream->kind->begin(stream->state);
    *out = stream;
    return SLT_OK;
}

slt_status slt_stream_open(slt_model *model, const slt_stream_options *options, slt_stream **out) {
    static const slt_stream_options defaults = {0};
    const char *name = slt_model_about(model)->name;
    slt_stream *stream;
    int row = 0;
    options = options ? options : &defaults;
    SLT_TRY(check_options(options));
    while (openers[row].model && strcmp(openers[row].model, name) != 0) row++;
    SLT_TRY(create(slt_model_context(model), &stream));
    return ready(stream, openers[row].open(stream, model, options), out);
}

slt_status slt_segmenter_stream(slt_segmenter *segmenter, const slt_stream_options *options,
                                slt_stream **out) {
    static const slt_stream_options defaults = {0};
    slt_stream *stream;
    options = options ? options : &defaults;
    SLT_TRY(check_options(options));
    SLT_TRY(create(slt_segmenter_context(segmenter), &stream));
    return ready(stream, slt_vote_stream_open(stream, segmenter, options), out);
}

void slt_stream_close(slt_stream *stream) {
    if (!stream) return;
    slt_arena_deinit(&stream->arena);
    slt_free(&stream->context->allocator, stream);
}

const slt_stream_info *slt_stream_about(const slt_stream *stream) { return &stream->info; }

// ---- steps

static slt_status check_numbers(const slt_stream *stream, const char *what, const float *x,
                                int count) {
    for (int i = 0; i < count; i++)
        if (!isfinite(x[i]))
            SLT_FAIL(SLT_INVALID, "step %lld: number %d of the %s is not finite",
                     (long long)stream->steps, i, what);
    return SLT_OK;
}

static slt_status check_observation(const slt_stream *stream, const float *x) {
    int count = stream->info.observation;
    if (!count) return SLT_OK;
    if (!x)
        SLT_FAIL(SLT_SHAPE, "step %lld: no observation; the model takes %d numbers",
                 (long long)stream->steps, count);
    for (int i = 0; stream->info.bits && i < count; i++)
        if (x[i] != 0 && x[i] != 1)
            SLT_FAIL(SLT_INVALID, "step %lld: number %d of the observation is neither 0 nor 1",
                     (long long)stream->steps, i);
    return stream->info.bits ? SLT_OK : check_numbers(stream, "observation", x, count);
}

static void push(slt_stream *stream, const slt_stream_step *step, slt_stream_event *event) {
    *event = (slt_stream_event){
        .step = stream->steps++, .type = -1, .boundary = {.step = -1, .type = -1}, .decided = -1};
    stream->kind->push(stream->state, step, event);
}

slt_status slt_stream_push(slt_stream *stream, const float *observation, int32_t action,
                           slt_stream_event *event) {
    if (stream->info.action_size)
        SLT_FAIL(SLT_SHAPE, "step %lld: a discrete action; the model takes %d numbers per action",
                 (long long)stream->steps, stream->info.action_size);
    if (action < 0 || action >= stream->info.actions)
        SLT_FAIL(SLT_RANGE, "step %lld: action %d, the model knows 0 to %d",
                 (long long)stream->steps, action, stream->info.actions - 1);
    SLT_TRY(check_observation(stream, observation));
    push(stream, &(slt_stream_step){.observation = observation, .action = action}, event);
    return SLT_OK;
}

slt_status slt_stream_push_vector(slt_stream *stream, const float *observation, const float *action,
                                  slt_stream_event *event) {
    if (!stream->info.action_size)
        SLT_FAIL(SLT_SHAPE, "step %lld: an action of numbers; the model takes discrete actions",
                 (long long)stream->steps);
    SLT_TRY(check_numbers(stream, "action", action, stream->info.action_size));
    SLT_TRY(check_observation(stream, observation));
    push(stream, &(slt_stream_step){.observation = observation, .vector = action}, event);
    return SLT_OK;
}

slt_status slt_stream_finish(slt_stream *stream, slt_stream_end *end) {
    slt_stream_end unused;
    end = end ? end : &unused;
    *end = (slt_stream_end){.length = stream->steps, .type = -1};
    if (stream->steps) stream->kind->finish(stream->state, end);
    stream->steps = 0;
    stream->kind->begin(stream->state);
    return SLT_OK;
}
