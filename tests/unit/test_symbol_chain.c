// Chains of discrete laws: forward-backward and the likeliest path against the enumeration of all
// paths, EM, and what it finds in planted data.
#include <math.h>
#include <stdlib.h>
#include "check.h"
#include "switching/chain_random.h"
#include "switching/symbol_chain.h"

enum { LONGEST = 64, EPISODES = 120 };

static slt_arena arena;
static slt_chain_random source;

static int begin(void **state) {
    (void)state;
    slt_arena_init(&arena, &slt_system_allocator, 0);
    slt_chain_random_init(&source, 5);
    return 0;
}

static int end(void **state) {
    (void)state;
    slt_arena_deinit(&arena);
    return 0;
}

// ---- data

static slt_symbols new_symbols(int64_t episodes, int A, bool effects) {
    slt_symbols s = {.episodes = 0, .A = A, .Q = effects ? 2 * A : A};
    int64_t *offsets;
    CHECK_OK(SLT_NEW(&arena, &offsets, (size_t)episodes + 1));
    CHECK_OK(SLT_NEW(&arena, &s.action, (size_t)(episodes * LONGEST)));
    CHECK_OK(SLT_NEW(&arena, &s.symbol, (size_t)(episodes * LONGEST)));
    s.offsets = offsets;
    return s;
}

static void put(slt_symbols *s, int64_t action, int64_t symbol) {
    s->action[s->steps] = (uint16_t)action;
    s->symbol[s->steps++] = (uint16_t)symbol;
}

static void finish(slt_symbols *s) { ((int64_t *)s->offsets)[++s->episodes] = s->steps; }

static slt_symbols random_symbols(int64_t episodes, int64_t length, int A, bool effects) {
    slt_symbols s = new_symbols(episodes, A, effects);
    for (int64_t e = 0; e < episodes; e++, finish(&s))
        for (int64_t t = 0; t < length; t++) {
            int64_t a = slt_chain_draw(&source, A);
            put(&s, a, a + (effects && slt_chain_draw(&source, 2) ? A : 0));
        }
    return s;
}

// ---- chains

static void fill_rows(double *values, int rows, int count, int K) {
    for (int r = 0; r < rows; r++)
        for (int k = 0; k < K; k++) {
            double sum = 0, *row = values + r * count * K + k;
            for (int i = 0; i < count; i++) sum += row[i * K] = .05 + slt_chain_unit(&source);
            for (int i = 0; i < count; i++) row[i * K] /= sum;
        }
}

static slt_symbol_chain random_chain(slt_symbol_family family, int K, const slt_symbols *s,
                                     const double *prior, int counts) {
    slt_symbol_options o = {.family = family, .laws = K, .count_prior = prior, .counts = counts};
    slt_symbol_chain c;
    CHECK_OK(slt_symbol_chain_init(&arena, &o, s->A, s->Q, &c));
    if (c.B) fill_rows(c.B, c.A, c.A, K);
    fill_rows(c.S, 1, c.A, K);
    fill_rows(c.T, K, K, 1);
    fill_rows(c.pi, 1, K, 1);
    for (int q = 0; c.h && q < c.Q; q++) c.h[q] = .05 + .9 * slt_chain_unit(&source);
    return c;
}

// ---- all paths of an episode

typedef struct {
    const slt_symbol_chain *c;
    const uint16_t *action, *symbol;
    int length, law[LONGEST];
    uint8_t cut[LONGEST];
    double total, chance[LONGEST];
    double best, best_of[64]; // of all paths, and of those with these boundaries (a bit each)
} paths;

static void visit_end(paths *p, double chance, int segments) {
    const slt_symbol_chain *c = p->c;
    if (c->family == SLT_CHAIN_EVENTS) chance *= c->h[p->symbol[p->length - 1]];
    if (c->N) chance *= segments <= c->N ? c->count_prior[segments - 1] : 0;
    p->total += chance;
    int boundaries = 0;
    for (int t = 0; t + 1 < p->length; t++) {
        p->chance[t] += p->cut[t] ? chance : 0;
        boundaries |= p->cut[t] << t;
    }
    p->best = fmax(p->best, chance);
    p->best_of[boundaries] = fmax(p->best_of[boundaries], chance);
}

