// What an answer of runs is, and what sets it apart from the first, in words: the actions that
// segments end after where they tell, else how many boundaries there are and where.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "core/number.h"
#include "core/text.h"
#include "segmenter/segmenter_impl.h"

enum { LISTED = 3, NAME = 32, NEAR = 5 };
// share of an action's steps that end a segment, for it to be an end; and what makes a difference
static const double ENDS = .5, APART = .3;

// ---- ends: actions, with their effect where that is known

typedef struct {
    int symbol;
    int64_t boundaries; // more than the other answer has after it
} end;

typedef struct {
    end list[LISTED];
    int count;
} ends;

// counts of every symbol: how often it is there, how often a segment ends after it
typedef struct {
    int Q;
    int64_t *steps, *first, *other;
} tally;

static slt_status count_symbols(slt_arena *arena, const slt_recording *r, const uint8_t *first,
                                const uint8_t *other, tally *out) {
    const slt_symbols *s = &r->symbols[r->symbols[1].symbol != NULL];
    *out = (tally){.Q = s->symbol ? s->Q : 0};
    size_t size = (size_t)out->Q + 1;
    SLT_TRY(SLT_NEW(arena, &out->steps, size));
    SLT_TRY(SLT_NEW(arena, &out->first, size));
    SLT_TRY(SLT_NEW(arena, &out->other, size));
    for (int64_t e = 0; out->Q && e < r->episodes; e++)
        for (int64_t t = r->offsets[e]; t + 1 < r->offsets[e + 1]; t++) {
            int q = s->symbol[t];
            out->steps[q]++;
            out->first[q] += first[t];
            if (other) out->other[q] += other[t];
        }
    return SLT_OK;
}

static void keep_most(ends *e, end one) {
    int at = e->count < LISTED ? e->count++ : LISTED;
    for (; at > 0 && e->list[at - 1].boundaries < one.boundaries; at--)
        if (at < LISTED) e->list[at] = e->list[at - 1];
    if (at < LISTED) e->list[at] = one;
}

// symbols after which segments end by `has` and not by `lacks` (NULL: whatever others do)
static ends find_ends(const tally *t, const int64_t *has, const int64_t *lacks) {
    ends out = {.count = 0};
    for (int q = 0; q < t->Q; q++) {
        int64_t more = has[q] - (lacks ? lacks[q] : 0);
        double steps = (double)t->steps[q];
        if (!t->steps[q] || (double)has[q] < ENDS * steps || (double)more < APART * steps) continue;
        keep_most(&out, (end){q, more});
    }
    while (out.count && 10 * out.list[out.count - 1].boundaries < out.list[0].boundaries)
        out.count--;
    return out;
}

static bool lists(const ends *e, int symbol) {
    for (int i = 0; i < e->count; i++)
        if (e->list[i].symbol == symbol) return true;
    return false;
}

static const char *name_of(const slt_segmenter *s, int action, char out[NAME]) {
    const char *name = s->names && action < s->actions ? s->names[action] : NULL;
    bool good = name && *name && strlen(name) < NAME && slt_text_is_utf8(name);
    for (const char *c = name; good && *c; c++) good = (unsigned char)*c >= ' ' && *c != 0x7f;
    if (good)
        snprintf(out, NAME, "%s", name);
    else
        snprintf(out, NAME, "action %d", action);
    return out;
}

// "drop, pickup without effect", as many as there is room for; an action that is listed both ways
// is said once
static void say_ends(const slt_segmenter *s, const tally *t, const ends *e, char *out,
                     size_t size) {
    char name[NAME];
    size_t at = 0;
    bool effects = t->Q > s->actions;
    out[0] = 0;
    for (int i = 0; i < e->count; i++) {
        int action = e->list[i].symbol % s->actions;
        bool changed = e->list[i].symbol >= s->actions;
        bool both = lists(e, action) && lists(e, action + s->actions);
        if (effects && both && changed) continue;
        const char *without = effects && !changed && !both ? " without effect" : "";
        name_of(s, action, name);
        if (at + strlen(name) + strlen(without) + 3 > size) break;
        at += (size_t)snprintf(out + at, size - at, "%s%s%s", at ? ", " : "", name, without);
    }
}

// ---- numbers

typedef struct {
    int64_t first, other, near; // boundaries; of the other with one of the first within NEAR steps
    double offset;              // mean, of those
    int64_t elsewhere;          // of the other, with none of the first within one step
} difference;

static void compare(difference *d, const uint8_t *first, const uint8_t *other, int64_t from,
                    int64_t to) {
    for (int64_t t = from; t < to; t++) {
        d->first += first[t];
        if (!other || !other[t]) continue;
        int64_t best = NEAR + 1;
        for (int64_t s = t - NEAR; s <= t + NEAR; s++)
            if (s >= from && s < to && first[s] && llabs(t - s) < llabs(best)) best = t - s;
        d->other++;
        d->elsewhere += llabs(best) > 1;
        if (llabs(best) > NEAR) continue;
        d->near++;
        d->offset += (double)best;
    }
}

static void say_numbers(const slt_recording *r, const uint8_t *first, const uint8_t *other,
                        char *out, size_t size) {
    difference d = {0};
    for (int64_t e = 0; e < r->episodes; e++)
        compare(&d, first, other, r->offsets[e], r->offsets[e + 1]);
    double episodes = (double)(r->episodes ? r->episodes : 1), a = (double)d.first / episodes,
           b = (double)d.other / episodes;
    long later = d.near ? lround(d.offset / (double)d.near) : 0;
    int used = 0;
    if (!other) {
        slt_format(out, size, "%.1f boundaries per episode", a);
        return;
    }
    if (fabs(a - b) >= .05 && fabs(a - b) > .05 * a)
        used = slt_format(out, size, "%.1f boundaries per episode instead of %.1f", b, a);
    if (later)
        slt_format(out + used, size - (size_t)used, "%sboundaries %ld step%s %s", used ? ", " : "",
                   labs(later), labs(later) == 1 ? "" : "s", later > 0 ? "later" : "earlier");
    else if (!used)
        slt_format(out, size, "%.0f %% of the boundaries elsewhere",
                   d.other ? 100 * (double)d.elsewhere / (double)d.other : 0);
}

slt_status slt_answer_describe(slt_segmenter *s, slt_arena *arena, const slt_recording *recording,
                               const uint8_t *first, const uint8_t *other,
                               char words[SLT_ANSWER_WORDS]) {
    slt_arena_mark mark = slt_arena_now(arena);
    tally t;
    char gained[SLT_ANSWER_WORDS / 2 - 12], lost[SLT_ANSWER_WORDS / 2 - 12];
    SLT_TRY(count_symbols(arena, recording, first, other, &t));
    ends more = other ? find_ends(&t, t.other, t.first) : find_ends(&t, t.first, NULL);
    ends fewer = other ? find_ends(&t, t.first, t.other) : (ends){.count = 0};
    say_ends(s, &t, &more, gained, sizeof gained);
    say_ends(s, &t, &fewer, lost, sizeof lost);
    if (more.count && fewer.count)
        snprintf(words, SLT_ANSWER_WORDS, "ends after %s instead of %s", gained, lost);
    else if (more.count)
        snprintf(words, SLT_ANSWER_WORDS, "%s after %s", other ? "also ends" : "ends", gained);
    else if (fewer.count)
        snprintf(words, SLT_ANSWER_WORDS, "does not end after %s", lost);
    else
        say_numbers(recording, first, other, words, SLT_ANSWER_WORDS);
    slt_arena_reset(arena, mark);
    return SLT_OK;
}
