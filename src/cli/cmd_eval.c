// slottar eval RUN...: scores of trained models, or of a rule, beside the floors.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include <math.h>
#include <stdio.h>
#include <string.h>
#include "commands.h"
#include "json_text.h"
#include "slottar/inspect.h"
#include "slottar/model.h"

static const cli_flag flags[] = {
    {"rule", 0, "RULE",
     "a rule that needs no training: uniform, random, comb, rarest, surprise, delimiter"},
    {"split", 0, "NAME", "train, valid or test (default test)"},
    {"data", 0, "DATA", "the data set, where it is not the last argument"},
    {NULL, 0, NULL, NULL},
};

// one row of the table, in the order of the columns
enum { COLUMNS = 8 };
static const char *const titles[COLUMNS] = {"f1",       "f1_one",   "align",   "ari",
                                            "covering", "accuracy", "forward", "backward"};

typedef struct {
    char name[64];
    int64_t episodes;
    bool labels;
    double value[COLUMNS]; // NAN: does not apply
    slt_score_summary summary;
} row;

static void fill_scores(row *r, const slt_score_summary *summary) {
    const slt_scores *s = &summary->mean;
    const double values[] = {s->f1, s->f1_one, s->align, s->ari, s->covering, NAN, NAN, NAN};
    memcpy(r->value, values, sizeof values);
    r->summary = *summary;
    r->labels = true;
}

static slt_status score_run(cli_call *call, const char *path, slt_dataset *data, slt_split split,
                            row *r) {
    slt_model *model;
    slt_run_scores scores;
    slt_status status = slt_model_open(call->context, path, &model);
    if (status != SLT_OK) return status;
    slt_segment_options options = {.one_split = true, .split = split, .seed = call->seed};
    status = slt_model_score(model, data, &options, &scores);
    slt_model_close(model);
    if (status != SLT_OK) return status;
    snprintf(r->name, sizeof r->name, "%s", path);
    r->episodes = scores.episodes;
    for (int i = 0; i < COLUMNS; i++) r->value[i] = NAN;
    if (scores.has_labels) fill_scores(r, &scores.scores);
    r->value[5] = scores.accuracy;
    if (scores.has_labels) {
        r->value[6] = scores.forward;
        r->value[7] = scores.backward;
    }
    return SLT_OK;
}

static slt_status score_rule(cli_call *call, const char *rule, slt_dataset *data, slt_split split,
                             row *r) {
    slt_score_summary summary;
    slt_rule_report report;
    slt_status status =
        slt_rule_score(call->context, data, split, rule, call->seed, &summary, &report);
    if (status != SLT_OK) return status;
    snprintf(r->name, sizeof r->name, "%s", rule);
    r->episodes = (int64_t)summary.trajectories;
    fill_scores(r, &summary);
    if (report.note[0] && !call->quiet) fprintf(stderr, "%s: %s\n", rule, report.note);
    return SLT_OK;
}

// ---- mean and spread over runs

static void summarise(const row *rows, int count, row *mean, row *sd) {
    memset(mean, 0, sizeof *mean);
    memset(sd, 0, sizeof *sd);
    snprintf(mean->name, sizeof mean->name, "mean of %d", count);
    snprintf(sd->name, sizeof sd->name, "sd");
    for (int c = 0; c < COLUMNS; c++) {
        double sum = 0, squares = 0;
        for (int i = 0; i < count; i++) sum += rows[i].value[c];
        mean->value[c] = sum / count;
        for (int i = 0; i < count; i++)
            squares += (rows[i].value[c] - mean->value[c]) * (rows[i].value[c] - mean->value[c]);
        sd->value[c] = count > 1 ? sqrt(squares / (count - 1)) : NAN;
    }
}

// ---- printing

static void print_row(const row *r) {
    printf("%-28s", r->name);
    for (int c = 0; c < COLUMNS; c++)
        isnan(r->value[c]) ? printf("%9s", "-") : printf("%9.2f", 100 * r->value[c]);
    putchar('\n');
}

static void print_head(void) {
    printf("%-28s", "percent");
    for (int c = 0; c < COLUMNS; c++) printf("%9s", titles[c]);
    putchar('\n');
}

static void json_values(const row *r) {
    for (int c = 0; c < COLUMNS; c++) {
        printf("%s\"%s\":", c ? "," : "", titles[c]);
        isnan(r->value[c]) ? printf("null") : printf("%.9g", r->value[c]);
    }
}

static void json_counts(const char *name, const uint64_t *bins) {
    int last = SLT_COUNT_BINS - 1;
    while (last > 0 && !bins[last]) last--;
    printf("\"%s\":[", name);
    for (int i = 0; i <= last; i++) printf("%s%llu", i ? "," : "", (unsigned long long)bins[i]);
    putchar(']');
}

static void json_run(const row *r, const char *split) {
    fputs("{\"run\":", stdout);
    cli_json_text(stdout, r->name);
    printf(",\"split\":\"%s\",\"episodes\":%lld,", split, (long long)r->episodes);
    json_values(r);
    fputs(",\"counts\":", stdout);
    if (r->labels) {
        putchar('{');
        json_counts("true", r->summary.true_counts);
        putchar(',');
        json_counts("predicted", r->summary.predicted_counts);
        putchar('}');
    } else {
        fputs("null", stdout);
    }
    putchar('}');
}