static void visit(paths *p, int t, double chance, int segments) {
    const slt_symbol_chain *c = p->c;
    int K = c->K;
    if (t == p->length) {
        visit_end(p, chance, segments);
        return;
    }
    int a = p->action[t];
    for (int k = 0; k < K; k++) {
        double S = c->S[a * K + k];
        p->law[t] = k;
        if (!t) {
            visit(p, 1, c->pi[k] * S, 1);
            continue;
        }
        int j = p->law[t - 1], before = p->action[t - 1];
        double T = c->T[j * K + k];
        if (c->family == SLT_CHAIN_PHASES) {
            p->cut[t - 1] = c->group[j] != c->group[k];
            visit(p, t + 1, chance * T * S, segments + p->cut[t - 1]);
            continue;
        }
        double h = c->h[p->symbol[t - 1]];
        p->cut[t - 1] = 1;
        visit(p, t + 1, chance * h * T * S, segments + 1);
        p->law[t] = k;
        p->cut[t - 1] = 0;
        if (j == k) visit(p, t + 1, chance * (1 - h) * c->B[(before * c->A + a) * K + k], segments);
    }
}

typedef struct {
    uint8_t cut[LONGEST], law[LONGEST];
    float chance[LONGEST];
    slt_chain_path path;
} answer;

static answer *segment(const slt_symbol_chain *c, const slt_symbols *s, int64_t episode) {
    static answer a;
    a.path = (slt_chain_path){a.cut, a.law, a.chance, 0};
    CHECK_OK(slt_symbol_segment(&arena, c, s, episode, &a.path));
    return &a;
}

static void check_against_paths(const slt_symbol_chain *c, const slt_symbols *s) {
    for (int64_t e = 0; e < s->episodes; e++) {
        paths p = {
            .c = c, .action = s->action + s->offsets[e], .symbol = s->symbol + s->offsets[e]};
        p.length = (int)(s->offsets[e + 1] - s->offsets[e]);
        visit(&p, 0, 1, 0);
        answer *a = segment(c, s, e);
        assert_true(fabs(a->path.nats + log(p.total)) < 1e-9);
        int boundaries = 0;
        for (int t = 0; t < p.length; t++) {
            assert_float_equal(a->chance[t], p.chance[t] / p.total, 1e-6);
            boundaries |= a->cut[t] << t;
        }
        assert_true(boundaries < 1 << (p.length - 1));
        assert_true(p.best_of[boundaries] > p.best * (1 - 1e-12)); // one of equally likely ones
    }
}

static void test_events_against_all_paths(void **state) {
    (void)state;
    for (int K = 1; K <= 3; K++) {
        slt_symbols s = random_symbols(6, 6, 3, K == 2);
        slt_symbol_chain c = random_chain(SLT_CHAIN_EVENTS, K, &s, NULL, 0);
        check_against_paths(&c, &s);
    }
}

static void test_counted_events_against_all_paths(void **state) {
    (void)state;
    static const double prior[] = {.05, .2, .5, .25}, gaps[] = {0, 1, 0, 2};
    for (int K = 1; K <= 3; K++) {
        slt_symbols s = random_symbols(6, 6, 3, K == 2);
        slt_symbol_chain c = random_chain(SLT_CHAIN_EVENTS, K, &s, prior, 4);
        check_against_paths(&c, &s);
        c = random_chain(SLT_CHAIN_EVENTS, K, &s, gaps, 4);
        check_against_paths(&c, &s);
    }
}

