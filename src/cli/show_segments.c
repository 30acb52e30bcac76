// Segments of a trajectory for the terminal.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include "show_segments.h"
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>
#include "action_mark.h"

enum { LABEL = 8, NARROWEST = 20 }; // columns before the steps; steps of a line, at least

cli_terminal cli_terminal_now(void) {
    static const char *const names[] = {"LC_ALL", "LC_CTYPE", "LANG"};
    const char *locale = "";
    struct winsize size;
    for (int i = 0; i < 3 && !*locale; i++) locale = getenv(names[i]) ? getenv(names[i]) : "";
    bool utf8 = strstr(locale, "UTF-8") || strstr(locale, "utf8") || strstr(locale, "UTF8");
    bool terminal = isatty(STDOUT_FILENO);
    bool known = terminal && ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0;
    return (cli_terminal){.colour = terminal && !getenv("NO_COLOR"),
                          .unicode = utf8,
                          .width = known ? size.ws_col : 0};
}

typedef struct {
    FILE *out;
    const cli_terminal *terminal;
    const slt_dataset_info *info;
    const slt_segments *s;
    slt_episode episode;
} scene;

static bool starts(const scene *c, int t) { return t > 0 && c->s->ids[t] != c->s->ids[t - 1]; }

// an action's mark; vectors show the law of their segment
static char mark(const scene *c, int t) {
    const slt_segments *s = c->s;
    if (c->episode.actions_f32 && s->types) return (char)('A' + s->types[s->ids[t]] % 26);
    return cli_action_mark(c->info, &c->episode, t);
}

static void put_colour(const scene *c, int t, int segment) {
    static const int colours[] = {42, 44, 45, 43, 46, 41};
    fprintf(c->out, "\033[30;%dm%c\033[0m", colours[segment % 6], mark(c, t));
}

// a colour per segment, or a bar before its first step
static void put_steps(const scene *c, int from, int to) {
    for (int t = from; t < to; t++)
        if (c->terminal->colour)
            put_colour(c, t, c->s->ids[t]);
        else
            fprintf(c->out, "%s%c", starts(c, t) ? "|" : "", mark(c, t));
}

// ---- the vote: a height per step, in eighths

static void put_heights(const scene *c, int from, int to) {
    static const char *const blocks[] = {" ", "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
    static const char *const plain[] = {" ", ".", ".", ":", ":", "=", "+", "*", "#"};
    const float *heights = c->s->vote->heights;
    fprintf(c->out, "%*s", LABEL, "vote  ");
    for (int t = from; t < to; t++) {
        int level = (int)(8 * heights[t] + .5f);
        if (heights[t] > .01f && level < 1) level = 1;
        if (!c->terminal->colour && starts(c, t)) putc(' ', c->out);
        fputs((c->terminal->unicode ? blocks : plain)[level > 8 ? 8 : level], c->out);
    }
    putc('\n', c->out);
}

static int count_before(const uint8_t *ends, int to) {
    int count = 0;
    for (int t = 0; t < to; t++) count += ends[t];
    return count;
}

// the first step of every segment of an answer; where the line above has a bar, its column is here,
// too
static void put_bars(const scene *c, const uint8_t *ends, int from, int to) {
    for (int t = from; t < to; t++) {
        bool first = t > 0 && ends[t - 1];
        if (starts(c, t)) putc(first ? '|' : '-', c->out);
        putc(first && !starts(c, t) ? '|' : '-', c->out);
    }
}

static void put_answer(const scene *c, int answer, int from, int to) {
    const uint8_t *ends = c->s->vote->answers + (size_t)answer * (size_t)c->s->length;
    fprintf(c->out, "%*d  ", LABEL - 2, answer + 1);
    if (!c->terminal->colour) put_bars(c, ends, from, to);
    for (int t = from; c->terminal->colour && t < to; t++) put_colour(c, t, count_before(ends, t));
    if (to == c->s->length) fprintf(c->out, "  %d segments", 1 + count_before(ends, to));
    putc('\n', c->out);
}

static void put_end(const scene *c) {
    const slt_segments *s = c->s;
    fprintf(c->out, "  %d segments", s->segments);
    for (int i = 0; i < s->boundary_count; i++)
        fprintf(c->out, "%s%.2f",
                i               ? " "
                : s->calibrated ? "  confidence "
                                : "  not calibrated: ",
                s->confidence[i]);
}

void cli_show_segments(FILE *out, const cli_terminal *terminal, slt_dataset *data,
                       const slt_segments *s) {
    scene c = {.out = out, .terminal = terminal, .info = slt_dataset_about(data), .s = s};
    if (slt_dataset_episode(data, s->episode, &c.episode) != SLT_OK) return;
    int room = terminal->width - LABEL - (terminal->colour ? 0 : s->boundary_count);
    int part = !terminal->width || !s->vote ? s->length : room > NARROWEST ? room : NARROWEST;
    for (int from = 0, to; from < s->length; from = to) {
        to = from + part < s->length ? from + part : s->length;
        if (from)
            fprintf(out, "%*s", LABEL, "");
        else
            fprintf(out, "%6lld  ", (long long)s->episode);
        put_steps(&c, from, to);
        if (to == s->length) put_end(&c);
        putc('\n', out);
        if (!s->vote) continue;
        put_heights(&c, from, to);
        for (int i = 0; s->vote->answer_count > 1 && i < s->vote->answer_count; i++)
            put_answer(&c, i, from, to);
    }
}
