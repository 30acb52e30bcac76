// Where data comes from: a path, and after a '?' which columns of it are what, as in
// demos.csv?actions=a*,gripper&observations=q*&episode=demo. A choice so travels wherever a path
// does: into run directories, to Python and back.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#ifndef SLT_DATA_SOURCE_H
#define SLT_DATA_SOURCE_H

#include <stdbool.h>
#include "slottar/dataset.h"

enum { SLT_PATH = 4096 };

// Patterns with commas between them; NULL: the format's default, "": none.
typedef struct {
    const char *actions, *observations, *episode;
    char path[SLT_PATH]; // without the choice
    char text[SLT_PATH]; // what the patterns point into
} slt_data_source;

// INVALID for choices that do not exist and for names that are too long. A file whose name has a
// '?' in it is a path as it stands.
slt_status slt_data_source_read(const char *text, slt_data_source *out);
static inline bool slt_data_source_chooses(const slt_data_source *source) {
    return source->actions || source->observations || source->episode;
}

// does one of the patterns ("a*,gripper") match the name?
bool slt_pattern_matches(const char *patterns, const char *name);

#endif
