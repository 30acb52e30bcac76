// Chains of linear laws: forward-backward and the likeliest path against the enumeration of all
// paths, and what EM finds in planted data.
#include <math.h>
#include <stdlib.h>
#include "check.h"
#include "switching/chain_random.h"
#include "switching/linear_impl.h"

enum { SHORT = 6, EPISODES = 40, LONGEST = 64 };

static slt_arena arena;
static slt_chain_random source;

static int begin(void **state) {
    (void)state;
    slt_arena_init(&arena, &slt_system_allocator, 0);
    slt_chain_random_init(&source, 11);
    return 0;
}

static int end(void **state) {
    (void)state;
    slt_arena_deinit(&arena);
    return 0;
}

static float normal(void) {
    double u = slt_chain_unit(&source), w = slt_chain_unit(&source);
    return (float)(sqrt(-2 * log(u + 1e-300)) * cos(6.283185307179586 * w));
}

// ---- data

static slt_motion new_motion(int64_t episodes, int64_t length, int A, int D) {
    slt_motion m = {.episodes = episodes, .steps = episodes * length, .A = A, .D = D};
    int64_t *offsets;
    CHECK_OK(SLT_NEW(&arena, &offsets, (size_t)episodes + 1));
    CHECK_OK(SLT_NEW(&arena, &m.actions, (size_t)(m.steps * A)));
    CHECK_OK(SLT_NEW(&arena, &m.features, (size_t)(m.steps * D)));
    for (int64_t e = 0; e < episodes; e++) offsets[e + 1] = offsets[e] + length;
    m.offsets = offsets;
    return m;
}

static slt_motion random_motion(int64_t episodes, int64_t length, int A, int D) {
    slt_motion m = new_motion(episodes, length, A, D);
    for (int64_t i = 0; i < m.steps * A; i++) m.actions[i] = normal();
    for (int64_t i = 0; i < m.steps * D; i++) m.features[i] = i % D ? normal() : 1;
    return m;
}

static slt_linear_chain fit(const slt_motion *m, slt_linear_options o) {
    slt_linear_chain c;
    int64_t *episodes;
    CHECK_OK(SLT_NEW(&arena, &episodes, (size_t)m->episodes));
    for (int64_t e = 0; e < m->episodes; e++) episodes[e] = e;
    CHECK_OK(slt_linear_fit(&arena, m, episodes, m->episodes, &o, &c));
    return c;
}

typedef struct {
    uint8_t cut[LONGEST], law[LONGEST];
    float chance[LONGEST];
    slt_chain_path path;
} answer;

static answer *segment(const slt_linear_chain *c, const slt_motion *m, int64_t episode) {
    static answer a;
    a.path = (slt_chain_path){a.cut, a.law, a.chance, 0};
    CHECK_OK(slt_linear_segment(&arena, c, m, episode, &a.path));
    return &a;
}

// ---- all paths of an episode, from the definition of the families

typedef struct {
    const slt_linear_chain *c;
    const slt_motion *m;
    int64_t first;
    int length, law[SHORT];
    uint8_t cut[SHORT];
    double total, chance[SHORT], best, best_of[1 << SHORT];
} paths;

static double residual(const paths *p, const float *law, int inputs, int t, int k, int i) {
    const slt_linear_chain *c = p->c;
    const float *features = p->m->features + (p->first + t) * c->D;
    const float *actions = p->m->actions + (p->first + t) * c->A,
                *before = actions - (t ? c->A : 0);
    double x = 0;
    for (int d = 0; d < inputs; d++)
        x += (d < c->D ? features[d] : before[d - c->D]) * law[(d * c->K + k) * c->A + i];
    x = x > c->high[i]  ? c->high[i] + .05 * (x - c->high[i])
        : x < c->low[i] ? c->low[i] + .05 * (x - c->low[i])
                        : x;
    return actions[i] - x;
}

static double density(double x, double variance) {
    return exp(-x * x / (2 * variance)) / sqrt(6.283185307179586 * variance);
}

static double stays(const paths *p, int t, int k) {
    const slt_linear_chain *c = p->c;
    double product = 1;
    for (int i = 0; i < c->A; i++) {
        bool smooth = c->family == SLT_LAW_SMOOTH;
        double r = residual(p, c->W, smooth ? c->D : c->D + c->A, t, k, i);
        if (smooth) r -= c->rho[i] * residual(p, c->W, c->D, t - 1, k, i);
        product *= density(r, c->v[k * c->A + i]);
    }
    return product;
}

