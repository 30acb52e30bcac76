// Training a policy: laps of updates, an evaluation after each, resumable at every lap.
//
// At the start of a lap all worlds begin anew, from seeds of the lap. So a lap is a function of the
// weights, Adam's moments and its number: the file needs no worlds to continue from, bit for bit.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include "core/clock.h"
#include "core/file.h"
#include "core/lock.h"
#include "core/number.h"
#include "core/output_impl.h"
#include "experts/policy_clone.h"
#include "experts/policy_learner.h"
#include "experts/policy_play.h"
#include "experts/world_family.h"
#include "skills/skills_impl.h"
#include "slottar/expert.h"
#include "train/learner/checkpoint.h"
#include "train/inference/run_files.h"

// seeds that are evaluated: during training, and at the end
enum { FIRST_JUDGED = 3000000000u, FIRST_FRESH = 4000000000u, FRESH = 1000 };

typedef struct {
    slt_context *context;
    const slt_policy_request *request;
    slt_arena arena;
    slt_lock lock;
    slt_policy_file *file;
    const slt_env_kind *kinds[SLT_MOST_WORLDS]; // the first one is what is learned
    int kind_count;
    slt_worlds worlds;
    slt_policy_learner learner;
    char lines[SLT_RUN_PATH]; // of metrics
    slt_policy_result result;
    double started, worked;
    int64_t frames_before; // this call
} trainer;

// ---- the request

// an id, or a set of one environment
static slt_status find_world(const char *name, const slt_env_kind **out) {
    slt_set_info set;
    for (int i = 0; slt_set_describe(i, &set) == SLT_OK; i++)
        if (strcmp(set.name, name) == 0 && !set.environments[1]) name = set.environments[0];
    *out = slt_env_find(name);
    if (!*out)
        SLT_FAIL(SLT_INVALID, "no environment '%.80s' (slottar envs lists them) and no named set",
                 name);
    if (!slt_world_family_of(*out))
        SLT_FAIL(SLT_UNSUPPORTED, "policies cannot learn %s", (*out)->id);
    return SLT_OK;
}

static slt_status add_world(trainer *t, const char *name) {
    if (t->kind_count == SLT_MOST_WORLDS)
        SLT_FAIL(SLT_RANGE, "more than %d worlds to learn from", SLT_MOST_WORLDS);
    SLT_TRY(find_world(name, &t->kinds[t->kind_count]));
    if (t->file->options.clone && !slt_planner_knows(t->kinds[t->kind_count]))
        SLT_FAIL(SLT_UNSUPPORTED, "there is no planner for %s to imitate",
                 t->kinds[t->kind_count]->id);
    const slt_env_kind *first = t->kinds[0], *kind = t->kinds[t->kind_count++];
    if (slt_world_family_of(first) != slt_world_family_of(kind))
        SLT_FAIL(SLT_UNSUPPORTED, "%s and %s have other actions: no policy learns both", first->id,
                 kind->id);
    return SLT_OK;
}

static slt_status add_worlds(trainer *t) {
    char names[SLT_OPTION_TEXT_SIZE];
    snprintf(names, sizeof names, "%s", t->file->options.worlds);
    for (char *at = names, *end; *at; at = end) {
        end = at + strcspn(at, ",");
        if (*end) *end++ = 0;
        SLT_TRY(add_world(t, at));
    }
    return SLT_OK;
}

static bool has_preset(const char *id) {
    for (int i = 0; slt_policy_preset(i); i++)
        if (strcmp(slt_policy_preset(i), id) == 0) return true;
    return false;
}

// the preset that is asked for, or what fits best; NULL: none
static slt_status choose_preset(const trainer *t, const char **out) {
    const char *asked = t->request->preset;
    const slt_env_kind *like = t->kinds[0];
    *out = asked;
    if (!asked) {
        *out = t->request->skills      ? "skills"
               : has_preset(like->id)  ? like->id
               : slt_minigrid_is(like) ? NULL
                                       : "craft";
        return SLT_OK;
    }
    if (strcmp(asked, "none") == 0) *out = NULL;
    if (!*out || has_preset(asked)) return SLT_OK;
    SLT_TRY(find_world(asked, &like));
    *out = like->id;
    return SLT_OK;
}

