// slottar info RUN, where members vote: their groups, what they were told, and how far to trust
// them.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include "info_vote.h"

#include <stdio.h>
#include "json_text.h"
#include "segment_vote.h"
#include "show_trust.h"

static void print_vote(const slt_model_info *about, const slt_vote_result *vote, const char *path) {
    printf("members that vote, learned from %s\n",
           about->data ? cli_plain(about->data).text : "data in memory");
    printf("for data with %d %s and observations of %d numbers\n",
           about->actions + about->action_size,
           about->action_size ? "numbers per action" : "actions", about->observation);
    cli_print_vote(stdout, vote);
    cli_print_trust(stdout, &about->trust);
    printf("next: slottar segment %s DATA; slottar eval %s\n", path, path);
}

static void json_group(const slt_vote_group *g, bool chosen) {
    printf("{\"name\":\"%s\",\"chosen\":%s,\"runs\":%d,\"segments\":%.4f,\"trust\":%.4f,"
           "\"agreement\":%.4f,",
           g->name, chosen ? "true" : "false", g->runs, g->segments, g->trust, g->agreement);
    cli_json_answer_list(stdout, g);
    putchar('}');
}

static void json_vote(const slt_model_info *about, const slt_vote_result *vote, const char *path) {
    fputs("{\"file\":", stdout);
    cli_json_text(stdout, path);
    fputs(",\"kind\":\"vote\",\"data\":", stdout);
    if (about->data)
        cli_json_text(stdout, about->data);
    else
        fputs("null", stdout);
    fputs(",\"told\":", stdout);
    cli_json_text(stdout, vote->told);
    printf(",\"actions\":{\"kind\":\"%s\",\"count\":%d},\"observation\":%d,\"groups\":[",
           about->action_size ? "continuous" : "discrete", about->actions + about->action_size,
           about->observation);
    for (int g = 0; g < vote->group_count; g++) {
        if (g) putchar(',');
        json_group(&vote->groups[g], g == vote->chosen);
    }
    fputs("],\"trust\":", stdout);
    cli_json_trust(stdout, &about->trust);
    puts("}");
}

int cli_show_vote(cli_call *call, const char *path) {
    slt_model *model;
    slt_status status = slt_model_open(call->context, path, &model);
    if (status != SLT_OK) return cli_fail(status);
    const slt_vote_result *vote = slt_segmenter_result(slt_model_vote(model));
    (call->json ? json_vote : print_vote)(slt_model_about(model), vote, path);
    slt_model_close(model);
    return CLI_DONE;
}
