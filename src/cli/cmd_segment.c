// slottar segment [RUN] DATA: where one sub-routine ends and the next begins. Without RUN many runs
// learn from DATA, without labels, and vote; with --restarts or its options, slottar-mdl is
// trained.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "commands.h"
#include "data_columns.h"
#include "segment_follow.h"
#include "segment_summary.h"
#include "segment_vote.h"
#include "show_segments.h"
#include "show_trust.h"
#include "signals.h"
#include "slottar/model.h"

static const char MODEL[] = "slottar-mdl"; // without RUN, with restarts

static const cli_flag flags[] = {
    {"output", 'o', "OUT", ".jsonl, .csv, or a data set (default: JSON lines on standard output)"},
    CLI_FORCE,
    {"split", 0, "SPLIT", "only the train, valid or test split"},
    {"show", 0, NULL, "coloured time lines instead of JSON"},
    {"limit", 0, "N", "the first N episodes only"},
    {"min-length", 0, "N", "segments of at least N steps, where possible"},
    {"max-length", 0, "N", "segments of at most N steps"},
    CLI_SPLIT_BY_TYPE,
    {"answer", 0, "N", "takes the N-th of the answers that runs of a vote agree on"},
    {"group", 0, "NAME", "takes the answer of this group of a vote: switching, events or phases"},
    {"follow", 0, NULL,
     "RUN segments steps as they arrive: JSON lines from standard input, or from DATA"},
    {"lag", 0, "N", "with --follow: steps until a boundary is final (default 5)"},
    {"endless", 0, NULL, "with --follow: slottar-mdl counts on after its last slot"},
    {"run", 0, "DIR", "without RUN: where to train (default runs/segment-DATA-SEED)"},
    {"runs", 0, "N",
     "without RUN: runs of every group that votes (default 60; 120 where the result depends on "
     "which runs vote)"},
    {"seconds", 0, "N", "without RUN: time limit of training"},
    {"restarts", 0, "N",
     "without RUN: no vote; trains N of slottar-mdl, keeps the best (default 16)"},
    CLI_COLUMN_FLAGS,
    {NULL, 0, NULL, NULL},
};

typedef struct {
    FILE *out;
    bool csv, show;
    cli_terminal terminal;
    int64_t limit, done, told;
    slt_dataset *data;
    cli_tally tally;
    slt_restart_report restarts; // members is 0 when the model was there already
    slt_trust trust;
    const slt_vote_result *vote; // NULL: one model answers
    slt_vote_result vote_result;
    char labelled[4096]; // where the labels went; "": elsewhere
    int64_t answer;      // of the vote; 0: all runs
} printer;

// ---- forms

static void print_numbers(FILE *out, const char *name, const int32_t *values, int count) {
    fprintf(out, ",\"%s\":[", name);
    for (int i = 0; i < count; i++) fprintf(out, "%s%d", i ? "," : "", values[i]);
    putc(']', out);
}

static void print_codes(FILE *out, const slt_segments *s) {
    fputs("],\"codes\":[", out);
    for (int i = 0; i < s->segments; i++)
        for (int c = 0; c < s->code; c++)
            fprintf(out, "%s%.4f%s",
                    c   ? ","
                    : i ? ",["
                        : "[",
                    s->codes[i * s->code + c], c + 1 == s->code ? "]" : "");
}

static void print_json(const printer *p, const slt_segments *s) {
    FILE *out = p->out;
    fprintf(out, "{\"episode\":%lld,\"length\":%d", (long long)s->episode, s->length);
    print_numbers(out, "boundaries", s->boundaries, s->boundary_count);
    print_numbers(out, "segment", s->ids, s->length);
    fputs(",\"confidence\":[", out);
    for (int i = 0; i < s->boundary_count; i++)
        fprintf(out, "%s%.4f", i ? "," : "", s->confidence[i]);
    fprintf(out, "],\"segments\":%d,\"counts\":[", s->segments);
    for (int k = 0; k < s->slots; k++) fprintf(out, "%s%.6g", k ? "," : "", s->counts[k]);
    if (s->codes) print_codes(out, s);
    putc(']', out);
    if (s->types) print_numbers(out, "types", s->types, s->segments);
    if (p->vote) cli_json_answers(out, p->vote, p->answer);
    fputs(s->told_count ? ",\"told_count\":true,\"trust\":" : ",\"trust\":", out);
    cli_json_trust(out, &p->trust);
    fputs("}\n", out);
}

