// Golden outcomes of the Craft bot: a line per task, kind of observation and seed with
// task, full|partial, seed, S success | T time-out | P no plan, steps, actions; tabs between.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "experts/craft_rollout.h"
#include "verify/golden.h"

enum { TASK, SIGHT, SEED, OUTCOME, STEPS, ACTIONS, FIELDS, WIDEST = 80 };

typedef struct {
    char field[FIELDS][WIDEST];
} row;

// takes the line at *offset apart; false when it is none of ours
static bool split_line(const slt_golden *golden, size_t *offset, row *out) {
    const char *at = golden->text + *offset, *end = golden->text + golden->length;
    for (int i = 0; i < FIELDS; i++) {
        char stop = i + 1 < FIELDS ? '\t' : '\n';
        const char *next = memchr(at, stop, (size_t)(end - at));
        if (!next || next == at || next - at >= WIDEST) return false;
        memcpy(out->field[i], at, (size_t)(next - at));
        out->field[i][next - at] = 0;
        at = next + 1;
    }
    *offset = (size_t)(at - golden->text);
    return true;
}

// the environment of a row; NULL when there is none
static const slt_env_kind *find_kind(const row *line) {
    bool full = strcmp(line->field[SIGHT], "full") == 0;
    if (!full && strcmp(line->field[SIGHT], "partial") != 0) return NULL;
    for (int task = 0; task < SLT_CRAFT_TASKS; task++)
        if (strcmp(line->field[TASK], slt_craft_tasks[task].name) == 0)
            return slt_craft_find(task, full);
    return NULL;
}

// what the row should say, from task, sight and seed alone
static void compute(const slt_env_kind *kind, uint32_t seed, row *out) {
    slt_craft_rollout rollout = {0};
    slt_craft_rollout_play(&rollout, kind, seed);
    bool planned = rollout.outcome != SLT_CRAFT_NO_PLAN;
    int length = planned ? rollout.length : 0;
    snprintf(out->field[SEED], WIDEST, "%u", seed);
    snprintf(out->field[OUTCOME], WIDEST, "%c", "STPX"[rollout.outcome]);
    snprintf(out->field[STEPS], WIDEST, "%d", length);
    char *actions = out->field[ACTIONS];
    for (int t = 0; t < length; t++) *actions++ = (char)('0' + rollout.actions[t]);
    if (!planned) *actions++ = '-';
    *actions = 0;
}

static void check_row(slt_verification *verification, const slt_env_kind *kind, const row *want) {
    static const char *const names[FIELDS] = {"task",    "kind",  "seed",
                                              "outcome", "steps", "actions"};
    row got;
    char where[256];
    snprintf(where, sizeof where, "%s seed %s", kind->id, want->field[SEED]);
    verification->where = where;
    compute(kind, (uint32_t)strtoul(want->field[SEED], NULL, 10), &got);
    for (int i = SEED; i < FIELDS; i++)
        slt_verify_text(verification, want->field[i], got.field[i], names[i]);
    verification->where = NULL;
}

static bool knows(const slt_golden *golden) {
    size_t offset = 0;
    row first;
    return split_line(golden, &offset, &first) && find_kind(&first);
}

static slt_status run(slt_verification *verification, const slt_golden *golden) {
    row want;
    size_t offset = 0;
    for (int number = 1; offset < golden->length; number++) {
        bool is_row = split_line(golden, &offset, &want);
        const slt_env_kind *kind = is_row ? find_kind(&want) : NULL;
        if (!kind) SLT_FAIL(SLT_FORMAT, "%s: line %d is no outcome", golden->path, number);
        check_row(verification, kind, &want);
    }
    return SLT_OK;
}

const slt_verify_kind slt_verify_craft_outcomes = {"craft-outcomes", knows, run};
