// Sums over the rows of every member for the closed-form steps: equations of the laws' regressions,
// products of neighbouring residuals, squares. Blocks make the sums of chunks; these are added in
// order.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include "cuda/chains/chain_view.cuh"

enum { EACH = 8, TILE = SLT_THREADS * EACH, BATCH = 16 }; // a block's sums; rows in shared memory

// rows of a regression: S has two kinds, starts and differences
typedef enum { ROWS_STAY, ROWS_FRESH, ROWS_START, ROWS_DIFFERENCE } row_kind;

// ---- sums of chunks in order

SLT_KERNEL reduce(const slt_chain_args a, int64_t width, int each) {
    slt_begin();
    int m = (int)blockIdx.z, k = (int)blockIdx.y;
    int64_t n = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    const slt_chain_law *law = a.law + m;
    if (law->idle || n >= width) return;
    const double *part = a.part + ((int64_t)m * gridDim.y + k) * a.chunks * width + n;
    int chunks = (law->rows + SLT_CHAIN_CHUNK - 1) / SLT_CHAIN_CHUNK;
    double sum = 0;
    for (int c = 0; c < chunks; c++) sum += part[c * width];
    a.sums[((int64_t)m * each + k) * width + n] = sum;
}

static void add_chunks(const slt_chain_args *args, int64_t width, int from, int each) {
    dim3 grid((unsigned)slt_pieces(width, SLT_THREADS), (unsigned)from, (unsigned)args->count);
    SLT_LAUNCH(args, reduce, grid, SLT_THREADS, 0, width, each);
}

// ---- equations

SLT_DEVICE_INLINE float weight_of(const slt_chain_args &a, int m, const slt_chain_law *law, int k,
                                  row_kind kind, int64_t row) {
    int64_t at = slt_chain_row(a, m, row, law->K) + k;
    float w = kind == ROWS_STAY || kind == ROWS_DIFFERENCE ? a.stay[at] : a.fresh[at];
    return w >= SLT_CHAIN_LEAST ? w : 0;
}

// the action that a regression without limits would have to give (linear_fit.c)
SLT_DEVICE_INLINE float unlimited(float action, float residual, float low, float high) {
    float x = action - residual, beyond = x > high ? x - high : x < low ? x - low : 0;
    return action + 19 * beyond;
}

// number c of a row: inputs, then targets
SLT_DEVICE_INLINE float row_number(const slt_chain_args &a, int m, const slt_chain_law *law, int k,
                                   row_kind kind, int64_t row, int c, int X) {
    bool first;
    int A = a.A, D = a.D;
    int64_t step = slt_chain_step(a, m, row, &first);
    const float *features = a.features + step * D, *action = a.actions + step * A;
    const double *rho = slt_chain_numbers_of(a, m) + 2 * SLT_CHAIN_LAWS * A;
    if (c < D)
        return kind == ROWS_DIFFERENCE ? features[c] - (float)law->rho * features[c - D]
                                       : features[c];
    if (c < X) return first ? action[c - D] : action[c - D - A];
    int i = c - X;
    if (kind == ROWS_START) return action[i];
    if (kind == ROWS_DIFFERENCE) return action[i] - (float)rho[i] * action[i - A];
    const float *residual = kind == ROWS_STAY ? a.r_stay : a.r_fresh;
    return unlimited(action[i], residual[(slt_chain_row(a, m, row, law->K) + k) * A + i],
                     (float)rho[A + i], (float)rho[2 * A + i]);
}

// rows of a block's share that count, in order; gives how many
SLT_DEVICE_INLINE int gather(const slt_chain_args &a, int m, const slt_chain_law *law, int k,
                             row_kind kind, int64_t base, int64_t end, int *list) {
    __shared__ int scan[SLT_THREADS];
    int64_t row = base + threadIdx.x;
    int t = (int)threadIdx.x, counts = row < end && weight_of(a, m, law, k, kind, row) > 0;
    __syncthreads();
    scan[t] = counts;
    __syncthreads();
    for (int d = 1; d < SLT_THREADS; d *= 2) {
        int more = t >= d ? scan[t - d] : 0;
        __syncthreads();
        scan[t] += more;
        __syncthreads();
    }
    if (counts) list[scan[t] - 1] = (int)threadIdx.x;
    __syncthreads();
    return scan[SLT_THREADS - 1];
}

