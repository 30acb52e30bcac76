// slottar train-expert ENV: a policy that learns a world by reinforcement.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include "commands.h"
#include "json_text.h"
#include "option_list.h"
#include "signals.h"
#include "slottar/policy.h"

static const cli_flag flags[] = {
    {"output", 'o', "FILE", "the policy (default: ENV-policy.safetensors)"},
    {"preset", 0, "ENV", "preset of another environment, or none (default: its own)"},
    {"config", 0, "FILE", "options from a YAML file"},
    {"skills", 0, "FILE", "skills (slottar skills -o) that the policy chooses from"},
    {"from", 0, "DATA", "demonstrations that the policy imitates before it learns"},
    {"options", 0, NULL, "lists the options with their defaults, and the presets"},
    {NULL, 0, NULL, NULL},
};

static int list_options(void) {
    printf("training options, as key=value:\n");
    cli_list_options(slt_policy_options_of(), "");
    printf("presets:\n");
    for (int i = 0; slt_policy_preset(i); i++)
        printf("  %s\n    %s\n", slt_policy_preset(i), slt_policy_recipe(i));
    return CLI_DONE;
}

static bool options_at(int index, cli_option_list *out) {
    *out = (cli_option_list){"learning", slt_policy_options_of()};
    return index == 0;
}

static double rate(const slt_policy_result *result, double seconds) {
    return seconds > 0 ? (double)result->call_frames / seconds : 0;
}

static void print_text(const char *path, const slt_policy_result *r) {
    printf("%s: %" PRId64 " frames in %" PRId64 " laps, %s\n", path, r->frames, r->laps,
           r->reached ? "goal reached" : "goal not reached");
    printf("return %.4f, success %.4f, %.1f steps, over %" PRId64 " fresh episodes\n",
           r->scores.mean_return, r->scores.success, r->scores.length, r->scores.episodes);
    if (r->call_frames)
        printf("%.1f s, %.0f frames/s; %.1f s of all threads\n", r->seconds, rate(r, r->seconds),
               r->working);
}

static void print_json(const char *path, const slt_policy_result *r) {
    fputs("{\"file\":", stdout);
    cli_json_text(stdout, path);
    printf(",\"laps\":%" PRId64 ",\"frames\":%" PRId64 ",\"reached\":%s,\"seconds\":%.3f,"
           "\"frames_per_second\":%.0f,\"working\":%.3f,\"test\":{\"episodes\":%" PRId64
           ",\"return\":%.9g,\"success\":%.9g,\"length\":%.9g}}\n",
           r->laps, r->frames, r->reached ? "true" : "false", r->seconds, rate(r, r->seconds),
           r->working, r->scores.episodes, r->scores.mean_return, r->scores.success,
           r->scores.length);
}

static int fail(const cli_call *call, slt_status status, const char *path) {
    int caught = cli_caught_signal();
    if (status == SLT_INVALID || status == SLT_RANGE || status == SLT_UNSUPPORTED)
        return cli_misuse(call, "%s", slt_last_error());
    if (status != SLT_CANCELLED) return cli_fail(status);
    fprintf(stderr, "%s holds the last evaluation; run the same command to resume\n", path);
    return caught ? caught : CLI_SAVED;
}

static int run(cli_call *call) {
    if (cli_value(call, "options")) return list_options();
    if (call->count < 1) return cli_misuse(call, "needs an environment");
    char path[4096];
    const char *output = cli_value(call, "output");
    int length = output ? snprintf(path, sizeof path, "%s", output)
                        : snprintf(path, sizeof path, "%s-policy.safetensors", call->arguments[0]);
    if (length <= 0 || (size_t)length >= sizeof path)
        return cli_misuse(call, "no name for a file: '%.40s'", output ? output : "");
    slt_policy_request request = {.environment = call->arguments[0],
                                  .path = path,
                                  .preset = cli_value(call, "preset"),
                                  .config = cli_value(call, "config"),
                                  .skills = cli_value(call, "skills"),
                                  .from = cli_value(call, "from"),
                                  .settings = call->settings,
                                  .setting_count = call->setting_count,
                                  .seed = call->seed};
    slt_policy_result result;
    cli_catch_signals(call->context);
    slt_status status = slt_policy_train(call->context, &request, &result);
    cli_progress_end();
    if (status != SLT_OK) return fail(call, status, path);
    (call->json ? print_json : print_text)(path, &result);
    return CLI_DONE;
}

const cli_command cli_train_expert = {
    .name = "train-expert",
    .arguments = "ENV [-o FILE] [key=value...]",
    .summary = "trains a policy by reinforcement learning",
    .text =
        "ENV is an id, or the named set of one: doorkey, unlockpickup, blockedunlockpickup,\n"
        "keycorridor. Craft pays 1 for the goal of its task and nothing on the way.\n"
        "FILE is the policy, an expert for collect; it is written after every evaluation; run\n"
        "the same command again to resume. Each evaluation adds a line to FILE.jsonl. Training\n"
        "ends when an evaluation reaches the goal, or after the last frame; a finished policy\n"
        "is evaluated on 1,000 fresh episodes.\n\n"
        "  slottar train-expert doorkey\n"
        "  slottar train-expert doorkey clip=0 epochs=1 minibatches=1 -o a2c.safetensors\n"
        "  slottar collect doorkey --expert doorkey-policy.safetensors -o learned.safetensors\n"
        "  slottar train-expert makeropefull-v0 --skills skills.safetensors\n"
        "  slottar train-expert makeropefull-v0 --from demonstrations.safetensors\n"
        "  slottar train-expert --options\n",
    .flags = flags,
    .least = 0,
    .most = 1,
    .settings = true,
    .options = options_at,
    .run = run,
};