static double starts(const paths *p, int t, int k) {
    const slt_linear_chain *c = p->c;
    double product = 1;
    if (c->family == SLT_LAW_INERTIA) return stays(p, t, k);
    for (int i = 0; i < c->A; i++)
        product *= density(residual(p, c->family == SLT_LAW_SMOOTH ? c->W : c->V, c->D, t, k, i),
                           c->u[k * c->A + i]);
    return product;
}

static void visit_end(paths *p, double chance) {
    int boundaries = 0;
    p->total += chance;
    for (int t = 0; t + 1 < p->length; t++) {
        p->chance[t] += p->cut[t] ? chance : 0;
        boundaries |= p->cut[t] << t;
    }
    p->best = fmax(p->best, chance);
    p->best_of[boundaries] = fmax(p->best_of[boundaries], chance);
}

static void visit(paths *p, int t, double chance) {
    const slt_linear_chain *c = p->c;
    double mix = c->family == SLT_LAW_SMOOTH ? 1 : c->family == SLT_LAW_INERTIA ? 0 : c->mix;
    if (t >= p->length || t >= SHORT) {
        visit_end(p, chance);
        return;
    }
    for (int k = 0; k < c->K; k++) {
        int j = t ? p->law[t - 1] : 0;
        p->law[t] = k;
        if (!t) {
            visit(p, 1, c->start[k] * starts(p, 0, k));
            continue;
        }
        p->cut[t - 1] = 1;
        visit(p, t + 1, chance * c->q[j] * mix * c->fresh[j][k] * starts(p, t, k));
        if (j != k)
            visit(p, t + 1, chance * c->q[j] * (1 - mix) * c->change[j][k] * stays(p, t, k));
        p->cut[t - 1] = 0;
        if (j == k) visit(p, t + 1, chance * (1 - c->q[j]) * stays(p, t, k));
    }
}

static void check_against_paths(const slt_linear_chain *c, const slt_motion *m) {
    for (int64_t e = 0; e < 5; e++) {
        paths p = {.c = c, .m = m, .first = m->offsets[e]};
        p.length = (int)(m->offsets[e + 1] - m->offsets[e]);
        visit(&p, 0, 1);
        answer *a = segment(c, m, e);
        int boundaries = 0;
        assert_true(fabs(a->path.nats + log(p.total)) < 1e-4);
        for (int t = 0; t < p.length; t++) {
            assert_float_equal(a->chance[t], p.chance[t] / p.total, 1e-4);
            boundaries |= a->cut[t] << t;
        }
        assert_true(boundaries < 1 << (p.length - 1));
        assert_true(p.best_of[boundaries] > p.best * (1 - 1e-4));
    }
}

static void test_against_all_paths(void **state) {
    (void)state;
    for (slt_law_family family = SLT_LAW_SMOOTH; family <= SLT_LAW_BOTH; family++)
        for (int K = 1; K <= 3; K++)
            for (int length = 1; length <= SHORT; length += SHORT - 1) {
                slt_motion m = random_motion(12, length, 2, 3);
                slt_linear_chain c =
                    fit(&m, (slt_linear_options){
                                .family = family, .laws = K, .floor = .3, .seed = 2, .sweeps = 3});
                for (int j = 0; j < K; j++) c.q[j] = .2 + .1 * j; // boundaries on the best path
                check_against_paths(&c, &m);
            }
}

// ---- planted laws

