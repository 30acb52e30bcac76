// Collecting: what is recorded is what the experts played, the same bytes for any number of
// threads; requests that make no sense and calls that fail leave no file.
#include <dirent.h>
#include <stdlib.h>
#include <unistd.h>
#include "check.h"
#include "core/file.h"
#include "experts/craft_rollout.h"
#include "experts/minigrid_rollout.h"
#include "experts/segment_truth.h"
#include "slottar/expert.h"
#include "group_context.h"

// ---- helpers

static const char file[] = "collected.safetensors";

static slt_collect_request request_of(const char *const *environments, int count, int64_t train,
                                      int64_t valid, int64_t test) {
    return (slt_collect_request){.environments = environments,
                                 .environment_count = count,
                                 .path = file,
                                 .overwrite = true,
                                 .episodes = {train, valid, test}};
}

#define REQUEST(train, valid, test, ...)                                                           \
    request_of((const char *const[]){__VA_ARGS__},                                                 \
               sizeof((const char *const[]){__VA_ARGS__}) / sizeof(char *), train, valid, test)

static slt_dataset *collect(const slt_collect_request *request, slt_collect_summary *summary) {
    slt_dataset *data;
    CHECK_OK(slt_collect(context, request, summary));
    CHECK_OK(slt_dataset_open(context, request->path, &data));
    CHECK_OK(slt_dataset_check(data));
    return data;
}

static slt_episode episode_of(slt_dataset *data, int64_t index) {
    slt_episode episode;
    CHECK_OK(slt_dataset_episode(data, index, &episode));
    return episode;
}

// no file, finished or not, under a name that starts so
static bool is_clean(const char *start) {
    DIR *folder = opendir(".");
    assert_non_null(folder);
    bool clean = true;
    for (struct dirent *entry; (entry = readdir(folder));)
        clean = clean && strncmp(entry->d_name, start, strlen(start)) != 0;
    closedir(folder);
    return clean;
}

// ---- what is recorded

static void check_view(const slt_dataset_info *info, const slt_episode *episode, int64_t step,
                       const uint8_t *want) {
    static float got[SLT_CRAFT_FEATURES];
    CHECK_OK(slt_episode_observe(info, episode, step, got));
    for (int64_t i = 0; i < info->observation_size; i++)
        if (got[i] != (float)want[i])
            fail_msg("step %d, number %d: %g, not %d", (int)step, (int)i, (double)got[i], want[i]);
}

static void check_craft(const slt_dataset_info *info, const slt_episode *episode, bool full) {
    static uint8_t views[(SLT_CRAFT_STEPS + 1) * SLT_CRAFT_FEATURES];
    slt_craft_rollout want = {.observations = views};
    slt_craft_rollout_play(&want, slt_craft_find(8 + episode->task, full), (uint32_t)episode->seed);
    assert_int_equal(want.outcome, SLT_CRAFT_SUCCESS);
    assert_int_equal(episode->length, want.length);
    int32_t segment = 0;
    for (int t = 0; t < want.length; t++) {
        assert_int_equal(slt_episode_action(episode, t), want.actions[t]);
        assert_true(episode->rewards[t] == (float)want.rewards[t]);
        assert_int_equal(episode->segments[t], segment);
        segment += want.actions[t] == SLT_CRAFT_USE;
    }
    for (int t = 0; t <= want.length; t++)
        check_view(info, episode, t, views + t * SLT_CRAFT_FEATURES);
}

