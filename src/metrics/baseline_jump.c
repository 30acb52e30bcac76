// jump: boundaries where a continuous action jumps, |a(t+1) - a(t)|; two steps on either side of a
// boundary have none. Told the number of segments, the largest jumps; not told, those above one
// threshold, half way between the two centres of 2-means over the jumps of the training split.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include "metrics/baseline_impl.h"

#include <math.h>
#include <stdlib.h>

enum { GAP = 2 }; // steps on either side

typedef struct {
    double size;
    int step;
} jump;

static void measure(const float *actions, int T, int channels, jump *out) {
    for (int t = 0; t + 1 < T; t++) {
        const float *now = actions + (size_t)t * (size_t)channels, *next = now + channels;
        double sum = 0;
        for (int c = 0; c < channels; c++) {
            double difference = (double)next[c] - (double)now[c];
            sum += difference * difference;
        }
        out[t] = (jump){sqrt(sum), t};
    }
}

// the largest first, of equal ones the earliest
static int by_size(const void *a, const void *b) {
    const jump *x = a, *y = b;
    if (x->size != y->size) return x->size > y->size ? -1 : 1;
    return (x->step > y->step) - (x->step < y->step);
}

static bool is_free(const uint8_t *is_end, int t, int T) {
    for (int near = t > GAP ? t - GAP : 0; near <= t + GAP && near < T; near++)
        if (is_end[near]) return false;
    return true;
}

// the `most` largest jumps above a threshold
static slt_status cut_jumps(slt_baseline_job *job, uint8_t *is_end, size_t index, int most,
                            double threshold) {
    const slt_baseline_input *input = job->input;
    int T = input->target[index].length;
    jump *jumps;
    SLT_TRY(SLT_NEW(job->arena, &jumps, (size_t)T));
    measure(input->target_vectors[index], T, input->channels, jumps);
    qsort(jumps, (size_t)T - 1, sizeof *jumps, by_size);
    for (int i = 0; i + 1 < T && most > 0 && jumps[i].size > threshold; i++) {
        if (!is_free(is_end, jumps[i].step, T)) continue;
        is_end[jumps[i].step] = 1;
        most--;
    }
    return SLT_OK;
}

// ---- told the number

static slt_status cut_told(slt_baseline_job *job, uint8_t *is_end, size_t index, int cuts) {
    return cut_jumps(job, is_end, index, cuts, -1);
}

const slt_baseline slt_baseline_jump = {
    .name = "jump",
    .help = "boundaries at the largest jumps of a continuous action, as many as the labels have",
    .needs = SLT_NEEDS_COUNT | SLT_NEEDS_VECTORS,
    .cut = cut_told,
};

// ---- not told

// 2-means in one dimension, exactly: of all places to part the sorted jumps, the one with the
// greatest sum of squares between the two parts; infinite where there are no two sizes
static double two_means(const jump *sorted, size_t count) {
    double all = 0, above = 0, best = 0, threshold = INFINITY;
    for (size_t i = 0; i < count; i++) all += sorted[i].size;
    for (size_t i = 1; i < count; i++) {
        above += sorted[i - 1].size;
        double n = (double)i, rest = (double)(count - i);
        double high = above / n, low = (all - above) / rest;
        double between = n * rest * (high - low) * (high - low);
        if (sorted[i].size == sorted[i - 1].size || between <= best) continue;
        best = between;
        threshold = (high + low) / 2;
    }
    return threshold;
}

static slt_status prepare(slt_baseline_job *job) {
    const slt_baseline_input *input = job->input;
    size_t count = 0, at = 0;
    jump *jumps;
    double *threshold;
    for (size_t i = 0; i < input->train_count; i++) count += (size_t)input->train[i].length - 1;
    SLT_TRY(SLT_NEW(job->arena, &threshold, 1));
    slt_arena_mark mark = slt_arena_now(job->arena);
    SLT_TRY(SLT_NEW(job->arena, &jumps, count));
    for (size_t i = 0; i < input->train_count; i++) {
        SLT_TRY(slt_context_check(job->context));
        measure(input->train_vectors[i], input->train[i].length, input->channels, jumps + at);
        at += (size_t)input->train[i].length - 1;
    }
    qsort(jumps, count, sizeof *jumps, by_size);
    *threshold = two_means(jumps, count);
    slt_arena_reset(job->arena, mark);
    job->learned = threshold;
    return SLT_OK;
}

static slt_status cut_untold(slt_baseline_job *job, uint8_t *is_end, size_t index, int cuts) {
    (void)cuts;
    return cut_jumps(job, is_end, index, job->input->target[index].length, *(double *)job->learned);
}

const slt_baseline slt_baseline_jump_threshold = {
    .name = "jump-threshold",
    .help = "boundaries where a continuous action jumps further than a threshold: 2-means over "
            "the training jumps",
    .needs = SLT_NEEDS_TRAIN | SLT_NEEDS_VECTORS,
    .prepare = prepare,
    .cut = cut_untold,
};
