// A recorded episode, step by step: what the agent saw, and all its actions with the true segments.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "action_mark.h"
#include "play.h"

enum { PAGE = 64 }; // steps of a time line

typedef struct {
    slt_dataset *data;
    const slt_dataset_info *info;
    slt_episode episode;
    int64_t step, last; // last: the step after the last action where its observation is there
    float *values;      // [observation_size]
    uint8_t *bytes;
} player;

// ---- the picture

// the environment of the episode: its place in the list of the data set; NULL when unknown
static const char *name_environment(const player *p, char *out, size_t size) {
    const char *at = p->info->environment;
    if (!at) return NULL;
    for (int32_t i = p->info->has_tasks ? p->episode.task : 0; i > 0 && strchr(at, ','); i--)
        at = strchr(at, ',') + 1;
    size_t length = strcspn(at, ",");
    if (length >= size) return NULL;
    memcpy(out, at, length);
    out[length] = 0;
    return out;
}

static bool to_bytes(const player *p) {
    for (int64_t i = 0; i < p->info->observation_size; i++) {
        if (!(p->values[i] >= 0 && p->values[i] <= 255)) return false;
        p->bytes[i] = (uint8_t)p->values[i];
    }
    return true;
}

static bool draw(const player *p, const char *environment, slt_canvas *canvas) {
    slt_env_info known;
    if (!p->values || !p->bytes) return false;
    if (slt_episode_observe(p->info, &p->episode, p->step, p->values) != SLT_OK) return false;
    if (!to_bytes(p)) return false;
    if (environment && slt_env_describe_id(environment, &known) != SLT_OK) environment = NULL;
    return slt_draw_observation(environment, p->bytes, (size_t)p->info->observation_size, canvas) ==
           SLT_OK;
}

// ---- the time line

static char mark_of(const player *p, int64_t step) {
    return cli_action_mark(p->info, &p->episode, step);
}

// number of the segment that a step lies in, from 1; 0 without labels
static int64_t segment_of(const player *p, int64_t step) {
    const int32_t *labels = p->episode.segments;
    int64_t number = labels != NULL;
    for (int64_t t = 1; labels && t <= step; t++) number += labels[t] != labels[t - 1];
    return number;
}

static bool begins(const player *p, int64_t step) {
    const int32_t *labels = p->episode.segments;
    return labels && step > 0 && labels[step] != labels[step - 1];
}

static void print_mark(const player *p, int64_t step, int64_t segment) {
    static const int colours[] = {42, 44, 45, 43, 46, 41};
    const char *cursor = step == p->step ? "1;4;7;" : "";
    if (!play_has_colours())
        printf("%s%c", begins(p, step) ? "|" : "", mark_of(p, step));
    else if (p->episode.segments && p->episode.segments[step] >= 0)
        printf("\033[%s30;%dm%c\033[0m", cursor, colours[(segment - 1) % 6], mark_of(p, step));
    else
        printf("\033[%sm%c\033[0m", *cursor ? "7" : "", mark_of(p, step));
}

// the page with the cursor, and a caret below it
static void show_line(const player *p) {
    int64_t first = p->step / PAGE * PAGE, end = first + PAGE;
    if (end > p->episode.length) end = p->episode.length;
    int64_t segment = first < end ? segment_of(p, first) : 0, bars = 0;
    printf("%6lld  ", (long long)first);
    for (int64_t t = first; t < end; t++) {
        if (t > first) segment += begins(p, t);
        print_mark(p, t, segment);
        if (t <= p->step && !play_has_colours()) bars += begins(p, t);
    }
    play_line("%s", "");
    play_line("        %*s^", (int)(p->step - first + bars), "");
}

// ---- frames

