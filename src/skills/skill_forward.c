// One observation after another through the network of skills.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include "skills/skill_forward.h"

#include <math.h>
#include <string.h>
#ifdef __aarch64__
#include <arm_neon.h>
#endif
#include "engine/wide.h"
#include "skills/flag_bits.h"

enum { SEE, SEE_BIAS, THINK, THINK_BIAS, CHOOSE, CHOOSE_BIAS };

// Columns at a time: their sums stay in registers while rows go by.
#ifdef __x86_64__
enum { LANES = 8 };
#else
enum { LANES = 4 };
#endif
// a sum of a bias and of 2^15 weights does not overflow; no view has as many ones
#define MOST_WEIGHT 32767.0
#define MOST_BIAS   1073741823.0
enum { CHUNK = SLT_FLAGS, STRIDE = 4, MOST_VECTORS = 4, LINE = 64 / sizeof(int16_t) };
_Static_assert(SLT_SKILL_HIDDEN % CHUNK == 0, "padding fits");
_Static_assert(SLT_SKILL_HEAD % LANES == 0, "padding fits");
typedef float reals __attribute__((vector_size(LANES * 4), aligned(4), may_alias));
typedef float stride __attribute__((vector_size(STRIDE * 4), aligned(4), may_alias));
typedef int32_t whole __attribute__((vector_size(LANES * 4), aligned(4), may_alias));
typedef uint32_t bits __attribute__((vector_size(LANES * 4)));

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

// of a column: the finest power of two that its weights are less than 2^15 times of, and its bias
// less than 2^30 times
static float unit_of(const slt_skill_net *net, int column) {
    size_t hidden = (size_t)net->shape.hidden;
    float most = fabsf(net->part[SEE_BIAS][column]) * 0x1p-15f;
    int exponent;
    for (int i = 0; i < net->shape.inputs; i++)
        most = fmaxf(most, fabsf(net->part[SEE][(size_t)i * hidden + (size_t)column]));
    frexpf(most, &exponent);
    return ldexpf(1, exponent < -111 ? -126 : exponent - 15);
}

static int32_t quantise(float weight, float unit, double most) {
    return (int32_t)fmin(fmax(rint((double)weight / (double)unit), -most), most);
}

void slt_skill_net_round(slt_skill_net *net) {
    size_t hidden = (size_t)net->shape.hidden;
    for (size_t k = 0; k < hidden; k++) {
        float unit = unit_of(net, (int)k), *bias = &net->part[SEE_BIAS][k];
        for (size_t i = 0; i < (size_t)net->shape.inputs; i++) {
            float *weight = &net->part[SEE][i * hidden + k];
            *weight = (float)quantise(*weight, unit, MOST_WEIGHT) * unit;
        }
        *bias = (float)quantise(*bias, unit, MOST_BIAS) * unit;
    }
}

// where a column stands in its row: on ARM there are additions of short numbers to long ones,
// elsewhere two vectors are interleaved, and shifts take them apart
static size_t place_of(size_t column) {
#ifdef __aarch64__
    return column;
#else
    size_t in_pair = column % (2 * LANES);
    return column - in_pair + in_pair % LANES * 2 + in_pair / LANES;
#endif
}

static slt_status pack_see(slt_skill_packed *p, slt_arena *arena, const slt_skill_net *net) {
    size_t rows = (size_t)net->shape.inputs, columns = (size_t)net->shape.hidden;
    SLT_TRY(SLT_NEW(arena, &p->see, rows * p->hidden));
    SLT_TRY(SLT_NEW(arena, &p->see_bias, p->hidden));
    SLT_TRY(SLT_NEW(arena, &p->unit, p->hidden));
    for (size_t k = 0; k < columns; k++) {
        float unit = p->unit[k] = unit_of(net, (int)k);
        for (size_t i = 0; i < rows; i++)
            p->see[i * p->hidden + place_of(k)] =
                (int16_t)quantise(net->part[SEE][i * columns + k], unit, MOST_WEIGHT);
        p->see_bias[k] = quantise(net->part[SEE_BIAS][k], unit, MOST_BIAS);
    }
    return SLT_OK;
}

