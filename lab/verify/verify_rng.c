// Golden random streams: numpy's and Python's generator, raw words and bounded draws.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include <stdio.h>
#include "core/mt19937.h"
#include "verify/golden_json.h"

// a list of draws from a fresh generator, with a cycle of bounds; bound 0: a raw word
typedef struct {
    const char *name, *inner; // inner: a list within an object of that name; may be NULL
    bool is_python;
    uint32_t cycle[4];
    int period;
} stream;

// clang-format off
static const stream streams[] = {
    {"np_uint32",              NULL, false, {0},            1},
    {"np_randint10",           NULL, false, {10},           1},
    {"np_randint8",            NULL, false, {8},            1},
    {"np_choice4",             NULL, false, {4},            1},
    {"np_mix_8_10_10_choice4", NULL, false, {8, 10, 10, 4}, 4},
    {"py_uint32",              NULL, true,  {0},            1},
    {"py_choice",              "1",  true,  {1},            1},
    {"py_choice",              "2",  true,  {2},            1},
    {"py_choice",              "3",  true,  {3},            1},
    {"py_choice",              "4",  true,  {4},            1},
    {"py_choice_mix_1_2_4",    NULL, true,  {1, 2, 4},      3},
};
// clang-format on
enum { STREAMS = sizeof streams / sizeof *streams, CHOICES = 4 };

static uint32_t draw(slt_mt19937 *random, const stream *s, uint32_t bound) {
    if (bound == 0) return slt_mt19937_next(random);
    return (s->is_python ? slt_mt19937_pybelow : slt_mt19937_below)(random, bound);
}

static slt_status check_stream(slt_verification *verification, const json_t *record,
                               const stream *s, uint32_t seed) {
    json_t *list;
    if (s->inner) record = json_object_get(record, s->name);
    SLT_TRY(slt_golden_array(record, s->inner ? s->inner : s->name, SLT_ANY_COUNT, &list));
    slt_mt19937 random;
    if (s->is_python)
        slt_mt19937_seed_words(&random, &seed, 1);
    else
        slt_mt19937_seed(&random, seed);
    for (size_t i = 0; i < json_array_size(list); i++) {
        int64_t want;
        SLT_TRY(slt_golden_whole_at(list, i, 0, UINT32_MAX, s->name, &want));
        uint32_t got = draw(&random, s, s->cycle[i % (size_t)s->period]);
        slt_verify_same(verification, want, got, s->name);
    }
    return SLT_OK;
}

static slt_status check_seed(slt_verification *verification, const json_t *record) {
    int64_t seed;
    SLT_TRY(slt_golden_whole(record, "seed", 0, UINT32_MAX, &seed));
    char where[48];
    snprintf(where, sizeof where, "seed %lld", (long long)seed);
    verification->where = where;
    slt_status status = SLT_OK;
    for (int i = 0; i < STREAMS && status == SLT_OK; i++)
        status = check_stream(verification, record, &streams[i], (uint32_t)seed);
    verification->where = NULL;
    return status;
}

static bool knows(const slt_golden *golden) {
    const json_t *first = json_is_array(golden->head) ? json_array_get(golden->head, 0) : NULL;
    return json_object_get(first, "np_uint32") && json_object_get(first, "py_uint32");
}

static slt_status run(slt_verification *verification, const slt_golden *golden) {
    // the streams, the seed, and the choices counted as one
    size_t keys = STREAMS - CHOICES + 2;
    for (size_t i = 0; i < json_array_size(golden->head); i++) {
        const json_t *record = json_array_get(golden->head, i);
        if (json_object_size(record) != keys)
            SLT_FAIL(SLT_FORMAT, "%s: record %zu does not have %zu fields", golden->path, i, keys);
        slt_status status = check_seed(verification, record);
        if (status != SLT_OK) return slt_fail_in(status, golden->path);
    }
    return SLT_OK;
}

const slt_verify_kind slt_verify_random_streams = {"random-streams", knows, run};
