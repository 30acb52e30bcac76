// Text that comes from files, made harmless.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include "report/report_text.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include "core/number.h"

enum { REPLACEMENT = 0xFFFD };

// one code point of UTF-8 and its bytes; REPLACEMENT and one byte for what is none
static uint32_t decode(const unsigned char *at, int *bytes) {
    static const uint32_t least[] = {0, 0x80, 0x800, 0x10000};
    int more = at[0] < 0x80       ? 0
               : at[0] >> 5 == 6  ? 1
               : at[0] >> 4 == 14 ? 2
               : at[0] >> 3 == 30 ? 3
                                  : -1;
    *bytes = 1;
    if (more == 0) return at[0];
    if (more < 0) return REPLACEMENT;
    uint32_t code = at[0] & (0x3Fu >> more);
    for (int i = 1; i <= more; i++) {
        if (at[i] >> 6 != 2) return REPLACEMENT;
        code = code << 6 | (at[i] & 0x3Fu);
    }
    if (code < least[more] || code > 0x10FFFF || (code >= 0xD800 && code < 0xE000))
        return REPLACEMENT;
    *bytes = more + 1;
    return code;
}

// marks that are not seen but change how others are: controls, directions, joiners, tags
static bool is_hidden(uint32_t code) {
    static const uint32_t ranges[][2] = {
        {0x00, 0x1F},     {0x7F, 0x9F},     {0xAD, 0xAD},     {0x61C, 0x61C},   {0x200B, 0x200F},
        {0x2028, 0x202E}, {0x2060, 0x206F}, {0xFEFF, 0xFEFF}, {0xFFF9, 0xFFFB}, {0xE0000, 0xE007F},
    };
    for (size_t i = 0; i < sizeof ranges / sizeof *ranges; i++)
        if (code >= ranges[i][0] && code <= ranges[i][1]) return true;
    return false;
}

void slt_html_text(slt_text *out, const char *plain) {
    static const struct {
        char mark;
        const char *entity;
    } marks[] = {{'<', "&lt;"}, {'>', "&gt;"}, {'&', "&amp;"}, {'"', "&quot;"}, {'\'', "&#39;"}};
    for (const unsigned char *c = (const unsigned char *)plain; *c;) {
        int bytes;
        uint32_t code = decode(c, &bytes);
        const char *entity = NULL;
        for (size_t i = 0; i < sizeof marks / sizeof *marks; i++)
            if (code == (unsigned char)marks[i].mark) entity = marks[i].entity;
        if (entity)
            slt_text_put(out, entity, strlen(entity));
        else if (is_hidden(code))
            slt_text_add(out, "U+%04X", code);
        else if (code == REPLACEMENT)
            slt_text_put(out, "\xEF\xBF\xBD", 3);
        else
            slt_text_put(out, c, (size_t)bytes);
        c += bytes;
    }
}

static void put_escape(slt_text *out, uint32_t code) {
    if (code < 0x10000) {
        slt_text_add(out, "\\u%04x", code);
        return;
    }
    code -= 0x10000;
    slt_text_add(out, "\\u%04x\\u%04x", 0xD800 + (code >> 10), 0xDC00 + (code & 0x3FF));
}

void slt_json_text(slt_text *out, const char *plain) {
    if (!plain) {
        slt_text_put(out, "null", 4);
        return;
    }
    slt_text_put(out, "\"", 1);
    for (const unsigned char *c = (const unsigned char *)plain; *c;) {
        int bytes;
        uint32_t code = decode(c, &bytes);
        if (code < 32 || code > 126 || strchr("<>&\"\\'", (int)code))
            put_escape(out, code);
        else
            slt_text_put(out, c, 1);
        c += bytes;
    }
    slt_text_put(out, "\"", 1);
}

void slt_json_number(slt_text *out, double value) {
    char text[SLT_NUMBER_TEXT];
    if (!isfinite(value))
        slt_text_put(out, "null", 4);
    else
        slt_text_add(out, "%s", slt_number_print(value, text));
}

const char *slt_fixed(double value, int decimals, char out[SLT_FIXED_TEXT]) {
    long long unit = 1;
    for (int i = 0; i < decimals; i++) unit *= 10;
    bool good = isfinite(value) && fabs(value) < 1e9;
    long long parts = good ? llround(fabs(value) * (double)unit) : 0;
    snprintf(out, SLT_FIXED_TEXT, "%s%lld%s%0*lld", value < 0 && parts ? "-" : "", parts / unit,
             decimals ? "." : "", decimals, parts % unit);
    if (!decimals) snprintf(out, SLT_FIXED_TEXT, "%s%lld", value < 0 && parts ? "-" : "", parts);
    return out;
}

const char *slt_percent(double share, char out[SLT_FIXED_TEXT]) {
    return slt_fixed(100 * share, 2, out);
}

void slt_put_name(slt_text *out, const char *plain) {
    slt_text_add(out, "<bdi>");
    slt_html_text(out, plain);
    slt_text_add(out, "</bdi>");
}