// columns of a head stand together
static slt_status pack_heads(slt_skill_packed *p, slt_arena *arena, const slt_skill_net *net,
                             int head) {
    int outputs = net->shape.outputs;
    size_t heads = (size_t)(outputs / head);
    p->head = padded(head, LANES);
    SLT_TRY(SLT_NEW(arena, &p->choose, heads * p->hidden * p->head));
    SLT_TRY(SLT_NEW(arena, &p->choose_bias, heads * p->head));
    for (int o = 0; o < outputs; o++) {
        size_t first = (size_t)(o / head) * p->head, column = (size_t)(o % head);
        p->choose_bias[first + column] = net->part[CHOOSE_BIAS][o];
        for (int k = 0; k < net->shape.hidden; k++)
            p->choose[first * p->hidden + (size_t)k * p->head + column] =
                net->part[CHOOSE][k * outputs + o];
    }
    return SLT_OK;
}

slt_status slt_skill_pack(slt_skill_packed *packed, slt_arena *arena, const slt_skill_net *net,
                          int head) {
    size_t hidden = padded(net->shape.hidden, CHUNK);
    slt_skill_packed *p = packed;
    *p = (slt_skill_packed){.shape = net->shape, .hidden = hidden};
    for (int byte = 0; byte < 256; byte++)
        for (int bit = 0; bit < 8; bit++)
            if (byte >> bit & 1) p->places[byte][p->ones[byte]++] = (uint8_t)bit;
    SLT_TRY(pack_see(p, arena, net));
    SLT_TRY(copy(arena, net, THINK, hidden, hidden, &p->think));
    SLT_TRY(copy(arena, net, THINK_BIAS, 1, hidden, &p->think_bias));
    return pack_heads(p, arena, net, head);
}

// ---- the first layer

void slt_skill_sums_begin(const slt_skill_packed *packed, slt_skill_sums *sums) {
    memcpy(sums->of, packed->see_bias, packed->hidden * sizeof *sums->of);
}

// two vectors of sums, and as many weights
static inline void add_weights(whole *sum, const int16_t *weights, bool comes) {
#ifdef __aarch64__
    int16x8_t pair = vld1q_s16(weights);
    sum[0] = (whole)(comes ? vaddw_s16((int32x4_t)sum[0], vget_low_s16(pair))
                           : vsubw_s16((int32x4_t)sum[0], vget_low_s16(pair)));
    sum[1] = (whole)(comes ? vaddw_high_s16((int32x4_t)sum[1], pair)
                           : vsubw_high_s16((int32x4_t)sum[1], pair));
#else
    whole pair = *(const whole *)weights, high = pair >> 16, low = (whole)((bits)pair << 16) >> 16;
    sum[0] = comes ? sum[0] + low : sum[0] - low;
    sum[1] = comes ? sum[1] + high : sum[1] - high;
#endif
}

// The next row's place is known before this row is read, or its loads would wait for it; compilers
// would put it after them.
#define KNOW(place) __asm__("" : "+r"(place))

// columns from k on
static inline __attribute__((always_inline)) void add_rows(const slt_skill_packed *packed, size_t k,
                                                           const uint16_t *ones, int64_t count,
                                                           bool comes, whole *sum) {
    const int16_t *see = packed->see + k, *next = see + (count ? ones[0] * packed->hidden : 0);
    for (int64_t i = 0; i < count; i++) {
        const int16_t *row = next;
        next = see + ones[i + 1 < count ? i + 1 : 0] * packed->hidden;
        KNOW(next);
        // rows are many more than what is near
        const int16_t *later = see + ones[i + 4 < count ? i + 4 : 0] * packed->hidden;
        for (int at = 0; at < CHUNK; at += LINE) __builtin_prefetch(later + at);
        for (int v = 0; v < CHUNK / LANES; v += 2) add_weights(sum + v, row + v * LANES, comes);
    }
}

