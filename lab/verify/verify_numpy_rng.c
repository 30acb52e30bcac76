// Golden file of NumPy's generator: seeding, raw outputs, bounded integers, mixed calls.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "core/number.h"
#include "core/pcg64.h"
#include "verify/packed.h"
#include "verify/verify_kinds.h"

typedef struct {
    slt_verification *verification;
    uint32_t words[SLT_SEED_WORDS];
    int count;
} stream;

static slt_pcg64 fresh(const stream *check) {
    slt_pcg64 rng;
    slt_pcg64_seed(&rng, check->words, check->count);
    return rng;
}

static void same_text(stream *check, const json_t *want, const char *got, const char *what) {
    const char *text = json_string_value(want);
    slt_verify_text(check->verification, text ? text : "(no text)", got, what);
}

static void same_hex(stream *check, const json_t *want, uint64_t got, int digits,
                     const char *what) {
    char text[24];
    snprintf(text, sizeof text, "%0*" PRIx64, digits, got);
    same_text(check, want, text, what);
}

static void same_wide(stream *check, const json_t *want, uint64_t high, uint64_t low,
                      const char *what) {
    char text[40];
    snprintf(text, sizeof text, "%016" PRIx64 "%016" PRIx64, high, low);
    same_text(check, want, text, what);
}

static void same_double(stream *check, const json_t *want, double got) {
    const char *text = json_string_value(want);
    slt_verify_near(check->verification, text ? slt_number_start(text, NULL) : -1, got, 0, 1,
                    "random()");
}

static void seeding(stream *check, const json_t *seed) {
    uint32_t pool[4], words[8];
    slt_seed_pool(check->words, check->count, pool);
    slt_seed_words(pool, words);
    for (size_t i = 0; i < 4; i++)
        same_hex(check, json_array_get(json_object_get(seed, "pool"), i), pool[i], 8, "pool");
    for (size_t i = 0; i < 8; i++)
        same_hex(check, json_array_get(json_object_get(seed, "state32_8"), i), words[i], 8,
                 "state32_8");
    for (size_t i = 0; i < 4; i++)
        same_hex(check, json_array_get(json_object_get(seed, "state64_4"), i),
                 words[2 * i] | (uint64_t)words[2 * i + 1] << 32, 16, "state64_4");
    slt_pcg64 rng = fresh(check);
    same_wide(check, json_object_get(seed, "pcg_state"), rng.state_high, rng.state_low,
              "pcg_state");
    same_wide(check, json_object_get(seed, "pcg_inc"), rng.increment_high, rng.increment_low,
              "pcg_inc");
}

static void outputs(stream *check, const json_t *seed) {
    const json_t *raw = json_object_get(seed, "raw64"), *doubles = json_object_get(seed, "random");
    slt_pcg64 rng = fresh(check);
    for (size_t i = 0; i < json_array_size(raw); i++)
        same_hex(check, json_array_get(raw, i), slt_pcg64_next64(&rng), 16, "raw64");
    rng = fresh(check);
    for (size_t i = 0; i < json_array_size(doubles); i++)
        same_double(check, json_array_get(doubles, i), slt_pcg64_double(&rng));
}

static slt_status integers(stream *check, json_t *seed) {
    const char *bound;
    json_t *values;
    json_object_foreach(json_object_get(seed, "integers"), bound, values) {
        long long high = strtoll(bound, NULL, 10);
        if (high < 1) SLT_FAIL(SLT_FORMAT, "integers below '%.40s' cannot be drawn", bound);
        slt_pcg64 rng = fresh(check);
        for (size_t i = 0; i < json_array_size(values); i++)
            slt_verify_same(check->verification, json_integer_value(json_array_get(values, i)),
                            slt_pcg64_between(&rng, 0, high), "integers");
    }
    return SLT_OK;
}

// ---- mixed calls on one generator: [name, arguments..., result]

enum { LONGEST = 64 };

static slt_status mixed_between(stream *check, slt_pcg64 *rng, const json_t *call) {
    long long low = json_integer_value(json_array_get(call, 1));
    long long high = json_integer_value(json_array_get(call, 2));
    if (low >= high) SLT_FAIL(SLT_FORMAT, "integers in [%lld, %lld) cannot be drawn", low, high);
    slt_verify_same(check->verification, json_integer_value(json_array_get(call, 3)),
                    slt_pcg64_between(rng, low, high), "integers among mixed calls");
    return SLT_OK;
}

static slt_status mixed_random(stream *check, slt_pcg64 *rng, const json_t *call) {
    same_double(check, json_array_get(call, 1), slt_pcg64_double(rng));
    return SLT_OK;
}

