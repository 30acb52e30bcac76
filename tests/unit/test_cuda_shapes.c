// SloTTAr on the device against the CPU at the edges of its families of shapes: loss and gradients
// of one batch in fp32, tf32 and bf16. sanitizers: too long
//
// How far may they be apart? A gradient is a sum of many terms of both signs, so no share of its
// own size bounds what rounding does to it: a sum over 2000 steps may be a hundredth of its terms.
// What rounding may do is asked of the CPU instead: weights moved by one unit of the precision, up
// or down at random, move each parameter's gradient by some distance. The device rounds weights as
// much, and next to them activations and gradients: three factors of a product for the one that the
// CPU was asked for, which is sqrt(3) distances where they are independent, and ROOM for that they
// are not quite. A gradient may also be zero by a symmetry that moved weights respect and rounded
// activations do not (a softmax over one key, the same shift of all keys): there its error is a
// unit of what was cancelled, which is no larger than the whole gradient.
#include "cuda_rig.h"
#include "slottar_rig.h"

// the emulated device is slow
extern bool emulated_exact __attribute__((weak));

enum { DRAWS = 3 };
static const double ROOM = 2;

typedef struct {
    int width, heads, slots, length, batch;
    int members;  // 0: one
    bool vectors; // actions are vectors
    bool other;   // dropout, two layers, and no norm where rows are joined
} edge;

static const edge EDGES[] = {
    {32, 4, 3, 9, 3},  // heads of 8
    {48, 4, 2, 12, 2}, // of 12
    {80, 2, 1, 7, 2},  // of 40; one slot
    {64, 1, 3, 20, 2}, // of 64
    {96, 8, 2, 2, 2},  // of 12; two steps
    {32, 4, 32, 5, 2}, // 32 slots
    {32, 4, 3, 1, 3},  // one step
    {48, 4, 2, 70, 1},
    {32, 2, 9, 140, 1}, // more slots than a fused launch takes, by chunks
    {32, 2, 3, 9, 3, .members = 2},
    {32, 2, 3, 9, 3, .vectors = true},
    {24, 2, 3, 9, 3, .other = true},
};
// too much for the emulated device, and for a sanitizer (SLT_BRIEF)
static const edge LARGE[] = {
    {512, 8, 8, 40, 4},  {512, 64, 2, 33, 2}, {512, 8, 2, 2000, 1},  {64, 8, 8, 2000, 2},
    {32, 4, 32, 500, 2}, {80, 10, 1, 200, 4}, {96, 12, 32, 2, 4},    {256, 4, 8, 65, 8},
    {128, 16, 8, 65, 8}, {48, 4, 4, 1000, 2}, {256, 32, 16, 300, 2},
};

static void open_edge(rig *r, slt_context *context, const edge *e) {
    rig_shape shape = {.B = e->batch,
                       .L = e->length,
                       .K = e->slots,
                       .D = 7,
                       .shortest = e->length > 4 ? e->length * 3 / 5 : e->length,
                       .longest = e->length,
                       .vectors = e->vectors};
    rig_defaults(r, shape);
    r->options.hidden = r->options.slot_size = e->width;
    r->options.heads = e->heads;
    r->options.pre_slot_mlp = true;
    r->options.decoder_pairing = SLT_PAIRING_OWN;
    if (e->other) r->options.dropout = 0.2, r->options.layers = 2, r->options.joint_norm = false;
    r->members = e->members ? e->members : 1;
    r->context = context;
    slt_model_data data = {.symbols = RIG_SYMBOLS,
                           .observation = shape.D,
                           .observation_type = SLT_NUMBERS,
                           .prior = r->prior};
    if (e->vectors) vector_data(&data);
    slt_limits limits = {e->batch, e->batch * e->length, e->slots, e->length};
    slt_arena_init(&r->arena, &slt_system_allocator, 0);
    CHECK_OK(slt_store_create(context, r->members, &r->store));
    CHECK_OK(slt_tape_create(r->store, limits, &r->tape));
    r->model = slt_slottar_build(r->tape, &r->options, &data, true);
    CHECK_OK(slt_store_finish(r->store));
    CHECK_OK(slt_tape_finish(r->tape, r->model.loss, false));
    for (int m = 0; m < r->members; m++) { // all the same
        rig_start(r, m, 3);
        rig_feed(r, m, 1);
    }
}

static void run(rig *r) {
    cuda_rig_poison(r->tape);
    rig_gradients(r);
    CHECK_OK(slt_store_fetch(r->store));
}

// ---- distances of gradients, parameter by parameter

// columns whose gradient is zero but for rounding are left out
static bool counts(const slt_parameter *p, int column) {
    int end = 0;
    for (int k = 0; k < p->parts; k++) {
        end += p->part[k].columns;
        if (column < end) return column < end - p->part[k].zero_columns;
    }
    return true;
}

// squared; from may be NULL: of its size. Members lie next to each other
static double distance(const rig *r, int parameter, const slt_real *block, const slt_real *from) {
    const slt_parameter *p = &r->store->parameters[parameter];
    double sum = 0;
    for (int i = 0; i < p->rows * p->columns * r->members; i++) {
        size_t at = p->offset + (size_t)i;
        double d = (double)block[at] - (from ? (double)from[at] : 0);
        if (counts(p, i % p->columns)) sum += d * d;
    }
    return sum;
}

