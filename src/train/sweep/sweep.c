// A search: takes trials that nobody has, trains them, and goes from round to round. A random
// search and a grid have one round; a halving (Jamieson and Talwalkar, arXiv:1502.07943) pauses all
// runs after few epochs and lets the better ones continue.
//
// What comes next is read from the folder alone, so that any number of workers, killed and started
// again, do the same.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include "core/context_impl.h"
#include "core/file.h"
#include "core/lock.h"
#include "core/output_impl.h"
#include "data/formats.h"
#include "train/inference/run_files.h"
#include "train/sweep/sweep_table.h"
#include "train/sweep/sweep_tickets.h"
#include "train/training/trainer.h"

// a ticket that is ours
typedef struct {
    slt_ticket *ticket;
    int lock;
    char run[SLT_RUN_PATH]; // the run directory of the trial
} held_ticket;

struct slt_sweep {
    slt_context *context;
    slt_arena arena;
    const slt_sweep_request *request; // while it runs
    slt_sweep_plan plan;
    slt_ticket_box box;
    int rounds;
    slt_sweep_row *rows;       // [count] by configuration while it runs, the best first after it
    int *going;                // [count] the round that a configuration has been let into
    slt_trial_result *results; // [runs] of one configuration
    char score[64];
    // trials that are trained together: [population]
    int population, held;
    slt_setup shape; // of the first of them
    held_ticket *hand;
    slt_train_request *requests;
    slt_train_outcome *outcomes;
};

// ---- the rounds of a halving

// epochs at the end of a round; 0: all
static int64_t epochs_of(const slt_sweep *s, int round) {
    int64_t epochs = s->plan.options.first_epochs;
    if (round >= s->rounds - 1) return 0;
    for (int r = 0; r < round; r++) epochs *= s->plan.options.eta;
    return epochs;
}

// configurations of a round: one in eta of those before, and at least one
static int places(const slt_sweep *s, int round) {
    int count = s->plan.count;
    for (int r = 0; r < round && count > 1; r++) count /= (int)s->plan.options.eta;
    return count > 1 ? count : 1;
}

// the last round is the one with a single configuration, or that of the last epochs
static int count_rounds(const slt_sweep *s) {
    int rounds = 1;
    if (s->plan.options.search != SLT_SEARCH_HALVING) return rounds;
    int64_t epochs = s->plan.options.first_epochs;
    while (epochs < s->plan.epochs && places(s, rounds - 1) > 1) {
        epochs *= s->plan.options.eta;
        rounds++;
    }
    return rounds;
}

// ---- files

static const char *trial_path(const slt_sweep *s, const slt_ticket *ticket, const char *name,
                              char path[SLT_RUN_PATH]) {
    snprintf(path, SLT_RUN_PATH, "%s/%04d-%d%s", s->request->folder, ticket->configuration,
             ticket->run, name);
    return path;
}

static const char *result_path(const slt_sweep *s, const slt_ticket *ticket, int round,
                               char path[SLT_RUN_PATH]) {
    char name[32];
    snprintf(name, sizeof name, "/trial.%d.json", round);
    return trial_path(s, ticket, name, path);
}

static slt_status settle(slt_sweep *s, uint32_t checksum) {
    char path[SLT_RUN_PATH];
    slt_text text, usual;
    slt_sweep_options defaults;
    slt_options tables[] = {{slt_sweep_options_of(), &defaults}, {NULL, NULL}};
    slt_parts_remove(s->request->folder, NULL);
    slt_text_init(&text, &s->context->allocator);
    slt_text_init(&usual, &s->context->allocator);
    slt_status status = slt_sweep_plan_text(&s->plan, s->request, checksum, &text);
    if (status == SLT_OK) status = slt_options_defaults(tables);
    slt_options_to_yaml(tables, &usual);
    if (status == SLT_OK) status = usual.status;
    if (status == SLT_OK)
        status = slt_run_settle(s->context, slt_run_path(path, s->request->folder, "sweep.yaml"),
                                &text, &usual);
    slt_text_deinit(&text);
    slt_text_deinit(&usual);
    return status;
}

// held for milliseconds, by the worker that writes into the folder itself
static slt_status lock_folder(slt_sweep *s, slt_lock *lock) {
    enum { PATIENCE = 60 }; // seconds
    char path[SLT_RUN_PATH];
    slt_run_path(path, s->request->folder, "lock");
    return slt_lock_take(lock, s->context, path, s->request->folder, PATIENCE);
}

