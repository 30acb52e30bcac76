// Batches.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include "train/feed.h"

#include <string.h>

static int computed_length(const slt_feed_rule *rule, int64_t truth) {
    if (rule->padded || truth >= rule->length) return rule->length;
    return (int)truth + 1;
}

slt_status slt_feed_tokens(const slt_feed_rule *rule, int capacity, int *out) {
    int64_t longest = slt_dataset_about(rule->data)->longest, others = capacity - rule->fixed;
    int64_t tokens = others * computed_length(rule, longest) + (int64_t)rule->fixed * rule->length;
    if (tokens * rule->slots > INT32_MAX)
        SLT_FAIL(SLT_RANGE, "a batch of %d trajectories of %lld positions in %d slots is too large",
                 capacity, (long long)computed_length(rule, longest), rule->slots);
    *out = (int)tokens;
    return SLT_OK;
}

static size_t ones_of(const slt_episode *episode) {
    return (size_t)(episode->ones_offsets[episode->length] - episode->ones_offsets[0]);
}

// most ones of any episode
static slt_status most_ones(const slt_feed_rule *rule, size_t *out) {
    *out = 0;
    for (int64_t i = 0; i < slt_dataset_about(rule->data)->episodes; i++) {
        slt_episode episode;
        SLT_TRY(slt_dataset_episode(rule->data, i, &episode));
        if (ones_of(&episode) > *out) *out = ones_of(&episode);
    }
    for (int k = 0; k < rule->fixed; k++)
        if (ones_of(&rule->fixed_episodes[k]) > *out) *out = ones_of(&rule->fixed_episodes[k]);
    return SLT_OK;
}

static slt_status reserve_observations(slt_feed *feed, slt_arena *arena, size_t tokens) {
    const slt_feed_rule *rule = &feed->rule;
    if (rule->observation_type == SLT_BITS) {
        SLT_TRY(most_ones(rule, &feed->ones_room));
        feed->ones_room *= (size_t)feed->capacity;
        SLT_TRY(SLT_NEW(arena, &feed->ones_offset, tokens + 1));
        SLT_TRY(SLT_NEW(arena, &feed->ones, feed->ones_room));
        feed->bits = (slt_bits){feed->ones_offset, feed->ones};
        return SLT_OK;
    }
    SLT_TRY(SLT_NEW(arena, &feed->numbers, (size_t)rule->observation));
    return SLT_NEW(arena, &feed->reals, tokens * (size_t)rule->observation);
}

slt_status slt_feed_init(slt_feed *feed, slt_arena *arena, const slt_feed_rule *rule,
                         int capacity) {
    int tokens = 0;
    *feed = (slt_feed){.rule = *rule, .capacity = capacity};
    SLT_TRY(slt_feed_tokens(rule, capacity, &tokens));
    size_t count = (size_t)capacity;
    SLT_TRY(SLT_NEW(arena, &feed->offset, count + 1));
    SLT_TRY(SLT_NEW(arena, &feed->length, count));
    SLT_TRY(SLT_NEW(arena, &feed->index, count));
    SLT_TRY(SLT_NEW(arena, &feed->order, count));
    SLT_TRY(SLT_NEW(arena, &feed->companion, count * (size_t)rule->slots));
    SLT_TRY(SLT_NEW(arena, &feed->actions, (size_t)tokens));
    feed->batch = (slt_batch){.offset = feed->offset,
                              .length = feed->length,
                              .index = feed->index,
                              .companion = feed->companion};
    return rule->observation ? reserve_observations(feed, arena, (size_t)tokens) : SLT_OK;
}

// places of the batch by falling length, stable: a counting sort would not pay for a batch
static void sort_by_length(const int32_t *length, int count, int32_t *order) {
    for (int i = 0; i < count; i++) {
        int place = i;
        for (; place > 0 && length[order[place - 1]] < length[i]; place--)
            order[place] = order[place - 1];
        order[place] = i;
    }
}

static void put_ones(slt_feed *feed, const slt_episode *episode, int first, int computed) {
    for (int l = 0; l < computed; l++) {
        int64_t at = feed->ones_offset[first + l], count = 0;
        if (l < episode->length) {
            int64_t start = episode->ones_offsets[l];
            count = episode->ones_offsets[l + 1] - start;
            memcpy(feed->ones + at, episode->ones + start, (size_t)count * sizeof *feed->ones);
        }
        feed->ones_offset[first + l + 1] = at + count;
    }
}

