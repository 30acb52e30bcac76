// What a report is made of: data sets, runs on them, and the trajectories that are shown in detail.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#ifndef SLT_REPORT_IMPL_H
#define SLT_REPORT_IMPL_H

#include "core/context_impl.h"
#include "core/text.h"
#include "core/yaml_config.h"
#include "metrics/trust_build.h"
#include "slottar/draw.h"
#include "slottar/metrics.h"
#include "slottar/report.h"
#include "slottar/segmenter.h"

enum {
    SLT_REPORT_MOST = 10000,     // trajectories of one data set on the page
    SLT_REPORT_STEPS = 4 << 20,  // and their steps
    SLT_REPORT_DETAILED = 240,   // trajectories with pictures
    SLT_REPORT_FRAMES = 1 << 15, // and their steps
    SLT_REPORT_BASELINES = 16,
    SLT_REPORT_OFFSETS = 5, // boundaries further apart than this are not the same
};

// ---- what models said (report_answers.c)

typedef struct {
    int32_t length, segments;
    const int32_t *ids;      // [length] slot of every step; its segment where there are no slots
    const float *confidence; // [segments - 1] of its boundaries
    const double *counts;    // [slots] probability of 1 ... slots segments; may be NULL
    const float *masks;      // [slots][length]; may be NULL
    const float *attention;  // [length][slots]; may be NULL
    int32_t *laws;           // [segments] 0: the commonest; may be NULL
    int32_t *types;          // [segments] what they do, -1 unknown; NULL: laws, or no types
    // of a vote; NULL: none. As in slt_vote_picture
    const float *heights;
    float line;
    int answer_count;
    const uint8_t *answers;
} slt_report_answer;

typedef struct {
    int slots;               // 0: the model has none
    bool told_count;         // it was told the true number of segments
    slt_report_answer *list; // one per trajectory of the set
    double accuracy;         // NAN: not known
} slt_report_answers;

// ---- what segments do, and which come together (report_types.c)

typedef struct {
    int64_t trajectories;
    const char *tree; // as slt_type_plan has it
} slt_report_plan;

typedef struct {
    int count; // 0: none are known
    const char **effects;
    int plan_count, rules, plans_shown;
    slt_report_plan *plans; // [plans_shown], the most frequent first
} slt_report_types;

// ---- a run: its files, its answers, its scores

// what metrics.jsonl says about an epoch; NAN: nothing
// clang-format off
#define SLT_REPORT_CURVES(X) \
    X(epoch) X(train_loss) X(train_rec) X(train_kl) X(valid_loss) X(valid_f1) X(valid_align)

// the columns of every table, and the keys of `eval --json`
#define SLT_REPORT_SCORES(X) \
    X(f1, "F1") X(f1_one, "F1 1:1") X(align, "Alignment") X(ari, "ARI") X(covering, "Covering") \
    X(accuracy, "Accuracy") X(forward, "Forward") X(backward, "Backward") \
    X(ece, "Calibration error")
// clang-format on

typedef struct {
#define SLT_REPORT_FIELD(name) double name;
    SLT_REPORT_CURVES(SLT_REPORT_FIELD)
#undef SLT_REPORT_FIELD
} slt_report_epoch;

// NAN: does not apply
typedef struct {
#define SLT_REPORT_FIELD(name, title) double name;
    SLT_REPORT_SCORES(SLT_REPORT_FIELD)
#undef SLT_REPORT_FIELD
} slt_report_scores;

typedef struct {
    const char *path, *model;
    int set;
    slt_yaml config;
    const char *data_path; // of the config; NULL for a lone checkpoint
    slt_report_epoch *epochs;
    int epoch_count;
    int64_t best_epoch; // -1: not known
    double seconds;     // of training; this and the next: NAN when not known
    double test_accuracy;
    bool test_told_count; // the model was told the true number of segments there
    slt_told told;
    slt_trust trust;
    slt_vote_result *vote; // NULL: one model
    slt_vote_runs voters;  // of the group that answers
    slt_report_answers answers;
    slt_report_types types;
    slt_report_scores scores;
    slt_scores *each;          // [count of the set]; NULL without labels
    slt_score_summary summary; // with labels
    // true boundaries by the offset of the nearest predicted one, -OFFSETS ... OFFSETS; missed ones
    uint64_t offsets[2 * SLT_REPORT_OFFSETS + 1], missed, extra, true_boundaries;
    slt_reliability reliability; // boundaries by confidence
} slt_report_run;

// ---- a data set: one part of it, with the baselines

typedef struct {
    const char *name;
    slt_report_scores scores;
} slt_report_baseline;

typedef enum { SLT_WHY_WORST, SLT_WHY_TYPICAL, SLT_WHY_RANDOM, SLT_WHYS } slt_why;

typedef struct {
    int64_t place; // in the list of the set
    slt_why why;
} slt_report_choice;

typedef struct {
    const char *path, *name; // name: the file's, without folders and ending
    slt_dataset *data;
    const slt_dataset_info *info;
    int64_t count, left_out, steps;
    const int64_t *episodes; // [count]
    bool own_splits;         // the file has none: every tenth episode, as in training
    bool whole;              // nor does a vote, which is told of all episodes: all are shown
    bool continuous;
    bool labelled;
    const char *paper; // the paper's name of this data; NULL: none
    slt_report_baseline baselines[SLT_REPORT_BASELINES];
    int baseline_count;
    int runs[SLT_REPORT_RUNS], run_count;
    slt_report_choice *chosen;
    int chosen_count;
} slt_report_set;

typedef struct {
    slt_context *context;
    slt_arena arena;
    const slt_report_request *request;
    slt_report_run runs[SLT_REPORT_RUNS];
    slt_report_set sets[SLT_REPORT_RUNS];
    int run_count, set_count;
} slt_report_book;

// ---- the stages of report.c

slt_status slt_report_read_run(slt_report_book *book, slt_report_run *run);    // run_read.c
slt_status slt_report_open_set(slt_report_book *book, slt_report_set *set);    // data_view.c
slt_status slt_report_ask(slt_report_book *book, slt_report_run *run);         // report_answers.c
slt_status slt_report_add_types(slt_report_book *book, slt_report_run *run);   // report_types.c
slt_status slt_report_score(slt_report_book *book, slt_report_run *run);       // report_scores.c
slt_status slt_report_choose(slt_report_book *book, slt_report_set *set);      // choose.c
slt_status slt_report_document(slt_report_book *book, slt_text *out);          // document.c
slt_status slt_report_page(slt_report_book *book, slt_text *out);              // page_write.c
slt_status slt_report_figures(slt_report_book *book, const char *dir, int *n); // figures.c

// ---- small things they share

slt_status slt_report_episode(const slt_report_set *set, int64_t place, slt_episode *out);
// the environment of an episode: its place in the list of the data set; NULL when unknown
const char *slt_report_environment(const slt_report_set *set, int32_t task, char *out, size_t size);
int slt_report_tasks(const slt_report_set *set); // environments in that list, at least 1
double slt_report_mean_confidence(const slt_report_answer *answer); // 1 without boundaries

#endif
