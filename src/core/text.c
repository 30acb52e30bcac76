// Growing texts.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include "core/text.h"

#include <jansson.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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
    int length = vsnprintf(NULL, 0, format, arguments);
    va_end(arguments);
    if (length >= 0 && grow(text, (size_t)length)) {
        vsnprintf(text->bytes + text->length, (size_t)length + 1, format, again);
        text->length += (size_t)length;
    }
    va_end(again);
}

void slt_text_quote(slt_text *text, const char *plain) {
    json_t *string = json_string(plain);
    char *quoted = string ? json_dumps(string, JSON_ENCODE_ANY) : NULL;
    if (quoted)
        slt_text_put(text, quoted, strlen(quoted));
    else if (text->status == SLT_OK)
        text->status = slt_fail(SLT_FORMAT, "text is no valid UTF-8");
    free(quoted);
    json_decref(string);
}
