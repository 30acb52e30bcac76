// The inside of a reproduction: the stages of reproduce.c.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#ifndef SLT_REPRODUCE_IMPL_H
#define SLT_REPRODUCE_IMPL_H

#include <pthread.h>
#include "core/context_impl.h"
#include "core/text.h"
#include "reproduce/repro_lists.h"
#include "reproduce/repro_record.h"
#include "slottar/metrics.h"
#include "reproduce/reproduce.h"

// the rule that models are held against where it is wrong
#define SLT_REPRO_RIVAL "delimiter"

enum { SLT_REPRO_PATH = 4096, SLT_REPRO_COMMAND = 8192, SLT_REPRO_BASELINES = 8 };

// runs of one variant on one set: seeds seed, seed + 1, ...
typedef struct {
    const slt_repro_set *set;
    const slt_repro_variant *variant;
    int wish;       // place of the wish that it comes from
    int runs, done; // done: with a record, when the call began
    bool taken;     // by a worker
} slt_repro_cell;

// a record that came without its run
typedef struct {
    const slt_repro_set *set;
    const slt_repro_variant *variant;
    int index;
    slt_repro_record record;
} slt_repro_carried;

typedef struct {
    slt_context *context;
    slt_arena arena;
    const slt_reproduce_request *request;
    double until; // the clock at which to stop; infinite without a bound

    // what is wanted, in the order of the lists; cells and sets stand here once
    const slt_repro_table **tables;
    const slt_repro_set **sets;
    slt_repro_cell *cells;
    int table_count, set_count, cell_count;
    slt_repro_carried *carried; // of records.jsonl
    int carried_count;
    int seeds;

    // shared by the workers
    pthread_mutex_t lock;
    double in_work; // shares of runs that are being trained, added up
    int trained;    // runs that have got a record in this call
    bool stopped;   // time is over, or somebody asked
    slt_status status;
    char message[SLT_REPRO_REASON]; // of the first failure
    slt_reproduce_result result;
} slt_repro;

// ---- the stages

slt_status slt_repro_plan(slt_repro *r);                    // repro_plan.c
slt_status slt_repro_collect(slt_repro *r);                 // repro_data.c
slt_status slt_repro_work(slt_repro *r);                    // repro_work.c
slt_status slt_repro_measure(slt_repro *r);                 // repro_speed.c
slt_status slt_repro_show(slt_repro *r);                    // repro_pages.c
slt_status slt_repro_json(slt_repro *r, slt_text *out);     // repro_json.c
slt_status slt_repro_markdown(slt_repro *r, slt_text *out); // repro_markdown.c

// ---- small things they share

// FOLDER/… ; gives the buffer
const char *slt_repro_path(const slt_repro *r, char out[SLT_REPRO_PATH], const char *format, ...)
    __attribute__((format(printf, 3, 4)));
bool slt_repro_there(const char *path);
// is the name in a list of `most` names at most, NULL after the last?
bool slt_repro_in(const char *const *list, int most, const char *name);
// time is over, or somebody asked to stop
bool slt_repro_over(slt_repro *r);
bool slt_repro_wants(const slt_repro *r, slt_repro_kind kind);
// the commit that this library was built from, "unknown" where the build could not tell
const char *slt_repro_commit(void);

// ---- runs (repro_request.c, repro_train.c)

// a request for slt_train and the same as a command, with the texts that they need
typedef struct {
    slt_train_request train;
    char run[SLT_REPRO_PATH], data[SLT_REPRO_PATH], words[SLT_REPRO_COMMAND];
    const char *settings[64];
} slt_repro_run;

slt_status slt_repro_run_init(const slt_repro *r, const slt_repro_set *set,
                              const slt_repro_variant *variant, int index, slt_repro_run *out);
// "slottar train ...", as typed in the folder
void slt_repro_run_command(const slt_repro *r, const slt_repro_run *run, slt_text *out);
const char *slt_repro_record_path(const slt_repro *r, const slt_repro_set *set,
                                  const slt_repro_variant *variant, int index,
                                  char out[SLT_REPRO_PATH]);
// ---- records (repro_records.c)

// the lines of records.jsonl, which carry results from one machine to another
slt_status slt_repro_carried_read(slt_repro *r);
// all records that there are, of cells that are not wanted, too
slt_status slt_repro_carried_write(slt_repro *r, slt_text *out);
// NULL: of no interest what is in it; the run's own file goes before a line
slt_status slt_repro_record_find(const slt_repro *r, const slt_repro_set *set,
                                 const slt_repro_variant *variant, int index, bool *there,
                                 slt_repro_record *out);

// ---- training (repro_train.c)

// trains what has no record yet; told of every new record. Messages of what cannot be trained here
// go to r->result; DEVICE when the context's device is of no more use
slt_status slt_repro_train(slt_repro *r, slt_context *context, const slt_repro_cell *cell);

// the same for the vote (repro_vote.c)
slt_status slt_repro_vote(slt_repro *r, slt_context *context, const slt_repro_cell *cell);
// writes the record of a run, with version, commit and device
slt_status slt_repro_record_keep(slt_repro *r, const slt_repro_run *run, slt_repro_record *record);

// ---- data sets (repro_data.c)

// what a data set is, from data/NAME.json
typedef struct {
    int64_t episodes[SLT_SPLITS], steps, longest;
    double share[SLT_COUNT_BINS]; // of training trajectories with so many segments
    slt_scores baselines[SLT_REPRO_BASELINES];
    bool known[SLT_REPRO_BASELINES];
    int64_t missed;   // test trajectories that SLT_REPRO_RIVAL gets wrong
    double missed_f1; // its F1 on them; NAN: none, or not known
} slt_repro_about;

slt_status slt_repro_about_read(const slt_repro *r, const slt_repro_set *set, slt_repro_about *out);
void slt_repro_collect_command(const slt_repro *r, const slt_repro_set *set, slt_text *out);

#endif