// every candidate of the range is there, or was rejected; order: split, task, seed
static void craft_is_what_the_bot_plays(void **state) {
    (void)state;
    for (int full = 0; full < 2; full++) {
        slt_collect_request request = REQUEST(20, 7, 4, full ? "craft-full" : "craft-partial");
        static const int64_t shares[3][3] = {{7, 7, 6}, {3, 2, 2}, {2, 1, 1}};
        slt_collect_summary summary;
        slt_dataset *data = collect(&request, &summary);
        const slt_dataset_info *info = slt_dataset_about(data);
        assert_int_equal(info->observation_kind, SLT_OBSERVATIONS_BITS);
        assert_int_equal(info->action_count, SLT_CRAFT_ACTIONS);
        assert_string_equal(info->environment, full ? "makebedfull-v0,makeaxefull-v0,"
                                                      "makeshearsfull-v0"
                                                    : "makebed-v0,makeaxe-v0,makeshears-v0");
        assert_string_equal(info->expert, "bot");
        assert_string_equal(slt_dataset_metadata(data, "truth"), "use");
        int64_t index = 0, candidates = 0;
        for (int split = 0; split < 3; split++) {
            for (int task = 0; task < 3; task++) {
                int64_t seed = 1000000 * (split + 1) + 100000 * task;
                for (int64_t i = 0; i < shares[split][task]; i++, seed++, candidates++) {
                    slt_episode episode = episode_of(data, index++);
                    assert_int_equal(episode.split, split);
                    assert_int_equal(episode.task, task);
                    assert_true(episode.terminated && !episode.truncated);
                    for (; seed < episode.seed; seed++, candidates++) {
                        slt_craft_rollout skipped = {0};
                        slt_craft_rollout_play(&skipped, slt_craft_find(8 + task, full),
                                               (uint32_t)seed);
                        assert_int_not_equal(skipped.outcome, SLT_CRAFT_SUCCESS);
                    }
                    check_craft(info, &episode, full);
                }
            }
        }
        assert_int_equal(info->episodes, 31);
        assert_int_equal(index, 31);
        assert_int_equal(summary.candidates, candidates);
        assert_int_equal(summary.steps, info->steps);
        slt_dataset_close(data);
    }
}

static void check_minigrid(const slt_dataset_info *info, const slt_episode *episode,
                           slt_rollout *want, slt_truth rule, double noise) {
    static int32_t segments[640];
    slt_rollout_play(want, &(uint32_t){(uint32_t)episode->seed}, 1, noise);
    assert_true(want->terminated);
    assert_int_equal(episode->length, want->length);
    slt_truth_steps steps = {want->length, want->actions, want->events, want->observations};
    slt_truth_segments(rule, want->kind, &steps, segments);
    for (int t = 0; t < want->length; t++) {
        assert_int_equal(slt_episode_action(episode, t), want->actions[t]);
        assert_int_equal(episode->segments[t], segments[t]);
        assert_true(episode->rewards[t] == (float)want->rewards[t]);
    }
    for (int t = 0; t <= want->length; t++)
        check_view(info, episode, t, want->observations + t * SLT_VIEW_BYTES);
}

static void minigrid_is_what_the_planner_plays(void **state) {
    (void)state;
    static const struct {
        const char *set, *id, *truth;
        slt_truth rule;
        double noise;
    } cases[] = {
        {"doorkey", "MiniGrid-DoorKey-8x8-v0", NULL, SLT_TRUTH_PT, 0},
        {"unlockpickup", "MiniGrid-UnlockPickup-v0", "pt", SLT_TRUTH_PT, 0.1},
        {"blockedunlockpickup", "MiniGrid-BlockedUnlockPickup-v0", "nat", SLT_TRUTH_NAT, 0},
        {"keycorridor", "MiniGrid-KeyCorridorS4R3-v0", "ref", SLT_TRUTH_REF, 0.1},
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        slt_collect_request request = REQUEST(12, 3, 2, cases[k].set);
        request.truth = cases[k].truth;
        request.noise = cases[k].noise;
        slt_dataset *data = collect(&request, NULL);
        const slt_dataset_info *info = slt_dataset_about(data);
        assert_int_equal(info->observation_kind, SLT_OBSERVATIONS_U8);
        assert_int_equal(info->action_count, SLT_MINIGRID_ACTIONS);
        assert_string_equal(info->environment, cases[k].id);
        assert_string_equal(slt_dataset_metadata(data, "truth"), slt_truth_stored(cases[k].rule));
        slt_arena arena;
        slt_rollout want;
        slt_arena_init(&arena, &slt_system_allocator, 0);
        CHECK_OK(slt_rollout_init(&want, &arena, slt_env_find(cases[k].id), 0));
        for (int64_t i = 0; i < 17; i++) {
            slt_episode episode = episode_of(data, i);
            assert_int_equal(episode.task, 0);
            check_minigrid(info, &episode, &want, cases[k].rule, cases[k].noise);
        }
        slt_arena_deinit(&arena);
        slt_dataset_close(data);
    }
}

