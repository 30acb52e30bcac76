// Attention of rows that are sums of one of a slot and one of a position (slot_rows.h), in bf16, of
// trajectories of at most 80 steps. What a row of scores has in common does not show in its
// shares, so of
//     (q_s + q_i)·(k_s + k_j) = q_i·k_j + q_s·k_j + (q_s + q_i)·k_s
// the first two are left: products of positions, which are the same for all sequences, and a number
// of every slot and position. Nor do values of slots change ds. A block has a head: tiles of
// positions and their scores, and walks over sequences. For each there is one product, forward with
// the values of positions, and two backward: do·v_j, and the sum for v_j. What else is for slots is
// of up to 64 sequences at once, what is for positions of all of them:
//     o_i = Σ_j p_ij v_j + v_s       dv_s = Σ_i do_i        dv_j = Σ_s Σ_i p_ij do_i
//     du_j = Σ_i ds_ij               dq_s = Σ_j du_j k_j    dk_s = 0
//     dA_ij = Σ_s ds_ij              dq_i = Σ_j dA_ij k_j   dk_j = Σ_i dA_ij q_i + Σ_s du_j q_s
//
// Rows of sequences of two tiles are made in memory, and so are their gradients.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include "cuda/fused/slot_rows/summed_tiles.cuh"

// a sequence of two tiles takes about as long as so many of one
enum { LONG_COST = 10 };

// of a multiprocessor
template <int SIZE> struct blocks_of {
    enum { FORWARD = SIZE == 32 ? 4 : 3, BACKWARD = 2 };
};

// ---- forward

// a sequence; vs: the slot's values
template <int SIZE>
SLT_DEVICE_INLINE void attend_summed(const slt_cuda_args &a, place p,
                                     const workspace<SIZE, false> &room,
                                     const float (*positions)[4], const float *u, const float *vs) {
    float z[EIGHTS][4], out[SIZE / 8][4] = {}, log[2], inverse[2];
    float2 slot[SIZE / 8], none = {0, 0};
    const float one[2] = {1, 1};
    uint32_t factor[SIXTEENS][4];
#pragma unroll
    for (int n = 0; n < SIZE / 8; n++)
        slot[n] = 8 * n < p.v.size ? *(const float2 *)(vs + 8 * n + 2 * p.t) : none;
    add_slot(p, z, positions, u);
    p.v.keys = TILE; // others have no scores
    weigh<1>(p, z, log, inverse);
    slt_tile_factor(factor, z);
    slt_group_pin<SIZE / 8>(out);
    slt_group_fence();
    slt_head_tile<SIZE>::sums(out, factor, room.at(V));
    slt_group_start();
    keep_logs(a, p, log);
    slt_group_await();
    slt_group_pin<SIZE / 8>(out);
#pragma unroll
    for (int i = 0; i < SIZE / 2; i++) {
        float *x = &out[i / 4][i % 4];
        *x = *x * inverse[i % 4 / 2] + (i % 2 ? slot[i / 4].y : slot[i / 4].x);
    }
    __syncwarp(); // its lanes have stored the rows before
    store_tile<SIZE>(room.rows(0), slt_rows_at<slt_bf16>(a.out[0]) + slt_attention_out(p.v, 0),
                     p.v.width, p, out, one, false);
}

template <int SIZE>
SLT_KERNEL __launch_bounds__(THREADS, blocks_of<SIZE>::FORWARD)
    forward(const __grid_constant__ slt_cuda_args a, const __grid_constant__ slt_summed_rows rows,
            int count) {
    slt_begin();
    SLT_DYNAMIC_SHARED(memory);
    workspace<SIZE, false> room = {slt_group_begin(memory)};
    int heads = a.n[SLT_ATTENTION_HEADS], own = (int)blockIdx.x % heads;
    slt_clear_tail(slt_rows_at<slt_bf16>(a.out[0]), slt_count(a, SLT_SLOT_TOKENS, 0), a.out_rows[0],
                   a.out_width[0]);
    head first =
        first_head(a, a.slots, own, (int)blockIdx.x / heads, (int)gridDim.x / heads, LONG_COST);
    for (head h = first; h.there;) {
        if (h.cost == 1) {
            skip(a, &h);
            continue;
        }
        make_rows(a, rows, h.p, h.number);
        __syncthreads();
        attend_long<SIZE>(a, h.p, room.memory);
        __syncthreads();
        step(a, &h);
    }
    float positions[EIGHTS][4], z[EIGHTS][4];
    place base = place_of_head(a, own);
    make_tiles(rows, base.v, count, room);
    slt_group_publish();
    __syncthreads();
    multiply<SIZE>(positions, room.at(Q), room.at(K));
    for (head h = first; h.there;) {
        if (h.cost > 1) {
            skip(a, &h);
            continue;
        }
        int taken = take_sequences(a, rows, h, room);
        multiply<SIZE>(z, room.slots(), room.at(K));
        put_scores(base, room, z);
        __syncthreads();
        for (int i = 0; i < taken; i++)
            attend_summed<SIZE>(a, place_of(base, room.sequences(), i), room, positions, room.u(i),
                                slt_at(rows.slots) + part_of(base.v, h.number + i, V));
        h.number += taken, h.at += taken;
        look(a, &h);
    }
}