static slt_status set_options(trainer *t, const slt_options *tables) {
    const char *preset;
    SLT_TRY(slt_options_defaults(tables));
    SLT_TRY(choose_preset(t, &preset));
    if (preset) SLT_TRY(slt_policy_preset_set(tables, preset));
    SLT_TRY(slt_options_read(t->context, tables, t->request->config));
    for (int i = 0; i < t->request->setting_count; i++)
        SLT_TRY(slt_options_take(t->context, tables, t->request->settings[i]));
    return SLT_OK;
}

// NAME.jsonl next to NAME.safetensors
static slt_status name_lines(trainer *t) {
    static const char ENDING[] = ".safetensors";
    const char *path = t->request->path;
    size_t length = path ? strlen(path) : 0, ending = sizeof ENDING - 1;
    if (length <= ending || strcmp(path + length - ending, ENDING) != 0 ||
        length >= sizeof t->lines)
        SLT_FAIL(SLT_INVALID, "a policy is a file NAME%s, not '%.200s'", ENDING, path ? path : "");
    snprintf(t->lines, sizeof t->lines, "%.*s.jsonl", (int)(length - ending), path);
    return SLT_OK;
}

static slt_status open_skills(trainer *t) {
    const slt_env_kind *kind = t->kinds[0];
    if (!t->request->skills) return SLT_OK;
    if (t->request->from)
        SLT_FAIL(SLT_UNSUPPORTED, "a policy over skills starts from no demonstrations: the skills "
                                  "are learned from them already");
    if (t->file->options.clone)
        SLT_FAIL(SLT_UNSUPPORTED, "a policy over skills imitates no planner: clone=0");
    SLT_TRY(slt_skills_open(t->context, t->request->skills, &t->file->skills));
    return slt_skills_fit(t->file->skills, kind->id, kind->observation_size, kind->actions);
}

static slt_status read_request(trainer *t) {
    if (!t->request->environment) SLT_FAIL(SLT_INVALID, "which environment?");
    SLT_TRY(SLT_NEW(&t->arena, &t->file, 1));
    slt_options tables[] = {{slt_policy_rows(), &t->file->options}, {NULL, NULL}};
    SLT_TRY(name_lines(t));
    SLT_TRY(find_world(t->request->environment, &t->kinds[0]));
    SLT_TRY(set_options(t, tables));
    SLT_TRY(add_world(t, t->request->environment));
    SLT_TRY(add_worlds(t));
    snprintf(t->file->id, sizeof t->file->id, "%s", t->kinds[0]->id);
    t->file->state.seed = t->request->seed;
    const char *from = t->request->from;
    if (from && strlen(from) >= sizeof t->file->origin)
        SLT_FAIL(SLT_INVALID, "the path of the demonstrations is too long: '%.80s'", from);
    snprintf(t->file->origin, sizeof t->file->origin, "%s", from ? from : "");
    return open_skills(t);
}

// ---- the file that is there

static slt_status compare_options(trainer *t, const slt_policy_file *there) {
    slt_policy_options mine = t->file->options, its = there->options;
    for (const slt_option *row = slt_policy_rows(); row->name; row++) {
        slt_text a, b;
        slt_text_init(&a, &t->context->allocator);
        slt_text_init(&b, &t->context->allocator);
        slt_option_print(row, &its, &a);
        slt_option_print(row, &mine, &b);
        slt_status status = a.status != SLT_OK ? a.status : b.status;
        const char *x = a.bytes ? a.bytes : "", *y = b.bytes ? b.bytes : "";
        if (status == SLT_OK && strcmp(x, y) != 0)
            status = slt_fail(SLT_INVALID,
                              "%s: this policy has %s=%.60s, now %s=%.60s is asked for; use "
                              "another file",
                              t->request->path, row->name, x, row->name, y);
        slt_text_deinit(&a);
        slt_text_deinit(&b);
        SLT_TRY(status);
    }
    return SLT_OK;
}

