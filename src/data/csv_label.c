// A copy of a csv file with the segment of every step: in its column `segment`, or in a new last
// one. All other bytes stay as they are; empty lines go.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include <stdio.h>
#include <string.h>
#include "data/csv.h"
#include "data/csv_table.h"

typedef struct {
    slt_csv_table table;
    slt_writer writer;
    int64_t column; // of the labels; -1: none yet
} labeller;

static slt_status find_column(labeller *to) {
    slt_csv_table *table = &to->table;
    to->column = -1;
    for (int64_t i = 0; i < table->width; i++) {
        if (strcmp(table->names[i], "segment") != 0) continue;
        if (table->roles[i] != SLT_CSV_SEGMENT)
            SLT_CSV_REFUSE(table, "column 'segment' is chosen for something else");
        to->column = i;
    }
    return SLT_OK;
}

// [front, end) but with `text` in place of [hole, rest), and the line's end
static void put_row(labeller *to, const char *front, const char *hole, const char *rest,
                    const char *end, const char *text) {
    slt_write(&to->writer, front, (size_t)(hole - front));
    slt_write(&to->writer, text, strlen(text));
    slt_write(&to->writer, rest, (size_t)(end - rest));
    const char *line_end = to->table.at > end ? end : "\n";
    slt_write(&to->writer, line_end, to->table.at > end ? (size_t)(to->table.at - end) : 1);
}

static slt_status label_row(labeller *to, int32_t segment) {
    slt_csv_table *table = &to->table;
    const char *front = table->at, *hole = NULL, *rest = NULL;
    bool last = false;
    int64_t i = 0;
    for (; !last; i++) {
        SLT_TRY(slt_csv_next(table, &last));
        if (i == to->column) hole = table->field_begin, rest = table->field_end;
    }
    if (i != table->width)
        SLT_CSV_REFUSE(table, "%" PRId64 " fields instead of %" PRId64, i, table->width);
    char text[24];
    snprintf(text, sizeof text, hole ? "%" PRId32 : ",%" PRId32, segment);
    if (!hole) hole = rest = table->field_end;
    put_row(to, front, hole, rest, table->field_end, text);
    return SLT_OK;
}

static slt_status label(labeller *to, const char *start, const int32_t *segments, int64_t steps) {
    slt_csv_table *table = &to->table;
    SLT_TRY(slt_csv_read_head(table));
    SLT_TRY(find_column(to));
    const char *more = to->column < 0 ? ",segment" : "";
    put_row(to, start, table->field_end, table->field_end, table->field_end, more);
    int64_t row = 0;
    for (; slt_csv_next_row(table) && row < steps; row++) SLT_TRY(label_row(to, segments[row]));
    if (row != steps || table->at < table->end)
        SLT_CSV_REFUSE(table, "the file does not have the %" PRId64 " steps that it had", steps);
    return SLT_OK;
}

slt_status slt_csv_label(slt_array_set *set, const int32_t *segments, int64_t steps,
                         const char *out) {
    slt_map map;
    labeller *to;
    SLT_TRY(SLT_NEW(&set->arena, &to, 1));
    SLT_TRY(slt_map_open(set->path, &map));
    slt_status status = slt_writer_open(&to->writer, out);
    if (status == SLT_OK) {
        slt_csv_begin(&to->table, set, map.data, map.size);
        status = label(to, (const char *)map.data, segments, steps);
        if (status == SLT_OK)
            status = slt_writer_commit(&to->writer);
        else
            slt_writer_abort(&to->writer);
    }
    slt_map_close(&map);
    return status;
}
