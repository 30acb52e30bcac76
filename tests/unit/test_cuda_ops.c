// Every operation on the device against the CPU: all cases of the table and the one of the
// benchmark, packed and padded, with and without spare room, in poisoned memory; strict fp32.
// sanitizers: too long
#include "cuda_rig.h"
#include "fused_cases.h"
#include "nn/nn.h"
#include "ops/common/op_table.h"
#include "ops/common/ops.h"
#include "ops/common/probe.h"

// relative to the largest number of an array; sums have up to some hundred terms
static const double TOLERANCE = 2e-5;

// ompn's cases are chains of norms of three numbers, which divide by what is left of them: floats
// lose more digits there, on the CPU as well
static double tolerance_of(const slt_op *op) {
    return strcmp(op->name, "ompn") == 0 ? 1e-4 : TOLERANCE;
}

static const slt_probe_batch BATCHES[] = {
    {.trajectories = 3, .slots = 3, .length = 6, .padded = false, .mean = 3, .sd = 2, .seed = 1},
    {.trajectories = 3, .slots = 2, .length = 5, .padded = true, .mean = 3, .sd = 2, .seed = 2},
    {.trajectories = 1, .slots = 4, .length = 3, .padded = false, .mean = 3, .sd = 0, .seed = 3},
    // more than one tile of keys, one warp of positions, one chunk of rows
    {.trajectories = 2, .slots = 3, .length = 70, .padded = false, .mean = 60, .sd = 9, .seed = 4},
    // rows of the launch that the batch does not have
    {.trajectories = 5, .slots = 3, .length = 9, .mean = 6, .sd = 3, .seed = 5, .spare = 4},
    {.trajectories = 2, .slots = 2, .length = 7, .padded = true, .mean = 4, .seed = 6, .spare = 9},
};

// all numbers given are multiples of this; 0: as they are
static float grain;
// what is done to them next to that; NULL: nothing
static void (*arrange)(slt_probe *);
// compared, too; not where it is a sum of thousands of rounded numbers, which are
static bool with_loss = true;

static void make_coarse(slt_probe *probe) {
    for (int leaf = 0; grain > 0 && leaf < probe->leaves; leaf++) {
        size_t count;
        slt_real *value = slt_probe_values(probe, leaf, &count);
        for (size_t i = 0; i < count; i++) value[i] = grain * roundf(value[i] / grain);
    }
}

static void run(slt_probe *probe, slt_context *context, slt_probe_batch batch,
                slt_var (*make)(slt_probe *)) {
    CHECK_OK(slt_probe_init(probe, context, batch, make));
    make_coarse(probe);
    if (arrange) arrange(probe);
    cuda_rig_poison(probe->tape);
    CHECK_OK(slt_tape_forward(probe->tape));
    CHECK_OK(slt_tape_backward(probe->tape));
}

static size_t numbers_of(const slt_probe *probe, slt_var var) {
    slt_shape shape = slt_tape_shape(probe->tape, var);
    const slt_frame *frame = slt_tape_frame(probe->tape, 0);
    int rows =
        shape.space == SLT_LIVE ? frame->live : slt_shape_rows(probe->tape, shape, &frame->batch);
    return (size_t)rows * (size_t)shape.width;
}

// how large a sum of these numbers with signs at random would be
static double size_of_sum(const slt_probe *probe, slt_var var) {
    const slt_real *value = slt_tape_value(probe->tape, 0, var);
    double sum = 1e-6;
    for (size_t i = 0; i < numbers_of(probe, var); i++) sum += (double)value[i] * (double)value[i];
    return sqrt(sum);
}