// which two numbers of a row sum n multiplies
SLT_DEVICE_INLINE void factors(int64_t n, int X, int A, int *left, int *right) {
    int64_t triangle = (int64_t)X * (X + 1) / 2;
    *left = *right = -1;
    if (n >= triangle + (int64_t)X * A) return;
    if (n >= triangle) {
        *left = (int)((n - triangle) / A);
        *right = X + (int)((n - triangle) % A);
        return;
    }
    int64_t i = (int64_t)((sqrt(8. * (double)n + 1) - 1) / 2);
    while ((i + 1) * (i + 2) / 2 <= n) i++;
    while (i * (i + 1) / 2 > n) i--;
    *left = (int)i;
    *right = (int)(n - i * (i + 1) / 2);
}

SLT_DEVICE_INLINE void add_rows(const slt_chain_args &a, int m, const slt_chain_law *law, int k,
                                row_kind kind, int X, float *z, const int *left, const int *right,
                                double *sum) {
    __shared__ int list[SLT_THREADS];
    __shared__ double weight[BATCH];
    int width = X + a.A;
    int64_t base = (int64_t)blockIdx.x * SLT_CHAIN_CHUNK, end = base + SLT_CHAIN_CHUNK;
    double over = kind == ROWS_START        ? law->weight_u[k]
                  : kind == ROWS_DIFFERENCE ? law->weight_v[k]
                                            : 1;
    if (end > law->rows) end = law->rows;
    for (; base < end; base += SLT_THREADS) {
        int count = gather(a, m, law, k, kind, base, end, list);
        for (int b = 0; b < count; b += BATCH) {
            for (int n = (int)threadIdx.x; n < BATCH * width; n += SLT_THREADS) {
                int r = n / width, c = n % width;
                bool there = b + r < count;
                int64_t row = there ? base + list[b + r] : base;
                z[n] = there ? row_number(a, m, law, k, kind, row, c, X) : 0;
                if (c == 0) weight[r] = there ? over * weight_of(a, m, law, k, kind, row) : 0;
            }
            __syncthreads();
            for (int r = 0; r < BATCH; r++)
                for (int e = 0; e < EACH; e++)
                    if (left[e] >= 0)
                        sum[e] += weight[r] * z[r * width + left[e]] * z[r * width + right[e]];
            __syncthreads();
        }
    }
}

// a block per chunk (x), law and tile of sums (y), member (z)
SLT_KERNEL equations(const slt_chain_args a, slt_chain_rows rows, int64_t room) {
    slt_begin();
    SLT_DYNAMIC_SHARED(z);
    int m = (int)blockIdx.z, k = (int)blockIdx.y % a.most, tile = (int)blockIdx.y / a.most;
    const slt_chain_law *law = a.law + m;
    bool smooth = law->family == SLT_CHAIN_SMOOTH, fresh = rows == SLT_SUM_FRESH;
    if (law->idle || k >= law->K || (fresh && law->family != SLT_CHAIN_BOTH)) return;
    if ((int64_t)blockIdx.x * SLT_CHAIN_CHUNK >= law->rows) return;
    int X = fresh || smooth ? a.D : a.D + a.A, left[EACH], right[EACH];
    int64_t first = (int64_t)tile * TILE + threadIdx.x;
    double sum[EACH];
    for (int e = 0; e < EACH; e++) {
        factors(first + e * SLT_THREADS, X, a.A, &left[e], &right[e]);
        sum[e] = 0;
    }
    if (!smooth)
        add_rows(a, m, law, k, fresh ? ROWS_FRESH : ROWS_STAY, X, z, left, right, sum);
    else
        for (int kind = ROWS_START; kind <= ROWS_DIFFERENCE; kind++)
            add_rows(a, m, law, k, (row_kind)kind, X, z, left, right, sum);
    double *out = a.part + (((int64_t)m * a.most + k) * a.chunks + blockIdx.x) * room + first;
    for (int e = 0; e < EACH; e++)
        if (left[e] >= 0) out[e * SLT_THREADS] = sum[e];
}

