// The lists of tables, the summaries of runs, and the records as files.
#include <math.h>
#include "check.h"
#include "core/file.h"
#include "paper/paper_scores.h"
#include "reproduce/repro_markdown.h"
#include "reproduce/repro_summary.h"
#include "reproduce/repro_verdict.h"
#include "train/learner/train_options.h"

// ---- the lists

static void names_are_known_and_stand_once(void **state) {
    (void)state;
    for (int t = 0; slt_repro_table_at(t); t++) {
        const slt_repro_table *table = slt_repro_table_at(t);
        assert_ptr_equal(slt_repro_table_find(table->name), table);
        assert_string_equal(slt_reproduce_table(t), table->name);
        for (int i = 0; i < SLT_REPRO_SETS && table->sets[i]; i++)
            assert_non_null(slt_repro_set_find(table->sets[i]));
        for (int i = 0; i < SLT_REPRO_VARIANTS && table->variants[i]; i++)
            assert_non_null(slt_repro_variant_find(table->variants[i]));
    }
    for (int i = 0; slt_repro_set_at(i); i++)
        assert_ptr_equal(slt_repro_set_find(slt_repro_set_at(i)->name), slt_repro_set_at(i));
    for (int i = 0; slt_repro_variant_at(i); i++)
        assert_ptr_equal(slt_repro_variant_find(slt_repro_variant_at(i)->name),
                         slt_repro_variant_at(i));
    assert_null(slt_reproduce_table(-1));
    assert_null(slt_repro_set_find("nowhere"));
}

static bool is_used(const char *name, bool set) {
    for (int t = 0; slt_repro_table_at(t); t++) {
        const slt_repro_table *table = slt_repro_table_at(t);
        for (int i = 0; i < (set ? SLT_REPRO_SETS : SLT_REPRO_VARIANTS); i++) {
            const char *found = set ? table->sets[i] : table->variants[i];
            if (!found) break;
            if (strcmp(found, name) == 0) return true;
        }
    }
    return false;
}

static void nothing_is_listed_in_vain(void **state) {
    (void)state;
    for (int i = 0; slt_repro_set_at(i); i++) assert_true(is_used(slt_repro_set_at(i)->name, true));
    for (int i = 0; slt_repro_variant_at(i); i++)
        assert_true(is_used(slt_repro_variant_at(i)->name, false));
}

// every model takes the settings that tables and --quick give it, on every set
static void check_settings(const slt_repro *r, const slt_repro_set *set,
                           const slt_repro_variant *variant) {
    slt_repro_run run;
    slt_setup setup;
    CHECK_OK(slt_repro_run_init(r, set, variant, 2, &run));
    if (slt_repro_is_vote(variant)) { // a kind at most; a prior when the set is there
        assert_int_equal(run.train.setting_count, variant->settings != NULL);
        return;
    }
    CHECK_OK(slt_setup_read(NULL, &setup, &run.train));
    assert_int_equal(setup.train.epochs, 3);
    assert_int_equal(run.train.seed, variant->from + 7);
}

static void settings_are_those_of_the_models(void **state) {
    (void)state;
    const char *const user[] = {"epochs=3"};
    slt_reproduce_request request = {
        .folder = "f", .settings = user, .setting_count = 1, .seed = 5};
    slt_repro r = {.request = &request};
    for (int quick = 0; quick < 2; quick++)
        for (int i = 0; slt_repro_table_at(i); i++) {
            const slt_repro_table *table = slt_repro_table_at(i);
            request.quick = quick;
            for (int s = 0; s < SLT_REPRO_SETS && table->sets[s]; s++)
                for (int v = 0; v < SLT_REPRO_VARIANTS && table->variants[v]; v++)
                    check_settings(&r, slt_repro_set_find(table->sets[s]),
                                   slt_repro_variant_find(table->variants[v]));
        }
}

// how many episodes: as asked for, with --quick few, otherwise as the set has it
static void check_sizes(const slt_reproduce_request *request, const char *set, const char *sizes) {
    slt_repro r = {.request = request};
    slt_text text;
    slt_text_init(&text, &slt_system_allocator);
    slt_repro_collect_command(&r, slt_repro_set_find(set), &text);
    CHECK_OK(text.status);
    assert_true(sizes ? strstr(text.bytes, sizes) != NULL : strstr(text.bytes, "--split") == NULL);
    slt_text_deinit(&text);
}

