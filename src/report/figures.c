// The table of figures, and writing them as files.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include <math.h>
#include <stdio.h>
#include <string.h>
#include "core/file.h"
#include "report/figure.h"
#include "report/page_files.h"

// clang-format off
static const slt_figure figures[] = {
    {"losses", "training", "Loss",
     "Solid: validation. Dotted: training. The ring marks the epoch that is shown here.",
     slt_figure_losses},
    {"scores", "training", "Scores on validation",
     "Solid: F1 of boundaries. Dotted: alignment. Training does not see these labels.",
     slt_figure_scores},
    {"priors", "training", "What the model is given",
     "Prior over the number of segments, and what the model believes on average afterwards.",
     slt_figure_priors},
    {"counts", "found", "Number of segments",
     "How many sub-routines a trajectory has, and how many were found.",
     slt_figure_counts},
    {"offsets", "found", "Where the boundaries are",
     "Steps from each true boundary to the nearest one found; negative: found too early.",
     slt_figure_offsets},
    {"durations", "found", "How long segments are",
     "Share of segments by their number of steps.",
     slt_figure_durations},
    {"trust", "found", "How far to trust the confidence",
     "Boundaries by their confidence: the share that is right within one step. On the line it is "
     "calibrated; large dots are many boundaries. The table has the mean distance from the line.",
     slt_figure_trust},
    {"quality", "found", "Single trajectories",
     "How the F1 score, one-to-one, is spread over the trajectories.",
     slt_figure_quality},
    {"access", "found", "Forward and backward access",
     "Share of the steps after and before its own that a slot attends to.",
     slt_figure_access},
    {"episode", "slots", "One trajectory",
     "The actions as lines, each in its own range, over the segments that were found; letters are "
     "their laws, A the commonest. Below, of a vote, the weight of the runs that have a boundary, "
     "and the line where boundaries begin.",
     slt_figure_episode},
    {"answers", "slots", "Answers of the vote",
     "The same trajectories by all runs (vote) and by each answer that runs agree on.",
     slt_figure_answers},
    {"agreement", "slots", "How far the runs agree",
     "A square for two runs, the darker the more they agree on held-out episodes. Runs that give "
     "the same answer stand together, a colour for each answer; bars: their weight in the vote.",
     slt_figure_agreement},
    {"slots", "slots", "Slot attention and masks",
     "One trajectory. Below in each row the mask of a slot: the steps that it explains. Above, "
     "dotted, what it looks at.",
     slt_figure_slots},
    {"masks", "slots", "From ends to masks",
     "Where each slot ends (1), summed up (2), turned round (3), times what the slot before left "
     "over: the mask (4).",
     slt_figure_masks},
    {"tasks", "slots", "Worlds and sub-routines",
     "One world per task with the way of the agent, a colour per true sub-routine.",
     slt_figure_tasks},
};
// clang-format on

const slt_figure *slt_figure_row(int index) {
    return index < (int)(sizeof figures / sizeof *figures) ? &figures[index] : NULL;
}

// ---- files

// "#fff" of "--name:light-dark(#fff, #000);"; nothing when there is no such name
static void put_colour(slt_text *out, slt_page_file theme, const char *name, size_t length) {
    char wanted[64];
    snprintf(wanted, sizeof wanted, "%.*s:light-dark(", (int)length, name);
    const char *value = memmem(theme.bytes, theme.size, wanted, strlen(wanted));
    if (value) slt_text_put(out, value + strlen(wanted), strcspn(value + strlen(wanted), ","));
}

// the style with its colours filled in: programs other than browsers do not know var(--name)
static void put_style(slt_text *out) {
    slt_page_file theme = slt_page_theme_css(), rules = slt_page_figure_css();
    const char *at = rules.bytes, *end = rules.bytes + rules.size;
    slt_text_add(out, "<style>");
    while (at < end) {
        const char *name = memmem(at, (size_t)(end - at), "var(", 4);
        const char *stop = name ? memchr(name, ')', (size_t)(end - name)) : NULL;
        if (!stop) break;
        slt_text_put(out, at, (size_t)(name - at));
        put_colour(out, theme, name + 4, (size_t)(stop - name - 4));
        at = stop + 1;
    }
    slt_text_put(out, at, (size_t)(end - at));
    slt_text_add(out, "</style>");
}

// the picture with style and paper after its opening tag
static slt_status write_figure(slt_report_book *book, const char *path, const slt_text *svg) {
    slt_text whole;
    const char *inside = strchr(svg->bytes, '>');
    if (!inside) SLT_FAIL(SLT_INTERNAL, "%s: a figure without a picture", path);
    inside++;
    slt_text_init(&whole, &book->context->allocator);
    slt_text_put(&whole, svg->bytes, (size_t)(inside - svg->bytes));
    put_style(&whole);
    slt_text_add(&whole, "<rect class=\"paper\" width=\"100%%\" height=\"100%%\"/>");
    slt_text_put(&whole, inside, svg->length - (size_t)(inside - svg->bytes));
    slt_text_add(&whole, "\n");
    slt_status status = whole.status;
    if (status == SLT_OK) status = slt_file_write(path, whole.bytes, whole.length);
    slt_text_deinit(&whole);
    return status;
}

static slt_status draw_to(slt_report_book *book, const slt_report_set *set, const slt_figure *row,
                          const char *path, int *count) {
    slt_text svg;
    slt_text_init(&svg, &book->context->allocator);
    slt_status status = row->draw(book, set, &svg);
    if (status == SLT_OK) status = svg.status;
    if (status == SLT_OK && svg.length) {
        status = write_figure(book, path, &svg);
        (*count)++;
    }
    slt_text_deinit(&svg);
    return status;
}

slt_status slt_report_figures(slt_report_book *book, const char *folder, int *count) {
    char path[4096];
    for (int s = 0; s < book->set_count; s++)
        for (int i = 0; slt_figure_row(i); i++) {
            const slt_figure *row = slt_figure_row(i);
            int length =
                book->set_count == 1
                    ? snprintf(path, sizeof path, "%s/%s.svg", folder, row->name)
                    : snprintf(path, sizeof path, "%s/%s-%d.svg", folder, row->name, s + 1);
            if (length >= (int)sizeof path) SLT_FAIL(SLT_INVALID, "%.80s…: too long", folder);
            SLT_TRY(draw_to(book, &book->sets[s], row, path, count));
        }
    return SLT_OK;
}
