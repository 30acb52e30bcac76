// Reading csv: numbers in all fields but names of actions, of sub-tasks and of episodes.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include "data/csv.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include "core/number.h"
#include "core/text.h"
#include "data/csv_table.h"
#include "data/names.h"

enum { MOST_NAMES = 1024 };

// clang-format off
static const struct {
    const char *column, *array;
    slt_dtype dtype;
    bool per_episode, real;
    int64_t low, high; // of whole numbers
} roles[SLT_CSV_ROLES] = {
    [SLT_CSV_EPISODE]     = {"episode", "episode",      SLT_DTYPE_I64, .low = INT64_MIN, .high = INT64_MAX},
    [SLT_CSV_ACTION]      = {"action",  "actions",      SLT_DTYPE_F32, .real = true}, // one: F64 or I32
    [SLT_CSV_SEGMENT]     = {"segment", "segment",      SLT_DTYPE_I32, .low = -1, .high = INT32_MAX},
    [SLT_CSV_REWARD]      = {"reward",  "rewards",      SLT_DTYPE_F32, .real = true},
    [SLT_CSV_SPLIT]       = {"split",   "split",        SLT_DTYPE_U8,  true, .high = SLT_SPLITS - 1},
    [SLT_CSV_TASK]        = {"task",    "task",         SLT_DTYPE_I32, true, .low = -1, .high = INT32_MAX},
    [SLT_CSV_SEED]        = {"seed",    "seed",         SLT_DTYPE_I64, true, .low = INT64_MIN, .high = INT64_MAX},
    [SLT_CSV_SUBTASK]     = {"subtask", "subtask",      SLT_DTYPE_I32},
    [SLT_CSV_OBSERVATION] = {NULL,      "observations", SLT_DTYPE_F32, .real = true},
};
// clang-format on

// in the order of their appearance
typedef struct {
    const char *names[MOST_NAMES];
    int count;
} name_list;

typedef struct {
    slt_csv_table table;
    bool first;      // no row yet
    int64_t episode; // of the last row
    bool texts;      // episodes have names, not numbers
    char name[SLT_CSV_FIELD];
    // a single column of actions: numbers of classes, their names, or a continuous one
    bool by_name, continuous;
    uint64_t negative; // the first line with a number below 0; 0: none
    name_list actions, subtasks;
} reader;

// ---- fields

static slt_status whole(slt_csv_table *table, slt_csv_role role, int64_t *out) {
    if (!slt_number_whole(table->field, out) || *out < roles[role].low || *out > roles[role].high)
        SLT_CSV_REFUSE(table, "%s: '%.60s' is no whole number from %" PRId64 " to %" PRId64,
                       roles[role].column, table->field, roles[role].low, roles[role].high);
    return SLT_OK;
}

static slt_status real(slt_csv_table *table, int64_t column, double *out) {
    if (!slt_number_real(table->field, out))
        SLT_CSV_REFUSE(table, "column '%.60s': '%.60s' is no number", table->names[column],
                       table->field);
    return SLT_OK;
}

// nothing, NaN and infinity are no names
static bool is_name(const char *text) {
    static const char *const words[] = {"", "nan", "inf", "infinity"};
    text += *text == '-' || *text == '+';
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strcasecmp(text, words[i]) == 0) return false;
    return true;
}

static slt_status number_of_name(slt_csv_table *table, name_list *list, const char *what,
                                 int64_t column, int32_t *out) {
    double value;
    bool fraction = slt_number_real(table->field, &value) && value != floor(value);
    if (fraction || !is_name(table->field) || strchr(table->field, ','))
        SLT_CSV_REFUSE(table, "column '%.60s': '%.60s' is no name of %s", table->names[column],
                       table->field, what);
    int i = 0;
    while (i < list->count && strcmp(list->names[i], table->field) != 0) i++;
    *out = i;
    if (i < list->count) return SLT_OK;
    if (i == MOST_NAMES)
        SLT_CSV_REFUSE(table, "column '%.60s' has more than %d names", table->names[column],
                       MOST_NAMES);
    char *copy;
    SLT_TRY(slt_arena_text(&table->set->arena, table->field, strlen(table->field), &copy));
    list->names[list->count++] = copy;
    return SLT_OK;
}

// none where the field is empty
static slt_status put_subtask(reader *in, int64_t column) {
    slt_csv_table *table = &in->table;
    int32_t number = -1;
    if (table->field[0])
        SLT_TRY(number_of_name(table, &in->subtasks, "a sub-task", column, &number));
    slt_spool_put(&table->spools[SLT_CSV_SUBTASK], &number, sizeof number);
    return SLT_OK;
}

// a column alone: the first field tells names from numbers, all of them classes from continuous
static slt_status put_single(reader *in, int64_t column) {
    slt_csv_table *table = &in->table;
    double value;
    if (in->first) in->by_name = !slt_number_real(table->field, &value) && is_name(table->field);
    if (in->by_name) {
        int32_t number;
        SLT_TRY(number_of_name(table, &in->actions, "an action", column, &number));
        value = number;
    } else {
        SLT_TRY(real(table, column, &value));
        bool point = table->field[strcspn(table->field, ".eE")];
        in->continuous |= value != floor(value) || (value < 0 && point);
        if (value < 0 && !in->negative) in->negative = table->line;
    }
    slt_spool_put(&table->spools[SLT_CSV_ACTION], &value, sizeof value);
    return SLT_OK;
}

