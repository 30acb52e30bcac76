// A text that grows. The first failure is kept: later calls do nothing.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#ifndef SLT_CORE_TEXT_H
#define SLT_CORE_TEXT_H

#include "core/memory.h"

typedef struct {
    const slt_allocator *allocator;
    char *bytes; // zero-terminated once something was added
    size_t length, room;
    slt_status status;
} slt_text;

void slt_text_init(slt_text *text, const slt_allocator *allocator);
void slt_text_deinit(slt_text *text);
void slt_text_put(slt_text *text, const void *bytes, size_t count);
void slt_text_add(slt_text *text, const char *format, ...) __attribute__((format(printf, 2, 3)));
// the text in quotes with JSON's escapes; FORMAT when it is no valid UTF-8
void slt_text_quote(slt_text *text, const char *plain);
bool slt_text_is_utf8(const char *plain);

#endif
