// Switching chains on the device: sweeps, likeliest paths and a whole vote as on the CPU, within
// rounding.
// sanitizers: too long
#include "cuda_rig.h"
#include "slottar/segmenter.h"
#include "switching/chain_random.h"
#include "switching/linear_device.h"

enum { EPISODES = 24, MOST = EPISODES * 40, WIDE = 64 };

static float actions[MOST * 2], features[MOST * (WIDE + 1)];
static int64_t offsets[EPISODES + 1];

// three phases with means of their own, next to an action that follows an observation; the first
// episodes have no step and one
static slt_motion make_motion(int D) {
    slt_chain_random r;
    int64_t at = 0;
    slt_chain_random_init(&r, 3);
    for (int e = 0; e < EPISODES; e++) {
        for (int phase = 0; phase < 3 && e > 1; phase++)
            for (int64_t n = 5 + slt_chain_draw(&r, 8); n > 0; n--, at++) {
                float *f = features + at * D;
                f[0] = 1;
                for (int i = 1; i < D; i++) f[i] = (float)(2 * slt_chain_unit(&r) - 1);
                actions[2 * at] = (float)(phase - 1 + .2 * slt_chain_unit(&r));
                actions[2 * at + 1] = (float)(.3 * slt_chain_unit(&r)) + (phase ? f[1] : -f[1]);
            }
        if (e == 1) {
            for (int i = 0; i < D; i++) features[at * D + i] = i == 0;
            actions[2 * at] = actions[2 * at + 1] = .5f;
            at++;
        }
        offsets[e + 1] = at;
    }
    return (slt_motion){EPISODES, at, offsets, 2, D, actions, features};
}

static void check_chain(const slt_linear_chain *want, const slt_linear_chain *got, double most) {
    size_t n = slt_linear_size(want);
    double *x = calloc(n, sizeof *x), *y = calloc(n, sizeof *y);
    assert_int_equal(n, slt_linear_size(got));
    assert_int_equal(want->sweeps, got->sweeps);
    slt_linear_pack(want, x);
    slt_linear_pack(got, y);
    double worst = 0;
    for (size_t i = 0; i < n; i++) worst = fmax(worst, fabs(x[i] - y[i]) / (1 + fabs(x[i])));
    printf("# family %d, %d laws, %d sweeps: off by %.2g, at most %.2g\n", want->family, want->K,
           want->sweeps, worst, most);
    for (size_t i = 0; i < n; i++)
        if (!(fabs(x[i] - y[i]) <= most * (1 + fabs(x[i]))))
            fail_msg("family %d, %d laws: number %zu of %zu is %.9g, not %.9g", want->family,
                     want->K, i, n, y[i], x[i]);
    if (!(fabs(want->nats - got->nats) <= most))
        fail_msg("family %d: %.9g nats, not %.9g", want->family, got->nats, want->nats);
    free(x);
    free(y);
}