static bool same_skills(const slt_skills *a, const slt_skills *b) {
    if (!a || !b) return a == b;
    if (memcmp(&a->policy.shape, &b->policy.shape, sizeof a->policy.shape) != 0) return false;
    for (int i = 0; i < SLT_SKILL_PARTS; i++) {
        slt_skill_matrix m = slt_skill_part(a->policy.shape, i);
        size_t bytes = (size_t)m.rows * (size_t)m.columns * sizeof(float);
        if (memcmp(a->policy.part[i], b->policy.part[i], bytes) != 0) return false;
    }
    return true;
}

static slt_status compare(trainer *t, const slt_policy_file *there) {
    if (strcmp(there->id, t->file->id) != 0)
        SLT_FAIL(SLT_INVALID, "%s: this policy is for %s, not %s; use another file",
                 t->request->path, there->id, t->file->id);
    if (there->state.seed != t->file->state.seed)
        SLT_FAIL(SLT_INVALID, "%s: this policy has seed %llu, not %llu; use another file",
                 t->request->path, (unsigned long long)there->state.seed,
                 (unsigned long long)t->file->state.seed);
    if (strcmp(there->origin, t->file->origin) != 0)
        SLT_FAIL(SLT_INVALID,
                 "%s: this policy started from '%.200s', not '%.200s'; use another file",
                 t->request->path, there->origin, t->file->origin);
    if (!same_skills(there->skills, t->file->skills))
        SLT_FAIL(SLT_INVALID, "%s: this policy has other skills; use another file",
                 t->request->path);
    return compare_options(t, there);
}

static slt_status resume(trainer *t) {
    slt_policy_file *there;
    SLT_TRY(SLT_NEW(&t->arena, &there, 1));
    SLT_TRY(slt_policy_load(t->context, &t->arena, t->request->path, true, there));
    slt_status status = compare(t, there);
    slt_policy_close(status == SLT_OK ? t->file : there);
    SLT_TRY(status);
    t->file = there;
    if (!there->state.finished)
        slt_context_log(t->context, SLT_LOG_INFO, "%s: resumes after evaluation %lld",
                        t->request->path, (long long)there->state.laps);
    return SLT_OK;
}

// ---- laps

static slt_status restore(trainer *t) {
    slt_store *store = t->learner.store;
    SLT_TRY(slt_store_edit(store));
    slt_policy_give(&t->file->policy, store, store->value);
    slt_policy_give(&t->file->moment1, store, store->moment1);
    slt_policy_give(&t->file->moment2, store, store->moment2);
    t->learner.updates = t->file->state.updates;
    t->worlds.clock =
        (uint32_t)(t->file->state.laps * t->file->options.eval_interval * t->worlds.T);
    return SLT_OK;
}

static slt_status make_learner(trainer *t, bool resumed) {
    const slt_policy_options *options = &t->file->options;
    if (options->copies * options->steps > 1 << 26)
        SLT_FAIL(SLT_RANGE, "%lld copies of %lld steps are too much for one update",
                 (long long)options->copies, (long long)options->steps);
    if (!resumed) SLT_TRY(slt_policy_file_init(t->file, &t->arena, true));
    SLT_TRY(slt_worlds_init(&t->worlds, t->context, &t->arena, options, &t->file->view,
                            t->file->skills, t->kinds, t->kind_count, t->file->state.seed));
    SLT_TRY(slt_policy_learner_init(&t->learner, t->context, &t->arena, options, &t->worlds,
                                    t->file->state.seed));
    if (resumed) return restore(t);
    if (!t->request->from) return SLT_OK;
    return slt_policy_clone(t->context, t->request->from, t->file, &t->learner);
}

