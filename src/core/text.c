// Growing texts.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include "core/text.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include "core/number.h"

void slt_text_init(slt_text *text, const slt_allocator *allocator) {
    *text = (slt_text){.allocator = allocator};
}

void slt_text_deinit(slt_text *text) {
    slt_free(text->allocator, text->bytes);
    text->bytes = NULL;
    text->length = text->room = 0;
}

// room for `more` bytes and the final zero
static bool grow(slt_text *text, size_t more) {
    if (text->status != SLT_OK) return false;
    if (more < text->room - text->length) return true;
    size_t room = text->room ? text->room : 256;
    while (room - text->length <= more && room < SIZE_MAX / 2) room *= 2;
    char *bytes = slt_alloc(text->allocator, room, 1);
    if (!bytes) {
        text->status = SLT_NOMEM;
        return false;
    }
    if (text->length) memcpy(bytes, text->bytes, text->length);
    slt_free(text->allocator, text->bytes);
    text->bytes = bytes;
    text->room = room;
    return true;
}

void slt_text_put(slt_text *text, const void *bytes, size_t count) {
    if (!grow(text, count)) return;
    if (count) memcpy(text->bytes + text->length, bytes, count);
    text->length += count;
    text->bytes[text->length] = 0;
}

void slt_text_add(slt_text *text, const char *format, ...) {
    va_list arguments, again;
    va_start(arguments, format);
    va_copy(again, arguments);
    int length = slt_format_list(NULL, 0, format, arguments);
    va_end(arguments);
    if (length >= 0 && grow(text, (size_t)length)) {
        slt_format_list(text->bytes + text->length, (size_t)length + 1, format, again);
        text->length += (size_t)length;
    }
    va_end(again);
}

// bytes of the UTF-8 character at `c`; 0 when it is none (RFC 3629: shortest form, no surrogates)
static size_t utf8_bytes(const unsigned char *c) {
    size_t count = c[0] < 0x80 ? 1 : c[0] < 0xc2 ? 0 : c[0] < 0xe0 ? 2 : c[0] < 0xf0 ? 3 : 4;
    if (c[0] > 0xf4) return 0;
    for (size_t i = 1; i < count; i++)
        if ((c[i] & 0xc0) != 0x80) return 0; // stops at the final zero, too
    bool overlong = (c[0] == 0xe0 && c[1] < 0xa0) || (c[0] == 0xf0 && c[1] < 0x90);
    bool surrogate = c[0] == 0xed && c[1] > 0x9f, beyond = c[0] == 0xf4 && c[1] > 0x8f;
    return overlong || surrogate || beyond ? 0 : count;
}

// one character, escaped where JSON wants it
static void put_quoted(slt_text *text, const unsigned char *c, size_t count) {
    static const char plain[] = "\"\\\b\f\n\r\t", letter[] = "\"\\bfnrt";
    const char *at = count == 1 && *c ? strchr(plain, *c) : NULL;
    if (at)
        slt_text_add(text, "\\%c", letter[at - plain]);
    else if (*c < 0x20)
        slt_text_add(text, "\\u%04X", *c);
    else
        slt_text_put(text, c, count);
}

bool slt_text_is_utf8(const char *plain) {
    for (const unsigned char *c = (const unsigned char *)plain; *c;) {
        size_t count = utf8_bytes(c);
        if (!count) return false;
        c += count;
    }
    return true;
}

void slt_text_quote(slt_text *text, const char *plain) {
    slt_text_put(text, "\"", 1);
    for (const unsigned char *c = (const unsigned char *)plain; *c;) {
        size_t count = utf8_bytes(c);
        if (!count && text->status == SLT_OK)
            text->status = slt_fail(SLT_FORMAT, "text is no valid UTF-8");
        if (text->status != SLT_OK) return;
        put_quoted(text, c, count);
        c += count;
    }
    slt_text_put(text, "\"", 1);
}
