// Where a training step of SloTTAr goes: milliseconds per operation on made-up Craft data (64
// trajectories of 23.4±5 steps out of 65, observations of 43 ones in 1075).
//     step_profile [default|reference [THREADS [STEPS [TAPE [MEMBERS]]]]]
// THREADS may be cuda, or cuda:fp32 and cuda:bf16: then a step is one captured graph, and the table
// comes from steps that wait after each node. MEMBERS is the size of a population. TAPE may be -.
// The default profile is packed, the reference one padded, as it must be. TAPE is a file for the
// tape: a picture in Graphviz' language if its name ends in .dot, else text.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "core/clock.h"
#include "core/philox.h"
#include "engine/adam.h"
#include "engine/op.h"
#include "models/slottar_model.h"

enum { B = 64, L = 65, K = 5, D = 1075, A = 6, ONES = 43, ROWS = 64 };

static int32_t offset[B + 1], length[B], place[B], companion[B * K], actions[B * L];
static int64_t ones_offset[B * L + 1];
static uint16_t ones[B * L * ONES];

static void fail(slt_status status) {
    if (status == SLT_OK) return;
    fprintf(stderr, "step_profile: %s\n", slt_last_error());
    exit(1);
}

static double unit(uint64_t index, uint32_t stream) {
    slt_words words = slt_random_words(1, SLT_RANDOM_TEST, index, stream);
    return ((double)words.word[0] + 0.5) * 0x1p-32;
}

static int draw_length(int b) {
    double u = unit((uint64_t)b, 1), v = unit((uint64_t)b, 2);
    int drawn = (int)lround(23.4 + 5 * sqrt(-2 * log(u)) * cos(6.283185307179586 * v));
    return drawn < 2 ? 2 : slt_min(drawn, L);
}

// the ones of a row are in order, as in a real observation
static void draw_row(int row, bool truth) {
    int64_t count = ones_offset[row];
    for (int i = 0; truth && i < ONES; i++)
        ones[count++] =
            (uint16_t)(25 * i + (int)(25 * unit((uint64_t)row * ONES + (uint64_t)i, 3)));
    ones_offset[row + 1] = count;
    actions[row] = truth ? (int32_t)(5 * unit((uint64_t)row, 4)) : A - 1;
}

static slt_batch make_batch(slt_decoder_pairing pairing, bool padded) {
    slt_batch batch = {B, offset, length, place, companion, 0};
    for (int b = 0; b < B; b++) {
        place[b] = b;
        length[b] = draw_length(b);
        offset[b + 1] = offset[b] + (padded ? L : slt_min(length[b] + 1, L));
        batch.true_tokens += length[b];
        for (int l = 0; l < offset[b + 1] - offset[b]; l++) draw_row(offset[b] + l, l < length[b]);
        for (int k = 0; k < K; k++)
            companion[b * K + k] = pairing == SLT_PAIRING_NONE ? -1 : (b * K + k) % B;
    }
    return batch;
}

static void print_rows(const slt_tape *tape, int steps) {
    slt_profile_row rows[ROWS];
    int count = slt_tape_profile_rows(tape, rows, ROWS);
    printf("%-16s %5s %11s %11s %9s\n", "operation", "nodes", "forward ms", "backward ms",
           "GFLOP/s");
    for (int i = 0; i < count; i++)
        printf("%-16s %5d %11.3f %11.3f %9.1f\n", rows[i].op, rows[i].nodes,
               1e3 * rows[i].forward / steps, 1e3 * rows[i].backward / steps,
               1e-9 * rows[i].flops * steps / (rows[i].forward + rows[i].backward));
}

// one training step; gives the seconds of Adam
static double step(slt_tape *tape) {
    slt_tape_frame(tape, 0)->step.adam_count++;
    slt_tape_frame(tape, 0)->step.step++;
    fail(slt_tape_forward(tape));
    fail(slt_tape_backward(tape));
    double started = slt_seconds();
    slt_adam_step(tape);
    return slt_seconds() - started;
}

// ---- on a device: whole steps, then node by node

static void send_step(slt_tape *tape) {
    for (int m = 0; m < slt_tape_members(tape); m++) {
        slt_tape_frame(tape, m)->step.adam_count++;
        slt_tape_frame(tape, m)->step.step++;
    }
    fail(slt_tape_step(tape));
}

static double wait_for(slt_tape *tape) {
    slt_step_stats note = {.norm = NAN};
    bool there = true;
    while (there) fail(slt_tape_stats(tape, 0, true, &note, &there));
    return (double)note.value[0];
}