static void test_phases_against_all_paths(void **state) {
    (void)state;
    static const double prior[] = {.1, .2, .7};
    for (int K = 1; K <= 4; K++) {
        slt_symbols s = random_symbols(6, 6, 3, false);
        slt_symbol_chain c = random_chain(SLT_CHAIN_PHASES, K, &s, NULL, 0);
        check_against_paths(&c, &s);
        c = random_chain(SLT_CHAIN_PHASES, K, &s, prior, 3);
        check_against_paths(&c, &s);
        if (K < 3) continue;
        c.group[2] = c.group[0]; // two laws that count as one
        check_against_paths(&c, &s);
    }
}

// ---- EM

static double penalty(const double *values, size_t count, double more) {
    double sum = 0;
    for (size_t i = 0; i < count; i++) sum += more * log(values[i]);
    return sum;
}

// what EM maximises: the log likelihood and the logs of the Dirichlet priors
static double objective(slt_symbol_chain *c, const slt_symbols *s) {
    bool events = c->family == SLT_CHAIN_EVENTS;
    double more = events ? .1 : .01, sum = penalty(c->values, c->size, more);
    for (int q = 0; events && q < c->Q; q++) sum += more * log(1 - c->h[q]);
    for (int k = 0; k < c->K; k++) c->group[k] = (uint8_t)k; // told, every law counts
    for (int64_t e = 0; e < s->episodes; e++) sum -= segment(c, s, e)->path.nats;
    return sum;
}

static int64_t *all_episodes(const slt_symbols *s) {
    int64_t *out;
    CHECK_OK(SLT_NEW(&arena, &out, (size_t)s->episodes));
    for (int64_t e = 0; e < s->episodes; e++) out[e] = e;
    return out;
}

static slt_symbol_chain fit(const slt_symbols *s, slt_symbol_options o) {
    slt_symbol_chain c;
    CHECK_OK(slt_symbol_fit(&arena, s, all_episodes(s), s->episodes, &o, &c));
    return c;
}

static void check_rises(const slt_symbols *s, slt_symbol_options o) {
    double last = -INFINITY, first = 0;
    for (o.sweeps = 1; o.sweeps <= 15; o.sweeps++) {
        slt_symbol_chain c = fit(s, o);
        double now = objective(&c, s);
        if (!(now >= last - 1e-7)) fail_msg("sweep %d: %.9f after %.9f", o.sweeps, now, last);
        if (o.sweeps == 1) first = now;
        last = now;
    }
    assert_true(last > first + .1);
}

static void test_em_never_lowers_the_objective(void **state) {
    (void)state;
    static const double prior[] = {.1, .2, .6, .1};
    slt_symbols s = random_symbols(20, 12, 4, true);
    for (slt_symbol_family family = SLT_CHAIN_EVENTS; family <= SLT_CHAIN_PHASES; family++) {
        check_rises(&s, (slt_symbol_options){.family = family, .laws = 3, .seed = 3});
        check_rises(&s,
                    (slt_symbol_options){
                        .family = family, .laws = 3, .seed = 3, .count_prior = prior, .counts = 4});
    }
}

// ---- planted structure

// four segments: three to six steps among 0, 1, 2 (each with a favourite), then a 3. A 4 is as
// frequent and ends nothing.
static slt_symbols planted_events(uint8_t *ends) {
    slt_symbols s = new_symbols(EPISODES, 5, false);
    for (int e = 0; e < EPISODES; e++, finish(&s))
        for (int segment = 0; segment < 4; segment++) {
            int64_t favourite = slt_chain_draw(&source, 3), n = 3 + slt_chain_draw(&source, 4);
            int64_t knock = slt_chain_draw(&source, n);
            for (int64_t i = 0; i < n; i++) {
                int64_t a = slt_chain_draw(&source, 6);
                a = i == knock ? 4 : a < 3 ? a : favourite;
                put(&s, a, a);
            }
            ends[s.steps] = 1;
            put(&s, 3, 3);
        }
    return s;
}

