// Batches.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include <string.h>
#include "train/batching/feed_tokens.h"

// true steps of a trajectory, DONE among them
static int64_t true_length(const slt_batch_layout *rule, int64_t steps) {
    return steps + (rule->done != SLT_DONE_NONE);
}

int slt_feed_computed(const slt_batch_layout *rule, int64_t steps) {
    if (rule->padded || steps >= rule->length) return rule->length;
    return (int)steps + 1;
}

slt_status slt_feed_tokens(const slt_batch_layout *rule, int capacity, int *out) {
    int64_t longest = slt_dataset_about(rule->data)->longest, others = capacity - rule->fixed;
    int64_t tokens =
        others * slt_feed_computed(rule, longest) + (int64_t)rule->fixed * rule->length;
    if (tokens * rule->slots > INT32_MAX)
        SLT_FAIL(SLT_RANGE, "a batch of %d trajectories of %lld positions in %d slots is too large",
                 capacity, (long long)slt_feed_computed(rule, longest), rule->slots);
    *out = (int)tokens;
    return SLT_OK;
}

// those of all steps and of DONE
size_t slt_feed_ones(const slt_episode *episode) {
    const int64_t *offset = episode->ones_offsets + episode->length;
    return (size_t)(*offset - episode->ones_offsets[0] + *offset - offset[-1] +
                    episode->final_count);
}

// most ones of any episode
static slt_status most_ones(const slt_batch_layout *rule, size_t *out) {
    *out = 0;
    for (int64_t i = 0; i < slt_dataset_about(rule->data)->episodes; i++) {
        slt_episode episode;
        SLT_TRY(slt_dataset_episode(rule->data, i, &episode));
        if (slt_feed_ones(&episode) > *out) *out = slt_feed_ones(&episode);
    }
    for (int k = 0; k < rule->fixed; k++)
        if (slt_feed_ones(&rule->fixed_episodes[k]) > *out)
            *out = slt_feed_ones(&rule->fixed_episodes[k]);
    return SLT_OK;
}

static slt_status reserve_observations(const slt_feed *feed, slt_arena *arena,
                                       slt_observations *observations_of, size_t trajectories,
                                       size_t tokens) {
    const slt_batch_layout *rule = &feed->rule;
    size_t ones = 0;
    if (rule->observation_type != SLT_BITS)
        return SLT_NEW(arena, &observations_of->reals, tokens * (size_t)rule->observation);
    SLT_TRY(most_ones(rule, &ones));
    SLT_TRY(SLT_NEW(arena, &observations_of->ones_offset, tokens + 1));
    SLT_TRY(SLT_NEW(arena, &observations_of->ones, ones * trajectories));
    observations_of->bits = (slt_bits){observations_of->ones_offset, observations_of->ones};
    return SLT_OK;
}

static slt_status reserve_shared(slt_feed *feed, slt_arena *arena) {
    const slt_batch_layout *rule = &feed->rule;
    int most = slt_feed_shared(rule), tokens = 0;
    SLT_TRY(slt_feed_tokens(rule, most, &tokens));
    SLT_TRY(SLT_NEW(arena, &feed->shared_offset, (size_t)most + 1));
    SLT_TRY(SLT_NEW(arena, &feed->shared_length, (size_t)most));
    SLT_TRY(SLT_NEW(arena, &feed->shared_at, (size_t)rule->whole));
    feed->batch.seen =
        (slt_shared_observations){.offset = feed->shared_offset, .length = feed->shared_length};
    if (!rule->observation) return SLT_OK;
    return reserve_observations(feed, arena, &feed->seen, (size_t)most, (size_t)tokens);
}

static slt_status reserve_actions(slt_feed *feed, slt_arena *arena, size_t tokens) {
    size_t width = (size_t)feed->rule.channels + 1, count;
    if (!feed->rule.channels) return SLT_NEW(arena, &feed->actions, tokens);
    if (__builtin_mul_overflow(tokens, width, &count))
        SLT_FAIL(SLT_RANGE, "%zu action vectors of %zu numbers are too many", tokens, width);
    return SLT_NEW(arena, &feed->vectors, count);
}

