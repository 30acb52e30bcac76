// Skills that act: a small set of demonstrations is enough to do better than chance; files that do
// not fit are refused. sanitizers: too long
#include "check.h"
// before the context of the tests has its name
#include "skills/skills_impl.h"
#include "group_context.h"
#include "skill_rig.h"
#include "slottar/expert.h"
#include "slottar/skills.h"

static const char *const IDS[] = {"getwoodfull-v0", "makeplankfull-v0"};

static void learn(const char *path) {
    demonstrations d = demonstrate(IDS, 2, 600);
    save_skills(d, (slt_skills_options){.hidden = 64, .epochs = 10}, path);
    forget(d);
}

static slt_collect_summary summary; // of the last play

// share of the candidates that do the task
static double solved(const char *id, const char *expert, double noise, const char *path) {
    slt_collect_request request = {.environments = &id,
                                   .environment_count = 1,
                                   .path = path,
                                   .overwrite = true,
                                   .expert = expert,
                                   .noise = noise,
                                   .episodes = {60},
                                   .seed = 9};
    CHECK_OK(slt_collect(context, &request, &summary));
    return 60.0 / (double)summary.candidates;
}

// share of a skill's starts that end with its effect
static double reached(int skill) {
    assert_true(summary.skill_reached[skill] <= summary.skill_starts[skill]);
    return (double)summary.skill_reached[skill] / (double)summary.skill_starts[skill];
}

static void they_act(void **state) {
    (void)state;
    slt_dataset *data;
    slt_episode first, again;
    learn("skills.safetensors");
    double wood = solved(IDS[0], "skills.safetensors", 0, "played.safetensors");
    // every episode that is solved ends with the effect of the only skill that this task needs
    assert_int_equal(summary.skill_count, 2);
    assert_true(summary.skill_starts[0] >= summary.candidates && summary.skill_reached[0] >= 60);
    assert_true(summary.skill_reached[0] <= 61 + summary.skill_starts[1]);
    double effect = reached(0);
    double plank = solved(IDS[1], "skills.safetensors", 0, "played.safetensors");
    // the same skills with three actions in four at random
    double chance = solved(IDS[1], "skills.safetensors", 0.75, "other.safetensors");
    assert_true(effect > 0.6 && effect > 1.2 * reached(0));
    if (wood < 0.7 || plank < 0.5 || chance > 0.6 * plank)
        fail_msg("wood %.2f, plank %.2f, mostly random %.2f", wood, plank, chance);
    CHECK_OK(slt_dataset_open(context, "played.safetensors", &data));
    assert_string_equal(slt_dataset_about(data)->expert, "skills");
    CHECK_OK(slt_dataset_episode(data, 3, &first));
    slt_dataset *same;
    solved(IDS[1], "skills.safetensors", 0, "same.safetensors");
    CHECK_OK(slt_dataset_open(context, "same.safetensors", &same));
    CHECK_OK(slt_dataset_episode(same, 3, &again));
    assert_int_equal(first.length, again.length);
    assert_memory_equal(first.actions_u8, again.actions_u8, (size_t)first.length);
    slt_dataset_close(same);
    slt_dataset_close(data);
}

// skills next to a batch play what collecting recorded
static void step_by_step(void **state) {
    (void)state;
    enum { N = 12, SIZE = 1075 };
    static uint8_t seen[N * SIZE];
    slt_dataset *data;
    slt_env_batch *batch;
    slt_expert *expert;
    uint64_t seeds[N];
    uint32_t words[N];
    int64_t actions[N], checked = 0;
    slt_episode episodes[N];
    CHECK_OK(slt_dataset_open(context, "same.safetensors", &data));
    CHECK_OK(slt_env_batch_create(context, IDS[1], N, SLT_AUTORESET_DISABLED, &batch));
    CHECK_OK(slt_expert_create(batch, "skills.safetensors", 0, &expert));
    for (int i = 0; i < N; i++) {
        CHECK_OK(slt_dataset_episode(data, i, &episodes[i]));
        seeds[i] = words[i] = (uint32_t)episodes[i].seed;
    }
    CHECK_OK(slt_env_batch_reset(batch, seeds, NULL, seen));
    int skill, steps;
    CHECK_OK(slt_expert_skill(expert, 0, &skill, &steps));
    assert_int_equal(skill, -1);
    CHECK_FAILS(SLT_RANGE, "no copy 12", slt_expert_skill(expert, N, &skill, &steps));
    slt_expert_begin(expert, words, NULL);
    for (int64_t t = 0, over = 0; !over; t++) {
        CHECK_OK(slt_expert_act(expert, seen, actions));
        CHECK_OK(slt_expert_skill(expert, 3, &skill, &steps));
        assert_true(skill >= 0 && skill < 2 && steps >= 1 && steps <= t + 1);
        for (int i = 0; i < N; i++, checked++) {
            assert_int_equal(actions[i], slt_episode_action(&episodes[i], t));
            over |= t + 1 == episodes[i].length;
        }
        CHECK_OK(slt_env_batch_step(batch, actions, &(slt_env_outputs){.observations = seen}));
    }
    assert_true(checked >= 2 * N);
    slt_expert_destroy(expert);
    slt_env_batch_destroy(batch);
    slt_dataset_close(data);
}