static slt_status put_field(reader *in, int64_t column, bool starts) {
    slt_csv_table *table = &in->table;
    slt_csv_role role = (slt_csv_role)table->roles[column];
    if (role == SLT_CSV_LEFT_OUT || role == SLT_CSV_EPISODE) return SLT_OK;
    if (role == SLT_CSV_ACTION && table->count[role] == 1) return put_single(in, column);
    if (role == SLT_CSV_SUBTASK) return put_subtask(in, column);
    if (roles[role].real) {
        double value;
        SLT_TRY(real(table, column, &value));
        slt_spool_put(&table->spools[role], &(float){(float)value}, sizeof(float));
        return SLT_OK;
    }
    int64_t value;
    SLT_TRY(whole(table, role, &value));
    if (roles[role].per_episode && !starts) return SLT_OK;
    // little-endian: the low bytes come first
    slt_spool_put(&table->spools[role], &value, slt_dtype_size(roles[role].dtype));
    return SLT_OK;
}

// ---- episodes

static uint64_t hash(const char *text) {
    uint64_t value = 14695981039346656037u; // FNV-1a
    for (; *text; text++) value = (value ^ (unsigned char)*text) * 1099511628211u;
    return value;
}

static slt_status next_text(reader *in, bool *starts) {
    slt_csv_table *table = &in->table;
    *starts = in->first || strcmp(in->name, table->field) != 0;
    if (!*starts) return SLT_OK;
    in->episode += !in->first;
    strcpy(in->name, table->field);
    slt_spool_put(&table->episodes, &(uint64_t){hash(in->name)}, sizeof(uint64_t));
    return SLT_OK;
}

static slt_status next_number(reader *in, bool *starts) {
    int64_t value;
    SLT_TRY(whole(&in->table, SLT_CSV_EPISODE, &value));
    if (!in->first && value < in->episode)
        SLT_CSV_REFUSE(&in->table, "episode %" PRId64 " comes after %" PRId64, value, in->episode);
    *starts = in->first || value != in->episode;
    in->episode = value;
    return SLT_OK;
}

// does the row at hand start an episode? its field is looked up first, wherever its column is
static slt_status find_episode(reader *in, bool *starts) {
    slt_csv_table *table = &in->table;
    const char *start = table->at;
    bool last = false;
    *starts = in->first;
    for (int64_t column = 0; !last && column < table->width; column++) {
        SLT_TRY(slt_csv_next(table, &last));
        if (table->roles[column] != SLT_CSV_EPISODE) continue;
        double number;
        if (in->first) in->texts = !slt_number_real(table->field, &number);
        SLT_TRY(in->texts ? next_text(in, starts) : next_number(in, starts));
        break;
    }
    table->at = start;
    slt_spool_put(&table->spools[SLT_CSV_EPISODE], &in->episode, sizeof in->episode);
    return SLT_OK;
}