// workers may begin at once: the first one says what the search is
static slt_status open_folder(slt_sweep *s) {
    uint32_t checksum;
    slt_lock lock;
    SLT_TRY(slt_data_checksum(s->plan.options.data, &checksum));
    SLT_TRY(slt_folder_make(s->request->folder));
    static const char *const files[] = {"table.json", NULL};
    SLT_TRY(lock_folder(s, &lock));
    slt_status status =
        slt_output_resume(s->request->folder, "sweep.yaml", files, s->plan.options.data);
    if (status == SLT_OK) status = settle(s, checksum);
    slt_lock_release(&lock);
    SLT_TRY(status);
    return slt_ticket_box_open(&s->box, &s->arena, s->request->folder, s->plan.count,
                               (int)s->plan.options.seeds);
}

// ---- trials that are trained together

// trials of a round: how many there are, how many of them are done
static void count_trials(const slt_sweep *s, int round, int *all, int *done) {
    *all = *done = 0;
    for (int i = 0; i < s->box.configurations * s->box.runs; i++) {
        const slt_ticket *ticket = &s->box.tickets[i];
        *all += s->going[ticket->configuration] >= round;
        *done += ticket->round == round && ticket->state == SLT_TICKET_DONE;
    }
}

static void announce(const slt_sweep *s) {
    char line[512];
    int all, done;
    const slt_ticket *ticket = s->hand[0].ticket;
    count_trials(s, ticket->round, &all, &done);
    size_t used = (size_t)snprintf(line, sizeof line,
                                   "round %d of %d, %d of %d done; %04d-%d:", ticket->round + 1,
                                   s->rounds, done, all, ticket->configuration, ticket->run);
    const char *const *settings = slt_sweep_settings(&s->plan, ticket->configuration);
    for (int a = 0; a < s->plan.axis_count && used < sizeof line; a++)
        if (slt_sweep_varies(&s->plan.axes[a]))
            used += (size_t)snprintf(line + used, sizeof line - used, " %s", settings[a]);
    if (s->held > 1 && used < sizeof line)
        snprintf(line + used, sizeof line - used, ", and %d more with it", s->held - 1);
    slt_context_log(s->context, SLT_LOG_INFO, "%s", line);
}

static slt_train_request request_of(const slt_sweep *s, const slt_ticket *ticket,
                                    char run[SLT_RUN_PATH]) {
    const slt_sweep_options *options = &s->plan.options;
    return (slt_train_request){.model = options->model,
                               .data = options->data,
                               .run = trial_path(s, ticket, "", run),
                               .profile = *options->profile ? options->profile : NULL,
                               .preset = *options->preset ? options->preset : NULL,
                               .settings = slt_sweep_settings(&s->plan, ticket->configuration),
                               .setting_count = s->plan.axis_count,
                               .seed = s->request->seed + (uint64_t)ticket->run,
                               .restarts = (int)options->restarts,
                               .pause_epoch = epochs_of(s, ticket->round)};
}

// has the trial the shape of those in hand? one whose options cannot be read is tried alone
static bool fits(slt_sweep *s, const slt_ticket *ticket) {
    char run[SLT_RUN_PATH];
    slt_setup setup;
    if (s->population == 1) return s->held == 0;
    slt_train_request request = request_of(s, ticket, run);
    bool known = slt_setup_read(NULL, &setup, &request) == SLT_OK;
    if (s->held) return known && s->shape.kind && slt_setup_same_shape(&s->shape, &setup);
    s->shape = known ? setup : (slt_setup){0};
    return true;
}

static slt_status write_result(slt_sweep *s, int i) {
    const slt_ticket *ticket = s->hand[i].ticket;
    char path[SLT_RUN_PATH];
    double score;
    slt_trial_result result = slt_trial_result_of(&s->outcomes[i]);
    if (!result.failed) SLT_TRY(slt_sweep_score_of(&s->plan, &result.valid, &score));
    // a configuration that could not even start has no folder yet
    SLT_TRY(slt_folder_make(s->hand[i].run));
    return slt_trial_write(result_path(s, ticket, ticket->round, path), &result);
}

static slt_status train_held(slt_sweep *s) {
    for (int i = 0; i < s->held; i++)
        s->requests[i] = request_of(s, s->hand[i].ticket, s->hand[i].run);
    announce(s);
    SLT_TRY(slt_train_many(s->context, s->requests, s->held, s->held, s->outcomes));
    for (int i = 0; i < s->held; i++) SLT_TRY(write_result(s, i));
    return SLT_OK;
}

