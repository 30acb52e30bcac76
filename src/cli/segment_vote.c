// The vote of `slottar segment`.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include "segment_vote.h"
#include <string.h>
#include "commands.h"
#include "json_text.h"

static const char *setting(const cli_call *call, const char *key) {
    size_t length = strlen(key);
    const char *value = NULL;
    for (int i = 0; i < call->setting_count; i++)
        if (strncmp(call->settings[i], key, length) == 0 && call->settings[i][length] == '=')
            value = call->settings[i] + length + 1;
    return value;
}

bool cli_wants_vote(const cli_call *call) {
    int known = 0;
    for (int i = 0; i < call->setting_count; i++)
        known += strncmp(call->settings[i], "kind=", 5) == 0 ||
                 strncmp(call->settings[i], "prior=", 6) == 0;
    return !cli_value(call, "restarts") && known == call->setting_count;
}

bool cli_vote_options(cli_call *call, int min_length, slt_segmenter_options *out) {
    static const char *const kinds[] = {"auto", "events", "phases", "windows", "mdl"};
    const char *kind = setting(call, "kind");
    int64_t runs, seconds;
    if (!cli_number(call, "runs", 4, 1000, 0, &runs)) return false;
    if (!cli_number(call, "seconds", 1, 1000000000, 0, &seconds)) return false;
    *out = (slt_segmenter_options){.runs = (int)runs,
                                   .seconds = (double)seconds,
                                   .seed = call->seed,
                                   .prior = setting(call, "prior"),
                                   .min_length = min_length};
    for (int i = 0; kind && i < 5; i++)
        if (strcmp(kinds[i], kind) == 0) {
            out->kind = (slt_segment_kind)i;
            return true;
        }
    if (kind) cli_misuse(call, "kind=%s: auto, events, phases, windows or mdl", kind);
    return !kind;
}

static void print_group(FILE *out, const slt_vote_group *g, bool chosen) {
    fprintf(out, "%s %s: %d runs, %.1f segments, trust %.2f\n", chosen ? "*" : " ", g->name,
            g->runs, g->segments, g->trust);
    for (int i = 0; g->answer_count > 1 && i < g->answer_count; i++)
        fprintf(out, "    answer %d: %d runs, %.1f segments%s%s\n", i + 1, g->answers[i].runs,
                g->answers[i].segments, g->answers[i].words[0] ? ": " : "",
                cli_plain(g->answers[i].words).text);
}

void cli_print_vote(FILE *out, const slt_vote_result *vote) {
    fprintf(out, "the vote, told %s:\n", vote->told);
    for (int g = 0; g < vote->group_count; g++)
        print_group(out, &vote->groups[g], g == vote->chosen);
}

void cli_json_answer_list(FILE *out, const slt_vote_group *g) {
    fputs("\"answers\":[", out);
    for (int i = 0; i < g->answer_count; i++) {
        fprintf(out, "%s{\"runs\":%d,\"segments\":%.4f,\"agreement\":%.4f,\"words\":", i ? "," : "",
                g->answers[i].runs, g->answers[i].segments, g->answers[i].agreement);
        cli_json_text(out, g->answers[i].words);
        putc('}', out);
    }
    putc(']', out);
}

void cli_json_answers(FILE *out, const slt_vote_result *vote, int64_t answer) {
    const slt_vote_group *g = &vote->groups[vote->chosen];
    fprintf(out, ",\"group\":\"%s\",\"answer\":%d,", g->name, (int)answer);
    cli_json_answer_list(out, g);
}
