// Which trajectories are shown with pictures, masks and attention: the worst, the most typical, and
// some at random, a third each.
//
// worst: least F1 (one-to-one), or least confidence without labels, in the mean over runs.
// typical: length and that score both nearest to their medians, in units of their mean distances.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include <math.h>
#include <stdlib.h>
#include "core/philox.h"
#include "report/report_impl.h"

typedef struct {
    double key;
    int64_t place;
} ranked;

static int by_key(const void *a, const void *b) {
    const ranked *x = a, *y = b;
    if (x->key != y->key) return x->key < y->key ? -1 : 1;
    return x->place < y->place ? -1 : x->place > y->place;
}

static double quality(const slt_report_book *book, const slt_report_set *set, int64_t place) {
    double sum = 0;
    for (int r = 0; r < set->run_count; r++) {
        const slt_report_run *run = &book->runs[set->runs[r]];
        sum += run->each ? run->each[place].f1_one
                         : slt_report_mean_confidence(&run->answers.list[place]);
    }
    return sum / set->run_count;
}

static slt_status median(slt_arena *arena, const ranked *list, int64_t count, double *out) {
    slt_arena_mark mark = slt_arena_now(arena);
    ranked *sorted;
    SLT_TRY(SLT_NEW(arena, &sorted, (size_t)count));
    for (int64_t i = 0; i < count; i++) sorted[i] = list[i];
    qsort(sorted, (size_t)count, sizeof *sorted, by_key);
    *out = sorted[count / 2].key;
    slt_arena_reset(arena, mark);
    return SLT_OK;
}

// distance from the median in units of the mean distance, added to `far`
static slt_status add_distance(slt_arena *arena, const ranked *list, int64_t count, ranked *far) {
    double middle, mean = 0;
    SLT_TRY(median(arena, list, count, &middle));
    for (int64_t i = 0; i < count; i++) mean += fabs(list[i].key - middle) / (double)count;
    for (int64_t i = 0; mean > 0 && i < count; i++) far[i].key += fabs(list[i].key - middle) / mean;
    return SLT_OK;
}

// the keys of all three orders; random ones depend on seed and place alone
static slt_status rank(slt_report_book *book, const slt_report_set *set, ranked *orders[SLT_WHYS]) {
    ranked *lengths;
    size_t count = (size_t)set->count;
    for (int w = 0; w < SLT_WHYS; w++) SLT_TRY(SLT_NEW(&book->arena, &orders[w], count));
    SLT_TRY(SLT_NEW(&book->arena, &lengths, count));
    for (int64_t i = 0; i < set->count; i++) {
        slt_words words = slt_random_words(book->request->seed, SLT_RANDOM_REPORT, (uint64_t)i, 0);
        orders[SLT_WHY_WORST][i] = (ranked){quality(book, set, i), i};
        orders[SLT_WHY_TYPICAL][i] = (ranked){0, i};
        orders[SLT_WHY_RANDOM][i] = (ranked){(double)words.word[0], i};
        lengths[i] = (ranked){book->runs[set->runs[0]].answers.list[i].length, i};
    }
    ranked *typical = orders[SLT_WHY_TYPICAL];
    SLT_TRY(add_distance(&book->arena, lengths, set->count, typical));
    SLT_TRY(add_distance(&book->arena, orders[SLT_WHY_WORST], set->count, typical));
    for (int w = 0; w < SLT_WHYS; w++) qsort(orders[w], count, sizeof **orders, by_key);
    return SLT_OK;
}

static int by_place(const void *a, const void *b) {
    const slt_report_choice *x = a, *y = b;
    return x->place < y->place ? -1 : x->place > y->place;
}

// what a trajectory takes on the page, in steps of models with up to 16 slots
static int64_t cost_of(const slt_report_book *book, const slt_report_set *set, int64_t place) {
    int64_t slots = 16;
    for (int r = 0; r < set->run_count; r++)
        if (book->runs[set->runs[r]].answers.slots > slots)
            slots = book->runs[set->runs[r]].answers.slots;
    return book->runs[set->runs[0]].answers.list[place].length * slots / 16;
}

slt_status slt_report_choose(slt_report_book *book, slt_report_set *set) {
    int wanted = book->request->detailed ? book->request->detailed : SLT_REPORT_DETAILED;
    ranked *orders[SLT_WHYS];
    uint8_t *taken;
    int64_t next[SLT_WHYS] = {0}, frames = 0;
    SLT_TRY(rank(book, set, orders));
    SLT_TRY(SLT_NEW(&book->arena, &taken, (size_t)set->count));
    SLT_TRY(SLT_NEW(&book->arena, &set->chosen, (size_t)wanted));
    for (int turn = 0; set->chosen_count < wanted && set->chosen_count < set->count; turn++) {
        int w = turn % SLT_WHYS;
        while (next[w] < set->count && taken[orders[w][next[w]].place]) next[w]++;
        if (next[w] == set->count) continue;
        int64_t place = orders[w][next[w]].place;
        taken[place] = 1;
        frames += cost_of(book, set, place);
        if (set->chosen_count && frames > SLT_REPORT_FRAMES) break;
        set->chosen[set->chosen_count++] = (slt_report_choice){place, (slt_why)w};
    }
    qsort(set->chosen, (size_t)set->chosen_count, sizeof *set->chosen, by_place);
    return SLT_OK;
}
