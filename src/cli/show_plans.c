// Plans as a table and as JSON.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include "show_plans.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_SHOWN = 12 };

typedef struct {
    slt_dataset *data;
    int32_t *types;   // [steps]
    int64_t *offsets; // [episodes+1]
    int64_t episodes;
} sequences;

static slt_status keep(void *user, const slt_segments *s) {
    sequences *q = user;
    int64_t at = q->offsets[q->episodes];
    if (!s->types) return SLT_OK;
    memcpy(q->types + at, s->types, (size_t)s->segments * sizeof *q->types);
    q->offsets[++q->episodes] = at + s->segments;
    return SLT_OK;
}

static slt_status keep_labelled(sequences *q, const slt_types *types, int64_t index) {
    slt_episode episode;
    int64_t at = q->offsets[q->episodes], count = 1;
    slt_status status = slt_dataset_episode(q->data, index, &episode);
    if (status != SLT_OK || !episode.segments || episode.segments[0] < 0) return status;
    status = slt_types_of(types, q->data, index, episode.segments, q->types + at);
    for (int64_t t = 0; t + 1 < episode.length; t++)
        count += episode.segments[t] != episode.segments[t + 1];
    if (status == SLT_OK) q->offsets[++q->episodes] = at + count;
    return status;
}

static slt_status read_sequences(sequences *q, slt_model *model, const slt_types *types,
                                 bool split_by_type) {
    const int64_t *episodes;
    int64_t count = slt_dataset_split(q->data, SLT_SPLIT_TRAIN, &episodes);
    slt_status status = SLT_OK;
    slt_segment_options options = {.episodes = episodes,
                                   .episode_count = count,
                                   .types = true,
                                   .split_by_type = split_by_type};
    if (model) return slt_model_segment(model, q->data, &options, keep, q);
    for (int64_t i = 0; i < count && status == SLT_OK; i++)
        status = keep_labelled(q, types, episodes[i]);
    return status;
}

slt_status cli_learn_plans(slt_context *context, slt_dataset *data, slt_model *model,
                           const slt_types *types, bool split_by_type, slt_plans **out) {
    const slt_dataset_info *info = slt_dataset_about(data);
    sequences q = {.data = data};
    q.types = malloc((size_t)info->steps * sizeof *q.types);
    q.offsets = calloc((size_t)info->episodes + 1, sizeof *q.offsets);
    slt_status status =
        q.types && q.offsets ? read_sequences(&q, model, types, split_by_type) : SLT_NOMEM;
    *out = NULL;
    if (status == SLT_OK && q.episodes)
        status = slt_plans_learn(context, q.types, q.offsets, q.episodes, out);
    free(q.offsets);
    free(q.types);
    return status;
}

void cli_print_plans(FILE *out, const slt_plans *plans) {
    double before, after;
    int count = slt_plans_count(plans);
    slt_plans_bits(plans, &before, &after);
    fprintf(out, "%-6s%10s  %s\n", "plan", "episodes", "types");
    for (int i = 0; i < count && i < MOST_SHOWN; i++) {
        const slt_type_plan *plan = slt_plans_at(plans, i);
        fprintf(out, "%-6d%10lld  ", i, (long long)plan->sequences);
        for (const char *c = plan->tree; *c; c++)
            fputc(*c == '[' ? '(' : *c == ']' ? ')' : *c == ',' ? ' ' : *c, out);
        fputc('\n', out);
    }
    if (count > MOST_SHOWN) fprintf(out, "and %d more\n", count - MOST_SHOWN);
    fprintf(out, "%d rules take the description from %.0f to %.0f bits\n", slt_plans_rules(plans),
            before, after);
}

void cli_json_plans(FILE *out, const slt_plans *plans) {
    double before, after;
    slt_plans_bits(plans, &before, &after);
    fputs(",\"plans\":[", out);
    for (int i = 0; i < slt_plans_count(plans); i++) {
        const slt_type_plan *plan = slt_plans_at(plans, i);
        fprintf(out, "%s{\"episodes\":%lld,\"tree\":%s}", i ? "," : "", (long long)plan->sequences,
                plan->tree);
    }
    fputs("],\"rules\":[", out);
    for (int r = 0; r < slt_plans_rules(plans); r++) {
        const slt_type_rule *rule = slt_plans_rule(plans, SLT_PLAN_RULE + r);
        fprintf(out, "%s{\"pair\":[", r ? "," : "");
        for (int i = 0; i < 2; i++) {
            int32_t symbol = rule->pair[i];
            bool is_rule = symbol >= SLT_PLAN_RULE;
            fprintf(out, "%s{\"%s\":%d}", i ? "," : "", is_rule ? "rule" : "type",
                    is_rule ? symbol - SLT_PLAN_RULE : symbol);
        }
        fprintf(out, "],\"times\":%lld}", (long long)rule->times);
    }
    fprintf(out, "],\"bits\":{\"without\":%.9g,\"with\":%.9g}", before, after);
}
