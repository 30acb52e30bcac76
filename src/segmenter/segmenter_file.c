// A segmenter as a file: the shape and the values of every member, and what the vote settled.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include <math.h>
#include <stdio.h>
#include <string.h>
#include "core/number.h"
#include "core/output_impl.h"
#include "core/safetensors.h"
#include "segmenter/segmenter_impl.h"
#include "segmenter/segmenter_model.h"

enum {
    TENSOR_NAME = 64,
    ABOUT = 5,
    HEAD = 7, // numbers of a summary before those of the answers
    SUMMARY = HEAD + 3 * SLT_MOST_ANSWERS,
    VOTES = 1 + SLT_MOST_MODES,
    SURE = SLT_MOST_LAWS * SLT_MOST_LAWS
};
static const char FORMAT[] = "slottar-members-1";

// ---- the numbers of a group's summary, in one order

static void pack_summary(const slt_vote_group *g, double *out) {
    const double head[HEAD] = {g->trust,     g->expected,  g->equal,   g->support,
                               g->certainty, g->agreement, g->segments};
    memcpy(out, head, sizeof head);
    out += HEAD;
    for (int i = 0; i < SLT_MOST_ANSWERS; i++, out += 3) {
        out[0] = g->answers[i].runs;
        out[1] = g->answers[i].segments;
        out[2] = g->answers[i].agreement;
    }
}

static void unpack_summary(const double *in, slt_vote_group *g) {
    g->trust = in[0], g->expected = in[1], g->equal = in[2];
    g->support = in[3], g->certainty = in[4], g->agreement = in[5], g->segments = in[6];
    in += HEAD;
    for (int i = 0; i < SLT_MOST_ANSWERS; i++, in += 3) {
        g->answers[i].runs = (int)in[0];
        g->answers[i].segments = in[1];
        g->answers[i].agreement = in[2];
    }
}

// ---- saving

typedef struct {
    slt_arena arena;
    slt_array list[4096];
    size_t count;
    slt_status status;
} arrays;

static void add(arrays *a, slt_dtype dtype, int64_t rows, int64_t columns, const void *data,
                const char *format, ...) {
    char name[TENSOR_NAME], *kept;
    va_list arguments;
    if (a->status != SLT_OK || !rows || (columns == 0)) return;
    va_start(arguments, format);
    slt_format_list(name, sizeof name, format, arguments);
    va_end(arguments);
    a->status = slt_arena_text(&a->arena, name, strlen(name), &kept);
    if (a->status != SLT_OK || a->count >= sizeof a->list / sizeof *a->list) return;
    slt_array *array = &a->list[a->count++];
    *array = (slt_array){.name = kept,
                         .dtype = dtype,
                         .rank = columns < 0 ? 1 : 2,
                         .shape = {rows, columns < 0 ? 0 : columns},
                         .data = data};
}

static void add_standard(arrays *a, const slt_standard *s, const char *what) {
    add(a, SLT_DTYPE_I32, s->kept, -1, s->channel, "%s.channel", what);
    add(a, SLT_DTYPE_F32, s->kept, -1, s->mean, "%s.mean", what);
    add(a, SLT_DTYPE_F32, s->kept, -1, s->scale, "%s.scale", what);
}

static slt_status add_group(arrays *a, slt_segmenter *s, int g) {
    const slt_run_group *group = &s->groups[g];
    const char *name = group->spec->name;
    double *votes, *thresholds, *summary;
    int32_t *rules;
    uint8_t *sure;
    SLT_TRY(SLT_NEW(&a->arena, &sure, (size_t)group->count * SURE));
    for (int i = 0; i < group->count; i++) memcpy(sure + i * SURE, group->members[i].sure, SURE);
    SLT_TRY(SLT_NEW(&a->arena, &rules, 2));
    rules[0] = group->rules.tolerance;
    rules[1] = group->rules.least_length;
    SLT_TRY(SLT_NEW(&a->arena, &votes, (size_t)(VOTES * group->count)));
    SLT_TRY(SLT_NEW(&a->arena, &thresholds, VOTES));
    SLT_TRY(SLT_NEW(&a->arena, &summary, SUMMARY));
    for (int v = 0; v < VOTES; v++) {
        memcpy(votes + v * group->count, group->votes[v].weights,
               sizeof *votes * (size_t)group->count);
        thresholds[v] = group->votes[v].threshold;
    }
    pack_summary(&s->result.groups[g], summary);
    add(a, SLT_DTYPE_F64, VOTES, group->count, votes, "%s.weights", name);
    add(a, SLT_DTYPE_F64, VOTES, -1, thresholds, "%s.thresholds", name);
    add(a, SLT_DTYPE_F64, SUMMARY, -1, summary, "%s.summary", name);
    add(a, SLT_DTYPE_I32, 2, -1, rules, "%s.rules", name);
    add(a, SLT_DTYPE_U8, group->count, SURE, sure, "%s.sure", name);
    if (group->agreement)
        add(a, SLT_DTYPE_F32, group->count, group->count, group->agreement, "%s.agreement", name);
    for (int i = 0; i < group->count; i++) {
        slt_member_shape *shape;
        double *values;
        SLT_TRY(SLT_NEW(&a->arena, &shape, 1));
        *shape = slt_member_shape_of(group, &group->members[i]);
        size_t size = slt_member_size(group, &group->members[i]);
        SLT_TRY(SLT_NEW(&a->arena, &values, size));
        slt_member_pack(group, &group->members[i], values);
        add(a, SLT_DTYPE_F64, (int64_t)size, -1, values, "%s.%04d.values", name, i);
        add(a, SLT_DTYPE_I32, SLT_MEMBER_SHAPE, -1, shape->number, "%s.%04d.shape", name, i);
    }
    return a->status;
}