// tokens, where they are laid out here
static slt_status reserve_tokens(slt_feed *feed, slt_arena *arena, size_t count, size_t tokens) {
    const slt_batch_layout *rule = &feed->rule;
    if (!rule->device_data || rule->reads_actions) SLT_TRY(reserve_actions(feed, arena, tokens));
    if (rule->device_data || !rule->observation) return SLT_OK;
    SLT_TRY(SLT_NEW(arena, &feed->numbers, (size_t)rule->observation));
    if (rule->effects) SLT_TRY(SLT_NEW(arena, &feed->effects, tokens));
    return reserve_observations(feed, arena, &feed->own, count, tokens);
}

// where they are on device rows
static slt_status reserve_list(slt_feed *feed, slt_arena *arena, size_t count) {
    const slt_device_dataset *device_data = feed->rule.device_data;
    if (!device_data) return SLT_OK;
    SLT_TRY(SLT_NEW(arena, &feed->first, count));
    SLT_TRY(SLT_NEW(arena, &feed->ones_before, count + 1));
    for (int i = 0; i < SLT_ROW_COLUMNS; i++)
        feed->slice[i] =
            (slt_row_slice){device_data->device_rows, i, feed->first, feed->ones_before};
    return SLT_OK;
}

slt_status slt_feed_init(slt_feed *feed, slt_arena *arena, const slt_batch_layout *rule,
                         int capacity) {
    int tokens = 0;
    *feed = (slt_feed){.rule = *rule, .capacity = capacity};
    SLT_TRY(slt_feed_tokens(rule, capacity, &tokens));
    size_t count = (size_t)capacity;
    SLT_TRY(SLT_NEW(arena, &feed->offset, count + 1));
    SLT_TRY(SLT_NEW(arena, &feed->length, count));
    SLT_TRY(SLT_NEW(arena, &feed->index, count));
    SLT_TRY(SLT_NEW(arena, &feed->order, count));
    SLT_TRY(SLT_NEW(arena, &feed->entries, count));
    SLT_TRY(SLT_NEW(arena, &feed->following, (size_t)rule->length + 1));
    SLT_TRY(SLT_NEW(arena, &feed->counts, count));
    SLT_TRY(SLT_NEW(arena, &feed->companion, count * (size_t)rule->slots));
    feed->batch = (slt_batch){.offset = feed->offset,
                              .length = feed->length,
                              .index = feed->index,
                              .companion = feed->companion};
    if (slt_feed_lists(rule)) SLT_TRY(reserve_shared(feed, arena));
    SLT_TRY(reserve_list(feed, arena, count));
    return reserve_tokens(feed, arena, count, (size_t)tokens);
}

// places of the batch by falling length, stable, in index
static void sort_by_length(slt_feed *feed, int count) {
    int L = feed->rule.length;
    const slt_episode_entry *entries = feed->entries;
    memset(feed->following, 0, ((size_t)L + 1) * sizeof *feed->following);
    for (int i = 0; i < count; i++) feed->following[entries[i].steps]++;
    // from the longest: how many are longer
    for (int l = L, before = 0; l >= 0; l--) {
        int there = feed->following[l];
        feed->following[l] = before;
        before += there;
    }
    for (int i = 0; i < count; i++) feed->index[feed->following[entries[i].steps]++] = i;
}

// the place of the whole batch whose observations slot k of a place decodes
static int companion_place(const slt_batch_layout *rule, int place, int k) {
    return (int)(((int64_t)place * rule->slots + k) % rule->whole);
}

// who decodes whose observations, in terms of sorted places, or of those seen
static void pair_up(slt_feed *feed, int count) {
    const slt_batch_layout *rule = &feed->rule;
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
            else if (slt_feed_lists(rule))
                *to = feed->shared_at[companion_place(rule, place, k)];
            else
                *to = feed->order[(place * rule->slots + k) % count];
        }
}

