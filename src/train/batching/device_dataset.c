// Data sets on a device.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include "train/batching/device_dataset.h"

#include "core/group_impl.h"

enum { PART = 32 }; // episodes that are laid out at once

// ---- room

static void add_room(const slt_batch_layout *rule, const slt_episode *episode, int64_t *rows,
                     int64_t *ones) {
    *rows += slt_feed_computed(rule, episode->length);
    if (rule->observation && rule->observation_type == SLT_BITS)
        *ones += (int64_t)slt_feed_ones(episode);
}

static slt_status reserve(slt_device_dataset *device_data, slt_context *context,
                          const slt_batch_layout *rule) {
    int64_t rows = 0, ones = 0;
    for (int64_t i = 0; i < device_data->episodes; i++) {
        slt_episode episode;
        SLT_TRY(slt_dataset_episode(rule->data, i, &episode));
        add_room(rule, &episode, &rows, &ones);
    }
    for (int k = 0; k < rule->fixed; k++) add_room(rule, &rule->fixed_episodes[k], &rows, &ones);
    const slt_row_column columns[SLT_ROW_COLUMNS] = {
        {rule->channels ? SLT_NUMBERS : SLT_INTEGERS, rule->channels + 1, 0},
        {rule->observation_type, rule->observation, ones},
        {SLT_INTEGERS, 1, 0},
    };
    int count = rule->observation ? 2 + rule->effects : 1;
    SLT_TRY(SLT_NEW(&device_data->arena, &device_data->entries,
                    (size_t)(device_data->episodes + rule->fixed)));
    return slt_device_rows_create(context, columns, count, rows, &device_data->device_rows);
}

// ---- laying out

static int32_t ones_of(const slt_feed *feed, int b) {
    const int64_t *offset = feed->own.ones_offset;
    return offset ? (int32_t)(offset[feed->offset[b + 1]] - offset[feed->offset[b]]) : 0;
}

// sends a batch; its cards in the order it was asked for
static slt_status put(slt_device_dataset *device_data, const slt_feed *feed,
                      slt_episode_entry *entries) {
    const void *data[SLT_ROW_COLUMNS];
    int count = feed->batch.count;
    for (int i = 0; i < count; i++) {
        int b = feed->order[i];
        entries[i] = feed->entries[i];
        entries[i].first = device_data->device_rows->rows + feed->offset[b];
        entries[i].ones = ones_of(feed, b);
    }
    slt_feed_columns(feed, data);
    return slt_device_rows_add(device_data->device_rows, data, feed->offset[count]);
}

// all episodes, then the fixed companions alone
static slt_status fill(slt_device_dataset *device_data, slt_context *context, slt_feed *feed) {
    int fixed = feed->rule.fixed;
    feed->rule.fixed = 0;
    for (int64_t at = 0; at < device_data->episodes; at += PART) {
        int64_t episodes[PART];
        int count = 0;
        SLT_TRY(slt_context_check(context));
        for (; count < PART && at + count < device_data->episodes; count++)
            episodes[count] = at + count;
        SLT_TRY(slt_feed_fill(feed, episodes, count));
        SLT_TRY(put(device_data, feed, device_data->entries + at));
    }
    feed->rule.fixed = fixed;
    if (!fixed) return SLT_OK;
    SLT_TRY(slt_feed_fill(feed, NULL, 0));
    return put(device_data, feed, device_data->entries + device_data->episodes);
}

static slt_status lay_out(slt_device_dataset *device_data, slt_context *context,
                          const slt_batch_layout *rule) {
    slt_arena arena;
    slt_feed feed;
    slt_batch_layout plain = *rule;
    plain.device_data = NULL;
    plain.companions = SLT_COMPANION_NONE;
    slt_arena_init(&arena, &context->allocator, 1 << 20);
    slt_status status = slt_feed_init(&feed, &arena, &plain, PART + rule->fixed);
    if (status == SLT_OK) status = fill(device_data, context, &feed);
    slt_arena_deinit(&arena);
    return status;
}

slt_status slt_device_dataset_create(slt_context *context, const slt_batch_layout *rule,
                                     slt_device_dataset **out) {
    slt_device_dataset *device_data;
    *out = NULL;
    if (!context->on_device || slt_group_size(context) > 1) return SLT_OK;
    SLT_TRY(SLT_ALLOC(&context->allocator, &device_data, 1));
    device_data->data = rule->data;
    device_data->episodes = slt_dataset_about(rule->data)->episodes;
    slt_arena_init(&device_data->arena, &context->allocator, 1 << 20);
    slt_status status = reserve(device_data, context, rule);
    if (status == SLT_OK) status = lay_out(device_data, context, rule);
    if (status == SLT_OK) {
        *out = device_data;
        return SLT_OK;
    }
    slt_device_dataset_destroy(device_data);
    if (status == SLT_DEVICE || status == SLT_CANCELLED) return status;
    slt_context_log(context, SLT_LOG_INFO, "%s; batches are assembled on the host",
                    slt_last_error());
    return SLT_OK;
}

void slt_device_dataset_destroy(slt_device_dataset *device_data) {
    if (!device_data) return;
    const slt_allocator *allocator = device_data->arena.allocator;
    slt_device_rows_destroy(device_data->device_rows);
    slt_arena_deinit(&device_data->arena);
    slt_free(allocator, device_data);
}
