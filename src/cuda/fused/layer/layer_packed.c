// Weights that are laid down for fused launches: room for them, and who lays them down.
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
    return (size_t)slt_lay_pieces(&weights) * SLT_LAYER_GROUPS * SLT_LAYER_PIECE;
}

slt_cuda_view slt_cuda_laid(const slt_tape *tape, int n, bool backward) {
    size_t numbers = numbers_of(tape, n);
    return (slt_cuda_view){slt_cuda_tape_of(tape)->laid[n] + (backward ? numbers : 0),
                           (int64_t)numbers * passes_of(tape, n)};
}

slt_status slt_cuda_layers_open(slt_tape *tape) {
    slt_cuda_tape *t = slt_cuda_tape_of(tape);
    SLT_TRY(SLT_NEW(&tape->arena, &t->laid, (size_t)tape->node_count));
    for (int n = 0; n < tape->node_count; n++) {
        if (!t->pack[n]) continue;
        size_t passes = (size_t)(passes_of(tape, n) * tape->store->members);
        SLT_TRY(slt_cuda_alloc(t->cuda, passes * numbers_of(tape, n) * sizeof(float),
                               (void **)&t->laid[n]));
    }
    return SLT_OK;
}

void slt_cuda_layers_close(slt_tape *tape) {
    slt_cuda_tape *t = slt_cuda_tape_of(tape);
    for (int n = 0; t->laid && n < tape->node_count; n++) slt_cuda_free(t->cuda, t->laid[n]);
}

void slt_cuda_layers_begin(slt_tape *tape) { slt_cuda_tape_of(tape)->to_lay = 0; }

int slt_cuda_layers_take(const slt_tape *tape, slt_layer_weights *out, int room) {
    slt_cuda_tape *t = slt_cuda_tape_of(tape);
    int count = 0;
    for (; t->to_lay < tape->node_count && count < room; t->to_lay++) {
        if (!t->laid[t->to_lay]) continue;
        out[count] = weights_of(tape, t->to_lay);
        out[count++].laid = slt_cuda_laid(tape, t->to_lay, false);
    }
    return count;
}

bool slt_cuda_layers_lay(const slt_tape *tape) {
    slt_layer_weights weights;
    bool early = true;
    while (slt_cuda_layers_take(tape, &weights, 1)) {
        slt_cuda_layer_lay(&weights);
        early = false;
    }
    return early;
}
