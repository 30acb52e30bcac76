// The agreement matrix of the runs that voted.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include <math.h>
#include <stdlib.h>
#include "report/figure.h"
#include "report/report_text.h"

enum { LEVELS = 20, MOST = 96 }; // shades; squares on a side: more runs share one
static const double SIDE = 300, LEFT = 24, TOP = 8;

typedef struct {
    int run, answer;
    double weight;
} voter;

// those of the first answer first, those without one last; the heavier ones first
static int by_answer(const void *a, const void *b) {
    const voter *x = a, *y = b;
    int p = x->answer ? x->answer : 99, q = y->answer ? y->answer : 99;
    if (p != q) return p - q;
    if (x->weight != y->weight) return x->weight < y->weight ? 1 : -1;
    return x->run - y->run;
}

typedef struct {
    slt_text *out;
    const slt_vote_runs *runs;
    const voter *order;
    int n, squares;
    double each;
} matrix;

// mean agreement of the runs that share a square
static double shade(const matrix *m, int row, int column) {
    int r0 = row * m->n / m->squares, r1 = (row + 1) * m->n / m->squares;
    int c0 = column * m->n / m->squares, c1 = (column + 1) * m->n / m->squares;
    double sum = 0;
    for (int i = r0; i < r1; i++)
        for (int j = c0; j < c1; j++)
            sum += (double)m->runs->agreement[m->order[i].run * m->n + m->order[j].run];
    return sum / ((r1 - r0) * (c1 - c0));
}

// one path for all squares of a shade; differences near full agreement are those that matter
static void draw_level(const matrix *m, int level) {
    char number[SLT_FIXED_TEXT];
    slt_text *out = m->out;
    slt_text_add(out, "<path class=\"heat\" fill-opacity=\"%s\" d=\"",
                 slt_fixed(pow((double)level / LEVELS, 3), 3, number));
    for (int i = 0; i < m->squares; i++)
        for (int j = 0; j < m->squares; j++) {
            if ((int)lround(LEVELS * shade(m, i, j)) != level) continue;
            double x = LEFT + m->each * j, y = TOP + m->each * i;
            slt_svg_point(out, true, x, y);
            slt_svg_point(out, false, x + m->each, y);
            slt_svg_point(out, false, x + m->each, y + m->each);
            slt_svg_point(out, false, x, y + m->each);
        }
    slt_text_add(out, "\"/>");
}

// the answer of each run at the left, its weight at the right
static void draw_sides(const matrix *m) {
    char class[SLT_SVG_CLASS];
    double heaviest = 0, each = SIDE / m->n;
    for (int i = 0; i < m->n; i++) heaviest = fmax(heaviest, m->order[i].weight);
    for (int i = 0; i < m->n; i++) {
        const voter *v = &m->order[i];
        if (v->answer)
            slt_svg_rect(m->out, slt_svg_class(class, "seg", v->answer - 1), LEFT - 14,
                         TOP + each * i, 10, each);
        if (v->weight > 0 && heaviest > 0)
            slt_svg_rect(m->out, "bar truth", LEFT + SIDE + 6, TOP + each * i,
                         40 * v->weight / heaviest, fmax(0.6, each - 0.6));
    }
}

slt_status slt_figure_agreement(slt_report_book *book, const slt_report_set *set, slt_text *out) {
    const slt_vote_runs *runs = NULL;
    voter *order;
    for (int r = set->run_count; r-- > 0;)
        if (book->runs[set->runs[r]].voters.agreement) runs = &book->runs[set->runs[r]].voters;
    if (!runs) return SLT_OK;
    SLT_TRY(SLT_NEW(&book->arena, &order, (size_t)runs->count));
    for (int i = 0; i < runs->count; i++) order[i] = (voter){i, runs->answers[i], runs->weights[i]};
    qsort(order, (size_t)runs->count, sizeof *order, by_answer);
    matrix m = {.out = out, .runs = runs, .order = order, .n = runs->count};
    m.squares = m.n < MOST ? m.n : MOST;
    m.each = SIDE / m.squares;
    slt_svg_begin(out, LEFT + SIDE + 52, TOP + SIDE + 24, "agreement of the runs");
    for (int level = 1; level <= LEVELS; level++) draw_level(&m, level);
    draw_sides(&m);
    slt_svg_text(out, "label", LEFT, TOP + SIDE + 16, 's', "runs");
    slt_svg_text(out, "label", LEFT + SIDE + 6, TOP + SIDE + 16, 's', "weight");
    slt_svg_end(out);
    return out->status;
}
