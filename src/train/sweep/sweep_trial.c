// The result of a trial as JSON.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include "train/sweep/sweep_trial.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include "core/context_impl.h"
#include "core/file.h"
#include "core/json.h"
#include "core/text.h"

// the numbers of a split, by name
// clang-format off
#define NUMBERS(X)                                                                                 \
    X(loss, loss) X(reconstruction, reconstruction) X(kl, kl) X(accuracy, accuracy)                \
    X(forward, forward) X(backward, backward)                                                      \
    X(f1, scores.mean.f1) X(f1_one, scores.mean.f1_one) X(align, scores.mean.align)                \
    X(ari, scores.mean.ari) X(covering, scores.mean.covering)
// clang-format on

slt_trial_result slt_trial_result_of(const slt_train_outcome *outcome) {
    const slt_train_result *result = &outcome->result;
    slt_trial_result out = {.failed = outcome->status != SLT_OK,
                            .epochs = result->epochs,
                            .best_epoch = result->best_epoch,
                            .valid = result->valid,
                            .test = result->test};
    snprintf(out.reason, sizeof out.reason, "%.*s", SLT_REASON - 1, outcome->message);
    return out;
}

// ---- writing

void slt_trial_scores_write(slt_text *text, const char *name, const slt_run_scores *scores) {
    slt_text_add(text, ",\"%s\":{\"episodes\":%lld,\"labels\":%s", name,
                 (long long)scores->episodes, scores->has_labels ? "true" : "false");
#define NUMBER(name, field)                                                                        \
    if (isfinite(scores->field)) slt_text_add(text, ",\"" #name "\":%.17g", scores->field);
    NUMBERS(NUMBER)
#undef NUMBER
    if (scores->told_count) slt_text_add(text, ",\"told_count\":true");
    if (scores->counts_done) slt_text_add(text, ",\"counts_done\":true");
    slt_text_add(text, "}");
}

slt_status slt_trial_write(const char *path, const slt_trial_result *result) {
    slt_text text;
    slt_text_init(&text, &slt_system_allocator);
    slt_text_add(&text, "{\"failed\":%s,\"reason\":", result->failed ? "true" : "false");
    slt_text_quote(&text, result->reason);
    slt_text_add(&text, ",\"epochs\":%lld,\"best_epoch\":%lld", (long long)result->epochs,
                 (long long)result->best_epoch);
    slt_trial_scores_write(&text, "valid", &result->valid);
    slt_trial_scores_write(&text, "test", &result->test);
    slt_text_add(&text, "}\n");
    slt_status status = text.status;
    if (status == SLT_OK) status = slt_file_write(path, text.bytes, text.length);
    slt_text_deinit(&text);
    return status;
}

// ---- reading

static double number_of(const json_t *object, const char *name) {
    const json_t *value = json_object_get(object, name);
    return json_is_number(value) ? json_number_value(value) : NAN;
}

static int64_t whole_of(const json_t *object, const char *name) {
    return json_integer_value(json_object_get(object, name));
}

void slt_trial_scores_read(const json_t *object, slt_run_scores *out) {
    *out = (slt_run_scores){.episodes = whole_of(object, "episodes"),
                            .has_labels = json_is_true(json_object_get(object, "labels")),
                            .told_count = json_is_true(json_object_get(object, "told_count")),
                            .counts_done = json_is_true(json_object_get(object, "counts_done"))};
#define NUMBER(name, field) out->field = number_of(object, #name);
    NUMBERS(NUMBER)
#undef NUMBER
}

static slt_status read_document(const char *path, const json_t *document, slt_trial_result *out) {
    const char *reason = json_string_value(json_object_get(document, "reason"));
    const json_t *valid = json_object_get(document, "valid");
    const json_t *test = json_object_get(document, "test");
    if (!reason || !json_is_object(valid) || !json_is_object(test))
        SLT_FAIL(SLT_FORMAT, "%s: no result of a trial", path);
    *out = (slt_trial_result){.failed = json_is_true(json_object_get(document, "failed")),
                              .epochs = whole_of(document, "epochs"),
                              .best_epoch = whole_of(document, "best_epoch")};
    snprintf(out->reason, sizeof out->reason, "%s", reason);
    slt_trial_scores_read(valid, &out->valid);
    slt_trial_scores_read(test, &out->test);
    return SLT_OK;
}

slt_status slt_trial_read(const char *path, slt_trial_result *out) {
    json_t *document;
    SLT_TRY(slt_json_read(path, 4, &document));
    slt_status status = read_document(path, document, out);
    json_decref(document);
    return status;
}