static slt_status save(trainer *t) {
    slt_store *store = t->learner.store;
    SLT_TRY(slt_store_fetch(store));
    slt_policy_take(&t->file->policy, store, store->value);
    slt_policy_take(&t->file->moment1, store, store->moment1);
    slt_policy_take(&t->file->moment2, store, store->moment2);
    t->file->state.updates = t->learner.updates;
    return slt_policy_save(&t->context->allocator, t->file, t->request->path);
}

static void report(trainer *t) {
    char news[96];
    const slt_policy_state *state = &t->file->state;
    double seconds = slt_seconds() - t->started;
    slt_format(news, sizeof news, "return %.3f, %.0f frames/s", state->mean_return,
               (double)(state->frames - t->frames_before) / (seconds > 0 ? seconds : 1));
    slt_context_progress(t->context, "train-expert", (uint64_t)state->frames,
                         (uint64_t)t->file->options.frames, news);
}

static slt_status log_lap(trainer *t, const slt_policy_scores *scores) {
    const slt_policy_learner *learner = &t->learner;
    slt_lap_tally tally = slt_worlds_tally(&t->worlds);
    double episodes = tally.episodes ? (double)tally.episodes : 1;
    double notes = learner->noted ? (double)learner->noted : 1;
    char line[512];
    int length = slt_format(
        line, sizeof line,
        "{\"epoch\":%lld,\"step\":%lld,\"frames\":%lld,\"seconds\":%.3f,\"return\":%.9g,"
        "\"success\":%.9g,\"length\":%.9g,\"train_return\":%.9g,\"train_episodes\":%lld,"
        "\"loss\":%.9g,\"entropy\":%.9g,\"kl\":%.9g,\"value_loss\":%.9g}\n",
        (long long)t->file->state.laps, (long long)learner->updates,
        (long long)t->file->state.frames, slt_seconds() - t->started, scores->mean_return,
        scores->success, scores->length, tally.returned / episodes, (long long)tally.episodes,
        learner->notes[SLT_POLICY_LOSS] / notes, learner->notes[SLT_POLICY_ENTROPY] / notes,
        learner->notes[SLT_POLICY_GONE] / notes, learner->notes[SLT_POLICY_VALUE] / notes);
    return slt_run_append(t->lines, line, (size_t)length);
}

// the policy as it is now, on the seeds that are for this
static slt_status evaluate(trainer *t, slt_policy_scores *scores) {
    slt_store *store = t->learner.store;
    SLT_TRY(slt_store_fetch(store));
    slt_policy_take(&t->file->policy, store, store->value);
    return slt_policy_score(t->context, t->file, t->kinds[0], FIRST_JUDGED,
                            t->file->options.eval_episodes, scores);
}

static slt_status play_lap(trainer *t) {
    const slt_policy_options *options = &t->file->options;
    slt_policy_state *state = &t->file->state;
    memset(t->learner.notes, 0, sizeof t->learner.notes);
    t->learner.noted = 0;
    int64_t before = state->frames;
    slt_worlds_begin(&t->worlds, state->laps, state->frames < options->clone);
    for (int u = 0; u < options->eval_interval; u++) {
        SLT_TRY(slt_context_check(t->context));
        SLT_TRY(slt_policy_learner_play(&t->learner));
        SLT_TRY(
            slt_policy_learner_learn(&t->learner, (double)state->frames / (double)options->frames));
        state->frames = before + slt_worlds_tally(&t->worlds).frames;
        report(t);
    }
    state->laps++;
    return SLT_OK;
}

// losses may be finite while a moment, the square of a gradient, is not: no file would take it back
static slt_status check_weights(trainer *t) {
    SLT_TRY(slt_store_fetch(t->learner.store));
    const char *weight = slt_checkpoint_bad_weight(t->learner.store, 0);
    if (weight)
        SLT_FAIL(SLT_DIVERGED,
                 "%s: lap %lld made weights '%s' or moments of theirs that are not finite; the "
                 "policy before it is whole; try a smaller lr or max_grad_norm=0.5",
                 t->request->path, (long long)t->file->state.laps, weight);
    return SLT_OK;
}