// five to nine steps of each of three laws with 10 % stray actions
static slt_symbols planted_phases(uint8_t *ends) {
    slt_symbols s = new_symbols(EPISODES, 4, false);
    for (int e = 0; e < EPISODES; e++, finish(&s)) {
        int64_t law = slt_chain_draw(&source, 3);
        for (int phase = 0; phase < 4; phase++) {
            int64_t n = 5 + slt_chain_draw(&source, 5);
            for (int64_t i = 0; i < n; i++) {
                bool stray = i && i + 1 < n && slt_chain_draw(&source, 10) == 0;
                int64_t a = stray ? slt_chain_draw(&source, 4) : law;
                ends[s.steps] = i + 1 == n;
                put(&s, a, a);
            }
            law = (law + 1 + slt_chain_draw(&source, 2)) % 3;
        }
    }
    return s;
}

// F1 of boundaries, exact places
static double f1(const slt_symbol_chain *c, const slt_symbols *s, const uint8_t *ends) {
    double hits = 0, all = 0;
    for (int64_t e = 0; e < s->episodes; e++) {
        answer *a = segment(c, s, e);
        for (int64_t t = s->offsets[e], i = 0; t + 1 < s->offsets[e + 1]; t++, i++) {
            hits += a->cut[i] && ends[t];
            all += a->cut[i] + ends[t];
        }
    }
    return 2 * hits / all;
}

static void test_finds_planted_events(void **state) {
    (void)state;
    static const double prior[] = {.01, .01, .01, 1, .01};
    static uint8_t ends[EPISODES * LONGEST];
    slt_symbols s = planted_events(ends);
    slt_symbol_options o = {.laws = 4, .seed = 1, .sweeps = 60, .starts = 40};
    slt_symbol_chain c = fit(&s, o);
    assert_true(f1(&c, &s, ends) > .99);
    assert_true(c.h[3] > .95 && c.h[4] < .05);
    o.count_prior = prior, o.counts = 5;
    c = fit(&s, o);
    assert_true(f1(&c, &s, ends) > .99);
}

// every third end is lost from the record: the chain knows that ends are missing
static void test_knows_of_lost_events(void **state) {
    (void)state;
    static uint8_t ends[EPISODES * LONGEST];
    slt_symbols s = planted_events(ends);
    slt_symbol_options o = {.laws = 4, .seed = 1, .sweeps = 60, .starts = 40};
    slt_symbol_chain c = fit(&s, o);
    double none = c.stray;
    for (int64_t t = 0, n = 0; t < s.steps; t++)
        if (s.action[t] == 3 && n++ % 3 == 0) s.action[t] = s.symbol[t] = (uint16_t)(t % 3);
    c = fit(&s, o);
    if (!(none < .05 && c.stray > .1)) fail_msg("%g, then %g", none, c.stray);
}

// an action that is repeated all through a phase is no event, and the chain knows that it took it
// for one
static void test_repeated_actions_are_no_events(void **state) {
    (void)state;
    static uint8_t ends[EPISODES * LONGEST];
    slt_symbols s = planted_phases(ends);
    for (uint64_t seed = 1; seed <= 4; seed++) {
        slt_symbol_options o = {.laws = 4, .seed = seed, .sweeps = 60, .starts = 40};
        slt_symbol_chain c = fit(&s, o);
        for (int q = 0; q < 3; q++) assert_true(c.h[q] < .01);
        if (!(c.stray > .9)) fail_msg("%g", c.stray);
    }
}

static void test_finds_planted_phases(void **state) {
    (void)state;
    static const double prior[] = {.01, .01, .01, 1, .01};
    static uint8_t ends[EPISODES * LONGEST];
    slt_symbols s = planted_phases(ends);
    slt_symbol_options o = {.family = SLT_CHAIN_PHASES, .laws = 3, .seed = 1, .sweeps = 150};
    slt_symbol_chain c = fit(&s, o);
    assert_true(f1(&c, &s, ends) > .95);
    o.laws = 6; // laws that describe the same action are one
    c = fit(&s, o);
    assert_true(f1(&c, &s, ends) > .95);
    o.laws = 3, o.count_prior = prior, o.counts = 5;
    c = fit(&s, o);
    assert_true(f1(&c, &s, ends) > .95);
}

