// The rows' half of a Transformer layer, forward: a block takes 64 rows from attention's output to
// the second norm. Rows stay in registers; weights come through shared memory in pieces of 32 KB,
// three of each group of warps on their way or at work. What backward reads is written on the way.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include "cuda/large_block.cuh"
#include "cuda/layer_group.cuh"

static_assert(sizeof(slt_layer_run) <= 4096, "a kernel takes so many bytes of arguments");

enum { WIDTH = SLT_LAYER_WIDTH, EIGHTS = SLT_LAYER_EIGHTS, HALF = SLT_LAYER_HALF };
enum { ROWS = SLT_LAYER_ROWS, THREADS = SLT_LAYER_THREADS, PIECE = SLT_LAYER_PIECE };
// small parameters in shared memory
enum { C, GAMMA1, BETA1, C2, GAMMA2, BETA2, C1, SMALL = C1 * WIDTH + SLT_LAYER_MOST };
enum { RING = SLT_LAYER_GATES * PIECE };
enum { BYTES = (RING + 2 * SLT_LAYER_SWAP + SMALL) * 4 + SLT_GROUP_ALIGN };

// ---- weights as products want them

// a piece: number k of column n is at w[first + k·down + n·along]
typedef struct {
    const float *w;
    int first, down, along, columns;
} piece_source;

SLT_DEVICE_INLINE piece_source source_of(const slt_layer_weights &p, int group, int piece) {
    int middle = ((piece - 1) / 2 * SLT_LAYER_GROUPS + group) * 64;
    piece_source o = {slt_at(p.o), group * 64 * WIDTH, WIDTH, 1, WIDTH};
    piece_source w1 = {slt_at(p.w1), middle, p.wide, 1, 64};
    piece_source w2 = {slt_at(p.w2), middle * WIDTH, WIDTH, 1, WIDTH};
    return piece == 0 ? o : piece % 2 ? w1 : w2;
}

SLT_KERNEL lay(const __grid_constant__ slt_layer_weights p) {
    slt_begin();
    int group = (int)blockIdx.y, piece = (int)blockIdx.x / (PIECE / (4 * SLT_THREADS));
    piece_source from = source_of(p, group, piece);
    float *to = slt_at(p.laid) + (int64_t)(group * slt_layer_pieces(p.wide) + piece) * PIECE;
    int first = (int)blockIdx.x % (PIECE / (4 * SLT_THREADS)) * 4 * SLT_THREADS;
#pragma unroll
    for (int i = 0; i < 4; i++) {
        int at = first + i * SLT_THREADS + (int)threadIdx.x;
        int k = at / from.columns, n = at % from.columns;
        to[slt_layer_place(slt_layer_number(k), n, from.columns)] =
            slt_tf32(from.w[from.first + k * from.down + n * from.along]);
    }
}

// ---- forward

// what a thread has at hand
typedef struct {
    slt_layer_spot at;
    slt_layer_ring ring;
    float *small;
    float2 *swap;
} layer_bench;

SLT_DEVICE_INLINE void bring_small(const slt_layer_run &p, float *small) {
    const slt_cuda_view from[] = {p.c,  p.norm[0].gamma, p.norm[0].beta,
                                  p.c2, p.norm[1].gamma, p.norm[1].beta};
#pragma unroll
    for (int i = 0; i < C1; i++)
        if (threadIdx.x < WIDTH) small[i * WIDTH + threadIdx.x] = slt_at(from[i])[threadIdx.x];
    for (int i = (int)threadIdx.x; i < p.wide; i += THREADS)
        small[C1 * WIDTH + i] = slt_at(p.c1)[i];
}

// pairs of a small parameter
SLT_DEVICE_INLINE float2 small_of(const layer_bench &b, int which, int j) {
    return slt_pairs(b.small + which * WIDTH)[4 * j + b.at.t];
}