// ---- backward: what is for slots

// v[i] and v[i + HALF] of two lanes: their sums, the lower half in the lower lane
template <int HALF> SLT_DEVICE_INLINE void halve(float *v, int apart) {
    bool upper = (int)threadIdx.x & apart;
#pragma unroll
    for (int i = 0; i < HALF; i++) {
        float other = upper ? v[i] : v[i + HALF];
        v[i] = (upper ? v[i + HALF] : v[i]) + __shfl_xor_sync(0xffffffffu, other, apart);
    }
}

// du of the warp's queries
template <int SIZE>
SLT_DEVICE_INLINE void put_du(const place &p, const workspace<SIZE, true> &room,
                              const float (*ds)[4]) {
    float v[2 * EIGHTS];
#pragma unroll
    for (int k = 0; k < 2 * EIGHTS; k++) v[k] = ds[k / 2][k % 2] + ds[k / 2][k % 2 + 2];
    halve<8>(v, 16);
    halve<4>(v, 8);
    halve<2>(v, 4);
    float2 own = {v[0], v[1]}; // of all lanes' rows: columns of the lane's own
    *(float2 *)(room.sums((int)threadIdx.x / SLT_WARP) + 8 * p.g + 2 * p.t) = own;
}
// and of all queries, as row i of its tile
template <int SIZE> SLT_DEVICE_INLINE void add_du(const workspace<SIZE, true> &room, int i) {
    int c = (int)threadIdx.x;
    float sum = 0;
    if (c >= TILE) return;
    for (int w = 0; w < WARPS; w++) sum += room.sums(w)[c];
    uint16_t *row = (uint16_t *)(room.du() + slt_head_tile<TILE>::place(i, c / 8));
    row[c % 8] = (uint16_t)slt_pair(sum, 0);
}

// dv, dk and dx, where there is one, of sequence i; a warp has 16 channels of one of them at a time
template <int SIZE>
SLT_DEVICE_INLINE void put_slot(const place &p, const workspace<SIZE, true> &room, int i,
                                float *slot, float *dx) {
    enum { PARTS = SIZE / 16 };
    int c = (int)threadIdx.x;
    if (c < p.v.size) slot[part_of(p.v, 0, K) + c] = 0;
#pragma unroll 1
    for (int first = 0; first < 2 * PARTS; first += WARPS) {
        int part = first + c / SLT_WARP, eighth = part % PARTS * 2 + p.g, at = 8 * eighth + 2 * p.t;
        bool residual = part >= PARTS;
        if (residual && !dx) break;
        float sum[2][4] = {};
        slt_head_tile<SIZE>::columns(sum, residual ? room.dx(i) : room.rows(i), part % PARTS * 2);
        float *to = residual ? dx + p.v.head * p.v.size : slot + part_of(p.v, 0, V);
        float2 own = {p.g ? sum[1][0] : sum[0][0], p.g ? sum[1][1] : sum[0][1]};
        if (p.g < 2 && at < p.v.size) *(float2 *)(to + at) = own;
    }
}

// ---- backward: what is for positions