// Segments of 8 to 14 steps. `jumps`: an action is its law's aim and noise; otherwise it moves a
// third of the way to the aim.
static slt_motion planted(uint8_t *ends, bool jumps) {
    static const float aims[3][2] = {{1.5f, .4f}, {-1, -.6f}, {.2f, 1}};
    slt_motion m = new_motion(EPISODES, LONGEST, 1, 2);
    for (int64_t e = 0; e < EPISODES; e++) {
        int64_t law = slt_chain_draw(&source, 3), left = 8 + slt_chain_draw(&source, 7);
        float action = aims[law][0], x = 0;
        for (int64_t t = e * LONGEST; t < (e + 1) * LONGEST; t++) {
            x = .8f * x + .4f * normal();
            float aim = aims[law][0] + aims[law][1] * x;
            action = jumps ? aim + .03f * normal() : action + .33f * (aim - action);
            m.actions[t] = action + (jumps ? 0 : .01f * normal());
            m.features[2 * t] = 1, m.features[2 * t + 1] = x;
            if (--left) continue;
            ends[t] = t + 1 < (e + 1) * LONGEST;
            law = (law + 1 + slt_chain_draw(&source, 2)) % 3;
            left = 8 + slt_chain_draw(&source, 7);
        }
    }
    return m;
}

static double f1(const slt_linear_chain *c, const slt_motion *m, const uint8_t *ends) {
    double hits = 0, all = 0;
    for (int64_t e = 0; e < m->episodes; e++) {
        answer *a = segment(c, m, e);
        const uint8_t *end = ends + m->offsets[e];
        for (int t = 0; t + 1 < LONGEST; t++) {
            bool near = end[t] || end[t + 1] || (t && end[t - 1]);
            hits += a->cut[t] && near;
            all += a->cut[t] + end[t];
        }
    }
    return 2 * hits / all;
}

// the best of three seeds by likelihood
static slt_linear_chain best_fit(const slt_motion *m, slt_law_family family) {
    slt_linear_chain best = {.nats = INFINITY};
    for (uint64_t seed = 1; seed <= 3; seed++) {
        slt_linear_chain c =
            fit(m, (slt_linear_options){
                       .family = family, .laws = 4, .floor = .1, .seed = seed, .sweeps = 40});
        if (c.nats < best.nats) best = c;
    }
    return best;
}

static void check_planted(slt_law_family family, bool jumps, double least) {
    static uint8_t ends[EPISODES * LONGEST];
    memset(ends, 0, sizeof ends);
    slt_motion m = planted(ends, jumps);
    slt_linear_chain c = best_fit(&m, family);
    double score = f1(&c, &m, ends);
    if (!(score > least)) fail_msg("family %d, jumps %d: F1 %.3f", family, jumps, score);
}

static void test_finds_planted_laws(void **state) {
    (void)state;
    check_planted(SLT_LAW_SMOOTH, true, .95);
    check_planted(SLT_LAW_INERTIA, false, .95);
    check_planted(SLT_LAW_BOTH, true, .95);
    check_planted(SLT_LAW_BOTH, false, .95);
}

static void test_same_seed_same_bits(void **state) {
    (void)state;
    slt_motion m = random_motion(10, 20, 2, 3);
    for (slt_law_family family = SLT_LAW_SMOOTH; family <= SLT_LAW_BOTH; family++) {
        slt_linear_options o = {.family = family, .laws = 3, .floor = .1, .seed = 4, .sweeps = 5};
        slt_linear_chain a = fit(&m, o), b = fit(&m, o);
        o.seed++;
        slt_linear_chain other = fit(&m, o);
        assert_memory_equal(a.W, b.W, sizeof *a.W * (size_t)(3 * 2 * 3));
        assert_memory_equal(a.v, b.v, sizeof *a.v * (size_t)(2 * 3));
        assert_memory_equal(a.fresh, b.fresh, sizeof a.fresh);
        assert_memory_not_equal(a.W, other.W, sizeof *a.W * (size_t)(3 * 2 * 3));
    }
}

// ---- corners

// Law 1 describes every move best, but is 100 away from the actions: no path gets into it until
// the one jump, which law 0 cannot make. Then its chances are below the smallest double.
static void test_unreachable_laws(void **state) {
    (void)state;
    slt_motion m = random_motion(1, LONGEST, 1, 2);
    slt_linear_chain c =
        fit(&m, (slt_linear_options){
                    .family = SLT_LAW_SMOOTH, .laws = 2, .floor = .1, .seed = 1, .sweeps = 2});
    c.W[0] = 0, c.W[1] = 100;
    c.W[2] = 0, c.W[3] = 1; // law 1 follows the feature
    c.low[0] = -1e3, c.high[0] = 1e3, c.rho[0] = .9999;
    c.v[0] = c.u[0] = 1e-2;
    c.v[1] = c.u[1] = 1e-4;
    for (int t = 0; t < LONGEST; t++) m.actions[t] = m.features[2 * t + 1] = t < 50 ? 0 : 50;
    answer *a = segment(&c, &m, 0);
    assert_true(isfinite(a->path.nats));
    for (int t = 0; t < LONGEST; t++) assert_true(a->chance[t] >= 0 && a->chance[t] <= 1.0001f);
}

