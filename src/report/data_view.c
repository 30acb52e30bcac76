// A data set as a report shows it: one part of it, with the baselines.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include <math.h>
#include <string.h>
#include "report/report_impl.h"

// ---- episodes

slt_status slt_report_episode(const slt_report_set *set, int64_t place, slt_episode *out) {
    return slt_dataset_episode(set->data, set->episodes[place], out);
}

int slt_report_tasks(const slt_report_set *set) {
    int count = 1;
    for (const char *c = set->info->environment; c && *c; c++) count += *c == ',';
    return set->info->has_tasks ? count : 1;
}

const char *slt_report_environment(const slt_report_set *set, int32_t task, char *out,
                                   size_t size) {
    const char *at = set->info->environment;
    if (!at) return NULL;
    for (int32_t i = set->info->has_tasks ? task : 0; i > 0 && strchr(at, ','); i--)
        at = strchr(at, ',') + 1;
    size_t length = strcspn(at, ",");
    if (length >= size) return NULL;
    memcpy(out, at, length);
    out[length] = 0;
    return out;
}

// a set without splits is shared out as training does it: every tenth episode is for test
static slt_status own_split(slt_report_book *book, slt_report_set *set, const int64_t **out,
                            int64_t *count) {
    static const int places[SLT_SPLITS] = {0, 8, 9};
    int64_t *list, split = book->request->split;
    SLT_TRY(SLT_NEW(&book->arena, &list, (size_t)set->info->episodes));
    *count = 0;
    for (int64_t i = 0; i < set->info->episodes; i++)
        if (split == SLT_SPLIT_TRAIN ? i % 10 < 8 : i % 10 == places[split]) list[(*count)++] = i;
    *out = list;
    return SLT_OK;
}

// the first trajectories of the part, as many as the page takes
static slt_status take_episodes(slt_report_book *book, slt_report_set *set) {
    const int64_t *all;
    int64_t count;
    set->own_splits = !set->info->has_splits && !set->whole;
    if (set->whole)
        count = slt_dataset_split(set->data, SLT_SPLIT_TRAIN, &all);
    else if (set->own_splits)
        SLT_TRY(own_split(book, set, &all, &count));
    else
        count = slt_dataset_split(set->data, book->request->split, &all);
    if (count < 1)
        SLT_FAIL(SLT_INVALID, "%s: no episodes in its %s split", set->path,
                 slt_split_name(book->request->split));
    set->episodes = all;
    set->labelled = set->info->has_segments;
    while (set->count < count && set->count < SLT_REPORT_MOST) {
        slt_episode episode;
        SLT_TRY(slt_dataset_episode(set->data, all[set->count], &episode));
        if (set->count && set->steps + episode.length > SLT_REPORT_STEPS) break;
        for (int64_t t = 0; episode.segments && t < episode.length; t++)
            if (episode.segments[t] < 0) set->labelled = false;
        set->steps += episode.length;
        set->count++;
    }
    set->left_out = count - set->count;
    return SLT_OK;
}

// ---- names

static slt_status name_set(slt_report_book *book, slt_report_set *set) {
    char *path, *name;
    SLT_TRY(slt_arena_text(&book->arena, set->path, strcspn(set->path, "?"), &path));
    const char *start = strrchr(path, '/');
    start = start && start[1] ? start + 1 : path;
    const char *end = strrchr(start, '.');
    SLT_TRY(slt_arena_text(&book->arena, start,
                           end && end > start ? (size_t)(end - start) : strlen(start), &name));
    set->name = name;
    return SLT_OK;
}

// the six sets of the paper are known by their environments
static const struct {
    const char *environment, *paper;
} known[] = {
    {"makebedfull-v0,makeaxefull-v0,makeshearsfull-v0", "Craft (fully)"},
    {"makebed-v0,makeaxe-v0,makeshears-v0", "Craft (partial)"},
    {"MiniGrid-DoorKey-8x8-v0", "DoorKey-8x8"},
    {"MiniGrid-UnlockPickup-v0", "UnlockPickup"},
    {"MiniGrid-BlockedUnlockPickup-v0", "BlockedUnlockPickup"},
    {"MiniGrid-KeyCorridorS4R3-v0", "KeyCorridor-S4R3"},
};

static void find_paper(slt_report_set *set) {
    const char *single = slt_dataset_metadata(set->data, "single_delimiter");
    bool plain = !single || strcmp(single, "no") == 0;
    for (size_t i = 0; plain && i < sizeof known / sizeof *known; i++)
        if (set->info->environment && strcmp(set->info->environment, known[i].environment) == 0)
            set->paper = known[i].paper;
}

// ---- baselines

static slt_status add_baselines(slt_report_book *book, slt_report_set *set) {
    const char *name;
    if (!set->labelled || set->own_splits || set->whole) return SLT_OK;
    for (int i = 0; (name = slt_baseline_name(i)) && set->baseline_count < SLT_REPORT_BASELINES;
         i++) {
        slt_score_summary summary;
        slt_status status = slt_baseline_score(book->context, set->data, book->request->split, NULL,
                                               name, book->request->seed, &summary, NULL);
        if (status == SLT_CANCELLED || status == SLT_NOMEM) return status;
        if (status != SLT_OK) continue; // this rule misses something that the data has not
        const slt_scores *s = &summary.mean;
        set->baselines[set->baseline_count++] = (slt_report_baseline){
            name, {s->f1, s->f1_one, s->align, s->ari, s->covering, NAN, NAN, NAN, NAN}};
    }
    return SLT_OK;
}

slt_status slt_report_open_set(slt_report_book *book, slt_report_set *set) {
    SLT_TRY(name_set(book, set));
    SLT_TRY(slt_dataset_open(book->context, set->path, &set->data));
    set->info = slt_dataset_about(set->data);
    set->continuous = set->info->action_kind == SLT_ACTIONS_CONTINUOUS;
    set->whole = set->whole && !set->info->has_splits;
    SLT_TRY(take_episodes(book, set));
    find_paper(set);
    return add_baselines(book, set);
}