// the group's half of attention's rows
SLT_DEVICE_INLINE void take_mixed(const slt_layer_run &p, const layer_bench &b, float (*a)[4]) {
    const float *mixed = slt_at(p.mixed) + b.at.group * (WIDTH / 2);
    const float *upper = mixed + (int64_t)slt_least(b.at.upper, p.rows - 1) * WIDTH;
    const float *lower = mixed + (int64_t)slt_least(b.at.upper + 8, p.rows - 1) * WIDTH;
#pragma unroll
    for (int j = 0; j < HALF; j++) {
        float2 x = slt_pairs(upper)[4 * j + b.at.t], y = slt_pairs(lower)[4 * j + b.at.t];
        a[j][0] = slt_rounded(x.x), a[j][1] = slt_rounded(y.x);
        a[j][2] = slt_rounded(x.y), a[j][3] = slt_rounded(y.y);
    }
}

// own + what is in another row + a bias
SLT_DEVICE_INLINE void add_row(const layer_bench &b, float2 *own, const float2 *row, int bias) {
#pragma unroll
    for (int j = 0; j < EIGHTS; j++) {
        float2 c = small_of(b, bias, j);
        own[j].x += c.x + row[j].x, own[j].y += c.y + row[j].y;
    }
}

// own = x̂; the result: 1/τ. Rows that the batch does not have are zero
SLT_DEVICE_INLINE float centre(float2 *own, bool there, float epsilon) {
    float sum = 0, square = 0;
#pragma unroll
    for (int j = 0; j < EIGHTS; j++) {
        if (!there) own[j].x = own[j].y = 0;
        sum += own[j].x + own[j].y;
    }
    float mean = slt_layer_sum(sum) / WIDTH;
#pragma unroll
    for (int j = 0; j < EIGHTS; j++) {
        own[j].x -= mean, own[j].y -= mean;
        square += own[j].x * own[j].x + own[j].y * own[j].y;
    }
    float factor = 1 / sqrtf(slt_layer_sum(square) / WIDTH + epsilon);
#pragma unroll
    for (int j = 0; j < EIGHTS; j++) own[j].x *= factor, own[j].y *= factor;
    return factor;
}

// own = LN(own), with all that the norm writes
SLT_DEVICE_INLINE void take_norm(const slt_layer_run &p, const layer_bench &b,
                                 const slt_layer_norm &norm, float2 *own, int gamma, bool there) {
    int64_t at = (int64_t)b.at.own * WIDTH;
    bool inside = b.at.own < p.rows;
    float factor = centre(own, there, norm.epsilon);
    if (inside && p.keep && b.at.t == 0) slt_at(norm.factor)[b.at.own] = factor;
    if (inside && p.keep) slt_layer_store(slt_at(norm.hat) + at, own, b.at.t);
#pragma unroll
    for (int j = 0; j < EIGHTS; j++) {
        float2 scale = small_of(b, gamma, j), shift = small_of(b, gamma + 1, j);
        own[j].x = there ? scale.x * own[j].x + shift.x : 0;
        own[j].y = there ? scale.y * own[j].y + shift.y : 0;
    }
    if (inside) slt_layer_store(slt_at(norm.y) + at, own, b.at.t);
}

// h = relu(h + c1) as factors of the next product, 64 columns from `column` on; the result: signs
SLT_DEVICE_INLINE uint32_t open_middle(const slt_layer_run &p, const layer_bench &b, float (*h)[4],
                                       int column) {
    float *upper = slt_at(p.middle) + (int64_t)b.at.upper * p.wide + column;
    bool keep[2] = {p.keep && b.at.upper < p.rows, p.keep && b.at.upper + 8 < p.rows};
    const float2 *bias = slt_pairs(b.small + C1 * WIDTH + column);
    uint32_t signs = 0;
#pragma unroll
    for (int j = 0; j < HALF; j++) {
        float2 c = bias[4 * j + b.at.t];
        float *x = h[j];
#pragma unroll
        for (int i = 0; i < 2; i++) {
            float2 y = {fmaxf(x[2 * i] + c.x, 0), fmaxf(x[2 * i + 1] + c.y, 0)};
            signs |= (uint32_t)((y.x > 0) + 2 * (y.y > 0)) << (4 * j + 2 * i);
            if (keep[i]) slt_pairs(upper + (int64_t)8 * i * p.wide)[4 * j + b.at.t] = y;
            x[2 * i] = slt_rounded(y.x), x[2 * i + 1] = slt_rounded(y.y);
        }
        float second = x[1];
        x[1] = x[2], x[2] = second; // (upper, lower) of the first column, then of the second
    }
    return signs;
}

