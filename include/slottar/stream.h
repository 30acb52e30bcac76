// Streams: segments while the steps arrive, with a trained model or a vote.
//
//     slt_stream_options options = {.lag = 5};
//     slt_stream *stream;
//     slt_stream_open(model, &options, &stream);
//     while (act(&observation, &action)) {
//         slt_stream_event event;
//         slt_stream_push(stream, observation, action, &event);
//         if (event.boundary.step >= 0) react(&event.boundary);
//     }
//     slt_stream_end end;
//     slt_stream_finish(stream, &end);
//     slt_stream_close(stream);
//
// A stream reads one step after the other and never looks ahead. Its memory does not grow, and push
// allocates nothing. slottar-mdl, votes and ompn stream; slottar and compile, whose segments depend
// on the whole trajectory, are UNSUPPORTED. What is final when: docs/streaming.md.
//
// A stream is used by one thread at a time. Streams of one model may be in threads of their own,
// while nobody else uses the model; close them before the model.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#ifndef SLOTTAR_STREAM_H
#define SLOTTAR_STREAM_H

#include <stdbool.h>
#include <stdint.h>
#include "slottar/model.h"
#include "slottar/segmenter.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct slt_stream slt_stream;

enum { SLT_MOST_LAG = 65536 };

typedef struct {
    int lag;      // steps after the first one of a new segment until its boundary is final
    bool endless; // slottar-mdl: counts on after as many segments as the model has slots
} slt_stream_options;

// options may be NULL: a lag of 0. The weights are read once per model.
SLT_API slt_status slt_stream_open(slt_model *model, const slt_stream_options *options,
                                   slt_stream **out);
// The same of a segmenter in memory, with the group and the answer that slt_segmenter_take chose.
SLT_API slt_status slt_segmenter_stream(slt_segmenter *segmenter, const slt_stream_options *options,
                                        slt_stream **out);
SLT_API void slt_stream_close(slt_stream *stream);

typedef struct {
    int64_t step;     // last step of its segment; -1: no boundary
    float confidence; // as slt_segments says it
    int32_t type;     // of the segment that it ends; -1: the model knows no types
} slt_stream_boundary;

// What is known with a step. A boundary is the last step of a segment, so it shows with the step
// after it at the earliest.
typedef struct {
    int64_t step;                 // this one, from 0
    double probability;           // that a segment ended before this step, given the steps so far
    int64_t segment;              // number of the present segment, from 0, as it looks now
    int32_t type;                 // of it, as it looks now; -1: the model knows no types
    slt_stream_boundary boundary; // that has become final
    int64_t decided;              // what is said of steps up to this one is final; -1: nothing yet
} slt_stream_event;

// The next step. observation: numbers as in the model's data set, zeros and ones where it has bits;
// NULL where the model takes none. A step that does not fit is refused, with a message, and the
// stream stays as it was.
SLT_API slt_status slt_stream_push(slt_stream *stream, const float *observation, int32_t action,
                                   slt_stream_event *event);
// The same of continuous actions.
SLT_API slt_status slt_stream_push_vector(slt_stream *stream, const float *observation,
                                          const float *action, slt_stream_event *event);

// The same of a step as a JSON text, {"observation": [...], "action": 3, "end": true}: `end` says
// that the episode is over after it, for the caller to finish; {"end": true} alone pushes nothing.
// The text may be hostile. Reading it allocates.
SLT_API slt_status slt_stream_push_json(slt_stream *stream, const char *text, size_t length,
                                        slt_stream_event *event, bool *pushed, bool *end);

typedef struct {
    int64_t length, segments; // of the episode; 0 and 0 where nothing was pushed
    int32_t type;             // of the last segment
    int boundary_count;
    const slt_stream_boundary *boundaries; // that became final only now; valid until the next call
} slt_stream_end;

// The episode is over: decides all that is left. The next push begins another. end may be NULL.
SLT_API slt_status slt_stream_finish(slt_stream *stream, slt_stream_end *end);

// What a step looks like.
typedef struct {
    const char *model; // "slottar-mdl", "vote", "ompn"
    int actions;       // discrete: actions 0 ... actions-1
    int action_size;   // continuous: numbers per action
    int observation;   // numbers of an observation; 0: it takes none
    bool bits;         // they are zeros and ones
    int lag;
} slt_stream_info;
SLT_API const slt_stream_info *slt_stream_about(const slt_stream *stream);

#ifdef __cplusplus
}
#endif
#endif
