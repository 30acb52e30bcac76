// The data sets: played when they are not there, with what tables say about them in data/NAME.json:
// sizes, shares of the numbers of segments, baselines on the test split.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include <math.h>
#include <stdio.h>
#include <string.h>
#include "core/file.h"
#include "core/json.h"
#include "reproduce/repro_impl.h"
#include "slottar/expert.h"
#include "slottar/policy.h"

static const int64_t QUICK[SLT_SPLITS] = {600, 100, 100};

// ---- playing

// as asked for, or as the set has it; 0, 0, 0: the paper's
static const int64_t *sizes_of(const slt_repro *r, const slt_repro_set *set) {
    const int64_t *given = r->request->episodes;
    if (given[0] || given[1] || given[2]) return given;
    return r->request->quick ? QUICK : set->episodes;
}

// the policy of a set: of its environment, or its own where it is trained in its own way
static const char *policy_of(const slt_repro_set *set) { return set->agent ? set->name : set->set; }

// the policy learns where it is not there; with --quick it imitates the planner for a moment
static slt_status learn(slt_repro *r, const slt_repro_set *set, char policy[SLT_REPRO_PATH]) {
    static const char *const quick[] = {
        "frames=60000",     "clone=60000",     "copies=64", "steps=16",   "minibatches=2",
        "eval_interval=30", "eval_episodes=5", "hidden=32", "memory=map", "worlds="};
    enum { MOST = 16 };
    const char *settings[MOST];
    char words[256], *rest = words;
    slt_policy_request request = {
        .environment = set->set,
        .path = slt_repro_path(r, policy, "data/%s-policy.safetensors", policy_of(set)),
        .settings = r->request->quick ? quick : settings,
        .setting_count = r->request->quick ? (int)(sizeof quick / sizeof *quick) : 0,
        .seed = r->request->seed};
    snprintf(words, sizeof words, "%s", set->agent ? set->agent : "");
    for (char *word; !r->request->quick && (word = strtok_r(rest, " ", &rest));)
        settings[request.setting_count++] = word;
    slt_policy_result result;
    return slt_policy_train(r->context, &request, &result);
}

// a recording is copied into the folder
static slt_status copy(slt_repro *r, const slt_repro_set *set, const char *path) {
    char source[SLT_REPRO_PATH];
    if (!r->request->sets)
        SLT_FAIL(SLT_INVALID,
                 "the set %s is a recording: name the folder that holds %s.npz with --sets",
                 set->name, set->name);
    snprintf(source, sizeof source, "%s/%s.npz", r->request->sets, set->name);
    return slt_dataset_convert(r->context, source, path, false);
}

static slt_status play(slt_repro *r, const slt_repro_set *set, const char *path) {
    char policy[SLT_REPRO_PATH];
    if (set->recorded) return copy(r, set, path);
    if (set->learned) SLT_TRY(learn(r, set, policy));
    slt_collect_request request = {.environments = &set->set,
                                   .environment_count = 1,
                                   .path = path,
                                   .expert = set->learned ? policy : NULL,
                                   .noise = set->noise,
                                   .truth = set->truth,
                                   .single_delimiter = set->single_delimiter,
                                   .segments = r->request->quick ? 0 : set->segments,
                                   .seed = r->request->seed};
    memcpy(request.episodes, sizes_of(r, set), sizeof request.episodes);
    return slt_collect(r->context, &request, NULL);
}

void slt_repro_collect_command(const slt_repro *r, const slt_repro_set *set, slt_text *out) {
    const int64_t *sizes = sizes_of(r, set);
    if (set->recorded) {
        slt_text_add(out, "slottar convert SETS/%s.npz data/%s.safetensors", set->name, set->name);
        return;
    }
    if (set->learned)
        slt_text_add(out,
                     "slottar train-expert %s%s%s --seed %llu -o data/%s-policy.safetensors && ",
                     set->set, set->agent ? " " : "", set->agent ? set->agent : "",
                     (unsigned long long)r->request->seed, policy_of(set));
    slt_text_add(out, "slottar collect %s", set->set);
    if (set->learned) slt_text_add(out, " --expert data/%s-policy.safetensors", policy_of(set));
    if (set->noise > 0) slt_text_add(out, " --noise %g", set->noise);
    if (set->truth) slt_text_add(out, " --truth %s", set->truth);
    if (set->single_delimiter) slt_text_add(out, " --single-delimiter");
    if (set->segments) slt_text_add(out, " --segments %d", set->segments);
    if (sizes[0])
        slt_text_add(out, " --split %lld,%lld,%lld", (long long)sizes[0], (long long)sizes[1],
                     (long long)sizes[2]);
    slt_text_add(out, " --seed %llu -o data/%s.safetensors", (unsigned long long)r->request->seed,
                 set->name);
}