// the worst of result, loss and gradients of all leaves
static double case_error(slt_probe_batch batch, slt_var (*make)(slt_probe *), const char **where) {
    slt_probe a, b;
    run(&a, host, batch, make);
    run(&b, device, batch, make);
    double worst = 0;
    *where = "nothing";
    const slt_var values[] = {a.result, a.loss};
    const char *const names[] = {"result", "loss"};
    for (int i = 0; i < 1 + with_loss; i++) {
        const slt_real *want = slt_tape_value(a.tape, 0, values[i]);
        const slt_real *got = slt_tape_value(b.tape, 0, values[i]);
        double error = cuda_rig_error(want, got, numbers_of(&a, values[i]));
        // a loss that is a sum of results of both signs, and small: no more exact than they are
        double size = size_of_sum(&a, a.result);
        if (i == 1 && fabs((double)*want) < size)
            error = isfinite(error) ? fabs((double)*want - (double)*got) / size : error;
        if (error > worst) worst = error, *where = names[i];
    }
    for (int i = 0; i < a.leaves; i++) {
        const slt_real *want = slt_probe_gradient(&a, i), *got = slt_probe_gradient(&b, i);
        assert_true(!want == !got);
        if (!want) continue;
        double error = cuda_rig_error(want, got, numbers_of(&a, a.leaf[i].var));
        static char name[32];
        if (!(error > worst)) continue;
        snprintf(name, sizeof name, "gradient of leaf %d", i);
        worst = error, *where = name;
    }
    slt_probe_deinit(&a);
    slt_probe_deinit(&b);
    return worst;
}

#ifdef SLT_BRIEF
enum { EACH = 3 }; // under a sanitizer, which is slow: two batches of six
#else
enum { EACH = 1 };
#endif

static int wrong;

static void check_case(const slt_op *op, int c, size_t b, slt_var (*make)(slt_probe *)) {
    const char *where;
    double error = case_error(BATCHES[b], make, &where);
    if (error < tolerance_of(op)) return;
    print_error("%s, case %d, batch %zu: error %.3g in %s\n", op->name, c, b, error, where);
    wrong++;
}

// all of them before the verdict: a device is rare
static void every_operation_agrees_with_the_cpu(void **state) {
    (void)state;
    wrong = 0;
    for (int i = 0; slt_op_table[i]; i++) {
        const slt_op *op = slt_op_table[i];
#ifdef SLT_CUDA
        if (!slt_cuda_find(op)) continue; // refused when a tape is made: the test below
#endif
        for (size_t b = 0; b < sizeof BATCHES / sizeof *BATCHES; b += EACH) {
            for (int c = 0; c < SLT_OP_CASES && op->cases[c]; c++)
                check_case(op, c, b, op->cases[c]);
            bool narrow = BATCHES[b].length > 9; // the emulated device is slow
            if (op->bench && !narrow) check_case(op, -1, b, op->bench);
        }
    }
    assert_int_equal(wrong, 0);
}

// ---- sizes for which there are other kernels

static slt_var attention_of(slt_probe *p, int width, int heads) {
    slt_var qkv = slt_probe_numbers(p, SLT_SLOT_TOKENS, 0, 3 * width, -1, 1);
    return slt_attention(slt_probe_tape(p), qkv, heads);
}
// who reads its output does not save it
static slt_var attention_added(slt_probe *p) {
    slt_var x = slt_probe_numbers(p, SLT_SLOT_TOKENS, 0, 40, -1, 1);
    return slt_add(slt_probe_tape(p), x, attention_of(p, 40, 2));
}
static slt_var attention_20(slt_probe *p) { return attention_of(p, 40, 2); }
static slt_var attention_64(slt_probe *p) { return attention_of(p, 64, 1); }

static slt_var norm_of(slt_probe *p, int width) {
    slt_var x = slt_probe_numbers(p, SLT_TOKENS, 0, width, -1, 1);
    slt_var gamma = slt_probe_parameter(p, 1, width, 0.5, 2);
    slt_var beta = slt_probe_parameter(p, 1, width, -1, 1);
    return slt_layer_norm(slt_probe_tape(p), x, 0, gamma, beta, 0, 1e-3);
}
static slt_var norm_200(slt_probe *p) { return norm_of(p, 200); }
static slt_var norm_400(slt_probe *p) { return norm_of(p, 400); }
static slt_var norm_600(slt_probe *p) { return norm_of(p, 600); }

