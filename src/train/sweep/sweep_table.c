// Means, order and the file of the table.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include "train/sweep/sweep_table.h"

#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include "core/file.h"

// ---- scores

// the numbers of a run: what they are called, where they are, whether they need labels
// clang-format off
#define AT(field) offsetof(slt_run_scores, field)
static const struct {
    const char *name;
    size_t offset;
    bool labels;
} numbers[] = {
    {"loss", AT(loss), false},
    {"reconstruction", AT(reconstruction), false},
    {"kl", AT(kl), false},
    {"accuracy", AT(accuracy), false},
    {"forward", AT(forward), true},
    {"backward", AT(backward), true},
#define ROW(field, text) {#field, AT(scores.mean.field), true},
    SLT_SCORE_LIST(ROW)
#undef ROW
};
// clang-format on
enum { NUMBERS = sizeof numbers / sizeof *numbers };

static double *number_at(slt_run_scores *scores, int i) {
    return (double *)(void *)((char *)scores + numbers[i].offset);
}

static double number_of(const slt_run_scores *scores, int i) {
    return *(const double *)(const void *)((const char *)scores + numbers[i].offset);
}

const char *slt_sweep_score_name(const slt_sweep_plan *plan, char out[64]) {
    const slt_option *row = slt_sweep_options_of();
    while (strcmp(row->name, "score") != 0) row++;
    return slt_option_choice(row, plan->options.score, out);
}

// losses are better when smaller, all others when larger
static bool is_loss(const char *score) {
    return strcmp(score, "loss") == 0 || strcmp(score, "reconstruction") == 0;
}

slt_status slt_sweep_score_of(const slt_sweep_plan *plan, const slt_run_scores *valid,
                              double *out) {
    char name[64];
    slt_sweep_score_name(plan, name);
    bool both = strcmp(name, "f1_align") == 0;
    *out = NAN;
    for (int i = 0; i < NUMBERS; i++) {
        if (strcmp(numbers[i].name, both ? "f1" : name) != 0) continue;
        if (numbers[i].labels && !valid->has_labels)
            SLT_FAIL(SLT_INVALID,
                     "score=%s needs labels, and the validation split has none; take score=loss",
                     name);
        *out = both ? (valid->scores.mean.f1 + valid->scores.mean.align) / 2 : number_of(valid, i);
    }
    return SLT_OK;
}

// ---- rows

static slt_run_scores mean_of(const slt_trial_result *results, int runs, bool test) {
    slt_run_scores mean = test ? results[0].test : results[0].valid;
    for (int i = 0; i < NUMBERS; i++) {
        double sum = 0;
        for (int r = 0; r < runs; r++)
            sum += number_of(test ? &results[r].test : &results[r].valid, i);
        *number_at(&mean, i) = sum / runs;
    }
    return mean;
}

static slt_status add_scores(const slt_sweep_plan *plan, const slt_trial_result *results,
                             slt_sweep_row *row) {
    int runs = (int)plan->options.seeds;
    double sum = 0, squares = 0, score;
    for (int r = 0; r < runs; r++) {
        SLT_TRY(slt_sweep_score_of(plan, &results[r].valid, &score));
        sum += score;
    }
    row->score = sum / runs;
    for (int r = 0; r < runs; r++) {
        SLT_TRY(slt_sweep_score_of(plan, &results[r].valid, &score));
        squares += (score - row->score) * (score - row->score);
    }
    row->sd = runs > 1 ? sqrt(squares / (runs - 1)) : 0;
    row->valid = mean_of(results, runs, false);
    row->test = mean_of(results, runs, true);
    return SLT_OK;
}

// the settings that vary, in the order of the axes
static slt_status add_settings(const slt_sweep_plan *plan, slt_sweep_row *row) {
    const char **settings;
    const char *const *all = slt_sweep_settings(plan, row->configuration);
    SLT_TRY(SLT_NEW(plan->arena, &settings, (size_t)plan->varied + 1));
    for (int a = 0; a < plan->axis_count; a++)
        if (slt_sweep_varies(&plan->axes[a])) settings[row->setting_count++] = all[a];
    row->settings = settings;
    return SLT_OK;
}

