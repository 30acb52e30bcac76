// slottar skills DATA [RUN]: types of segments, by what they do.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "commands.h"
#include "data_columns.h"
#include "json_text.h"
#include "show_plans.h"
#include "slottar/skills.h"

static const cli_flag flags[] = {
    {"output", 'o', "FILE", "learns skills too, and writes them (.safetensors)"},
    CLI_FORCE,
    {"split", 0, "SPLIT", "what the types are scored on (default test)"},
    CLI_SPLIT_BY_TYPE,
    {"memory", 0, NULL, "skills remember what has left the view, where moves shift it"},
    {"unmerged", 0, NULL, "every type is a skill of its own"},
    {"hidden", 0, "N", "units of a hidden layer of a skill, 8 to 256 (default 256)"},
    CLI_COLUMN_FLAGS,
    {NULL, 0, NULL, NULL},
};

typedef struct {
    slt_dataset *data;
    slt_model *model; // NULL: boundaries are the labelled ones
    slt_types *own;
    const slt_types *types;
    bool scored;
    slt_type_scores scores;
    int32_t *ids;       // [steps] of the model
    slt_skills *skills; // NULL: not asked for
    slt_plans *plans;   // NULL: there are none
    int hidden;         // units; 0: the default
} found;

static slt_status find(cli_call *call, found *f, slt_split split) {
    slt_segment_options options = {.one_split = true,
                                   .split = split,
                                   .split_by_type = cli_value(call, "split-by-type") != NULL,
                                   .seed = call->seed};
    slt_status status = slt_dataset_open(call->context, call->arguments[0], &f->data);
    if (status == SLT_OK && call->count == 2)
        status = slt_model_open(call->context, call->arguments[1], &f->model);
    if (status == SLT_OK && f->model) {
        status = slt_model_types(f->model, &f->types);
        if (status == SLT_OK && !f->types) {
            status = slt_model_learn_types(f->model, f->data);
            if (status == SLT_OK) status = slt_model_types(f->model, &f->types);
        }
    } else if (status == SLT_OK) {
        status = slt_types_learn(call->context, f->data, NULL, NULL, &f->own);
        f->types = f->own;
    }
    if (status != SLT_OK || !slt_dataset_about(f->data)->has_subtasks) return status;
    const int64_t *episodes;
    if (!slt_dataset_split(f->data, split, &episodes)) return SLT_OK;
    f->scored = true;
    return f->model ? slt_model_score_types(f->model, f->data, &options, &f->scores)
                    : slt_types_score(f->types, f->data, split, &f->scores);
}

// ---- skills

static slt_status keep(void *user, const slt_segments *s) {
    found *f = user;
    memcpy(f->ids + slt_dataset_offsets(f->data)[s->episode], s->ids,
           (size_t)s->length * sizeof *f->ids);
    return SLT_OK;
}

static slt_status learn(cli_call *call, found *f, const char *path) {
    slt_skills_options options = {.hidden = f->hidden,
                                  .memory = cli_value(call, "memory") != NULL,
                                  .seed = call->seed,
                                  .unmerged = cli_value(call, "unmerged") != NULL};
    slt_segment_options boundaries = {.split_by_type = cli_value(call, "split-by-type") != NULL};
    bool force = cli_value(call, "force") != NULL;
    slt_output_request output = {
        .path = path, .overwrite = force, .inputs = call->arguments, .input_count = call->count};
    slt_status status = slt_output_check(&output);
    if (status == SLT_OK && f->model) {
        int64_t steps = slt_dataset_about(f->data)->steps;
        f->ids = malloc((size_t)steps * sizeof *f->ids);
        if (!f->ids) return SLT_NOMEM;
        status = slt_model_segment(f->model, f->data, &boundaries, keep, f);
    }
    if (status == SLT_OK)
        status = slt_skills_learn(call->context, f->data, f->ids, f->types, &options, &f->skills);
    return status == SLT_OK ? slt_skills_save(f->skills, path, force) : status;
}

static void print_skills(const found *f) {
    printf("%-6s%8s%8s%8s  %s\n", "skill", "steps", "action", "end", "types");
    for (int k = 0; k < slt_skills_count(f->skills); k++) {
        slt_skill_info info;
        if (slt_skills_describe(f->skills, k, &info) != SLT_OK) return;
        printf("%-6d%8lld%8.1f%8.1f ", k, (long long)info.steps, 100 * info.action, 100 * info.end);
        for (int i = 0; i < info.type_count; i++) printf(" %d", info.types[i]);
        putchar('\n');
    }
    printf("imitation of held-out segments, percent of steps; next skill %.1f\n",
           100 * slt_skills_choice(f->skills));
}

