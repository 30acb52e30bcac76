// Checkpoints: writing and reading.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include "train/learner/checkpoint.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "core/number.h"
#include "core/safetensors.h"
#include "core/text.h"
#include "train/learner/companions.h"
#include "train/learner/standard.h"
#include "slottar/train.h"

// one list makes the metadata: name, printf format, scanf format
// clang-format off
#define STATE_NUMBERS(X)                                                                           \
    X(seed,           PRIu64, SCNu64, uint64_t)                                                    \
    X(epoch,          PRId64, SCNd64, int64_t)                                                     \
    X(step,           PRId64, SCNd64, int64_t)                                                     \
    X(total_steps,    PRId64, SCNd64, int64_t)                                                     \
    X(best_epoch,     PRId64, SCNd64, int64_t)                                                     \
    X(waited,         PRId64, SCNd64, int64_t)                                                     \
    X(limit,          PRId64, SCNd64, int64_t)                                                     \
    X(loss,           "a",    "la",   double)                                                      \
    X(reconstruction, "a",    "la",   double)                                                      \
    X(kl,             "a",    "la",   double)                                                      \
    X(best,           "a",    "la",   double)
// clang-format on

static const char FORMAT_NAME[] = "slottar-checkpoint-1";

// ---- writing

typedef struct {
    const char *prefix;
    slt_real *block;
} block_view;

static int blocks_of(const slt_store *store, block_view views[3]) {
    views[0] = (block_view){"", store->value};
    views[1] = (block_view){"adam_m.", store->moment1};
    views[2] = (block_view){"adam_v.", store->moment2};
    return 3;
}

static const char *full_name(char *text, const char *prefix, const char *name) {
    snprintf(text, 160, "%s%s", prefix, name);
    return text;
}

// what stands before the names of a member; nothing where it is the only one
typedef struct {
    char text[16];
} scope;
static scope scope_of(int members, int member) {
    scope s = {""};
    if (members > 1) snprintf(s.text, sizeof s.text, "%d/", member);
    return s;
}

static void declare_all(slt_safetensors_writer *writer, const slt_store *store, const char *of) {
    block_view views[3];
    char name[160], prefix[32];
    for (int v = 0; v < blocks_of(store, views); v++) {
        snprintf(prefix, sizeof prefix, "%s%s", of, views[v].prefix);
        for (int i = 0; i < store->count; i++)
            for (int k = 0; k < store->parameters[i].parts; k++) {
                const slt_part *part = &store->parameters[i].part[k];
                int64_t shape[2];
                slt_store_part_shape(&store->parameters[i], k, shape);
                slt_safetensors_declare(writer, full_name(name, prefix, part->name), SLT_DTYPE_F32,
                                        2, shape);
            }
    }
}

// files hold floats, whatever the build computes in
static void put_numbers(slt_safetensors_writer *writer, const slt_real *at, size_t count) {
    if (sizeof *at == sizeof(float)) {
        slt_safetensors_put(writer, at, count * sizeof(float));
        return;
    }
    for (size_t i = 0; i < count; i++) {
        float value = (float)at[i];
        slt_safetensors_put(writer, &value, sizeof value);
    }
}

// the parts of a parameter, one after the other
static void put_parameter(slt_safetensors_writer *writer, const slt_parameter *p,
                          const slt_real *at) {
    size_t columns = (size_t)p->columns, rows = (size_t)p->rows;
    if (p->parts == 1) {
        put_numbers(writer, at, rows * columns);
        return;
    }
    for (int k = 0; k < p->parts; at += p->part[k++].columns)
        for (size_t r = 0; r < rows; r++)
            put_numbers(writer, at + r * columns, (size_t)p->part[k].columns);
}

// of a member as it is, or as it was put aside
static void put_all(slt_safetensors_writer *writer, const slt_store *store, int member,
                    const slt_aside *aside) {
    block_view views[3];
    for (int v = 0; v < blocks_of(store, views); v++) {
        const slt_real *copy = aside ? aside->block[v] : NULL;
        for (int i = 0; i < store->count; i++) {
            const slt_parameter *p = &store->parameters[i];
            put_parameter(writer, p, copy ? copy : slt_store_at(store, views[v].block, i, member));
            if (copy) copy += (size_t)p->rows * (size_t)p->columns;
        }
    }
}

static void describe_number(slt_safetensors_writer *writer, const char *key, const char *format,
                            ...) __attribute__((format(printf, 3, 4)));