static slt_var xent_of(slt_probe *p, int actions) {
    slt_var logits = slt_probe_numbers(p, SLT_SLOT_TOKENS, 0, actions + 1, -2, 2);
    slt_var masks = slt_probe_numbers(p, SLT_SLOT_TOKENS, 0, 1, 0, 1);
    slt_var h = slt_probe_numbers(p, SLT_TRAJECTORIES, 0, p->shape.slots, 0, 1);
    return slt_prefix_xent(slt_probe_tape(p), logits, masks, h,
                           slt_probe_integers(p, SLT_TOKENS, actions));
}
static slt_var xent_20(slt_probe *p) { return xent_of(p, 20); }
static slt_var xent_40(slt_probe *p) { return xent_of(p, 40); }
static slt_var dense_of(slt_probe *p, int in, int out, slt_activation activation) {
    slt_var x = slt_probe_numbers(p, SLT_TOKENS, 0, in, -1, 1);
    slt_var w = slt_probe_parameter(p, in, out, -1, 1);
    return slt_dense(slt_probe_tape(p), x, w, slt_probe_parameter(p, 1, out, -1, 1), activation);
}
static slt_var dense_12(slt_probe *p) { return dense_of(p, 40, 12, SLT_LINEAR); }
static slt_var dense_long_7(slt_probe *p) { return dense_of(p, 150, 7, SLT_RELU); }
static slt_var dense_long_12(slt_probe *p) { return dense_of(p, 150, 12, SLT_LINEAR); }
static slt_var dense_33(slt_probe *p) { return dense_of(p, 20, 33, SLT_TANH); }

static void other_sizes_agree_with_the_cpu(void **state) {
    (void)state;
    slt_var (*const cases[])(slt_probe *) = {
        attention_added, attention_20, attention_64, norm_200,     norm_400,      norm_600,
        xent_20,         xent_40,      dense_12,     dense_long_7, dense_long_12, dense_33};
    static const slt_op other = {.name = "other sizes"};
    wrong = 0;
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++)
        for (size_t b = 0; b < sizeof BATCHES / sizeof *BATCHES; b += EACH)
            check_case(&other, (int)c, b, cases[c]);
    assert_int_equal(wrong, 0);
}

// ---- more rows than the chunks of a sum

static slt_var dense_36(slt_probe *p) { return dense_of(p, 20, 36, SLT_RELU); }
static slt_var dense_4(slt_probe *p) { return dense_of(p, 24, 4, SLT_LINEAR); }
static slt_var mlp_20(slt_probe *p) {
    slt_var x = slt_probe_numbers(p, SLT_TOKENS, 0, 8, -1, 1);
    slt_var w1 = slt_probe_parameter(p, 8, 20, -1, 1), c1 = slt_probe_parameter(p, 1, 20, -1, 1);
    slt_var w2 = slt_probe_parameter(p, 20, 12, -1, 1), c2 = slt_probe_parameter(p, 1, 12, -1, 1);
    return slt_mlp(slt_probe_tape(p), x, w1, c1, w2, c2);
}

static slt_var bits_30(slt_probe *p) {
    slt_var bits = slt_probe_bits(p, 30, 0.3), w = slt_probe_parameter(p, 30, 150, -1, 1);
    return slt_dense_bits(slt_probe_tape(p), bits, w, slt_probe_parameter(p, 1, 150, -1, 1));
}

static void many_rows_agree_with_the_cpu(void **state) {
    (void)state;
    slt_probe_batch batch = {.trajectories = 100, .slots = 1, .length = 70, .mean = 65, .seed = 7};
    slt_var (*const cases[])(slt_probe *) = {dense_36, dense_4, mlp_20, bits_30};
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        const char *where;
        double error = case_error(batch, cases[c], &where);
        if (!(error < TOLERANCE)) fail_msg("case %zu: error %.3g in %s", c, error, where);
    }
}

// ---- tensor cores: tf32

static const double TF32_TOLERANCE = 4e-3, TF32_LEAST = 1e-6; // it rounds at 5e-4

