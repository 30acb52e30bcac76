// Which nodes of a tape run together, and the launch of such a run.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include "cuda/fused/fusion.h"

#include "cuda/fused/loss/fused_loss.h"

#ifndef SLT_CUDA_TURN
#define SLT_CUDA_TURN 1 // 0: a launch for the losses, one for their gradients
#endif

static const struct {
    const slt_op *op;
    slt_loss_kind kind;
} parts[] = {{&slt_op_segment_mask, SLT_LOSS_MASK},
             {&slt_op_prefix_xent, SLT_LOSS_XENT},
             {&slt_op_halting_kl, SLT_LOSS_KL},
             {&slt_op_add_loss, SLT_LOSS_ADD}};

static bool kind_of(const slt_tape *tape, int n, slt_loss_kind *kind) {
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        if (slt_node_is(tape, n, parts[i].op)) return *kind = parts[i].kind, true;
    return false;
}

// every block of a run sets the gradients that a sum of losses hands on: it cannot add to them
static bool may_run(const slt_tape *tape, int n, bool backward) {
    slt_loss_kind kind;
    if (!SLT_CUDA_FUSED || !kind_of(tape, n, &kind)) return false;
    return !backward || kind != SLT_LOSS_ADD || !tape->nodes[n].add;
}

static const slt_fusion_pattern *const families[] = {
    &slt_fuse_leaves,    &slt_fuse_slots, &slt_fuse_encoder_input, &slt_fuse_decoder_input,
    &slt_fuse_slot_rows, &slt_fuse_layer, &slt_fuse_output,        &slt_fuse_norm};

// the family of the run that begins with node n; NULL: of none
static const slt_fusion_pattern *family_of(const slt_tape *tape, int n, bool backward) {
    for (size_t i = 0; SLT_CUDA_FUSED && i < sizeof families / sizeof *families; i++)
        if ((!backward || families[i]->weights) && slt_family_last(families[i], tape, n) > n)
            return families[i];
    return NULL;
}

// the last node of the run that begins with node n
static int last_of(const slt_tape *tape, int n, bool backward) {
    const slt_fusion_pattern *family = family_of(tape, n, backward);
    int last = n, end = slt_group_end(tape, n, SLT_FUSE_LOSS);
    if (family) return slt_family_last(family, tape, n);
    while (may_run(tape, n, backward) && last < end && last + 1 - n < SLT_LOSS_NODES &&
           may_run(tape, last + 1, backward))
        last++;
    return last;
}

// the losses at the end of a tape that trains: forward and backward are one launch
static void join_turn(const slt_tape *tape, int *begin, int *end) {
    int N = tape->node_count, first = N ? begin[N - 1] : 0, last = 2 * N - 1 - first;
    if (!SLT_CUDA_TURN || first >= N - 1 || end[N] != last) return;
    for (int n = first; n < N; n++)
        if (!tape->nodes[n].runs_backward) return;
    for (int t = first; t <= last; t++) begin[t] = first, end[t] = last;
}

void slt_cuda_find_fused(const slt_tape *tape, int *begin, int *end) {
    int N = tape->node_count;
    for (int n = 0, last; n < N; n = last + 1) {
        last = last_of(tape, n, false);
        // what the slots' first steps write must not be read by the previous launch
        bool early = n > 0 && family_of(tape, n, false) == &slt_fuse_slots;
        for (int i = n; i <= last; i++) begin[i] = early ? begin[n - 1] : n, end[i] = last;
    }
    for (int n = 0, last; n < N; n = last + 1) {
        last = last_of(tape, n, true);
        for (int i = n; i <= last; i++)
            begin[2 * N - 1 - i] = 2 * N - 1 - last, end[2 * N - 1 - i] = 2 * N - 1 - n;
    }
    join_turn(tape, begin, end);
}

// ---- losses

static void add_node(slt_fused_loss *run, const slt_tape *tape, int n, bool backward) {
    kind_of(tape, n, &run->kind[run->nodes]);
    run->node[run->nodes++] = slt_cuda_args_of(tape, n, backward);
}

