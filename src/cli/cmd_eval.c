// slottar eval RUN...: scores of trained models, or of a rule, next to the baselines.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include <math.h>
#include <stdio.h>
#include <string.h>
#include "commands.h"
#include "data_columns.h"
#include "json_text.h"
#include "slottar/inspect.h"
#include "slottar/model.h"
#include "slottar/run.h"
#include "slottar/skills.h"

static const cli_flag flags[] = {
    {"rule", 0, "RULE",
     "a baseline, without training: uniform, random, comb, rarest, surprise, delimiter; for "
     "continuous actions jump (told the number of segments) and jump-threshold (not told)"},
    {"split", 0, "SPLIT", "train, valid or test (default test)"},
    {"missed-by", 0, "RULE", "only trajectories of the split that this baseline gets wrong"},
    {"data", 0, "DATA", "the data set, if it is not the last argument"},
    CLI_COLUMN_FLAGS,
    {NULL, 0, NULL, NULL},
};

// one row of the table, in the order of the columns
enum { COLUMNS = 9 };
static const char *const titles[COLUMNS] = {"f1",       "f1_one",  "align",    "ari", "covering",
                                            "accuracy", "forward", "backward", "ece"};

typedef struct {
    const char *name;
    char model[16], own[32];
    uint64_t configuration; // equal where two runs differ in their seed alone
    int64_t episodes;
    bool labels;
    const char *told;      // of the labels: "nothing", "count", "histogram" or "labels"
    bool told_count;       // the true number of segments of every trajectory
    bool has_other;        // scores with and without the step DONE
    bool counts_done;      // which of them `value` holds
    double value[COLUMNS]; // NAN: does not apply
    double other[COLUMNS];
    slt_score_summary summary;
    bool has_types; // scores of types against names of sub-tasks
    slt_type_scores types;
} row;

static void list_scores(double value[COLUMNS], const slt_scores *s) {
    const double values[] = {s->f1, s->f1_one, s->align, s->ari, s->covering, NAN, NAN, NAN, NAN};
    memcpy(value, values, sizeof values);
}

static void fill_scores(row *r, const slt_score_summary *summary) {
    list_scores(r->value, &summary->mean);
    r->summary = *summary;
    r->labels = true;
}

static uint64_t mix(uint64_t hash, const char *text) {
    for (; *text; text++) hash = (hash ^ (unsigned char)*text) * 0x100000001b3u;
    return (hash ^ '\n') * 0x100000001b3u;
}

// model, data, restarts and options; a checkpoint without its run is alone
static uint64_t configuration_of(cli_call *call, const char *path) {
    slt_run *run;
    char restarts[24];
    uint64_t hash = 0xcbf29ce484222325u;
    if (slt_run_open(call->context, path, &run) != SLT_OK) return mix(hash, path);
    const slt_run_info *info = slt_run_about(run);
    snprintf(restarts, sizeof restarts, "%d", info->restarts);
    hash = mix(mix(mix(hash, info->model), info->data ? info->data : ""), restarts);
    for (int i = 0; i < info->setting_count; i++) hash = mix(hash, info->settings[i]);
    slt_run_close(run);
    return hash;
}

// where the data set has names and the model types
static void score_types(slt_model *model, slt_dataset *data, const slt_segment_options *options,
                        row *r) {
    if (!slt_dataset_about(data)->has_subtasks) return;
    r->has_types = slt_model_score_types(model, data, options, &r->types) == SLT_OK;
}

static slt_status score_run(cli_call *call, const char *path, slt_dataset *data, slt_split split,
                            row *r) {
    slt_model *model;
    slt_run_scores scores;
    slt_status status = slt_model_open(call->context, path, &model);
    if (status != SLT_OK) return status;
    slt_segment_options options = {.one_split = true,
                                   .split = split,
                                   .missed_by = cli_value(call, "missed-by"),
                                   .seed = call->seed};
    status = slt_model_score(model, data, &options, &scores);
    if (status == SLT_OK) score_types(model, data, &options, r);
    snprintf(r->model, sizeof r->model, "%s", slt_model_about(model)->name);
    slt_model_close(model);
    if (status != SLT_OK) return status;
    r->name = path;
    r->configuration = configuration_of(call, path);
    r->episodes = scores.episodes;
    for (int i = 0; i < COLUMNS; i++) r->value[i] = NAN;
    if (scores.has_labels) fill_scores(r, &scores.scores);
    r->value[5] = scores.accuracy;
    r->told = slt_told_name(scores.told);
    r->told_count = scores.told_count;
    r->has_other = scores.has_other;
    r->counts_done = scores.counts_done;
    list_scores(r->other, &scores.other.mean);
    if (scores.has_labels) {
        r->value[6] = scores.forward;
        r->value[7] = scores.backward;
        r->value[8] = scores.ece;
    }
    return SLT_OK;
}

