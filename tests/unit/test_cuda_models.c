// Training CompILE, OMPN, slottar-mdl, and SloTTAr with action vectors, on the device: the losses
// of the CPU within rounding, the same bits again from the same seed, members of a population as
// they would be alone. sanitizers: too long
#include <string.h>
#include "core/philox.h"
#include "cuda_rig.h"
#include "models/model_kind.h"
#include "vector_rig.h"

enum { STEPS = 4, MEMBERS = 2 }; // one by node, one captured, two replayed
enum { B = 5, L = 6, D = 6, SYMBOLS = 5, SLOTS = 8, DONE = SYMBOLS - 1 };

// small enough for the emulated device
static const struct {
    const char *model, *settings;
    bool vectors;
} SUBJECTS[] = {
    {"compile", "hidden=12 segments=3", false},
    {"compile", "hidden=12 segments=3", true},
    {"ompn", "hidden=8 depth=3", true},
    {"slottar", "hidden=8 heads=2 slots=4 slot_size=8", true},
    {"compile", "hidden=12 segments=3 latent=concrete compile_enc=masked count=oracle", false},
    {"ompn", "hidden=8 depth=3", false},
    {"ompn", "hidden=6 depth=2 bptt=3", false},
    {"slottar-mdl",
     "hidden=8 heads=2 window=3 slots=3 boundary_input=joint boundaries=free exception_cost=1 "
     "gamma=2",
     false},
    {"slottar-mdl", "hidden=8 heads=2 window=3 slots=4 boundary_input=auto boundaries=coded code=2",
     false},
    {"slottar-mdl",
     "hidden=8 heads=2 window=2 slots=3 boundary_input=context boundaries=free code=3 "
     "exception_cost=1",
     false},
};
enum { COUNT = sizeof SUBJECTS / sizeof *SUBJECTS };

typedef struct {
    const slt_model_kind *kind;
    char options[SLT_MODEL_OPTIONS], vars[SLT_MODEL_VARS];
    slt_model_io io;
    slt_store *store;
    slt_tape *tape;
    slt_arena arena;
    int members;
    bool vectors;
} subject;

typedef struct {
    double loss[STEPS], norm[STEPS];
} history;

// ---- a model and its data

static void set_options(subject *s, const char *settings) {
    const slt_options tables[] = {{s->kind->rows(), s->options}, {NULL, NULL}};
    char text[128], *rest = text;
    CHECK_OK(slt_options_defaults(tables));
    snprintf(text, sizeof text, "%s", settings);
    for (char *one; (one = strsep(&rest, " "));) CHECK_OK(slt_options_set(tables, one));
    if (s->kind->resolve) s->kind->resolve(s->options, &(slt_prior_shape){3, true, true});
}

static void start(subject *s, int member, uint64_t seed) {
    slt_step *step = &slt_tape_frame(s->tape, member)->step;
    CHECK_OK(slt_store_init(s->store, member, seed));
    *step = (slt_step){.seed = seed, .active = true, .learning_rate = (slt_real)1e-3};
    step->adam_epsilon = (slt_real)1e-7;
    s->kind->step(s->options, true, step);
}

static void open_subject(subject *s, slt_context *context, int which, int members) {
    static const double prior[SLOTS] = {0.2, 0.5, 0.2, 0.1};
    *s = (subject){.kind = slt_model_find(SUBJECTS[which].model),
                   .members = members,
                   .vectors = SUBJECTS[which].vectors};
    set_options(s, SUBJECTS[which].settings);
    slt_limits limits = {B, B * L, s->kind->slots(s->options), L};
    slt_model_data data = {.symbols = SYMBOLS, .observation = D, .length = L, .prior = prior};
    if (s->vectors) vector_data(&data);
    slt_arena_init(&s->arena, &slt_system_allocator, 0);
    CHECK_OK(slt_store_create(context, members, &s->store));
    CHECK_OK(slt_tape_create(s->store, limits, &s->tape));
    s->kind->build(s->tape, s->options, &data, true, s->vars);
    s->io = s->kind->io(s->vars);
    slt_tape_watch(s->tape, &s->io.loss, 1);
    CHECK_OK(slt_store_finish(s->store));
    CHECK_OK(slt_tape_finish(s->tape, s->io.loss, false));
    for (int m = 0; m < members; m++) start(s, m, (uint64_t)m + 3);
}

