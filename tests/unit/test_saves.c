// Checkpoints that wait: a best epoch that was put aside is written as it had been at once,
// whatever became of the member since; what waits is written when a run is saved.
#include "core/clock.h"
#include "core/file.h"
#include "train/training/trainer.h"
#include "same_bytes.h"
#include "small_run.h"

typedef struct {
    slt_trainer t;
    slt_training_run run;
    slt_member_state each;
    slt_setup setup;
    slt_train_request request;
} rig;

static const char *const settings[] = {"hidden=8", "slot_size=8", "heads=2", "slots=3", "batch=8"};

static void open_rig(rig *r, const char *run) {
    memset(r, 0, sizeof *r);
    r->request = (slt_train_request){.model = "slottar",
                                     .data = "data.safetensors",
                                     .run = run,
                                     .settings = settings,
                                     .setting_count = 5};
    slt_limits train, use;
    r->t.context = context;
    slt_arena_init(&r->t.arena, &context->allocator, 0);
    CHECK_OK(slt_setup_read(NULL, &r->setup, &r->request));
    CHECK_OK(slt_task_open(context, &r->t.arena, &r->setup, "data.safetensors", &r->t.task));
    const slt_model_data *data = &r->t.task.model;
    CHECK_OK(slt_learner_limits(&r->setup, data, r->t.task.data, 8, 1, &train));
    CHECK_OK(slt_predict_limits(context, &r->setup, data, r->t.task.data, 1, &use));
    CHECK_OK(slt_learner_create(context, &r->setup, data, 1, train, use, &r->t.learner));
    CHECK_OK(slt_store_init(r->t.learner->store, 0, 3));
    r->run = (slt_training_run){.request = &r->request,
                                .setup = &r->setup,
                                .members = 1,
                                .each = &r->each,
                                .end.better = true};
    CHECK_OK(slt_folder_make(run));
    char path[SLT_RUN_PATH];
    CHECK_OK(slt_tensorboard_open(&context->allocator, slt_run_path(path, run, "events.tfevents"),
                                  0, 0, &r->run.events));
}

static void close_rig(rig *r) {
    slt_aside_free(context, &r->run.best);
    CHECK_OK(slt_tensorboard_close(r->run.events));
    slt_learner_destroy(r->t.learner);
    slt_task_close(&r->t.task);
    slt_arena_deinit(&r->t.arena);
}

static void end_epoch(rig *r, int64_t epoch) {
    r->run.state.epoch = epoch;
    r->run.end.record.epoch = epoch;
    CHECK_OK(slt_run_keep_epoch(&r->t, &r->run));
}

static void what_waits_is_written_later(void **state) {
    (void)state;
    rig now, later;
    make_data("data.safetensors", SLT_OBSERVATIONS_BITS, true, 0, EPISODES);
    open_rig(&now, "now");
    open_rig(&later, "later");
    end_epoch(&now, 1);
    assert_true(slt_run_has("now", "best.safetensors") && slt_run_has("now", "last.safetensors"));
    assert_false(now.run.waits);

    // saving takes long: nothing is written but the line
    later.run.saved = slt_seconds();
    later.run.saving = 1e9;
    end_epoch(&later, 1);
    assert_true(later.run.waits && later.run.best_waits);
    assert_true(slt_run_has("later", "metrics.jsonl"));
    assert_false(slt_run_has("later", "best.safetensors"));

    // the next epoch is no better: the best is still the first
    for (size_t i = 0; i < later.t.learner->store->size; i++)
        later.t.learner->store->value[i] += (slt_real)0.5;
    later.run.end.better = false;
    end_epoch(&later, 2);
    assert_false(slt_run_has("later", "last.safetensors"));
    CHECK_OK(slt_run_save(&later.t, &later.run));
    assert_false(later.run.waits || later.run.best_waits);
    check_same_bytes("now/best.safetensors", "later/best.safetensors");
    assert_true(slt_run_has("later", "last.safetensors"));

    // and the last is the second, as when it is saved at once
    memcpy(now.t.learner->store->value, later.t.learner->store->value,
           now.t.learner->store->size * sizeof(slt_real));
    now.run.end.better = false;
    now.run.saving = 0;
    end_epoch(&now, 2);
    check_same_bytes("now/last.safetensors", "later/last.safetensors");
    check_same_bytes("now/best.safetensors", "later/best.safetensors");
    close_rig(&now);
    close_rig(&later);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(what_waits_is_written_later)};
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
