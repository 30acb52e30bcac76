// Numbers of steps as JSON, each scaled to its own range: observations that are no world we know,
// where they are few, and continuous actions.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include <math.h>
#include <string.h>
#include "report/document.h"
#include "report/report_text.h"

enum { WIDEST = 24 };

typedef struct {
    bool actions;
    int width, size; // numbers that are written; numbers there are
    float low[WIDEST], high[WIDEST];
    slt_text cells;
} strip;

static slt_status read_step(const slt_report_set *set, const strip *s, const slt_episode *episode,
                            int64_t t, float *values) {
    if (!s->actions) return slt_episode_observe(set->info, episode, t, values);
    memcpy(values, episode->actions_f32 + t * s->size, sizeof *values * (size_t)s->width);
    return SLT_OK;
}

// all steps of the chosen trajectories: first their ranges, then the bytes
static slt_status scan(slt_report_book *book, const slt_report_set *set, strip *s, bool write) {
    float values[WIDEST];
    for (int i = 0; i < set->chosen_count; i++) {
        slt_episode episode;
        SLT_TRY(slt_context_check(book->context));
        SLT_TRY(slt_report_episode(set, set->chosen[i].place, &episode));
        for (int64_t t = 0; t < episode.length; t++) {
            SLT_TRY(read_step(set, s, &episode, t, values));
            for (int d = 0; d < s->width; d++) {
                s->low[d] = fminf(s->low[d], values[d]);
                s->high[d] = fmaxf(s->high[d], values[d]);
                double range = (double)s->high[d] - (double)s->low[d];
                double share = range > 0 ? ((double)values[d] - (double)s->low[d]) / range : 0;
                uint8_t byte = (uint8_t)(255 * share + 0.5);
                if (write) slt_text_put(&s->cells, &byte, 1);
            }
        }
    }
    return s->cells.status;
}

static void put_range(slt_text *out, const char *name, const float *values, int count) {
    slt_text_add(out, ",\"%s\":[", name);
    for (int d = 0; d < count; d++) {
        slt_text_add(out, "%s", d ? "," : "");
        slt_json_number(out, (double)values[d]);
    }
    slt_text_add(out, "]");
}

static slt_status put(slt_report_book *book, slt_text *out, const slt_report_set *set,
                      const char *name, strip *s) {
    for (int d = 0; d < s->width; d++) {
        s->low[d] = INFINITY;
        s->high[d] = -INFINITY;
    }
    slt_text_init(&s->cells, &book->context->allocator);
    slt_status status = scan(book, set, s, false);
    if (status == SLT_OK) status = scan(book, set, s, true);
    if (status == SLT_OK) {
        slt_text_add(out, ",\"%s\":{\"width\":%d", name, s->width);
        put_range(out, "low", s->low, s->width);
        put_range(out, "high", s->high, s->width);
        slt_text_add(out, ",\"cells\":");
        slt_json_pack(out, SLT_DTYPE_U8, s->cells.bytes, s->cells.length);
        slt_text_add(out, "}");
        status = out->status;
    }
    slt_text_deinit(&s->cells);
    return status;
}

slt_status slt_document_values(slt_report_book *book, slt_text *out, const slt_report_set *set) {
    strip s = {.width = (int)set->info->observation_size};
    if (set->info->observation_size < 1 || set->info->observation_size > WIDEST) return SLT_OK;
    return put(book, out, set, "values", &s);
}

// the first channels of the actions
slt_status slt_document_channels(slt_report_book *book, slt_text *out, const slt_report_set *set) {
    int size = set->info->action_size;
    strip s = {.actions = true, .width = size < WIDEST ? size : WIDEST, .size = size};
    return put(book, out, set, "channels", &s);
}