static slt_status mixed_shuffle(stream *check, slt_pcg64 *rng, const json_t *call) {
    long long n = json_integer_value(json_array_get(call, 1));
    if (n < 1 || n > LONGEST) SLT_FAIL(SLT_FORMAT, "a shuffle of %lld things", n);
    int64_t items[LONGEST];
    for (int i = 0; i < n; i++) items[i] = i;
    slt_pcg64_shuffle(rng, items, (uint32_t)n);
    for (int i = 0; i < n; i++)
        slt_verify_same(check->verification,
                        json_integer_value(json_array_get(json_array_get(call, 2), (size_t)i)),
                        items[i], "shuffle");
    return SLT_OK;
}

static slt_status mixed_choice(stream *check, slt_pcg64 *rng, const json_t *call) {
    long long n = json_integer_value(json_array_get(call, 1));
    if (n < 1) SLT_FAIL(SLT_FORMAT, "a choice of %lld things", n);
    slt_verify_same(check->verification, json_integer_value(json_array_get(call, 2)),
                    slt_pcg64_between(rng, 0, n), "choice");
    return SLT_OK;
}

static const struct {
    const char *name;
    slt_status (*run)(stream *check, slt_pcg64 *rng, const json_t *call);
} calls[] = {
    {"integers", mixed_between},    {"random", mixed_random}, {"shuffle", mixed_shuffle},
    {"permutation", mixed_shuffle}, {"choice", mixed_choice},
};

static slt_status mixed_call(stream *check, slt_pcg64 *rng, const json_t *call) {
    const char *name = json_string_value(json_array_get(call, 0));
    for (size_t i = 0; name && i < sizeof calls / sizeof *calls; i++)
        if (strcmp(name, calls[i].name) == 0) return calls[i].run(check, rng, call);
    SLT_FAIL(SLT_FORMAT, "'%.40s' is no call of the generator", name ? name : "");
}

static slt_status mixed(stream *check, const json_t *seed) {
    const json_t *list = json_object_get(seed, "mixed_ops"), *end = json_object_get(seed, "end");
    slt_pcg64 rng = fresh(check);
    for (size_t i = 0; i < json_array_size(list); i++)
        SLT_TRY(mixed_call(check, &rng, json_array_get(list, i)));
    same_wide(check, json_object_get(end, "pcg_state"), rng.state_high, rng.state_low,
              "state at the end");
    slt_verify_same(check->verification, json_integer_value(json_object_get(end, "has_uint32")),
                    rng.has_kept, "has_uint32");
    slt_verify_same(check->verification, json_integer_value(json_object_get(end, "uinteger")),
                    rng.has_kept ? rng.kept : 0, "uinteger");
    return SLT_OK;
}

// a list that is missing or empty would be agreed with
static slt_status check_lists(const json_t *seed, const char *decimal) {
    static const char *const lists[] = {"pool",  "state32_8", "state64_4",
                                        "raw64", "random",    "mixed_ops"};
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++)
        if (json_array_size(json_object_get(seed, lists[i])) == 0)
            SLT_FAIL(SLT_FORMAT, "seed %.50s has no list '%s'", decimal, lists[i]);
    if (json_object_size(json_object_get(seed, "integers")) == 0)
        SLT_FAIL(SLT_FORMAT, "seed %.50s has no integers", decimal);
    return SLT_OK;
}

static slt_status one_seed(slt_verification *verification, json_t *seed) {
    const char *decimal = json_string_value(json_object_get(seed, "seed"));
    if (!decimal) SLT_FAIL(SLT_FORMAT, "a list without a seed");
    SLT_TRY(check_lists(seed, decimal));
    stream check = {.verification = verification};
    SLT_TRY(slt_seed_parse(decimal, check.words, &check.count));
    char where[64];
    snprintf(where, sizeof where, "seed %.50s", decimal);
    verification->where = where;
    seeding(&check, seed);
    outputs(&check, seed);
    slt_status status = integers(&check, seed);
    if (status == SLT_OK) status = mixed(&check, seed);
    verification->where = NULL;
    return status;
}

static bool knows(const slt_golden *golden) {
    const json_t *first = json_array_get(json_object_get(golden->head, "seeds"), 0);
    return json_object_get(first, "pcg_inc") && json_object_get(first, "mixed_ops");
}

static slt_status run(slt_verification *verification, const slt_golden *golden) {
    const json_t *seeds = json_object_get(golden->head, "seeds");
    for (size_t i = 0; i < json_array_size(seeds); i++)
        SLT_TRY(one_seed(verification, json_array_get(seeds, i)));
    return SLT_OK;
}

const slt_verify_kind slt_verify_numpy_rng = {"numpy-rng", knows, run};
