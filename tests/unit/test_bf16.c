// Layers in bf16 on the CPU against the same in fp32, and who may ask for it. Where the processor
// has no instructions for bf16, the layers here run on the plain kernel.
#include <math.h>
#include <stdlib.h>
#include "check.h"
#include "core/context_impl.h"
#include "engine/gemm.h"
#include "engine/tape_impl.h"
#include "ops/common/ops.h"
#include "ops/common/probe.h"

// fewer rows than a block and more: weights are laid out by each product, or once
static const slt_probe_batch FEW = {
    .trajectories = 4, .slots = 1, .length = 20, .mean = 15, .sd = 3, .seed = 3};
static const slt_probe_batch MANY = {
    .trajectories = 24, .slots = 1, .length = 30, .mean = 25, .sd = 3, .seed = 5};

// ---- what a case computes: the result, then the gradient of every leaf

enum { ARRAYS = 8 };

typedef struct answer {
    float *at[ARRAYS];
    size_t count[ARRAYS];
    int arrays;
} answer;

static void keep(answer *out, const float *numbers, size_t count) {
    assert_true(out->arrays < ARRAYS && count > 0);
    float *copy = malloc(count * sizeof *copy);
    assert_non_null(copy);
    memcpy(copy, numbers, count * sizeof *copy);
    out->at[out->arrays] = copy;
    out->count[out->arrays++] = count;
}

static void answer_free(answer *a) {
    for (int i = 0; i < a->arrays; i++) free(a->at[i]);
}

static answer compute(slt_precision precision, int threads, slt_probe_batch batch,
                      slt_var (*make)(slt_probe *)) {
    answer out = {.arrays = 0};
    slt_context *context;
    slt_probe probe;
    CHECK_OK(slt_context_create(&(slt_context_options){.threads = threads}, &context));
    context->precision = precision; // also where the processor is slow with it
    CHECK_OK(slt_probe_init(&probe, context, batch, make));
    CHECK_OK(slt_tape_forward(probe.tape));
    CHECK_OK(slt_tape_backward(probe.tape));
    slt_shape shape = probe.tape->vars[probe.result].shape;
    int rows = slt_shape_rows(probe.tape, shape, &probe.tape->frames[0].batch);
    keep(&out, slt_tape_value(probe.tape, 0, probe.result), (size_t)rows * (size_t)shape.width);
    for (int i = 0; i < probe.leaves; i++) {
        size_t count;
        slt_probe_values(&probe, i, &count);
        const float *gradient = slt_probe_gradient(&probe, i); // weights of the loss have none
        if (gradient) keep(&out, gradient, count);
    }
    slt_probe_deinit(&probe);
    slt_context_destroy(context);
    return out;
}

// ---- cases

static slt_var dense_of(slt_probe *p, int in, int out, slt_activation activation) {
    slt_var x = slt_probe_numbers(p, SLT_TOKENS, 0, in, -1, 1);
    slt_var w = slt_probe_parameter(p, in, out, -1, 1), c = slt_probe_parameter(p, 1, out, -1, 1);
    return slt_dense(slt_probe_tape(p), x, w, c, activation);
}
static slt_var dense_48_64(slt_probe *p) { return dense_of(p, 48, 64, SLT_LINEAR); }
static slt_var dense_130_40(slt_probe *p) { return dense_of(p, 130, 40, SLT_SIGMOID); }
static slt_var dense_31_64(slt_probe *p) { return dense_of(p, 31, 64, SLT_LINEAR); }
static slt_var dense_64_31(slt_probe *p) { return dense_of(p, 64, 31, SLT_LINEAR); }

// biases of the middle are so large that hardly a ReLU is next to zero, where rounding opens or
// closes it
enum { FAR = 300 };

static slt_var mlp_of(slt_probe *p, int in, int wide, int out) {
    slt_var x = slt_probe_numbers(p, SLT_TOKENS, 0, in, -1, 1);
    slt_var w1 = slt_probe_parameter(p, in, wide, -1, 1);
    slt_var c1 = slt_probe_parameter(p, 1, wide, -FAR, FAR);
    slt_var w2 = slt_probe_parameter(p, wide, out, -1, 1);
    slt_var c2 = slt_probe_parameter(p, 1, out, -1, 1);
    return slt_mlp(slt_probe_tape(p), x, w1, c1, w2, c2);
}
static slt_var mlp_48_96_40(slt_probe *p) { return mlp_of(p, 48, 96, 40); }

// every gradient is added to another
static slt_var mlp_twice(slt_probe *p) {
    slt_var x = slt_probe_numbers(p, SLT_TOKENS, 0, 33, -1, 1);
    slt_var w1 = slt_probe_parameter(p, 33, 70, -1, 1),
            c1 = slt_probe_parameter(p, 1, 70, -FAR, FAR);
    slt_var w2 = slt_probe_parameter(p, 70, 33, -1, 1), c2 = slt_probe_parameter(p, 1, 33, -1, 1);
    slt_tape *tape = slt_probe_tape(p);
    return slt_add(tape, slt_mlp(tape, x, w1, c1, w2, c2), slt_mlp(tape, x, w1, c1, w2, c2));
}

// ---- checks