static slt_var mlp_of(slt_probe *p, int in, int wide, int out) {
    slt_var x = slt_probe_numbers(p, SLT_SLOT_TOKENS, 0, in, -1, 1);
    slt_var w1 = slt_probe_parameter(p, in, wide, -1, 1);
    slt_var c1 = slt_probe_parameter(p, 1, wide, -1, 1);
    slt_var w2 = slt_probe_parameter(p, wide, out, -1, 1);
    slt_var c2 = slt_probe_parameter(p, 1, out, -1, 1);
    return slt_mlp(slt_probe_tape(p), x, w1, c1, w2, c2);
}
static slt_var mlp_64(slt_probe *p) { return mlp_of(p, 16, 64, 32); }
static slt_var mlp_128(slt_probe *p) { return mlp_of(p, 32, 128, 192); }
static slt_var mlp_256(slt_probe *p) { return mlp_of(p, 128, 256, 128); }
static slt_var mlp_narrow(slt_probe *p) { return mlp_of(p, 64, 256, 128); }
static slt_var bits_200(slt_probe *p) {
    slt_var bits = slt_probe_bits(p, 200, 0.3), w = slt_probe_parameter(p, 200, 128, -1, 1);
    return slt_dense_bits(slt_probe_tape(p), bits, w, slt_probe_parameter(p, 1, 128, -1, 1));
}
static slt_var bits_and_a_layer(slt_probe *p) {
    slt_var w = slt_probe_parameter(p, 128, 128, -0.1, 0.1);
    return slt_dense(slt_probe_tape(p), bits_200(p), w, 0, SLT_LINEAR);
}
static slt_var dense_256(slt_probe *p) { return dense_of(p, 128, 256, SLT_LINEAR); }
static slt_var dense_288(slt_probe *p) { return dense_of(p, 96, 288, SLT_LINEAR); }
static slt_var dense_60(slt_probe *p) { return dense_of(p, 199, 60, SLT_LINEAR); }
static slt_var heads_of_16(slt_probe *p) { return attention_of(p, 80, 5); }
static slt_var heads_of_32(slt_probe *p) { return attention_of(p, 64, 2); }

// several blocks share the rows; more of them, where bits have a launch of their own
static const slt_probe_batch some = {
    .trajectories = 4, .slots = 1, .length = 70, .mean = 62, .seed = 10};
static const slt_probe_batch many = {
    .trajectories = 7, .slots = 1, .length = 70, .mean = 62, .seed = 10};

// the middle of an mlp is exact where all numbers are coarse: what is nearly zero could else be on
// either side of it
static void tensor_cores_agree_with_the_cpu(void **state) {
    (void)state;
    // as long as a block of the emulated device has room for
    const slt_probe_batch longer = {
        .trajectories = 3, .slots = 3, .length = 44, .mean = 30, .sd = 9, .seed = 8};
    const slt_probe_batch shorter = {
        .trajectories = 3, .slots = 3, .length = 32, .mean = 25, .sd = 6, .seed = 9};
    const struct {
        slt_var (*make)(slt_probe *);
        slt_probe_batch batch;
        bool coarse;
    } cases[] = {{mlp_64, BATCHES[3], true},       {mlp_64, BATCHES[4], true},
                 {mlp_128, BATCHES[3], true},      {mlp_128, BATCHES[5], true},
                 {mlp_256, BATCHES[3], true},      {mlp_256, BATCHES[4], true},
                 {mlp_narrow, BATCHES[3], true},   {heads_of_16, longer, false},
                 {heads_of_16, BATCHES[4], false}, {heads_of_32, shorter, false},
                 {heads_of_32, BATCHES[5], false}, {bits_200, many, false},
                 {bits_200, some, false},          {dense_256, some, false},
                 {bits_and_a_layer, some, false},  {bits_and_a_layer, many, false}};
    slt_precision strict = device->precision;
    device->precision = SLT_TF32;
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        const char *where;
        bool coarse = cases[c].coarse;
        grain = coarse ? 0.125f : 0;
        double error = case_error(cases[c].batch, cases[c].make, &where);
        double most = coarse ? TOLERANCE : TF32_TOLERANCE, least = coarse ? -1 : TF32_LEAST;
        if (!(error < most && error > least))
            fail_msg("case %zu: error %.3g in %s", c, error, where);
    }
    device->precision = strict;
    grain = 0;
}