extern "C" void slt_cuda_chain_equations(const slt_chain_args *args, slt_chain_rows rows) {
    int X = rows == SLT_SUM_FRESH ? args->D : args->D + args->A;
    int64_t room = (int64_t)slt_chain_equations(X, args->A);
    int tiles = slt_pieces(room, TILE);
    dim3 grid((unsigned)args->chunks, (unsigned)(args->most * tiles), (unsigned)args->count);
    size_t bytes = sizeof(float) * BATCH * (size_t)(X + args->A);
    SLT_LAUNCH(args, equations, grid, SLT_THREADS, bytes, rows, room);
    add_chunks(args, room, args->most, SLT_CHAIN_LAWS);
}

// ---- residuals: a thread per law and number of the action walks the rows of a chunk

SLT_KERNEL chunk_memory(const slt_chain_args a) {
    slt_begin();
    int m = (int)blockIdx.z, A = a.A;
    const slt_chain_law *law = a.law + m;
    int K = law->K, KA = K * A;
    int64_t begin = (int64_t)blockIdx.x * SLT_CHAIN_CHUNK, end = begin + SLT_CHAIN_CHUNK;
    double *out = a.part + ((int64_t)m * a.chunks + blockIdx.x) * 2 * SLT_CHAIN_LAWS * A;
    if (law->idle) return;
    if (end > law->rows) end = law->rows;
    for (int c = (int)threadIdx.x; c < KA; c += (int)blockDim.x) {
        double both = 0, square = 0;
        for (int64_t row = begin; row < end && law->family == SLT_CHAIN_SMOOTH; row++) {
            int64_t at = slt_chain_row(a, m, row, K);
            double w = a.stay[at + c / A];
            if (w < (double)SLT_CHAIN_LEAST) continue;
            const float *r = a.r_stay + at * A + c;
            both += w * r[0] * r[-KA];
            square += w * r[-KA] * r[-KA];
        }
        out[2 * c] = both;
        out[2 * c + 1] = square;
    }
}

SLT_KERNEL chunk_spread(const slt_chain_args a) {
    slt_begin();
    int m = (int)blockIdx.z, A = a.A;
    const slt_chain_law *law = a.law + m;
    int K = law->K, KA = K * A;
    const double *rho = slt_chain_numbers_of(a, m) + 2 * SLT_CHAIN_LAWS * A;
    const float *fresh = law->family == SLT_CHAIN_BOTH ? a.r_fresh : a.r_stay;
    int64_t begin = (int64_t)blockIdx.x * SLT_CHAIN_CHUNK, end = begin + SLT_CHAIN_CHUNK;
    double *out = a.part + ((int64_t)m * a.chunks + blockIdx.x) * 4 * SLT_CHAIN_LAWS * A;
    if (law->idle) return;
    if (end > law->rows) end = law->rows;
    for (int c = (int)threadIdx.x; c < KA; c += (int)blockDim.x) {
        double v = 0, u = 0, wv = 0, wu = 0;
        for (int64_t row = begin; row < end; row++) {
            int64_t at = slt_chain_row(a, m, row, K);
            double s = a.stay[at + c / A], w = a.fresh[at + c / A];
            wv += s;
            wu += w;
            if (s >= (double)SLT_CHAIN_LEAST) {
                const float *r = a.r_stay + at * A + c;
                double x = law->family == SLT_CHAIN_SMOOTH ? r[0] - rho[c % A] * r[-KA] : r[0];
                v += s * x * x;
            }
            if (w >= (double)SLT_CHAIN_LEAST) {
                double x = fresh[at * A + c];
                u += w * x * x;
            }
        }
        out[4 * c] = v;
        out[4 * c + 1] = u;
        out[4 * c + 2] = wv;
        out[4 * c + 3] = wu;
    }
}

extern "C" void slt_cuda_chain_memory(const slt_chain_args *args) {
    dim3 grid((unsigned)args->chunks, 1, (unsigned)args->count);
    SLT_LAUNCH(args, chunk_memory, grid, 64, 0);
    add_chunks(args, (int64_t)2 * SLT_CHAIN_LAWS * args->A, 1, 1);
}
extern "C" void slt_cuda_chain_spread(const slt_chain_args *args) {
    dim3 grid((unsigned)args->chunks, 1, (unsigned)args->count);
    SLT_LAUNCH(args, chunk_spread, grid, 64, 0);
    add_chunks(args, (int64_t)4 * SLT_CHAIN_LAWS * args->A, 1, 1);
}