static void sets_have_their_sizes(void **state) {
    (void)state;
    slt_reproduce_request request = {.folder = "f"};
    check_sizes(&request, "craft-full", NULL);
    check_sizes(&request, "craft-full-tasks", "--split 30000,3000,3000");
    request.quick = true;
    check_sizes(&request, "craft-full-tasks", "--split 600,100,100");
    request.episodes[0] = 50;
    check_sizes(&request, "craft-full-tasks", "--split 50,0,0");
}

// a place of the paper's tables is a cell of ours
static void every_figure_of_the_paper_has_a_cell(void **state) {
    (void)state;
    int count, found = 0;
    const slt_published_score *rows = slt_paper_rows(&count);
    for (int p = 0; p < count; p++) {
        int before = found;
        for (int t = 0; slt_repro_table_at(t) && found == before; t++) {
            const slt_repro_table *table = slt_repro_table_at(t);
            bool set = false, model = false;
            for (int i = 0; i < SLT_REPRO_SETS && table->sets[i]; i++)
                set |=
                    slt_repro_paper(slt_repro_set_find(table->sets[i]), rows[p].model) == &rows[p];
            for (int i = 0; i < SLT_REPRO_VARIANTS && table->variants[i]; i++) {
                const char *paper = slt_repro_variant_find(table->variants[i])->paper;
                model |= paper && strcmp(paper, rows[p].model) == 0;
            }
            found += set && model;
        }
        if (found == before) fail_msg("%s, %s", rows[p].set, rows[p].model);
    }
    assert_int_equal(found, 28);
}

// its CompILE has the score of one segment under that rule, and under that rule alone
static void keycorridor_is_the_references_rule(void **state) {
    (void)state;
    const slt_repro_set *effects = slt_repro_set_find("keycorridor");
    const slt_repro_set *reference = slt_repro_set_find("keycorridor-ref");
    assert_null(slt_repro_paper(effects, "CompILE"));
    assert_true(slt_repro_paper(reference, "CompILE")->align == .4475);
}

