// What the positions of a trajectory show.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include "train/batching/feed_tokens.h"

#include <string.h>

static bool shows_final(const slt_feed *feed) {
    return feed->rule.done == SLT_DONE_FINAL && slt_dataset_about(feed->rule.data)->has_finals;
}

// the ones of position l; none in the padding
static int64_t ones_of(const slt_feed *feed, const slt_episode *episode, int l,
                       const uint16_t **ones) {
    if (l == episode->length && shows_final(feed)) {
        *ones = episode->final_ones;
        return episode->final_count;
    }
    int64_t step = l == episode->length && feed->rule.done ? l - 1 : l;
    if (step >= episode->length) return 0;
    *ones = episode->ones + episode->ones_offsets[step];
    return episode->ones_offsets[step + 1] - episode->ones_offsets[step];
}

// what was seen lies one step after the other, what is put after the truth does not
static void put_ones(const slt_feed *feed, slt_observations *observations_of,
                     const slt_episode *episode, int first, int computed) {
    const int64_t *from = episode->ones_offsets;
    int64_t at = observations_of->ones_offset[first];
    int seen = episode->length < computed ? (int)episode->length : computed;
    size_t bytes = (size_t)(from[seen] - from[0]) * sizeof *observations_of->ones;
    if (bytes) memcpy(observations_of->ones + at, episode->ones + from[0], bytes);
    for (int l = 0; l < seen; l++)
        observations_of->ones_offset[first + l + 1] = at + from[l + 1] - from[0];
    for (int l = seen; l < computed; l++) {
        const uint16_t *ones = NULL;
        int64_t count = ones_of(feed, episode, l, &ones);
        at = observations_of->ones_offset[first + l];
        if (count) memcpy(observations_of->ones + at, ones, (size_t)count * sizeof *ones);
        observations_of->ones_offset[first + l + 1] = at + count;
    }
}

// columns that do not vary are 0
static void standardise(const slt_channel_scale *standard, size_t width, const float *row,
                        slt_real *out) {
    for (size_t i = 0; i < width; i++) {
        const slt_channel_scale *s = &standard[i];
        out[i] = s->scale > 0 ? (slt_real)((row[s->column] - s->mean) / s->scale) : 0;
    }
}

static slt_status put_numbers(const slt_feed *feed, slt_observations *observations_of,
                              const slt_episode *episode, int first, int computed) {
    const slt_dataset_info *info = slt_dataset_about(feed->rule.data);
    size_t width = (size_t)feed->rule.observation;
    for (int l = 0; l < computed; l++) {
        slt_real *to = observations_of->reals + (size_t)(first + l) * width;
        bool done = l == episode->length && feed->rule.done;
        if (l >= episode->length && !done) {
            memset(to, 0, width * sizeof *to);
            continue;
        }
        int step = done && !shows_final(feed) ? l - 1 : l;
        SLT_TRY(slt_episode_observe(info, episode, step, feed->numbers));
        if (feed->rule.observed)
            standardise(feed->rule.observed, width, feed->numbers, to);
        else
            for (size_t i = 0; i < width; i++) to[i] = feed->numbers[i];
    }
    return SLT_OK;
}

slt_status slt_feed_put_observations(const slt_feed *feed, slt_observations *observations_of,
                                     const slt_episode *episode, int first, int computed) {
    if (!feed->rule.observation) return SLT_OK;
    if (feed->rule.observation_type == SLT_BITS)
        return put_ones(feed, observations_of, episode, first, computed), SLT_OK;
    return put_numbers(feed, observations_of, episode, first, computed);
}

// are two positions of a trajectory observed alike?
static bool is_alike(const slt_feed *feed, int a, int b) {
    const slt_observations *own = &feed->own;
    size_t width = (size_t)feed->rule.observation;
    if (feed->rule.observation_type != SLT_BITS)
        return memcmp(own->reals + (size_t)a * width, own->reals + (size_t)b * width,
                      width * sizeof *own->reals) == 0;
    int64_t x = own->ones_offset[a], y = own->ones_offset[b], count = own->ones_offset[a + 1] - x;
    return own->ones_offset[b + 1] - y == count &&
           memcmp(own->ones + x, own->ones + y, (size_t)count * sizeof *own->ones) == 0;
}

// which steps change what is observed; the last one does not tell
static void put_effects(const slt_feed *feed, int64_t steps, int first, int computed) {
    for (int l = 0; l < computed; l++) {
        bool changes = l + 1 < steps && !is_alike(feed, first + l, first + l + 1);
        feed->effects[first + l] =
            feed->actions[first + l] + (changes ? feed->rule.padding + 1 : 0);
    }
}

static void put_symbols(const slt_feed *feed, const slt_episode *episode, int first, int computed) {
    for (int l = 0; l < computed; l++) {
        bool after_done = feed->rule.done && l > episode->length;
        feed->actions[first + l] =
            l < episode->length ? slt_episode_action(episode, l) : feed->rule.padding + after_done;
    }
}

// after the last step there is no action: zeros and the mark
static void put_vectors(const slt_feed *feed, const slt_episode *episode, int first, int computed) {
    size_t C = (size_t)feed->rule.channels;
    size_t columns = (size_t)slt_dataset_about(feed->rule.data)->action_size;
    for (int l = 0; l < computed; l++) {
        slt_real *to = feed->vectors + (size_t)(first + l) * (C + 1);
        bool acts = l < episode->length;
        memset(to, 0, C * sizeof *to);
        if (acts)
            standardise(feed->rule.channel, C, episode->actions_f32 + (size_t)l * columns, to);
        to[C] = !acts;
    }
}

slt_status slt_feed_put_episode(slt_feed *feed, const slt_episode *episode, int b) {
    int first = feed->offset[b], computed = slt_batch_computed(&feed->batch, b);
    if (feed->vectors)
        put_vectors(feed, episode, first, computed);
    else
        put_symbols(feed, episode, first, computed);
    if (feed->rule.device_data) return SLT_OK;
    SLT_TRY(slt_feed_put_observations(feed, &feed->own, episode, first, computed));
    if (feed->effects) put_effects(feed, episode->length, first, computed);
    return SLT_OK;
}
