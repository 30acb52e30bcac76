// slottar info FILE: what is in a data set, a run directory or any safetensors file.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include "commands.h"
#include "data_columns.h"
#include "info_run.h"
#include "info_vote.h"
#include "json_text.h"
#include "slottar/dataset.h"
#include "slottar/inspect.h"

static void print_shape(const int64_t *shape, int rank) {
    putchar('[');
    for (int i = 0; i < rank; i++) printf("%s%" PRId64, i ? "," : "", shape[i]);
    putchar(']');
}

static void print_text(const char *text) {
    if (text)
        cli_json_text(stdout, text);
    else
        fputs("null", stdout);
}

// ---- any safetensors file

static void list_plain(const slt_tensor_list *list) {
    uint64_t bytes = 0;
    const char *key, *value;
    for (size_t i = 0; i < slt_tensor_list_texts(list); i++) {
        slt_tensor_list_text(list, i, &key, &value);
        printf("%s = %.300s\n", cli_plain(key).text, cli_plain(value).text);
    }
    for (size_t i = 0; i < slt_tensor_list_count(list); i++) {
        slt_tensor_entry entry = slt_tensor_list_at(list, i);
        printf("%-48s %-4s ", cli_plain(entry.name).text, entry.dtype);
        print_shape(entry.shape, entry.rank);
        putchar('\n');
        bytes += entry.bytes;
    }
    printf("%zu tensors, %" PRIu64 " bytes\n", slt_tensor_list_count(list), bytes);
}

static void list_json(const slt_tensor_list *list, const char *path) {
    const char *key, *value;
    fputs("{\"file\":", stdout);
    cli_json_text(stdout, path);
    fputs(",\"kind\":\"tensors\",\"metadata\":{", stdout);
    for (size_t i = 0; i < slt_tensor_list_texts(list); i++) {
        slt_tensor_list_text(list, i, &key, &value);
        if (i) putchar(',');
        cli_json_text(stdout, key);
        putchar(':');
        cli_json_text(stdout, value);
    }
    fputs("},\"tensors\":[", stdout);
    for (size_t i = 0; i < slt_tensor_list_count(list); i++) {
        slt_tensor_entry entry = slt_tensor_list_at(list, i);
        fputs(i ? ",{\"name\":" : "{\"name\":", stdout);
        cli_json_text(stdout, entry.name);
        printf(",\"dtype\":\"%s\",\"shape\":", entry.dtype);
        print_shape(entry.shape, entry.rank);
        printf(",\"bytes\":%" PRIu64 "}", entry.bytes);
    }
    puts("]}");
}

static int show_tensors(cli_call *call, const char *path) {
    slt_tensor_list *list;
    slt_status status = slt_tensor_list_open(call->context, path, &list);
    if (status != SLT_OK) return cli_fail(status);
    if (call->json)
        list_json(list, path);
    else
        list_plain(list);
    slt_tensor_list_close(list);
    return CLI_DONE;
}

// ---- data sets

typedef struct {
    const slt_dataset_info *about;
    int64_t splits[SLT_SPLITS];
    slt_histogram lengths, segments;
    slt_channel *channels; // [action_size]; NULL for discrete actions
    const char *left_out;  // observations that were not imported; NULL: none
} data_summary;

static slt_status sum_up(slt_dataset *data, data_summary *out) {
    const int64_t *members;
    out->about = slt_dataset_about(data);
    for (int i = 0; i < SLT_SPLITS; i++)
        out->splits[i] = slt_dataset_split(data, (slt_split)i, &members);
    out->left_out = slt_dataset_metadata(data, "left_out");
    slt_status status = slt_dataset_check(data);
    if (status == SLT_OK && out->about->action_kind == SLT_ACTIONS_CONTINUOUS) {
        out->channels = calloc((size_t)out->about->action_size, sizeof *out->channels);
        status = out->channels ? slt_dataset_channels(data, out->channels) : SLT_NOMEM;
    }
    if (status == SLT_OK) status = slt_dataset_histogram(data, SLT_COUNT_LENGTHS, &out->lengths);
    if (status == SLT_OK && out->about->has_segments)
        status = slt_dataset_histogram(data, SLT_COUNT_SEGMENTS, &out->segments);
    return status;
}

static const char *kind_name(slt_observation_kind kind) {
    static const char *const names[] = {"none", "u8", "f32", "bits"};
    return names[kind];
}