// a line for every answer of every group
enum { WORDS = SLT_MOST_GROUPS * SLT_MOST_ANSWERS * SLT_ANSWER_WORDS };
static void join_words(const slt_vote_result *result, char out[WORDS]) {
    size_t at = 0;
    for (int g = 0; g < result->group_count; g++)
        for (int i = 0; i < result->groups[g].answer_count; i++)
            at +=
                (size_t)snprintf(out + at, WORDS - at, "%s\n", result->groups[g].answers[i].words);
    out[at] = 0;
}

static slt_status write_all(slt_segmenter *s, arrays *a, const char *path) {
    int32_t about[ABOUT] = {s->continuous, s->actions, s->observation, s->elected,
                            s->result.doubtful};
    char warnings[SLT_MOST_VOTE_WARNINGS * 256] = "", groups[64] = "", words[WORDS];
    size_t at = 0;
    for (int i = 0; i < s->result.warning_count; i++)
        at += (size_t)snprintf(warnings + at, sizeof warnings - at, "%s%s", i ? "\n" : "",
                               s->result.warnings[i]);
    for (int g = 0; g < s->group_count; g++) {
        SLT_TRY(add_group(a, s, g));
        size_t used = strlen(groups);
        snprintf(groups + used, sizeof groups - used, "%s%s", g ? "," : "",
                 s->groups[g].spec->name);
    }
    add_standard(a, &s->scale.actions, "actions");
    add_standard(a, &s->scale.observations, "observations");
    if (s->told) add(a, SLT_DTYPE_F64, s->counts, -1, s->told, "told");
    add(a, SLT_DTYPE_I32, ABOUT, -1, about, "about");
    SLT_TRY(a->status);
    join_words(&s->result, words);
    slt_metadata metadata[] = {{"format", FORMAT},
                               {"groups", groups},
                               {"answers", words},
                               {"told", s->result.told},
                               {"data", s->data ? s->data : ""},
                               {"settings", s->settings},
                               {"warnings", warnings}};
    return slt_safetensors_save(&s->context->allocator, path, a->list, a->count, metadata,
                                sizeof metadata / sizeof *metadata);
}

static slt_status save(slt_segmenter *s, const char *path) {
    arrays *a;
    SLT_TRY(SLT_ALLOC(&s->context->allocator, &a, 1));
    slt_arena_init(&a->arena, &s->context->allocator, 0);
    slt_status status = write_all(s, a, path);
    slt_arena_deinit(&a->arena);
    slt_free(&s->context->allocator, a);
    return status;
}

slt_status slt_segmenter_save(slt_segmenter *s, const char *path, bool overwrite) {
    const char *const inputs[] = {s->source};
    slt_output_request output = {path, false, overwrite, inputs, 1};
    slt_lock lock;
    SLT_TRY(slt_output_claim(&lock, s->context, &output));
    slt_status status = save(s, path);
    slt_lock_release(&lock);
    return status;
}

// ---- opening

typedef struct {
    slt_segmenter *s;
    slt_safetensors *file;
    const char *path;
} reading;

static slt_status get(const reading *r, slt_dtype dtype, int64_t rows, const slt_array **out,
                      const char *format, ...) {
    char name[TENSOR_NAME];
    va_list arguments;
    va_start(arguments, format);
    slt_format_list(name, sizeof name, format, arguments);
    va_end(arguments);
    SLT_TRY(slt_safetensors_get(r->file, name, dtype, 1, &rows, out));
    if (dtype != SLT_DTYPE_F64) return SLT_OK;
    for (size_t i = 0; i < (*out)->count; i++)
        if (!isfinite(((const double *)(*out)->data)[i]))
            SLT_FAIL(SLT_FORMAT, "%s: %s has a number that is not finite", r->path, name);
    return SLT_OK;
}

