// TensorBoard event files: scalars by tag and step.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#ifndef SLT_CORE_TENSORBOARD_H
#define SLT_CORE_TENSORBOARD_H

#include "core/memory.h"

typedef struct slt_tensorboard slt_tensorboard;

// Opens the file for appending, or makes it. What is there already is kept up to the last whole
// record whose step is at most last_step (a resumed run continues from there), the rest is cut off.
// TensorBoard finds files whose name contains "tfevents". wall_time: seconds since 1970.
slt_status slt_tensorboard_open(const slt_allocator *allocator, const char *path, int64_t last_step,
                                double wall_time, slt_tensorboard **out);

// Adds a point; written at the next flush. The first failure is kept, flush and close report it.
void slt_tensorboard_scalar(slt_tensorboard *file, const char *tag, int64_t step, float value,
                            double wall_time);
slt_status slt_tensorboard_flush(slt_tensorboard *file);
slt_status slt_tensorboard_close(slt_tensorboard *file); // flushes; accepts NULL

#endif
