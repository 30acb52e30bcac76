// Reading csv: RFC 4180, with numbers in all fields but the actions.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include "data/csv.h"

#include <inttypes.h>
#include <string.h>
#include "core/number.h"
#include "core/text.h"

enum { MOST_COLUMNS = 65536, LONGEST_FIELD = 256, MOST_NAMES = 1024 };

// what a column is; observations are all that is not named here
typedef enum {
    EPISODE,
    ACTION,
    SEGMENT,
    REWARD,
    SPLIT,
    TASK,
    SEED,
    KNOWN,
    OBSERVATION = KNOWN
} csv_role;

// clang-format off
static const struct {
    const char *column, *array;
    slt_dtype dtype;
    bool per_episode;
} roles[KNOWN + 1] = {
    [EPISODE]     = {"episode", "episode",      SLT_DTYPE_I64, false},
    [ACTION]      = {"action",  "actions",      SLT_DTYPE_I32, false},
    [SEGMENT]     = {"segment", "segment",      SLT_DTYPE_I32, false},
    [REWARD]      = {"reward",  "rewards",      SLT_DTYPE_F32, false},
    [SPLIT]       = {"split",   "split",        SLT_DTYPE_U8,  true},
    [TASK]        = {"task",    "task",         SLT_DTYPE_I32, true},
    [SEED]        = {"seed",    "seed",         SLT_DTYPE_I64, true},
    [OBSERVATION] = {NULL,      "observations", SLT_DTYPE_F32, false},
};
// clang-format on

typedef struct {
    slt_array_set *set;
    const char *at, *end;
    uint64_t line;
    char field[LONGEST_FIELD];
    unsigned char *columns;  // [width], roles
    int64_t width, observed; // columns, and those of them that are observations
    slt_spool spools[KNOWN + 1];
    bool present[KNOWN + 1];
    int64_t episode; // of the last row
    bool first;      // no row yet
    const char *names[MOST_NAMES];
    int name_count;
    bool by_name; // the first action was no number
} csv_table;

#define REFUSE(table, ...)                                                                         \
    do {                                                                                           \
        slt_fail(SLT_FORMAT, __VA_ARGS__);                                                         \
        slt_fail(SLT_FORMAT, "%.300s:%" PRIu64 ": %s", (table)->set->path, (table)->line,          \
                 slt_last_error());                                                                \
        return SLT_FORMAT;                                                                         \
    } while (0)

// ---- fields

// reads one field into table->field; *last tells that the row ends behind it
static slt_status next_field(csv_table *table, bool *last) {
    size_t length = 0;
    bool quoted = table->at < table->end && *table->at == '"';
    if (quoted) table->at++;
    for (;; table->at++) {
        if (quoted && table->at == table->end) REFUSE(table, "a quote is not closed");
        if (quoted && *table->at == '"') {
            quoted = table->at + 1 < table->end && table->at[1] == '"'; // "" is one quote
            table->at++;
            if (!quoted) break;
        }
        if (!quoted && (table->at == table->end || strchr(",\r\n", *table->at))) break;
        if (length + 1 >= LONGEST_FIELD || *table->at == 0)
            REFUSE(table, "a field has %d characters or a NUL", LONGEST_FIELD);
        table->field[length++] = *table->at;
    }
    table->field[length] = 0;
    if (table->at < table->end && *table->at == '\r') table->at++;
    *last = table->at == table->end || *table->at == '\n';
    if (!*last && *table->at != ',') REFUSE(table, "something stands behind a field");
    if (table->at < table->end) table->at++;
    return SLT_OK;
}

static slt_status whole(csv_table *table, int64_t low, int64_t high, const char *column,
                        int64_t *out) {
    if (!slt_number_whole(table->field, out) || *out < low || *out > high)
        REFUSE(table, "%s: '%.60s' is no whole number from %" PRId64 " to %" PRId64, column,
               table->field, low, high);
    return SLT_OK;
}

// ---- the first row

static csv_role find_role(const char *name) {
    for (int i = 0; i < KNOWN; i++)
        if (strcmp(roles[i].column, name) == 0) return (csv_role)i;
    return OBSERVATION;
}

static slt_status read_head(csv_table *table) {
    SLT_TRY(SLT_NEW(&table->set->arena, &table->columns, MOST_COLUMNS));
    for (bool last = false; !last; table->width++) {
        if (table->width == MOST_COLUMNS) REFUSE(table, "more than %d columns", MOST_COLUMNS);
        SLT_TRY(next_field(table, &last));
        csv_role role = find_role(table->field);
        if (role < KNOWN && table->present[role])
            REFUSE(table, "column '%s' is there twice", table->field);
        table->present[role] = true;
        table->observed += role == OBSERVATION;
        table->columns[table->width] = (unsigned char)role;
    }
    for (int i = EPISODE; i <= ACTION; i++)
        if (!table->present[i]) REFUSE(table, "column '%s' is missing", roles[i].column);
    return SLT_OK;
}

// ---- the other rows

