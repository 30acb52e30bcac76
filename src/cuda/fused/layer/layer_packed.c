// Weights that are packed for fused launches: room for them, and who lays them down.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include "cuda/fused/layer/layer_packed.h"

static slt_layer_weights weights_of(const slt_tape *tape, int n) {
    return slt_cuda_tape_of(tape)->pack[n](tape, n);
}

static int passes_of(const slt_tape *tape, int n) { return tape->nodes[n].runs_backward ? 2 : 1; }

// numbers of one member and pass
static size_t numbers_of(const slt_tape *tape, int n) {
    slt_layer_weights weights = weights_of(tape, n);
    return (size_t)slt_pack_pieces(&weights) * SLT_LAYER_GROUPS *
           (size_t)slt_layer_piece(weights.width);
}

slt_cuda_view slt_cuda_packed(const slt_tape *tape, int n, bool backward) {
    size_t numbers = numbers_of(tape, n);
    return (slt_cuda_view){slt_cuda_tape_of(tape)->packed[n] + (backward ? numbers : 0),
                           (int64_t)numbers * passes_of(tape, n)};
}

slt_status slt_cuda_layers_open(slt_tape *tape) {
    slt_cuda_tape *t = slt_cuda_tape_of(tape);
    SLT_TRY(SLT_NEW(&tape->arena, &t->packed, (size_t)tape->node_count));
    for (int n = 0; n < tape->node_count; n++) {
        if (!t->pack[n]) continue;
        size_t passes = (size_t)(passes_of(tape, n) * tape->store->members);
        SLT_TRY(slt_cuda_alloc(t->cuda, passes * numbers_of(tape, n) * sizeof(float),
                               (void **)&t->packed[n]));
    }
    return SLT_OK;
}

void slt_cuda_layers_close(slt_tape *tape) {
    slt_cuda_tape *t = slt_cuda_tape_of(tape);
    for (int n = 0; t->packed && n < tape->node_count; n++) slt_cuda_free(t->cuda, t->packed[n]);
}

void slt_cuda_layers_begin(slt_tape *tape) { slt_cuda_tape_of(tape)->to_pack = 0; }

int slt_cuda_layers_take(const slt_tape *tape, slt_layer_weights *out, int room) {
    slt_cuda_tape *t = slt_cuda_tape_of(tape);
    int count = 0;
    for (; t->to_pack < tape->node_count && count < room; t->to_pack++) {
        if (!t->packed[t->to_pack]) continue;
        out[count] = weights_of(tape, t->to_pack);
        out[count++].packed = slt_cuda_packed(tape, t->to_pack, false);
    }
    return count;
}

bool slt_cuda_layers_pack(const slt_tape *tape) {
    slt_layer_weights weights;
    bool early = true;
    while (slt_cuda_layers_take(tape, &weights, 1)) {
        slt_cuda_pack_weights(&weights);
        early = false;
    }
    return early;
}