static void print_csv(const printer *p, const slt_segments *s) {
    FILE *out = p->out;
    for (int t = 0; t < s->length; t++)
        if (s->types)
            fprintf(out, "%lld,%d,%d,%d\n", (long long)s->episode, t, s->ids[t],
                    s->types[s->ids[t]]);
        else
            fprintf(out, "%lld,%d,%d,\n", (long long)s->episode, t, s->ids[t]);
}

static slt_status print(void *user, const slt_segments *segments) {
    printer *p = user;
    if (p->limit && p->done >= p->limit) return SLT_OK;
    cli_tally_add(&p->tally, segments);
    p->done++;
    p->told += segments->told_count;
    if (p->show)
        cli_show_segments(p->out, &p->terminal, p->data, segments);
    else
        (p->csv ? print_csv : print_json)(p, segments);
    return SLT_OK;
}

// ---- training first

static const char *run_folder(const cli_call *call, char *out, size_t size) {
    const char *wanted = cli_value(call, "run");
    if (wanted) return wanted;
    cli_default_run(out, size, "segment", call->arguments[0], call->seed);
    return out;
}

static slt_status train(cli_call *call, printer *p, const char *run) {
    slt_train_result *result = malloc(sizeof *result);
    int64_t restarts, seconds;
    cli_number(call, "restarts", 1, SLT_MOST_RESTARTS, slt_model_restarts(MODEL), &restarts);
    cli_number(call, "seconds", 1, 1000000000, 0, &seconds);
    slt_train_request request = {.model = MODEL,
                                 .data = call->arguments[0],
                                 .run = run,
                                 .settings = call->settings,
                                 .setting_count = call->setting_count,
                                 .seed = call->seed,
                                 .restarts = (int)restarts,
                                 .seconds = (double)seconds};
    if (!result) return SLT_NOMEM;
    slt_status status = slt_train(call->context, &request, result);
    if (status == SLT_OK) p->restarts = result->restarts;
    free(result);
    return status;
}

// many runs that vote, into the run's folder; those that are there with the same options answer
static slt_status vote(cli_call *call, printer *p, const slt_segment_options *options,
                       const char *run) {
    slt_segmenter_options wanted;
    slt_segmenter *segmenter;
    cli_vote_options(call, options->min_length, &wanted);
    slt_status status =
        slt_segmenter_train(call->context, p->data, &wanted, run, options->overwrite, &segmenter);
    if (status == SLT_OK) slt_segmenter_close(segmenter);
    return status;
}

// ---- running

static bool ends_with(const char *text, const char *end) {
    size_t a = strlen(text), b = strlen(end);
    return a >= b && strcmp(text + a - b, end) == 0;
}

// before it trains for a name that it may not write
static slt_status check_name(const cli_call *call, slt_dataset *data,
                             const slt_segment_options *options, const char *labelled) {
    char path[4096];
    slt_output_request request = {.path = path,
                                  .overwrite = options->overwrite,
                                  .inputs = call->arguments,
                                  .input_count = call->count};
    slt_status status = slt_dataset_label_path(data, labelled, path, sizeof path);
    request.folder = status == SLT_OK && ends_with(path, "/");
    return status == SLT_OK ? slt_output_check(&request) : status;
}

// --group and --answer, where members vote
static slt_status take_answer(cli_call *call, printer *p, slt_model *model) {
    slt_segmenter *segmenter = slt_model_vote(model);
    const char *group = cli_value(call, "group");
    slt_status status = SLT_OK;
    cli_number(call, "answer", 1, SLT_MOST_ANSWERS, 0, &p->answer);
    if (group || p->answer) status = slt_model_take(model, group, (int)p->answer);
    if (status == SLT_OK && segmenter) {
        p->vote_result = *slt_segmenter_result(segmenter);
        p->vote = &p->vote_result;
    }
    p->trust = slt_model_about(model)->trust;
    return status;
}

// a data set with the segments as labels when `labelled` names one, else through the printer
static slt_status segment(cli_call *call, printer *p, const slt_segment_options *options,
                          const char *labelled) {
    slt_model *model = NULL;
    char folder[4096];
    bool alone = call->count == 1;
    const char *run = alone ? run_folder(call, folder, sizeof folder) : call->arguments[0];
    slt_status status = slt_dataset_open(call->context, call->arguments[call->count - 1], &p->data);
    if (status != SLT_OK) return status;
    if (labelled) status = check_name(call, p->data, options, labelled);
    if (status == SLT_OK && alone)
        status = cli_wants_vote(call) ? vote(call, p, options, run) : train(call, p, run);
    if (status == SLT_OK) status = slt_model_open(call->context, run, &model);
    if (status == SLT_OK) status = take_answer(call, p, model);
    slt_segment_options asked = *options;
    asked.pictures = p->show && p->vote;
    if (status == SLT_OK)
        status = labelled ? slt_model_label(model, p->data, &asked, labelled)
                          : slt_model_segment(model, p->data, &asked, print, p);
    if (status == SLT_OK && labelled)
        slt_dataset_label_path(p->data, labelled, p->labelled, sizeof p->labelled);
    if (p->told && !call->quiet)
        fprintf(stderr, "%lld trajectories: the true number of segments was used\n",
                (long long)p->told);
    slt_dataset_close(p->data);
    slt_model_close(model);
    return status;
}