static void show_step(const player *p) {
    char name[64];
    const slt_episode *e = &p->episode;
    if (p->step == e->length) {
        play_line("step %lld of %lld: the end", (long long)p->step, (long long)e->length);
        return;
    }
    if (e->actions_f32)
        snprintf(name, sizeof name, "continuous");
    else if (p->info->action_names)
        play_safe(p->info->action_names[slt_episode_action(e, p->step)], name, sizeof name);
    else
        snprintf(name, sizeof name, "%d", (int)slt_episode_action(e, p->step));
    char reward[32] = "", segment[64] = "";
    if (e->rewards) snprintf(reward, sizeof reward, "  reward %.4g", (double)e->rewards[p->step]);
    if (e->segments)
        snprintf(segment, sizeof segment, "  segment %lld of %lld",
                 (long long)segment_of(p, p->step), (long long)slt_episode_segment_count(e));
    play_line("step %lld of %lld  action %s%s%s", (long long)p->step, (long long)e->length, name,
              reward, segment);
}

static void show(const player *p) {
    char id[128], safe[128], file[256];
    slt_canvas canvas;
    const char *environment = name_environment(p, id, sizeof id);
    play_begin();
    play_line("%s  episode %lld of %lld  %s",
              play_safe(slt_dataset_path(p->data), file, sizeof file), (long long)p->episode.index,
              (long long)p->info->episodes,
              environment ? play_safe(environment, safe, sizeof safe) : "");
    if (draw(p, environment, &canvas)) {
        play_picture(&canvas);
        play_line("carries: %s", canvas.pocket[0] ? canvas.pocket : "nothing");
    } else
        play_line("no picture: no observation of a known environment");
    show_step(p);
    show_line(p);
    if (play_is_screen())
        play_line("left, right: a step   0, $: first, last   n, p: next, last episode   q: quit");
    play_end();
}

// ---- moving

static slt_status open_episode(player *p, int64_t index) {
    slt_status status = slt_dataset_episode(p->data, index, &p->episode);
    p->step = 0;
    if (status == SLT_OK) p->last = p->episode.length - !p->info->has_finals;
    return status;
}

static int64_t clamp(int64_t value, int64_t high) {
    return value < 0 ? 0 : value > high ? high : value;
}

static slt_status move_episode(player *p, int by) {
    int64_t wanted = clamp(p->episode.index + by, p->info->episodes - 1);
    return open_episode(p, wanted);
}

// false: a key without meaning
static bool take_key(player *p, int key, slt_status *status) {
    int64_t wanted;
    switch (key) {
    case PLAY_LEFT:
    case 'h':
        wanted = p->step - 1;
        break;
    case PLAY_RIGHT:
    case ' ':
    case 'l':
        wanted = p->step + 1;
        break;
    case '0':
        wanted = 0;
        break;
    case '$':
        wanted = p->last;
        break;
    case PLAY_DOWN:
    case 'n':
        return *status = move_episode(p, 1), true;
    case PLAY_UP:
    case 'p':
        return *status = move_episode(p, -1), true;
    default:
        return false;
    }
    p->step = clamp(wanted, p->last);
    return true;
}

static slt_status loop(player *p) {
    slt_status status = SLT_OK;
    show(p);
    for (int key; (key = play_key()) != 'q' && key != PLAY_END;) {
        bool known = take_key(p, key, &status);
        if (status != SLT_OK) return status;
        if (known) show(p);
    }
    return SLT_OK;
}

static slt_status play(player *p, int64_t episode) {
    p->info = slt_dataset_about(p->data);
    slt_status status = open_episode(p, episode);
    if (status != SLT_OK) return status;

    // without memory there is no picture
    size_t size = (size_t)p->info->observation_size;
    p->values = size ? calloc(size, sizeof *p->values) : NULL;
    p->bytes = size ? calloc(size, 1) : NULL;
    play_open();
    status = loop(p);
    play_close();
    free(p->values);
    free(p->bytes);
    return status;
}

int play_episode(cli_call *call, const char *path, int64_t episode) {
    player p = {0};
    slt_status status = slt_dataset_open(call->context, path, &p.data);
    if (status == SLT_OK) {
        status = play(&p, episode);
        slt_dataset_close(p.data);
    }
    return status == SLT_OK ? CLI_DONE : cli_fail(status);
}
