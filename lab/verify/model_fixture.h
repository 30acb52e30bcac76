// Golden files of models: weights, inputs, and what the reference computed from them.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#ifndef SLT_VERIFY_MODEL_FIXTURE_H
#define SLT_VERIFY_MODEL_FIXTURE_H

#include "core/safetensors.h"
#include "engine/tape.h"
#include "verify/golden.h"

typedef struct {
    slt_verification *verification;
    slt_safetensors *file;
    const char *prefix; // of computed values: "" or "own."
} slt_fixture;

// true when the bytes are a safetensors file whose metadata say "model": name
bool slt_fixture_knows(const slt_golden *golden, const char *model);

// metadata: a number, or text (without quotes); FORMAT when missing or out of bounds
slt_status slt_fixture_int(const slt_fixture *fixture, const char *key, int low, int high,
                           int *out);
slt_status slt_fixture_real(const slt_fixture *fixture, const char *key, double *out);
bool slt_fixture_is(const slt_fixture *fixture, const char *key, const char *text);

// an array of `count` numbers under prefix + name, or NULL; the plain form fails when it is missing
const float *slt_fixture_find(const slt_fixture *fixture, const char *name, size_t count);
slt_status slt_fixture_floats(const slt_fixture *fixture, const char *name, size_t count,
                              const float **out);
slt_status slt_fixture_ints(const slt_fixture *fixture, const char *name, size_t count,
                            const int32_t **out);

// weights "w.NAME" into the store
slt_status slt_fixture_load(const slt_fixture *fixture, slt_store *store);

// compares `count` numbers, each `stride` apart and `width` at a time, with a golden array;
// tolerance relative to its largest entry. Absent arrays are not compared.
void slt_fixture_compare(slt_fixture *fixture, const char *name, const slt_real *got, size_t rows,
                         size_t width, size_t stride, double tolerance);

// compares gradients, or their norms, with "grad.NAME" and "gradnorm.NAME"
slt_status slt_fixture_gradients(slt_fixture *fixture, slt_store *store);
// compares gradients times `scale` with "grad_clipped.NAME"
slt_status slt_fixture_clipped(slt_fixture *fixture, slt_store *store, double scale);
// compares weights after the first step with "adam1.NAME" or "adam1_delta_norm.NAME"
slt_status slt_fixture_first_step(slt_fixture *fixture, slt_store *store, double rate);

#endif
