// Names of actions, or of the numbers of a vector, as one text with commas between them.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#ifndef SLT_DATA_NAMES_H
#define SLT_DATA_NAMES_H

#include "core/text.h"

// "left,right" becomes texts in the arena; FORMAT, with `key`, unless there are `count` of them.
// NULL stays NULL.
slt_status slt_names_split(slt_arena *arena, const char *key, const char *joined, int64_t count,
                           const char *const **out);
// the other way round, into a text of the caller's
void slt_names_join(slt_text *text, const char *const *names, int64_t count);

enum { SLT_NAMES_BYTES = 1 << 20 }; // the longest text of names that is kept

// " ('gripper')" for messages, "" when the column has no name; gives `out` back
enum { SLT_NAME_TEXT = 80 };
const char *slt_name_quote(const char *const *names, int64_t column, char out[SLT_NAME_TEXT]);

#endif
