// The forms of a prior.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include "train/learner/prior.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "core/error.h"
#include "core/number.h"

static const double FLOOR = 1e-4; // of a prior's entries, as in the paper
enum { MOST = 1024, MORE = 2 };   // largest number; numbers above one with a spread

static slt_status refuse(const char *text) {
    SLT_FAIL(SLT_INVALID,
             "prior: '%.60s' is not auto, flat, labels, a number (3), a range (3..6), a mean "
             "(~4.5) or a list of probabilities (0,0,.3,.7)",
             text);
}

// ---- reading

// a whole number from 1 to MOST; gives what stands after it, NULL when there is none
static const char *whole(const char *text, int *out) {
    char *end;
    long value = strtol(text, &end, 10);
    if (end == text || value < 1 || value > MOST) return NULL;
    *out = (int)value;
    return end;
}

static bool read_range(const char *text, slt_prior *out) {
    const char *end = whole(text, &out->low);
    out->kind = SLT_PRIOR_RANGE;
    if (!end || strncmp(end, "..", 2) != 0) return false;
    end = whole(end + 2, &out->high);
    return end && !*end && out->low <= out->high;
}

static bool read_number(const char *text, slt_prior *out) {
    const char *end = whole(text, &out->low);
    out->kind = SLT_PRIOR_NUMBER;
    out->high = out->low;
    return end && !*end;
}

static bool read_mean(const char *text, slt_prior *out) {
    char *end;
    const char *number = text + (*text == '~');
    out->kind = SLT_PRIOR_MEAN;
    out->mean = slt_number_start(number, &end);
    return end != number && !*end && out->mean >= 1 && out->mean <= MOST / 4;
}

// one entry; gives the next, NULL when it is no probability
static const char *entry(const char *text, double *value) {
    char *end;
    *value = slt_number_start(text, &end);
    if (end == text || !(*value >= 0 && *value <= 1) || (*end && *end != ',')) return NULL;
    return *end ? end + 1 : end;
}

static bool read_list(const char *text, slt_prior *out) {
    double value;
    out->kind = SLT_PRIOR_LIST;
    if (!strchr(text, ',')) return false;
    for (int k = 1; *text; k++) {
        text = entry(text, &value);
        if (!text || k > MOST) return false;
        if (value > 0) out->entries = k;
    }
    return out->entries > 0;
}

slt_status slt_prior_read(const char *text, double spread, slt_prior *out) {
    static const struct {
        const char *word;
        slt_prior_kind kind;
    } words[] = {{"auto", SLT_PRIOR_AUTO}, {"labels", SLT_PRIOR_LABELS}, {"flat", SLT_PRIOR_FLAT}};
    static bool (*const forms[])(const char *, slt_prior *) = {read_number, read_range, read_list,
                                                               read_mean};
    slt_prior found;
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strcmp(text, words[i].word) == 0) {
            *out = (slt_prior){.kind = words[i].kind, .text = text, .spread = spread};
            return SLT_OK;
        }
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++) {
        found = (slt_prior){.text = text, .spread = spread};
        if (!forms[i](text, &found)) continue;
        *out = found;
        return SLT_OK;
    }
    return refuse(text);
}

slt_prior_shape slt_prior_shape_of(const slt_prior *prior) {
    switch (prior->kind) {
    case SLT_PRIOR_NUMBER:
        return (slt_prior_shape){prior->high + (prior->spread > 0 ? MORE : 0), true, true};
    case SLT_PRIOR_RANGE:
        return (slt_prior_shape){prior->high, true, false};
    case SLT_PRIOR_MEAN:
        return (slt_prior_shape){(int)ceil(prior->mean + 2 * sqrt(prior->mean)), true, false};
    case SLT_PRIOR_LIST:
        return (slt_prior_shape){prior->entries, true, true};
    case SLT_PRIOR_LABELS:
        return (slt_prior_shape){0, true, true};
    default:
        return (slt_prior_shape){0, false, false};
    }
}

// ---- filling

static void fill_list(const char *text, int entries, double *out) {
    double value;
    for (int k = 0; k < entries; k++) {
        text = entry(text, &value);
        out[k] = fmax(value, FLOOR);
    }
}

// the number, and less and less of those around it
static void fill_around(int number, double spread, int K, double *out) {
    double sum = 0;
    for (int k = 0; k < K; k++) sum += pow(spread, abs(k + 1 - number));
    for (int k = 0; k < K; k++) out[k] = fmax(pow(spread, abs(k + 1 - number)) / sum, FLOOR);
}

// 1 + Poisson(mean - 1)
static void fill_mean(double mean, int K, double *out) {
    double share = exp(1 - mean);
    for (int k = 0; k < K; k++) {
        out[k] = fmax(share, FLOOR);
        share *= (mean - 1) / (k + 1);
    }
}

slt_status slt_prior_fill(const slt_prior *prior, int K, double *out) {
    int largest = prior->kind == SLT_PRIOR_LIST ? prior->entries : prior->high;
    if (largest > K)
        SLT_FAIL(SLT_RANGE, "prior: %.60s asks for %d segments, the model has %d slots",
                 prior->text, largest, K);
    bool bounded = prior->kind == SLT_PRIOR_NUMBER || prior->kind == SLT_PRIOR_RANGE;
    int inside = bounded ? prior->high - prior->low + 1 : K;
    for (int k = 0; k < K; k++) out[k] = bounded ? FLOOR : 1 / (double)K;
    for (int k = prior->low - 1; bounded && k < prior->high; k++)
        out[k] = (1 - FLOOR * (K - inside)) / inside;
    if (prior->kind == SLT_PRIOR_LIST) {
        for (int k = 0; k < K; k++) out[k] = FLOOR;
        fill_list(prior->text, prior->entries, out);
    }
    if (prior->kind == SLT_PRIOR_MEAN) fill_mean(prior->mean, K, out);
    if (prior->kind == SLT_PRIOR_NUMBER && prior->spread > 0)
        fill_around(prior->high, prior->spread, K, out);
    return SLT_OK;
}
