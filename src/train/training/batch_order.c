// A batch is complete when its task has enough entries: the batches are in as random an order as
// the entries are.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include "train/training/batch_order.h"

typedef struct {
    int32_t task;
    int64_t entry;
} waiting;

// moves the entries of one task out; gives the number of those that stay
static int64_t take(waiting *list, int64_t count, int32_t task, int64_t *order, int64_t *done) {
    int64_t left = 0;
    for (int64_t i = 0; i < count; i++)
        if (list[i].task == task)
            order[(*done)++] = list[i].entry;
        else
            list[left++] = list[i];
    return left;
}

slt_status slt_order_by_task(const slt_allocator *allocator, const int32_t *task, int64_t count,
                             int64_t batch, int64_t *order) {
    waiting *list;
    int64_t there = 0, done = 0;
    SLT_TRY(SLT_ALLOC(allocator, &list, (size_t)count));
    for (int64_t i = 0; i < count; i++) {
        int64_t alike = 1;
        for (int64_t k = 0; k < there; k++) alike += list[k].task == task[i];
        list[there++] = (waiting){task[i], order[i]};
        if (alike == batch) there = take(list, there, task[i], order, &done);
    }
    for (int64_t k = 0; k < there; k++) order[done++] = list[k].entry;
    slt_free(allocator, list);
    return SLT_OK;
}