static double relative_error(const float *got, const float *wanted, size_t count) {
    double difference = 0, size = 0;
    for (size_t i = 0; i < count; i++) {
        if (!isfinite(got[i])) return INFINITY;
        difference += ((double)got[i] - wanted[i]) * ((double)got[i] - wanted[i]);
        size += (double)wanted[i] * wanted[i];
    }
    return sqrt(difference / size);
}

// A factor is rounded by at most 2^-9 of it, and those of a sum independently: `most` times 2^-8.
// Gradients of the last bias are sums of dy and stay as they are; everything else has to move.
static void check_case(slt_probe_batch batch, slt_var (*make)(slt_probe *), double most) {
    answer rounded = compute(SLT_BF16, 2, batch, make), plain = compute(SLT_FP32, 2, batch, make);
    assert_int_equal(rounded.arrays, plain.arrays);
    for (int i = 0; i < plain.arrays; i++) {
        assert_int_equal(rounded.count[i], plain.count[i]);
        double error = relative_error(rounded.at[i], plain.at[i], plain.count[i]);
        double least = i == plain.arrays - 1 ? -1 : 1e-4;
        if (!(error > least && error < most * 0x1p-8))
            fail_msg("array %d of %zu numbers: error %.3g", i, plain.count[i], error);
    }
    answer_free(&rounded);
    answer_free(&plain);
}

static void dense_layers_agree(void **state) {
    (void)state;
    check_case(FEW, dense_48_64, 1);
    check_case(MANY, dense_48_64, 1);
    check_case(FEW, dense_130_40, 2); // sums of 130 go through the sigmoid
    check_case(MANY, dense_130_40, 2);
}

static void mlps_agree(void **state) {
    (void)state;
    check_case(FEW, mlp_48_96_40, 2);
    check_case(MANY, mlp_48_96_40, 2);
    check_case(FEW, mlp_twice, 2);
    check_case(MANY, mlp_twice, 2);
}

static void check_same(answer a, answer b) {
    assert_int_equal(a.arrays, b.arrays);
    for (int i = 0; i < a.arrays; i++) {
        assert_int_equal(a.count[i], b.count[i]);
        assert_memory_equal(a.at[i], b.at[i], a.count[i] * sizeof(float));
    }
    answer_free(&a);
    answer_free(&b);
}

static void threads_do_not_show(void **state) {
    (void)state;
    check_same(compute(SLT_BF16, 1, MANY, mlp_48_96_40), compute(SLT_BF16, 3, MANY, mlp_48_96_40));
    check_same(compute(SLT_BF16, 1, MANY, dense_130_40), compute(SLT_BF16, 2, MANY, dense_130_40));
}

static void narrow_layers_stay_in_fp32(void **state) {
    (void)state;
    check_same(compute(SLT_BF16, 2, MANY, dense_31_64), compute(SLT_FP32, 2, MANY, dense_31_64));
    check_same(compute(SLT_BF16, 2, FEW, dense_64_31), compute(SLT_FP32, 2, FEW, dense_64_31));
}

// ---- who may ask for it

static const char *const REFUSAL =
    "precision bf16 needs a processor with AMX (x86) or BF16 (ARM); this one "
    "computes in fp32";

static void processors_without_it_refuse(void **state) {
    (void)state;
    slt_context *context = NULL;
    slt_context_options options = {.threads = 1, .precision = "bf16"};
    if (slt_gemm_bf16_works()) {
        print_message("# skipped: this processor computes in bf16\n");
        skip();
    }
    CHECK_FAILS(SLT_INVALID, REFUSAL, slt_context_create(&options, &context));
    assert_string_equal(slt_last_error(), REFUSAL);
    options.device = "cpu";
    CHECK_FAILS(SLT_INVALID, REFUSAL, slt_context_create(&options, &context));
    if (slt_device_check("cuda") != SLT_OK) {
        options.device = "auto";
        CHECK_FAILS(SLT_INVALID, REFUSAL, slt_context_create(&options, &context));
    }
    assert_null(context);
}

static void processors_with_it_take_it(void **state) {
    (void)state;
    slt_context *context, *child;
    if (!slt_gemm_bf16_works()) {
        print_message("# skipped: this processor does not compute in bf16\n");
        skip();
    }
    CHECK_OK(
        slt_context_create(&(slt_context_options){.threads = 1, .precision = "bf16"}, &context));
    assert_int_equal(context->precision, SLT_BF16);
    CHECK_OK(slt_context_child(context, 1, &child));
    assert_int_equal(child->precision, SLT_BF16);
    slt_context_destroy(child);
    slt_context_destroy(context);
}

static void fp32_is_the_default_and_tf32_is_for_cuda(void **state) {
    (void)state;
    slt_context *context;
    CHECK_OK(slt_context_create(&(slt_context_options){.threads = 1}, &context));
    assert_int_equal(context->precision, SLT_FP32);
    slt_context_destroy(context);
    CHECK_FAILS(
        SLT_INVALID, "precision tf32 is for device cuda",
        slt_context_create(&(slt_context_options){.threads = 1, .precision = "tf32"}, &context));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(dense_layers_agree),
        cmocka_unit_test(mlps_agree),
        cmocka_unit_test(threads_do_not_show),
        cmocka_unit_test(narrow_layers_stay_in_fp32),
        cmocka_unit_test(processors_without_it_refuse),
        cmocka_unit_test(processors_with_it_take_it),
        cmocka_unit_test(fp32_is_the_default_and_tf32_is_for_cuda),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