// chains of all families learned on both sides; those of the CPU find the same paths on both
static void compare(int D, int sweeps, double most) {
    enum { CHAINS = 6 };
    static const int laws[CHAINS] = {3, 8, 12, 12, 1, 8};
    slt_motion motion = make_motion(D);
    slt_arena arena;
    slt_linear_chain want[CHAINS], got[CHAINS];
    const slt_linear_chain *chains[CHAINS];
    slt_linear_job jobs[CHAINS];
    int64_t episodes[EPISODES];
    bool there;
    CHECK_OK(slt_linear_on_device(device, &there));
    assert_true(there);
    slt_arena_init(&arena, &host->allocator, 0);
    for (int e = 0; e < EPISODES; e++) episodes[e] = EPISODES - 1 - e;
    for (int i = 0; i < CHAINS; i++) {
        jobs[i] = (slt_linear_job){
            .options = {(slt_law_family)(i % 3), laws[i], .1, 7 + (uint64_t)i, sweeps},
            .episodes = episodes,
            .count = EPISODES - 2 * i, // members of different sizes
            .arena = &arena,
            .out = &got[i]};
        CHECK_OK(
            slt_linear_fit(&arena, &motion, episodes, jobs[i].count, &jobs[i].options, &want[i]));
        chains[i] = &want[i];
    }
    CHECK_OK(slt_linear_fit_all(device, &motion, jobs, CHAINS));
    for (int i = 0; i < CHAINS; i++) {
        assert_true(jobs[i].done);
        // a CPU sweep that did not settle leaves its counter one beyond
        want[i].sweeps = want[i].sweeps > sweeps ? sweeps : want[i].sweeps;
        check_chain(&want[i], &got[i], most);
    }
    size_t steps = (size_t)motion.steps;
    uint8_t *cut = calloc(CHAINS * steps, 1), *law = calloc(CHAINS * steps, 1);
    uint8_t *cut_here = calloc(steps, 1), *law_here = calloc(steps, 1);
    CHECK_OK(slt_linear_segment_all(device, &motion, chains, CHAINS, cut, law));
    for (size_t i = 0; i < CHAINS; i++) {
        for (int64_t e = 1; e < EPISODES; e++) {
            slt_chain_path path = {.cut = cut_here + offsets[e], .law = law_here + offsets[e]};
            CHECK_OK(slt_linear_segment(&arena, chains[i], &motion, e, &path));
        }
        size_t differ = 0; // rounding may decide between paths that are nearly as likely
        for (size_t t = 0; t < steps; t++)
            differ += cut[i * steps + t] != cut_here[t] || law[i * steps + t] != law_here[t];
        assert_true(differ <= steps / 200);
    }
    free(cut);
    free(law);
    free(cut_here);
    free(law_here);
    slt_arena_deinit(&arena);
}

static void few_inputs(void **state) {
    (void)state;
    compare(3, 1, 1e-6);
    compare(3, 3, 1e-5); // differences grow with the sweeps
}

static void many_inputs(void **state) {
    (void)state;
    compare(WIDE + 1, 1, 1e-5);
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

static void vote(slt_context *context, slt_motion *motion, found *out) {
    slt_dataset_arrays arrays = {.info = {.action_kind = SLT_ACTIONS_CONTINUOUS, .action_size = 2},
                                 .episodes = EPISODES - 1,
                                 .offsets = motion->offsets + 1,
                                 .actions_f32 = motion->actions};
    slt_segmenter_options options = {.runs = 6, .seed = 1};
    slt_dataset *data;
    slt_segmenter *s;
    CHECK_OK(slt_dataset_view_arrays(context, &arrays, &data));
    CHECK_OK(slt_segmenter_fit(context, data, &options, &s));
    assert_int_equal(slt_segmenter_result(s)->groups[0].runs, 6);
    *out = (found){0};
    CHECK_OK(slt_segmenter_segment(s, data, NULL, note, out));
    slt_segmenter_close(s);
    slt_dataset_close(data);
}

static void same_vote(void **state) {
    (void)state;
    static found here, there, again;
    slt_motion motion = make_motion(3);
    int64_t shared = 0;
    for (int64_t t = 0; t < motion.steps; t++)
        actions[2 * t + 1] = .1f * features[3 * t + 1] - actions[2 * t] * actions[2 * t];
    vote(host, &motion, &here);
    vote(device, &motion, &there);
    vote(device, &motion, &again);
    assert_int_equal(there.count, again.count);
    assert_memory_equal(there.step, again.step, sizeof there.step);
    for (int64_t i = 0; i < here.count; i++)
        for (int64_t j = 0; j < there.count; j++) shared += here.step[i] == there.step[j];
    assert_true(here.count > EPISODES);
    assert_true((double)shared >= .97 * (double)here.count);
    assert_true((double)shared >= .97 * (double)there.count);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(few_inputs),
        cmocka_unit_test(many_inputs),
        cmocka_unit_test(same_vote),
    };
    if (!cuda_rig_open("chains on the device")) return 0;
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    cuda_rig_close();
    return failed;
}
