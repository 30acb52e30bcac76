// CRC-32C: RFC 3720, section 12.1; reflected polynomial 0x82f63b78. Four bits at a time, and of
// long stretches eight bytes (Kounavis and Berry, doi:10.1109/TC.2008.85), with tables made for the
// call.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include "core/crc32c.h"

// what four bits do: table[i] is i, shifted out bit by bit
static const uint32_t table[16] = {
    0x00000000, 0x105ec76f, 0x20bd8ede, 0x30e349b1, 0x417b1dbc, 0x5125dad3, 0x61c69362, 0x7198540d,
    0x82f63b78, 0x92a8fc17, 0xa24bb5a6, 0xb21572c9, 0xc38d26c4, 0xd3d3e1ab, 0xe330a81a, 0xf36e6f75,
};

static uint32_t add_byte(uint32_t sum, unsigned char byte) {
    sum ^= byte;
    sum = sum >> 4 ^ table[sum & 15];
    return sum >> 4 ^ table[sum & 15];
}

// what a byte does that k others follow
typedef uint32_t wide_tables[8][256];

static void make_tables(wide_tables t) {
    for (uint32_t i = 0; i < 256; i++) t[0][i] = add_byte(0, (unsigned char)i);
    for (int k = 1; k < 8; k++)
        for (int i = 0; i < 256; i++) t[k][i] = t[k - 1][i] >> 8 ^ t[0][t[k - 1][i] & 255];
}

static uint32_t word_at(const unsigned char *at) {
    return (uint32_t)at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16 | (uint32_t)at[3] << 24;
}

static uint32_t add_eights(uint32_t sum, const unsigned char *at, size_t eights) {
    wide_tables t;
    make_tables(t);
    for (; eights; eights--, at += 8) {
        uint32_t a = sum ^ word_at(at), b = word_at(at + 4);
        sum = t[7][a & 255] ^ t[6][a >> 8 & 255] ^ t[5][a >> 16 & 255] ^ t[4][a >> 24] ^
              t[3][b & 255] ^ t[2][b >> 8 & 255] ^ t[1][b >> 16 & 255] ^ t[0][b >> 24];
    }
    return sum;
}

uint32_t slt_crc32c(const void *bytes, size_t count) {
    enum { LONG = 1 << 16 }; // bytes that pay for the tables
    const unsigned char *at = bytes;
    uint32_t sum = 0xffffffff;
    size_t eights = count >= LONG ? count / 8 : 0;
    if (eights) sum = add_eights(sum, at, eights);
    for (size_t i = 8 * eights; i < count; i++) sum = add_byte(sum, at[i]);
    return ~sum;
}
