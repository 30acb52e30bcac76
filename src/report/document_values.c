// Observations that are no world we know, as JSON: few numbers per step, each scaled to its own
// range.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include <math.h>
#include "report/document.h"
#include "report/report_text.h"

enum { WIDEST = 24 };

typedef struct {
    int width;
    float low[WIDEST], high[WIDEST];
    slt_text cells;
} strip;

// all steps of the chosen trajectories: first their ranges, then the bytes
static slt_status scan(slt_report_book *book, const slt_report_set *set, strip *s, bool write) {
    float values[WIDEST];
    for (int i = 0; i < set->chosen_count; i++) {
        slt_episode episode;
        SLT_TRY(slt_context_check(book->context));
        SLT_TRY(slt_report_episode(set, set->chosen[i].place, &episode));
        for (int64_t t = 0; t < episode.length; t++) {
            SLT_TRY(slt_episode_observe(set->info, &episode, t, values));
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

slt_status slt_document_values(slt_report_book *book, slt_text *out, const slt_report_set *set) {
    strip s = {.width = (int)set->info->observation_size};
    if (set->info->observation_size < 1 || set->info->observation_size > WIDEST) return SLT_OK;
    for (int d = 0; d < s.width; d++) {
        s.low[d] = INFINITY;
        s.high[d] = -INFINITY;
    }
    slt_text_init(&s.cells, &book->context->allocator);
    slt_status status = scan(book, set, &s, false);
    if (status == SLT_OK) status = scan(book, set, &s, true);
    if (status == SLT_OK) {
        slt_text_add(out, ",\"values\":{\"width\":%d", s.width);
        put_range(out, "low", s.low, s.width);
        put_range(out, "high", s.high, s.width);
        slt_text_add(out, ",\"cells\":");
        slt_json_pack(out, SLT_DTYPE_U8, s.cells.bytes, s.cells.length);
        slt_text_add(out, "}");
        status = out->status;
    }
    slt_text_deinit(&s.cells);
    return status;
}