static slt_status put_numbers(slt_feed *feed, const slt_episode *episode, int first, int computed) {
    const slt_dataset_info *info = slt_dataset_about(feed->rule.data);
    size_t width = (size_t)feed->rule.observation;
    for (int l = 0; l < computed; l++) {
        slt_real *to = feed->reals + (size_t)(first + l) * width;
        if (l >= episode->length) {
            memset(to, 0, width * sizeof *to);
            continue;
        }
        SLT_TRY(slt_episode_observe(info, episode, l, feed->numbers));
        for (size_t i = 0; i < width; i++) to[i] = feed->numbers[i];
    }
    return SLT_OK;
}

// one trajectory at its place b of the sorted batch
static slt_status put_episode(slt_feed *feed, const slt_episode *episode, int b) {
    int first = feed->offset[b], computed = computed_length(&feed->rule, episode->length);
    feed->offset[b + 1] = first + computed;
    for (int l = 0; l < computed; l++)
        feed->actions[first + l] =
            l < episode->length ? slt_episode_action(episode, l) : feed->rule.padding;
    if (!feed->rule.observation) return SLT_OK;
    if (feed->rule.observation_type == SLT_BITS)
        return put_ones(feed, episode, first, computed), SLT_OK;
    return put_numbers(feed, episode, first, computed);
}

// who decodes whose observations, in terms of sorted places
static void pair_up(slt_feed *feed, int count) {
    const slt_feed_rule *rule = &feed->rule;
    for (int b = 0; b < count; b++)
        for (int k = 0; k < rule->slots; k++) {
            int32_t *to = &feed->companion[b * rule->slots + k];
            int place = feed->index[b];
            if (rule->companions == SLT_COMPANION_NONE)
                *to = -1;
            else if (rule->companions == SLT_COMPANION_OWN)
                *to = b;
            else if (rule->fixed)
                *to = feed->order[count - rule->fixed + k % rule->fixed];
            else
                *to = feed->order[(place * rule->slots + k) % count];
        }
}

static slt_status check_length(const slt_feed *feed, const slt_episode *episode) {
    if (episode->length <= feed->rule.length) return SLT_OK;
    SLT_FAIL(SLT_RANGE,
             "%s: episode %lld has %lld steps, the model takes %d; train with length=%lld or more",
             slt_dataset_path(feed->rule.data), (long long)episode->index,
             (long long)episode->length, feed->rule.length, (long long)episode->length);
}

// the trajectory at a place of the unsorted batch
static slt_status look(const slt_feed *feed, const int64_t *episodes, int asked, int place,
                       slt_episode *out) {
    if (place < asked) return slt_dataset_episode(feed->rule.data, episodes[place], out);
    *out = feed->rule.fixed_episodes[place - asked];
    return SLT_OK;
}

slt_status slt_feed_fill(slt_feed *feed, const int64_t *episodes, int asked) {
    int count = asked + feed->rule.fixed;
    slt_episode episode;
    if (count > feed->capacity)
        SLT_FAIL(SLT_RANGE, "batch of %d trajectories, room for %d", count, feed->capacity);
    // index holds lengths of the unsorted batch for a moment
    for (int i = 0; i < count; i++) {
        SLT_TRY(look(feed, episodes, asked, i, &episode));
        SLT_TRY(check_length(feed, &episode));
        feed->index[i] = (int32_t)episode.length;
    }
    sort_by_length(feed->index, count, feed->order);
    memcpy(feed->index, feed->order, (size_t)count * sizeof *feed->index);
    feed->batch.count = count;
    feed->batch.true_tokens = 0;
    for (int b = 0; b < count; b++) {
        SLT_TRY(look(feed, episodes, asked, feed->index[b], &episode));
        SLT_TRY(put_episode(feed, &episode, b));
        feed->length[b] = (int32_t)episode.length;
        feed->batch.true_tokens += (int)episode.length;
    }
    // order becomes its inverse: sorted place of each unsorted place
    for (int b = 0; b < count; b++) feed->order[feed->index[b]] = b;
    pair_up(feed, count);
    return SLT_OK;
}

void slt_feed_hand_over(const slt_feed *feed, slt_tape *tape, int member, slt_model_io io) {
    slt_tape_frame(tape, member)->batch = feed->batch;
    slt_tape_feed(tape, member, io.actions, feed->actions);
    const void *bits = &feed->bits, *reals = feed->reals;
    slt_tape_feed(tape, member, io.observations,
                  feed->rule.observation_type == SLT_BITS ? bits : reals);
}