// by `ref`, which looks at the actions: renamed too early they would make two segments
static void one_delimiter_keeps_the_segments(void **state) {
    (void)state;
    slt_collect_request request = REQUEST(30, 0, 0, "doorkey");
    request.truth = "ref";
    slt_dataset *plain = collect(&request, NULL);
    request.single_delimiter = true;
    request.path = "renamed.safetensors";
    slt_dataset *renamed = collect(&request, NULL);
    assert_string_equal(slt_dataset_metadata(renamed, "single_delimiter"), "yes");
    assert_string_equal(slt_dataset_metadata(plain, "single_delimiter"), "no");
    int pickups = 0;
    for (int64_t i = 0; i < 30; i++) {
        slt_episode was = episode_of(plain, i), is = episode_of(renamed, i);
        assert_int_equal(was.length, is.length);
        for (int64_t t = 0; t < was.length; t++) {
            int32_t action = slt_episode_action(&was, t);
            pickups += action == SLT_PICKUP;
            assert_int_equal(slt_episode_action(&is, t),
                             action == SLT_PICKUP ? SLT_TOGGLE : action);
            assert_int_equal(was.segments[t], is.segments[t]);
        }
        assert_int_equal(slt_episode_segment_count(&is), 3);
    }
    assert_int_equal(pickups, 30);
    slt_dataset_close(plain);
    slt_dataset_close(renamed);
}

// a set without valid and test has no splits; a seed moves all bases
static void seeds_and_splits(void **state) {
    (void)state;
    slt_collect_request request = REQUEST(3, 0, 0, "MiniGrid-Unlock-v0");
    request.seed = 7;
    slt_dataset *data = collect(&request, NULL);
    assert_false(slt_dataset_about(data)->has_splits);
    for (int64_t i = 0; i < 3; i++) assert_int_equal(episode_of(data, i).seed, 71000000 + i);
    slt_dataset_close(data);

    request = REQUEST(0, 0, 2, "MiniGrid-Unlock-v0", "MiniGrid-UnlockPickup-v0");
    data = collect(&request, NULL);
    assert_true(slt_dataset_about(data)->has_splits);
    assert_string_equal(slt_dataset_about(data)->environment,
                        "MiniGrid-Unlock-v0,MiniGrid-UnlockPickup-v0");
    assert_int_equal(episode_of(data, 0).seed, 3000000);
    assert_int_equal(episode_of(data, 1).seed, 3100000);
    assert_int_equal(episode_of(data, 1).split, SLT_SPLIT_TEST);
    slt_dataset_close(data);
}

// the view of Craft ids can be chosen
static void views_are_chosen(void **state) {
    (void)state;
    slt_collect_request request = REQUEST(2, 0, 0, "getwood-v0", "makeplankfull-v0");
    request.observations = "full";
    slt_dataset *data = collect(&request, NULL);
    assert_string_equal(slt_dataset_about(data)->environment, "getwoodfull-v0,makeplankfull-v0");
    slt_dataset_close(data);
    request.observations = "partial";
    data = collect(&request, NULL);
    assert_string_equal(slt_dataset_about(data)->environment, "getwood-v0,makeplank-v0");
    slt_dataset_close(data);
}

// random play: nothing is rejected, episodes are cut at the set's length
static void random_play_is_kept(void **state) {
    (void)state;
    static const struct {
        const char *name;
        int longest, actions; // actions that are played
    } cases[] = {{"doorkey", 35, 7}, {"craft-full", 64, 5}};
    for (int k = 0; k < 2; k++) {
        slt_collect_request request = REQUEST(40, 0, 0, cases[k].name);
        request.expert = "random";
        slt_collect_summary summary;
        slt_dataset *data = collect(&request, &summary);
        assert_int_equal(summary.candidates, 40);
        int played[8] = {0};
        for (int64_t i = 0; i < 40; i++) {
            slt_episode episode = episode_of(data, i);
            assert_int_not_equal(episode.terminated, episode.truncated);
            if (episode.truncated) assert_int_equal(episode.length, cases[k].longest);
            for (int64_t t = 0; t < episode.length; t++) played[slt_episode_action(&episode, t)]++;
        }
        // uniform: six deviations of a binomial
        double mean = (double)summary.steps / cases[k].actions;
        for (int a = 0; a < 8; a++)
            if (a < cases[k].actions)
                assert_true((played[a] - mean) * (played[a] - mean) < 36 * mean);
            else
                assert_int_equal(played[a], 0);
        slt_dataset_close(data);
    }
}

// noise: other actions, still only successes; some candidates fail now
static void noise_on_the_craft_bot(void **state) {
    (void)state;
    slt_collect_request request = REQUEST(300, 0, 0, "craft-full");
    request.noise = 0.2;
    slt_collect_summary summary;
    slt_dataset *data = collect(&request, &summary);
    assert_string_equal(slt_dataset_metadata(data, "noise"), "0.2");
    assert_true(summary.candidates > 300);
    assert_true(summary.rejected[SLT_REJECTED_OVERLONG] == 0);
    assert_true(summary.steps > 300 * 25); // 23.4 without
    for (int64_t i = 0; i < 300; i++) {
        slt_episode episode = episode_of(data, i);
        float sum = 0;
        for (int64_t t = 0; t < episode.length; t++) {
            sum += episode.rewards[t];
            assert_true(slt_episode_action(&episode, t) < SLT_CRAFT_DONE);
        }
        assert_true(sum == 4 && episode.terminated);
    }
    slt_dataset_close(data);
}

