// Arrays in JSON: deflated (zlib, RFC 1950), then base64 (RFC 4648).
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include <zlib.h>
#include "report/report_text.h"

static void put_base64(slt_text *out, const unsigned char *bytes, size_t count) {
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    char block[4096];
    size_t fill = 0;
    for (size_t i = 0; i < count; i += 3) {
        size_t left = count - i;
        uint32_t word = (uint32_t)bytes[i] << 16;
        if (left > 1) word |= (uint32_t)bytes[i + 1] << 8;
        if (left > 2) word |= bytes[i + 2];
        for (int digit = 0; digit < 4; digit++)
            block[fill++] = digit <= (int)left ? digits[word >> (18 - 6 * digit) & 63] : '=';
        if (fill == sizeof block) {
            slt_text_put(out, block, fill);
            fill = 0;
        }
    }
    slt_text_put(out, block, fill);
}

void slt_json_pack(slt_text *out, slt_dtype type, const void *values, size_t count) {
    static const char *const names[SLT_DTYPES] = {[SLT_DTYPE_U8] = "u8",
                                                  [SLT_DTYPE_U16] = "u16",
                                                  [SLT_DTYPE_I32] = "i32",
                                                  [SLT_DTYPE_F32] = "f32"};
    size_t bytes;
    if (out->status != SLT_OK) return;
    if (!slt_size_mul(count, slt_dtype_size(type), &bytes)) {
        out->status = slt_fail(SLT_RANGE, "a list of %zu numbers is too long for a page", count);
        return;
    }
    uLongf packed = compressBound((uLong)bytes);
    unsigned char *room = slt_alloc(out->allocator, packed, 1);
    if (!room || compress2(room, &packed, values, (uLong)bytes, Z_BEST_COMPRESSION) != Z_OK) {
        out->status =
            room ? slt_fail(SLT_NOMEM, "no memory to deflate %zu bytes", bytes) : SLT_NOMEM;
    } else {
        slt_text_add(out, "{\"type\":\"%s\",\"count\":%zu,\"zlib\":\"", names[type], count);
        put_base64(out, room, packed);
        slt_text_add(out, "\"}");
    }
    slt_free(out->allocator, room);
}