// ---- what it is

static slt_status count_segments(slt_dataset *data, slt_repro_about *out) {
    const int64_t *episodes;
    int64_t count = slt_dataset_split(data, SLT_SPLIT_TRAIN, &episodes);
    for (int64_t i = 0; i < count; i++) {
        slt_episode episode;
        SLT_TRY(slt_dataset_episode(data, episodes[i], &episode));
        int64_t segments = slt_episode_segment_count(&episode);
        int64_t bin = segments < SLT_COUNT_BINS ? segments : SLT_COUNT_BINS - 1;
        out->share[bin] += 1 / (double)count;
    }
    return SLT_OK;
}

static slt_status score_baselines(slt_repro *r, slt_dataset *data, slt_repro_about *out) {
    bool discrete = slt_dataset_about(data)->action_kind == SLT_ACTIONS_DISCRETE;
    for (int i = 0; i < SLT_REPRO_BASELINES && slt_baseline_name(i); i++) {
        slt_score_summary summary;
        if (!slt_rule_takes(slt_baseline_name(i), discrete)) continue;
        SLT_TRY(slt_baseline_score(r->context, data, SLT_SPLIT_TEST, NULL, slt_baseline_name(i),
                                   r->request->seed, &summary, NULL));
        out->baselines[i] = summary.mean;
        out->known[i] = true;
    }
    return SLT_OK;
}

// the rival on what it gets wrong
static slt_status score_missed(slt_repro *r, slt_dataset *data, slt_repro_about *out) {
    slt_score_summary summary;
    slt_status status = slt_baseline_score(r->context, data, SLT_SPLIT_TEST, SLT_REPRO_RIVAL,
                                           SLT_REPRO_RIVAL, r->request->seed, &summary, NULL);
    out->missed_f1 = NAN;
    if (status == SLT_INVALID || status == SLT_UNSUPPORTED) return SLT_OK; // none
    SLT_TRY(status);
    out->missed = (int64_t)summary.trajectories;
    out->missed_f1 = summary.mean.f1;
    return SLT_OK;
}

static slt_status look_at(slt_repro *r, const char *path, slt_repro_about *out) {
    slt_dataset *data;
    const int64_t *unused;
    SLT_TRY(slt_dataset_open(r->context, path, &data));
    const slt_dataset_info *info = slt_dataset_about(data);
    *out = (slt_repro_about){.steps = info->steps, .longest = info->longest};
    for (int s = 0; s < SLT_SPLITS; s++)
        out->episodes[s] = slt_dataset_split(data, (slt_split)s, &unused);
    slt_status status = count_segments(data, out);
    if (status == SLT_OK) status = score_baselines(r, data, out);
    if (status == SLT_OK) status = score_missed(r, data, out);
    slt_dataset_close(data);
    return status;
}

// ---- its file

// the last number that occurs
static int largest(const slt_repro_about *about) {
    int n = SLT_COUNT_BINS - 1;
    while (n > 0 && about->share[n] <= 0) n--;
    return n;
}

