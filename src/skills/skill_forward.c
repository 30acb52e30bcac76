// One observation after another through the network of skills.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include "skills/skill_forward.h"

#include <math.h>
#include <string.h>
#include "engine/wide.h"
#include "skills/flag_bits.h"

enum { SEE, SEE_BIAS, THINK, THINK_BIAS, CHOOSE, CHOOSE_BIAS };

// Columns at a time: their sums stay in registers while rows go by.
#ifdef __x86_64__
enum { LANES = 8 };
#else
enum { LANES = 4 };
#endif
enum { CHUNK = SLT_FLAGS, NARROW = 4 };
_Static_assert(SLT_SKILL_HIDDEN % CHUNK == 0 && SLT_SKILL_ACTIONS % NARROW == 0, "padding fits");
typedef float reals __attribute__((vector_size(LANES * 4), aligned(4), may_alias));
typedef int32_t whole __attribute__((vector_size(LANES * 4), aligned(4), may_alias));

// ---- packing

static size_t padded(int width, int chunk) { return (size_t)((width + chunk - 1) / chunk * chunk); }

static slt_status copy(slt_arena *arena, const slt_skill_net *net, int part, size_t rows,
                       size_t columns, float **out) {
    slt_skill_matrix m = slt_skill_part(net->shape, part);
    SLT_TRY(SLT_NEW(arena, out, rows * columns));
    for (int r = 0; r < m.rows; r++)
        memcpy(*out + (size_t)r * columns, net->part[part] + (size_t)r * (size_t)m.columns,
               (size_t)m.columns * sizeof **out);
    return SLT_OK;
}

// the finest unit in which no sum of rows overflows
static float unit_of(const slt_skill_net *net) {
    int hidden = net->shape.hidden, exponent;
    double most = 0;
    for (int k = 0; k < hidden; k++) {
        double sum = fabs((double)net->part[SEE_BIAS][k]);
        for (int i = 0; i < net->shape.inputs; i++)
            sum += fabs((double)net->part[SEE][(size_t)i * (size_t)hidden + (size_t)k]);
        most = fmax(most, sum);
    }
    frexp(most, &exponent); // most < 2^exponent; rounding adds less than as much again
    return (float)ldexp(1, exponent < -96 ? -126 : exponent - 30);
}

static slt_status quantise(slt_arena *arena, const slt_skill_net *net, int part, float unit,
                           size_t columns, int32_t **out) {
    slt_skill_matrix m = slt_skill_part(net->shape, part);
    SLT_TRY(SLT_NEW(arena, out, (size_t)m.rows * columns));
    for (int r = 0; r < m.rows; r++)
        for (int k = 0; k < m.columns; k++)
            (*out)[(size_t)r * columns + (size_t)k] =
                (int32_t)lrint((double)net->part[part][r * m.columns + k] / (double)unit);
    return SLT_OK;
}

slt_status slt_skill_pack(slt_skill_packed *packed, slt_arena *arena, const slt_skill_net *net) {
    size_t hidden = padded(net->shape.hidden, CHUNK), outputs = (size_t)net->shape.outputs;
    slt_skill_packed *p = packed;
    *p = (slt_skill_packed){net->shape, hidden, .unit = unit_of(net)};
    SLT_TRY(quantise(arena, net, SEE, p->unit, hidden, &p->see));
    SLT_TRY(quantise(arena, net, SEE_BIAS, p->unit, hidden, &p->see_bias));
    SLT_TRY(copy(arena, net, THINK, hidden, hidden, &p->think));
    SLT_TRY(copy(arena, net, THINK_BIAS, 1, hidden, &p->think_bias));
    SLT_TRY(SLT_NEW(arena, &p->choose, (outputs + NARROW) * hidden));
    for (size_t o = 0; o < outputs; o++)
        for (size_t k = 0; k < (size_t)net->shape.hidden; k++)
            p->choose[o * hidden + k] = net->part[CHOOSE][k * outputs + o];
    return copy(arena, net, CHOOSE_BIAS, 1, outputs + NARROW, &p->choose_bias);
}

// ---- the first layer

void slt_skill_sums_begin(const slt_skill_packed *packed, slt_skill_sums *sums) {
    memcpy(sums->of, packed->see_bias, packed->hidden * sizeof *sums->of);
}