slt_status slt_sweep_summarise(const slt_sweep_plan *plan, int configuration, int round,
                               const slt_trial_result *results, slt_sweep_row *out) {
    *out = (slt_sweep_row){.configuration = configuration, .round = round, .reason = ""};
    SLT_TRY(add_settings(plan, out));
    for (int r = 0; r < plan->options.seeds; r++) {
        if (results[r].epochs > out->epochs) out->epochs = results[r].epochs;
        if (!results[r].failed || out->failed) continue;
        char *reason;
        SLT_TRY(slt_arena_text(plan->arena, results[r].reason, strlen(results[r].reason), &reason));
        out->failed = true;
        out->reason = reason;
    }
    return out->failed ? SLT_OK : add_scores(plan, results, out);
}

// ---- order

static int compare(const slt_sweep_row *a, const slt_sweep_row *b, double sign) {
    if (a->failed != b->failed) return a->failed ? 1 : -1;
    if (a->round != b->round) return a->round > b->round ? -1 : 1;
    // what is no number is the worst
    double x = isnan(a->score) ? INFINITY : sign * a->score;
    double y = isnan(b->score) ? INFINITY : sign * b->score;
    if (!a->failed && x != y) return x < y ? -1 : 1;
    return a->configuration < b->configuration ? -1 : a->configuration > b->configuration;
}

static int smaller_first(const void *a, const void *b) { return compare(a, b, 1); }
static int larger_first(const void *a, const void *b) { return compare(a, b, -1); }

void slt_sweep_sort(const slt_sweep_plan *plan, slt_sweep_row *rows, int count) {
    char name[64];
    bool loss = is_loss(slt_sweep_score_name(plan, name));
    qsort(rows, (size_t)count, sizeof *rows, loss ? smaller_first : larger_first);
}

// ---- the file

static void write_number(slt_text *out, const char *name, double value) {
    slt_text_add(out, ",\"%s\":", name);
    if (isfinite(value))
        slt_text_add(out, "%.9g", value);
    else
        slt_text_add(out, "null");
}

static void write_split(slt_text *out, const char *name, const slt_run_scores *scores) {
    slt_text_add(out, ",\"%s\":{\"episodes\":%lld", name, (long long)scores->episodes);
    for (int i = 0; i < NUMBERS; i++)
        if (scores->has_labels || !numbers[i].labels)
            write_number(out, numbers[i].name, number_of(scores, i));
    slt_text_add(out, "}");
}

static void write_settings(slt_text *out, const slt_sweep_row *row) {
    slt_text_add(out, ",\"settings\":{");
    for (int i = 0; i < row->setting_count; i++) {
        const char *equals = strchr(row->settings[i], '=');
        slt_text_add(out, "%s\"%.*s\":", i ? "," : "", (int)(equals - row->settings[i]),
                     row->settings[i]);
        slt_text_quote(out, equals + 1);
    }
    slt_text_add(out, "}");
}

static void write_row(slt_text *out, const slt_sweep_plan *plan, const slt_sweep_row *row) {
    slt_text_add(out, "{\"configuration\":%d", row->configuration);
    write_settings(out, row);
    slt_text_add(out, ",\"runs\":[");
    for (int r = 0; r < plan->options.seeds; r++)
        slt_text_add(out, "%s\"%04d-%d\"", r ? "," : "", row->configuration, r);
    slt_text_add(out, "],\"round\":%d,\"epochs\":%lld,\"failed\":", row->round,
                 (long long)row->epochs);
    if (row->failed) {
        slt_text_quote(out, row->reason);
    } else {
        slt_text_add(out, "null");
        write_number(out, "score", row->score);
        write_number(out, "sd", row->sd);
        write_split(out, "valid", &row->valid);
        write_split(out, "test", &row->test);
    }
    slt_text_add(out, "}");
}

slt_status slt_sweep_table_write(const char *path, const slt_sweep_plan *plan,
                                 const slt_sweep_row *rows, int count) {
    slt_text text;
    char name[64];
    slt_text_init(&text, &slt_system_allocator);
    slt_text_add(&text, "{\"model\":");
    slt_text_quote(&text, plan->options.model);
    slt_text_add(&text, ",\"data\":");
    slt_text_quote(&text, plan->options.data);
    slt_text_add(&text, ",\"score\":\"%s\",\"configurations\":[", slt_sweep_score_name(plan, name));
    for (int i = 0; i < count; i++) {
        slt_text_add(&text, i ? ",\n" : "\n");
        write_row(&text, plan, &rows[i]);
    }
    slt_text_add(&text, "]}\n");
    slt_status status = text.status;
    if (status == SLT_OK) status = slt_file_write(path, text.bytes, text.length);
    slt_text_deinit(&text);
    return status;
}
