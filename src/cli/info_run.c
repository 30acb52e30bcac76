// slottar info RUN: what is trained in a run directory, how far it came, and how it continues.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include "info_run.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>
#include "json_text.h"
#include "show_trust.h"
#include "slottar/run.h"

// ---- the command that resumes it

typedef struct {
    char text[1 << 16];
    size_t length;
} line;

static void put(line *out, char c) {
    if (out->length + 1 < sizeof out->text) out->text[out->length++] = c;
}

// a word that a shell reads as it is, in quotes where it has to be
static void put_word(line *out, const char *word) {
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
                                "_-./,:=+@%~";
    bool quoted = !*word || *word == '~' || word[strspn(word, plain)];
    if (out->length) put(out, ' ');
    if (quoted) put(out, '\'');
    for (; *word; word++) {
        if (*word == '\'')
            for (const char *c = "'\\'"; *c; c++) put(out, *c);
        put(out, *word);
    }
    if (quoted) put(out, '\'');
}

static void put_number(line *out, const char *flag, uint64_t value) {
    char text[24];
    snprintf(text, sizeof text, "%" PRIu64, value);
    put_word(out, flag);
    put_word(out, text);
}

static void write_command(line *out, const slt_run_info *run, const char *path) {
    const char *const words[] = {"slottar", "train", run->model, run->data, "-o", path};
    memset(out, 0, sizeof *out);
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) put_word(out, words[i]);
    for (int i = 0; i < run->setting_count; i++) put_word(out, run->settings[i]);
    if (run->restarts > 1) put_number(out, "--restarts", (uint64_t)run->restarts);
    if (run->seed) put_number(out, "--seed", run->seed);
}

// ---- for people

static void print_progress(const slt_run_info *run) {
    printf("%s: %" PRId64, run->finished ? "finished" : "not finished", run->epochs);
    if (run->most_epochs) printf(" of at most %" PRId64, run->most_epochs);
    printf(" epochs, %" PRId64, run->steps);
    if (run->most_steps) printf(" of at most %" PRId64, run->most_steps);
    puts(" steps");
}

static void print_scores(const char *name, const slt_run_epoch *scores) {
    if (isnan(scores->loss)) return;
    printf("%s: loss %.4f", name, scores->loss);
    if (!isnan(scores->f1))
        printf(", F1 %.2f, alignment %.2f", 100 * scores->f1, 100 * scores->align);
    putchar('\n');
}

static void print_run(const slt_run_info *run, const char *path, const line *command) {
    printf("run: %s on %s, seed %" PRIu64, run->model, run->data, run->seed);
    if (run->restarts > 1) printf(", %d restarts", run->restarts);
    fputs("\nconfiguration:", stdout);
    for (int i = 0; i < run->setting_count; i++) printf(" %s", run->settings[i]);
    puts(run->setting_count ? " (all others are the defaults)" : " the defaults");
    print_progress(run);
    if (run->best_epoch)
        printf("best epoch: %" PRId64 "\n", run->best_epoch);
    else
        puts("best epoch: none yet");
    print_scores("valid", &run->valid);
    print_scores("test", &run->test);
    if (run->finished) cli_print_trust(stdout, &run->trust);
    if (run->finished)
        printf("next: slottar eval %s; slottar segment %s DATA\n", path, path);
    else
        printf("to resume: %s\n", command->text);
}

// ---- for programs

static void json_number(const char *name, double value) {
    if (isfinite(value))
        printf("\"%s\":%.9g", name, value);
    else
        printf("\"%s\":null", name);
}

static void json_scores(const char *name, const slt_run_epoch *scores) {
    printf(",\"%s\":{", name);
    json_number("loss", scores->loss);
    putchar(',');
    json_number("f1", scores->f1);
    putchar(',');
    json_number("align", scores->align);
    putchar('}');
}

static void json_settings(const slt_run_info *run) {
    fputs(",\"settings\":[", stdout);
    for (int i = 0; i < run->setting_count; i++) {
        if (i) putchar(',');
        cli_json_text(stdout, run->settings[i]);
    }
    putchar(']');
}

static void json_run(const slt_run_info *run, const char *path, const line *command) {
    fputs("{\"file\":", stdout);
    cli_json_text(stdout, path);
    fputs(",\"kind\":\"run\",\"model\":", stdout);
    cli_json_text(stdout, run->model);
    fputs(",\"data\":", stdout);
    cli_json_text(stdout, run->data);
    printf(",\"seed\":%" PRIu64 ",\"restarts\":%d", run->seed, run->restarts);
    json_settings(run);
    printf(",\"epochs\":%" PRId64 ",\"most_epochs\":%" PRId64 ",\"steps\":%" PRId64
           ",\"most_steps\":%" PRId64 ",\"finished\":%s,\"best_epoch\":%" PRId64,
           run->epochs, run->most_epochs, run->steps, run->most_steps,
           run->finished ? "true" : "false", run->best_epoch);
    json_scores("valid", &run->valid);
    json_scores("test", &run->test);
    fputs(",\"trust\":", stdout);
    cli_json_trust(stdout, &run->trust);
    fputs(",\"command\":", stdout);
    cli_json_text(stdout, command->text);
    puts("}");
}

int cli_show_run(cli_call *call, const char *path) {
    static line command;
    slt_run *run;
    slt_status status = slt_run_open(call->context, path, &run);
    if (status != SLT_OK) return cli_fail(status);
    write_command(&command, slt_run_about(run), path);
    (call->json ? json_run : print_run)(slt_run_about(run), path, &command);
    slt_run_close(run);
    return CLI_DONE;
}