// tickets that were taken are given back, whatever happened
static slt_status give_back(slt_sweep *s, slt_status status) {
    char message[1024];
    snprintf(message, sizeof message, "%s", slt_last_error());
    slt_ticket_state state = status == SLT_OK ? SLT_TICKET_DONE : SLT_TICKET_FREE;
    slt_status given = SLT_OK;
    for (int i = 0; i < s->held; i++) {
        slt_status one = slt_ticket_give(&s->box, s->hand[i].ticket, state, &s->hand[i].lock);
        if (given == SLT_OK) given = one;
    }
    s->held = 0;
    return status == SLT_OK ? given : slt_fail(status, "%s", message);
}

// ---- one round

static slt_status read_configuration(slt_sweep *s, int configuration, int round) {
    char path[SLT_RUN_PATH];
    for (int r = 0; r < s->box.runs; r++) {
        const slt_ticket *ticket = slt_ticket_at(&s->box, configuration, r);
        SLT_TRY(slt_trial_read(result_path(s, ticket, round, path), &s->results[r]));
    }
    return slt_sweep_summarise(&s->plan, configuration, round, s->results, &s->rows[configuration]);
}

static slt_status take(slt_sweep *s, slt_ticket *ticket) {
    int lock;
    SLT_TRY(slt_ticket_take(&s->box, ticket, &lock));
    if (lock < 0) return SLT_OK;
    s->hand[s->held].ticket = ticket;
    s->hand[s->held++].lock = lock;
    return SLT_OK;
}

// takes tickets of the round that fit together. *open: trials of the round that are not done
static slt_status take_some(slt_sweep *s, int round, int *open) {
    *open = 0;
    for (int i = 0; i < s->box.configurations * s->box.runs && s->held < s->population; i++) {
        slt_ticket *ticket = &s->box.tickets[i];
        if (s->going[ticket->configuration] < round || ticket->round > round) continue;
        // let in by the results before, but not yet by its ticket
        if (ticket->round < round) SLT_TRY(slt_ticket_promote(&s->box, ticket, round));
        if (ticket->round == round && ticket->state == SLT_TICKET_DONE) continue;
        ++*open;
        if (fits(s, ticket)) SLT_TRY(take(s, ticket));
    }
    return SLT_OK;
}

static void rest(void) { nanosleep(&(struct timespec){.tv_nsec = 100000000}, NULL); }

// works until all trials of the round are done, by whomever
static slt_status run_round(slt_sweep *s, int round) {
    for (;;) {
        int open;
        SLT_TRY(slt_context_check(s->context));
        SLT_TRY(slt_ticket_box_look(&s->box));
        slt_status status = take_some(s, round, &open);
        if (status == SLT_OK && s->held == 0 && open == 0) break;
        if (status == SLT_OK && s->held == 0) rest();
        if (status == SLT_OK && s->held > 0) status = train_held(s);
        SLT_TRY(give_back(s, status));
    }
    for (int c = 0; c < s->plan.count; c++)
        if (s->going[c] == round) SLT_TRY(read_configuration(s, c, round));
    return SLT_OK;
}

// lets the better configurations of a round into the next one
static slt_status choose(slt_sweep *s, int round) {
    slt_arena_mark mark = slt_arena_now(&s->arena);
    slt_sweep_row *order;
    SLT_TRY(SLT_NEW(&s->arena, &order, (size_t)s->plan.count));
    memcpy(order, s->rows, (size_t)s->plan.count * sizeof *order);
    slt_sweep_sort(&s->plan, order, s->plan.count);
    for (int i = 0; i < places(s, round + 1); i++)
        if (!order[i].failed && order[i].round == round)
            s->going[order[i].configuration] = round + 1;
    slt_arena_reset(&s->arena, mark);
    return SLT_OK;
}

// ---- the whole

static slt_status finish(slt_sweep *s) {
    char path[SLT_RUN_PATH];
    slt_lock lock;
    slt_sweep_sort(&s->plan, s->rows, s->plan.count);
    slt_run_path(path, s->request->folder, "table.json");
    SLT_TRY(lock_folder(s, &lock));
    slt_status status = slt_sweep_table_write(path, &s->plan, s->rows, s->plan.count);
    slt_lock_release(&lock);
    SLT_TRY(status);
    if (s->rows[0].failed)
        SLT_FAIL(SLT_INVALID, "no configuration could be trained; the first: %s",
                 s->rows[0].reason);
    return SLT_OK;
}

// room for the trials of a population, no more than there are
static slt_status reserve_hand(slt_sweep *s) {
    int64_t trials = (int64_t)s->plan.count * s->plan.options.seeds;
    int asked = s->request->population;
    int suits =
        s->context->on_device ? SLT_POPULATION_OF_DEVICE / (int)s->plan.options.restarts : 1;
    s->population = asked > 0 ? asked : suits > 1 ? suits : 1;
    if (s->population > SLT_MOST_RUNS) s->population = SLT_MOST_RUNS;
    if (s->population > trials) s->population = (int)trials;
    size_t room = (size_t)s->population;
    SLT_TRY(SLT_NEW(&s->arena, &s->hand, room));
    SLT_TRY(SLT_NEW(&s->arena, &s->requests, room));
    return SLT_NEW(&s->arena, &s->outcomes, room);
}

