// Data sets on a device.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include "train/batching/shelved.h"

#include "core/group_impl.h"

enum { PART = 32 }; // episodes that are laid out at once

// ---- room

static void add_room(const slt_feed_rule *rule, const slt_episode *episode, int64_t *rows,
                     int64_t *ones) {
    *rows += slt_feed_computed(rule, episode->length);
    if (rule->observation && rule->observation_type == SLT_BITS)
        *ones += (int64_t)slt_feed_ones(episode);
}

static slt_status reserve(slt_shelved *shelved, slt_context *context, const slt_feed_rule *rule) {
    int64_t rows = 0, ones = 0;
    for (int64_t i = 0; i < shelved->episodes; i++) {
        slt_episode episode;
        SLT_TRY(slt_dataset_episode(rule->data, i, &episode));
        add_room(rule, &episode, &rows, &ones);
    }
    for (int k = 0; k < rule->fixed; k++) add_room(rule, &rule->fixed_episodes[k], &rows, &ones);
    const slt_column columns[SLT_ROW_COLUMNS] = {
        {rule->channels ? SLT_NUMBERS : SLT_INTEGERS, rule->channels + 1, 0},
        {rule->observation_type, rule->observation, ones},
        {SLT_INTEGERS, 1, 0},
    };
    int count = rule->observation ? 2 + rule->effects : 1;
    SLT_TRY(SLT_NEW(&shelved->arena, &shelved->cards, (size_t)(shelved->episodes + rule->fixed)));
    return slt_shelf_create(context, columns, count, rows, &shelved->shelf);
}

// ---- laying out

static int32_t ones_of(const slt_feed *feed, int b) {
    const int64_t *offset = feed->own.ones_offset;
    return offset ? (int32_t)(offset[feed->offset[b + 1]] - offset[feed->offset[b]]) : 0;
}

// sends a batch; its cards in the order it was asked for
static slt_status put(slt_shelved *shelved, const slt_feed *feed, slt_card *cards) {
    const void *data[SLT_ROW_COLUMNS];
    int count = feed->batch.count;
    for (int i = 0; i < count; i++) {
        int b = feed->order[i];
        cards[i] = feed->cards[i];
        cards[i].first = shelved->shelf->rows + feed->offset[b];
        cards[i].ones = ones_of(feed, b);
    }
    slt_feed_columns(feed, data);
    return slt_shelf_add(shelved->shelf, data, feed->offset[count]);
}

// all episodes, then the fixed companions alone
static slt_status fill(slt_shelved *shelved, slt_context *context, slt_feed *feed) {
    int fixed = feed->rule.fixed;
    feed->rule.fixed = 0;
    for (int64_t at = 0; at < shelved->episodes; at += PART) {
        int64_t episodes[PART];
        int count = 0;
        SLT_TRY(slt_context_check(context));
        for (; count < PART && at + count < shelved->episodes; count++)
            episodes[count] = at + count;
        SLT_TRY(slt_feed_fill(feed, episodes, count));
        SLT_TRY(put(shelved, feed, shelved->cards + at));
    }
    feed->rule.fixed = fixed;
    if (!fixed) return SLT_OK;
    SLT_TRY(slt_feed_fill(feed, NULL, 0));
    return put(shelved, feed, shelved->cards + shelved->episodes);
}

static slt_status lay_out(slt_shelved *shelved, slt_context *context, const slt_feed_rule *rule) {
    slt_arena arena;
    slt_feed feed;
    slt_feed_rule plain = *rule;
    plain.shelved = NULL;
    plain.companions = SLT_COMPANION_NONE;
    slt_arena_init(&arena, &context->allocator, 1 << 20);
    slt_status status = slt_feed_init(&feed, &arena, &plain, PART + rule->fixed);
    if (status == SLT_OK) status = fill(shelved, context, &feed);
    slt_arena_deinit(&arena);
    return status;
}

slt_status slt_shelved_create(slt_context *context, const slt_feed_rule *rule, slt_shelved **out) {
    slt_shelved *shelved;
    *out = NULL;
    if (!context->on_device || slt_group_size(context) > 1) return SLT_OK;
    SLT_TRY(SLT_ALLOC(&context->allocator, &shelved, 1));
    shelved->data = rule->data;
    shelved->episodes = slt_dataset_about(rule->data)->episodes;
    slt_arena_init(&shelved->arena, &context->allocator, 1 << 20);
    slt_status status = reserve(shelved, context, rule);
    if (status == SLT_OK) status = lay_out(shelved, context, rule);
    if (status == SLT_OK) {
        *out = shelved;
        return SLT_OK;
    }
    slt_shelved_destroy(shelved);
    if (status == SLT_DEVICE || status == SLT_CANCELLED) return status;
    slt_context_log(context, SLT_LOG_INFO, "%s; batches are assembled on the host",
                    slt_last_error());
    return SLT_OK;
}

void slt_shelved_destroy(slt_shelved *shelved) {
    if (!shelved) return;
    const slt_allocator *allocator = shelved->arena.allocator;
    slt_shelf_destroy(shelved->shelf);
    slt_arena_deinit(&shelved->arena);
    slt_free(allocator, shelved);
}