static void losses_forward(const slt_tape *tape, int first, int last) {
    slt_fused_loss run = {.stream = slt_cuda_of(tape->store)->stream};
    for (int n = first; n <= last; n++) add_node(&run, tape, n, false);
    slt_cuda_losses_forward(&run);
}

static void losses_backward(const slt_tape *tape, int first, int last, slt_cuda_view seed,
                            bool both) {
    slt_fused_loss run = {.stream = slt_cuda_of(tape->store)->stream, .seed = seed};
    for (int n = last; n >= first; n--)
        if (tape->nodes[n].runs_backward) add_node(&run, tape, n, true);
    if (run.nodes) (both ? slt_cuda_losses_both : slt_cuda_losses_backward)(&run);
}

// ---- whose run is it? a loss has no part in others

void slt_cuda_fused_forward(slt_tape *tape, int first, int last) {
    const slt_fusion_pattern *family = family_of(tape, first, false);
    if (family)
        family->run(tape, first, last, false);
    else
        losses_forward(tape, first, last);
}

void slt_cuda_fused_backward(slt_tape *tape, int first, int last, slt_cuda_view seed, bool both) {
    const slt_fusion_pattern *family = family_of(tape, first, true);
    if (family)
        family->run(tape, first, last, true);
    else
        losses_backward(tape, first, last, seed, both);
}

void slt_cuda_fused_weights(slt_tape *tape, int first, int n) {
    const slt_fusion_pattern *family = family_of(tape, first, true);
    if (family) family->weights(tape, first, n);
}

bool slt_cuda_fused_fills(const slt_tape *tape, int first) {
    const slt_fusion_pattern *family = family_of(tape, first, true);
    return family && family->fills;
}

int slt_cuda_last_room(const slt_tape *tape) {
    for (int n = 0; n < tape->node_count; n++) {
        const slt_fusion_pattern *family = family_of(tape, n, true);
        if (!slt_is_large(tape, n) && (family == &slt_fuse_slots || family == &slt_fuse_layer))
            return n;
    }
    return 0;
}

slt_status slt_cuda_runs_pack(slt_tape *tape) {
    slt_cuda_tape *t = slt_cuda_tape_of(tape);
    SLT_TRY(SLT_NEW(&tape->arena, &t->pack, (size_t)tape->node_count));
    for (int n = 0; n < tape->node_count; n = t->end[n] + 1)
        if (t->end[n] > n && t->end[n] < tape->node_count) {
            const slt_fusion_pattern *family = family_of(tape, n, false);
            t->pack[n] = family ? family->pack : NULL;
        }
    return SLT_OK;
}

// ---- what became of a part that was declared as one

// the last of a kind takes most: its reason counts
static const slt_fusion_pattern *family_for(slt_fusion fusion) {
    for (size_t i = sizeof families / sizeof *families; i > 0; i--)
        if (families[i - 1]->fusion == fusion) return families[i - 1];
    return NULL; // losses
}

static const char *why_not(const slt_tape *tape, slt_fusion fusion, int n, int end) {
    const slt_fusion_pattern *family = family_for(fusion);
    const char *why = "a single node";
    if (!SLT_CUDA_FUSED) return "built without fused launches";
    if (end == n) return why;
    if (!family) return "its nodes are no masks and losses";
    return family->last(tape, n, end, &why) > n ? "its nodes are in another launch" : why;
}

void slt_cuda_fused(const slt_tape *tape, slt_fusion fusion, int n, slt_fused *out) {
    const slt_cuda_tape *t = slt_cuda_tape_of(tape);
    int N = tape->node_count, end = slt_group_end(tape, n, fusion);
    for (int first = n, last; first <= end; first = last + 1) {
        const slt_fusion_pattern *family = family_of(tape, first, false);
        last = t->end[first] < N ? t->end[first] : N - 1;
        bool begins = first == 0 || t->end[first - 1] != t->end[first];
        *out = (slt_fused){.first = first, .last = last};
        if (begins && last > first && (family ? family->fusion == fusion : !family_for(fusion)))
            return;
    }
    *out = (slt_fused){.why = why_not(tape, fusion, n, end)};
}