static void json_skills(const found *f) {
    fputs(",\"skills\":[", stdout);
    for (int k = 0; k < slt_skills_count(f->skills); k++) {
        slt_skill_info info;
        if (slt_skills_describe(f->skills, k, &info) != SLT_OK) return;
        printf("%s{\"skill\":%d,\"steps\":%lld,\"action\":%.9g,\"end\":%.9g,\"types\":[",
               k ? "," : "", k, (long long)info.steps, info.action, info.end);
        for (int i = 0; i < info.type_count; i++) printf("%s%d", i ? "," : "", info.types[i]);
        fputs("]}", stdout);
    }
    printf("],\"choice\":%.9g", slt_skills_choice(f->skills));
}

// ---- printing

static void print_json(const found *f) {
    char text[1024];
    fputs("{\"types\":[", stdout);
    for (int k = 0; k < slt_types_count(f->types); k++) {
        slt_types_describe(f->types, f->data, k, text, sizeof text);
        printf("%s{\"type\":%d,\"segments\":%lld,\"effect\":", k ? "," : "", k,
               (long long)slt_types_times(f->types, k));
        cli_json_text(stdout, text);
        putchar('}');
    }
    putchar(']');
    if (f->plans) cli_json_plans(stdout, f->plans);
    if (f->skills) json_skills(f);
    fputs(",\"scores\":", stdout);
    if (f->scored)
        printf("{\"accuracy\":%.9g,\"purity\":%.9g,\"nmi\":%.9g,\"types\":%d,\"names\":%d,"
               "\"segments\":%lld}}\n",
               f->scores.accuracy, f->scores.purity, f->scores.nmi, f->scores.types,
               f->scores.names, (long long)f->scores.segments);
    else
        puts("null}");
}

static void print_table(const found *f) {
    char text[1024];
    printf("%-6s%10s  %s\n", "type", "segments", "effect");
    for (int k = 0; k < slt_types_count(f->types); k++) {
        slt_types_describe(f->types, f->data, k, text, sizeof text);
        printf("%-6d%10lld  %s\n", k, (long long)slt_types_times(f->types, k), text);
    }
    if (f->scored)
        printf("against the names of sub-tasks: accuracy %.2f, purity %.2f, NMI %.2f; %d types, "
               "%d names, %lld segments, boundaries told %s\n",
               100 * f->scores.accuracy, 100 * f->scores.purity, 100 * f->scores.nmi,
               f->scores.types, f->scores.names, (long long)f->scores.segments,
               f->model ? "nothing" : "labels");
    if (f->plans) cli_print_plans(stdout, f->plans);
    if (f->skills) print_skills(f);
}

static int run(cli_call *call) {
    found f = {0};
    slt_split split;
    if (!cli_split_flag(call, &split)) return CLI_USAGE;
    int64_t hidden = 0;
    if (!cli_choose_columns(call, 0) || !cli_number(call, "hidden", 8, 256, 0, &hidden))
        return CLI_USAGE;
    f.hidden = (int)hidden;
    if (cli_value(call, "split-by-type") && call->count < 2)
        return cli_misuse(call, "--split-by-type is for boundaries that the model of a RUN finds");
    const char *path = cli_value(call, "output");
    slt_status status = find(call, &f, split);
    if (status == SLT_OK)
        status = cli_learn_plans(call->context, f.data, f.model, f.types,
                                 cli_value(call, "split-by-type") != NULL, &f.plans);
    if (status == SLT_OK && path) status = learn(call, &f, path);
    if (status == SLT_OK) (call->json ? print_json : print_table)(&f);
    free(f.ids);
    slt_plans_close(f.plans);
    slt_skills_close(f.skills);
    slt_types_close(f.own);
    slt_model_close(f.model);
    slt_dataset_close(f.data);
    return status == SLT_OK ? CLI_DONE : cli_fail(status);
}

const cli_command cli_skills = {
    .name = "skills",
    .arguments = "DATA [RUN] [-o FILE]",
    .summary = "types of segments, and skills that act like them",
    .text =
        "Learns types of segments that mean the same in all trajectories, without labels: by "
        "what\n"
        "the last step of a segment changes where observations are symbols, else by clusters "
        "of\n"
        "how the observation moves. Boundaries are those that the model of RUN finds; without "
        "RUN\n"
        "the labelled ones. Prints every type with its number of segments and its effect,\n"
        "scores against the names of sub-tasks where DATA has them, and plans: which types come\n"
        "together, as the shortest grammar over their sequences.\n\n"
        "--split-by-type adds boundaries that the model missed: after steps inside a segment "
        "whose\n"
        "effect elsewhere ends segments.\n\n"
        "-o learns one policy with terminations for all types, merges types of like behaviour,\n"
        "and says per skill how well it imitates held-out segments (the valid split, or every\n"
        "tenth episode).\n\n"
        "  slottar skills craft-full.safetensors\n"
        "  slottar skills craft-full.safetensors runs/a\n"
        "  slottar skills craft-full.safetensors -o skills.safetensors\n",
    .flags = flags,
    .least = 1,
    .most = 2,
    .run = run,
};