// weights a unit up or down
static void move_weights(rig *r, const slt_real *values, double unit, uint64_t seed) {
    for (size_t i = 0; i < r->store->size; i++) {
        uint32_t word = slt_random_words(seed, SLT_RANDOM_TEST, i, 0).word[0];
        r->store->value[i] = (slt_real)((double)values[i] * (word % 2 ? 1 + unit : 1 - unit));
    }
}

typedef struct {
    slt_real *gradient;  // of the CPU
    double loss, spread; // and how far its loss moves with its weights
    double size, *moved; // of the whole gradient; of each parameter's, how far it moves
} reference;

static slt_real *copied(const slt_real *from, size_t count) {
    slt_real *copy = malloc(count * sizeof *copy);
    assert_non_null(copy);
    memcpy(copy, from, count * sizeof *copy);
    return copy;
}

static reference ask_cpu(const edge *e, double unit) {
    rig r;
    open_edge(&r, host, e);
    run(&r);
    int parameters = r.store->count;
    reference ref = {.gradient = copied(r.store->gradient, r.store->size),
                     .loss = (double)rig_loss(&r, 0),
                     .moved = calloc((size_t)parameters, sizeof(double))};
    slt_real *values = copied(r.store->value, r.store->size);
    for (int p = 0; p < parameters; p++) ref.size += distance(&r, p, ref.gradient, NULL);
    for (int i = 0; i < DRAWS; i++) {
        move_weights(&r, values, unit, (uint64_t)i + 1);
        run(&r);
        for (int p = 0; p < parameters; p++)
            ref.moved[p] += distance(&r, p, r.store->gradient, ref.gradient) / DRAWS;
        ref.spread += fabs((double)rig_loss(&r, 0) - ref.loss) / DRAWS;
    }
    ref.size = sqrt(ref.size);
    for (int p = 0; p < parameters; p++) ref.moved[p] = sqrt(ref.moved[p]);
    free(values);
    rig_destroy(&r);
    return ref;
}

// ---- comparing

// the unit of a precision, and how many of it sums of so many terms add
typedef struct {
    slt_precision precision;
    double unit;
    bool sums_round; // float32 factors are exact: what is rounded are sums, at every addition
} arithmetic;

static int compare(const edge *e, arithmetic with) {
    reference want = ask_cpu(e, with.unit);
    rig got;
    slt_precision strict = device->precision;
    device->precision = with.precision;
    open_edge(&got, device, e);
    run(&got);
    double rows = (double)e->batch * e->length * e->slots;
    double room = ROOM * sqrt(3) * (with.sums_round ? sqrt(rows) : 1);
    double loss = fabs((double)rig_loss(&got, 0) - want.loss), worst = 0;
    int wrong = 0;
    for (int p = 0; p < got.store->count; p++) {
        double error = sqrt(distance(&got, p, got.store->gradient, want.gradient));
        double most = room * want.moved[p] + with.unit * want.size;
        worst = error > worst * most ? error / most : worst;
        if (error <= most) continue;
        print_error("width %d, %d heads, %d slots, length %d: %s is %.3g off, %.3g at most\n",
                    e->width, e->heads, e->slots, e->length, got.store->parameters[p].part[0].name,
                    error, most);
        wrong++;
    }
    double near = room * want.spread + with.unit * fabs(want.loss);
    if (!(loss <= near)) {
        print_error("width %d, %d heads, %d slots, length %d: loss is %.3g off, %.3g at most\n",
                    e->width, e->heads, e->slots, e->length, loss, near);
        wrong++;
    }
    print_message("# width %d, %d heads, %d slots, length %d: gradients %.2g of what they may be "
                  "off, loss %.2g\n",
                  e->width, e->heads, e->slots, e->length, worst, loss / near);
    device->precision = strict;
    free(want.gradient);
    free(want.moved);
    rig_destroy(&got);
    return wrong;
}

static bool has_time(void) {
#ifdef SLT_BRIEF
    return false;
#else
    return !&emulated_exact;
#endif
}

static void compare_all(arithmetic with) {
    int wrong = 0;
    for (size_t i = 0; i < sizeof EDGES / sizeof *EDGES; i++) wrong += compare(&EDGES[i], with);
    for (size_t i = 0; has_time() && i < sizeof LARGE / sizeof *LARGE; i++)
        wrong += compare(&LARGE[i], with);
    assert_int_equal(wrong, 0);
}

// half a unit of the last place of a factor: 24, 11 and 8 bits; a float32 cannot move by less than
// one
static void edges_agree_in_fp32(void **state) {
    (void)state;
    compare_all((arithmetic){SLT_FP32, 0x1p-23, true});
}
static void edges_agree_in_tf32(void **state) {
    (void)state;
    compare_all((arithmetic){SLT_TF32, 0x1p-11, false});
}
static void edges_agree_in_bf16(void **state) {
    (void)state;
    compare_all((arithmetic){SLT_BF16, 0x1p-8, false});
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(edges_agree_in_fp32),
        cmocka_unit_test(edges_agree_in_tf32),
        cmocka_unit_test(edges_agree_in_bf16),
    };
    if (!cuda_rig_open("edges of shapes on the device")) return 0;
    int code = cmocka_run_group_tests(tests, NULL, NULL);
    cuda_rig_close();
    return code;
}