static int compare_hashes(const void *a, const void *b) {
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

// rows of two episodes that are mixed would make many short ones
static slt_status check_apart(reader *in) {
    slt_csv_table *table = &in->table;
    size_t count = (size_t)table->episodes.size / sizeof(uint64_t);
    slt_map map;
    uint64_t *hashes;
    if (!in->texts) return SLT_OK;
    SLT_TRY(SLT_NEW(&table->set->arena, &hashes, count));
    SLT_TRY(slt_spool_map(&table->episodes, &map));
    memcpy(hashes, map.data, map.size);
    slt_map_close(&map);
    qsort(hashes, count, sizeof *hashes, compare_hashes);
    for (size_t i = 1; i < count; i++)
        if (hashes[i] == hashes[i - 1])
            SLT_CSV_REFUSE(table, "an episode begins twice: sort the rows by episode and step");
    return SLT_OK;
}

// ---- rows

static slt_status read_row(reader *in) {
    slt_csv_table *table = &in->table;
    bool starts, last = false;
    SLT_TRY(find_episode(in, &starts));
    for (int64_t i = 0; i < table->width; i++) {
        if (last) SLT_CSV_REFUSE(table, "%" PRId64 " fields instead of %" PRId64, i, table->width);
        SLT_TRY(slt_csv_next(table, &last));
        SLT_TRY(put_field(in, i, starts));
    }
    if (!last) SLT_CSV_REFUSE(table, "more than %" PRId64 " fields", table->width);
    in->first = false;
    return SLT_OK;
}

static slt_status read_rows(reader *in) {
    slt_csv_table *table = &in->table;
    for (in->first = true; slt_csv_next_row(table);) {
        SLT_TRY(read_row(in));
        if (table->line % 4096 == 0) SLT_TRY(slt_context_check(table->set->context));
    }
    if (in->first) SLT_CSV_REFUSE(table, "there is no step");
    return check_apart(in);
}

// ---- handing over

static slt_status describe(slt_csv_table *table, const char *key, const char *const *names,
                           int64_t count) {
    slt_text joined;
    slt_text_init(&joined, &table->set->context->allocator);
    slt_names_join(&joined, names, count);
    slt_status status = joined.status;
    if (status == SLT_OK && count && joined.length <= SLT_NAMES_BYTES)
        status = slt_array_set_describe(table->set, key, joined.bytes);
    slt_text_deinit(&joined);
    return status;
}

// the names of the columns of a role; a comma in a name would end it
static slt_status describe_columns(slt_csv_table *table, slt_csv_role role, const char *key) {
    const char **names;
    int64_t count = 0;
    SLT_TRY(SLT_NEW(&table->set->arena, &names, (size_t)table->count[role]));
    for (int64_t i = 0; i < table->width; i++) {
        char *name;
        if (table->roles[i] != role) continue;
        SLT_TRY(
            slt_arena_text(&table->set->arena, table->names[i], strlen(table->names[i]), &name));
        for (char *c = name; *c; c++)
            if (*c == ',' || (unsigned char)*c < ' ') *c = ';';
        names[count++] = slt_text_is_utf8(name) ? name : "?";
    }
    return describe(table, key, names, count);
}

// classes: the F64 numbers that were read become I32
static slt_status add_classes(reader *in) {
    slt_csv_table *table = &in->table;
    slt_map map;
    int32_t *values;
    SLT_TRY(slt_spool_map(&table->spools[SLT_CSV_ACTION], &map));
    size_t count = map.size / sizeof(double);
    slt_status status = SLT_NEW(&table->set->arena, &values, count);
    for (size_t i = 0; status == SLT_OK && i < count; i++) {
        double value = ((const double *)(const void *)map.data)[i];
        values[i] = (int32_t)(value < INT32_MAX ? value : INT32_MAX); // too large: refused later
    }
    slt_map_close(&map);
    SLT_TRY(status);
    slt_array array = {.name = "actions", .dtype = SLT_DTYPE_I32, .rank = 1, .shape = {0}};
    array.shape[0] = (int64_t)count;
    array.data = values;
    if (!slt_array_measure(&array)) SLT_FAIL(SLT_NOMEM, "too many steps");
    SLT_TRY(slt_array_set_add(table->set, &array));
    return describe(table, "action_names", in->actions.names, in->actions.count);
}

static slt_status add_actions(reader *in) {
    slt_csv_table *table = &in->table;
    int64_t count = table->count[SLT_CSV_ACTION];
    bool single = count == 1, classes = single && !in->continuous;
    if (classes && in->negative) {
        table->line = in->negative;
        SLT_CSV_REFUSE(table, "action: a number below 0 is no class (write -1.0, with a point, "
                              "where actions are continuous)");
    }
    if (classes) return add_classes(in);
    SLT_TRY(slt_array_set_add_spool(table->set, "actions", single ? SLT_DTYPE_F64 : SLT_DTYPE_F32,
                                    2, (int64_t[]){-1, count}, &table->spools[SLT_CSV_ACTION]));
    return describe_columns(table, SLT_CSV_ACTION, "action_names");
}

static slt_status hand_over(reader *in) {
    slt_csv_table *table = &in->table;
    SLT_TRY(add_actions(in));
    for (int i = 0; i < SLT_CSV_ROLES; i++) {
        if (i == SLT_CSV_ACTION || (!table->count[i] && i != SLT_CSV_EPISODE)) continue;
        int64_t shape[2] = {-1, table->count[i]};
        SLT_TRY(slt_array_set_add_spool(table->set, roles[i].array, roles[i].dtype,
                                        i == SLT_CSV_OBSERVATION ? 2 : 1, shape,
                                        &table->spools[i]));
    }
    SLT_TRY(describe(table, "subtask_names", in->subtasks.names, in->subtasks.count));
    return describe_columns(table, SLT_CSV_OBSERVATION, "observation_names");
}

slt_status slt_csv_read(slt_array_set *set) {
    slt_map map;
    SLT_TRY(slt_map_open(set->path, &map));
    reader *in;
    slt_status status = SLT_NEW(&set->arena, &in, 1);
    if (status == SLT_OK) {
        slt_csv_table *table = &in->table;
        slt_csv_begin(table, set, map.data, map.size);
        for (int i = 0; i < SLT_CSV_ROLES; i++)
            slt_spool_init(&table->spools[i], &set->context->allocator, NULL);
        slt_spool_init(&table->episodes, &set->context->allocator, NULL);
        status = slt_csv_read_head(table);
        if (status == SLT_OK) status = read_rows(in);
        if (status == SLT_OK) status = hand_over(in);
        for (int i = 0; i < SLT_CSV_ROLES; i++) slt_spool_deinit(&table->spools[i]);
        slt_spool_deinit(&table->episodes);
    }
    slt_map_close(&map);
    return status;
}