static void test_same_seed_same_bits(void **state) {
    (void)state;
    static uint8_t ends[EPISODES * LONGEST];
    slt_symbols s = planted_events(ends);
    slt_symbol_options o = {.laws = 3, .seed = 9, .sweeps = 10, .starts = 5};
    for (o.family = SLT_CHAIN_EVENTS; o.family <= SLT_CHAIN_PHASES; o.family++) {
        slt_symbol_chain a = fit(&s, o), b = fit(&s, o);
        assert_memory_equal(a.values, b.values, sizeof *a.values * a.size);
        o.seed++;
        b = fit(&s, o);
        assert_memory_not_equal(a.values, b.values, sizeof *a.values * a.size);
    }
}

// ---- reading a data set

// two episodes of three steps; observations of one byte, with or without the final ones
static slt_symbols read_back(const char *path, bool finals, slt_observation_kind kind, int A) {
    slt_context *context;
    slt_dataset_builder *builder;
    slt_dataset *data;
    slt_symbols s;
    static const int32_t actions[] = {2, 0, 1};
    static const uint8_t seen[] = {7, 7, 8}, last = 8;
    static const float real[] = {7, 7, 8}, last_real = 8;
    static const uint16_t ones[] = {1, 1, 2}, last_one = 2;
    static const int64_t ones_offsets[] = {0, 1, 2, 3}, order[] = {1, 0};
    slt_dataset_info info = {.action_count = 3,
                             .observation_kind = kind,
                             .observation_rank = 1,
                             .observation_shape = {kind == SLT_OBSERVATIONS_BITS ? 4 : 1},
                             .observation_size = kind == SLT_OBSERVATIONS_BITS ? 4 : 1,
                             .has_finals = finals};
    slt_episode e = {.length = 3, .actions_i32 = actions};
    if (kind == SLT_OBSERVATIONS_U8) e.observations_u8 = seen, e.final_u8 = &last;
    if (kind == SLT_OBSERVATIONS_F32) e.observations_f32 = real, e.final_f32 = &last_real;
    if (kind == SLT_OBSERVATIONS_BITS)
        e.ones = ones, e.ones_offsets = ones_offsets, e.final_ones = &last_one, e.final_count = 1;
    CHECK_OK(slt_context_create(NULL, &context));
    CHECK_OK(slt_dataset_builder_create(context, path, true, &info, &builder));
    CHECK_OK(slt_dataset_builder_add(builder, &e));
    e.length = 2;
    if (kind == SLT_OBSERVATIONS_BITS) e.final_count = 0;
    CHECK_OK(slt_dataset_builder_add(builder, &e));
    CHECK_OK(slt_dataset_builder_commit(builder));
    CHECK_OK(slt_dataset_open(context, path, &data));
    CHECK_OK(slt_symbols_read(&arena, data, A, true, order, 2, &s));
    slt_dataset_close(data);
    slt_context_destroy(context);
    return s;
}

