// An environment to play with.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include <stdlib.h>
#include <string.h>
#include "play.h"
#include "slottar/expert.h"

typedef struct {
    slt_env_batch *batch; // of one copy
    const slt_env_info *info;
    uint64_t seed;
    int64_t episode, steps;
    double reward, total;
    uint8_t terminated, truncated;
    int action;         // the last one; -1: none
    slt_expert *expert; // who plays; NULL: the keys
    uint8_t *view;      // what the expert sees
    bool gave_up;
} world;

// what keys do, by the names of actions: a key may mean one thing here and another there
static const struct {
    int key;
    const char *action;
} keys[] = {
    {PLAY_LEFT, "left"}, {PLAY_RIGHT, "right"}, {PLAY_UP, "forward"}, {PLAY_UP, "up"},
    {PLAY_DOWN, "down"}, {' ', "use"},          {'u', "use"},         {'h', "left"},
    {'l', "right"},      {'k', "forward"},      {'k', "up"},          {'j', "down"},
    {'f', "forward"},    {'p', "pickup"},       {'d', "drop"},        {'t', "toggle"},
    {'.', "done"},
};

static int find_action(const slt_env_info *info, int key) {
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        for (int a = 0; keys[i].key == key && a < info->actions; a++)
            if (strcmp(info->action_names[a], keys[i].action) == 0) return a;
    return -1;
}

static slt_status start(world *w, bool first) {
    w->episode++;
    w->steps = 0;
    w->reward = w->total = 0;
    w->terminated = w->truncated = 0;
    w->action = -1;
    w->gave_up = false;
    slt_status status = slt_env_batch_reset(w->batch, first ? &w->seed : NULL, NULL, w->view);
    uint32_t seed = (uint32_t)(w->seed + (uint64_t)w->episode - 1);
    if (status == SLT_OK && w->expert) slt_expert_begin(w->expert, &seed, NULL);
    return status;
}

static slt_status act(world *w, int action) {
    if (w->terminated || w->truncated) return SLT_OK;
    int64_t wanted = action;
    slt_env_outputs out = {.observations = w->view,
                           .rewards = &w->reward,
                           .terminated = &w->terminated,
                           .truncated = &w->truncated};
    slt_status status = slt_env_batch_step(w->batch, &wanted, &out);
    if (status != SLT_OK) return status;
    w->action = action;
    w->steps++;
    w->total += w->reward;
    return SLT_OK;
}

static slt_status let_act(world *w) {
    int64_t action;
    if (w->terminated || w->truncated || w->gave_up) return SLT_OK;
    slt_status status = slt_expert_act(w->expert, w->view, &action);
    if (status != SLT_OK) return status;
    w->gave_up = action < 0;
    return w->gave_up ? SLT_OK : act(w, (int)action);
}

static void show_skill(const world *w) {
    int skill, steps;
    if (!w->expert || slt_expert_skill(w->expert, 0, &skill, &steps) != SLT_OK) return;
    if (w->gave_up) play_line("the expert gives up; r: again");
    if (skill >= 0) play_line("skill %d  step %d of it", skill, steps);
}

static slt_status show(const world *w) {
    slt_canvas canvas;
    slt_status status = slt_draw_env(w->batch, 0, &canvas);
    if (status != SLT_OK) return status;
    play_begin();
    play_line("%s  seed %llu  episode %lld", w->info->id, (unsigned long long)w->seed,
              (long long)w->episode);
    play_line("%s", canvas.task);
    play_picture(&canvas);
    play_line("carries: %s", canvas.pocket[0] ? canvas.pocket : "nothing");
    play_line("step %lld of %d  action %s  reward %.4g  return %.4g%s", (long long)w->steps,
              w->info->step_limit, w->action < 0 ? "-" : w->info->action_names[w->action],
              w->reward, w->total,
              w->terminated  ? "  ended; r: again"
              : w->truncated ? "  out of time; r: again"
                             : "");
    show_skill(w);
    if (play_is_screen())
        play_line("%s", w->expert ? "e: a step of the expert   r: reset   q: quit"
                        : find_action(w->info, ' ') >= 0
                            ? "arrows: move   space: use   r: reset   q: quit"
                            : "left, right: turn   up: forward   p: pick up   d: drop   t: toggle"
                              "   r: reset   q: quit");
    play_end();
    return SLT_OK;
}

static slt_status loop(world *w) {
    slt_status status = start(w, true);
    while (status == SLT_OK && (status = show(w)) == SLT_OK) {
        int key, action;
        do {
            key = play_key();
            action = w->expert ? (key == 'e') - 1 : find_action(w->info, key);
        } while (action < 0 && key != 'r' && key != 'q' && key != PLAY_END);
        if (key == 'q' || key == PLAY_END) break;
        status = key == 'r' ? start(w, false) : w->expert ? let_act(w) : act(w, action);
    }
    return status;
}

static slt_status find_expert(const cli_call *call, world *w) {
    const char *name = cli_value(call, "expert");
    if (!name) return SLT_OK;
    w->view = malloc((size_t)w->info->observation_size);
    return w->view ? slt_expert_create(w->batch, name, 0, &w->expert) : SLT_NOMEM;
}

int play_world(cli_call *call, const char *id) {
    world w = {.seed = call->seed};
    slt_status status =
        slt_env_batch_create(call->context, id, 1, SLT_AUTORESET_DISABLED, &w.batch);
    if (status != SLT_OK) return cli_fail(status);
    w.info = slt_env_batch_info(w.batch);
    status = find_expert(call, &w);
    if (status == SLT_OK) {
        play_open();
        status = loop(&w);
        play_close();
    }
    slt_expert_destroy(w.expert);
    free(w.view);
    slt_env_batch_destroy(w.batch);
    return status == SLT_OK ? CLI_DONE : cli_fail(status);
}
