// JSON from files that may be hostile.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#ifndef SLT_CORE_JSON_H
#define SLT_CORE_JSON_H

#include <jansson.h>
#include "core/error.h"

// Parses a whole text into *out, the caller's json_decref. Refused with `name` before the
// message: nesting deeper than `depth` (found before parsing), keys that stand twice in one object,
// bad UTF-8, anything after the document.
slt_status slt_json_parse(const char *name, const char *text, size_t length, int depth,
                          json_t **out);
// the same of a file
slt_status slt_json_read(const char *path, int depth, json_t **out);

#endif