// sums of the warp's rows go to memory, times `by`, or are added there
template <int SIZE>
SLT_DEVICE_INLINE void put_sum(const place &p, float *to, int kind, int rows, bool add,
                               const float (*x)[4], float by) {
    float2 put[SIZE / 4];
#pragma unroll
    for (int i = 0; i < SIZE / 4; i++) {
        int l = p.first + i % 2 * 8 + p.g, c = i / 2 * 8 + 2 * p.t;
        bool there = add && l < rows && c < p.v.size;
        float2 none = {0, 0};
        put[i] = there ? *(const float2 *)(to + part_of(p.v, l, kind) + c) : none;
    }
#pragma unroll
    for (int i = 0; i < SIZE / 4; i++) {
        int l = p.first + i % 2 * 8 + p.g, c = i / 2 * 8 + 2 * p.t;
        put[i].x += x[i / 2][i % 2 * 2] * by, put[i].y += x[i / 2][i % 2 * 2 + 1] * by;
        if (l < rows && c < p.v.size) *(float2 *)(to + part_of(p.v, l, kind) + c) = put[i];
    }
}
// dq += factor·keys, dk += leftᵀ·queries
template <int SIZE>
SLT_DEVICE_INLINE void multiply_both(float (*dq)[4], float (*dk)[4], const uint32_t (*factor)[4],
                                     const float *keys, const float *left, const float *queries) {
    slt_group_pin<SIZE / 8>(dq); // zeros are there before the fence
    slt_group_pin<SIZE / 8>(dk);
    slt_group_fence();
    slt_head_tile<SIZE>::sums(dq, factor, keys);
    slt_head_tile<SIZE>::turned(dk, left, queries);
    slt_group_start();
    slt_group_await();
    slt_group_pin<SIZE / 8>(dq);
    slt_group_pin<SIZE / 8>(dk);
}
// of all sequences taken: dq_s, and Σ_s du_j q_s for keys of positions
template <int SIZE>
SLT_DEVICE_INLINE void finish_slots(const place &p, const workspace<SIZE, true> &room, int count,
                                    float *slots, float *part, int positions, bool add) {
    float dq[SIZE / 8][4] = {}, dk[SIZE / 8][4] = {};
    uint32_t factor[SIXTEENS][4];
    const uint32_t *du = (const uint32_t *)room.du();
#pragma unroll
    for (int i = 0; i < 4 * SIXTEENS; i++)
        factor[i / 4][i % 4] =
            du[slt_head_tile<TILE>::place(p.first + i % 2 * 8 + p.g, i / 2) + p.t];
    multiply_both<SIZE>(dq, dk, factor, room.at(K), room.du(), room.slots());
    put_sum<SIZE>(p, slots, Q, count, false, dq, p.v.scale);
    put_sum<SIZE>(p, part, K, positions, add, dk, p.v.scale);
}

SLT_DEVICE_INLINE void clear_sums(const place &p, float *part, int first, int positions) {
    int each = KINDS * p.v.size;
    for (int i = (int)threadIdx.x; i < (positions - first) * each; i += THREADS) {
        int kind = i % each / p.v.size, c = i % p.v.size;
        part[part_of(p.v, first + i / each, kind) + c] = 0;
    }
}

// gradients of a long sequence's rows, which are in memory, and of its rows of x
template <int SIZE>
SLT_DEVICE_INLINE void add_rows(const slt_cuda_args &a, const place &p, const slt_bf16 *residual,
                                float *part, float *slot, float *dx, float *memory) {
    enum { FOURS = (KINDS + 1) * SIZE / 4, GROUPS = THREADS / FOURS, ONCE = 8 };
    int own = (int)threadIdx.x % FOURS, group = (int)threadIdx.x / FOURS, count = p.v.run.computed;
    int kind = own / (SIZE / 4), c = own % (SIZE / 4) * 4;
    bool there = c < p.v.size && (kind < KINDS || residual);
    float sum[4] = {0};
    const slt_bf16 *from =
        kind < KINDS ? slt_rows_at<slt_bf16>(a.in_grad[0]) + slt_attention_place(p.v, kind, 0)
                     : residual + slt_attention_out(p.v, 0);
    int stride = (kind < KINDS ? KINDS : 1) * p.v.width;
    for (int first = group; there && first < count; first += ONCE * GROUPS) {
        float4 x[ONCE], before[ONCE];
#pragma unroll
        for (int i = 0; i < ONCE; i++) {
            int l = slt_least(first + i * GROUPS, count - 1);
            x[i] = slt_load4(from + l * stride, c, SIZE);
            if (kind < KINDS) before[i] = *(const float4 *)(part + part_of(p.v, l, kind) + c);
        }
#pragma unroll
        for (int i = 0; i < ONCE; i++) {
            int l = first + i * GROUPS;
            if (l >= count) break;
            slt_add4(sum, 1, x[i]);
            if (kind < KINDS)
                *(float4 *)(part + part_of(p.v, l, kind) + c) = slt_plus4(before[i], x[i]);
        }
    }
    *(float4 *)(memory + group * 4 * FOURS + 4 * own) = slt_four(sum[0], sum[1], sum[2], sum[3]);
    __syncthreads();
    for (int i = (int)threadIdx.x; i < 4 * FOURS; i += THREADS) {
        float all = 0;
        for (int g = 0; g < GROUPS; g++) all += memory[g * 4 * FOURS + i];
        if (i % SIZE >= p.v.size) continue;
        if (i / SIZE < KINDS)
            slot[part_of(p.v, 0, i / SIZE) + i % SIZE] = all;
        else if (residual)
            dx[p.v.head * p.v.size + i % SIZE] = all;
    }
}

