// The worlds after trajectories, step by step: what the agent saw, and, where the data set tells
// seed and environment and the replay sees the same, the whole world.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#ifndef SLT_REPORT_WORLDS_H
#define SLT_REPORT_WORLDS_H

#include "report/report_impl.h"

typedef struct slt_drawn_worlds slt_drawn_worlds;

// scratch for one data set; lives in the book's arena, but close it
slt_status slt_drawn_worlds_open(slt_report_book *book, const slt_report_set *set,
                                 slt_drawn_worlds **out);
void slt_drawn_worlds_close(slt_drawn_worlds *worlds);

// The pictures of one trajectory: [length] each, or NULL where there are none. Valid until the next
// call.
typedef struct {
    const slt_canvas *views, *worlds;
} slt_world_frames;

slt_status slt_drawn_worlds_draw(slt_drawn_worlds *worlds, int64_t place, slt_world_frames *out);

#endif
