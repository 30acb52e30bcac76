// Base64, zlib, CRC and long decimal numbers.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include "verify/packed.h"

#include <stdio.h>
#include <string.h>
#include <zlib.h>

// the value of a base64 digit; -1: none
static int digit(char c) {
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    const char *found = c ? strchr(digits, c) : NULL;
    return found ? (int)(found - digits) : -1;
}

// out holds at least 3/4 of the text's length; the text may end in '='
static slt_status from_base64(const char *text, size_t length, uint8_t *out, size_t *size) {
    uint32_t bits = 0;
    int filled = 0;
    *size = 0;
    while (length && text[length - 1] == '=') length--;
    for (size_t i = 0; i < length; i++) {
        int value = digit(text[i]);
        if (value < 0) SLT_FAIL(SLT_FORMAT, "no base64 digit at %zu of a packed field", i);
        bits = bits << 6 | (uint32_t)value;
        filled += 6;
        if (filled < 8) continue;
        filled -= 8;
        out[(*size)++] = (uint8_t)(bits >> filled);
    }
    return SLT_OK;
}

slt_status slt_unpack(slt_arena *arena, const char *text, size_t size, uint8_t **out) {
    size_t length = strlen(text), packed_size;
    uint8_t *packed, *bytes;
    SLT_TRY(SLT_NEW(arena, &packed, length));
    SLT_TRY(from_base64(text, length, packed, &packed_size));
    SLT_TRY(SLT_NEW(arena, &bytes, size));
    uLongf got = (uLongf)size;
    int code = uncompress(bytes, &got, packed, (uLong)packed_size);
    if (code != Z_OK || got != size)
        SLT_FAIL(SLT_FORMAT, "a packed field is damaged or does not hold %zu bytes", size);
    *out = bytes;
    return SLT_OK;
}

void slt_crc_text(const void *bytes, size_t size, char out[9]) {
    snprintf(out, 9, "%08lx", crc32(0, bytes, (uInt)size) & 0xffffffffu);
}

// number = number*10 + digit; the carry that is left
static uint32_t append_digit(uint32_t words[SLT_SEED_WORDS], uint32_t value) {
    for (int i = 0; i < SLT_SEED_WORDS; i++) {
        uint64_t sum = (uint64_t)words[i] * 10 + value;
        words[i] = (uint32_t)sum;
        value = (uint32_t)(sum >> 32);
    }
    return value;
}

slt_status slt_seed_parse(const char *decimal, uint32_t words[SLT_SEED_WORDS], int *count) {
    memset(words, 0, SLT_SEED_WORDS * sizeof *words);
    if (!*decimal) SLT_FAIL(SLT_FORMAT, "an empty seed");
    for (const char *c = decimal; *c; c++) {
        if (*c < '0' || *c > '9') SLT_FAIL(SLT_FORMAT, "seed '%.40s' is no number", decimal);
        if (append_digit(words, (uint32_t)(*c - '0')))
            SLT_FAIL(SLT_FORMAT, "seed '%.40s…' is too large", decimal);
    }
    *count = SLT_SEED_WORDS;
    while (*count > 1 && words[*count - 1] == 0) (*count)--;
    return SLT_OK;
}