static slt_status check_length(const slt_feed *feed, const slt_episode *episode) {
    int64_t length = true_length(&feed->rule, episode->length);
    if (length <= feed->rule.length) return SLT_OK;
    SLT_FAIL(
        SLT_RANGE,
        "%s: episode %lld has %lld steps%s, the model takes %d; train with length=%lld or more",
        slt_dataset_path(feed->rule.data), (long long)episode->index, (long long)episode->length,
        feed->rule.done ? " and DONE" : "", feed->rule.length, (long long)length);
}

// the trajectory at a place of the unsorted batch, or of the share of it
static slt_status look(const slt_feed *feed, const int64_t *episodes, int asked, int place,
                       slt_episode *out) {
    const slt_batch_layout *rule = &feed->rule;
    if (rule->ranks > 1)
        return slt_dataset_episode(rule->data, episodes[rule->rank + place * rule->ranks], out);
    if (place < asked) return slt_dataset_episode(feed->rule.data, episodes[place], out);
    *out = feed->rule.fixed_episodes[place - asked];
    return SLT_OK;
}

// ---- shares

// companions of the share, in the order of their places
static slt_status see(slt_feed *feed, const int64_t *episodes, int count) {
    const slt_batch_layout *rule = &feed->rule;
    for (int p = 0; p < rule->whole; p++) feed->shared_at[p] = -1;
    for (int b = 0; b < count; b++)
        for (int k = 0; k < rule->slots; k++)
            feed->shared_at[companion_place(rule, feed->index[b], k)] = 0;
    int seen = 0;
    for (int p = 0; p < rule->whole; p++) {
        if (feed->shared_at[p] < 0) continue;
        slt_episode episode;
        SLT_TRY(slt_dataset_episode(rule->data, episodes[p], &episode));
        SLT_TRY(check_length(feed, &episode));
        int first = feed->shared_offset[seen], computed = slt_feed_computed(rule, episode.length);
        feed->shared_offset[seen + 1] = first + computed;
        feed->shared_length[seen] = (int32_t)true_length(rule, episode.length);
        SLT_TRY(slt_feed_put_observations(feed, &feed->seen, &episode, first, computed));
        feed->shared_at[p] = seen++;
    }
    feed->batch.seen.count = seen;
    return SLT_OK;
}

// places of the whole batch, its true steps, and whom this share sees of it
static slt_status refer_to_whole(slt_feed *feed, const int64_t *episodes, int asked, int count) {
    const slt_batch_layout *rule = &feed->rule;
    if (asked != rule->whole)
        SLT_FAIL(SLT_INVALID, "batch of %d trajectories, shared as one of %d", asked, rule->whole);
    feed->batch.total = asked;
    feed->batch.true_tokens = 0;
    for (int i = 0; i < asked; i++) {
        slt_episode episode;
        SLT_TRY(slt_dataset_episode(rule->data, episodes[i], &episode));
        feed->batch.true_tokens += (int)true_length(rule, episode.length);
    }
    for (int b = 0; b < count; b++) feed->index[b] = rule->rank + feed->index[b] * rule->ranks;
    return slt_feed_lists(rule) ? see(feed, episodes, count) : SLT_OK;
}

// ---- a batch

// of a trajectory that is not on device rows
static slt_episode_entry write_entry(const slt_batch_layout *rule, const slt_episode *episode) {
    int64_t segments = rule->oracle ? slt_episode_segment_count(episode) : 0;
    bool known = segments > 0 && segments < rule->slots;
    return (slt_episode_entry){.steps = (int32_t)episode->length,
                               .count = known ? (int32_t)segments : rule->slots};
}

// the cards of the unsorted batch, here
static slt_status write_entries(slt_feed *feed, const int64_t *episodes, int asked, int count) {
    slt_episode episode;
    for (int i = 0; i < count; i++) {
        SLT_TRY(look(feed, episodes, asked, i, &episode));
        SLT_TRY(check_length(feed, &episode));
        feed->entries[i] = write_entry(&feed->rule, &episode);
    }
    return SLT_OK;
}

