// slottar collect ENV...: plays an expert and records a data set.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "commands.h"
#include "json_text.h"
#include "signals.h"
#include "slottar/expert.h"

// ---- the request

static bool read_sizes(const cli_call *call, slt_collect_request *request) {
    const char *split = cli_value(call, "split"), *all = cli_value(call, "episodes");
    if (split && all) return cli_misuse(call, "--episodes or --split, not both"), false;
    if (!split) return cli_number(call, "episodes", 1, CLI_MOST_EPISODES, 0, &request->episodes[0]);
    if (!cli_split(split, request->episodes))
        return cli_misuse(call,
                          "--split expects numbers of episodes like 10000,1000,1000, not '%s'",
                          split),
               false;
    for (int s = 0; s < SLT_SPLITS; s++)
        if (request->episodes[s]) return true;
    return cli_misuse(call, "--split %s asks for no episode", split), false;
}

static bool read_noise(const cli_call *call, double *noise) {
    const char *text = cli_value(call, "noise");
    if (!text) return true;
    char *end;
    *noise = strtod(text, &end);
    if (end != text && !*end && *noise >= 0 && *noise <= 1) return true;
    return cli_misuse(call, "--noise expects a share from 0 to 1, not '%s'", text), false;
}

// NAME.safetensors here when there is no -o
static bool choose_path(const cli_call *call, char *path, size_t size) {
    const char *given = cli_value(call, "output");
    if (!given && call->count > 1)
        return cli_misuse(call, "several environments need a name: -o FILE"), false;
    int length = given ? snprintf(path, size, "%s", given)
                       : snprintf(path, size, "%s.safetensors", call->arguments[0]);
    if (length > 0 && (size_t)length < size) return true;
    return cli_misuse(call, "no name for a file: '%.40s'", given ? given : call->arguments[0]),
           false;
}

// ---- the result

static double percent(int64_t part, int64_t all) {
    return all ? 100.0 * (double)part / (double)all : 0;
}

static int64_t total(const slt_collect_summary *summary) {
    int64_t sum = 0;
    for (int s = 0; s < SLT_SPLITS; s++) sum += summary->episodes[s];
    return sum;
}

static void json_skills(const slt_collect_summary *summary) {
    fputs(",\"skills\":[", stdout);
    for (int k = 0; k < summary->skill_count; k++)
        printf("%s{\"skill\":%d,\"starts\":%" PRId64 ",\"reached\":%" PRId64 "}", k ? "," : "", k,
               summary->skill_starts[k], summary->skill_reached[k]);
    putchar(']');
}

static void print_skills(const slt_collect_summary *summary) {
    int64_t starts = 0, reached = 0;
    for (int k = 0; k < summary->skill_count; k++) {
        starts += summary->skill_starts[k];
        reached += summary->skill_reached[k];
        printf("skill %d: %" PRId64 " starts, effect reached in %.1f %%\n", k,
               summary->skill_starts[k],
               percent(summary->skill_reached[k], summary->skill_starts[k]));
    }
    printf("all skills: %" PRId64 " starts, effect reached in %.1f %%\n", starts,
           percent(reached, starts));
}

static void print_json(const char *path, const slt_collect_summary *summary) {
    fputs("{\"file\":", stdout);
    cli_json_text(stdout, path);
    printf(",\"episodes\":%" PRId64 ",\"split\":{", total(summary));
    for (int s = 0; s < SLT_SPLITS; s++)
        printf("%s\"%s\":%" PRId64, s ? "," : "", slt_split_name((slt_split)s),
               summary->episodes[s]);
    printf("},\"steps\":%" PRId64 ",\"candidates\":%" PRId64 ",\"rejected\":{", summary->steps,
           summary->candidates);
    for (int r = 0; r < SLT_REJECTIONS; r++)
        printf("%s\"%s\":%" PRId64, r ? "," : "", slt_rejection_name((slt_rejection)r),
               summary->rejected[r]);
    putchar('}');
    if (summary->skill_count) json_skills(summary);
    printf(",\"seconds\":{\"playing\":%.3f,\"writing\":%.3f}}\n", summary->playing,
           summary->writing);
}