static slt_status read_standard(const reading *r, const char *what, int size, slt_standard *out) {
    const slt_array *channel, *mean, *scale;
    char name[TENSOR_NAME];
    *out = (slt_standard){.size = size};
    snprintf(name, sizeof name, "%s.channel", what);
    if (!slt_safetensors_find(r->file, name)) return SLT_OK;
    SLT_TRY(get(r, SLT_DTYPE_I32, -1, &channel, "%s.channel", what));
    int64_t kept = channel->shape[0];
    SLT_TRY(get(r, SLT_DTYPE_F32, kept, &mean, "%s.mean", what));
    SLT_TRY(get(r, SLT_DTYPE_F32, kept, &scale, "%s.scale", what));
    if (kept > size) SLT_FAIL(SLT_FORMAT, "%s: %s has too many channels", r->path, what);
    slt_arena *arena = &r->s->arena;
    SLT_TRY(SLT_NEW(arena, &out->channel, (size_t)kept + 1));
    SLT_TRY(SLT_NEW(arena, &out->mean, (size_t)kept + 1));
    SLT_TRY(SLT_NEW(arena, &out->scale, (size_t)kept + 1));
    memcpy(out->channel, channel->data, channel->bytes);
    memcpy(out->mean, mean->data, mean->bytes);
    memcpy(out->scale, scale->data, scale->bytes);
    out->kept = (int)kept;
    for (int i = 0; i < out->kept; i++)
        if (out->channel[i] < 0 || out->channel[i] >= size || !isfinite(out->mean[i]) ||
            !isfinite(out->scale[i]))
            SLT_FAIL(SLT_FORMAT, "%s: channel %d of %s is out of range", r->path, i, what);
    return SLT_OK;
}

static slt_status read_members(reading *r, slt_run_group *group, int64_t count) {
    slt_segmenter *s = r->s;
    const char *name = group->spec->name;
    const slt_array *shape, *values, *sure;
    char text[TENSOR_NAME];
    int64_t size_of_sure[2] = {count, SURE};
    snprintf(text, sizeof text, "%s.sure", name);
    SLT_TRY(slt_safetensors_get(r->file, text, SLT_DTYPE_U8, 2, size_of_sure, &sure));
    SLT_TRY(SLT_NEW(&s->arena, &group->members, (size_t)count));
    for (int i = 0; i < count; i++) {
        slt_member *member = &group->members[i];
        SLT_TRY(get(r, SLT_DTYPE_I32, SLT_MEMBER_SHAPE, &shape, "%s.%04d.shape", name, i));
        slt_member_shape wanted;
        memcpy(wanted.number, shape->data, sizeof wanted.number);
        slt_arena_init(&member->arena, &s->context->allocator, 0);
        group->count++; // from here on closing frees it
        SLT_TRY(get(r, SLT_DTYPE_F64, -1, &values, "%s.%04d.values", name, i));
        SLT_TRY(slt_member_init(s, group, member, &wanted, values->count, r->path));
        int64_t size = (int64_t)slt_member_size(group, member);
        SLT_TRY(get(r, SLT_DTYPE_F64, size, &values, "%s.%04d.values", name, i));
        SLT_TRY(slt_member_unpack(s, group, member, values->data, r->path));
        memcpy(member->sure, (const uint8_t *)sure->data + i * SURE, SURE);
    }
    return SLT_OK;
}

// who gives which answer, by the weights; how far runs agree, where the file tells
static slt_status read_runs(reading *r, slt_run_group *group, int64_t count) {
    slt_arena *arena = &r->s->arena;
    const slt_array *agreement;
    char text[TENSOR_NAME];
    int64_t shape[2] = {count, count};
    SLT_TRY(SLT_NEW(arena, &group->mode, (size_t)count));
    for (int m = 0; m < group->modes; m++)
        for (int64_t i = 0; i < count; i++)
            if (group->votes[1 + m].weights[i] > 0) group->mode[i] = (int8_t)(1 + m);
    snprintf(text, sizeof text, "%s.agreement", group->spec->name);
    if (!slt_safetensors_find(r->file, text)) return SLT_OK;
    SLT_TRY(slt_safetensors_get(r->file, text, SLT_DTYPE_F32, 2, shape, &agreement));
    SLT_TRY(SLT_NEW(arena, &group->agreement, agreement->count));
    memcpy(group->agreement, agreement->data, agreement->bytes);
    for (size_t i = 0; i < agreement->count; i++)
        if (!(group->agreement[i] >= 0 && group->agreement[i] <= 1))
            SLT_FAIL(SLT_FORMAT, "%s: a number of %s is not from 0 to 1", r->path, text);
    return SLT_OK;
}

