// Symbol chains on the device: learning as on the CPU within rounding, the same paths and the same
// vote.
// sanitizers: too long
#include "cuda_rig.h"
#include "slottar/segmenter.h"
#include "switching/chain_random.h"
#include "switching/symbol_device.h"

enum { EPISODES = 24, VOTERS = 14, MOST = EPISODES * 200, A = 5 };

static uint16_t actions[MOST], effects[MOST];
static int64_t offsets[EPISODES + 1], order[EPISODES];

// Three segments of steps among 0, 1, 2, each with a favourite, then a 3; a 4 ends nothing. An
// effect comes with every 3 and some others. The second episode has one step; `longest`: the last
// has at least so many.
static slt_symbols make_symbols(int longest, bool with_effects) {
    slt_chain_random r;
    int64_t at = 0;
    slt_chain_random_init(&r, 3);
    for (int e = 0; e < EPISODES; e++) {
        int64_t first = at;
        int segments = e == 1 ? 0 : 3;
        for (int s = 0; s < segments || (e == EPISODES - 1 && at - first < longest); s++) {
            int64_t favourite = slt_chain_draw(&r, 3);
            for (int64_t n = 2 + slt_chain_draw(&r, 6); n > 0; n--) {
                int64_t a = slt_chain_draw(&r, 7);
                actions[at++] = (uint16_t)(n == 1 ? 3 : a < 3 ? a : a == 6 ? 4 : favourite);
            }
        }
        if (e == 1) actions[at++] = 2;
        offsets[e + 1] = at;
        order[e] = EPISODES - 1 - e;
    }
    for (int64_t t = 0; t < at; t++) {
        bool effect = actions[t] == 3 || (actions[t] != 4 && slt_chain_draw(&r, 3) == 0);
        effects[t] = (uint16_t)(actions[t] + (effect ? A : 0));
    }
    return (slt_symbols){EPISODES,
                         at,
                         offsets,
                         A,
                         with_effects ? 2 * A : A,
                         actions,
                         with_effects ? effects : actions};
}

static void check_chain(const slt_symbol_chain *want, const slt_symbol_chain *got, double most) {
    assert_int_equal(want->size, got->size);
    assert_int_equal(want->sweeps, got->sweeps);
    assert_memory_equal(want->group, got->group, sizeof want->group);
    double worst = 0;
    for (size_t i = 0; i < want->size; i++)
        worst = fmax(worst, fabs(want->values[i] - got->values[i]));
    printf("# family %d, %d laws, told %d, %d sweeps: off by %.2g, at most %.2g\n", want->family,
           want->K, want->N, want->sweeps, worst, most);
    if (!(worst <= most)) fail_msg("%d laws: values are off by %.3g", want->K, worst);
    assert_true(fabs(want->nats - got->nats) <= most);
    assert_true(fabs(want->stray - got->stray) <= most);
}

// the paths of both sides, of chains that were learned here
static void check_paths(slt_arena *arena, const slt_symbol_chain *const *chains,
                        const slt_symbols *const *symbols, int count) {
    size_t steps = (size_t)symbols[0]->steps;
    uint8_t *cut = calloc((size_t)count * steps, 1), *law = calloc((size_t)count * steps, 1);
    uint8_t *cut_here = calloc(steps, 1), *law_here = calloc(steps, 1);
    CHECK_OK(slt_symbol_segment_all(device, chains, symbols, count, cut, law));
    for (int i = 0; i < count; i++) {
        for (int64_t e = 0; e < EPISODES; e++) {
            slt_chain_path path = {.cut = cut_here + offsets[e], .law = law_here + offsets[e]};
            CHECK_OK(slt_symbol_segment(arena, chains[i], symbols[i], e, &path));
        }
        assert_memory_equal(cut + (size_t)i * steps, cut_here, steps);
        assert_memory_equal(law + (size_t)i * steps, law_here, steps);
    }
    free(cut);
    free(law);
    free(cut_here);
    free(law_here);
}