static void verdicts_follow_their_rule(void **state) {
    (void)state;
    const struct {
        int reached, runs;
        slt_repro_verdict verdict;
    } cases[] = {{16, 16, SLT_VERDICT_EXPLAINS}, {13, 16, SLT_VERDICT_EXPLAINS},
                 {12, 16, SLT_VERDICT_OPEN},     {5, 16, SLT_VERDICT_OPEN},
                 {4, 16, SLT_VERDICT_DOES_NOT},  {0, 16, SLT_VERDICT_DOES_NOT},
                 {8, 8, SLT_VERDICT_EXPLAINS},   {7, 8, SLT_VERDICT_OPEN},
                 {2, 8, SLT_VERDICT_OPEN},       {1, 8, SLT_VERDICT_DOES_NOT},
                 {0, 8, SLT_VERDICT_DOES_NOT},   {0, 0, SLT_VERDICT_OPEN}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        if (slt_repro_verdict_of(cases[i].reached, cases[i].runs) != cases[i].verdict)
            fail_msg("%d of %d", cases[i].reached, cases[i].runs);
    const slt_published_score *full = slt_repro_paper(slt_repro_set_find("craft-full"), "SloTTAr");
    const slt_published_score *part =
        slt_repro_paper(slt_repro_set_find("craft-partial"), "SloTTAr");
    assert_true(fabs(slt_repro_least_f1(full) - .9484) < 1e-9); // five points
    assert_true(fabs(slt_repro_least_f1(part) - .7157) < 1e-9); // two deviations
}

static void hypotheses_have_their_runs(void **state) {
    (void)state;
    const slt_repro_variant *trial = slt_repro_variant_find("trial-dropout");
    assert_int_equal(slt_repro_runs(slt_repro_set_find("craft-full"), trial, 5), 16);
    assert_int_equal(slt_repro_runs(slt_repro_set_find("craft-partial"), trial, 5), 8);
    assert_int_equal(
        slt_repro_runs(slt_repro_set_find("craft-full"), slt_repro_variant_find("mdl-action"), 5),
        10);
}

static void commands_say_what_is_run(void **state) {
    (void)state;
    slt_reproduce_request request = {.folder = "some/where", .seed = 3};
    slt_repro r = {.request = &request};
    slt_repro_run run;
    slt_text text;
    slt_text_init(&text, &slt_system_allocator);
    CHECK_OK(slt_repro_run_init(&r, slt_repro_set_find("doorkey"),
                                slt_repro_variant_find("beta0-reference"), 1, &run));
    slt_repro_run_command(&r, &run, &text);
    assert_string_equal(text.bytes,
                        "slottar train slottar data/doorkey.safetensors --preset doorkey "
                        "--profile reference beta=0 --seed 4 -o "
                        "runs/doorkey/beta0-reference/1");
    slt_text_deinit(&text);
    slt_text_init(&text, &slt_system_allocator);
    CHECK_OK(slt_repro_run_init(&r, slt_repro_set_find("doorkey-noise20"),
                                slt_repro_variant_find("mdl-joint-told"), 0, &run));
    slt_repro_run_command(&r, &run, &text);
    assert_string_equal(text.bytes, "slottar train slottar-mdl data/doorkey-noise20.safetensors "
                                    "--restarts 16 boundary_input=joint prior=labels --seed 3 -o "
                                    "runs/doorkey-noise20/mdl-joint-told/0");
    slt_text_deinit(&text);
    slt_text_init(&text, &slt_system_allocator);
    slt_repro_collect_command(&r, slt_repro_set_find("keycorridor-ref"), &text);
    assert_string_equal(text.bytes, "slottar collect keycorridor --truth reference --seed 3 -o "
                                    "data/keycorridor-ref.safetensors");
    slt_text_deinit(&text);
    slt_text_init(&text, &slt_system_allocator);
    slt_repro_collect_command(&r, slt_repro_set_find("unlockpickup-agent"), &text);
    assert_string_equal(
        text.bytes,
        "slottar train-expert unlockpickup clip=0 epochs=1 minibatches=1 clone=0 copies=128 "
        "steps=16 lr=0.002 eval_interval=256 goal=0.9 --seed 3 -o "
        "data/unlockpickup-agent-policy.safetensors && slottar collect unlockpickup --expert "
        "data/unlockpickup-agent-policy.safetensors --segments 3 --seed 3 -o "
        "data/unlockpickup-agent.safetensors");
    slt_text_deinit(&text);
    slt_text_init(&text, &slt_system_allocator);
    CHECK_OK(slt_repro_run_init(&r, slt_repro_set_find("craft-full"),
                                slt_repro_variant_find("trial-dropout"), 2, &run));
    slt_repro_run_command(&r, &run, &text);
    assert_string_equal(text.bytes,
                        "slottar train slottar data/craft-full.safetensors --preset craft-full "
                        "--profile reference epochs=30 patience=30 dropout=0.1 --seed 5 -o "
                        "runs/craft-full/trial-dropout/2");
    slt_text_deinit(&text);
}

// ---- summaries

static slt_repro_record record_of(double loss, double f1) {
    slt_repro_record r = {.epochs = 4, .best_epoch = 3, .steps = 40, .seconds = 10, .together = 2};
    r.valid = (slt_run_scores){.episodes = 7, .loss = loss, .has_labels = true};
    r.test = r.valid;
    r.test.scores.mean = (slt_scores){.f1 = f1, .align = 0.5, .ari = -0.25};
    r.test.forward = r.test.backward = NAN;
    return r;
}

static void runs_are_summed_up(void **state) {
    (void)state;
    slt_repro_record records[] = {
        record_of(2, 0.25), record_of(1, 0.5), {.failed = true}, record_of(3, 0.99)};
    slt_repro_summary s;
    records[3].seconds = NAN;
    records[1].test.told_count = true;
    slt_repro_summarise(records, 4, &s);
    assert_true(s.runs == 3 && s.failed == 1 && s.right == 1 && s.warned == 0);
    assert_true(fabs(s.mean.f1 - 0.58) < 1e-12 && s.mean.align == 0.5 && s.sd.align == 0);
    assert_true(fabs(s.sd.f1 - 0.37643060449437424) < 1e-12);
    // the least held-out loss, not the best score
    assert_true(s.kept == 1 && s.kept_scores.f1 == 0.5);
    assert_true(s.worst == 0.25 && s.told_count && !s.counts_done);
    assert_true(s.seconds == 10 && s.together == 2 && fabs(s.epochs - 4) < 1e-12);
    assert_true(isnan(s.mean.forward) && isnan(s.least_gap));
}

static void one_run_has_no_spread_and_none_has_nothing(void **state) {
    (void)state;
    slt_repro_record record = record_of(1, 0.5);
    slt_repro_summary s;
    slt_repro_summarise(&record, 1, &s);
    assert_true(s.runs == 1 && isnan(s.sd.f1) && s.mean.f1 == 0.5);
    slt_repro_summarise(&record, 0, &s);
    assert_true(s.runs == 0 && s.kept == -1 && isnan(s.worst) && isnan(s.seconds));
}

static void warnings_are_counted(void **state) {
    (void)state;
    slt_repro_trust trust = {0};
    slt_repro_record records[] = {record_of(1, 0.99), record_of(1, 0.5), record_of(1, 0.91),
                                  record_of(1, 0.4), record_of(1, 0.1)};
    for (int i = 0; i < 4; i++) records[i].members = 16; // the last one has no restarts
    strcpy(records[2].warning, "careful");
    strcpy(records[3].warning, "careful");
    for (int i = 0; i < 5; i++) slt_repro_trust_add(&trust, &records[i]);
    assert_true(trust.quiet == 2 && trust.quiet_wrong == 1);
    assert_true(trust.loud == 2 && trust.loud_wrong == 1);
}

// ---- records

static void records_come_back(void **state) {
    (void)state;
    slt_repro_record want = record_of(0.1, 1. / 3), got;
    want.members = 16;
    want.agreeing = 3;
    want.gap = INFINITY;
    strcpy(want.warning, "a \"quoted\"\nwarning");
    strcpy(want.commit, "abc");
    strcpy(want.precision, "tf32");
    strcpy(want.group, "phases");
    want.trust = 0.5, want.alone = 0.25;
    want.test.reliability.count[9] = 7, want.test.reliability.confidence[9] = 6.5;
    want.test.told_count = want.test.counts_done = true;
    CHECK_OK(slt_repro_record_write("r.json", &want));
    CHECK_OK(slt_repro_record_read("r.json", &got));
    assert_memory_equal(&got.test.scores.mean, &want.test.scores.mean, sizeof(slt_scores));
    assert_true(got.valid.loss == want.valid.loss && isnan(got.test.forward));
    assert_true(got.members == 16 && got.agreeing == 3 && isinf(got.gap) && got.together == 2);
    assert_true(got.test.told_count && got.test.counts_done && !got.failed && got.seconds == 10);
    assert_string_equal(got.warning, want.warning);
    assert_string_equal(got.commit, "abc");
    assert_string_equal(got.precision, "tf32");
    assert_string_equal(got.group, "phases");
    assert_true(got.trust == 0.5 && got.alone == 0.25);
    assert_memory_equal(&got.test.reliability, &want.test.reliability, sizeof(slt_reliability));
    want.seconds = NAN;
    want.failed = true;
    CHECK_OK(slt_repro_record_write("r.json", &want));
    CHECK_OK(slt_repro_record_read("r.json", &got));
    assert_true(isnan(got.seconds) && got.failed);
}

static void damaged_records_are_refused(void **state) {
    (void)state;
    slt_repro_record want = record_of(0.1, 0.2), got;
    slt_map map;
    char bytes[4096];
    CHECK_OK(slt_repro_record_write("r.json", &want));
    CHECK_OK(slt_map_open("r.json", &map));
    size_t size = map.size;
    assert_true(size < sizeof bytes);
    memcpy(bytes, map.data, size);
    slt_map_close(&map);
    for (size_t cut = 0; cut + 1 < size; cut += 7) {
        CHECK_OK(slt_file_write("cut.json", bytes, cut));
        CHECK_FAILS(SLT_FORMAT, "cut.json", slt_repro_record_read("cut.json", &got));
    }
    const char *other = "{\"valid\":{},\"test\":3,\"reason\":\"\"}";
    CHECK_OK(slt_file_write("cut.json", other, strlen(other)));
    CHECK_FAILS(SLT_FORMAT, "no record", slt_repro_record_read("cut.json", &got));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_are_known_and_stand_once),
        cmocka_unit_test(nothing_is_listed_in_vain),
        cmocka_unit_test(settings_are_those_of_the_models),
        cmocka_unit_test(sets_have_their_sizes),
        cmocka_unit_test(every_figure_of_the_paper_has_a_cell),
        cmocka_unit_test(keycorridor_is_the_references_rule),
        cmocka_unit_test(verdicts_follow_their_rule),
        cmocka_unit_test(hypotheses_have_their_runs),
        cmocka_unit_test(commands_say_what_is_run),
        cmocka_unit_test(runs_are_summed_up),
        cmocka_unit_test(one_run_has_no_spread_and_none_has_nothing),
        cmocka_unit_test(warnings_are_counted),
        cmocka_unit_test(records_come_back),
        cmocka_unit_test(damaged_records_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
