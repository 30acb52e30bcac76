// Adam, "epsilon-hat" form (Kingma and Ba, section 2, last paragraph):
//     m <- b1 m + (1-b1) g ;  v <- b2 v + (1-b2) g²
//     w <- w - lr·sqrt(1-b2^t)/(1-b1^t) · m/(sqrt(v)+eps)
// The gradient is first scaled by max_norm/max(norm, max_norm). Members never mix.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include "engine/adam.h"

#include <math.h>
#include "engine/tape_impl.h"
#include "engine/wide.h"

#ifdef SLT_DOUBLE
#define SQRT sqrt
#else
#define SQRT sqrtf
#endif

static const double BETA1 = 0.9, BETA2 = 0.999;

// columns whose gradient is zero but for rounding: Adam would turn noise into steps
static void clear_zero_columns(slt_store *store, int parameter, int member) {
    const slt_parameter *p = &store->parameters[parameter];
    slt_real *gradient = slt_store_at(store, store->gradient, parameter, member);
    for (int k = 0, end = 0; k < p->parts; k++) {
        end += p->part[k].columns;
        for (int r = 0; r < p->rows && p->part[k].zero_columns; r++)
            for (int c = end - p->part[k].zero_columns; c < end; c++)
                gradient[(size_t)r * (size_t)p->columns + (size_t)c] = 0;
    }
}

static void measure(void *argument, int task, int thread) {
    slt_store *store = ((slt_tape *)argument)->store;
    (void)thread;
    const slt_piece *piece = &store->pieces[task];
    const slt_real *gradient = store->gradient + piece->start;
    // eight sums in a fixed order, for the compiler's vectors
    double sum[8] = {0};
    size_t i = 0;
    for (; i + 8 <= piece->count; i += 8)
        for (int k = 0; k < 8; k++) sum[k] += (double)gradient[i + k] * (double)gradient[i + k];
    for (; i < piece->count; i++) sum[0] += (double)gradient[i] * (double)gradient[i];
    store->piece_norm[task] =
        ((sum[0] + sum[1]) + (sum[2] + sum[3])) + ((sum[4] + sum[5]) + (sum[6] + sum[7]));
}
SLT_WIDE(measure, (void *argument, int task, int thread), (argument, task, thread));

static void sum_norms(slt_store *store) {
    for (int m = 0; m < store->members; m++) store->norm[m] = 0;
    for (int i = 0; i < store->piece_count; i++)
        store->norm[store->pieces[i].member] += store->piece_norm[i];
    for (int m = 0; m < store->members; m++) store->norm[m] = sqrt(store->norm[m]);
}

static void update(void *argument, int task, int thread) {
    slt_tape *tape = argument;
    slt_store *store = tape->store;
    (void)thread;
    const slt_piece *piece = &store->pieces[task];
    const slt_step *step = &tape->frames[piece->member].step;
    double norm = store->norm[piece->member];
    if (!step->active || !isfinite(norm)) return;

    slt_real rate = slt_adam_rate(step);
    slt_real scale = 1, epsilon = step->adam_epsilon;
    if (step->max_norm > 0 && norm > step->max_norm) scale = (slt_real)(step->max_norm / norm);
    // 1 - b2 from double: in float it is off by 5e-5
    slt_real b1 = (slt_real)BETA1, b2 = (slt_real)BETA2;
    slt_real c1 = (slt_real)(1 - BETA1), c2 = (slt_real)(1 - BETA2);
    slt_real *restrict w = store->value + piece->start, *restrict m = store->moment1 + piece->start,
                       *restrict v = store->moment2 + piece->start;
    const slt_real *restrict g = store->gradient + piece->start;
    for (size_t i = 0; i < piece->count; i++) {
        slt_real gradient = scale * g[i];
        m[i] = b1 * m[i] + c1 * gradient;
        v[i] = b2 * v[i] + c2 * gradient * gradient;
        w[i] -= rate * m[i] / (SQRT(v[i]) + epsilon);
    }
}
SLT_WIDE(update, (void *argument, int task, int thread), (argument, task, thread));

slt_real slt_adam_rate(const slt_step *step) {
    double count = step->adam_count;
    return (slt_real)(step->learning_rate * sqrt(1 - pow(BETA2, count)) / (1 - pow(BETA1, count)));
}

slt_status slt_adam_step(slt_tape *tape) {
    slt_store *store = tape->store;
    if (tape->on_device) return slt_tape_device(tape)->adam(tape);
    for (int m = 0; m < store->members; m++)
        for (int i = 0; i < store->count; i++) clear_zero_columns(store, i, m);
    slt_pool_run(tape->context->pool, store->piece_count, SLT_WIDEST(measure), tape);
    sum_norms(store);
    slt_pool_run(tape->context->pool, store->piece_count, SLT_WIDEST(update), tape);
    return SLT_OK;
}
