// Steps as JSON lines, each answered with a line. A line is held in a buffer of one size: what is
// longer is no step.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include "segment_follow.h"
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "json_text.h"
#include "signals.h"
#include "slottar/stream.h"

enum { DEFAULT_LAG = 5, LEAST_LINE = 65536, PER_NUMBER = 64 };

typedef struct {
    slt_stream *stream;
    char *line;           // [room]
    size_t room, used;    // used: of a line whose end has not come yet
    bool too_long;        // that line does not fit: its rest is left out
    int64_t number;       // of the line, from 1
    int64_t episode, bad; // bad: lines that were refused
    char first[512];      // what was wrong with the first of them
} follower;

// ---- answers

static void print_boundary(const slt_stream_boundary *b) {
    printf("{\"step\":%lld,\"confidence\":%.4f,\"type\":%d}", (long long)b->step,
           (double)b->confidence, b->type);
}

static void print_event(const follower *f, const slt_stream_event *e) {
    printf("{\"episode\":%lld,\"step\":%lld,\"probability\":%.4f,\"segment\":%lld,\"type\":%d,"
           "\"decided\":%lld",
           (long long)f->episode, (long long)e->step, e->probability, (long long)e->segment,
           e->type, (long long)e->decided);
    if (e->boundary.step >= 0) {
        fputs(",\"boundary\":", stdout);
        print_boundary(&e->boundary);
    }
    puts("}");
}

static void finish(follower *f) {
    slt_stream_end end;
    if (slt_stream_finish(f->stream, &end) != SLT_OK || !end.length) return;
    printf("{\"episode\":%lld,\"length\":%lld,\"segments\":%lld,\"type\":%d,\"boundaries\":[",
           (long long)f->episode++, (long long)end.length, (long long)end.segments, end.type);
    for (int i = 0; i < end.boundary_count; i++) {
        if (i) putchar(',');
        print_boundary(&end.boundaries[i]);
    }
    puts("]}");
}

static void refuse(follower *f, const char *why) {
    if (!f->bad++) snprintf(f->first, sizeof f->first, "line %lld: %s", (long long)f->number, why);
    printf("{\"line\":%lld,\"error\":", (long long)f->number);
    cli_json_text(stdout, cli_plain(why).text);
    puts("}");
}

// ---- lines

static void take_line(follower *f) {
    slt_stream_event event;
    bool pushed, end;
    f->number++;
    if (f->too_long) {
        char why[128];
        snprintf(why, sizeof why, "longer than %zu bytes: no step of this model", f->room);
        refuse(f, why);
    } else if (slt_stream_push_json(f->stream, f->line, f->used, &event, &pushed, &end) != SLT_OK) {
        refuse(f, slt_last_error());
    } else {
        if (pushed) print_event(f, &event);
        if (end) finish(f);
    }
    f->used = 0;
    f->too_long = false;
}

static bool is_blank(const follower *f) {
    for (size_t i = 0; i < f->used; i++)
        if (!strchr(" \t\r", f->line[i])) return false;
    return !f->too_long;
}

// whole lines out of what came
static void take(follower *f, const char *bytes, size_t count) {
    while (count) {
        const char *newline = memchr(bytes, '\n', count);
        size_t part = newline ? (size_t)(newline - bytes) : count;
        size_t fits = part < f->room - f->used ? part : f->room - f->used;
        memcpy(f->line + f->used, bytes, fits);
        f->used += fits;
        f->too_long |= fits < part;
        if (!newline) return;
        if (is_blank(f))
            f->number++, f->used = 0;
        else
            take_line(f);
        bytes += part + 1;
        count -= part + 1;
    }
}

// until the input ends or a signal comes
static int follow(cli_call *call, follower *f, int input) {
    static char bytes[65536];
    ssize_t got;
    cli_catch_signals(call->context);
    while ((got = read(input, bytes, sizeof bytes)) > 0 && !cli_caught_signal()) {
        take(f, bytes, (size_t)got);
        if (fflush(stdout) != 0) break;
    }
    int problem = got < 0 && !cli_caught_signal() ? errno : 0;
    if (!cli_caught_signal() && !is_blank(f)) take_line(f); // the last one has no end
    finish(f);
    if (fflush(stdout) != 0)
        return fputs("slottar: standard output is closed\n", stderr), CLI_FAILED;
    if (problem)
        return fprintf(stderr, "slottar: reading steps: %s\n", strerror(problem)), CLI_FAILED;
    if (cli_caught_signal()) {
        fprintf(stderr, "stopped after %lld lines\n", (long long)f->number);
        return cli_caught_signal();
    }
    if (f->bad)
        fprintf(stderr, "slottar: %lld of %lld lines were no steps and were left out; %s\n",
                (long long)f->bad, (long long)f->number, f->first);
    return f->bad ? CLI_FAILED : CLI_DONE;
}

// ---- starting

static slt_status open_stream(cli_call *call, slt_model *model, slt_stream **out) {
    int64_t lag, answer;
    cli_number(call, "lag", 0, SLT_MOST_LAG, DEFAULT_LAG, &lag);
    cli_number(call, "answer", 1, SLT_MOST_ANSWERS, 0, &answer);
    slt_stream_options options = {.lag = (int)lag, .endless = cli_value(call, "endless") != NULL};
    const char *group = cli_value(call, "group");
    slt_status status = group || answer ? slt_model_take(model, group, (int)answer) : SLT_OK;
    return status == SLT_OK ? slt_stream_open(model, &options, out) : status;
}

static int run(cli_call *call, follower *f) {
    const slt_stream_info *info = slt_stream_about(f->stream);
    int input = STDIN_FILENO;
    f->room = LEAST_LINE + PER_NUMBER * (size_t)(info->observation + info->action_size);
    f->line = malloc(f->room);
    if (!f->line) return cli_fail(SLT_NOMEM);
    if (call->count == 2 && (input = open(call->arguments[1], O_RDONLY | O_CLOEXEC)) < 0) {
        fprintf(stderr, "slottar: %s: %s\n", call->arguments[1], strerror(errno));
        free(f->line);
        return CLI_FAILED;
    }
    int code = follow(call, f, input);
    if (input != STDIN_FILENO) close(input);
    free(f->line);
    return code;
}

static bool check_flags(cli_call *call) {
    static const char *const others[] = {"output",       "split",      "show",          "limit",
                                         "min-length",   "max-length", "split-by-type", "run",
                                         "runs",         "seconds",    "restarts",      "actions",
                                         "observations", "episode",    "force"};
    int64_t number;
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (cli_value(call, others[i]))
            return cli_misuse(call, "--%s does not go with --follow", others[i]), false;
    if (call->setting_count)
        return cli_misuse(call, "'%s' is for training, and --follow needs a RUN",
                          call->settings[0]),
               false;
    return cli_number(call, "lag", 0, SLT_MOST_LAG, DEFAULT_LAG, &number) &&
           cli_number(call, "answer", 1, SLT_MOST_ANSWERS, 0, &number);
}

int cli_follow(cli_call *call) {
    follower f = {0};
    slt_model *model = NULL;
    if (!check_flags(call)) return CLI_USAGE;
    slt_status status = slt_model_open(call->context, call->arguments[0], &model);
    if (status == SLT_OK) status = open_stream(call, model, &f.stream);
    int code = status == SLT_OK ? run(call, &f) : cli_fail(status);
    slt_stream_close(f.stream);
    slt_model_close(model);
    return code;
}
