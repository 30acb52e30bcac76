// What costs what: seconds per operation of a tape, measured around whole nodes.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include <stdlib.h>
#include <string.h>
#include "engine/tape_impl.h"

slt_status slt_tape_profile_start(slt_tape *tape) {
    size_t count = 2 * (size_t)tape->node_count;
    if (!tape->finished) SLT_FAIL(SLT_INVALID, "a tape is measured after finish");
    if (!tape->seconds) SLT_TRY(SLT_NEW(&tape->arena, &tape->seconds, count));
    memset(tape->seconds, 0, count * sizeof *tape->seconds);
    return SLT_OK;
}

static slt_profile_row *row_of(slt_profile_row *rows, int *count, int room, const char *op) {
    for (int i = 0; i < *count; i++)
        if (strcmp(rows[i].op, op) == 0) return &rows[i];
    if (*count == room) return NULL;
    rows[*count] = (slt_profile_row){.op = op};
    return &rows[(*count)++];
}

static int dearest_first(const void *a, const void *b) {
    const slt_profile_row *x = a, *y = b;
    double left = x->forward + x->backward, right = y->forward + y->backward;
    return left > right ? -1 : left < right;
}

int slt_tape_profile_rows(const slt_tape *tape, slt_profile_row *rows, int room) {
    int count = 0;
    for (int n = 0; n < tape->node_count && tape->seconds; n++) {
        const slt_node_info *info = &tape->nodes[n];
        slt_profile_row *row = row_of(rows, &count, room, info->node.op->name);
        if (!row) break;
        row->nodes++;
        row->forward += tape->seconds[n];
        row->backward += tape->seconds[tape->node_count + n];
        for (int backward = 0; backward < 2; backward++)
            row->flops += slt_node_flops(tape, info, backward);
    }
    qsort(rows, (size_t)count, sizeof *rows, dearest_first);
    return count;
}