static slt_status run(slt_sweep *s) {
    SLT_TRY(slt_sweep_plan_make(&s->plan, &s->arena, s->request));
    s->rounds = count_rounds(s);
    slt_sweep_score_name(&s->plan, s->score);
    SLT_TRY(SLT_NEW(&s->arena, &s->rows, (size_t)s->plan.count));
    SLT_TRY(SLT_NEW(&s->arena, &s->going, (size_t)s->plan.count));
    SLT_TRY(SLT_NEW(&s->arena, &s->results, (size_t)s->plan.options.seeds));
    SLT_TRY(reserve_hand(s));
    SLT_TRY(open_folder(s));
    for (int round = 0; round < s->rounds; round++) {
        SLT_TRY(run_round(s, round));
        if (round + 1 < s->rounds) SLT_TRY(choose(s, round));
    }
    return finish(s);
}

static slt_status search(slt_context *context, const slt_sweep_request *request, slt_sweep **out) {
    slt_sweep *s;
    SLT_TRY(SLT_ALLOC(&context->allocator, &s, 1));
    s->context = context;
    s->request = request;
    slt_arena_init(&s->arena, &context->allocator, 0);
    slt_status status = run(s);
    s->request = NULL;
    if (status == SLT_OK)
        *out = s;
    else
        slt_sweep_close(s);
    return status;
}

// ---- several workers in this process

typedef struct {
    slt_context *context;
    const slt_sweep_request *request;
    pthread_t thread;
    bool started;
    slt_status status;
    char message[1024];
} worker;

// a worker next to the first: what it found lies in the folder
static void *work_in_parallel(void *argument) {
    worker *w = argument;
    slt_sweep *sweep = NULL;
    w->status = search(w->context, w->request, &sweep);
    if (w->status != SLT_OK) snprintf(w->message, sizeof w->message, "%s", slt_last_error());
    slt_sweep_close(sweep);
    return NULL;
}

static slt_status start(worker *w, slt_context *context, const slt_sweep_request *request) {
    w->request = request;
    SLT_TRY(slt_context_child(context, slt_context_threads(context), &w->context));
    w->started = pthread_create(&w->thread, NULL, work_in_parallel, w) == 0;
    if (!w->started) SLT_FAIL(SLT_NOMEM, "could not start a thread for a search");
    return SLT_OK;
}

static slt_status join(worker *w) {
    if (w->started) pthread_join(w->thread, NULL);
    slt_context_destroy(w->context);
    return w->status == SLT_OK ? SLT_OK : slt_fail(w->status, "%s", w->message);
}

slt_status slt_sweep_run(slt_context *context, const slt_sweep_request *request, slt_sweep **out) {
    enum { MOST_JOBS = 64 };
    // memory of the user's is asked for by one thread
    int others = request->jobs > 1 && !context->options.alloc ? request->jobs - 1 : 0;
    worker workers[MOST_JOBS] = {0};
    slt_status status = SLT_OK, mine;
    if (!request->folder) SLT_FAIL(SLT_INVALID, "a search needs a folder");
    if (others >= MOST_JOBS) SLT_FAIL(SLT_RANGE, "%d jobs, at most %d", others + 1, MOST_JOBS);
    for (int i = 0; i < others && status == SLT_OK; i++)
        status = start(&workers[i], context, request);
    mine = status == SLT_OK ? search(context, request, out) : status;
    char message[1024];
    snprintf(message, sizeof message, "%s", slt_last_error());
    for (int i = 0; i < others; i++) {
        slt_status theirs = join(&workers[i]);
        if (status == SLT_OK) status = theirs;
    }
    if (mine != SLT_OK) return slt_fail(mine, "%s", message);
    if (status != SLT_OK) slt_sweep_close(*out);
    return status;
}

void slt_sweep_close(slt_sweep *sweep) {
    if (!sweep) return;
    slt_arena_deinit(&sweep->arena);
    slt_free(&sweep->context->allocator, sweep);
}

int slt_sweep_count(const slt_sweep *sweep) { return sweep->plan.count; }
const slt_sweep_row *slt_sweep_at(const slt_sweep *sweep, int index) {
    return index >= 0 && index < sweep->plan.count ? &sweep->rows[index] : NULL;
}
const char *slt_sweep_score(const slt_sweep *sweep) { return sweep->score; }