// ---- backward

// gradients of a sequence's output, and the logarithms of its sums, on their way
template <int SIZE>
SLT_DEVICE_INLINE void ask(const slt_cuda_args &a, const place &p, const workspace<SIZE, true> &to,
                           int turn) {
    int i = (int)threadIdx.x, count = p.v.run.computed;
    typename slt_head_tile<SIZE>::template source<THREADS> from(
        slt_rows_at<slt_bf16>(a.out_grad[0]) + slt_attention_out(p.v, 0), p.v.width, count,
        p.v.size);
    from.copy(to.rows(turn), 0);
    if (i < TILE)
        slt_copy_word_if(to.kept(turn) + i,
                         slt_at(a.aux) + slt_attention_kept(p.v, i < count ? i : 0), i < count);
}
// and of its rows of x, where they are asked for
template <int SIZE>
SLT_DEVICE_INLINE void ask_dx(const slt_bf16 *dx, const place &p, const workspace<SIZE, true> &to,
                              int turn) {
    if (!dx) return;
    typename slt_head_tile<SIZE>::template source<THREADS> from(
        dx + slt_attention_out(p.v, 0), p.v.width, p.v.run.computed, p.v.size);
    from.copy(to.dx(turn), 0);
}

// what a block has of positions: their scores, and sums over sequences
template <int SIZE> struct position_sums {
    float scores[EIGHTS][4], da[EIGHTS][4], dv[SIZE / 8][4];
};

// shares of a sequence; queries that are not there have none
template <int SIZE>
SLT_DEVICE_INLINE void share_out(const place &p, const workspace<SIZE, true> &room, int i,
                                 const float (*scores)[4], float (*z)[4]) {
    float log[2];
    add_slot(p, z, scores, room.u(i));
#pragma unroll
    for (int r = 0; r < 2; r++) {
        int l = p.first + 8 * r + p.g;
        log[r] = l < p.v.run.computed ? room.kept(i)[l] : INFINITY;
    }
#pragma unroll
    for (int k = 0; k < 4 * EIGHTS; k++)
        z[k / 4][k % 4] = slt_power(z[k / 4][k % 4] * p.factor - log[k % 4 / 2]);
}
// ds: do·v to gradients of scores
SLT_DEVICE_INLINE void take_gradients(const float (*z)[4], float (*ds)[4], float (*da)[4]) {
    float along[2] = {0, 0};
#pragma unroll
    for (int k = 0; k < 4 * EIGHTS; k++) along[k % 4 / 2] += z[k / 4][k % 4] * ds[k / 4][k % 4];
#pragma unroll
    for (int r = 0; r < 2; r++) along[r] = slt_row_sum(along[r]);
#pragma unroll
    for (int k = 0; k < 4 * EIGHTS; k++) {
        float *own = &ds[k / 4][k % 4];
        *own = z[k / 4][k % 4] * (*own - along[k % 4 / 2]);
        da[k / 4][k % 4] += *own;
    }
}

// what a kernel has of slots: gradients of queries, keys and values, of rows of x and their sums
typedef struct {
    float *slots, *dx_slots;
    const slt_bf16 *dx;
} slot_gradients;