// the same action is not tried twice where the same is seen
static void nothing_twice(void **state) {
    (void)state;
    enum { ACTIONS = 6, PLAYABLE = 5, BIAS = 5 };
    static const float logits[2 * ACTIONS] = {1, 5, 2, 4, 3, 9, 0, 0, 0, 4.5f, 0, 9};
    static uint8_t view[1075];
    static slt_skill_player p;
    slt_skills *skills;
    CHECK_OK(slt_skills_open(context, "skills.safetensors", &skills));
    for (int part = 0; part < SLT_SKILL_PARTS; part++) {
        slt_skill_matrix m = slt_skill_part(skills->policy.shape, part);
        memset(skills->policy.part[part], 0, (size_t)m.rows * (size_t)m.columns * sizeof(float));
    }
    for (int skill = 0; skill < 2; skill++)
        memcpy(skills->policy.part[BIAS] + skill * 2 * ACTIONS, logits, sizeof logits);
    slt_skill_player_start(&p, skills, 0, PLAYABLE);
    slt_skill_player_begin(&p, 0);
    static const int order[] = {1, 3, 4, 2, 0, 1};
    for (int t = 0; t < 3; t++) {
        assert_int_equal(slt_skill_player_step(&p, view), order[t]);
        assert_int_equal(p.ends, order[t] == 3);
    }
    slt_skill_player_begin(&p, 1); // another skill has tried nothing
    assert_int_equal(slt_skill_player_step(&p, view), 1);
    p.action = 3; // that one was done instead
    assert_int_equal(slt_skill_player_step(&p, view), 1);
    slt_skill_player_begin(&p, 0);
    for (int t = 3; t < 6; t++) assert_int_equal(slt_skill_player_step(&p, view), order[t]);
    view[21] = 1; // something else is seen
    assert_int_equal(slt_skill_player_step(&p, view), 1);
    slt_skills_close(skills);
}

// a skill that never ends lasts as long as its longest segment, twice as long for the chooser
static void no_longer_than_shown(void **state) {
    (void)state;
    enum { ACTIONS = 6, PLAYABLE = 5, BIAS = 5, LONGEST = 3 };
    static uint8_t view[1075];
    static slt_skill_player p;
    slt_skill_tally tally[SLT_SKILL_COUNT] = {{0}};
    slt_skills *skills;
    CHECK_OK(slt_skills_open(context, "skills.safetensors", &skills));
    slt_skill_matrix m = slt_skill_part(skills->policy.shape, BIAS);
    for (int k = 0; k < m.columns; k++)
        skills->policy.part[BIAS][k] = k / ACTIONS % 2 ? -1e6f : 1e6f;
    for (int i = 0; i < skills->count; i++) {
        assert_in_range(skills->longest[i], 2, 64);
        skills->longest[i] = LONGEST;
    }
    slt_skill_player_start(&p, skills, 0, PLAYABLE);
    slt_skill_player_begin(&p, 0);
    for (int t = 0; t < LONGEST; t++) {
        assert_false(slt_skill_player_over(&p, view));
        slt_skill_player_step(&p, view);
        view[t] ^= 1;
    }
    assert_true(slt_skill_player_over(&p, view));
    slt_skill_player_start(&p, skills, 0, PLAYABLE);
    p.tally = tally;
    for (int t = 0; t < 4 * LONGEST; t++) {
        slt_skill_player_act(&p, view);
        assert_int_equal(p.age, t % (2 * LONGEST) + 1);
    }
    slt_skills_close(skills);
}

static void what_does_not_fit(void **state) {
    (void)state;
    static const char *const other = "makestickfull-v0", *const grid = "MiniGrid-DoorKey-8x8-v0";
    slt_collect_request request = {.environments = &other,
                                   .environment_count = 1,
                                   .path = "never.safetensors",
                                   .expert = "skills.safetensors",
                                   .episodes = {5}};
    CHECK_FAILS(SLT_SHAPE, "does not know makestickfull-v0", slt_collect(context, &request, NULL));
    request.environments = &grid;
    CHECK_FAILS(SLT_SHAPE, "the skills know 6 actions", slt_collect(context, &request, NULL));
    request.expert = "data.safetensors";
    CHECK_FAILS(SLT_FORMAT, "data.safetensors", slt_collect(context, &request, NULL));
    request.expert = "none.safetensors";
    CHECK_FAILS(SLT_IO, "none.safetensors", slt_collect(context, &request, NULL));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(they_act),          cmocka_unit_test(step_by_step),
        cmocka_unit_test(nothing_twice),     cmocka_unit_test(no_longer_than_shown),
        cmocka_unit_test(what_does_not_fit),
    };
    return cmocka_run_group_tests(tests, two_threads, no_context);
}
