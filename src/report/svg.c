// Shapes in SVG.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include "report/svg.h"

#include <stdio.h>
#include <string.h>
#include "report/report_text.h"

// tenths are fine enough for the eye; ".0" is not said
static void put(slt_text *out, const char *before, double value, const char *after) {
    char text[SLT_FIXED_TEXT];
    size_t length = strlen(slt_fixed(value, 1, text));
    if (text[length - 1] == '0') text[length - 2] = 0;
    slt_text_add(out, "%s%s%s", before, text, after);
}

// on a page a picture grows with its place, but not much beyond its own size
void slt_svg_begin(slt_text *out, double width, double height, const char *title) {
    put(out, "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"fig\" viewBox=\"0 0 ", width, " ");
    put(out, "", height, "\" style=\"max-width:");
    put(out, "", 1.4 * width, "px\" role=\"img\"><title>");
    slt_html_text(out, title);
    slt_text_add(out, "</title>");
}

void slt_svg_end(slt_text *out) { slt_text_add(out, "</svg>"); }

void slt_svg_line(slt_text *out, const char *class, double x0, double y0, double x1, double y1) {
    slt_text_add(out, "<line class=\"%s\"", class);
    put(out, " x1=\"", x0, "\"");
    put(out, " y1=\"", y0, "\"");
    put(out, " x2=\"", x1, "\"");
    put(out, " y2=\"", y1, "\"/>");
}

void slt_svg_rect(slt_text *out, const char *class, double x, double y, double width,
                  double height) {
    slt_text_add(out, "<rect class=\"%s\"", class);
    put(out, " x=\"", x, "\"");
    put(out, " y=\"", y, "\"");
    put(out, " width=\"", width > 0 ? width : 0, "\"");
    put(out, " height=\"", height > 0 ? height : 0, "\"/>");
}

void slt_svg_text(slt_text *out, const char *class, double x, double y, char anchor,
                  const char *text) {
    const char *name = anchor == 's' ? "start" : anchor == 'm' ? "middle" : "end";
    slt_text_add(out, "<text class=\"%s\" text-anchor=\"%s\"", class, name);
    put(out, " x=\"", x, "\"");
    put(out, " y=\"", y, "\">");
    slt_html_text(out, text);
    slt_text_add(out, "</text>");
}

void slt_svg_path(slt_text *out, const char *class) {
    slt_text_add(out, "<path class=\"%s\" d=\"", class);
}

void slt_svg_point(slt_text *out, bool first, double x, double y) {
    put(out, first ? "M" : "L", x, " ");
    put(out, "", y, "");
}

void slt_svg_path_end(slt_text *out) { slt_text_add(out, "\"/>"); }

const char *slt_svg_class(char out[SLT_SVG_CLASS], const char *class, int number) {
    snprintf(out, SLT_SVG_CLASS, "%s%d", class, number);
    return out;
}
