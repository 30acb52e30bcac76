// Fuzz target: worlds whose states come from bytes. The input is
//     the row of an environment, 8 bytes of seed, a count, so many patches of the state
//     (2 bytes of place, 1 of value), and actions.
// What is no state must be told; what is one can be played, seen and drawn, whatever it is.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include <string.h>
#include "envs/env_batch.h"
#include "fuzz.h"

typedef struct {
    const uint8_t *at, *end;
} reader;

static uint8_t next(reader *from) { return from->at < from->end ? *from->at++ : 0; }

static void patch(reader *from, unsigned char *state, size_t size) {
    for (int count = next(from); count; count--) {
        size_t place = next(from);
        place = place << 8 | next(from);
        state[place % size] = next(from);
    }
}

// a picture's marks can be printed; what an observation shows, too
static void look(const slt_env_batch *batch, const uint8_t *seen) {
    slt_canvas canvas;
    FUZZ_REQUIRE(slt_draw_env(batch, 0, &canvas) == SLT_OK);
    for (int y = 0; y < canvas.height; y++)
        for (int x = 0; x < canvas.width; x++)
            FUZZ_REQUIRE(canvas.cells[y][x].mark >= ' ' && canvas.cells[y][x].mark <= '~');
    FUZZ_REQUIRE(slt_draw_observation(batch->kind->id, seen, (size_t)batch->info.observation_size,
                                      &canvas) == SLT_OK);
}

static void play(slt_env_batch *batch, reader *from) {
    static uint8_t seen[1 << 16];
    double reward;
    slt_env_outputs out = {.observations = seen, .rewards = &reward};
    FUZZ_REQUIRE((size_t)batch->info.observation_size <= sizeof seen);
    while (from->at < from->end) {
        int64_t action = next(from) % batch->info.actions;
        FUZZ_REQUIRE(slt_env_batch_step(batch, &action, &out) == SLT_OK);
        FUZZ_REQUIRE(reward >= -1 && reward <= 1);
    }
    slt_env_batch_observe(batch, seen);
    look(batch, seen);
}

// a batch of one; made once for every environment
static slt_env_batch *batch_of(int row) {
    static slt_env_batch *batches[256];
    static slt_context *context;
    if (!context) FUZZ_REQUIRE(!slt_context_create(&(slt_context_options){.threads = 1}, &context));
    slt_env_info info;
    row %= slt_env_count();
    FUZZ_REQUIRE(slt_env_describe(row, &info) == SLT_OK);
    if (!batches[row])
        FUZZ_REQUIRE(
            !slt_env_batch_create(context, info.id, 1, SLT_AUTORESET_SAME_STEP, &batches[row]));
    return batches[row];
}

int fuzz_one(const uint8_t *bytes, size_t size) {
    reader from = {bytes, bytes + size};
    uint64_t seed = 0;
    slt_env_batch *batch = batch_of(next(&from));
    for (int i = 0; i < 8; i++) seed = seed << 8 | next(&from);
    FUZZ_REQUIRE(slt_env_batch_reset(batch, &seed, NULL, NULL) == SLT_OK);
    patch(&from, slt_env_state(batch, 0), batch->kind->state_size);
    if (!batch->kind->valid(batch->kind, slt_env_state(batch, 0))) return 0;
    play(batch, &from);
    return 1;
}