static void print_json(const row *runs, int count, const row *floors, int floor_count,
                       const char *split) {
    fputs("{\"runs\":[", stdout);
    for (int i = 0; i < count; i++) {
        if (i) putchar(',');
        json_run(&runs[i], split);
    }
    row mean, sd;
    summarise(runs, count, &mean, &sd);
    fputs("],\"mean\":{", stdout);
    json_values(&mean);
    fputs("},\"sd\":{", stdout);
    json_values(&sd);
    fputs("},\"floors\":{", stdout);
    for (int i = 0; i < floor_count; i++) {
        printf("%s\"%s\":{", i ? "," : "", floors[i].name);
        json_values(&floors[i]);
        putchar('}');
    }
    puts("}}");
}

static void print_table(const row *runs, int count, const row *floors, int floor_count) {
    print_head();
    for (int i = 0; i < count; i++) print_row(&runs[i]);
    if (count > 1) {
        row mean, sd;
        summarise(runs, count, &mean, &sd);
        print_row(&mean);
        print_row(&sd);
    }
    if (floor_count) puts("floors, told the true number of segments where they need it:");
    for (int i = 0; i < floor_count; i++) print_row(&floors[i]);
    if (count && isnan(runs[0].value[0]))
        puts("no labels in this data set: only the accuracy can be told");
}

// ---- running

enum { ROWS = CLI_ITEMS };

typedef struct {
    row runs[ROWS], floors[16];
    int run_count, floor_count;
    int data_given; // 1: the last argument is the data set
} table;

static slt_status fill_table(cli_call *call, slt_dataset *data, slt_split split, table *t) {
    const char *rule = cli_value(call, "rule");
    for (int i = 0; !rule && i < call->count - t->data_given; i++) {
        slt_status status =
            score_run(call, call->arguments[i], data, split, &t->runs[t->run_count++]);
        if (status != SLT_OK) return status;
    }
    if (rule) return score_rule(call, rule, data, split, &t->runs[t->run_count++]);
    if (!slt_dataset_about(data)->has_segments) return SLT_OK;
    for (int i = 0; slt_rule_name(i) && t->floor_count < 16; i++) {
        row *r = &t->floors[t->floor_count];
        if (score_rule(call, slt_rule_name(i), data, split, r) == SLT_OK) t->floor_count++;
    }
    return SLT_OK;
}

// a data set behind the runs?
static bool last_is_data(cli_call *call) {
    slt_file_kind kind;
    return call->count > 1 &&
           slt_file_look(call->context, call->arguments[call->count - 1], &kind) == SLT_OK &&
           kind == SLT_FILE_DATASET;
}

static slt_status find_data(cli_call *call, table *t, char *path, size_t size) {
    const char *named = cli_value(call, "data");
    slt_model *model;
    bool rule = cli_value(call, "rule") != NULL;
    t->data_given = !rule && last_is_data(call);
    if (named || rule || t->data_given) {
        snprintf(path, size, "%s", named ? named : call->arguments[rule ? 0 : call->count - 1]);
        return SLT_OK;
    }
    slt_status status = slt_model_open(call->context, call->arguments[0], &model);
    if (status != SLT_OK) return status;
    const char *data = slt_model_about(model)->data;
    snprintf(path, size, "%s", data ? data : "");
    slt_model_close(model);
    return SLT_OK;
}

static int run(cli_call *call) {
    static const char *const names[] = {"train", "valid", "test"};
    static table t;
    char path[4096];
    const char *wanted = cli_value(call, "split");
    int split = 2;
    for (split = 0; wanted && split < 3 && strcmp(names[split], wanted) != 0; split++) {}
    if (!wanted) split = 2;
    if (split == 3) return cli_misuse(call, "no split '%s': train, valid or test", wanted);
    slt_status status = find_data(call, &t, path, sizeof path);
    if (status != SLT_OK) return cli_fail(status);
    if (!path[0]) return cli_misuse(call, "say which data set, behind the runs");
    slt_dataset *data;
    status = slt_dataset_open(call->context, path, &data);
    if (status != SLT_OK) return cli_fail(status);
    status = fill_table(call, data, (slt_split)split, &t);
    slt_dataset_close(data);
    if (status != SLT_OK) return cli_fail(status);
    if (call->json)
        print_json(t.runs, t.run_count, t.floors, t.floor_count, names[split]);
    else
        print_table(t.runs, t.run_count, t.floors, t.floor_count);
    return CLI_DONE;
}

const cli_command cli_eval = {
    .name = "eval",
    .arguments = "RUN... [DATA] | --rule RULE DATA",
    .summary = "scores trained models against labels, beside the floors",
    .text = "Prints F1 (as the reference counts, and one-to-one), alignment, ARI, Covering,\n"
            "reconstruction accuracy, Forward and Backward Access; mean and spread over several\n"
            "runs. Without DATA the set the first run was trained on.\n\n"
            "  slottar eval runs/a runs/b\n"
            "  slottar eval runs/a new.safetensors --split valid\n"
            "  slottar eval --rule delimiter craft-full.safetensors\n",
    .flags = flags,
    .least = 1,
    .most = -1,
    .run = run,
};