static void close_subject(subject *s) {
    slt_tape_destroy(s->tape);
    slt_store_destroy(s->store);
    slt_arena_deinit(&s->arena);
}

static uint32_t word_of(uint64_t seed, int row, int c) {
    return slt_random_words(seed, SLT_RANDOM_TEST, (uint64_t)row, (uint32_t)c).word[0];
}

static void make_batch(subject *s, uint64_t seed, slt_batch *batch) {
    int K = s->kind->slots(s->options), count = 3 + (int)(word_of(seed, 0, 900) % (B - 2));
    int32_t *offset, *length, *index, *companion;
    CHECK_OK(SLT_NEW(&s->arena, &offset, B + 1));
    CHECK_OK(SLT_NEW(&s->arena, &length, B));
    CHECK_OK(SLT_NEW(&s->arena, &index, B));
    CHECK_OK(SLT_NEW(&s->arena, &companion, (size_t)(B * K)));
    *batch = (slt_batch){count, offset, length, index, companion, 0};
    for (int b = 0; b < count; b++) {
        length[b] = 2 + (int32_t)(word_of(seed, b, 901) % (L - 1));
        offset[b + 1] = offset[b] + length[b];
        index[b] = b;
        batch->true_tokens += length[b];
        for (int k = 0; k < K; k++) companion[b * K + k] = b;
    }
}

static void feed(subject *s, int member, uint64_t seed) {
    slt_batch *batch = &slt_tape_frame(s->tape, member)->batch;
    int32_t *actions, *effects, *counts;
    slt_real *numbers, *vectors;
    make_batch(s, seed, batch);
    CHECK_OK(SLT_NEW(&s->arena, &vectors, B * L * VECTOR_WIDTH));
    CHECK_OK(SLT_NEW(&s->arena, &actions, B * L));
    CHECK_OK(SLT_NEW(&s->arena, &effects, B * L));
    CHECK_OK(SLT_NEW(&s->arena, &counts, B));
    CHECK_OK(SLT_NEW(&s->arena, &numbers, B * L * D));
    for (int row = 0; row < batch->offset[batch->count]; row++) {
        actions[row] = (int32_t)(word_of(seed, row, 902) % DONE);
        effects[row] = actions[row] + (word_of(seed, row, 904) % 2 ? DONE + 1 : 0);
        for (int c = 0; c < D; c++)
            numbers[row * D + c] = (slt_real)(2 * slt_random_unit(word_of(seed, row, c)) - 1);
    }
    for (int b = 0; b < batch->count; b++) {
        if (s->kind->done) actions[batch->offset[b + 1] - 1] = DONE;
        counts[b] = 1 + (int32_t)(word_of(seed, b, 903) % 3);
    }
    vector_rows(actions, batch->offset[batch->count], DONE, seed, vectors);
    slt_tape_feed(s->tape, member, s->io.actions, s->vectors ? (const void *)vectors : actions);
    if (s->io.observations) slt_tape_feed(s->tape, member, s->io.observations, numbers);
    if (s->io.effects) slt_tape_feed(s->tape, member, s->io.effects, effects);
    if (s->io.counts) slt_tape_feed(s->tape, member, s->io.counts, counts);
}

// `seed` chooses the batches; members have batches of their own
static void train(subject *s, uint64_t seed, history *out) {
    for (int i = 0; i < STEPS; i++) {
        for (int m = 0; m < s->members; m++) {
            slt_step *step = &slt_tape_frame(s->tape, m)->step;
            feed(s, m, seed + 100 * (uint64_t)m + (uint64_t)i);
            step->step++;
            step->adam_count++;
        }
        cuda_rig_poison(s->tape);
        CHECK_OK(slt_tape_step(s->tape));
    }
    for (int m = 0; m < s->members; m++)
        for (int i = 0; i < STEPS; i++) {
            slt_step_stats note;
            bool there;
            CHECK_OK(slt_tape_stats(s->tape, m, true, &note, &there));
            assert_true(there);
            out[m].loss[i] = (double)note.value[0];
            out[m].norm[i] = note.norm;
        }
}

// ---- what holds

