// Fields of the MiniGrid golden files: base64 of zlib streams, CRCs as text, seeds of any size.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#ifndef SLT_VERIFY_PACKED_H
#define SLT_VERIFY_PACKED_H

#include "verify/golden.h"

// unpacks base64 of a zlib stream that must hold exactly `size` bytes
slt_status slt_unpack(slt_arena *arena, const char *text, size_t size, uint8_t **out);

// the CRC-32 of bytes as eight lower-case hexadecimal digits
void slt_crc_text(const void *bytes, size_t size, char out[9]);

enum { SLT_SEED_WORDS = 16 };
// a decimal number below 2^512 as 32-bit words, least significant first
slt_status slt_seed_parse(const char *decimal, uint32_t words[SLT_SEED_WORDS], int *count);

#endif