// `count` sequences from `number` on. While a product is on its way, so are rows of the next
// sequences, and shares of the next one are made
template <int SIZE>
SLT_DEVICE_INLINE void add_sequences(const slt_cuda_args &a, const place &base,
                                     const workspace<SIZE, true> &room, int number, int count,
                                     const slot_gradients &to, position_sums<SIZE> *s) {
    typedef slt_head_tile<SIZE> tile;
    const float plain[2] = {1, 1};
    float z[EIGHTS][4], ds[EIGHTS][4];
    const spans *found = room.sequences();
    float *slot = to.slots + (int64_t)number * KINDS * base.v.width;
    float *dx_slot = to.dx ? to.dx_slots + (int64_t)number * base.v.width : NULL;
#pragma unroll 1
    for (int i = 0; i < slt_least(count, 2); i++) {
        ask(a, place_of(base, found, i), room, i);
        if (i == 0) ask_dx(to.dx, place_of(base, found, i), room, i);
    }
    slt_copy_group();
    multiply<SIZE>(z, room.slots(), room.at(K));
    put_scores(base, room, z);
    for (int i = (int)threadIdx.x; i < room.SQUARE; i += THREADS) room.du()[i] = 0;
    await_rows();
    slt_group_fence();
    tile::scores(ds, room.rows(0), room.at(V));
    slt_group_start();
    share_out(place_of(base, found, 0), room, 0, s->scores, z);
    for (int i = 0; i < count; i++) {
        slt_group_await();
        slt_group_pin<EIGHTS>(ds);
        slt_group_pin<SIZE / 8>(s->dv);
        await_rows(); // and nobody is at work on the sequence before
        if (i + 2 < count) ask(a, place_of(base, found, i + 2), room, i + 2);
        if (i + 1 < count) ask_dx(to.dx, place_of(base, found, i + 1), room, i + 1);
        slt_copy_group();
        take_gradients(z, ds, s->da);
        put_tile<TILE>(room.shares(), base, z, plain);
        put_du(base, room, ds);
        put_slot(base, room, i, slot, dx_slot);
        slot += KINDS * base.v.width, dx_slot += to.dx ? base.v.width : 0;
        slt_group_publish();
        __syncthreads();
        slt_group_fence();
        tile::turned(s->dv, room.shares(), room.rows(i));
        tile::scores(ds, room.rows(i + 1), room.at(V)); // after the last one nobody reads it
        slt_group_start();
        add_du(room, i);
        if (i + 1 < count) share_out(place_of(base, found, i + 1), room, i + 1, s->scores, z);
    }
    slt_group_await();
    slt_group_pin<EIGHTS>(ds);
    slt_group_pin<SIZE / 8>(s->dv);
    slt_group_publish();
    __syncthreads();
}

// sums over all sequences of the block for queries and keys
template <int SIZE>
SLT_DEVICE_INLINE void put_positions(const place &p, const workspace<SIZE, true> &room, float *part,
                                     int positions, bool add, bool add_keys,
                                     position_sums<SIZE> *s) {
    float dq[SIZE / 8][4] = {}, dk[SIZE / 8][4] = {};
    const float plain[2] = {1, 1};
    uint32_t factor[SIXTEENS][4];
    slt_tile_factor(factor, s->da);
    __syncthreads();
    put_tile<TILE>(room.shares(), p, s->da, plain);
    slt_group_publish();
    __syncthreads();
    multiply_both<SIZE>(dq, dk, factor, room.at(K), room.shares(), room.at(Q));
    put_sum<SIZE>(p, part, Q, positions, add, dq, p.v.scale);
    put_sum<SIZE>(p, part, K, positions, add_keys, dk, p.v.scale);
    put_sum<SIZE>(p, part, V, positions, add, s->dv, 1);
}