static void check_near(const history *want, const history *got, int which) {
    for (int i = 0; i < STEPS; i++) {
        double loss = fabs(want->loss[i] - got->loss[i]) / fabs(want->loss[i]);
        double norm = fabs(want->norm[i] - got->norm[i]) / want->norm[i];
        // rounding grows with the steps: Adam divides small gradients by their own size
        if (!(loss < 1e-5 * (1 << i)) || !(norm < 1e-4 * (1 << i)))
            fail_msg("%s %s, step %d: loss %.9g, not %.9g; norm %.9g, not %.9g",
                     SUBJECTS[which].model, SUBJECTS[which].settings, i, got->loss[i],
                     want->loss[i], got->norm[i], want->norm[i]);
    }
}

static void losses_are_those_of_the_cpu(void **state) {
    (void)state;
    for (int i = 0; i < COUNT; i++) {
        subject a, b;
        history want, got;
        open_subject(&a, host, i, 1);
        open_subject(&b, device, i, 1);
        train(&a, 1, &want);
        train(&b, 1, &got);
        check_near(&want, &got, i);
        close_subject(&a);
        close_subject(&b);
    }
}

static void the_same_seed_gives_the_same_bits(void **state) {
    (void)state;
    for (int i = 0; i < COUNT; i++) {
        subject a, b;
        history one[MEMBERS], two[MEMBERS];
        open_subject(&a, device, i, MEMBERS);
        open_subject(&b, device, i, MEMBERS);
        train(&a, 1, one);
        train(&b, 1, two);
        assert_memory_equal(one, two, sizeof one);
        CHECK_OK(slt_store_fetch(a.store));
        CHECK_OK(slt_store_fetch(b.store));
        assert_memory_equal(a.store->value, b.store->value, a.store->size * sizeof(slt_real));
        close_subject(&a);
        close_subject(&b);
    }
}

static void members_learn_as_they_would_alone(void **state) {
    (void)state;
    for (int i = 0; i < COUNT; i++) {
        subject all, alone;
        history many[MEMBERS], one;
        open_subject(&all, device, i, MEMBERS);
        train(&all, 1, many);
        for (int m = 0; m < MEMBERS; m++) {
            open_subject(&alone, host, i, 1);
            start(&alone, 0, (uint64_t)m + 3);
            train(&alone, 1 + 100 * (uint64_t)m, &one);
            check_near(&one, &many[m], i);
            close_subject(&alone);
        }
        close_subject(&all);
    }
}

// what asks the other processes in the middle of a step cannot wait for them on the device
static slt_status do_nothing(void *user, void *numbers, size_t count, size_t width) {
    (void)user, (void)numbers, (void)count, (void)width;
    return SLT_OK;
}
static slt_status say_nothing(void *user, void *bytes, size_t count, int from) {
    (void)user, (void)bytes, (void)count, (void)from;
    return SLT_OK;
}
static slt_status gather_nothing(void *user, const void *mine, size_t count, void *all,
                                 const size_t *counts) {
    (void)user, (void)mine, (void)count, (void)all, (void)counts;
    return SLT_OK;
}

static void a_collective_operation_is_refused_in_a_group(void **state) {
    (void)state;
    slt_group group = {0, 2, do_nothing, say_nothing, gather_nothing, NULL};
    slt_context *together;
    CHECK_OK(slt_context_create(
        &(slt_context_options){.threads = 1, .device = "cuda", .group = &group}, &together));
    subject s = {.kind = slt_model_find("slottar-mdl")};
    set_options(&s, "slots=3 boundary_input=action");
    slt_model_data data = {.symbols = SYMBOLS, .length = L, .prior = (const double[4]){1}};
    CHECK_OK(slt_store_create(together, 1, &s.store));
    CHECK_OK(slt_tape_create(s.store, (slt_limits){B, B * L, 3, L}, &s.tape));
    s.kind->build(s.tape, s.options, &data, true, s.vars);
    CHECK_OK(slt_store_finish(s.store));
    CHECK_FAILS(SLT_UNSUPPORTED, "'count_kl' asks the other processes",
                slt_tape_finish(s.tape, s.kind->io(s.vars).loss, false));
    slt_tape_destroy(s.tape);
    slt_store_destroy(s.store);
    slt_context_destroy(together);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(losses_are_those_of_the_cpu),
        cmocka_unit_test(the_same_seed_gives_the_same_bits),
        cmocka_unit_test(members_learn_as_they_would_alone),
        cmocka_unit_test(a_collective_operation_is_refused_in_a_group),
    };
    if (!cuda_rig_open("training the other models on the device")) return 0;
    int code = cmocka_run_group_tests(tests, NULL, NULL);
    cuda_rig_close();
    return code;
}
