// The decoder's first rows as sums of one of a slot and one of a position (slot_rows.h), and
// attention that makes them by itself: against the CPU, which multiplies every row. Rows of
// trajectories that end at different steps, padded ones, more steps than a block sums, and a batch
// smaller than planned. sanitizers: too long
#include "cuda/fused/slot_rows/slot_rows.h"
#include "cuda_rig.h"
#include "fused_cases.h"

// the emulated device can leave the rounding out
extern bool emulated_exact __attribute__((weak));

static slt_var broadcast_2(slt_probe *p) { return broadcast_of(p, 2, false); }
// rows of x are in bf16, as everything that reads them
static slt_var before_dense_2(slt_probe *p) {
    slt_var w = slt_probe_parameter(p, layer_width, 8, -0.1, 0.1);
    return slt_dense(slt_probe_tape(p), broadcast_2(p), w, 0, SLT_LINEAR);
}
static slt_var alone_2(slt_probe *p) { return broadcast_of(p, 2, true); }

static const slt_probe_batch
    MANY = {.trajectories = 12, .slots = 8, .length = 40, .mean = 28, .sd = 9, .seed = 31},
    LONG = {.trajectories = 2, .slots = 20, .length = 150, .mean = 110, .sd = 20, .seed = 32},
    PADDED = {.trajectories = 8,
              .slots = 6,
              .length = 70,
              .padded = true,
              .mean = 40,
              .sd = 15,
              .seed = 33},
    SPARE =
        {.trajectories = 9, .slots = 8, .length = 40, .mean = 28, .sd = 9, .seed = 34, .spare = 3},
    VERY_MANY = {.trajectories = 70, .slots = 10, .length = 80, .mean = 60, .sd = 10, .seed = 35};

static const struct {
    slt_var (*make)(slt_probe *);
    const slt_probe_batch *batch;
    int width;
} cases[] = {
    {broadcast_2, &MANY, 48},      {alone_2, &MANY, 32},           {broadcast_2, &LONG, 32},
    {alone_2, &LONG, 48},          {broadcast_2, &PADDED, 112},    {broadcast_2, &SPARE, 32},
    {broadcast_2, &VERY_MANY, 32}, {broadcast_2, &PADDED, 128},    {broadcast_2, &MANY, 64},
    {broadcast_2, &SPARE, 128},    {broadcast_2, &VERY_MANY, 128}, {before_dense_2, &PADDED, 128},
    {before_dense_2, &MANY, 48},   {before_dense_2, &SPARE, 64}};

static void run(slt_probe *p, slt_context *context, int i) {
    CHECK_OK(slt_probe_init(p, context, *cases[i].batch, cases[i].make));
    cuda_rig_poison(p->tape);
    CHECK_OK(slt_tape_forward(p->tape));
    CHECK_OK(slt_tape_backward(p->tape));
}

// join, norm and dense are one part, with attention in bf16 of brief trajectories and wide heads
static void check_part(const slt_probe *p, int i) {
    bool seen = false;
    bool attends = cases[i].batch->length <= SLT_SUMMED_LENGTH && cases[i].width > 32;
    int nodes = device->precision == SLT_BF16 && attends ? 4 : 3;
    for (int fusion = 0, n = -1; slt_fused_part(p->tape, &fusion, &n);) {
        slt_fused fused;
        slt_tape_device(p->tape)->fused(p->tape, (slt_fusion)fusion, n, &fused);
        seen |= fusion == SLT_FUSE_DECODER_INPUT;
        if (fusion == SLT_FUSE_DECODER_INPUT &&
            (fused.why || fused.last - fused.first + 1 != nodes))
            fail_msg("case %d: %s", i, fused.why ? fused.why : "another launch");
        if (fusion == SLT_FUSE_DECODER_INPUT && cases[i].make == before_dense_2)
            assert_int_equal(p->tape->vars[p->tape->nodes[n + 1].node.out[0]].bf16,
                             device->precision == SLT_BF16);
    }
    assert_true(seen);
}

static size_t numbers_of(const slt_probe *p, slt_var var) {
    slt_shape shape = slt_tape_shape(p->tape, var);
    return (size_t)slt_shape_rows(p->tape, shape, &slt_tape_frame(p->tape, 0)->batch) *
           (size_t)shape.width;
}

// of the result and of all gradients
static double error_of(int i) {
    slt_probe a, b;
    layer_width = cases[i].width;
    run(&a, host, i);
    run(&b, device, i);
    check_part(&b, i);
    double worst = cuda_rig_error(slt_tape_value(a.tape, 0, a.result),
                                  slt_tape_value(b.tape, 0, b.result), numbers_of(&a, a.result));
    for (int leaf = 0; leaf < a.leaves; leaf++) {
        const slt_real *want = slt_probe_gradient(&a, leaf), *got = slt_probe_gradient(&b, leaf);
        if (!want) continue;
        double error = cuda_rig_error(want, got, numbers_of(&a, a.leaf[leaf].var));
        if (!(error <= worst)) worst = error;
    }
    slt_probe_deinit(&a);
    slt_probe_deinit(&b);
    return worst;
}

// a card makes sums in tf32 where there are very many rows, which take long on the emulated device
static bool is_run(int i, slt_precision precision) {
    bool many = cases[i].batch == &VERY_MANY;
    return &emulated_exact ? !many : many || precision == SLT_BF16;
}

static void check(slt_precision precision, double most) {
    slt_precision strict = device->precision;
    device->precision = precision;
    for (int i = 0; i < (int)(sizeof cases / sizeof *cases); i++) {
        if (!is_run(i, precision)) continue;
        double error = error_of(i);
        print_message("# case %d: %.2g of %.2g\n", i, error, most);
        if (!(error < most)) fail_msg("case %d: error %.3g", i, error);
    }
    device->precision = strict;
}

static void sums_agree_in_tf32(void **state) {
    (void)state;
    if (&emulated_exact) {
        print_message("# the emulated device has it below, without the rounding\n");
        skip();
    }
    check(SLT_TF32, 4e-3);
}
static void sums_agree_in_bf16(void **state) {
    (void)state;
    check(SLT_BF16, 1e-2);
}
static void sums_are_right_but_for_rounding(void **state) {
    (void)state;
    if (!&emulated_exact) {
        print_message("# only the emulated device leaves the rounding out\n");
        skip();
    }
    emulated_exact = true;
    check(SLT_TF32, 2e-5);
    emulated_exact = false;
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(sums_agree_in_tf32),
                                       cmocka_unit_test(sums_agree_in_bf16),
                                       cmocka_unit_test(sums_are_right_but_for_rounding)};
    if (!cuda_rig_open("rows of slots")) return 0;
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    cuda_rig_close();
    return failed;
}