static void test_reads_effects(void **state) {
    (void)state;
    static const slt_observation_kind kinds[] = {SLT_OBSERVATIONS_U8, SLT_OBSERVATIONS_F32,
                                                 SLT_OBSERVATIONS_BITS};
    static const char *files[] = {"u8.safetensors", "f32.safetensors", "bits.safetensors"};
    for (int i = 0; i < 3; i++) {
        slt_symbols s = read_back(files[i], true, kinds[i], 3);
        assert_int_equal(s.episodes, 2);
        assert_int_equal(s.offsets[1], 2); // the second episode first
        assert_int_equal(s.offsets[2], 5);
        assert_int_equal(s.Q, 6);
        static const uint16_t expected[] = {2, 0 + 3, 2, 0 + 3, 1};
        assert_memory_equal(s.symbol, expected, sizeof expected);
        static const uint16_t actions[] = {2, 0, 2, 0, 1};
        assert_memory_equal(s.action, actions, sizeof actions);
    }
    slt_symbols s = read_back("open.safetensors", false, SLT_OBSERVATIONS_U8, 3);
    assert_int_equal(s.symbol[4], 1 + 3); // the last step counts as a change
    s = read_back("fewer.safetensors", false, SLT_OBSERVATIONS_U8, 5); // than what was learned from
    assert_int_equal(s.Q, 10);
    assert_int_equal(s.symbol[4], 1 + 5);
}

// ---- corners

static void check_finite(const slt_symbol_chain *c, const slt_symbols *s) {
    for (size_t i = 0; i < c->size; i++) assert_true(isfinite(c->values[i]));
    for (int64_t e = 0; e < s->episodes; e++) {
        answer *a = segment(c, s, e);
        assert_true(isfinite(a->path.nats));
        for (int64_t t = 0; t < s->offsets[e + 1] - s->offsets[e]; t++)
            assert_true(a->chance[t] >= 0 && a->chance[t] <= 1);
    }
}

static void test_episodes_too_short_for_the_count(void **state) {
    (void)state;
    static const double five[] = {0, 0, 0, 0, 1};
    slt_symbols s = random_symbols(5, 3, 3, false);
    for (slt_symbol_family family = SLT_CHAIN_EVENTS; family <= SLT_CHAIN_PHASES; family++) {
        slt_symbol_chain c = fit(&s, (slt_symbol_options){.family = family,
                                                          .laws = 2,
                                                          .sweeps = 9,
                                                          .starts = 3,
                                                          .count_prior = five,
                                                          .counts = 5});
        check_finite(&c, &s);
        for (int k = 0; k < c.K; k++) c.group[k] = (uint8_t)k;
        answer *a = segment(&c, &s, 0);
        assert_true(a->cut[0] && a->cut[1] && !a->cut[2]);
        assert_float_equal(a->chance[0], 1, 1e-6);
    }
}

static void test_one_action_and_one_step(void **state) {
    (void)state;
    static const double prior[] = {1, 1, 1};
    for (int i = 0; i < 4; i++) {
        slt_symbols s = i % 2 ? random_symbols(4, 1, 3, true) : random_symbols(4, 9, 1, false);
        for (slt_symbol_family family = SLT_CHAIN_EVENTS; family <= SLT_CHAIN_PHASES; family++) {
            slt_symbol_options o = {.family = family, .laws = 2, .sweeps = 30, .starts = 3};
            if (i > 1) o.count_prior = prior, o.counts = 3;
            slt_symbol_chain c = fit(&s, o);
            check_finite(&c, &s);
        }
    }
}

// a count that is far from what hazards and laws say: numbers below the smallest double
static void test_counts_out_of_reach(void **state) {
    (void)state;
    static double prior[SLT_MOST_COUNTS];
    prior[59] = 1;
    slt_symbols s = random_symbols(3, 62, 2, false);
    slt_symbol_chain c = random_chain(SLT_CHAIN_EVENTS, 2, &s, prior, 60);
    for (int q = 0; q < c.Q; q++) c.h[q] = 1e-9;
    check_finite(&c, &s);
    answer *a = segment(&c, &s, 0);
    int cuts = 0;
    for (int t = 0; t < 62; t++) cuts += a->cut[t];
    assert_int_equal(cuts, 59);
}

