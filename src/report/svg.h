// Small pictures in SVG: shapes with classes (figure.css has the colours), and plots with axes.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#ifndef SLT_REPORT_SVG_H
#define SLT_REPORT_SVG_H

#include "core/text.h"

// ---- shapes; classes are ours, texts may be anybody's

void slt_svg_begin(slt_text *out, double width, double height, const char *title);
void slt_svg_end(slt_text *out);
void slt_svg_line(slt_text *out, const char *class, double x0, double y0, double x1, double y1);
void slt_svg_rect(slt_text *out, const char *class, double x, double y, double width,
                  double height);
// anchor: 's'tart, 'm'iddle or 'e'nd
void slt_svg_text(slt_text *out, const char *class, double x, double y, char anchor,
                  const char *text);
// a path of lines: begin, points, end
void slt_svg_path(slt_text *out, const char *class);
void slt_svg_point(slt_text *out, bool first, double x, double y);
void slt_svg_path_end(slt_text *out);

// a class with a number after it, "bar run3"; the text is the buffer
enum { SLT_SVG_CLASS = 32 };
const char *slt_svg_class(char out[SLT_SVG_CLASS], const char *class, int number);

// ---- plots

enum { SLT_PLOT_WIDTH = 360, SLT_PLOT_HEIGHT = 230 };

// where the data goes, in units of the picture and of the data
typedef struct {
    slt_text *out;
    double left, right, top, bottom;
    double x0, x1, y0, y1;
} slt_plot;

// a picture with a plot in it, from (x0, y0) to (x1, y1); an empty range is widened
slt_plot slt_plot_begin(slt_text *out, const char *title, double x0, double x1, double y0,
                        double y1);
double slt_plot_x(const slt_plot *plot, double x);
double slt_plot_y(const slt_plot *plot, double y);
// lines and numbers at round values
void slt_plot_y_axis(const slt_plot *plot, const char *label, bool percent);
void slt_plot_x_axis(const slt_plot *plot, const char *label, bool whole);
void slt_plot_x_label(const slt_plot *plot, const char *label);
// entry number `place` of `count` above the plot
void slt_plot_key(const slt_plot *plot, int place, int count, const char *class, const char *text);

// the distance of about `parts` round values between low and high: 1, 2 or 5 times a power of ten
double slt_round_step(double low, double high, int parts);

#endif
