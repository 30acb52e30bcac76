// Steps as JSON texts, which may be hostile: {"observation": [...], "action": 3, "end": true}.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include <string.h>
#include "core/json.h"
#include "stream/stream_impl.h"

enum { DEPTH = 2 + SLT_OBSERVATION_RANK };

// numbers of a list, and of lists in it, in order; more than fit are counted only
static slt_status gather(const json_t *value, const char *key, float *out, int room, int *count) {
    size_t i;
    json_t *part;
    if (json_is_number(value)) {
        if (*count < room) out[*count] = (float)json_number_value(value);
        ++*count;
        return SLT_OK;
    }
    if (!json_is_array(value))
        SLT_FAIL(SLT_FORMAT, "\"%s\" holds something that is no number", key);
    json_array_foreach(value, i, part) SLT_TRY(gather(part, key, out, room, count));
    return SLT_OK;
}

static slt_status numbers(const json_t *value, const char *key, float *out, int wanted) {
    int count = 0;
    if (!value) SLT_FAIL(SLT_FORMAT, "no \"%s\"; the model takes %d numbers", key, wanted);
    SLT_TRY(gather(value, key, out, wanted, &count));
    if (count != wanted)
        SLT_FAIL(SLT_SHAPE, "\"%s\" has %d numbers, the model takes %d", key, count, wanted);
    return SLT_OK;
}

static slt_status check_keys(const json_t *document) {
    const char *key;
    json_t *value;
    if (!json_is_object(document))
        SLT_FAIL(SLT_FORMAT, "no object: {\"observation\": [...], \"action\": ..., \"end\": true}");
    json_object_foreach((json_t *)document, key, value) {
        if (strcmp(key, "end") == 0) {
            if (!json_is_boolean(value)) SLT_FAIL(SLT_FORMAT, "\"end\" is true or false");
        } else if (strcmp(key, "observation") != 0 && strcmp(key, "action") != 0) {
            SLT_FAIL(SLT_FORMAT, "unknown key \"%.40s\"; a step has observation, action and end",
                     key);
        }
    }
    return SLT_OK;
}

static slt_status push_discrete(slt_stream *stream, const json_t *action, slt_stream_event *event) {
    json_int_t number = json_integer_value(action);
    if (!json_is_integer(action))
        SLT_FAIL(SLT_FORMAT, "\"action\" is missing or no whole number; the model knows 0 to %d",
                 stream->info.actions - 1);
    if (number < 0 || number >= stream->info.actions)
        SLT_FAIL(SLT_RANGE, "action %lld, the model knows 0 to %d", (long long)number,
                 stream->info.actions - 1);
    return slt_stream_push(stream, stream->observation, (int32_t)number, event);
}

static slt_status push_document(slt_stream *stream, const json_t *document, slt_stream_event *event,
                                bool *pushed, bool *end) {
    SLT_TRY(check_keys(document));
    const json_t *observation = json_object_get(document, "observation");
    const json_t *action = json_object_get(document, "action");
    bool last = json_is_true(json_object_get(document, "end"));
    *pushed = observation || action || !last;
    if (*pushed) {
        if (stream->info.observation)
            SLT_TRY(
                numbers(observation, "observation", stream->observation, stream->info.observation));
        if (stream->info.action_size) {
            SLT_TRY(numbers(action, "action", stream->action, stream->info.action_size));
            SLT_TRY(slt_stream_push_vector(stream, stream->observation, stream->action, event));
        } else {
            SLT_TRY(push_discrete(stream, action, event));
        }
    }
    *end = last;
    return SLT_OK;
}

slt_status slt_stream_push_json(slt_stream *stream, const char *text, size_t length,
                                slt_stream_event *event, bool *pushed, bool *end) {
    json_t *document;
    SLT_TRY(slt_json_parse("a step", text, length, DEPTH, &document));
    slt_status status = push_document(stream, document, event, pushed, end);
    json_decref(document);
    return status;
}