// what was found, where standard output is free, else on standard error
static void summarise(const cli_call *call, printer *p) {
    cli_progress_end();
    if (call->quiet) return;
    FILE *out = cli_value(call, "output") ? stdout : stderr;
    if (p->vote) cli_print_vote(out, p->vote);
    cli_tally_print(out, &p->tally, p->restarts.members ? &p->restarts : NULL, &p->trust);
    if (p->labelled[0]) fprintf(out, "labelled: %s\n", p->labelled);
}

// a vote keeps the runs that ended, if they are enough
static void say_saved(const cli_call *call) {
    char folder[4096], path[4608];
    snprintf(path, sizeof path, "%s/%s", run_folder(call, folder, sizeof folder), SLT_MEMBERS_FILE);
    if (!cli_wants_vote(call))
        fputs("saved; run the same command to resume\n", stderr);
    else if (access(path, F_OK) == 0)
        fputs("the runs that ended are saved; the same command answers with them\n", stderr);
    else
        fputs("too few runs ended for a vote; nothing is saved\n", stderr);
}

static int stop(const cli_call *call, slt_status status) {
    int caught = cli_caught_signal();
    if (status != SLT_CANCELLED || !caught) return cli_fail(status);
    cli_progress_end();
    if (call->count == 1) say_saved(call);
    return caught;
}

static bool is_data_set(const char *path) {
    static const char *const endings[] = {".safetensors", ".npz", ".hdf5", ".h5", "/"};
    for (size_t i = 0; i < sizeof endings / sizeof *endings; i++)
        if (ends_with(path, endings[i])) return true;
    return false;
}

static ssize_t write_output(void *output, const char *bytes, size_t count) {
    slt_output_write(output, bytes, count);
    return (ssize_t)count;
}

// the file is there whole or not at all; what a stream takes goes into it
static int run_to_file(cli_call *call, printer *p, const slt_segment_options *options,
                       const char *path) {
    slt_output *output;
    slt_output_request request = {.path = path,
                                  .overwrite = options->overwrite,
                                  .inputs = call->arguments,
                                  .input_count = call->count};
    slt_status status = slt_output_open(call->context, &request, &output);
    if (status != SLT_OK) return cli_fail(status);
    p->out = fopencookie(output, "w", (cookie_io_functions_t){.write = write_output});
    if (!p->out) status = SLT_NOMEM;
    if (p->out && p->csv) fputs("episode,step,segment,type\n", p->out);
    if (p->out) status = segment(call, p, options, NULL);
    if (p->out) fclose(p->out);
    if (status == SLT_OK)
        status = slt_output_commit(output);
    else
        slt_output_abort(output);
    if (status != SLT_OK) return stop(call, status);
    summarise(call, p);
    return CLI_DONE;
}

// flags that only a command without RUN understands, and bounds
static bool check_flags(cli_call *call, slt_segment_options *options) {
    static const char *const alone[] = {"run", "runs", "restarts", "seconds"};
    int64_t restarts, seconds, least, most, answer;
    slt_segmenter_options vote_options;
    for (size_t i = 0; i < sizeof alone / sizeof *alone && call->count == 2; i++)
        if (cli_value(call, alone[i]))
            return cli_misuse(call, "--%s is for training, but RUN is given", alone[i]), false;
    if (call->count == 2 && call->setting_count)
        return cli_misuse(call, "'%s' is for training, but RUN is given", call->settings[0]), false;
    if (!cli_number(call, "restarts", 1, SLT_MOST_RESTARTS, 1, &restarts)) return false;
    if (!cli_number(call, "seconds", 1, 1000000000, 0, &seconds)) return false;
    if (!cli_number(call, "min-length", 1, 65536, 0, &least)) return false;
    if (!cli_number(call, "max-length", 1, 65536, 0, &most)) return false;
    if (most && least > most) return cli_misuse(call, "--min-length is above --max-length"), false;
    options->min_length = (int)least;
    options->max_length = (int)most;
    if (!cli_number(call, "answer", 1, SLT_MOST_ANSWERS, 0, &answer)) return false;
    bool votes = call->count == 1 && cli_wants_vote(call);
    return !votes || cli_vote_options(call, (int)least, &vote_options);
}