extern bool emulated_exact __attribute__((weak)); // it can leave the rounding out

// ---- bf16: the middle of an MLP has room for rounded factors where there are many rows

static slt_var mlp_added(slt_probe *p) {
    slt_var x = slt_probe_numbers(p, SLT_SLOT_TOKENS, 0, 16, -1, 1);
    slt_var w1 = slt_probe_parameter(p, 16, 64, -1, 1), c1 = slt_probe_parameter(p, 1, 64, -1, 1);
    slt_var w2 = slt_probe_parameter(p, 64, 16, -1, 1), c2 = slt_probe_parameter(p, 1, 16, -1, 1);
    slt_tape *tape = slt_probe_tape(p); // every gradient is added to another
    return slt_add(tape, slt_mlp(tape, x, w1, c1, w2, c2), slt_mlp(tape, x, w1, c1, w2, c2));
}
static slt_var mlp_33(slt_probe *p) { return mlp_of(p, 16, 33, 8); }    // in float32
static slt_var mlp_520(slt_probe *p) { return mlp_of(p, 40, 520, 72); } // no whole tiles
static slt_var dense_48(slt_probe *p) { return dense_of(p, 24, 48, SLT_LINEAR); }
static slt_var dense_twice(slt_probe *p) { // every gradient is added to another
    slt_var x = slt_probe_numbers(p, SLT_SLOT_TOKENS, 0, 24, -1, 1);
    slt_var w = slt_probe_parameter(p, 24, 24, -1, 1), c = slt_probe_parameter(p, 1, 24, -1, 1);
    slt_tape *tape = slt_probe_tape(p);
    return slt_dense(tape, slt_dense(tape, x, w, c, SLT_LINEAR), w, c, SLT_LINEAR);
}
static slt_var dense_no_bias(slt_probe *p) {
    slt_var x = slt_probe_numbers(p, SLT_SLOT_TOKENS, 0, 32, -1, 1);
    return slt_dense(slt_probe_tape(p), x, slt_probe_parameter(p, 32, 40, -1, 1), 0, SLT_LINEAR);
}

// coarse numbers: factors are exact, so that no sign of the middle is in doubt. The middle and its
// gradient are rounded
static void layers_in_bf16_agree_with_the_cpu(void **state) {
    (void)state;
    // as many as make rounding worth while; the emulated device is slow, and asks for fewer
    const slt_probe_batch rows = {.trajectories = &emulated_exact ? 6 : 80,
                                  .slots = 4,
                                  .length = 30,
                                  .mean = 20,
                                  .sd = 6,
                                  .seed = 21,
                                  .spare = 2};
    const struct {
        slt_var (*make)(slt_probe *);
        double least;
    } cases[] = {{mlp_64, 1e-6}, {mlp_added, 1e-6}, {mlp_narrow, 1e-6},  {mlp_520, 1e-6},
                 {mlp_33, -1},   {dense_48, -1},    {dense_twice, 1e-6}, {dense_no_bias, -1}};
    slt_precision strict = device->precision;
    device->precision = SLT_BF16;
    grain = 0.125f;
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        const char *where;
        double error = case_error(rows, cases[c].make, &where);
        if (!(error < 1e-2 && error > cases[c].least))
            fail_msg("case %zu: error %.3g in %s", c, error, where);
    }
    device->precision = strict;
    grain = 0;
}

// ---- a Transformer layer after attention: one launch in tf32

typedef struct {
    slt_var (*make)(slt_probe *);
    slt_probe_batch batch;
    int width; // of its rows; 0: 128
} layer_case;