// the planner with much noise needs more than 35 steps at times
static void long_episodes_are_dropped(void **state) {
    (void)state;
    slt_collect_request request = REQUEST(300, 0, 0, "doorkey");
    request.noise = 0.5;
    slt_collect_summary summary;
    slt_dataset *data = collect(&request, &summary);
    assert_true(summary.rejected[SLT_REJECTED_OVERLONG] > 0);
    assert_true(slt_dataset_about(data)->longest <= 35);
    slt_dataset_close(data);
}

// ---- threads

static void any_number_of_threads(void **state) {
    (void)state;
    static const char *const sets[] = {"craft-partial", "keycorridor"};
    static const char *const paths[] = {"one.safetensors", "two.safetensors", "three.safetensors"};
    for (int k = 0; k < 2; k++) {
        slt_map maps[3];
        for (int i = 0; i < 3; i++) {
            slt_context *own;
            slt_collect_request request = REQUEST(301, 31, 30, sets[k]);
            request.path = paths[i];
            request.noise = 0.05;
            CHECK_OK(slt_context_create(&(slt_context_options){.threads = i + 1}, &own));
            CHECK_OK(slt_collect(own, &request, NULL));
            slt_context_destroy(own);
            CHECK_OK(slt_map_open(paths[i], &maps[i]));
        }
        for (int i = 1; i < 3; i++) {
            assert_int_equal(maps[0].size, maps[i].size);
            assert_memory_equal(maps[0].data, maps[i].data, maps[0].size);
        }
        for (int i = 0; i < 3; i++) slt_map_close(&maps[i]);
    }
}

// ---- what goes wrong

static void senseless_requests(void **state) {
    (void)state;
    const struct {
        slt_status status;
        const char *words;
        slt_collect_request request;
    } cases[] = {
        {SLT_INVALID, "'nowhere'", REQUEST(1, 0, 0, "nowhere")},
        {SLT_INVALID, "cannot be combined", REQUEST(1, 0, 0, "doorkey", "keycorridor")},
        {SLT_INVALID, "cannot be combined", REQUEST(1, 0, 0, "makebed-v0", "craft-full")},
        {SLT_INVALID, "do not fit", REQUEST(1, 0, 0, "makebed-v0", "MiniGrid-Unlock-v0")},
        {SLT_UNSUPPORTED, "cannot play", REQUEST(1, 0, 0, "MiniGrid-Fetch-5x5-N2-v0")},
        {SLT_RANGE, "-1 episodes for valid", REQUEST(1, -1, 0, "doorkey")},
        {SLT_RANGE, "seeds for 1000000", REQUEST(1000001, 0, 0, "doorkey")},
        {SLT_RANGE, "seeds for 900000", REQUEST(1, 0, 1800002, "makebed-v0", "makeaxe-v0")},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        slt_collect_request request = cases[i].request;
        request.path = "refused";
        CHECK_FAILS(cases[i].status, cases[i].words, slt_collect(context, &request, NULL));
    }
    slt_collect_request none = {.path = "refused"};
    CHECK_FAILS(SLT_INVALID, "needs an environment", slt_collect(context, &none, NULL));
    assert_true(is_clean("refused"));
}

static void senseless_choices(void **state) {
    (void)state;
    static const struct {
        slt_status status;
        const char *words, *set;
        slt_collect_request request;
    } cases[] = {
        {SLT_RANGE, "0 to 1", "doorkey", {.noise = -0.1}},
        {SLT_RANGE, "0 to 1", "doorkey", {.noise = 1.1}},
        {SLT_INVALID, "no expert 'me'", "doorkey", {.expert = "me"}},
        {SLT_INVALID, "effects, reference or natural", "doorkey", {.truth = "mine"}},
        {SLT_UNSUPPORTED, "no choice of truth", "craft-full", {.truth = "ref"}},
        {SLT_UNSUPPORTED, "no pickup", "craft-full", {.single_delimiter = true}},
        {SLT_INVALID, "'none'", "makebed-v0", {.observations = "none"}},
        {SLT_INVALID, "partial", "craft-full", {.observations = "partial"}},
        {SLT_UNSUPPORTED, "partial", "doorkey", {.observations = "full"}},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        slt_collect_request request = cases[i].request;
        request.environments = &cases[i].set;
        request.environment_count = 1;
        request.path = "refused";
        CHECK_FAILS(cases[i].status, cases[i].words, slt_collect(context, &request, NULL));
    }
    assert_true(is_clean("refused"));
}