static int run(cli_call *call) {
    const char *path = cli_value(call, "output");
    slt_segment_options options = {.seed = call->seed,
                                   .overwrite = cli_value(call, "force") != NULL};
    static printer p;
    if (cli_value(call, "follow")) return cli_follow(call);
    if (cli_value(call, "lag") || cli_value(call, "endless"))
        return cli_misuse(call, "--lag and --endless go with --follow");
    p.out = stdout;
    p.show = cli_value(call, "show") != NULL;
    p.terminal = cli_terminal_now();
    options.one_split = cli_value(call, "split") != NULL;
    options.types = !p.show;
    options.split_by_type = cli_value(call, "split-by-type") != NULL;
    if (!cli_split_flag(call, &options.split) || !check_flags(call, &options)) return CLI_USAGE;
    if (!cli_choose_columns(call, call->count - 1)) return CLI_USAGE;
    if (!cli_number(call, "limit", 1, INT64_MAX, 0, &p.limit)) return CLI_USAGE;
    p.csv = path && ends_with(path, ".csv");
    bool lines = p.csv || (path && ends_with(path, ".jsonl"));
    if (path && !lines && !is_data_set(path))
        return cli_misuse(call,
                          "'%s' is neither .jsonl nor .csv nor a data set: .safetensors, "
                          ".npz, .hdf5, /",
                          path);
    if (path && !lines && (p.show || p.limit))
        return cli_misuse(call, "--show and --limit do not apply to a data set as output: '%s'",
                          path);
    cli_catch_signals(call->context);
    if (lines) return run_to_file(call, &p, &options, path);
    slt_status status = segment(call, &p, &options, path);
    if (status != SLT_OK) return stop(call, status);
    summarise(call, &p);
    return CLI_DONE;
}

const cli_command cli_segment = {
    .name = "segment",
    .arguments = "[RUN] DATA [-o OUT] [key=value...]",
    .summary = "segments trajectories, with a trained model or by training one",
    .text =
        "Without RUN, many small models are trained on DATA, without labels, and vote on the\n"
        "boundaries. The summary reports number and length of segments and how far to trust them.\n"
        "kind=events, kind=phases or kind=windows (long recordings of periodic motion) asks for "
        "one\n"
        "kind of segment, kind=mdl for trainings of slottar-mdl, which take minutes; kind=auto\n"
        "takes the kind whose runs agree more (not mdl). Give what you know about "
        "the number of segments as prior=: 3, 3..6, ~4.5 (a\n"
        "mean), a list of probabilities, or nothing. With --restarts or options of slottar-mdl,\n"
        "that model is trained instead.\n\n"
        "A JSON line per trajectory: episode, length, boundaries (the last step of every segment\n"
        "but the last), segment id per step, confidence per boundary (probability of a boundary\n"
        "within one step of it), number of segments with its distribution; told_count if the "
        "model\n"
        "was given the true number of segments; trust: a number from 0 to 1, doubtful or not,\n"
        "whether confidence is calibrated, and the warnings; types, a number per segment that "
        "means\n"
        "the same in all trajectories (-1: unknown); of a vote, the group that was chosen and the\n"
        "answers that its runs agree on (runs, segments, words: what sets them apart); codes, a\n"
        "vector per segment, if the model has them (code=8). -o with another ending "
        "(.safetensors, .npz,\n"
        ".hdf5, or / for a Minari data set) copies the data set with the segments as its "
        "labels.\n\n"
        "--follow reads a step per line, {\"observation\": [...], \"action\": 3, \"end\": true}, "
        "and\n"
        "answers each with a line: episode, step, probability that a segment ended before it, the\n"
        "present segment and its type, the boundary that has become final, and decided, the last "
        "step\n"
        "whose boundaries are final. A line at the end of an episode has the boundaries that were "
        "left.\n"
        "A line that is no step is answered with {\"line\":..., \"error\":...} and left out.\n\n"
        "  slottar segment demos.csv --actions 'a*' --observations 'q*' --episode demo --show\n"
        "  slottar segment demos.safetensors prior=3 -o segments.jsonl\n"
        "  slottar segment runs/a new.safetensors -o segments.jsonl\n"
        "  slottar segment runs/a new.safetensors -o labelled-v0/\n"
        "  slottar segment runs/a craft-full.safetensors --split test --show --limit 10\n"
        "  robot | slottar segment runs/a --follow --lag 5\n",
    .flags = flags,
    .least = 1,
    .most = 2,
    .settings = true,
    .run = run,
};
