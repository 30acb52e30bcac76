// Every request for memory fails once, in training, in what is asked of a model, in searches and
// in reports. A run that failed can be gone on with: the next attempt has it before it.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include <ftw.h>
#include <unistd.h>
#include "failing_memory.h"
#include "slottar/bench.h"
#include "slottar/expert.h"
#include "slottar/policy.h"
#include "slottar/report.h"
#include "slottar/stream.h"
#include "reproduce/reproduce.h"
#include "slottar/sweep.h"
#include "small_run.h"

static int remove_one(const char *path, const struct stat *info, int kind, struct FTW *place) {
    (void)info, (void)kind, (void)place;
    return remove(path);
}

static void remove_folder(const char *path) { nftw(path, remove_one, 8, FTW_DEPTH | FTW_PHYS); }

static const char *const settings[] = {"epochs=1", "batch=8", "hidden=8", "lr=1e-3"};

static slt_status train_model(slt_context *with, const char *model, int restarts) {
    slt_train_request request = {.model = model,
                                 .data = "data.safetensors",
                                 .run = "run",
                                 .settings = settings,
                                 .setting_count = 4,
                                 .restarts = restarts};
    slt_train_result result;
    return slt_train(with, &request, &result);
}

// from the beginning each time
static slt_status train_fresh(slt_context *with, const char *model, int restarts) {
    remove_folder("run");
    return train_model(with, model, restarts);
}

static slt_status slottar(slt_context *with) { return train_fresh(with, "slottar", 0); }
static slt_status mdl(slt_context *with) { return train_fresh(with, "slottar-mdl", 2); }
static slt_status compile(slt_context *with) { return train_fresh(with, "compile", 0); }
static slt_status ompn(slt_context *with) { return train_fresh(with, "ompn", 0); }

// two at once: one ends before the other
static slt_status population(slt_context *with) {
    static slt_train_outcome outcomes[2];
    const char *const own[] = {"epochs=1", "batch=8", "hidden=8", "epochs=2"};
    slt_train_request requests[2];
    for (int i = 0; i < 2; i++)
        requests[i] = (slt_train_request){.model = "slottar",
                                          .data = "data.safetensors",
                                          .run = i ? "second" : "first",
                                          .settings = own,
                                          .setting_count = 3 + i};
    remove_folder("first");
    remove_folder("second");
    SLT_TRY(slt_train_many(with, requests, 2, 2, outcomes));
    return outcomes[0].status == SLT_OK ? outcomes[1].status : outcomes[0].status;
}

// continues from whatever the last attempt left
static slt_status again(slt_context *with) { return train_model(with, "slottar", 0); }

static slt_status ask(slt_model *model, slt_dataset *data) {
    slt_run_scores scores;
    slt_segment_options options = {.pictures = true, .min_length = 2, .overwrite = true};
    SLT_TRY(slt_model_score(model, data, NULL, &scores));
    SLT_TRY(slt_model_save_segments(model, data, &options, "segments.safetensors"));
    return slt_model_label(model, data, &options, "labelled.npz");
}

static slt_status use(slt_context *with) {
    slt_model *model;
    slt_dataset *data;
    SLT_TRY(slt_model_open(with, "run", &model));
    slt_status status = slt_dataset_open(with, "data.safetensors", &data);
    if (status == SLT_OK) {
        status = ask(model, data);
        slt_dataset_close(data);
    }
    slt_model_close(model);
    return status;
}

// a step, and the end of its episode
static slt_status push_one(slt_model *model) {
    slt_stream *stream;
    slt_stream_event event;
    const float observation[WIDTH] = {1, 0, 1};
    SLT_TRY(slt_stream_open(model, &(slt_stream_options){.lag = 3}, &stream));
    slt_status status = slt_stream_push(stream, observation, 1, &event);
    if (status == SLT_OK) status = slt_stream_finish(stream, NULL);
    slt_stream_close(stream);
    return status;
}

static slt_status follow_run(slt_context *with, const char *run) {
    slt_model *model;
    SLT_TRY(slt_model_open(with, run, &model));
    slt_status status = push_one(model);
    slt_model_close(model);
    return status;
}

static slt_status follow(slt_context *with) { return follow_run(with, "run"); }
static slt_status follow_vote(slt_context *with) { return follow_run(with, "votes"); }

