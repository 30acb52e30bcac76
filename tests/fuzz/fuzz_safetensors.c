// Fuzz target: whatever the bytes, the safetensors reader accepts or refuses them, and every byte
// of what it accepts can be read.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include <string.h>
#include "core/safetensors.h"
#include "fuzz.h"

static void read_everything(const slt_safetensors *file, size_t size) {
    size_t sum = 0, total = 0;
    for (size_t i = 0; i < slt_safetensors_count(file); i++) {
        const slt_array *array = slt_safetensors_at(file, i);
        FUZZ_REQUIRE(slt_safetensors_find(file, array->name) == array);
        FUZZ_REQUIRE((uintptr_t)array->data % slt_dtype_size(array->dtype) == 0);
        for (size_t k = 0; k < array->bytes; k++) sum += ((const uint8_t *)array->data)[k];
        total += array->bytes;
    }
    for (size_t i = 0; i < slt_safetensors_metadata_count(file); i++) {
        slt_metadata one = slt_safetensors_metadata_at(file, i);
        FUZZ_REQUIRE(slt_safetensors_metadata(file, one.key) == one.value);
    }
    FUZZ_REQUIRE(total <= size && sum <= 255 * total);
}

static int take(const uint8_t *bytes, size_t size) {
    slt_safetensors *file;
    if (slt_safetensors_view(&slt_system_allocator, "fuzz", bytes, size, &file) != SLT_OK) {
        FUZZ_REQUIRE(slt_last_error()[0]);
        return 0;
    }
    read_everything(file, size);
    slt_safetensors_close(file);
    return 1;
}

int fuzz_one(const uint8_t *bytes, size_t size) {
    int accepted = take(bytes, size);
    // again with a header length that fits, so that more inputs reach the deeper checks
    size_t end = size;
    while (end > 8 && bytes[end - 1] != '}') end--;
    uint8_t *copy = end > 8 ? malloc(size) : NULL;
    if (!copy) return accepted;
    memcpy(copy, bytes, size);
    for (int i = 0; i < 8; i++) copy[i] = (uint8_t)((uint64_t)(end - 8) >> 8 * i);
    accepted |= take(copy, size);
    free(copy);
    return accepted;
}
