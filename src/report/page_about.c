// What the words on the page mean.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include "report/page_parts.h"

#include "slottar/version.h"

// what a page must have for a word to be on it
typedef enum { ALWAYS, LABELS, MODELS, VOTES, NO_LABELS } needs;

static const struct {
    needs needs;
    const char *word, *meaning;
} words[] = {
    {LABELS, "F1",
     "of boundaries: a boundary is right when a true one lies within one step. As the paper "
     "counts, several may be credited to one; F1 1:1 uses each once."},
    {LABELS, "Alignment",
     "share of steps whose segment, counted from the start, has the true number."},
    {LABELS, "ARI", "adjusted Rand index of the two ways to group the steps; 0 is chance."},
    {LABELS, "Covering",
     "best overlap of each true segment with one that was found, weighted by length."},
    {MODELS, "Accuracy", "share of steps whose action the model gives back from its slots."},
    {MODELS, "Forward, Backward",
     "access: how often a slot attends to steps after and before those that it explains. High "
     "values mean that it uses context; neither good nor bad by itself."},
    {ALWAYS, "Trust",
     "how far the data determine the segments, 0 to 1: whether other runs find the same. It does "
     "not say that they are the ones that you had in mind."},
    {ALWAYS, "Confidence", "of a boundary: the probability that there is one within one step."},
    {VOTES, "Law",
     "what holds for the actions inside a segment. The same letter is the same law in all "
     "trajectories, A the commonest."},
    {LABELS, "Worst, typical, random",
     "which trajectories carry pictures, masks and attention: those with the least F1 1:1, those "
     "nearest to the median in length and score, and some at random."},
    {NO_LABELS, "Lowest, typical, random",
     "which trajectories carry pictures: those with the lowest confidence, those nearest to the "
     "median in length and confidence, and some at random."},
};

static bool is_met(const slt_report_book *book, needs what) {
    bool labels = false, models = false, votes = false;
    for (int i = 0; i < book->set_count; i++) labels |= book->sets[i].labelled;
    for (int i = 0; i < book->run_count; i++) {
        models |= book->runs[i].vote == NULL;
        votes |= book->runs[i].vote != NULL;
    }
    return (const bool[]){true, labels, models, votes, !labels}[what];
}

void slt_page_about(slt_report_book *book, slt_text *out) {
    slt_text_add(out, "<section id=\"about\"><h2>About</h2>\n<dl class=\"words\">");
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (is_met(book, words[i].needs))
            slt_text_add(out, "<div><dt>%s</dt><dd>%s</dd></div>\n", words[i].word,
                         words[i].meaning);
    slt_text_add(out,
                 "</dl>\n<p class=\"note\">Made by slottar " SLT_VERSION
                 ". Keys in the browser of trajectories: <kbd>←</kbd> <kbd>→</kbd> steps, "
                 "<kbd>Home</kbd> <kbd>End</kbd> first and last, <kbd>↑</kbd> <kbd>↓</kbd> other "
                 "trajectories, <kbd>Space</kbd> plays. The page holds its data as JSON in the "
                 "element <code>#data</code>.</p></section>\n");
}
