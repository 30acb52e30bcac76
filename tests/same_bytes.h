// Two files that must hold the same bytes.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#ifndef SLT_TESTS_SAME_BYTES_H
#define SLT_TESTS_SAME_BYTES_H

#include "check.h"
#include "core/file.h"

static inline void check_same_bytes(const char *a, const char *b) {
    slt_map x, y;
    CHECK_OK(slt_map_open(a, &x));
    CHECK_OK(slt_map_open(b, &y));
    assert_int_equal(x.size, y.size);
    assert_memory_equal(x.data, y.data, x.size);
    slt_map_close(&x);
    slt_map_close(&y);
}

#endif