// is a part that was declared, more than a norm?
static bool is_one_launch(slt_probe_batch batch, slt_var (*make)(slt_probe *)) {
    slt_probe p;
    bool one = false;
    CHECK_OK(slt_probe_init(&p, device, batch, make));
    for (int fusion = 0, n = -1; slt_fused_part(p.tape, &fusion, &n);) {
        slt_fused fused;
        slt_tape_device(p.tape)->fused(p.tape, (slt_fusion)fusion, n, &fused);
        one |= !fused.why && fusion != SLT_FUSE_NORM;
    }
    slt_probe_deinit(&p);
    return one;
}

static void check_layers(const layer_case *cases, size_t count, void (*how)(slt_probe *),
                         double most, double least) {
    slt_precision strict = device->precision;
    device->precision = SLT_TF32;
    arrange = how;
    with_loss = false;
    for (size_t c = 0; c < count; c++) {
        const char *where;
        layer_width = cases[c].width ? cases[c].width : 128;
        if (cases[c].width && !is_one_launch(cases[c].batch, cases[c].make))
            fail_msg("case %zu is no launch", c);
        double error = case_error(cases[c].batch, cases[c].make, &where);
        if (!(error < most && error > least))
            fail_msg("case %zu: error %.3g in %s", c, error, where);
    }
    layer_width = 128;
    device->precision = strict;
    arrange = NULL;
    with_loss = true;
}

static void layers_agree_with_the_cpu(void **state) {
    (void)state;
    const layer_case cases[] = {
        {layer_wide, BATCHES[0]},         {layer_wide, BATCHES[4]},
        {layer_even, BATCHES[3]},         {layer_even, BATCHES[5]},
        {layer_with_head, BATCHES[4]},    {layer_with_head, BATCHES[1]},
        {layer_with_end, BATCHES[3]},     {layer_with_end, BATCHES[5]},
        {layer_640, BATCHES[0]},          {layer_wide, BATCHES[4], 96},
        {layer_with_end, BATCHES[3], 96}, {layer_wide, BATCHES[4], 64},
        {layer_with_end, BATCHES[5], 64}, {layer_with_less, BATCHES[5], 128}};
    check_layers(cases, sizeof cases / sizeof *cases, keep_from_zero, TF32_TOLERANCE, TF32_LEAST);
}

static void only_without_rounding(void) {
    if (&emulated_exact) return;
    print_message("# only the emulated device leaves the rounding out\n");
    skip();
}

static void layers_are_right_but_for_rounding(void **state) {
    (void)state;
    const layer_case cases[] = {
        {layer_wide, BATCHES[4]},           {layer_even, BATCHES[5]},
        {layer_with_head, BATCHES[1]},      {layer_with_end, BATCHES[3]},
        {layer_with_end, BATCHES[4]},       {layer_with_end, BATCHES[5]},
        {layer_with_less, BATCHES[3], 128}, {layer_with_less, BATCHES[4], 128}};
    only_without_rounding();
    emulated_exact = true;
    check_layers(cases, sizeof cases / sizeof *cases, keep_from_zero, TOLERANCE, -1);
    emulated_exact = false;
}

// a row, a block but for one row, a block, and one row more
static void layers_of_other_widths_are_right_but_for_rounding(void **state) {
    (void)state;
    const int widths[] = {64, 96}, rows[] = {1, 63, 64, 65};
    only_without_rounding();
    emulated_exact = true;
    for (int i = 0; i < 8; i++) {
        int n = rows[i % 4], width = widths[i / 4];
        slt_probe_batch line = {.trajectories = 1, .slots = 1, .length = n, .mean = n, .seed = 7};
        const layer_case cases[] = {{layer_with_end, line, width},
                                    {layer_even, line, width},
                                    {layer_with_head, BATCHES[i % 4], width},
                                    {layer_wide, BATCHES[4 + i % 2], width}};
        check_layers(cases, sizeof cases / sizeof *cases, keep_from_zero, TOLERANCE, -1);
    }
    emulated_exact = false;
}