// chains of one family learned on both sides, with different laws, symbols and episodes
static void compare(slt_symbol_options options, int longest, double most) {
    enum { CHAINS = 4 };
    static const int laws[CHAINS] = {3, 8, 10, 1};
    slt_symbols plain = make_symbols(longest, false), more = make_symbols(longest, true);
    const slt_symbols *symbols[CHAINS] = {&plain, &more, &plain, &plain};
    const slt_symbol_chain *chains[CHAINS];
    slt_symbol_chain want[CHAINS], got[CHAINS], again[CHAINS];
    slt_symbol_job jobs[CHAINS], same[CHAINS];
    slt_arena arena;
    bool there;
    CHECK_OK(slt_symbol_on_device(device, &there));
    assert_true(there);
    slt_arena_init(&arena, &host->allocator, 0);
    for (int i = 0; i < CHAINS; i++) {
        if (options.family == SLT_CHAIN_PHASES) symbols[i] = &plain;
        options.laws = laws[i];
        options.seed = 7 + (uint64_t)i;
        jobs[i] = (slt_symbol_job){.options = options,
                                   .symbols = symbols[i],
                                   .episodes = order,
                                   .count = EPISODES - 3 * i, // members of different sizes
                                   .arena = &arena,
                                   .out = &got[i]};
        CHECK_OK(slt_symbol_fit(&arena, symbols[i], order, jobs[i].count, &options, &want[i]));
        chains[i] = &want[i];
    }
    for (int i = 0; i < CHAINS; i++) {
        same[i] = jobs[i];
        same[i].out = &again[i];
    }
    CHECK_OK(slt_symbol_fit_all(device, jobs, CHAINS));
    CHECK_OK(slt_symbol_fit_all(device, same, CHAINS));
    for (int i = 0; i < CHAINS; i++) {
        assert_true(jobs[i].done);
        check_chain(&want[i], &got[i], most);
        assert_memory_equal(got[i].values, again[i].values, sizeof(double) * got[i].size);
    }
    check_paths(&arena, chains, symbols, CHAINS);
    slt_arena_deinit(&arena);
}

// differences grow with the sweeps
static const double FIRST = 1e-13, SETTLED = 1e-11;

static void events(void **state) {
    (void)state;
    compare((slt_symbol_options){.sweeps = 1}, 0, FIRST);
    compare((slt_symbol_options){.sweeps = 30, .starts = 4}, 0, SETTLED);
}

static void phases(void **state) {
    (void)state;
    compare((slt_symbol_options){.family = SLT_CHAIN_PHASES, .sweeps = 1}, 0, FIRST);
    compare((slt_symbol_options){.family = SLT_CHAIN_PHASES, .sweeps = 30}, 0, SETTLED);
}

static void told(void **state) {
    (void)state;
    static const double prior[] = {0, .1, .8, 0, .1};
    slt_symbol_options o = {.sweeps = 1, .count_prior = prior, .counts = 5};
    compare(o, 0, FIRST);
    o.sweeps = 5, o.starts = 2;
    compare(o, 0, SETTLED);
    o.family = SLT_CHAIN_PHASES, o.starts = 0;
    compare(o, 0, SETTLED);
}

// more segments than the chains' numbers allow: episodes are read as if nothing were told
static void told_too_much(void **state) {
    (void)state;
    static const double prior[130] = {[129] = 1};
    compare(
        (slt_symbol_options){
            .family = SLT_CHAIN_PHASES, .sweeps = 2, .count_prior = prior, .counts = 130},
        150, SETTLED);
}

// ---- the vote

typedef struct {
    int64_t count;
    int32_t step[MOST];
} found;

static slt_status note(void *user, const slt_segments *s) {
    found *f = user;
    for (int i = 0; i < s->boundary_count; i++)
        f->step[f->count++] = (int32_t)offsets[s->episode] + s->boundaries[i];
    return SLT_OK;
}

// out: of both groups
static void vote(slt_context *context, const slt_symbols *symbols, found *out) {
    static int32_t wide[MOST];
    for (int64_t t = 0; t < symbols->steps; t++) wide[t] = symbols->action[t];
    slt_dataset_arrays arrays = {.info = {.action_kind = SLT_ACTIONS_DISCRETE, .action_count = A},
                                 .episodes = VOTERS,
                                 .offsets = offsets,
                                 .actions_i32 = wide};
    slt_segmenter_options options = {.runs = 4, .seed = 1};
    slt_dataset *data;
    slt_segmenter *s;
    CHECK_OK(slt_dataset_view_arrays(context, &arrays, &data));
    CHECK_OK(slt_segmenter_fit(context, data, &options, &s));
    assert_int_equal(slt_segmenter_result(s)->group_count, 2);
    for (int g = 0; g < 2; g++) {
        CHECK_OK(slt_segmenter_take(s, slt_segmenter_result(s)->groups[g].name, 0));
        CHECK_OK(slt_segmenter_segment(s, data, NULL, note, &out[g]));
    }
    slt_segmenter_close(s);
    slt_dataset_close(data);
}

static void same_vote(void **state) {
    (void)state;
    static found here[2], there[2];
    slt_symbols symbols = make_symbols(0, false);
    vote(host, &symbols, here);
    vote(device, &symbols, there);
    for (int g = 0; g < 2; g++) {
        int64_t shared = 0; // rounding may decide between paths that are as likely as each other
        for (int64_t i = 0; i < here[g].count; i++)
            for (int64_t j = 0; j < there[g].count; j++)
                shared += here[g].step[i] == there[g].step[j];
        assert_true(here[g].count > VOTERS);
        assert_true((double)shared >= .97 * (double)here[g].count);
        assert_true((double)shared >= .97 * (double)there[g].count);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(events),        cmocka_unit_test(phases),    cmocka_unit_test(told),
        cmocka_unit_test(told_too_much), cmocka_unit_test(same_vote),
    };
    if (!cuda_rig_open("symbol chains on the device")) return 0;
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    cuda_rig_close();
    return failed;
}
