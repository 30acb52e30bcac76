// Texts of three languages: HTML and SVG, JSON inside of a page, and packed arrays.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#ifndef SLT_REPORT_TEXT_H
#define SLT_REPORT_TEXT_H

#include "core/array.h"
#include "core/text.h"

// Text as text in HTML, SVG or an attribute. Marks that reorder or hide text are written out as
// "U+202E", bytes that are no UTF-8 as U+FFFD.
void slt_html_text(slt_text *out, const char *plain);
// A JSON string that may stand inside of <script>: no '<', '>', '&', and only ASCII; bytes that are
// no UTF-8 become U+FFFD. NULL becomes null.
void slt_json_text(slt_text *out, const char *plain);
// a number as JSON has it: null for NaN and infinity, the shortest decimal otherwise
void slt_json_number(slt_text *out, double value);

// a number with so many decimals after the point, at most 9; "0" for NaN and infinity. No locale.
enum { SLT_FIXED_TEXT = 48 };
const char *slt_fixed(double value, int decimals, char out[SLT_FIXED_TEXT]);

// "91.59" of .9159
const char *slt_percent(double share, char out[SLT_FIXED_TEXT]);
// somebody else's text inside of HTML, which does not change the direction of ours
void slt_put_name(slt_text *out, const char *plain);

// an array as {"type":"u8","count":n,"zlib":"base64"}: deflated little-endian numbers
void slt_json_pack(slt_text *out, slt_dtype type, const void *values, size_t count);

#endif