static slt_status read_group(reading *r, const char *name) {
    slt_segmenter *s = r->s;
    slt_run_group *group = &s->groups[s->group_count];
    slt_vote_group *summary = &s->result.groups[s->group_count];
    const slt_array *weights, *thresholds, *numbers, *rules;
    char text[TENSOR_NAME];
    int64_t shape[2] = {VOTES, -1};
    group->spec = slt_group_spec_find(name);
    if (!group->spec) SLT_FAIL(SLT_FORMAT, "%s: unknown group '%s'", r->path, name);
    snprintf(text, sizeof text, "%s.weights", name);
    SLT_TRY(slt_safetensors_get(r->file, text, SLT_DTYPE_F64, 2, shape, &weights));
    int64_t count = weights->shape[1];
    if (count < 1 || count > 9999)
        SLT_FAIL(SLT_FORMAT, "%s: %lld members", r->path, (long long)count);
    SLT_TRY(get(r, SLT_DTYPE_F64, VOTES, &thresholds, "%s.thresholds", name));
    SLT_TRY(get(r, SLT_DTYPE_F64, SUMMARY, &numbers, "%s.summary", name));
    SLT_TRY(get(r, SLT_DTYPE_I32, 2, &rules, "%s.rules", name));
    const int32_t *rule = rules->data;
    bool windows = group->spec->kind == SLT_GROUP_WINDOWS;
    if (rule[0] < windows || rule[0] > 65536 || rule[1] < 1 || rule[1] > 65536)
        SLT_FAIL(SLT_FORMAT, "%s: the rules of %s are out of range", r->path, name);
    group->rules = (slt_vote_rules){.tolerance = rule[0], .least_length = rule[1]};
    group->hop = windows ? rule[0] : 0;
    for (int v = 0; v < VOTES; v++) {
        SLT_TRY(SLT_NEW(&s->arena, &group->votes[v].weights, (size_t)count));
        memcpy(group->votes[v].weights, (const double *)weights->data + v * count,
               sizeof(double) * (size_t)count);
        for (int64_t i = 0; i < count; i++)
            if (!(group->votes[v].weights[i] >= 0 && group->votes[v].weights[i] <= 1))
                SLT_FAIL(SLT_FORMAT, "%s: a weight of %s is not from 0 to 1", r->path, name);
        group->votes[v].threshold = ((const double *)thresholds->data)[v];
    }
    s->group_count++;
    snprintf(summary->name, sizeof summary->name, "%s", name);
    unpack_summary(numbers->data, summary);
    for (int i = 0; i < SLT_MOST_ANSWERS; i++)
        summary->answer_count += summary->answers[i].runs > 0;
    group->modes = summary->answer_count;
    SLT_TRY(read_runs(r, group, count));
    SLT_TRY(read_members(r, group, count));
    summary->runs = group->count;
    return SLT_OK;
}

static void read_warnings(slt_vote_result *result, const char *text) {
    while (*text && result->warning_count < SLT_MOST_VOTE_WARNINGS) {
        int length = (int)strcspn(text, "\n");
        snprintf(result->warnings[result->warning_count++], sizeof result->warnings[0], "%.*s",
                 length, text);
        text += length + (text[length] == '\n');
    }
}

static void read_words(slt_vote_result *result, const char *text) {
    for (int g = 0; g < result->group_count; g++)
        for (int i = 0; i < result->groups[g].answer_count; i++) {
            int length = (int)strcspn(text, "\n");
            snprintf(result->groups[g].answers[i].words, SLT_ANSWER_WORDS, "%.*s", length, text);
            text += length + (text[length] == '\n');
        }
}

