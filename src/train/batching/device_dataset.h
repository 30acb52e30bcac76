// Data sets on a device: all episodes are laid out once, as batches are (feed.c), and sent. A batch
// is then a list of them, and nothing of a rule for batches is known to the device.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#ifndef SLT_TRAIN_DEVICE_DATASET_H
#define SLT_TRAIN_DEVICE_DATASET_H

#include "core/context_impl.h"
#include "train/batching/feed.h"

// the rule's data set and its fixed companions. *out is NULL where batches are laid out here: on
// the CPU, among processes that share batches, where the device has no room (which is said), or the
// data set has a fault (which is said again when it matters)
slt_status slt_device_dataset_create(slt_context *context, const slt_batch_layout *rule,
                                     slt_device_dataset **out);
void slt_device_dataset_destroy(slt_device_dataset *device_data);

#endif