static void add_baselines(slt_text *text, const slt_repro_about *about) {
    const char *comma = "";
    slt_text_add(text, "],\"baselines\":{");
    for (int i = 0; i < SLT_REPRO_BASELINES && slt_baseline_name(i); i++) {
        if (!about->known[i]) continue;
        slt_text_add(text, "%s\"%s\":{", comma, slt_baseline_name(i));
        const char *before = "";
#define FIELD(field, help)                                                                         \
    slt_text_add(text, "%s\"" #field "\":%.17g", before, about->baselines[i].field);               \
    before = ",";
        SLT_SCORE_LIST(FIELD)
#undef FIELD
        slt_text_add(text, "}");
        comma = ",";
    }
    slt_text_add(text, "}");
    if (about->missed)
        slt_text_add(text, ",\"missed\":{\"episodes\":%lld,\"f1\":%.17g}", (long long)about->missed,
                     about->missed_f1);
    slt_text_add(text, "}\n");
}

static slt_status write_about(const char *path, const slt_repro_about *about) {
    slt_text text;
    slt_text_init(&text, &slt_system_allocator);
    slt_text_add(&text,
                 "{\"episodes\":[%lld,%lld,%lld],\"steps\":%lld,\"longest\":%lld,\"share\":[",
                 (long long)about->episodes[0], (long long)about->episodes[1],
                 (long long)about->episodes[2], (long long)about->steps, (long long)about->longest);
    for (int n = 0; n <= largest(about); n++)
        slt_text_add(&text, "%s%.9g", n ? "," : "", about->share[n]);
    add_baselines(&text, about);
    slt_status status = text.status;
    if (status == SLT_OK) status = slt_file_write(path, text.bytes, text.length);
    slt_text_deinit(&text);
    return status;
}

static double number_of(const json_t *value) {
    return json_is_number(value) ? json_number_value(value) : NAN;
}

static slt_status read_about(const char *path, const json_t *document, slt_repro_about *out) {
    const json_t *episodes = json_object_get(document, "episodes");
    const json_t *share = json_object_get(document, "share");
    const json_t *baselines = json_object_get(document, "baselines");
    if (!baselines) baselines = json_object_get(document, "floors"); // its earlier name
    const json_t *missed = json_object_get(document, "missed");
    if (json_array_size(episodes) != SLT_SPLITS || !json_array_size(share) ||
        json_array_size(share) > SLT_COUNT_BINS || !json_is_object(baselines))
        SLT_FAIL(SLT_FORMAT, "%s: says nothing about a data set; without the file it is made again",
                 path);
    *out = (slt_repro_about){.steps = json_integer_value(json_object_get(document, "steps")),
                             .longest = json_integer_value(json_object_get(document, "longest")),
                             .missed = json_integer_value(json_object_get(missed, "episodes")),
                             .missed_f1 = number_of(json_object_get(missed, "f1"))};
    for (size_t s = 0; s < SLT_SPLITS; s++)
        out->episodes[s] = json_integer_value(json_array_get(episodes, s));
    for (size_t n = 0; n < json_array_size(share); n++)
        out->share[n] = number_of(json_array_get(share, n));
    for (int i = 0; i < SLT_REPRO_BASELINES && slt_baseline_name(i); i++) {
        const json_t *found = json_object_get(baselines, slt_baseline_name(i));
        out->known[i] = json_is_object(found);
#define FIELD(field, help) out->baselines[i].field = number_of(json_object_get(found, #field));
        SLT_SCORE_LIST(FIELD)
#undef FIELD
    }
    return SLT_OK;
}

slt_status slt_repro_about_read(const slt_repro *r, const slt_repro_set *set,
                                slt_repro_about *out) {
    char path[SLT_REPRO_PATH];
    json_t *document;
    SLT_TRY(slt_json_read(slt_repro_path(r, path, "data/%s.json", set->name), 4, &document));
    slt_status status = read_about(path, document, out);
    json_decref(document);
    return status;
}

// ---- all of them

static slt_status make(slt_repro *r, const slt_repro_set *set) {
    char data[SLT_REPRO_PATH], about[SLT_REPRO_PATH];
    slt_repro_about found;
    slt_repro_path(r, data, "data/%s.safetensors", set->name);
    slt_repro_path(r, about, "data/%s.json", set->name);
    if (!slt_repro_there(data)) SLT_TRY(play(r, set, data));
    if (slt_repro_there(about)) return SLT_OK;
    SLT_TRY(look_at(r, data, &found));
    return write_about(about, &found);
}

slt_status slt_repro_collect(slt_repro *r) {
    char folder[SLT_REPRO_PATH];
    SLT_TRY(slt_folder_make(slt_repro_path(r, folder, "data")));
    for (int i = 0; i < r->set_count; i++) {
        if (slt_repro_over(r)) r->stopped = true;
        if (r->stopped) break;
        SLT_TRY(make(r, r->sets[i]));
    }
    return SLT_OK;
}
