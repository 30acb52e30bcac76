// What the words on the page mean.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include "report/page_parts.h"

#include "slottar/version.h"

static const struct {
    const char *word, *meaning;
} words[] = {
    {"F1", "of boundaries: a boundary is right when a true one lies within one step. As the paper "
           "counts, several may be credited to one; F1 1:1 uses each once."},
    {"Alignment", "share of steps whose segment, counted from the start, has the true number."},
    {"ARI", "adjusted Rand index of the two ways to group the steps; 0 is chance."},
    {"Covering", "best overlap of each true segment with one that was found, weighted by length."},
    {"Accuracy", "share of steps whose action the model gives back from its slots."},
    {"Forward, Backward",
     "access: how often a slot attends to steps after and before those that "
     "it explains. High values mean that it uses context; neither good nor bad "
     "by itself."},
    {"Confidence", "the model's own probability that a boundary lies within one step of the one it "
                   "gives. The figure on trust says how far to believe it."},
    {"Worst, typical, random",
     "which trajectories carry pictures, masks and attention: those with "
     "the least F1 1:1 (without labels: confidence), those nearest to the "
     "median in length and score, and some at random."},
};

void slt_page_about(slt_report_book *book, slt_text *out) {
    (void)book;
    slt_text_add(out, "<section id=\"about\"><h2>About</h2>\n<dl class=\"words\">");
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        slt_text_add(out, "<div><dt>%s</dt><dd>%s</dd></div>\n", words[i].word, words[i].meaning);
    slt_text_add(out,
                 "</dl>\n<p class=\"note\">Made by slottar " SLT_VERSION
                 ". Keys in the browser of trajectories: <kbd>←</kbd> <kbd>→</kbd> steps, "
                 "<kbd>Home</kbd> <kbd>End</kbd> first and last, <kbd>↑</kbd> <kbd>↓</kbd> other "
                 "trajectories, <kbd>Space</kbd> plays. The page holds its data as JSON in the "
                 "element <code>#data</code>.</p></section>\n");
}