static void test_refusals(void **state) {
    (void)state;
    static const double none[] = {0, 0}, bad[] = {1, -1};
    slt_symbols s = random_symbols(2, 5, 3, false), other = random_symbols(2, 5, 4, false);
    slt_symbol_options o = {.laws = SLT_MOST_LAWS + 1, .sweeps = 2};
    slt_symbol_chain c;
    int64_t episodes[] = {0, 1};
    CHECK_FAILS(SLT_RANGE, "17 laws", slt_symbol_fit(&arena, &s, episodes, 2, &o, &c));
    o.laws = 2;
    CHECK_FAILS(SLT_INVALID, "no steps", slt_symbol_fit(&arena, &s, episodes, 0, &o, &c));
    o.count_prior = none, o.counts = 2;
    CHECK_FAILS(SLT_INVALID, "above 0", slt_symbol_fit(&arena, &s, episodes, 2, &o, &c));
    o.count_prior = bad;
    CHECK_FAILS(SLT_INVALID, "2 segments is -1", slt_symbol_fit(&arena, &s, episodes, 2, &o, &c));
    o.counts = 0;
    CHECK_FAILS(SLT_RANGE, "0 counts", slt_symbol_fit(&arena, &s, episodes, 2, &o, &c));
    o.count_prior = NULL;
    CHECK_OK(slt_symbol_fit(&arena, &s, episodes, 2, &o, &c));
    uint8_t cut[5], law[5];
    float chance[5];
    slt_chain_path path = {cut, law, chance, 0};
    CHECK_FAILS(SLT_INVALID, "3 actions", slt_symbol_segment(&arena, &c, &other, 0, &path));
}

// where a boundary after step t goes: actions 0 and 1 are those of the laws before and after it,
// 2 is as likely in both
static int64_t placed(const char *actions, int64_t t) {
    static const double S[3][2] = {{.8, .1}, {.1, .8}, {.1, .1}};
    slt_symbol_options o = {.family = SLT_CHAIN_PHASES, .laws = 2};
    slt_symbol_chain c;
    uint16_t action[LONGEST];
    uint8_t law[LONGEST];
    int64_t length = 0;
    CHECK_OK(slt_symbol_chain_init(&arena, &o, 3, 3, &c));
    for (int a = 0; a < 3; a++)
        for (int k = 0; k < 2; k++) c.S[a * 2 + k] = S[a][k];
    for (; actions[length]; length++) {
        action[length] = (uint16_t)(actions[length] - '0');
        law[length] = length > t;
    }
    return slt_symbol_place(&c, action, law, length, 3, t);
}

static void test_a_boundary_goes_between_two_that_are_as_likely(void **state) {
    (void)state;
    assert_int_equal(placed("0000000111111", 6), 6);
    assert_int_equal(placed("0000010111111", 4), 5);
    assert_int_equal(placed("0000010111111", 6), 5);
    assert_int_equal(placed("0000022111111", 4), 5);
    assert_int_equal(placed("0000022111111", 5), 5);
    assert_int_equal(placed("0000022111111", 6), 5);
    // a segment keeps three steps, also where the boundary before it moves towards it
    assert_int_equal(placed("0010111111", 4), 3);
    assert_int_equal(placed("010111111", 3), 3);
    assert_int_equal(placed("0000010111", 4), 5);
    assert_int_equal(placed("000001011", 4), 4);
    assert_int_equal(placed("01", 0), 0);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, begin, end)

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(test_events_against_all_paths),
        TEST(test_counted_events_against_all_paths),
        TEST(test_phases_against_all_paths),
        TEST(test_em_never_lowers_the_objective),
        TEST(test_finds_planted_events),
        TEST(test_knows_of_lost_events),
        TEST(test_repeated_actions_are_no_events),
        TEST(test_finds_planted_phases),
        TEST(test_same_seed_same_bits),
        TEST(test_reads_effects),
        TEST(test_episodes_too_short_for_the_count),
        TEST(test_one_action_and_one_step),
        TEST(test_counts_out_of_reach),
        TEST(test_refusals),
        TEST(test_a_boundary_goes_between_two_that_are_as_likely),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
