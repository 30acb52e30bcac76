// The order of an epoch in batches of one task each.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#ifndef SLT_TRAIN_BATCH_ORDER_H
#define SLT_TRAIN_BATCH_ORDER_H

#include <stdint.h>
#include "core/memory.h"

// Reorders a shuffled order so that every `batch` entries in a row are of one task, as long as a
// task has so many; what is left over comes last, as it was. task: [count] of order[i].
slt_status slt_order_by_task(const slt_allocator *allocator, const int32_t *task, int64_t count,
                             int64_t batch, int64_t *order);

#endif
