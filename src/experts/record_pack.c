// Records, end to end: a head, then those arrays that an accepted one has.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include "experts/record_pack.h"

#include <string.h>
#include "skills/skill_play.h"

typedef struct {
    uint32_t seed;
    int32_t verdict, length;
    uint8_t terminated, truncated, unused[2];
    int64_t ones; // of all views
} head;

enum { ARRAYS = 8 };

typedef struct {
    void *at; // NULL: the play has no such array
    size_t bytes;
} stretch;

// arrays of a record of so many steps and ones, in the order of the message; one that was rejected
// has the first alone
static void list(const slt_record *record, const head *h, size_t O, stretch out[ARRAYS]) {
    size_t T = (size_t)h->length;
    bool accepted = h->verdict == SLT_ACCEPTED;
    const stretch all[ARRAYS] = {
        {record->skills, (size_t)record->skill_count * sizeof *record->skills},
        {record->actions, T},
        {record->rewards, T * sizeof *record->rewards},
        {record->segments, T * sizeof *record->segments},
        {record->subtasks, T * sizeof *record->subtasks},
        {record->views, record->views ? (T + 1) * O : 0},
        {record->ones_offsets, record->ones ? (T + 2) * sizeof *record->ones_offsets : 0},
        {record->ones, record->ones ? (size_t)h->ones * sizeof *record->ones : 0},
    };
    for (int i = 0; i < ARRAYS; i++) out[i] = i && !accepted ? (stretch){0} : all[i];
}

static head head_of(const slt_record *record) {
    head h = {.seed = record->seed, .verdict = record->verdict};
    if (record->verdict != SLT_ACCEPTED) return h;
    h.length = record->length;
    h.terminated = record->terminated;
    h.truncated = record->truncated;
    if (record->ones) h.ones = record->ones_offsets[record->length + 1];
    return h;
}

size_t slt_record_packed(const slt_record *record, size_t O) {
    head h = head_of(record);
    stretch arrays[ARRAYS];
    size_t bytes = sizeof h;
    list(record, &h, O, arrays);
    for (int i = 0; i < ARRAYS; i++) bytes += arrays[i].bytes;
    return bytes;
}

unsigned char *slt_record_pack(const slt_record *record, size_t O, unsigned char *to) {
    head h = head_of(record);
    stretch arrays[ARRAYS];
    memcpy(to, &h, sizeof h);
    to += sizeof h;
    list(record, &h, O, arrays);
    for (int i = 0; i < ARRAYS; i++) {
        if (arrays[i].bytes) memcpy(to, arrays[i].at, arrays[i].bytes);
        to += arrays[i].bytes;
    }
    return to;
}

static bool fits(const head *h, const slt_play_rules *rules) {
    if (h->verdict < 0 || h->verdict > SLT_ACCEPTED) return false;
    int64_t most = ((int64_t)rules->longest + 1) * rules->family->most_ones;
    return h->length >= 0 && h->length <= rules->longest && h->ones >= 0 && h->ones <= most;
}

slt_status slt_record_unpack(slt_record *record, const slt_play_rules *rules, size_t O,
                             const unsigned char **from, const unsigned char *end) {
    head h = {0};
    stretch arrays[ARRAYS];
    size_t left = (size_t)(end - *from), bytes = sizeof h;
    if (left >= sizeof h) memcpy(&h, *from, sizeof h);
    list(record, &h, O, arrays);
    for (int i = 0; i < ARRAYS; i++) bytes += arrays[i].bytes;
    if (left < bytes || !fits(&h, rules))
        SLT_FAIL(SLT_INTERNAL, "an episode of another process does not fit: %d steps in %zu bytes",
                 h.length, left);
    record->seed = h.seed;
    record->verdict = h.verdict;
    record->length = h.length;
    record->terminated = h.terminated;
    record->truncated = h.truncated;
    const unsigned char *at = *from + sizeof h;
    for (int i = 0; i < ARRAYS; at += arrays[i++].bytes)
        if (arrays[i].bytes) memcpy(arrays[i].at, at, arrays[i].bytes);
    *from += bytes;
    return SLT_OK;
}