static slt_status finish_lap(trainer *t) {
    const slt_policy_options *options = &t->file->options;
    slt_policy_state *state = &t->file->state;
    slt_policy_scores scores;
    SLT_TRY(check_weights(t));
    SLT_TRY(evaluate(t, &scores));
    state->mean_return = scores.mean_return;
    bool cloning = state->frames <= options->clone;
    state->finished =
        state->frames >= options->frames || (!cloning && scores.mean_return >= options->goal);
    SLT_TRY(log_lap(t, &scores));
    return save(t);
}

static slt_status train(trainer *t, bool resumed) {
    SLT_TRY(make_learner(t, resumed));
    SLT_TRY(slt_lines_cut_back(t->lines, t->file->state.laps));
    int64_t pause = t->request->pause_lap;
    while (!t->file->state.finished && !(pause && t->file->state.laps >= pause)) {
        SLT_TRY(play_lap(t));
        SLT_TRY(finish_lap(t));
    }
    return SLT_OK;
}

// ---- all

// nothing is written over what is read
static slt_status check_output(const trainer *t, const char *path) {
    const char *inputs[] = {t->request->config, t->request->skills, t->request->from};
    return slt_output_check(
        &(slt_output_request){.path = path, .overwrite = true, .inputs = inputs, .input_count = 3});
}

// NAME.jsonl without a policy: a lap that was killed before its policy was saved, or nobody's of us
static slt_status check_lines(trainer *t) {
    static const char FIRST[] = "{\"epoch\":1,\"step\":";
    slt_map map;
    SLT_TRY(check_output(t, t->lines));
    if (access(t->request->path, F_OK) == 0 || access(t->lines, F_OK) != 0) return SLT_OK;
    SLT_TRY(slt_map_open(t->lines, &map));
    size_t length = sizeof FIRST - 1;
    bool ours = !map.size || (map.size >= length && memcmp(map.data, FIRST, length) == 0);
    slt_map_close(&map);
    if (!ours)
        SLT_FAIL(SLT_EXISTS, "%s: exists and is no log of a policy; choose another name", t->lines);
    return SLT_OK;
}

static slt_status run(trainer *t) {
    SLT_TRY(read_request(t));
    SLT_TRY(slt_lock_file(&t->lock, t->context, t->request->path));
    SLT_TRY(check_output(t, t->request->path));
    SLT_TRY(check_lines(t));
    bool resumed = access(t->request->path, F_OK) == 0;
    if (resumed) SLT_TRY(resume(t));
    t->frames_before = t->file->state.frames;
    t->started = slt_seconds();
    t->worked = slt_seconds_of(CLOCK_PROCESS_CPUTIME_ID);
    if (!t->file->state.finished) SLT_TRY(train(t, resumed));
    t->result.seconds = slt_seconds() - t->started;
    t->result.working = slt_seconds_of(CLOCK_PROCESS_CPUTIME_ID) - t->worked;
    return slt_policy_score(t->context, t->file, t->kinds[0], FIRST_FRESH, FRESH,
                            &t->result.scores);
}

slt_status slt_policy_train(slt_context *context, const slt_policy_request *request,
                            slt_policy_result *result) {
    trainer t = {.context = context, .request = request};
    slt_arena_init(&t.arena, &context->allocator, 0);
    slt_status status = run(&t);
    if (status == SLT_OK) {
        const slt_policy_state *state = &t.file->state;
        t.result.laps = state->laps;
        t.result.frames = state->frames;
        t.result.call_frames = state->frames - t.frames_before;
        t.result.reached = state->mean_return >= t.file->options.goal;
        if (result) *result = t.result;
    }
    slt_policy_learner_deinit(&t.learner);
    slt_policy_close(t.file);
    slt_lock_release(&t.lock);
    slt_arena_deinit(&t.arena);
    return status;
}
