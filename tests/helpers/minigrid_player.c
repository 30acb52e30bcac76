// Plays MiniGrid for other programs: a line "ID SEED ACTIONS" of standard input is an environment
// reset with the seed, then a step per digit; an episode that ends is followed by a reset without a
// seed. For each step a line with the CRC-32 of everything since the line's start is written:
// observation, direction, reward (8 bytes), terminated, truncated, of resets observation and
// direction.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>
#include "envs/minigrid.h"

typedef struct {
    const slt_env_kind *kind;
    slt_minigrid *state;
    uLong crc;
} session;

static void take_in(session *player) {
    uint8_t view[SLT_VIEW_BYTES + 1];
    player->kind->observe(player->kind, player->state, view);
    view[SLT_VIEW_BYTES] = player->state->direction;
    player->crc = crc32(player->crc, view, sizeof view);
}

static void step(session *player, int action) {
    slt_env_result result = player->kind->step(player->kind, player->state, action);
    take_in(player);
    uint8_t bytes[10];
    memcpy(bytes, &result.reward, 8);
    bytes[8] = result.terminated;
    bytes[9] = result.truncated;
    player->crc = crc32(player->crc, bytes, sizeof bytes);
    if (result.terminated || result.truncated) {
        player->kind->reset(player->kind, player->state);
        take_in(player);
    }
    printf("%08lx\n", player->crc);
}

static int play(const char *id, const char *seed, const char *actions) {
    session player = {.kind = slt_env_find(id)};
    if (!player.kind || !slt_minigrid_is(player.kind)) return 1;
    player.state = calloc(1, player.kind->state_size);
    if (!player.state) return 1;
    unsigned long long number = strtoull(seed, NULL, 10);
    uint32_t words[2] = {(uint32_t)number, (uint32_t)(number >> 32)};
    player.kind->seed(player.kind, player.state, words, 2);
    player.kind->reset(player.kind, player.state);
    take_in(&player);
    for (; *actions >= '0' && *actions <= '6'; actions++) step(&player, *actions - '0');
    free(player.state);
    return 0;
}

int main(void) {
    static char line[1 << 20];
    while (fgets(line, sizeof line, stdin)) {
        char *id = strtok(line, " "), *seed = strtok(NULL, " "), *actions = strtok(NULL, " \n");
        if (!id || !seed || !actions || play(id, seed, actions)) return 1;
    }
    return 0;
}
