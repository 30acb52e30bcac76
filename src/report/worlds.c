// The worlds after trajectories.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include "report/worlds.h"

#include <stdio.h>
#include <string.h>

enum { LONGEST = 2048 }; // steps of a trajectory that is drawn

struct slt_drawn_worlds {
    slt_report_book *book;
    const slt_report_set *set;
    slt_env_batch *batch; // one copy of `id`
    char id[128];
    float *values;        // [observation_size]
    uint8_t *seen, *told; // [observation_size]
    slt_canvas *views, *worlds;
};

slt_status slt_drawn_worlds_open(slt_report_book *book, const slt_report_set *set,
                                 slt_drawn_worlds **out) {
    slt_drawn_worlds *w;
    size_t size = (size_t)set->info->observation_size, longest = (size_t)set->info->longest;
    SLT_TRY(SLT_NEW(&book->arena, &w, 1));
    w->book = book;
    w->set = set;
    if (longest > LONGEST) longest = LONGEST;
    SLT_TRY(SLT_NEW(&book->arena, &w->values, size));
    SLT_TRY(SLT_NEW(&book->arena, &w->told, size));
    SLT_TRY(SLT_NEW(&book->arena, &w->seen, size));
    SLT_TRY(SLT_NEW(&book->arena, &w->views, longest));
    SLT_TRY(SLT_NEW(&book->arena, &w->worlds, longest));
    *out = w;
    return SLT_OK;
}

void slt_drawn_worlds_close(slt_drawn_worlds *worlds) {
    if (worlds) slt_env_batch_destroy(worlds->batch);
}

// the observation of a step as bytes; false when it is not made of bytes
static bool observe(const slt_drawn_worlds *w, const slt_episode *episode, int64_t step) {
    if (slt_episode_observe(w->set->info, episode, step, w->values) != SLT_OK) return false;
    for (int64_t i = 0; i < w->set->info->observation_size; i++) {
        if (!(w->values[i] >= 0 && w->values[i] <= 255)) return false;
        w->told[i] = (uint8_t)w->values[i];
    }
    return true;
}

static bool draw_views(const slt_drawn_worlds *w, const slt_episode *episode, const char *id) {
    for (int64_t t = 0; t < episode->length; t++)
        if (!observe(w, episode, t) ||
            slt_draw_observation(id, w->told, (size_t)w->set->info->observation_size,
                                 &w->views[t]) != SLT_OK)
            return false;
    return true;
}

// a copy of the environment, kept from one episode to the next
static bool find_batch(slt_drawn_worlds *w, const char *id) {
    if (w->batch && strcmp(w->id, id) == 0) return true;
    slt_env_batch_destroy(w->batch);
    w->batch = NULL;
    snprintf(w->id, sizeof w->id, "%s", id);
    return slt_env_batch_create(w->book->context, id, 1, SLT_AUTORESET_DISABLED, &w->batch) ==
           SLT_OK;
}

// plays the recorded actions again: a world is drawn only where all observations are the recorded
// ones
static bool replay(slt_drawn_worlds *w, const slt_episode *episode, const char *id) {
    size_t size = (size_t)w->set->info->observation_size;
    uint64_t seed = (uint64_t)episode->seed;
    if (w->set->continuous || !w->set->info->has_seeds || !find_batch(w, id)) return false;
    if ((size_t)slt_env_batch_info(w->batch)->observation_size != size) return false;
    if (slt_env_batch_reset(w->batch, &seed, NULL, w->seen) != SLT_OK) return false;
    for (int64_t t = 0; t < episode->length; t++) {
        int64_t action = slt_episode_action(episode, t);
        if (!observe(w, episode, t) || memcmp(w->seen, w->told, size) != 0) return false;
        if (slt_draw_env(w->batch, 0, &w->worlds[t]) != SLT_OK) return false;
        if (t + 1 == episode->length) break;
        if (slt_env_batch_step(w->batch, &action, &(slt_env_outputs){.observations = w->seen}) !=
            SLT_OK)
            return false;
    }
    return true;
}

slt_status slt_drawn_worlds_draw(slt_drawn_worlds *worlds, int64_t place, slt_world_frames *out) {
    char name[128];
    slt_episode episode;
    slt_env_info known;
    *out = (slt_world_frames){NULL, NULL};
    if (!worlds->set->info->observation_size) return SLT_OK;
    SLT_TRY(slt_report_episode(worlds->set, place, &episode));
    if (episode.length > LONGEST) return SLT_OK;
    const char *id = slt_report_environment(worlds->set, episode.task, name, sizeof name);
    if (id && slt_env_describe_id(id, &known) != SLT_OK) id = NULL;
    if (draw_views(worlds, &episode, id)) out->views = worlds->views;
    if (id && replay(worlds, &episode, id)) out->worlds = worlds->worlds;
    return SLT_OK;
}
