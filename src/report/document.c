// The data of a page as JSON: docs/report.md has its keys.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include <math.h>
#include <string.h>
#include "report/document.h"
#include "report/report_text.h"
#include "slottar/version.h"

// ---- objects

static void put_scores(slt_text *out, const slt_report_scores *scores) {
#define PUT(field, title)                                                                          \
    slt_text_add(out, ",\"" #field "\":");                                                         \
    slt_json_number(out, scores->field);
    SLT_REPORT_SCORES(PUT)
#undef PUT
}

static void put_counts(slt_text *out, const char *name, const uint64_t *bins) {
    int last = SLT_COUNT_BINS - 1;
    while (last > 0 && !bins[last]) last--;
    slt_text_add(out, "\"%s\":[", name);
    for (int i = 0; i <= last; i++)
        slt_text_add(out, "%s%llu", i ? "," : "", (unsigned long long)bins[i]);
    slt_text_add(out, "]");
}

// ---- a data set

static void put_names(slt_text *out, const slt_report_set *set) {
    char name[128];
    const slt_dataset_info *info = set->info;
    int actions = set->continuous ? info->action_size : info->action_count;
    slt_text_add(out,
                 ",\"action_count\":%d,\"action_size\":%d,\"action_names\":", info->action_count,
                 set->continuous ? info->action_size : 0);
    slt_text_add(out, info->action_names ? "[" : "null");
    for (int a = 0; info->action_names && a < actions; a++) {
        slt_text_add(out, a ? "," : "");
        slt_json_text(out, info->action_names[a]);
    }
    slt_text_add(out, "%s,\"tasks\":[", info->action_names ? "]" : "");
    for (int i = 0; i < slt_report_tasks(set); i++) {
        slt_text_add(out, i ? "," : "");
        slt_json_text(out, slt_report_environment(set, i, name, sizeof name));
    }
    slt_text_add(out, "]");
}

static void put_baselines(slt_text *out, const slt_report_set *set) {
    slt_text_add(out, ",\"baselines\":{");
    for (int i = 0; i < set->baseline_count; i++) {
        slt_text_add(out, "%s\"%s\":{\"rule\":\"%s\",\"told\":\"%s\"", i ? "," : "",
                     set->baselines[i].name, set->baselines[i].name,
                     slt_told_name(slt_rule_told(set->baselines[i].name)));
        put_scores(out, &set->baselines[i].scores);
        slt_text_add(out, "}");
    }
    slt_text_add(out, "}");
}

// per trajectory and per step, all trajectories one after another
typedef struct {
    int32_t *episode, *length, *task;
    uint16_t *actions;
    uint8_t *truth; // number of the true segment, 254 and above: 254; 255: unknown
} set_lists;

static void list_steps(set_lists *lists, const slt_episode *episode, int64_t at) {
    int segment = 0;
    for (int64_t t = 0; t < episode->length; t++) {
        const int32_t *truth = episode->segments;
        lists->actions[at + t] = (uint16_t)slt_episode_action(episode, t);
        if (truth && t > 0 && truth[t] != truth[t - 1] && segment < 254) segment++;
        lists->truth[at + t] = truth && truth[t] >= 0 ? (uint8_t)segment : 255;
    }
}

static slt_status put_trajectories(slt_report_book *book, slt_text *out,
                                   const slt_report_set *set) {
    set_lists l;
    size_t count = (size_t)set->count, steps = (size_t)set->steps, at = 0;
    SLT_TRY(SLT_NEW(&book->arena, &l.episode, count));
    SLT_TRY(SLT_NEW(&book->arena, &l.length, count));
    SLT_TRY(SLT_NEW(&book->arena, &l.task, count));
    SLT_TRY(SLT_NEW(&book->arena, &l.actions, steps));
    SLT_TRY(SLT_NEW(&book->arena, &l.truth, steps));
    for (size_t i = 0; i < count; i++) {
        slt_episode episode;
        SLT_TRY(slt_report_episode(set, (int64_t)i, &episode));
        l.episode[i] = (int32_t)episode.index;
        l.length[i] = (int32_t)episode.length;
        l.task[i] = set->info->has_tasks ? episode.task : 0;
        list_steps(&l, &episode, (int64_t)at);
        at += (size_t)episode.length;
    }
    slt_text_add(out, ",\"trajectories\":{\"episode\":");
    slt_json_pack(out, SLT_DTYPE_I32, l.episode, count);
    slt_text_add(out, ",\"length\":");
    slt_json_pack(out, SLT_DTYPE_I32, l.length, count);
    slt_text_add(out, ",\"task\":");
    slt_json_pack(out, SLT_DTYPE_I32, l.task, count);
    if (!set->continuous) {
        slt_text_add(out, ",\"actions\":");
        slt_json_pack(out, SLT_DTYPE_U16, l.actions, steps);
    }
    slt_text_add(out, ",\"truth\":");
    slt_json_pack(out, SLT_DTYPE_U8, l.truth, steps);
    slt_text_add(out, "}");
    return out->status;
}

static void put_details(slt_text *out, const slt_report_set *set) {
    static const char *const whys[SLT_WHYS] = {"worst", "typical", "random"};
    slt_text_add(out, ",\"detail\":{\"index\":[");
    for (int i = 0; i < set->chosen_count; i++)
        slt_text_add(out, "%s%lld", i ? "," : "", (long long)set->chosen[i].place);
    slt_text_add(out, "],\"why\":[");
    for (int i = 0; i < set->chosen_count; i++)
        slt_text_add(out, "%s\"%s\"", i ? "," : "", whys[set->chosen[i].why]);
    slt_text_add(out, "]");
}

static slt_status put_set(slt_report_book *book, slt_text *out, const slt_report_set *set) {
    slt_text_add(out, "{\"name\":");
    slt_json_text(out, set->name);
    slt_text_add(out, ",\"path\":");
    slt_json_text(out, set->path);
    slt_text_add(out, ",\"split\":\"%s\",\"episodes\":%lld,\"left_out\":%lld,\"labelled\":%s",
                 slt_split_name(book->request->split), (long long)set->count,
                 (long long)set->left_out, set->labelled ? "true" : "false");
    put_names(out, set);
    put_baselines(out, set);
    SLT_TRY(put_trajectories(book, out, set));
    put_details(out, set);
    SLT_TRY(slt_document_pictures(book, out, set));
    if (set->continuous) SLT_TRY(slt_document_channels(book, out, set));
    slt_text_add(out, "}}");
    return out->status;
}

// ---- a run

static void put_config(slt_text *out, const slt_report_run *run) {
    slt_text_add(out, ",\"config\":{");
    for (size_t i = 0; i < run->config.count; i++) {
        const slt_yaml_entry *entry = &run->config.entries[i];
        slt_text_add(out, i ? "," : "");
        slt_json_text(out, entry->key);
        slt_text_add(out, ":");
        slt_json_text(out, entry->count ? entry->values[0] : "");
    }
    slt_text_add(out, "}");
}

static void put_epochs(slt_text *out, const slt_report_run *run) {
    slt_text_add(out, ",\"best_epoch\":%lld,\"epochs\":[", (long long)run->best_epoch);
    for (int i = 0; i < run->epoch_count; i++) {
        const slt_report_epoch *e = &run->epochs[i];
        const char *comma = "";
        slt_text_add(out, "%s{", i ? "," : "");
#define PUT(field)                                                                                 \
    slt_text_add(out, "%s\"" #field "\":", comma);                                                 \
    slt_json_number(out, e->field);                                                                \
    comma = ",";
        SLT_REPORT_CURVES(PUT)
#undef PUT
        slt_text_add(out, "}");
    }
    slt_text_add(out, "]");
}

// as slt_trust_write has it, in text that may stand inside of <script>
static void put_trust(slt_text *out, const slt_trust *trust) {
    slt_text_add(out, ",\"trust\":{\"trust\":");
    slt_json_number(out, trust->trust);
    slt_text_add(out, ",\"doubtful\":%s,\"calibrated\":%s,\"warnings\":[",
                 trust->doubtful ? "true" : "false", trust->calibrated ? "true" : "false");
    for (int i = 0; i < trust->warning_count; i++) {
        slt_text_add(out, i ? "," : "");
        slt_json_text(out, trust->warnings[i]);
    }
    slt_text_add(out, "]}");
}

static void put_group(slt_text *out, const slt_vote_group *g) {
    slt_text_add(out, "{\"name\":\"%s\",\"runs\":%d", g->name, g->runs);
    const struct {
        const char *name;
        double value;
    } numbers[] = {{"segments", g->segments}, {"trust", g->trust}, {"agreement", g->agreement}};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        slt_text_add(out, ",\"%s\":", numbers[i].name);
        slt_json_number(out, numbers[i].value);
    }
    slt_text_add(out, ",\"answers\":[");
    for (int i = 0; i < g->answer_count; i++) {
        slt_text_add(out, "%s{\"runs\":%d,\"segments\":", i ? "," : "", g->answers[i].runs);
        slt_json_number(out, g->answers[i].segments);
        slt_text_add(out, ",\"words\":");
        slt_json_text(out, g->answers[i].words);
        slt_text_add(out, "}");
    }
    slt_text_add(out, "]}");
}

static void put_vote(slt_text *out, const slt_vote_result *vote) {
    slt_text_add(out, ",\"vote\":{\"told\":");
    slt_json_text(out, vote->told);
    slt_text_add(out, ",\"chosen\":%d,\"groups\":[", vote->chosen);
    for (int g = 0; g < vote->group_count; g++) {
        if (g) slt_text_add(out, ",");
        put_group(out, &vote->groups[g]);
    }
    slt_text_add(out, "]}");
}

static slt_status put_run(slt_report_book *book, slt_text *out, const slt_report_run *run) {
    const slt_report_set *set = &book->sets[run->set];
    slt_text_add(out, "{\"run\":");
    slt_json_text(out, run->path);
    slt_text_add(out, ",\"model\":");
    slt_json_text(out, run->model);
    slt_text_add(out, ",\"set\":%d,\"split\":\"%s\",\"episodes\":%lld", run->set,
                 slt_split_name(book->request->split), (long long)set->count);
    slt_text_add(out, ",\"told\":\"%s\",\"told_count\":%s", slt_told_name(run->told),
                 run->answers.told_count ? "true" : "false");
    put_trust(out, &run->trust);
    if (run->vote) put_vote(out, run->vote);
    put_scores(out, &run->scores);
    slt_text_add(out, ",\"counts\":%s", set->labelled ? "{" : "null");
    if (set->labelled) {
        put_counts(out, "true", run->summary.true_counts);
        slt_text_add(out, ",");
        put_counts(out, "predicted", run->summary.predicted_counts);
        slt_text_add(out, "}");
    }
    put_epochs(out, run);
    put_config(out, run);
    SLT_TRY(slt_document_answers(book, out, run));
    slt_text_add(out, "}");
    return out->status;
}

slt_status slt_report_document(slt_report_book *book, slt_text *out) {
    slt_arena_mark mark = slt_arena_now(&book->arena);
    slt_text_add(out,
                 "{\"format\":\"slottar-report-1\",\"version\":\"" SLT_VERSION "\",\"sets\":[");
    for (int i = 0; i < book->set_count; i++) {
        slt_text_add(out, i ? ",\n" : "\n");
        SLT_TRY(put_set(book, out, &book->sets[i]));
    }
    slt_text_add(out, "],\"runs\":[");
    for (int i = 0; i < book->run_count; i++) {
        slt_text_add(out, i ? ",\n" : "\n");
        SLT_TRY(put_run(book, out, &book->runs[i]));
    }
    slt_text_add(out, "]}");
    slt_arena_reset(&book->arena, mark);
    return out->status;
}