static void print_text(const char *path, const slt_collect_summary *summary) {
    printf("%s: %" PRId64 " episodes (", path, total(summary));
    for (int s = 0; s < SLT_SPLITS; s++)
        printf("%s%s %" PRId64, s ? ", " : "", slt_split_name((slt_split)s), summary->episodes[s]);
    printf("), %" PRId64 " steps\n", summary->steps);
    int64_t rejected = summary->candidates - total(summary);
    printf("rejected %" PRId64 " of %" PRId64 " candidates", rejected, summary->candidates);
    const char *before = ": ";
    for (int r = 0; r < SLT_REJECTIONS; r++) {
        if (!summary->rejected[r]) continue;
        printf("%s%s %" PRId64, before, slt_rejection_name((slt_rejection)r), summary->rejected[r]);
        before = ", ";
    }
    putchar('\n');
    if (summary->skill_count) print_skills(summary);
    printf("played in %.2f s, written in %.2f s\n", summary->playing, summary->writing);
}

static int run(cli_call *call) {
    char path[4096];
    slt_collect_request request = {.environments = call->arguments,
                                   .environment_count = call->count,
                                   .path = path,
                                   .overwrite = cli_value(call, "force") != NULL,
                                   .observations = cli_value(call, "obs"),
                                   .expert = cli_value(call, "expert"),
                                   .truth = cli_value(call, "truth"),
                                   .single_delimiter = cli_value(call, "single-delimiter") != NULL,
                                   .seed = call->seed};
    int64_t segments = 0;
    if (!cli_number(call, "segments", 1, CLI_MOST_EPISODES, 0, &segments)) return CLI_USAGE;
    request.segments = segments < INT_MAX ? (int)segments : INT_MAX;
    if (!read_sizes(call, &request) || !read_noise(call, &request.noise) ||
        !choose_path(call, path, sizeof path))
        return CLI_USAGE;
    slt_collect_summary summary;
    cli_catch_signals(call->context);
    slt_status status = slt_collect(call->context, &request, &summary);
    cli_progress_end();
    // what is wrong with the request is wrong usage
    if (status == SLT_INVALID || status == SLT_RANGE || status == SLT_UNSUPPORTED)
        return cli_misuse(call, "%s", slt_last_error());
    if (status != SLT_OK) {
        int code = cli_fail(status), caught = cli_caught_signal();
        return status == SLT_CANCELLED && caught ? caught : code;
    }
    if (!call->follower) (call->json ? print_json : print_text)(path, &summary);
    return CLI_DONE;
}

static const cli_flag flags[] = {
    {"output", 'o', "FILE",
     "the data set: .safetensors, .npz, .hdf5 or / (default: ENV.safetensors)"},
    CLI_FORCE,
    {"split", 0, "A,B,C", "episodes for training, validation, test (default 10000,1000,1000)"},
    {"episodes", 0, "N", "episodes without splits"},
    {"obs", 0, "VIEW", "Craft: full or partial (default: as the id says)"},
    {"expert", 0, "EXPERT",
     "bot (the planner on MiniGrid), random, or the file of a policy or of skills (default bot)"},
    {"noise", 0, "P", "fraction of random actions (default 0)"},
    {"truth", 0, "TRUTH", "MiniGrid labels: effects, reference or natural (default effects)"},
    {"single-delimiter", 0, NULL, "MiniGrid: pickup is recorded as toggle"},
    {"segments", 0, "N", "keeps episodes of exactly N segments"},
    {NULL, 0, NULL, NULL},
};

const cli_command cli_collect = {
    .name = "collect",
    .arguments = "ENV... [-o FILE]",
    .summary = "plays an expert and records a data set",
    .text =
        "ENV is one or more ids of 'slottar envs', which are mixed evenly, or one named set:\n"
        "craft-full, craft-partial, doorkey, unlockpickup, blockedunlockpickup, keycorridor.\n"
        "Episodes in which the expert fails are dropped, and in named sets those longer than the\n"
        "paper's padding; random play is always kept. The same command gives the same file, byte\n"
        "for byte; --seed 1, 2, ... give others.\n\n"
        "  slottar collect craft-full\n"
        "  slottar collect doorkey --single-delimiter -o delimiter.safetensors\n"
        "  slottar collect keycorridor --truth reference --noise 0.05 --split 2000,200,200 -o "
        "k.safetensors\n"
        "  slottar collect makebed-v0 makeaxe-v0 --obs full --episodes 500 -o mix.safetensors\n",
    .flags = flags,
    .least = 1,
    .most = -1,
    .ranks = CLI_RANKS_SHARE,
    .run = run,
};
