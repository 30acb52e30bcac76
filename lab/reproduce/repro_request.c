// The runs of a cell as requests and as commands.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include <stdio.h>
#include <string.h>
#include "core/number.h"
#include "reproduce/repro_impl.h"

enum { QUICK_RESTARTS = 4, QUICK_RUNS = 6 }; // of a vote: runs

static const char *run_path(const slt_repro *r, const slt_repro_set *set,
                            const slt_repro_variant *variant, int index, const char *name,
                            char out[SLT_REPRO_PATH]) {
    return slt_repro_path(r, out, "runs/%s/%s/%d%s", set->name, variant->name, index, name);
}

const char *slt_repro_record_path(const slt_repro *r, const slt_repro_set *set,
                                  const slt_repro_variant *variant, int index,
                                  char out[SLT_REPRO_PATH]) {
    return run_path(r, set, variant, index, "/record.json", out);
}

static const char *or_none(const char *text) { return text ? text : ""; }

// words one after another, cut at blanks
static slt_status add_words(slt_repro_run *run, size_t *used, const char *text) {
    enum { MOST = sizeof run->settings / sizeof *run->settings };
    int length;
    char word[1024];
    while (sscanf(text, " %1023s%n", word, &length) == 1) {
        size_t size = strlen(word) + 1;
        if (run->train.setting_count == MOST || size > sizeof run->words - *used)
            SLT_FAIL(SLT_RANGE, "too many settings, at '%.40s'", word);
        run->settings[run->train.setting_count++] = memcpy(run->words + *used, word, size);
        *used += size;
        text += length;
    }
    return SLT_OK;
}

// "2..6", or "3" where all training episodes have as many segments; "0.1,0.9": the shares of those
// with 1, 2, ...
static void describe_labels(const slt_repro_about *about, bool range, char *out, size_t size) {
    int first = 1, last = SLT_COUNT_BINS - 1;
    size_t used = 0;
    while (last > 1 && about->share[last] <= 0) last--;
    while (first < last && about->share[first] <= 0) first++;
    if (range && first == last) slt_format(out, size, "%d", first);
    if (range && first < last) slt_format(out, size, "%d..%d", first, last);
    for (int n = 1; n <= last && !range; n++)
        used += (size_t)slt_format(out + used, size - used, "%s%.4f", n > 1 ? "," : "",
                                   about->share[n]);
}

// the vote takes a kind and a prior, which is not known before the data set is there
static slt_status add_vote_settings(const slt_repro *r, const slt_repro_set *set,
                                    const slt_repro_variant *variant, slt_repro_run *run) {
    char path[SLT_REPRO_PATH], text[SLT_REPRO_REASON] = "prior=";
    slt_repro_about about;
    size_t words = 0, used = strlen(text);
    bool range = variant->told == SLT_TOLD_RANGE;
    SLT_TRY(add_words(run, &words, or_none(variant->settings)));
    if ((!range && variant->told != SLT_TOLD_HISTOGRAM) ||
        !slt_repro_there(slt_repro_path(r, path, "data/%s.json", set->name)))
        return SLT_OK;
    SLT_TRY(slt_repro_about_read(r, set, &about));
    describe_labels(&about, range, text + used, sizeof text - used);
    return add_words(run, &words, text);
}

// what the tables say first, what the caller says last
static slt_status add_settings(const slt_repro *r, const slt_repro_set *set,
                               const slt_repro_variant *variant, slt_repro_run *run) {
    size_t used = 0;
    char told[64] = "";
    if (variant->told == SLT_TOLD_HISTOGRAM) snprintf(told, sizeof told, "prior=labels");
    if (variant->told == SLT_TOLD_NUMBER) snprintf(told, sizeof told, "prior=%s", set->number);
    if (r->request->quick) SLT_TRY(add_words(run, &used, slt_repro_quick(variant->model)));
    if (variant->trial && !r->request->quick) SLT_TRY(add_words(run, &used, or_none(set->trial)));
    SLT_TRY(add_words(run, &used, or_none(variant->settings)));
    if (variant->searched) SLT_TRY(add_words(run, &used, or_none(set->searched)));
    SLT_TRY(add_words(run, &used, told));
    if (variant->told == SLT_TOLD_HISTOGRAM) SLT_TRY(add_words(run, &used, or_none(set->slots)));
    for (int i = 0; i < r->request->setting_count; i++)
        SLT_TRY(add_words(run, &used, r->request->settings[i]));
    return SLT_OK;
}

slt_status slt_repro_run_init(const slt_repro *r, const slt_repro_set *set,
                              const slt_repro_variant *variant, int index, slt_repro_run *out) {
    int restarts = variant->restarts,
        most = slt_repro_is_vote(variant) ? QUICK_RUNS : QUICK_RESTARTS;
    if (r->request->quick && (slt_repro_is_vote(variant) || restarts > most)) restarts = most;
    memset(out, 0, sizeof *out);
    out->train = (slt_train_request){
        .model = variant->model,
        .data = slt_repro_path(r, out->data, "data/%s.safetensors", set->name),
        .run = run_path(r, set, variant, index, "", out->run),
        .profile = variant->profile,
        .preset = variant->told == SLT_TOLD_PRESET ? set->set : NULL,
        .settings = out->settings,
        .seed = r->request->seed + (uint64_t)(variant->from + index),
        .restarts = restarts,
    };
    return (slt_repro_is_vote(variant) ? add_vote_settings : add_settings)(r, set, variant, out);
}

void slt_repro_run_command(const slt_repro *r, const slt_repro_run *run, slt_text *out) {
    const slt_train_request *t = &run->train;
    size_t skip = strlen(r->request->folder) + 1;
    if (strcmp(t->model, SLT_REPRO_VOTE) == 0) {
        slt_text_add(out, "slottar segment %s --split test", t->data + skip);
        for (int i = 0; i < t->setting_count; i++) slt_text_add(out, " %s", t->settings[i]);
        if (t->restarts) slt_text_add(out, " --runs %d", t->restarts);
        slt_text_add(out, " --seed %llu --run %s", (unsigned long long)t->seed, t->run + skip);
        return;
    }
    slt_text_add(out, "slottar train %s %s", t->model, t->data + skip);
    if (t->preset) slt_text_add(out, " --preset %s", t->preset);
    if (t->profile) slt_text_add(out, " --profile %s", t->profile);
    if (t->restarts) slt_text_add(out, " --restarts %d", t->restarts);
    for (int i = 0; i < t->setting_count; i++) slt_text_add(out, " %s", t->settings[i]);
    slt_text_add(out, " --seed %llu -o %s", (unsigned long long)t->seed, t->run + skip);
}