// the signs of 64 columns of the block's rows: a word of every lane, as stream_product.cu has them
SLT_DEVICE_INLINE void put_signs(const slt_layer_run &p, const layer_bench &b, int part,
                                 uint32_t signs) {
    uint32_t *to = (uint32_t *)slt_at(p.signs);
    int64_t tile = (int64_t)blockIdx.x * (p.wide / WIDTH) + part;
    to[(tile * SLT_GROUP + b.at.thread) * 2 + b.at.group] = signs;
}

// z = relu(y·W1 + c1)·W2, the group's part of the middle
SLT_DEVICE_INLINE void take_mlp(const slt_layer_run &p, layer_bench &b, float (*y)[4],
                                float (*z)[4]) {
#pragma unroll 1
    for (int part = 0; part < p.wide / WIDTH; part++) {
        float h[HALF][4];
        slt_layer_deep(h, y, slt_ring_take(b.ring));
        slt_ring_next(b.ring);
        uint32_t signs = open_middle(p, b, h, part * WIDTH + b.at.group * 64);
        if (p.keep) put_signs(p, b, part, signs);
        slt_layer_wide(z, h, slt_ring_take(b.ring), part == 0);
        slt_ring_next(b.ring);
    }
}

SLT_DEVICE_INLINE void take_layer(const slt_layer_run &p, layer_bench &b) {
    float z[EIGHTS][4], a[EIGHTS][4];
    float2 own[EIGHTS], row[EIGHTS];
    int count = slt_count(p.batch, p.batch.in_space[0], p.rows);
    bool there = b.at.own < count;
    int64_t at = (int64_t)slt_least(b.at.own, p.rows - 1) * WIDTH;
    take_mixed(p, b, a);
    slt_layer_load(row, slt_at(p.x) + at, b.at.t);
    slt_layer_wide(z, a, slt_ring_take(b.ring), 1);
    slt_ring_next(b.ring);
    slt_layer_gather(own, z, b.swap);
    add_row(b, own, row, C);
    take_norm(p, b, p.norm[0], own, GAMMA1, there);
    slt_layer_share(a, own, b.swap);
    take_mlp(p, b, a, z);
    slt_let_next();
    slt_layer_load(own, slt_at(p.norm[0].y) + at, b.at.t);
    slt_layer_gather(row, z, b.swap);
    add_row(b, own, row, C2);
    take_norm(p, b, p.norm[1], own, GAMMA2, there);
}

SLT_KERNEL __launch_bounds__(THREADS, 1) forward(const __grid_constant__ slt_layer_run p) {
    SLT_DYNAMIC_SHARED(memory);
    alignas(8) __shared__ uint64_t gates[SLT_LAYER_GATES];
    float *stages = slt_group_begin(memory);
    layer_bench b;
    b.at = slt_layer_here();
    b.swap = (float2 *)(stages + RING);
    b.small = stages + RING + 2 * SLT_LAYER_SWAP;
    // nobody but Adam writes parameters, and who laid weights has ended before this one began
    b.ring = slt_ring_open(stages, gates, slt_at(p.laid), slt_layer_pieces(p.wide));
    bring_small(p, b.small);
    slt_wait_for_last();
    __syncthreads();
    take_layer(p, b);
}

// ---- launches

bool slt_cuda_layer_fits(void) {
#ifdef SLT_EMULATED
    return true;
#else
    return slt_shared_room() >= BYTES;
#endif
}

void slt_cuda_layer_lay(const slt_layer_weights *p) {
    int pieces = slt_layer_pieces(p->wide);
    dim3 grid((unsigned)(pieces * (PIECE / (4 * SLT_THREADS))), SLT_LAYER_GROUPS,
              (unsigned)p->members);
    SLT_LAUNCH(p, lay, grid, SLT_THREADS, 0);
}

void slt_cuda_layer_forward(const slt_layer_run *run) {
    dim3 grid = slt_grid(&run->batch, run->rows, ROWS);
    SLT_LAUNCH_LARGE(run, forward, grid, THREADS, BYTES);
}