static void change(const slt_skill_packed *packed, const uint16_t *came, int64_t came_count,
                   const uint16_t *went, int64_t went_count, slt_skill_sums *sums) {
    for (size_t k = 0; k < packed->hidden; k += CHUNK) {
        const int32_t *see = packed->see + k;
        whole sum[CHUNK / LANES], *at = (whole *)(sums->of + k);
        for (int v = 0; v < CHUNK / LANES; v++) sum[v] = at[v];
        for (int64_t i = 0; i < came_count; i++) {
            const whole *row = (const whole *)(see + came[i] * packed->hidden);
            for (int v = 0; v < CHUNK / LANES; v++) sum[v] += row[v];
        }
        for (int64_t i = 0; i < went_count; i++) {
            const whole *row = (const whole *)(see + went[i] * packed->hidden);
            for (int v = 0; v < CHUNK / LANES; v++) sum[v] -= row[v];
        }
        for (int v = 0; v < CHUNK / LANES; v++) at[v] = sum[v];
    }
}
SLT_WIDE(change,
         (const slt_skill_packed *packed, const uint16_t *came, int64_t came_count,
          const uint16_t *went, int64_t went_count, slt_skill_sums *sums),
         (packed, came, came_count, went, went_count, sums));

void slt_skill_sums_change(const slt_skill_packed *packed, const uint16_t *came, int64_t came_count,
                           const uint16_t *went, int64_t went_count, slt_skill_sums *sums) {
    SLT_WIDEST(change)(packed, came, came_count, went, went_count, sums);
}

// ---- the other two

// a unit above 0, and where its row of V begins
typedef struct {
    float h;
    uint32_t row;
} active;

// returns how many
static int find_active(const slt_skill_packed *packed, const int32_t *sums, active *out) {
    uint8_t flags[SLT_FLAGS];
    size_t hidden = packed->hidden;
    int count = 0;
    for (size_t first = 0; first < hidden; first += CHUNK) {
        for (size_t k = 0; k < CHUNK; k++) flags[k] = sums[first + k] > 0;
        for (uint64_t left = slt_flag_bits(flags); left; left &= left - 1) {
            size_t unit = first + (size_t)__builtin_ctzll(left);
            out[count++] = (active){(float)sums[unit] * packed->unit, (uint32_t)(unit * hidden)};
        }
    }
    return count;
}

// g = relu(h·V + d)
static void think(const slt_skill_packed *packed, const active *units, int count, float *g) {
    for (size_t k = 0; k < packed->hidden; k += CHUNK) {
        const float *weights = packed->think + k;
        const reals *bias = (const reals *)(packed->think_bias + k);
        reals sum[CHUNK / LANES];
        for (int v = 0; v < CHUNK / LANES; v++) sum[v] = bias[v];
        for (int i = 0; i < count; i++) {
            const reals *row = (const reals *)(weights + units[i].row);
            for (int v = 0; v < CHUNK / LANES; v++) sum[v] += units[i].h * row[v];
        }
        for (int v = 0; v < CHUNK / LANES; v++)
            ((reals *)(g + k))[v] = (reals)((whole)sum[v] & (sum[v] > 0));
    }
}

static float total(reals x) {
    float sum = 0;
    for (int i = 0; i < LANES; i++) sum += x[i];
    return sum;
}

// logits = g·P + p; two sums per output, for one waits for its last addition
static void choose(const slt_skill_packed *packed, const float *g, size_t first, size_t count,
                   float *logits) {
    for (size_t o = 0; o < count; o += NARROW) {
        const float *column = packed->choose + (first + o) * packed->hidden;
        reals even[NARROW] = {0}, odd[NARROW] = {0};
        for (size_t k = 0; k < packed->hidden; k += 2 * LANES) {
            const reals *at = (const reals *)(g + k);
            for (size_t n = 0; n < NARROW; n++) {
                const reals *weights = (const reals *)(column + n * packed->hidden + k);
                even[n] += at[0] * weights[0];
                odd[n] += at[1] * weights[1];
            }
        }
        for (size_t n = 0; n < NARROW; n++)
            logits[o + n] = packed->choose_bias[first + o + n] + total(even[n] + odd[n]);
    }
}

static void decide(const slt_skill_packed *packed, const slt_skill_sums *sums, int first, int count,
                   float *logits) {
    active units[SLT_SKILL_HIDDEN];
    float g[SLT_SKILL_HIDDEN];
    think(packed, units, find_active(packed, sums->of, units), g);
    choose(packed, g, (size_t)first, (size_t)count, logits);
}
SLT_WIDE(decide,
         (const slt_skill_packed *packed, const slt_skill_sums *sums, int first, int count,
          float *logits),
         (packed, sums, first, count, logits));

void slt_skill_decide(const slt_skill_packed *packed, const slt_skill_sums *sums, int first,
                      int count, float *logits) {
    SLT_WIDEST(decide)(packed, sums, first, count, logits);
}