// or from the device rows
static slt_status find_entries(slt_feed *feed, const int64_t *episodes, int asked, int count) {
    const slt_device_dataset *device_data = feed->rule.device_data;
    for (int i = 0; i < count; i++) {
        int64_t at = i < asked ? episodes[i] : device_data->episodes + i - asked;
        if (i < asked && (at < 0 || at >= device_data->episodes))
            SLT_FAIL(SLT_RANGE, "%s: no episode %lld, there are %lld",
                     slt_dataset_path(feed->rule.data), (long long)at,
                     (long long)device_data->episodes);
        feed->entries[i] = device_data->entries[at];
    }
    return SLT_OK;
}

// everything but the tokens, by falling length
static void place_entries(slt_feed *feed, int count) {
    feed->batch.count = count;
    feed->batch.true_tokens = 0;
    sort_by_length(feed, count);
    for (int b = 0; b < count; b++) {
        const slt_episode_entry *entry = &feed->entries[feed->index[b]];
        feed->order[feed->index[b]] = b;
        feed->offset[b + 1] = feed->offset[b] + slt_feed_computed(&feed->rule, entry->steps);
        feed->length[b] = (int32_t)true_length(&feed->rule, entry->steps);
        feed->batch.true_tokens += feed->length[b];
        feed->counts[b] = entry->count;
        if (!feed->rule.device_data) continue;
        feed->first[b] = entry->first;
        feed->ones_before[b + 1] = feed->ones_before[b] + entry->ones;
    }
}

static slt_status put_tokens(slt_feed *feed, const int64_t *episodes, int asked) {
    slt_episode episode;
    bool read = feed->actions || feed->vectors;
    for (int b = 0; read && b < feed->batch.count; b++) {
        SLT_TRY(look(feed, episodes, asked, feed->index[b], &episode));
        SLT_TRY(slt_feed_put_episode(feed, &episode, b));
    }
    return SLT_OK;
}

slt_status slt_feed_fill(slt_feed *feed, const int64_t *episodes, int asked) {
    const slt_batch_layout *rule = &feed->rule;
    bool shared = rule->ranks > 1;
    int count = shared ? slt_feed_share(rule) : asked + rule->fixed;
    if (count > feed->capacity)
        SLT_FAIL(SLT_RANGE, "batch of %d trajectories, room for %d", count, feed->capacity);
    SLT_TRY((rule->device_data ? find_entries : write_entries)(feed, episodes, asked, count));
    place_entries(feed, count);
    SLT_TRY(put_tokens(feed, episodes, asked));
    if (shared) SLT_TRY(refer_to_whole(feed, episodes, asked, count));
    pair_up(feed, count);
    return SLT_OK;
}

int slt_feed_columns(const slt_feed *feed, const void *data[SLT_ROW_COLUMNS]) {
    bool bits = feed->rule.observation_type == SLT_BITS;
    data[SLT_ROW_ACTION] = feed->vectors ? (const void *)feed->vectors : feed->actions;
    data[SLT_ROW_OBSERVATION] = bits ? (const void *)&feed->own.bits : feed->own.reals;
    data[SLT_ROW_EFFECT] = feed->effects;
    return feed->rule.observation ? 2 + feed->rule.effects : 1;
}

void slt_feed_hand_over(const slt_feed *feed, slt_tape *tape, int member, slt_model_io io) {
    const slt_var vars[SLT_ROW_COLUMNS] = {io.actions, io.observations, io.effects};
    const void *data[SLT_ROW_COLUMNS];
    bool bits = feed->rule.observation_type == SLT_BITS;
    slt_tape_frame(tape, member)->batch = feed->batch;
    slt_feed_columns(feed, data);
    for (int i = 0; i < SLT_ROW_COLUMNS; i++)
        slt_tape_take(tape, member, vars[i], feed->rule.device_data ? &feed->slice[i] : NULL,
                      data[i]);
    slt_tape_feed(tape, member, io.counts, feed->counts);
    slt_tape_feed(tape, member, io.seen, bits ? (const void *)&feed->seen.bits : feed->seen.reals);
}
