// What a chain says of an episode.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#ifndef SLT_SWITCHING_CHAIN_PATH_H
#define SLT_SWITCHING_CHAIN_PATH_H

#include <stdint.h>

enum {
    SLT_MOST_LAWS = 16,
    SLT_CHAIN_CUT = 128, // in a way back, added to the law before: a segment begins here
};

// The boundaries and laws of the likeliest path, and the chance of a boundary after each step given
// the whole episode.
typedef struct {
    uint8_t *cut;  // [length] 1: a segment ends with this step (never the last one)
    uint8_t *law;  // [length]
    float *chance; // [length]; NULL: not wanted, nor is
    double nats;   // of the episode
} slt_chain_path;

#endif
