// Fields of golden JSON with their bounds checked: a file is untrusted even when it is golden.
// Each fails with FORMAT and names the field.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#ifndef SLT_VERIFY_GOLDEN_JSON_H
#define SLT_VERIFY_GOLDEN_JSON_H

#include "verify/golden.h"

#define SLT_ANY_COUNT SIZE_MAX

// a whole number from low to high
slt_status slt_golden_whole(const json_t *object, const char *key, int64_t low, int64_t high,
                            int64_t *out);
slt_status slt_golden_whole_at(const json_t *list, size_t index, int64_t low, int64_t high,
                               const char *what, int64_t *out);
// a list, of `count` entries; borrowed
slt_status slt_golden_array(const json_t *object, const char *key, size_t count, json_t **out);
slt_status slt_golden_list_at(const json_t *list, size_t index, size_t count, const char *what,
                              json_t **out);
// a text; borrowed
slt_status slt_golden_string(const json_t *object, const char *key, const char **out);

// runs `check` on every JSON line; messages and mismatches name the line, unless it names something
// better; what it takes from the arena lives as long as the line
slt_status slt_golden_each(slt_verification *verification, const slt_golden *golden,
                           slt_status (*check)(slt_verification *verification, const json_t *line));

#endif