static slt_status score_rule(cli_call *call, const char *rule, slt_dataset *data, slt_split split,
                             row *r) {
    slt_score_summary summary;
    slt_baseline_report report;
    slt_status status = slt_baseline_score(call->context, data, split, cli_value(call, "missed-by"),
                                           rule, call->seed, &summary, &report);
    if (status != SLT_OK) return status;
    r->name = rule;
    r->told = slt_told_name(slt_rule_told(rule));
    r->told_count = slt_rule_told(rule) == SLT_KNOWS_COUNT;
    r->episodes = (int64_t)summary.trajectories;
    fill_scores(r, &summary);
    if (report.note[0] && !call->quiet) fprintf(stderr, "%s: %s\n", rule, report.note);
    return SLT_OK;
}

// ---- mean and spread over the runs of one configuration

static int pick(const row *rows, int count, const row *like, const row **out) {
    int picked = 0;
    for (int i = 0; i < count; i++)
        if (rows[i].configuration == like->configuration) out[picked++] = &rows[i];
    return picked;
}

static int summarise(const row *rows, int count, const row *like, row *mean, row *sd) {
    const row *picked[CLI_ITEMS];
    int n = pick(rows, count, like, picked);
    memset(mean, 0, sizeof *mean);
    memset(sd, 0, sizeof *sd);
    snprintf(mean->own, sizeof mean->own, "mean of %d", n);
    mean->name = mean->own;
    sd->name = "sd";
    memcpy(mean->model, like->model, sizeof mean->model);
    memcpy(sd->model, like->model, sizeof sd->model);
    for (int c = 0; c < COLUMNS; c++) {
        double sum = 0, squares = 0;
        for (int i = 0; i < n; i++) sum += picked[i]->value[c];
        mean->value[c] = sum / n;
        for (int i = 0; i < n; i++) {
            double difference = picked[i]->value[c] - mean->value[c];
            squares += difference * difference;
        }
        sd->value[c] = n > 1 ? sqrt(squares / (n - 1)) : NAN;
    }
    return n;
}

// the first run of its configuration?
static bool is_first(const row *rows, int i) {
    for (int k = 0; k < i; k++)
        if (rows[k].configuration == rows[i].configuration) return false;
    return true;
}

static int count_configurations(const row *rows, int count, const char *model) {
    int found = 0;
    for (int i = 0; i < count; i++)
        found += is_first(rows, i) && (!model || strcmp(rows[i].model, model) == 0);
    return found;
}

// ---- printing

static void print_values(const char *name, const char *model, const char *told, bool mark,
                         const double *value) {
    char text[16];
    snprintf(text, sizeof text, "%s%s", told ? told : "", mark ? "*" : "");
    printf("%-28s%-12s%-10s", name, model, text);
    for (int c = 0; c < COLUMNS; c++)
        if (isnan(value[c]))
            printf("%9s", "-");
        else
            printf("%9.2f", 100 * value[c]);
    putchar('\n');
}

static void print_row(const row *r) {
    print_values(r->name, r->model, r->told, r->told_count, r->value);
    if (r->has_other)
        print_values(r->counts_done ? "  the same without DONE" : "  the same with DONE", "",
                     r->told, r->told_count, r->other);
    if (r->has_types)
        printf("  types of segments: accuracy %.2f, purity %.2f, NMI %.2f; %d types, %d names\n",
               100 * r->types.accuracy, 100 * r->types.purity, 100 * r->types.nmi, r->types.types,
               r->types.names);
}