template <int SIZE>
SLT_KERNEL __launch_bounds__(THREADS, blocks_of<SIZE>::BACKWARD)
    backward(const __grid_constant__ slt_cuda_args a, const __grid_constant__ slt_summed_rows rows,
             const __grid_constant__ slt_summed_rows to, const __grid_constant__ slt_summed_rows dx,
             slt_cuda_view parts, int count, int sequences) {
    slt_begin();
    SLT_DYNAMIC_SHARED(memory);
    workspace<SIZE, true> room = {slt_group_begin(memory)};
    int heads = a.n[SLT_ATTENTION_HEADS], own = (int)blockIdx.x % heads;
    int block = (int)blockIdx.x / heads, width = a.out_width[0], row = KINDS * width;
    float *part = slt_at(parts) + (int64_t)block * count * row;
    slot_gradients slots = {slt_at(to.slots), NULL, NULL};
    slt_clear_tail(slots.slots, slt_count(a, SLT_SLOTS, 0), sequences, row);
    if (dx.rows.at && dx.bf16) {
        slots.dx = slt_rows_at<slt_bf16>(dx.rows);
        slots.dx_slots = slt_at(dx.slots);
        slt_clear_tail(slots.dx_slots, slt_count(a, SLT_SLOTS, 0), sequences, width);
    }
    place base = place_of_head(a, own);
    head first = first_head(a, a.slots, own, block, (int)gridDim.x / heads, LONG_COST);
    bool add = false, add_keys = false; // whether the part has sums already
    for (head h = first; h.there;) {
        if (h.cost == 1) {
            skip(a, &h);
            continue;
        }
        if (!add) clear_sums(base, part, 0, count);
        add = add_keys = true;
        gradients_long<SIZE>(a, h.p, room.memory);
        __syncthreads();
        add_rows<SIZE>(a, h.p, slots.dx, part, slots.slots + (int64_t)h.number * row,
                       slots.dx ? slots.dx_slots + (int64_t)h.number * width : NULL, room.memory);
        __syncthreads();
        step(a, &h);
    }
    if (!add) clear_sums(base, part, slt_least(TILE, count), count);
    position_sums<SIZE> s = {};
    make_tiles(rows, base.v, count, room);
    slt_group_publish();
    __syncthreads();
    multiply<SIZE>(s.scores, room.at(Q), room.at(K));
    for (head h = first; h.there;) {
        if (h.cost > 1) {
            skip(a, &h);
            continue;
        }
        int taken = take_sequences(a, rows, h, room);
        add_sequences<SIZE>(a, base, room, h.number, taken, slots, &s);
        finish_slots<SIZE>(base, room, taken, slots.slots + (int64_t)h.number * row, part, count,
                           add_keys);
        add_keys = true;
        h.number += taken, h.at += taken;
        look(a, &h);
    }
    put_positions<SIZE>(base, room, part, count, add, add_keys, &s);
}

// ---- launches

static int size_of(const slt_cuda_args *args) {
    return args->out_width[0] / args->n[SLT_ATTENTION_HEADS];
}

bool slt_summed_attention_fits(int size, int length) {
    return size > 16 && size <= 64 && size % 8 == 0 && length <= SLT_SUMMED_LENGTH;
}

int slt_summed_attention_groups(const slt_cuda_args *args) {
    int blocks = size_of(args) <= 32 ? (int)blocks_of<32>::BACKWARD : (int)blocks_of<64>::BACKWARD;
    return slt_pieces(blocks * slt_enough_blocks(), args->n[SLT_ATTENTION_HEADS]);
}

// a block for a head of some sequences
template <int SIZE>
static void launch(const slt_cuda_args *args, const slt_slot_rows *run, bool back) {
    typedef workspace<SIZE, false> less;
    typedef workspace<SIZE, true> more;
    int heads = args->n[SLT_ATTENTION_HEADS];
    int most = slt_pieces(blocks_of<SIZE>::FORWARD * slt_enough_blocks(), heads);
    int groups = back ? run->groups : most < run->sequences ? most : run->sequences;
    size_t floats = back ? (size_t)more::FLOATS : (size_t)less::FLOATS;
    size_t bytes = floats * sizeof(float) + SLT_GROUP_ALIGN;
    dim3 grid = slt_grid(args, (int64_t)groups * heads, 1);
    if (back)
        SLT_LAUNCH_LARGE(args, backward<SIZE>, grid, THREADS, bytes, run->qkv, run->dqkv, run->dx,
                         run->groups_parts, run->positions, run->sequences);
    else
        SLT_LAUNCH_LARGE(args, forward<SIZE>, grid, THREADS, bytes, run->qkv, run->positions);
}

void slt_summed_attention(const slt_cuda_args *args, const slt_slot_rows *run, bool back) {
    (size_of(args) <= 32 ? launch<32> : launch<64>)(args, run, back);
}