static void describe_number(slt_safetensors_writer *writer, const char *key, const char *format,
                            ...) {
    char text[64];
    va_list arguments;
    va_start(arguments, format);
    slt_format_list(text, sizeof text, format, arguments);
    va_end(arguments);
    slt_safetensors_describe(writer, key, text);
}

static slt_status describe_setup(slt_safetensors_writer *writer, const slt_learner *learner,
                                 int member) {
    slt_setup setup = learner->each[member];
    slt_options tables[3];
    slt_setup_tables(&setup, tables);
    slt_text text;
    slt_text_init(&text, &learner->context->allocator);
    slt_options_to_yaml(tables, &text);
    if (text.status == SLT_OK) slt_safetensors_describe(writer, "options", text.bytes);
    slt_status status = text.status;
    slt_text_deinit(&text);
    slt_text_init(&text, &learner->context->allocator);
    for (int k = 0; k < setup.kind->slots(setup.model); k++)
        slt_text_add(&text, "%s%.17g", k ? " " : "", learner->prior[k]);
    if (text.status == SLT_OK) slt_safetensors_describe(writer, "prior", text.bytes);
    if (status == SLT_OK) status = text.status;
    slt_text_deinit(&text);
    return status;
}

static void describe_state(slt_safetensors_writer *writer, const slt_progress_state *state) {
#define DESCRIBE(name, print, scan, type)                                                          \
    describe_number(writer, "run." #name, "%" print, state->name);
    STATE_NUMBERS(DESCRIBE)
#undef DESCRIBE
    slt_safetensors_describe(writer, "run.finished", state->finished ? "1" : "0");
}

static slt_status describe_all(slt_safetensors_writer *writer, const slt_learner *learner,
                               int member, const slt_progress_state *state) {
    slt_safetensors_describe(writer, "format", FORMAT_NAME);
    slt_safetensors_describe(writer, "model", learner->setup.kind->name);
    describe_number(writer, "data.symbols", "%d", learner->data.symbols);
    if (learner->data.columns) {
        describe_number(writer, "data.columns", "%d", learner->data.columns);
        describe_number(writer, "data.channels", "%d", learner->data.channels);
    }
    describe_number(writer, "data.observation", "%d", learner->data.observation);
    describe_number(writer, "data.bits", "%d", learner->data.observation_type == SLT_BITS);
    describe_number(writer, "data.length", "%d", learner->data.length);
    describe_state(writer, state);
    return describe_setup(writer, learner, member);
}

static void describe_members(slt_safetensors_writer *writer, const slt_member_state *each,
                             int members) {
    describe_number(writer, "run.members", "%d", members);
    for (int m = 0; m < members; m++) {
        char key[32], text[160];
        snprintf(key, sizeof key, "run.member%d", m);
        slt_format(text, sizeof text, "%" PRIu64 " %a %a %a %d %d %a %d", each[m].seed,
                   each[m].loss, each[m].reconstruction, each[m].kl, (int)each[m].health,
                   (int)each[m].rule_initialised, each[m].least, (int)each[m].kept);
        slt_safetensors_describe(writer, key, text);
    }
}

static slt_status save_member(const slt_learner *learner, int member, const slt_aside *aside,
                              const slt_progress_state *state, const char *path) {
    slt_safetensors_writer *writer;
    SLT_TRY(slt_safetensors_writer_open(&learner->context->allocator, path, &writer));
    slt_status status = describe_all(writer, learner, member, state);
    if (status != SLT_OK) {
        slt_safetensors_abort(writer);
        return status;
    }
    declare_all(writer, learner->store, "");
    slt_standard_declare(writer, &learner->data);
    if (learner->companions) slt_companions_declare(writer, learner);
    put_all(writer, learner->store, member, aside);
    slt_standard_put(writer, &learner->data);
    if (learner->companions) slt_companions_put(writer, learner);
    return slt_safetensors_commit(writer);
}

slt_status slt_checkpoint_save(const slt_learner *learner, int member,
                               const slt_progress_state *state, const char *path) {
    SLT_TRY(slt_store_fetch(learner->store));
    return save_member(learner, member, NULL, state, path);
}

// ---- put aside

slt_status slt_checkpoint_put_aside(const slt_learner *learner, int member,
                                    const slt_progress_state *state, slt_aside *aside) {
    const slt_store *store = learner->store;
    block_view views[3];
    size_t size = slt_store_member_size(store);
    SLT_TRY(slt_store_fetch(learner->store));
    for (int v = 0; v < blocks_of(store, views); v++) {
        if (!aside->block[v])
            SLT_TRY(SLT_ALLOC(&learner->context->allocator, &aside->block[v], size));
        slt_real *to = aside->block[v];
        for (int i = 0; i < store->count; i++) {
            const slt_parameter *p = &store->parameters[i];
            size_t count = (size_t)p->rows * (size_t)p->columns;
            memcpy(to, slt_store_at(store, views[v].block, i, member), count * sizeof *to);
            to += count;
        }
    }
    aside->state = *state;
    return SLT_OK;
}

slt_status slt_checkpoint_save_aside(const slt_learner *learner, int member, const slt_aside *aside,
                                     const char *path) {
    return save_member(learner, member, aside, &aside->state, path);
}

void slt_aside_free(const slt_context *context, slt_aside *aside) {
    for (int v = 0; v < 3; v++) slt_free(&context->allocator, aside->block[v]);
    *aside = (slt_aside){0};
}

slt_status slt_checkpoint_save_all(const slt_learner *learner, int first, int members,
                                   const slt_member_state *each, const slt_progress_state *state,
                                   const char *path) {
    slt_safetensors_writer *writer;
    SLT_TRY(slt_store_fetch(learner->store));
    SLT_TRY(slt_safetensors_writer_open(&learner->context->allocator, path, &writer));
    slt_status status = describe_all(writer, learner, first, state);
    if (status != SLT_OK) {
        slt_safetensors_abort(writer);
        return status;
    }
    describe_members(writer, each, members);
    for (int m = 0; m < members; m++)
        declare_all(writer, learner->store, scope_of(members, m).text);
    for (int m = 0; m < members; m++) put_all(writer, learner->store, first + m, NULL);
    return slt_safetensors_commit(writer);
}

// ---- numbers that are out of bounds

// exponents of ones alone; without a way out, so that it runs in vectors
static bool all_finite(const slt_real *at, size_t count) {
    static const uint32_t EXPONENT = 0x7f800000;
    uint32_t bad = 0;
    for (size_t i = 0; i < count; i++) {
        float value = (float)at[i];
        uint32_t bits;
        memcpy(&bits, &value, sizeof bits);
        bad |= (bits & EXPONENT) == EXPONENT;
    }
    return !bad;
}

const char *slt_checkpoint_bad_weight(const slt_store *store, int member) {
    block_view views[3];
    for (int v = 0; v < blocks_of(store, views); v++)
        for (int i = 0; i < store->count; i++) {
            const slt_parameter *p = &store->parameters[i];
            const slt_real *at = slt_store_at(store, views[v].block, i, member);
            if (!all_finite(at, (size_t)p->rows * (size_t)p->columns)) return p->part[0].name;
        }
    return NULL;
}

void slt_checkpoint_clear(const slt_store *store, int member) {
    block_view views[3];
    for (int v = 0; v < blocks_of(store, views); v++)
        for (int i = 0; i < store->count; i++) {
            const slt_parameter *p = &store->parameters[i];
            memset(slt_store_at(store, views[v].block, i, member), 0,
                   (size_t)p->rows * (size_t)p->columns * sizeof(slt_real));
        }
}

// ---- reading

static slt_status need(const slt_safetensors *file, const char *key, const char **out) {
    *out = slt_safetensors_metadata(file, key);
    if (!*out)
        SLT_FAIL(SLT_FORMAT, "%s: metadata '%s' is missing", slt_safetensors_path(file), key);
    return SLT_OK;
}

static slt_status read_int(const slt_safetensors *file, const char *key, int low, int high,
                           int *out) {
    const char *text;
    SLT_TRY(need(file, key, &text));
    char *end;
    long value = strtol(text, &end, 10);
    if (end == text || *end || value < low || value > high)
        SLT_FAIL(SLT_FORMAT, "%s: metadata '%s' is '%.40s', not a whole number from %d to %d",
                 slt_safetensors_path(file), key, text, low, high);
    *out = (int)value;
    return SLT_OK;
}

static slt_status read_state(const slt_safetensors *file, slt_progress_state *state) {
    const char *text;
    int finished;
#define READ(name, print, scan, type)                                                              \
    SLT_TRY(need(file, "run." #name, &text));                                                      \
    if (slt_scan(text, "%" scan, &state->name) != 1)                                               \
        SLT_FAIL(SLT_FORMAT, "%s: metadata 'run." #name "' is '%.40s'",                            \
                 slt_safetensors_path(file), text);
    STATE_NUMBERS(READ)
#undef READ
    SLT_TRY(read_int(file, "run.finished", 0, 1, &finished));
    state->finished = finished;
    return SLT_OK;
}

static slt_status read_prior(const slt_safetensors *file, slt_checkpoint *out) {
    const char *text;
    SLT_TRY(need(file, "prior", &text));
    int slots = out->setup.kind->slots(out->setup.model);
    for (int k = 0; k < slots; k++) {
        char *end;
        out->prior[k] = slt_number_start(text, &end);
        if (end == text || !(out->prior[k] > 0) || !isfinite(out->prior[k]))
            SLT_FAIL(SLT_FORMAT, "%s: metadata 'prior' has no probability for %d segments",
                     slt_safetensors_path(file), k + 1);
        text = end;
    }
    out->data.prior = out->prior;
    return SLT_OK;
}

// symbols, or vectors; checkpoints of symbols do not say the second
static slt_status read_actions(const slt_safetensors *file, slt_model_data *out) {
    if (!slt_safetensors_metadata(file, "data.columns"))
        return read_int(file, "data.symbols", 2, 1 << 20, &out->symbols);
    SLT_TRY(read_int(file, "data.columns", 1, 1 << 20, &out->columns));
    return read_int(file, "data.channels", 1, out->columns, &out->channels);
}

static slt_status read_all(const slt_safetensors *file, slt_checkpoint *out) {
    const char *format, *model, *yaml;
    int bits;
    SLT_TRY(need(file, "format", &format));
    if (strcmp(format, FORMAT_NAME) != 0)
        SLT_FAIL(SLT_FORMAT, "%s: no checkpoint of this program", slt_safetensors_path(file));
    SLT_TRY(need(file, "model", &model));
    SLT_TRY(slt_setup_init(&out->setup, model, NULL, NULL));
    SLT_TRY(need(file, "options", &yaml));
    slt_options tables[3];
    slt_setup_tables(&out->setup, tables);
    SLT_TRY(slt_options_from_yaml(NULL, tables, slt_safetensors_path(file), yaml, strlen(yaml)));
    SLT_TRY(read_actions(file, &out->data));
    SLT_TRY(read_int(file, "data.observation", 0, 1 << 20, &out->data.observation));
    SLT_TRY(read_int(file, "data.length", 1, 65536, &out->data.length));
    SLT_TRY(read_int(file, "data.bits", 0, 1, &bits));
    if (bits && out->data.observation > 1 << 16)
        SLT_FAIL(SLT_FORMAT, "%s: %d bits are too many", slt_safetensors_path(file),
                 out->data.observation);
    out->data.observation_type = bits ? SLT_BITS : SLT_NUMBERS;
    if (out->setup.kind->slots(out->setup.model) > SLT_LEARNER_SLOTS)
        SLT_FAIL(SLT_FORMAT, "%s: too many slots", slt_safetensors_path(file));
    SLT_TRY(read_prior(file, out));
    SLT_TRY(slt_checkpoint_read_trust(slt_safetensors_path(file),
                                      slt_safetensors_metadata(file, "trust"), out));
    return read_state(file, &out->state);
}

slt_status slt_checkpoint_read(slt_context *context, const char *path, slt_checkpoint *out) {
    slt_safetensors *file;
    SLT_TRY(slt_safetensors_open(&context->allocator, path, &file));
    memset(out, 0, sizeof *out);
    slt_status status = read_all(file, out);
    slt_safetensors_close(file);
    return status;
}

slt_status slt_checkpoint_standard(slt_arena *arena, slt_checkpoint *checkpoint, const char *path) {
    slt_safetensors *file;
    SLT_TRY(slt_safetensors_open(arena->allocator, path, &file));
    slt_status status = slt_standard_read(arena, file, &checkpoint->data);
    slt_safetensors_close(file);
    return status;
}

slt_status slt_checkpoint_companions(slt_arena *arena, const slt_checkpoint *checkpoint,
                                     const char *path, const slt_episode **out) {
    const slt_setup *setup = &checkpoint->setup;
    slt_safetensors *file;
    *out = NULL;
    if (!slt_companions_needed(setup)) return SLT_OK;
    SLT_TRY(slt_safetensors_open(arena->allocator, path, &file));
    slt_status status =
        slt_companions_read(arena, file, &checkpoint->data, setup->kind->slots(setup->model), out);
    slt_safetensors_close(file);
    return status;
}

static slt_status load_part(const slt_safetensors *file, const slt_store *store, const char *of,
                            const block_view *view, int number, int member, int k, int first) {
    const slt_parameter *parameter = &store->parameters[number];
    const slt_part *part = &parameter->part[k];
    int64_t shape[2];
    slt_store_part_shape(parameter, k, shape);
    const slt_array *array;
    char name[160], prefix[32];
    snprintf(prefix, sizeof prefix, "%s%s", of, view->prefix);
    full_name(name, prefix, part->name);
    SLT_TRY(slt_safetensors_get(file, name, SLT_DTYPE_F32, 2, shape, &array));
    const float *from = array->data;
    slt_real *at = slt_store_at(store, view->block, number, member) + first;
    for (int r = 0; r < parameter->rows; r++, at += parameter->columns)
        for (int c = 0; c < part->columns; c++, from++) {
            if (!isfinite(*from))
                SLT_FAIL(SLT_FORMAT, "%s: '%s' holds a number that is not finite",
                         slt_safetensors_path(file), name);
            at[c] = *from;
        }
    return SLT_OK;
}

static slt_status load_all(const slt_safetensors *file, const slt_store *store, const char *of,
                           int member, int blocks) {
    block_view views[3];
    blocks_of(store, views);
    for (int v = 0; v < blocks; v++)
        for (int i = 0; i < store->count; i++) {
            const slt_parameter *p = &store->parameters[i];
            for (int k = 0, first = 0; k < p->parts; first += p->part[k++].columns)
                SLT_TRY(load_part(file, store, of, &views[v], i, member, k, first));
        }
    return SLT_OK;
}

slt_status slt_checkpoint_load(slt_learner *learner, int member, const char *path, bool moments) {
    slt_safetensors *file;
    SLT_TRY(slt_store_edit(learner->store));
    SLT_TRY(slt_safetensors_open(&learner->context->allocator, path, &file));
    slt_status status = load_all(file, learner->store, "", member, moments ? 3 : 1);
    slt_safetensors_close(file);
    return status;
}

static slt_status read_member(const slt_safetensors *file, int member, slt_member_state *out) {
    char key[32], more[2];
    const char *text;
    int health, rule_initialised, kept;
    snprintf(key, sizeof key, "run.member%d", member);
    SLT_TRY(need(file, key, &text));
    if (slt_scan(text, "%" SCNu64 " %la %la %la %d %d %la %d %1s", &out->seed, &out->loss,
                 &out->reconstruction, &out->kl, &health, &rule_initialised, &out->least, &kept,
                 more) != 8 ||
        health < 0 || health > SLT_MEMBER_BROKEN || isnan(out->least))
        SLT_FAIL(SLT_FORMAT,
                 "%s: metadata '%s' is '%.60s'; restarts that an earlier build began have to be "
                 "begun again, in another folder",
                 slt_safetensors_path(file), key, text);
    out->health = (slt_member_health)health;
    out->rule_initialised = rule_initialised != 0;
    out->kept = kept != 0;
    return SLT_OK;
}

static slt_status load_restarts(const slt_safetensors *file, slt_learner *learner, int first,
                                int members, slt_member_state *each) {
    int there;
    SLT_TRY(read_int(file, "run.members", 1, SLT_MOST_RESTARTS, &there));
    if (there != members)
        SLT_FAIL(SLT_INVALID, "%s: has %d restarts, now %d are asked for",
                 slt_safetensors_path(file), there, members);
    for (int m = 0; m < members; m++) {
        SLT_TRY(read_member(file, m, &each[m]));
        SLT_TRY(load_all(file, learner->store, scope_of(members, m).text, first + m, 3));
    }
    return SLT_OK;
}

slt_status slt_checkpoint_load_all(slt_learner *learner, int first, int members,
                                   slt_member_state *each, const char *path) {
    slt_safetensors *file;
    SLT_TRY(slt_store_edit(learner->store));
    SLT_TRY(slt_safetensors_open(&learner->context->allocator, path, &file));
    slt_status status = load_restarts(file, learner, first, members, each);
    slt_safetensors_close(file);
    return status;
}
