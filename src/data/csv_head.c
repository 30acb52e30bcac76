// Fields of csv files (RFC 4180), and what their columns are.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include <stdio.h>
#include <string.h>
#include "core/text.h"
#include "data/csv_table.h"
#include "data/source.h"

void slt_csv_begin(slt_csv_table *table, slt_array_set *set, const void *text, size_t size) {
    const char *bytes = text;
    table->set = set;
    table->at = size >= 3 && memcmp(bytes, "\xef\xbb\xbf", 3) == 0 ? bytes + 3 : bytes;
    table->end = bytes + size;
    table->line = 1;
}

// ---- fields

static bool is_blank(char c) { return c == ' ' || c == '\t'; }

// blanks around a field belong to it only inside of quotes
static void trim(char *field, size_t length) {
    size_t front = 0;
    while (length && is_blank(field[length - 1])) length--;
    while (front < length && is_blank(field[front])) front++;
    memmove(field, field + front, length - front);
    field[length - front] = 0;
}

slt_status slt_csv_next(slt_csv_table *table, bool *last) {
    size_t length = 0;
    bool quoted = table->at < table->end && *table->at == '"', bare = !quoted;
    table->field_begin = table->at;
    if (quoted) table->at++;
    for (;; table->at++) {
        if (quoted && table->at == table->end) SLT_CSV_REFUSE(table, "a quote is not closed");
        if (quoted && *table->at == '"') {
            quoted = table->at + 1 < table->end && table->at[1] == '"'; // "" is one quote
            table->at++;
            if (!quoted) break;
        }
        if (!quoted && (table->at == table->end || strchr(",\r\n", *table->at))) break;
        if (length + 1 >= SLT_CSV_FIELD || *table->at == 0)
            SLT_CSV_REFUSE(table, "a field has %d characters or a NUL", SLT_CSV_FIELD);
        table->field[length++] = *table->at;
    }
    table->field[length] = 0;
    if (bare) trim(table->field, length);
    table->field_end = table->at;
    if (table->at < table->end && *table->at == '\r') table->at++;
    *last = table->at == table->end || *table->at == '\n';
    if (!*last && *table->at != ',') SLT_CSV_REFUSE(table, "unexpected text after a field");
    if (table->at < table->end) table->at++;
    return SLT_OK;
}

bool slt_csv_next_row(slt_csv_table *table) {
    for (; table->at < table->end; table->at++) {
        if (*table->at != '\r') table->line++;
        if (*table->at != '\n' && *table->at != '\r') return true;
    }
    return false;
}

// ---- the first row

static const char *const known[SLT_CSV_OBSERVATION] = {"episode", "action", "segment", "reward",
                                                       "split",   "task",   "seed",    "subtask"};

// patterns first, then the names that are known, then the rest
static slt_csv_role find_role(const slt_array_set *set, const char *name) {
    if (set->actions && slt_pattern_matches(set->actions, name)) return SLT_CSV_ACTION;
    if (set->episode && slt_pattern_matches(set->episode, name)) return SLT_CSV_EPISODE;
    if (set->observations && slt_pattern_matches(set->observations, name))
        return SLT_CSV_OBSERVATION;
    for (int i = 0; i < SLT_CSV_OBSERVATION; i++) {
        bool chosen =
            (i == SLT_CSV_ACTION && set->actions) || (i == SLT_CSV_EPISODE && set->episode);
        if (!chosen && strcmp(known[i], name) == 0) return (slt_csv_role)i;
    }
    // a column without a name is the index that a table was saved with
    return set->observations || !name[0] ? SLT_CSV_LEFT_OUT : SLT_CSV_OBSERVATION;
}

static slt_status read_names(slt_csv_table *table) {
    slt_arena *arena = &table->set->arena;
    bool named = false;
    SLT_TRY(SLT_NEW(arena, &table->names, SLT_CSV_COLUMNS));
    SLT_TRY(SLT_NEW(arena, &table->roles, SLT_CSV_COLUMNS));
    for (bool last = false; !last; table->width++) {
        char *name;
        if (table->width == SLT_CSV_COLUMNS)
            SLT_CSV_REFUSE(table, "more than %d columns", SLT_CSV_COLUMNS);
        SLT_TRY(slt_csv_next(table, &last));
        SLT_TRY(slt_arena_text(arena, table->field, strlen(table->field), &name));
        table->names[table->width] = name;
        named |= name[0] != 0;
    }
    if (!named) SLT_CSV_REFUSE(table, "no column names: the first line must name the columns");
    return SLT_OK;
}

// "x, y, z", cut where it becomes long
static void list_names(const slt_csv_table *table, char out[256]) {
    size_t length = 0;
    out[0] = 0;
    for (int64_t i = 0; i < table->width && length < 200; i++)
        length +=
            (size_t)snprintf(out + length, 256 - length, "%s%.40s", i ? ", " : "", table->names[i]);
    if (length >= 200) strcpy(out + (length > 240 ? 240 : length), " ...");
}

static slt_status check_there(slt_csv_table *table) {
    const slt_array_set *set = table->set;
    const struct {
        slt_csv_role role;
        const char *patterns, *flag;
        bool needed;
    } needs[] = {
        {SLT_CSV_EPISODE, set->episode, "episode", true},
        {SLT_CSV_ACTION, set->actions, "actions", true},
        {SLT_CSV_OBSERVATION, set->observations, "observations", false},
    };
    char names[256];
    list_names(table, names);
    for (size_t i = 0; i < sizeof needs / sizeof *needs; i++) {
        const char *patterns = needs[i].patterns;
        bool none = patterns && !patterns[0] && needs[i].role != SLT_CSV_ACTION;
        if (table->count[needs[i].role] || none || (!patterns && !needs[i].needed)) continue;
        if (patterns)
            SLT_CSV_REFUSE(table, "no column matches --%s '%.100s'; there are %s", needs[i].flag,
                           patterns, names);
        SLT_CSV_REFUSE(table, "column '%s' is missing; choose with --%s among %s%s",
                       known[needs[i].role], needs[i].flag, names,
                       needs[i].role == SLT_CSV_EPISODE ? " (--episode '': the file is one episode)"
                                                        : "");
    }
    return SLT_OK;
}

slt_status slt_csv_read_head(slt_csv_table *table) {
    SLT_TRY(read_names(table));
    for (int64_t i = 0; i < table->width; i++) {
        slt_csv_role role = find_role(table->set, table->names[i]);
        bool many = role >= SLT_CSV_OBSERVATION || (role == SLT_CSV_ACTION && table->set->actions);
        if (!many && table->count[role])
            SLT_CSV_REFUSE(table, "column '%s' is there twice", table->names[i]);
        table->count[role]++;
        table->roles[i] = (unsigned char)role;
    }
    return check_there(table);
}