// the optional fields that are there
static void print_fields(const slt_dataset_info *about, const char *separator, const char *quote) {
    const struct {
        const char *name;
        bool is_there;
    } fields[] = {{"rewards", about->has_rewards},
                  {"segment", about->has_segments},
                  {"final_observations", about->has_finals},
                  {"split", about->has_splits},
                  {"terminated", about->has_terminated},
                  {"truncated", about->has_truncated},
                  {"seed", about->has_seeds},
                  {"task", about->has_tasks}};
    const char *between = "";
    for (size_t i = 0; i < sizeof fields / sizeof *fields; i++) {
        if (!fields[i].is_there) continue;
        printf("%s%s%s%s", between, quote, fields[i].name, quote);
        between = separator;
    }
}

static void print_bars(const char *title, const slt_histogram *histogram) {
    enum { WIDTH = 48 };
    int64_t top = 1;
    for (int i = 0; i < histogram->bin_count; i++)
        if (histogram->bins[i] > top) top = histogram->bins[i];
    printf("\n%s: %" PRId64 " to %" PRId64 ", mean %.2f, sd %.2f\n", title, histogram->least,
           histogram->most, histogram->mean, histogram->deviation);
    for (int i = 0; i < histogram->bin_count; i++) {
        int64_t low = histogram->low + i * histogram->width, high = low + histogram->width - 1;
        char range[48];
        if (low == high)
            snprintf(range, sizeof range, "%" PRId64, low);
        else
            snprintf(range, sizeof range, "%" PRId64 "-%" PRId64, low, high);
        // at least one mark for what is there at all
        int marks = (int)((double)histogram->bins[i] / (double)top * WIDTH);
        if (marks == 0 && histogram->bins[i]) marks = 1;
        printf("%12s %8" PRId64 " %.*s\n", range, histogram->bins[i], marks,
               "################################################");
    }
}

static void print_channels(const data_summary *summary) {
    enum { SHOWN = 24 };
    int size = summary->about->action_size;
    printf("actions: continuous, %d number%s\n", size, size == 1 ? "" : "s");
    for (int i = 0; i < size && i < SHOWN; i++) {
        const slt_channel *c = &summary->channels[i];
        char number[16];
        snprintf(number, sizeof number, "%d", i);
        printf("%12.40s  ", cli_plain(c->name ? c->name : number).text);
        if (c->kind == SLT_CHANNEL_CONSTANT)
            printf("constant %.4g\n", (double)c->least);
        else if (c->kind == SLT_CHANNEL_BINARY)
            printf("binary, %.4g or %.4g, mean %.4g\n", (double)c->least, (double)c->most, c->mean);
        else
            printf("%.4g to %.4g, mean %.4g, sd %.4g\n", (double)c->least, (double)c->most, c->mean,
                   c->deviation);
    }
    if (size > SHOWN) printf("%12s  and %d more\n", "", size - SHOWN);
}

static void print_discrete(const slt_dataset_info *about) {
    printf("actions: %d", about->action_count);
    for (int i = 0; about->action_names && i < about->action_count; i++)
        printf("%s%s", i ? " " : ": ", cli_plain(about->action_names[i]).text);
    putchar('\n');
}

static void show_plain(const data_summary *summary) {
    const slt_dataset_info *about = summary->about;
    printf("data set: %" PRId64 " episodes, %" PRId64 " steps, longest %" PRId64 "\n",
           about->episodes, about->steps, about->longest);
    if (about->environment) printf("environment: %s\n", cli_plain(about->environment).text);
    if (about->expert) printf("expert: %s\n", cli_plain(about->expert).text);
    if (summary->channels)
        print_channels(summary);
    else
        print_discrete(about);
    printf("observations: %s ", kind_name(about->observation_kind));
    if (about->observation_size) print_shape(about->observation_shape, about->observation_rank);
    for (int i = 0; about->observation_names && i < about->observation_size && i < 24; i++)
        printf(" %s", cli_plain(about->observation_names[i]).text);
    if (about->observation_names && about->observation_size > 24) fputs(" ...", stdout);
    if (about->observation_meaning) printf(" %s", cli_plain(about->observation_meaning).text);
    if (summary->left_out) printf("\nleft out: %s", cli_plain(summary->left_out).text);
    fputs("\nfields: actions ", stdout);
    print_fields(about, " ", "");
    fputs("\nsplits:", stdout);
    for (int i = 0; i < SLT_SPLITS; i++)
        printf(" %s %" PRId64, slt_split_name((slt_split)i), summary->splits[i]);
    putchar('\n');
    print_bars("steps per episode", &summary->lengths);
    if (about->has_segments) print_bars("segments per episode", &summary->segments);
}

static void print_histogram(const char *name, const slt_histogram *histogram) {
    printf(",\"%s\":{\"least\":%" PRId64 ",\"most\":%" PRId64
           ",\"mean\":%.9g,\"sd\":%.9g,\"low\":%" PRId64 ",\"width\":%" PRId64 ",\"bins\":",
           name, histogram->least, histogram->most, histogram->mean, histogram->deviation,
           histogram->low, histogram->width);
    print_shape(histogram->bins, histogram->bin_count);
    putchar('}');
}