static void learn_votes(void) {
    slt_segmenter_options options = {.runs = 4};
    slt_segmenter *segmenter;
    slt_dataset *data;
    CHECK_OK(slt_dataset_open(context, "data.safetensors", &data));
    CHECK_OK(slt_segmenter_train(context, data, &options, "votes", true, &segmenter));
    slt_segmenter_close(segmenter);
    slt_dataset_close(data);
}

static slt_status search(slt_context *with) {
    static const char *const lists[] = {"epochs=1", "batch=8", "hidden=8", "lr=1e-3,1e-2",
                                        "search=grid"};
    slt_sweep_request request = {.folder = "sweep",
                                 .model = "slottar",
                                 .data = "data.safetensors",
                                 .settings = lists,
                                 .setting_count = 5};
    slt_sweep *sweep;
    remove_folder("sweep");
    SLT_TRY(slt_sweep_run(with, &request, &sweep));
    slt_sweep_close(sweep);
    return SLT_OK;
}

// a policy is learned, evaluated, and plays
static slt_status policy(slt_context *with) {
    static const char *const learning[] = {
        "copies=4", "steps=8",   "minibatches=2", "eval_interval=1", "hidden=8",
        "clone=32", "bonus=0.1", "frames=64",     "eval_episodes=2", "worlds="};
    const char *world = "MiniGrid-DoorKey-5x5-v0", *easy = "MiniGrid-Empty-5x5-v0";
    slt_policy_request request = {.environment = world,
                                  .path = "policy.safetensors",
                                  .settings = learning,
                                  .setting_count = sizeof learning / sizeof *learning};
    slt_collect_request play = {.environments = &easy,
                                .environment_count = 1,
                                .path = "played.safetensors",
                                .overwrite = true,
                                .expert = "policy.safetensors",
                                .episodes = {1}};
    slt_policy_scores scores;
    unlink("policy.safetensors");
    SLT_TRY(slt_policy_train(with, &request, NULL));
    SLT_TRY(slt_policy_evaluate(with, "policy.safetensors", world, 1, 3, &scores));
    return slt_collect(with, &play, NULL);
}

static slt_status report(slt_context *with) {
    const char *const runs[] = {"run"};
    slt_report_request request = {
        .runs = runs, .run_count = 1, .overwrite = true, .page = "page.html", .figures = "figures"};
    return slt_report(with, &request, NULL);
}

// two runs anew each time; what belongs to the other set stays
static slt_status reproduce(slt_context *with) {
    static const char *const tables[] = {"craft"}, *const models[] = {"slottar"};
    static const char *const few[] = {"steps=1", "batch=8", "hidden=8", "heads=2", "slot_size=8"};
    slt_reproduce_request request = {.folder = "results",
                                     .tables = tables,
                                     .table_count = 1,
                                     .models = models,
                                     .model_count = 1,
                                     .quick = true,
                                     .seeds = 1,
                                     .no_pages = true,
                                     .settings = few,
                                     .setting_count = 5,
                                     .episodes = {8, 2, 2}};
    remove_folder("results/runs/craft-full");
    return slt_reproduce(with, &request, NULL);
}

static slt_status bench(slt_context *with) {
    slt_bench_peaks peaks = {1, 1};
    slt_bench_result results[8];
    slt_train_request request = {.model = "slottar",
                                 .data = "data.safetensors",
                                 .run = "none",
                                 .settings = settings,
                                 .setting_count = 4};
    int count;
    SLT_TRY(slt_bench_train(with, &request, 1e-6, &peaks, results, 8, &count));
    return slt_bench_infer(with, &request, 1e-6, &peaks, results, 8, &count);
}

static void nothing_is_lost(void **state) {
    static const struct {
        const char *name;
        failing_scenario run;
    } scenarios[] = {
        {"compile", compile},
        {"ompn", ompn},
        {"ompn streams", follow},
        {"slottar-mdl", mdl},
        {"slottar-mdl streams", follow},
        {"vote streams", follow_vote},
        {"slottar", slottar},
        {"again", again},
        {"use", use},
        {"sweep", search},
        {"report", report},
        {"bench", bench},
        {"population", population},
        {"policy", policy},
        {"reproduce", reproduce},
    };
    (void)state;
    make_data("data.safetensors", SLT_OBSERVATIONS_BITS, true, 0, 20);
    learn_votes();
    for (size_t i = 0; i < sizeof scenarios / sizeof *scenarios; i++)
        every_failure(scenarios[i].name, scenarios[i].run);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(nothing_is_lost)};
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