// an allocator that notices bytes written after the end of a piece
enum { GUARD = 4096, HEAD = 64 };
static bool damaged;

static void *guarded_alloc(void *user, size_t bytes) {
    (void)user;
    unsigned char *p = malloc(HEAD + bytes + GUARD);
    if (!p) return NULL;
    memcpy(p, &bytes, sizeof bytes);
    memset(p + HEAD + bytes, 0xa5, GUARD);
    return p + HEAD;
}

static void guarded_free(void *user, void *memory) {
    (void)user;
    if (!memory) return;
    unsigned char *p = (unsigned char *)memory - HEAD;
    size_t bytes;
    memcpy(&bytes, p, sizeof bytes);
    for (int i = 0; i < GUARD; i++) damaged |= p[HEAD + bytes + i] != 0xa5;
    free(p);
}

static void test_many_channels_and_one_step(void **state) {
    (void)state;
    static const slt_allocator guarded = {guarded_alloc, guarded_free, NULL, true};
    slt_motion m = random_motion(3, 1, 200, 1);
    slt_linear_chain c =
        fit(&m, (slt_linear_options){
                    .family = SLT_LAW_SMOOTH, .laws = 1, .floor = .1, .seed = 1, .sweeps = 2});
    slt_arena scratch;
    answer a;
    a.path = (slt_chain_path){a.cut, a.law, a.chance, 0};
    slt_arena_init(&scratch, &guarded, 0);
    CHECK_OK(slt_linear_segment(&scratch, &c, &m, 0, &a.path));
    slt_arena_deinit(&scratch);
    assert_false(damaged);
    assert_true(isfinite(a.path.nats));
}

// the variance inside segments lies between a law's own and that of all laws; a law that is sharp
// alone does not stay so
static void test_laws_share_their_spread(void **state) {
    (void)state;
    slt_linear_chain c;
    const double v[] = {10 * .01, 30 * .25}, u[] = {2 * .5, 1 * .001};
    const double wv[] = {10, 30}, wu[] = {2, 1}, all = (10 * .01 + 30 * .25) / 40;
    CHECK_OK(slt_linear_init(&arena, SLT_LAW_BOTH, 2, 1, 1, &c));
    c.floor = .1;
    slt_linear_take_spread(&c, v, u, wv, wu);
    assert_true(fabs(c.v[0] - sqrt(.01 * all)) < 1e-6);
    assert_true(fabs(c.v[1] - sqrt(.25 * all)) < 1e-6);
    assert_true(fabs(c.u[0] - .5) < 1e-6);
    assert_true(c.u[1] == .1 * .1); // the floor
    c.floor = .3;
    slt_linear_take_spread(&c, v, u, wv, wu);
    assert_true(c.v[0] == .3 * .3);
}

static void test_refusals(void **state) {
    (void)state;
    slt_motion m = random_motion(2, 5, 1, 1), still = {.episodes = 2, .D = 1};
    slt_linear_options o = {.laws = SLT_MOST_LAWS + 1, .floor = .1, .sweeps = 2};
    slt_linear_chain c;
    int64_t episodes[] = {0, 1};
    CHECK_FAILS(SLT_RANGE, "17 laws", slt_linear_fit(&arena, &m, episodes, 2, &o, &c));
    o.laws = 2;
    CHECK_FAILS(SLT_INVALID, "no episodes", slt_linear_fit(&arena, &m, episodes, 0, &o, &c));
    CHECK_FAILS(SLT_INVALID, "never change", slt_linear_fit(&arena, &still, episodes, 2, &o, &c));
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, begin, end)

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(test_against_all_paths),
        TEST(test_finds_planted_laws),
        TEST(test_same_seed_same_bits),
        TEST(test_unreachable_laws),
        TEST(test_many_channels_and_one_step),
        TEST(test_laws_share_their_spread),
        TEST(test_refusals),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