static slt_status read_about(reading *r) {
    slt_segmenter *s = r->s;
    const slt_array *about, *told;
    SLT_TRY(get(r, SLT_DTYPE_I32, ABOUT, &about, "about"));
    const int32_t *n = about->data;
    s->continuous = n[0] != 0;
    s->actions = n[1];
    s->observation = n[2];
    s->result.doubtful = n[4] != 0;
    if (n[1] < 1 || n[1] > 1 << 20 || n[2] < 0 || n[2] > 1 << 24)
        SLT_FAIL(SLT_FORMAT, "%s: 'about' is out of range", r->path);
    if (s->continuous) {
        SLT_TRY(read_standard(r, "actions", s->actions, &s->scale.actions));
        SLT_TRY(read_standard(r, "observations", s->observation, &s->scale.observations));
        if (!s->scale.actions.kept) SLT_FAIL(SLT_FORMAT, "%s: no action varies", r->path);
    }
    if (!slt_safetensors_find(r->file, "told")) return SLT_OK;
    SLT_TRY(get(r, SLT_DTYPE_F64, -1, &told, "told"));
    s->counts = (int)told->count;
    SLT_TRY(SLT_NEW(&s->arena, &s->told, told->count + 1));
    memcpy(s->told, told->data, told->bytes);
    SLT_TRY(slt_segmenter_tell(s));
    return SLT_OK;
}

static slt_status read_all(reading *r) {
    slt_segmenter *s = r->s;
    const char *format = slt_safetensors_metadata(r->file, "format");
    const char *groups = slt_safetensors_metadata(r->file, "groups");
    const char *told = slt_safetensors_metadata(r->file, "told");
    const char *warnings = slt_safetensors_metadata(r->file, "warnings");
    const char *words = slt_safetensors_metadata(r->file, "answers");
    const char *data = slt_safetensors_metadata(r->file, "data");
    const char *settings = slt_safetensors_metadata(r->file, "settings");
    if (!format || strcmp(format, FORMAT) != 0 || !groups)
        SLT_FAIL(SLT_FORMAT, "%s: not a file of members (%s)", r->path, FORMAT);
    snprintf(s->result.told, sizeof s->result.told, "%s", told ? told : "nothing");
    SLT_TRY(read_about(r));
    if (data && *data) SLT_TRY(slt_arena_text(&s->arena, data, strlen(data), &s->data));
    snprintf(s->settings, sizeof s->settings, "%s", settings ? settings : "");
    while (*groups) {
        char name[16];
        int length = (int)strcspn(groups, ",");
        snprintf(name, sizeof name, "%.*s", length, groups);
        if (s->group_count >= SLT_MOST_GROUPS) SLT_FAIL(SLT_FORMAT, "%s: too many groups", r->path);
        SLT_TRY(read_group(r, name));
        groups += length + (groups[length] == ',');
    }
    const slt_array *about;
    SLT_TRY(get(r, SLT_DTYPE_I32, ABOUT, &about, "about"));
    int chosen = ((const int32_t *)about->data)[3];
    if (chosen < 0 || chosen >= s->group_count)
        SLT_FAIL(SLT_FORMAT, "%s: 'about' names a group that is not there", r->path);
    s->result.group_count = s->group_count;
    s->result.chosen = s->elected = chosen;
    s->result.trust = s->result.groups[chosen].trust;
    read_words(&s->result, words ? words : "");
    read_warnings(&s->result, warnings ? warnings : "");
    return SLT_OK;
}

slt_status slt_segmenter_open(slt_context *context, const char *path, slt_segmenter **out) {
    reading r = {.path = path};
    SLT_TRY(slt_safetensors_open(&context->allocator, path, &r.file));
    slt_status status = SLT_ALLOC(&context->allocator, &r.s, 1);
    if (status == SLT_OK) {
        r.s->context = context;
        slt_arena_init(&r.s->arena, &context->allocator, 0);
        status = slt_arena_text(&r.s->arena, path, strlen(path), &r.s->source);
        if (status == SLT_OK) status = read_all(&r);
        if (status != SLT_OK) slt_segmenter_close(r.s);
    }
    slt_safetensors_close(r.file);
    if (status == SLT_OK) *out = r.s;
    return status;
}

// ---- as a model

slt_status slt_segmenter_is(slt_context *context, const char *path, bool *out) {
    slt_safetensors *file;
    slt_status status = slt_safetensors_open(&context->allocator, path, &file);
    *out = false;
    if (status != SLT_OK) return status == SLT_NOMEM ? status : SLT_OK;
    const char *format = slt_safetensors_metadata(file, "format");
    *out = format && strcmp(format, FORMAT) == 0;
    slt_safetensors_close(file);
    return SLT_OK;
}

slt_segmenter_fits slt_segmenter_takes(const slt_segmenter *s) {
    return (slt_segmenter_fits){s->continuous, s->actions, s->observation, s->data};
}

slt_told slt_segmenter_told(const slt_segmenter *s) {
    if (!s->told) return SLT_KNOWS_NOTHING;
    return strchr(s->result.told, ',') ? SLT_KNOWS_HISTOGRAM : SLT_KNOWS_COUNT;
}
