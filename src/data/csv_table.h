// A csv file on its way in: its columns, and one field after the other.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#ifndef SLT_DATA_CSV_TABLE_H
#define SLT_DATA_CSV_TABLE_H

#include <inttypes.h>
#include "data/array_set.h"

enum { SLT_CSV_COLUMNS = 65536, SLT_CSV_FIELD = 256 };

// what a column is
typedef enum {
    SLT_CSV_EPISODE,
    SLT_CSV_ACTION,
    SLT_CSV_SEGMENT,
    SLT_CSV_REWARD,
    SLT_CSV_SPLIT,
    SLT_CSV_TASK,
    SLT_CSV_SEED,
    SLT_CSV_SUBTASK,
    SLT_CSV_OBSERVATION,
    SLT_CSV_ROLES,
    SLT_CSV_LEFT_OUT = SLT_CSV_ROLES
} slt_csv_role;

typedef struct {
    slt_array_set *set;
    const char *at, *end;
    uint64_t line;
    char field[SLT_CSV_FIELD];
    const char *field_begin, *field_end; // as it stands in the file, with its quotes
    int64_t width;
    const char **names;                        // [width]
    unsigned char *roles;                      // [width]
    int64_t count[SLT_CSV_ROLES + 1];          // columns of each role
    slt_spool spools[SLT_CSV_ROLES], episodes; // episodes: hashes of their names
} slt_csv_table;

#define SLT_CSV_REFUSE(table, ...)                                                                 \
    do {                                                                                           \
        slt_fail(SLT_FORMAT, __VA_ARGS__);                                                         \
        slt_fail(SLT_FORMAT, "%.300s:%" PRIu64 ": %s", (table)->set->path, (table)->line,          \
                 slt_last_error());                                                                \
        return SLT_FORMAT;                                                                         \
    } while (0)

// csv_head.c: a table over text in memory; the first row, with the roles of the columns
void slt_csv_begin(slt_csv_table *table, slt_array_set *set, const void *text, size_t size);
slt_status slt_csv_read_head(slt_csv_table *table);
// reads one field into table->field; *last tells that the row ends after it
slt_status slt_csv_next(slt_csv_table *table, bool *last);
// steps over empty lines and counts lines; false at the end
bool slt_csv_next_row(slt_csv_table *table);

#endif
