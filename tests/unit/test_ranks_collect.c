// Collecting by several processes: the file of one, byte for byte; nothing is left behind a
// failure.
#include <unistd.h>
#include "core/file.h"
#include "experts/record_pack.h"
#include "skills/skill_play.h"
#include "slottar/expert.h"
#include "same_bytes.h"
#include "thread_group.h"

typedef struct {
    const char *set, *path, *expert;
    int64_t episodes[SLT_SPLITS];
    slt_collect_summary summary[MOST_RANKS];
} job;

static void collect_share(rank *r) {
    job *j = r->user;
    slt_collect_request request = {.environments = &j->set,
                                   .environment_count = 1,
                                   .path = j->path,
                                   .overwrite = true,
                                   .expert = j->expert,
                                   .seed = 5};
    memcpy(request.episodes, j->episodes, sizeof request.episodes);
    r->status = slt_collect(r->context, &request, &j->summary[r->group.rank]);
}

static void collect(job *j, int size) {
    rank ranks[MOST_RANKS] = {0};
    for (int i = 0; i < size; i++) ranks[i].user = j;
    run_ranks(ranks, size, collect_share);
    for (int i = 0; i < size; i++)
        if (ranks[i].status != SLT_OK) fail_msg("rank %d: %s", i, ranks[i].message);
}

// some candidates are rejected; bits and bytes; several environments; rounds that are not full
static void the_same_file(void **state) {
    (void)state;
    job jobs[] = {{.set = "craft-full", .episodes = {300, 20, 7}},
                  {.set = "keycorridor", .episodes = {150, 3, 0}},
                  {.set = "MiniGrid-DoorKey-8x8-v0", .expert = "random", .episodes = {2, 0, 0}}};
    for (size_t i = 0; i < sizeof jobs / sizeof *jobs; i++) {
        job one = jobs[i], two = jobs[i], four = jobs[i];
        one.path = "one.safetensors", two.path = "two.safetensors", four.path = "four.safetensors";
        collect(&one, 1);
        collect(&two, 2);
        collect(&four, 4);
        check_same_bytes("one.safetensors", "two.safetensors");
        check_same_bytes("one.safetensors", "four.safetensors");
        // all processes know what came of it
        for (int r = 0; r < 4; r++) {
            assert_int_equal(four.summary[r].candidates, one.summary[0].candidates);
            assert_int_equal(four.summary[r].steps, one.summary[0].steps);
        }
    }
}

static void a_file_that_is_there_stops_all(void **state) {
    (void)state;
    job j = {.set = "craft-full", .path = "no/such/folder.safetensors", .episodes = {4, 0, 0}};
    rank ranks[MOST_RANKS] = {{.user = &j}, {.user = &j}, {.user = &j}};
    run_ranks(ranks, 3, collect_share);
    for (int i = 0; i < 3; i++) {
        assert_int_equal(ranks[i].status, SLT_IO);
        if (!strstr(ranks[i].message, "process 0: no/such/folder"))
            fail_msg("%s", ranks[i].message);
    }
}

static void cancel_last(rank *r) {
    if (r->group.rank == 2) slt_context_cancel(r->context);
    collect_share(r);
}

static void all_stop_together(void **state) {
    (void)state;
    job j = {.set = "craft-full", .path = "stopped.safetensors", .episodes = {400, 0, 0}};
    rank ranks[MOST_RANKS] = {{.user = &j}, {.user = &j}, {.user = &j}};
    run_ranks(ranks, 3, cancel_last);
    for (int i = 0; i < 3; i++) assert_int_equal(ranks[i].status, SLT_CANCELLED);
    assert_int_not_equal(access("stopped.safetensors", F_OK), 0);
}

// bytes that hold no record are refused, at every length
static void odd_bytes_are_refused(void **state) {
    (void)state;
    uint8_t actions[3] = {1, 2, 3}, views[8] = {1, 1, 0, 1, 0, 0, 1, 0}, bytes[256];
    float rewards[3] = {0, 0, 1};
    int32_t segments[3] = {0, 0, 1}, subtasks[3] = {2, 2, -1};
    slt_world_family family = {.observations = SLT_OBSERVATIONS_U8};
    slt_play_rules rules = {.family = &family, .longest = 3};
    slt_skill_tally skills[2] = {{5, 4}, {7, 6}};
    slt_record record = {.seed = 9,
                         .verdict = SLT_ACCEPTED,
                         .skill_count = 2,
                         .skills = skills,
                         .length = 3,
                         .actions = actions,
                         .rewards = rewards,
                         .segments = segments,
                         .subtasks = subtasks,
                         .views = views};
    size_t size = slt_record_packed(&record, 2);
    assert_ptr_equal(slt_record_pack(&record, 2, bytes), bytes + size);
    for (size_t cut = 0; cut < size; cut++) {
        const unsigned char *at = bytes;
        CHECK_FAILS(SLT_INTERNAL, "does not fit",
                    slt_record_unpack(&record, &rules, 2, &at, bytes + cut));
        assert_ptr_equal(at, bytes);
    }
    const unsigned char *at = bytes;
    memset(views, 7, sizeof views);
    memset(skills, 0, sizeof skills);
    CHECK_OK(slt_record_unpack(&record, &rules, 2, &at, bytes + size));
    assert_ptr_equal(at, bytes + size);
    assert_int_equal(views[3], 1);
    assert_int_equal(skills[1].reached, 6);
    // a rejected record is its head and what came of skills
    record.verdict = SLT_REJECTED_TIMEOUT;
    assert_ptr_equal(slt_record_pack(&record, 2, bytes), bytes + slt_record_packed(&record, 2));
    memset(skills, 0, sizeof skills);
    at = bytes;
    CHECK_OK(slt_record_unpack(&record, &rules, 2, &at, bytes + slt_record_packed(&record, 2)));
    assert_int_equal(skills[0].starts, 5);
    record.verdict = SLT_ACCEPTED;
    record.length = 3;
    slt_record_pack(&record, 2, bytes);
    rules.longest = 2; // as another play
    at = bytes;
    CHECK_FAILS(SLT_INTERNAL, "3 steps", slt_record_unpack(&record, &rules, 2, &at, bytes + size));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_same_file),
        cmocka_unit_test(a_file_that_is_there_stops_all),
        cmocka_unit_test(all_stop_together),
        cmocka_unit_test(odd_bytes_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