static void run_device(slt_tape *tape, slt_batch batch, int steps) {
    int members = slt_tape_members(tape);
    for (int i = 0; i < 10; i++) send_step(tape);
    wait_for(tape);
    double best = INFINITY, sent = 0, begin = slt_seconds();
    for (int round = 0; round < 5; round++) {
        double started = slt_seconds();
        for (int i = 0; i < steps; i++) send_step(tape);
        sent += slt_seconds() - started;
        wait_for(tape);
        best = fmin(best, (slt_seconds() - started) / steps);
    }
    double mean = (slt_seconds() - begin) / steps / 5;
    double flops = (slt_tape_flops(tape, false) + slt_tape_flops(tape, true)) * members;
    printf("a step: %.4f ms (best of 5 rounds %.4f), host busy %.4f, %.2f GFLOP, %.1f GFLOP/s, "
           "%.1f MB planned\n",
           1e3 * mean, 1e3 * best, 1e3 * sent / steps / 5, 1e-9 * flops, 1e-9 * flops / best,
           1e-6 * (double)slt_tape_bytes(tape));
    printf("%.0f tokens/s at best (%.0f mean), %.0f true tokens/s at best, %d members\n",
           members * B * L / best, members * B * L / mean, members * batch.true_tokens / best,
           members);
    fail(slt_tape_profile_start(tape));
    for (int i = 0; i < 10; i++) send_step(tape);
    printf("loss %.6f\n", wait_for(tape));
    print_rows(tape, 10);
}

static void run(slt_tape *tape, slt_batch batch, int steps) {
    double adam = 0, best = 0, started = slt_seconds();
    step(tape); // warm
    fail(slt_tape_profile_start(tape));
    double begin = slt_seconds();
    for (int i = 0; i < steps; i++) {
        started = slt_seconds();
        adam += step(tape);
        double time = slt_seconds() - started;
        if (i == 0 || time < best) best = time;
    }
    double mean = (slt_seconds() - begin) / steps;
    double flops = slt_tape_flops(tape, false) + slt_tape_flops(tape, true);
    print_rows(tape, steps);
    printf("%-16s %5d %11.3f\n", "Adam", 1, 1e3 * adam / steps);
    printf("a step: %.1f ms (best %.1f), %.2f GFLOP, %.1f GFLOP/s at best, %.1f MB planned\n",
           1e3 * mean, 1e3 * best, 1e-9 * flops, 1e-9 * flops / best,
           1e-6 * (double)slt_tape_bytes(tape));
    printf("%.0f tokens/s at best (%.0f mean), %.0f true tokens/s at best\n", B * L / best,
           B * L / mean, batch.true_tokens / best);
}

int main(int argc, char **argv) {
    const char *profile = argc > 1 ? argv[1] : "default";
    bool device = argc > 2 && strncmp(argv[2], "cuda", 4) == 0;
    int threads = argc > 2 && !device ? atoi(argv[2]) : 0, steps = argc > 3 ? atoi(argv[3]) : 10;
    int members = argc > 5 ? atoi(argv[5]) : 1;
    slt_context_options where = {.threads = threads};
    if (device) where.device = "cuda";
    if (device && argv[2][4] == ':') where.precision = argv[2] + 5;
    slt_slottar_options options;
    const slt_options tables[] = {{slt_slottar_rows(), &options}, {NULL, NULL}};
    fail(slt_options_defaults(tables));
    fail(slt_slottar_profile(&options, profile));
    const double prior[K] = {0.2, 0.2, 0.2, 0.2, 0.2};
    slt_model_data data = {.symbols = A, .observation = D, .observation_type = SLT_BITS};
    data.prior = prior;

    slt_context *context;
    slt_store *store;
    slt_tape *tape;
    fail(slt_context_create(&where, &context));
    bool padded = options.slot_pad == SLT_PAD_TAKE_PART || options.end_pad == SLT_PAD_TAKE_PART;
    slt_batch batch = make_batch((slt_decoder_pairing)options.decoder_pairing, padded);
    fail(slt_store_create(context, members, &store));
    fail(slt_tape_create(store, (slt_limits){B, offset[B], K, L}, &tape));
    slt_slottar model = slt_slottar_build(tape, &options, &data, true);
    fail(slt_store_finish(store));
    slt_tape_watch(tape, &model.loss, 1);
    fail(slt_tape_finish(tape, model.loss, false));

    slt_bits bits = {ones_offset, ones};
    for (int m = 0; m < members; m++) {
        slt_frame *frame = slt_tape_frame(tape, m);
        fail(slt_store_init(store, m, (uint64_t)m + 1));
        frame->batch = batch;
        frame->step =
            (slt_step){.seed = 1, .noise = 1, .adam_epsilon = (slt_real)1e-8, .active = true};
        frame->step.learning_rate = (slt_real)5e-4;
        frame->step.weight[SLT_SLOTTAR_BETA] = (slt_real)options.beta;
        slt_tape_feed(tape, m, model.actions, actions);
        slt_tape_feed(tape, m, model.observations, &bits);
    }
    printf("profile %s, %s: %d of %d tokens computed, %d true, %d threads\n", profile,
           padded ? "padded" : "packed", offset[B], B * L, batch.true_tokens,
           slt_context_threads(context));
    (device ? run_device : run)(tape, batch, steps);
    const char *dump = argc > 4 && strcmp(argv[4], "-") != 0 ? argv[4] : NULL,
               *end = dump ? strrchr(dump, '.') : NULL;
    if (dump) fail(slt_tape_dump(tape, dump, end && strcmp(end, ".dot") == 0));

    slt_tape_destroy(tape);
    slt_store_destroy(store);
    slt_context_destroy(context);
    return 0;
}