static void change(const slt_skill_packed *packed, const uint16_t *came, int64_t came_count,
                   const uint16_t *went, int64_t went_count, slt_skill_sums *sums) {
    for (size_t k = 0; k < packed->hidden; k += CHUNK) {
        whole sum[CHUNK / LANES], *at = (whole *)(sums->of + k);
        for (int v = 0; v < CHUNK / LANES; v++) sum[v] = at[v];
        add_rows(packed, k, came, came_count, true, sum);
        add_rows(packed, k, went, went_count, false, sum);
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

// h = s, and which of them are above 0; returns how many. After these comes any one
static int find_active(const slt_skill_packed *packed, const int32_t *sums, float *h,
                       uint8_t *active) {
    uint64_t above[SLT_SKILL_HIDDEN / CHUNK];
    int count = 0;
    for (size_t first = 0; first < packed->hidden; first += CHUNK) {
        uint8_t flags[SLT_FLAGS];
        for (size_t k = 0; k < CHUNK; k++) flags[k] = (uint8_t) - (sums[first + k] > 0);
        for (size_t k = first; k < first + CHUNK; k++) h[k] = (float)sums[k] * packed->unit[k];
        above[first / CHUNK] = slt_flag_bits(flags);
    }
    // eight at a time, more than there are: how many they are cannot be predicted
    for (size_t k = 0; k < packed->hidden; k += 8) {
        size_t byte = above[k / CHUNK] >> k % CHUNK & 255;
        uint64_t places;
        memcpy(&places, packed->places[byte], 8);
        places += k * UINT64_C(0x0101010101010101);
        memcpy(active + count, &places, 8);
        count += packed->ones[byte];
    }
    return count;
}

// g = relu(h·V + d)
static void think(const slt_skill_packed *packed, const float *h, const uint8_t *active, int count,
                  float *g) {
    size_t hidden = packed->hidden;
    for (size_t k = 0; k < hidden; k += CHUNK) {
        const float *weights = packed->think + k;
        const reals *bias = (const reals *)(packed->think_bias + k);
        reals sum[CHUNK / LANES];
        for (int v = 0; v < CHUNK / LANES; v++) sum[v] = bias[v];
        const float *next = weights + active[0] * hidden, *next_h = h + active[0];
        for (int i = 1; i <= count; i++) {
            const reals *row = (const reals *)next;
            float weight = *next_h;
            next = weights + active[i] * hidden;
            next_h = h + active[i];
            KNOW(next);
            KNOW(next_h);
            for (int v = 0; v < CHUNK / LANES; v += 2) {
                reals one = row[v], two = row[v + 1];
                sum[v] += weight * one;
                sum[v + 1] += weight * two;
            }
        }
        for (int v = 0; v < CHUNK / LANES; v++)
            ((reals *)(g + k))[v] = (reals)((whole)sum[v] & (sum[v] > 0));
    }
}

// `vectors` of outputs, a number known when compiled; a sum of every fourth unit, for one sum waits
// for its last addition
static inline __attribute__((always_inline)) void choose_vectors(const float *g, size_t hidden,
                                                                 const float *weights, size_t width,
                                                                 const float *bias, int vectors,
                                                                 float *logits) {
    reals sum[STRIDE][MOST_VECTORS];
    for (int v = 0; v < vectors; v++) sum[0][v] = ((const reals *)bias)[v];
    for (int s = 1; s < STRIDE; s++)
        for (int v = 0; v < vectors; v++) sum[s][v] = (reals){0};
    for (size_t k = 0; k < hidden; k += STRIDE) {
        stride at = *(const stride *)(g + k);
        for (size_t s = 0; s < STRIDE; s++)
            for (int v = 0; v < vectors; v++)
                sum[s][v] += at[s] * ((const reals *)(weights + (k + s) * width))[v];
    }
    for (int v = 0; v < vectors; v++)
        ((reals *)logits)[v] = (sum[0][v] + sum[1][v]) + (sum[2][v] + sum[3][v]);
}

// logits = g·P + p of a head
static void choose(const slt_skill_packed *packed, const float *g, int head, float *logits) {
    size_t hidden = packed->hidden, width = packed->head;
    const float *weights = packed->choose + (size_t)head * hidden * width;
    const float *bias = packed->choose_bias + (size_t)head * width;
    for (size_t o = 0; o < width; o += MOST_VECTORS * LANES) {
        size_t left = (width - o) / LANES;
        const float *from = weights + o, *p = bias + o;
        if (left == 1)
            choose_vectors(g, hidden, from, width, p, 1, logits + o);
        else if (left == 2)
            choose_vectors(g, hidden, from, width, p, 2, logits + o);
        else if (left == 3)
            choose_vectors(g, hidden, from, width, p, 3, logits + o);
        else
            choose_vectors(g, hidden, from, width, p, MOST_VECTORS, logits + o);
    }
}

static void decide(const slt_skill_packed *packed, const slt_skill_sums *sums, int head,
                   float *logits) {
    uint8_t active[SLT_SKILL_HIDDEN + 8];
    float h[SLT_SKILL_HIDDEN], g[SLT_SKILL_HIDDEN];
    int count = find_active(packed, sums->of, h, active);
    think(packed, h, active, count, g);
    choose(packed, g, head, logits);
}
SLT_WIDE(decide,
         (const slt_skill_packed *packed, const slt_skill_sums *sums, int head, float *logits),
         (packed, sums, head, logits));

void slt_skill_decide(const slt_skill_packed *packed, const slt_skill_sums *sums, int head,
                      float *logits) {
    SLT_WIDEST(decide)(packed, sums, head, logits);
}