static void print_head(void) {
    printf("%-28s%-12s%-10s", "percent", "model", "told");
    for (int c = 0; c < COLUMNS; c++) printf("%9s", titles[c]);
    putchar('\n');
}

static void json_values(const double *value) {
    for (int c = 0; c < COLUMNS; c++) {
        printf("%s\"%s\":", c ? "," : "", titles[c]);
        if (isnan(value[c]))
            fputs("null", stdout);
        else
            printf("%.9g", value[c]);
    }
}

static void json_summary(const row *mean, const row *sd) {
    fputs("\"mean\":{", stdout);
    json_values(mean->value);
    fputs("},\"sd\":{", stdout);
    json_values(sd->value);
    putchar('}');
}

// several models, each of one configuration: mean and spread of each
static void json_models(const row *runs, int count) {
    row mean, sd;
    const char *before = "";
    if (count_configurations(runs, count, NULL) < 2) return;
    fputs(",\"models\":{", stdout);
    for (int i = 0; i < count; i++) {
        if (!is_first(runs, i) || count_configurations(runs, count, runs[i].model) > 1) continue;
        summarise(runs, count, &runs[i], &mean, &sd);
        printf("%s\"%s\":{", before, runs[i].model);
        json_summary(&mean, &sd);
        putchar('}');
        before = ",";
    }
    putchar('}');
}

