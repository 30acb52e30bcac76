// What the positions of a trajectory show: its steps, DONE, padding. The one place that knows it;
// batches on a device are copies of what was laid out here (device_dataset.h).
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#ifndef SLT_TRAIN_FEED_TOKENS_H
#define SLT_TRAIN_FEED_TOKENS_H

#include "train/batching/feed.h"

// a trajectory at its place b of the sorted batch, whose offsets are there
slt_status slt_feed_put_episode(slt_feed *feed, const slt_episode *episode, int b);
// what it observes alone, from position `first` of all
slt_status slt_feed_put_observations(const slt_feed *feed, slt_observations *observations_of,
                                     const slt_episode *episode, int first, int computed);

#endif
