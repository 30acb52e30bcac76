// Fuzz target: JSON documents, by themselves, as the result of a trial or a run and as Minari's
// metadata.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include "core/json.h"
#include "data/minari.h"
#include "fuzz.h"
#include "reproduce/repro_record.h"
#include "train/sweep/sweep_trial.h"

enum { DEPTH = 16 }; // of the reader that goes deepest

static int depth_of(const json_t *value) {
    int deepest = 0;
    const char *key;
    size_t i;
    json_t *part;
    json_array_foreach(value, i, part) deepest =
        depth_of(part) > deepest ? depth_of(part) : deepest;
    json_object_foreach((json_t *)value, key, part) deepest =
        depth_of(part) > deepest ? depth_of(part) : deepest;
    return deepest + (json_is_array(value) || json_is_object(value));
}

static int parse(const uint8_t *bytes, size_t size) {
    json_t *document;
    if (slt_json_parse("fuzz", (const char *)bytes, size, DEPTH, &document) != SLT_OK) return 0;
    FUZZ_REQUIRE(depth_of(document) <= DEPTH);
    json_decref(document);
    return 1;
}

int fuzz_one(const uint8_t *bytes, size_t size) {
    static slt_context *context;
    static slt_array_set set;
    if (!context) FUZZ_REQUIRE(!slt_context_create(&(slt_context_options){.threads = 1}, &context));
    char path[64];
    int descriptor = fuzz_file(bytes, size, path), accepted = parse(bytes, size);
    slt_trial_result trial;
    if (slt_trial_read(path, &trial) == SLT_OK) FUZZ_REQUIRE(accepted);
    slt_repro_record record;
    if (slt_repro_record_read(path, &record) == SLT_OK) FUZZ_REQUIRE(accepted);
    slt_array_set_init(&set, context, path);
    if (slt_minari_read_json(&set, path) == SLT_OK) FUZZ_REQUIRE(accepted);
    slt_array_set_deinit(&set);
    close(descriptor);
    return accepted;
}