// runs that differ in their seed alone
static void json_configurations(const row *runs, int count) {
    const row *picked[CLI_ITEMS];
    row mean, sd;
    if (count_configurations(runs, count, NULL) < 2) return;
    fputs(",\"configurations\":[", stdout);
    for (int i = 0; i < count; i++) {
        if (!is_first(runs, i)) continue;
        int n = pick(runs, count, &runs[i], picked);
        printf("%s{\"model\":\"%s\",\"runs\":[", i ? "," : "", runs[i].model);
        for (int k = 0; k < n; k++) {
            if (k) putchar(',');
            cli_json_text(stdout, picked[k]->name);
        }
        fputs("],", stdout);
        summarise(runs, count, &runs[i], &mean, &sd);
        json_summary(&mean, &sd);
        putchar('}');
    }
    putchar(']');
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
    printf(",\"model\":\"%s\",\"told\":\"%s\",\"told_count\":%s", r->model, r->told,
           r->told_count ? "true" : "false");
    printf(",\"split\":\"%s\",\"episodes\":%lld,", split, (long long)r->episodes);
    json_values(r->value);
    if (r->has_other) {
        printf(",\"%s\":{", r->counts_done ? "without_done" : "with_done");
        json_values(r->other);
        putchar('}');
    }
    if (r->has_types)
        printf(
            ",\"types\":{\"accuracy\":%.9g,\"purity\":%.9g,\"nmi\":%.9g,\"types\":%d,\"names\":%d,"
            "\"segments\":%lld}",
            r->types.accuracy, r->types.purity, r->types.nmi, r->types.types, r->types.names,
            (long long)r->types.segments);
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

static void print_json(const row *runs, int count, const row *baselines, int baseline_count,
                       const char *split) {
    fputs("{\"runs\":[", stdout);
    for (int i = 0; i < count; i++) {
        if (i) putchar(',');
        json_run(&runs[i], split);
    }
    row mean, sd;
    fputs("],", stdout);
    if (count_configurations(runs, count, NULL) > 1) {
        fputs("\"mean\":null,\"sd\":null", stdout); // of different configurations: each apart
    } else {
        summarise(runs, count, &runs[0], &mean, &sd);
        json_summary(&mean, &sd);
    }
    json_models(runs, count);
    json_configurations(runs, count);
    fputs(",\"baselines\":{", stdout);
    for (int i = 0; i < baseline_count; i++) {
        printf("%s\"%s\":{\"told\":\"%s\",", i ? "," : "", baselines[i].name, baselines[i].told);
        json_values(baselines[i].value);
        putchar('}');
    }
    puts("}}");
}

static void print_table(const row *runs, int count, const row *baselines, int baseline_count,
                        const char *left_out) {
    bool mixed = false;
    print_head();
    for (int i = 0; i < count; i++) {
        print_row(&runs[i]);
        mixed = mixed || count_configurations(runs, count, runs[i].model) > 1;
    }
    for (int i = 0; i < count; i++) {
        row mean, sd;
        if (!is_first(runs, i) || summarise(runs, count, &runs[i], &mean, &sd) < 2) continue;
        if (count_configurations(runs, count, runs[i].model) > 1)
            printf("runs like %s:\n", runs[i].name);
        print_row(&mean);
        print_row(&sd);
    }
    if (mixed) puts("different configurations: means only over runs that differ in their seed");
    puts("told: what the method was told of the labels (*: the true number of segments of every "
         "trajectory)\nece: expected calibration error of confidence");
    if (baseline_count) puts("baselines:");
    for (int i = 0; i < baseline_count; i++) print_row(&baselines[i]);
    if (*left_out) printf("left out, they do not take actions of this kind: %s\n", left_out);
    if (count && isnan(runs[0].value[0]))
        puts("this data set has no labels: only the accuracy is known");
}

// ---- running

enum { ROWS = CLI_ITEMS };

typedef struct {
    row runs[ROWS], baselines[16];
    int run_count, baseline_count;
    int data_given;     // 1: the last argument is the data set
    char left_out[128]; // baselines that do not take such actions
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
    for (int i = 0; slt_baseline_name(i) && t->baseline_count < 16; i++) {
        row *r = &t->baselines[t->baseline_count];
        const char *name = slt_baseline_name(i);
        slt_status status = score_rule(call, name, data, split, r);
        size_t used = strlen(t->left_out);
        if (status == SLT_OK) t->baseline_count++;
        if (status == SLT_UNSUPPORTED)
            snprintf(t->left_out + used, sizeof t->left_out - used, "%s%s", used ? ", " : "", name);
    }
    return SLT_OK;
}

// a data set after the runs?
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
    static table t;
    char path[4096];
    slt_split split;
    if (!cli_split_flag(call, &split)) return CLI_USAGE;
    if (cli_value(call, "rule") && (call->count > 1 || cli_value(call, "data")))
        return cli_misuse(call, "--rule takes one data set; '%s' is one more",
                          call->count > 1 ? call->arguments[1] : cli_value(call, "data"));
    if (call->count && !cli_choose_columns(call, call->count - 1)) return CLI_USAGE;
    slt_status status = find_data(call, &t, path, sizeof path);
    if (status != SLT_OK) return cli_fail(status);
    if (!path[0]) return cli_misuse(call, "name the data set after the runs");
    slt_dataset *data;
    bool named = t.data_given || cli_value(call, "data") || cli_value(call, "rule");
    status = slt_dataset_open(call->context, path, &data);
    if (status != SLT_OK) cli_fail(status);
    if (status == SLT_IO && !named)
        fprintf(stderr,
                "%s was trained on it, in another folder perhaps: name the data set with --data\n",
                call->arguments[0]);
    if (status != SLT_OK) return CLI_FAILED;
    status = fill_table(call, data, split, &t);
    slt_dataset_close(data);
    if (status != SLT_OK) return cli_fail(status);
    if (call->json)
        print_json(t.runs, t.run_count, t.baselines, t.baseline_count, slt_split_name(split));
    else
        print_table(t.runs, t.run_count, t.baselines, t.baseline_count, t.left_out);
    return CLI_DONE;
}

const cli_command cli_eval = {
    .name = "eval",
    .arguments = "RUN... [DATA] | --rule RULE DATA",
    .summary = "scores trained models against labels and baselines",
    .text =
        "Prints F1 (as the reference counts, and one-to-one), alignment, ARI, Covering,\n"
        "reconstruction accuracy, Forward and Backward Access; several runs in one table, with\n"
        "mean and standard deviation over runs that differ only in their seed. Comparison models\n"
        "that read a last step DONE are scored without it and with it. Default DATA: the data of\n"
        "the first run.\n\n"
        "  slottar eval runs/slottar-0 runs/slottar-1 runs/ompn-0\n"
        "  slottar eval runs/a new.safetensors --split valid\n"
        "  slottar eval runs/a noisy.safetensors --missed-by delimiter\n"
        "  slottar eval --rule delimiter craft-full.safetensors\n",
    .flags = flags,
    .least = 1,
    .most = -1,
    .run = run,
};
