// Distance between words (optimal string alignment).
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include "core/edit_distance.h"

#include <string.h>

enum { LONGEST = 63, FAR = 1000 };

static int least(int a, int b) { return a < b ? a : b; }

int slt_edit_distance(const char *left, size_t left_length, const char *right,
                      size_t right_length) {
    if (left_length > LONGEST || right_length > LONGEST) return FAR;
    int row[3][LONGEST + 1]; // distances of the last three prefixes of left
    for (size_t k = 0; k <= right_length; k++) row[0][k] = (int)k;
    for (size_t i = 1; i <= left_length; i++) {
        int *now = row[i % 3], *one = row[(i + 2) % 3], *two = row[(i + 1) % 3];
        now[0] = (int)i;
        for (size_t k = 1; k <= right_length; k++) {
            int change = one[k - 1] + (left[i - 1] != right[k - 1]);
            now[k] = least(change, least(one[k], now[k - 1]) + 1);
            if (i > 1 && k > 1 && left[i - 1] == right[k - 2] && left[i - 2] == right[k - 1])
                now[k] = least(now[k], two[k - 2] + 1);
        }
    }
    return row[left_length % 3][right_length];
}

int slt_name_limit(const char *wanted) { return 2 + least((int)(strlen(wanted) / 4), 2); }

bool slt_name_nearer(const char *wanted, const char *name, size_t length, int *best) {
    int distance = slt_edit_distance(wanted, strlen(wanted), name, length);
    if (distance >= *best) return false;
    *best = distance;
    return true;
}