static void files_in_the_way(void **state) {
    (void)state;
    slt_collect_request request = REQUEST(2, 0, 0, "doorkey");
    request.path = "kept";
    CHECK_OK(slt_file_write("kept", "mine", 4));
    request.overwrite = false;
    CHECK_FAILS(SLT_EXISTS, "exists", slt_collect(context, &request, NULL));
    slt_map map;
    CHECK_OK(slt_map_open("kept", &map));
    assert_int_equal(map.size, 4);
    slt_map_close(&map);
    request.overwrite = true;
    CHECK_OK(slt_collect(context, &request, NULL));
    request.path = "no/such/folder";
    CHECK_FAILS(SLT_IO, "no/such/folder", slt_collect(context, &request, NULL));
}

static void cancel_at_half(void *user, const slt_progress *progress) {
    (void)user;
    if (2 * progress->done > progress->total) slt_context_cancel(context);
}

static void cancelled_collecting_leaves_no_file(void **state) {
    (void)state;
    slt_context *old = context;
    slt_context_options options = {.threads = 2, .progress = cancel_at_half};
    CHECK_OK(slt_context_create(&options, &context));
    slt_collect_request request = REQUEST(1000, 0, 0, "doorkey");
    request.path = "cancelled";
    CHECK_FAILS(SLT_CANCELLED, "", slt_collect(context, &request, NULL));
    assert_true(is_clean("cancelled"));
    slt_context_destroy(context);
    context = old;
}

static int allocations_left;

static void *fail_at_last(void *user, size_t bytes) {
    (void)user;
    return allocations_left-- > 0 ? malloc(bytes) : NULL;
}

static void give_back(void *user, void *memory) {
    (void)user;
    free(memory);
}

static void memory_runs_out_anywhere(void **state) {
    (void)state;
    slt_context_options options = {.threads = 1, .alloc = fail_at_last, .free = give_back};
    slt_status status = SLT_NOMEM;
    for (int n = 0; status != SLT_OK; n++) {
        slt_context *own;
        allocations_left = 1000;
        CHECK_OK(slt_context_create(&options, &own));
        slt_collect_request request = REQUEST(3, 0, 0, "MiniGrid-Unlock-v0");
        request.path = "starved";
        allocations_left = n;
        status = slt_collect(own, &request, NULL);
        if (status != SLT_OK) assert_int_equal(status, SLT_NOMEM);
        if (status != SLT_OK) assert_true(is_clean("starved"));
        slt_context_destroy(own);
        assert_true(n < 1000);
    }
    remove("starved");
}

static void the_named_sets(void **state) {
    (void)state;
    slt_set_info info;
    assert_int_equal(slt_set_count(), 6);
    CHECK_OK(slt_set_describe(5, &info));
    assert_string_equal(info.name, "keycorridor");
    assert_string_equal(info.environments[0], "MiniGrid-KeyCorridorS4R3-v0");
    assert_int_equal(info.longest, 80);
    CHECK_FAILS(SLT_RANGE, "6 named sets", slt_set_describe(6, &info));
    CHECK_FAILS(SLT_RANGE, "-1", slt_set_describe(-1, &info));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(craft_is_what_the_bot_plays),
        cmocka_unit_test(minigrid_is_what_the_planner_plays),
        cmocka_unit_test(one_delimiter_keeps_the_segments),
        cmocka_unit_test(seeds_and_splits),
        cmocka_unit_test(views_are_chosen),
        cmocka_unit_test(random_play_is_kept),
        cmocka_unit_test(noise_on_the_craft_bot),
        cmocka_unit_test(long_episodes_are_dropped),
        cmocka_unit_test(any_number_of_threads),
        cmocka_unit_test(senseless_requests),
        cmocka_unit_test(senseless_choices),
        cmocka_unit_test(files_in_the_way),
        cmocka_unit_test(cancelled_collecting_leaves_no_file),
        cmocka_unit_test(memory_runs_out_anywhere),
        cmocka_unit_test(the_named_sets),
    };
    return cmocka_run_group_tests(tests, two_threads, no_context);
}
