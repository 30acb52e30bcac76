// slottar bench shapes: training steps for a grid of lengths and widths, on made-up trajectories of
// six actions and 39 floats.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "bench_run.h"
#include "slottar/dataset.h"

enum { ACTIONS = 6, FLOATS = 39, EPISODES = 64, RESULTS = 64, LEAST_LENGTH = 10 };
static const double SECONDS = 1;

// whole numbers with commas between them
static bool read_list(const cli_call *call, const char *flag, const char *fallback, int64_t least,
                      int64_t most, cli_bench_list *out) {
    const char *text = cli_value(call, flag) ? cli_value(call, flag) : fallback;
    char word[32];
    for (out->count = 0; out->count < CLI_BENCH_LIST; text++) {
        size_t length = strcspn(text, ",");
        snprintf(word, sizeof word, "%.*s", (int)length, text);
        if (length >= sizeof word || !cli_whole(word, least, most, &out->number[out->count])) break;
        out->count++;
        text += length;
        if (!*text) return true;
    }
    cli_misuse(call, "--%s expects up to %d numbers from %lld to %lld with commas between them",
               flag, CLI_BENCH_LIST, (long long)least, (long long)most);
    return false;
}

// ---- the data set of a length: its longest trajectory is one step shorter, as DONE needs one

static uint32_t draw(uint32_t *state) {
    *state = *state * 1664525u + 1013904223u;
    return *state >> 8;
}

static slt_status add_episode(slt_dataset_builder *builder, int64_t length, uint32_t *state) {
    uint8_t *actions = calloc((size_t)length, 1);
    float *floats = calloc((size_t)length * FLOATS, sizeof *floats);
    slt_status status = actions && floats ? SLT_OK : SLT_NOMEM;
    for (int64_t t = 0; status == SLT_OK && t < length; t++)
        actions[t] = (uint8_t)(draw(state) % ACTIONS);
    for (int64_t i = 0; status == SLT_OK && i < length * FLOATS; i++)
        floats[i] = (float)draw(state) / (1 << 23) - 1;
    slt_episode episode = {.length = length, .actions_u8 = actions, .observations_f32 = floats};
    if (status == SLT_OK) status = slt_dataset_builder_add(builder, &episode);
    free(actions);
    free(floats);
    return status;
}

static slt_status make_data(cli_bench_run *b, int64_t length) {
    slt_dataset_info info = {.action_kind = SLT_ACTIONS_DISCRETE,
                             .action_count = ACTIONS,
                             .observation_kind = SLT_OBSERVATIONS_F32,
                             .observation_size = FLOATS,
                             .observation_rank = 1,
                             .observation_shape = {FLOATS}};
    slt_dataset_builder *builder;
    uint32_t state = 1;
    slt_status status = cli_bench_folder(b, "shapes");
    if (status != SLT_OK) return status;
    status = slt_dataset_builder_create(b->call->context, b->data, false, &info, &builder);
    if (status != SLT_OK) return status;
    // from 60 % of the length on, evenly
    for (int e = 0; e < EPISODES && status == SLT_OK; e++)
        status = add_episode(builder, length - 1 - length * 2 / 5 * e / (EPISODES - 1), &state);
    if (status == SLT_OK) return slt_dataset_builder_commit(builder);
    slt_dataset_builder_destroy(builder);
    return status;
}

// ---- a point of the grid

// about as many tokens as a step of Craft has, four times as many on a device
static int64_t batch_for(const cli_bench_run *b, int64_t length) {
    const char *device = cli_value(b->call, "device");
    int64_t tokens = device && strcmp(device, "cpu") != 0 ? 16384 : 4096, batch = tokens / length;
    return batch < 2 ? 2 : batch > 64 ? 64 : batch;
}

static slt_status measure(cli_bench_run *b, const char *model, int64_t length, int64_t width) {
    char text[3][64];
    const char *settings[CLI_ITEMS + 4] = {text[0], text[1]};
    int count = 2, found = 0;
    snprintf(text[0], sizeof text[0], "hidden=%lld", (long long)width);
    snprintf(text[1], sizeof text[1], "batch=%lld", (long long)batch_for(b, length));
    snprintf(text[2], sizeof text[2], "slot_size=%lld", (long long)width);
    if (strcmp(model, "slottar") == 0) settings[count++] = text[2];
    for (int i = 0; i < b->call->setting_count; i++) settings[count++] = b->call->settings[i];
    char own[64];
    if (cli_value(b->call, "batch")) {
        snprintf(own, sizeof own, "batch=%s", cli_value(b->call, "batch"));
        settings[count++] = own;
    }
    slt_train_request request = {.model = model,
                                 .data = b->data,
                                 .profile = cli_value(b->call, "profile"),
                                 .settings = settings,
                                 .setting_count = count,
                                 .seed = b->call->seed,
                                 .restarts = b->population};
    slt_bench_result results[RESULTS];
    slt_status status =
        slt_bench_train(b->call->context, &request, b->seconds > 0 ? b->seconds : SECONDS,
                        &b->peaks, results, cli_value(b->call, "parts") ? RESULTS : 1, &found);
    if (status != SLT_OK) return status;
    snprintf(results->name, sizeof results->name, "%s.%lldx%lld", model, (long long)length,
             (long long)width);
    for (int i = 0; i < found; i++) cli_bench_print(b, &results[i]);
    return SLT_OK;
}

bool cli_bench_read_shapes(cli_bench_run *b) {
    return read_list(b->call, "lengths", "65,200,500", LEAST_LENGTH, 65536, &b->lengths) &&
           read_list(b->call, "widths", "64,128,256", 1, 65536, &b->widths);
}

slt_status cli_bench_shapes(cli_bench_run *b) {
    const char *model = b->call->count > 1 ? b->call->arguments[1] : "slottar";
    slt_status status = SLT_OK;
    b->shapes = true;
    for (int i = 0; i < b->lengths.count && status == SLT_OK; i++) {
        status = make_data(b, b->lengths.number[i]);
        for (int k = 0; k < b->widths.count && status == SLT_OK; k++)
            status = measure(b, model, b->lengths.number[i], b->widths.number[k]);
        cli_bench_clean(b);
    }
    return status;
}