static void weights_are_right_but_for_rounding(void **state) {
    (void)state;
    const layer_case cases[] = {{bits_200, BATCHES[4]},         {bits_200, some},
                                {bits_and_a_layer, BATCHES[4]}, {bits_and_a_layer, some},
                                {dense_256, BATCHES[4]},        {dense_256, some},
                                {dense_288, BATCHES[4]},        {dense_288, some},
                                {dense_60, BATCHES[0]},         {dense_60, some}};
    only_without_rounding();
    emulated_exact = true;
    check_layers(cases, sizeof cases / sizeof *cases, NULL, TOLERANCE, -1);
    emulated_exact = false;
}

// ---- what is before attention (fuse_decoder_input.c, fuse_encoder_input.c): one launch in tf32

// some sequences are longer than usual ones, and take more than one turn in a block
static const slt_probe_batch MIXED = {
    .trajectories = 5, .slots = 4, .length = 44, .mean = 12, .sd = 10, .seed = 11};
static const slt_probe_batch LONGER = {
    .trajectories = 3, .slots = 3, .length = 44, .mean = 30, .sd = 9, .seed = 13};
static const slt_probe_batch SHORTER = {
    .trajectories = 5, .slots = 4, .length = 32, .mean = 12, .sd = 10, .seed = 12};

static void check_fronts(double most, double least) {
    const layer_case cases[] = {{broadcast_8, BATCHES[0]},     {broadcast_8, BATCHES[4]},
                                {broadcast_8, MIXED},          {broadcast_4, SHORTER},
                                {broadcast_8, LONGER},         {broadcast_4, BATCHES[5]},
                                {broadcast_alone, BATCHES[4]}, {front_8, BATCHES[0]},
                                {front_8, BATCHES[4]},         {front_8, MIXED},
                                {front_alone, BATCHES[5]},     {heads_of_16, MIXED},
                                {heads_of_32, SHORTER},        {front_8, BATCHES[4], 96},
                                {front_alone, MIXED, 96},      {front_8, MIXED, 64},
                                {front_alone, BATCHES[5], 64}, {broadcast_16, MIXED, 128},
                                {broadcast_8, LONGER, 96},     {broadcast_8, BATCHES[4], 96},
                                {broadcast_alone, MIXED, 64},  {broadcast_4, BATCHES[5], 64}};
    check_layers(cases, sizeof cases / sizeof *cases, keep_table_from_zero, most, least);
}

static void fronts_agree_with_the_cpu(void **state) {
    (void)state;
    check_fronts(TF32_TOLERANCE, TF32_LEAST);
}

static void fronts_are_right_but_for_rounding(void **state) {
    (void)state;
    only_without_rounding();
    emulated_exact = true;
    check_fronts(TOLERANCE, -1);
    emulated_exact = false;
}

// ---- passes one after the other: results of one are read while the next is under way

enum { PASSES = 6, TOKENS = 5, WIDE = 3 };

typedef struct {
    int32_t offset[3], length[2], index[2];
    slt_real x[TOKENS * WIDE];
} fed;

// one to three tokens and two, other numbers in every pass
static void feed_pass(slt_tape *tape, slt_var x, fed *f, int n) {
    *f = (fed){.offset = {0, 1 + n % 3, 3 + n % 3}, .length = {1 + n % 3, 2}, .index = {0, 1}};
    for (int i = 0; i < TOKENS * WIDE; i++) f->x[i] = (slt_real)(100 * n + i);
    slt_tape_frame(tape, 0)->batch = (slt_batch){.count = 2,
                                                 .offset = f->offset,
                                                 .length = f->length,
                                                 .index = f->index,
                                                 .true_tokens = f->offset[2]};
    slt_tape_feed(tape, 0, x, f->x);
}

static void check_pass(slt_tape *tape, slt_var y, const fed *f) {
    CHECK_OK(slt_tape_end(tape));
    const slt_real *value = slt_tape_value(tape, 0, y);
    for (int i = 0; i < f->offset[2] * WIDE; i++) assert_float_equal(value[i], 2 * f->x[i], 0);
}