// a number, or the number of a name
static slt_status read_action(csv_table *table, int64_t *out) {
    if (table->first) table->by_name = !slt_number_whole(table->field, out);
    if (!table->by_name) return whole(table, 0, INT32_MAX, "action", out);
    for (*out = 0; *out < table->name_count; ++*out)
        if (strcmp(table->names[*out], table->field) == 0) return SLT_OK;
    if (table->name_count == MOST_NAMES) REFUSE(table, "more than %d names of actions", MOST_NAMES);
    if (strchr(table->field, ',')) REFUSE(table, "action '%.60s' holds a comma", table->field);
    char *copy;
    SLT_TRY(slt_arena_text(&table->set->arena, table->field, strlen(table->field), &copy));
    table->names[table->name_count++] = copy;
    return SLT_OK;
}

static slt_status put_real(csv_table *table, csv_role role, const char *column) {
    double value;
    if (!slt_number_real(table->field, &value))
        REFUSE(table, "%s: '%.60s' is no number", column, table->field);
    slt_spool_put(&table->spools[role], &(float){(float)value}, sizeof(float));
    return SLT_OK;
}

static slt_status put_field(csv_table *table, csv_role role, bool starts) {
    static const int64_t high[KNOWN] = {INT64_MAX,      INT32_MAX, INT32_MAX, 0,
                                        SLT_SPLITS - 1, INT32_MAX, INT64_MAX};
    static const int64_t low[KNOWN] = {INT64_MIN, 0, -1, 0, 0, -1, INT64_MIN};
    if (role == OBSERVATION || role == REWARD)
        return put_real(table, role, role == REWARD ? "reward" : "observation");
    int64_t value;
    if (role == ACTION)
        SLT_TRY(read_action(table, &value));
    else
        SLT_TRY(whole(table, low[role], high[role], roles[role].column, &value));
    if (role == EPISODE && !table->first && value < table->episode)
        REFUSE(table, "episode %" PRId64 " comes behind %" PRId64, value, table->episode);
    if (role == EPISODE) table->episode = value;
    if (roles[role].per_episode && !starts) return SLT_OK;
    // little-endian: the low bytes come first
    slt_spool_put(&table->spools[role], &value, slt_dtype_size(roles[role].dtype));
    return SLT_OK;
}

// does the row at hand start an episode? its number is looked up first, wherever its column is
static slt_status starts_episode(csv_table *table, bool *out) {
    const char *start = table->at;
    bool last = false;
    int64_t value = 0, column = 0;
    for (; !last && column < table->width; column++) {
        SLT_TRY(next_field(table, &last));
        if (table->columns[column] != EPISODE) continue;
        SLT_TRY(whole(table, INT64_MIN, INT64_MAX, "episode", &value));
        break;
    }
    table->at = start;
    *out = table->first || value != table->episode;
    return SLT_OK;
}

static slt_status read_row(csv_table *table) {
    bool starts, last = false;
    SLT_TRY(starts_episode(table, &starts));
    for (int64_t i = 0; i < table->width; i++) {
        if (last) REFUSE(table, "%" PRId64 " fields instead of %" PRId64, i, table->width);
        SLT_TRY(next_field(table, &last));
        SLT_TRY(put_field(table, (csv_role)table->columns[i], starts));
    }
    if (!last) REFUSE(table, "more than %" PRId64 " fields", table->width);
    table->first = false;
    return SLT_OK;
}

static slt_status read_rows(csv_table *table) {
    for (table->first = true; table->at < table->end;) {
        table->line++;
        if (*table->at == '\n' || *table->at == '\r') { // an empty line
            table->at++;
            continue;
        }
        SLT_TRY(read_row(table));
        if (table->line % 4096 == 0) SLT_TRY(slt_context_check(table->set->context));
    }
    if (table->first) REFUSE(table, "there is no step");
    return SLT_OK;
}

// ---- handing over

static slt_status add_names(csv_table *table) {
    slt_text joined;
    slt_text_init(&joined, &table->set->context->allocator);
    for (int i = 0; i < table->name_count; i++)
        slt_text_add(&joined, "%s%s", i ? "," : "", table->names[i]);
    slt_status status = joined.status;
    if (status == SLT_OK) status = slt_array_set_describe(table->set, "action_names", joined.bytes);
    slt_text_deinit(&joined);
    return status;
}

static slt_status hand_over(csv_table *table) {
    for (int i = 0; i <= KNOWN; i++) {
        if (!table->present[i]) continue;
        int64_t shape[2] = {-1, table->observed};
        SLT_TRY(slt_array_set_add_spool(table->set, roles[i].array, roles[i].dtype,
                                        i == OBSERVATION ? 2 : 1, shape, &table->spools[i]));
    }
    return table->name_count ? add_names(table) : SLT_OK;
}

slt_status slt_csv_read(slt_array_set *set) {
    slt_map map;
    SLT_TRY(slt_map_open(set->path, &map));
    csv_table *table;
    slt_status status = SLT_NEW(&set->arena, &table, 1);
    if (status == SLT_OK) {
        const char *text = (const char *)map.data;
        table->set = set;
        table->at = map.size >= 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0 ? text + 3 : text;
        table->end = text + map.size;
        table->line = 1;
        for (int i = 0; i <= KNOWN; i++)
            slt_spool_init(&table->spools[i], &set->context->allocator, NULL);
        status = read_head(table);
        if (status == SLT_OK) status = read_rows(table);
        if (status == SLT_OK) status = hand_over(table);
        for (int i = 0; i <= KNOWN; i++) slt_spool_deinit(&table->spools[i]);
    }
    slt_map_close(&map);
    return status;
}