static void print_channels_json(const data_summary *summary) {
    for (int i = 0; summary->channels && i < summary->about->action_size; i++) {
        const slt_channel *c = &summary->channels[i];
        fputs(i ? ",{\"name\":" : ",\"channels\":[{\"name\":", stdout);
        print_text(c->name);
        printf(",\"kind\":\"%s\",\"least\":%.9g,\"most\":%.9g,\"mean\":%.9g,\"sd\":%.9g}",
               slt_channel_kind_name(c->kind), (double)c->least, (double)c->most, c->mean,
               c->deviation);
    }
    if (summary->channels) putchar(']');
}

static void show_json(const data_summary *summary, const char *path) {
    const slt_dataset_info *about = summary->about;
    fputs("{\"file\":", stdout);
    cli_json_text(stdout, path);
    printf(",\"kind\":\"dataset\",\"episodes\":%" PRId64 ",\"steps\":%" PRId64
           ",\"longest\":%" PRId64 ",\"environment\":",
           about->episodes, about->steps, about->longest);
    print_text(about->environment);
    fputs(",\"expert\":", stdout);
    print_text(about->expert);
    bool discrete = about->action_kind == SLT_ACTIONS_DISCRETE;
    printf(",\"actions\":{\"kind\":\"%s\",\"count\":%d,\"names\":[",
           discrete ? "discrete" : "continuous",
           discrete ? about->action_count : about->action_size);
    int names = discrete ? about->action_count : about->action_size;
    for (int i = 0; about->action_names && i < names; i++) {
        if (i) putchar(',');
        cli_json_text(stdout, about->action_names[i]);
    }
    putchar(']');
    print_channels_json(summary);
    printf("},\"observations\":{\"kind\":\"%s\",\"shape\":", kind_name(about->observation_kind));
    print_shape(about->observation_shape, about->observation_rank);
    fputs(",\"left_out\":", stdout);
    print_text(summary->left_out);
    fputs("},\"fields\":[", stdout);
    print_fields(about, ",", "\"");
    fputs("],\"splits\":{", stdout);
    for (int i = 0; i < SLT_SPLITS; i++)
        printf("%s\"%s\":%" PRId64, i ? "," : "", slt_split_name((slt_split)i), summary->splits[i]);
    putchar('}');
    print_histogram("lengths", &summary->lengths);
    if (about->has_segments) print_histogram("segments", &summary->segments);
    puts("}");
}

static int show_dataset(cli_call *call, const char *path) {
    slt_dataset *data;
    slt_status status = slt_dataset_open(call->context, path, &data);
    if (status != SLT_OK) return cli_fail(status);
    data_summary summary = {0};
    status = sum_up(data, &summary);
    if (status == SLT_OK && call->json)
        show_json(&summary, path);
    else if (status == SLT_OK)
        show_plain(&summary);
    free(summary.channels);
    slt_dataset_close(data);
    return status == SLT_OK ? CLI_DONE : cli_fail(status);
}

static const cli_flag flags[] = {CLI_COLUMN_FLAGS, {NULL, 0, NULL, NULL}};

static int run(cli_call *call) {
    if (!cli_choose_columns(call, 0)) return CLI_USAGE;
    slt_file_kind kind;
    slt_status status = slt_file_look(call->context, call->arguments[0], &kind);
    if (status != SLT_OK) return cli_fail(status);
    int (*const show[])(cli_call *, const char *) = {[SLT_FILE_DATASET] = show_dataset,
                                                     [SLT_FILE_TENSORS] = show_tensors,
                                                     [SLT_FILE_RUN] = cli_show_run,
                                                     [SLT_FILE_MEMBERS] = cli_show_vote};
    return show[kind](call, call->arguments[0]);
}

const cli_command cli_info = {
    .name = "info",
    .arguments = "FILE",
    .summary = "describes a file or a run directory",
    .text =
        "FILE is a data set of any format (episodes, actions, observations, and histograms of\n"
        "lengths and numbers of segments; every value is checked) or any safetensors file\n"
        "(a checkpoint: its metadata and tensors), or a run directory: what is trained there,\n"
        "how far it came, its best epoch, and the command that resumes it; of members that vote,\n"
        "the groups, how far to trust them, and what they learned from.\n\n"
        "  slottar info demos.safetensors\n"
        "  slottar info runs/a\n"
        "  slottar info runs/a/best.safetensors --json\n",
    .flags = flags,
    .least = 1,
    .most = 1,
    .run = run,
};