static void passes_take_turns(void **state) {
    (void)state;
    slt_store *store;
    slt_tape *tape;
    fed feeds[2];
    CHECK_OK(slt_store_create(device, 1, &store));
    CHECK_OK(slt_store_finish(store));
    CHECK_OK(slt_tape_create(store, (slt_limits){2, TOKENS, 1, 3}, &tape));
    slt_var x = slt_tape_input(tape, SLT_NUMBERS, (slt_shape){SLT_TOKENS, 0, WIDE}, "x");
    slt_var y = slt_add(tape, x, x);
    slt_tape_keep(tape, y);
    CHECK_OK(slt_tape_finish(tape, 0, false));
    assert_int_equal(slt_tape_ahead(tape), 2);
    for (int n = 0; n < PASSES; n++) {
        feed_pass(tape, x, &feeds[n % 2], n);
        CHECK_OK(slt_tape_begin(tape, -1));
        if (n > 0) check_pass(tape, y, &feeds[(n + 1) % 2]);
    }
    CHECK_OK(slt_tape_begin(tape, -1));
    CHECK_FAILS(SLT_INTERNAL, "more passes begun", slt_tape_begin(tape, -1));
    for (int i = 0; i < 2; i++) check_pass(tape, y, &feeds[(PASSES + 1) % 2]);
    CHECK_FAILS(SLT_INTERNAL, "no pass was begun", slt_tape_end(tape));
    slt_tape_destroy(tape);
    slt_store_destroy(store);
}

// ---- an operation without kernels

static slt_op unknown;

static slt_var unknown_case(slt_probe *probe) {
    slt_var inputs[2];
    for (int i = 0; i < 2; i++) inputs[i] = slt_probe_numbers(probe, SLT_TOKENS, 0, 2, -1, 1);
    return slt_tape_apply(slt_probe_tape(probe), &unknown, inputs, 2, NULL);
}

static void an_operation_without_kernels_is_refused_by_name(void **state) {
    (void)state;
    unknown = slt_op_add;
    unknown.name = "riddle";
    slt_probe probe;
    CHECK_FAILS(SLT_UNSUPPORTED, "operation 'riddle' does not run on cuda",
                slt_probe_init(&probe, device, BATCHES[0], unknown_case));
}

static slt_var wide_head(slt_probe *probe) {
    slt_var qkv = slt_probe_numbers(probe, SLT_TOKENS, 0, 3 * 130, -1, 1);
    return slt_attention(slt_probe_tape(probe), qkv, 2);
}

static void a_head_too_wide_is_refused(void **state) {
    (void)state;
    slt_probe probe;
    CHECK_FAILS(SLT_UNSUPPORTED, "at most 64 channels",
                slt_probe_init(&probe, device, BATCHES[0], wide_head));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_operation_agrees_with_the_cpu),
        cmocka_unit_test(other_sizes_agree_with_the_cpu),
        cmocka_unit_test(many_rows_agree_with_the_cpu),
        cmocka_unit_test(tensor_cores_agree_with_the_cpu),
        cmocka_unit_test(layers_in_bf16_agree_with_the_cpu),
        cmocka_unit_test(layers_agree_with_the_cpu),
        cmocka_unit_test(layers_are_right_but_for_rounding),
        cmocka_unit_test(layers_of_other_widths_are_right_but_for_rounding),
        cmocka_unit_test(weights_are_right_but_for_rounding),
        cmocka_unit_test(fronts_agree_with_the_cpu),
        cmocka_unit_test(fronts_are_right_but_for_rounding),
        cmocka_unit_test(passes_take_turns),
        cmocka_unit_test(an_operation_without_kernels_is_refused_by_name),
        cmocka_unit_test(a_head_too_wide_is_refused),
    };
    if (!cuda_rig_open("operations on the device")) return 0;
    int code = cmocka_run_group_tests(tests, NULL, NULL);
    cuda_rig_close();
    return code;
}
