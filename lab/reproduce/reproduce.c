// Reproducing: a folder of data sets, runs and results, made step by step. What is there is not
// made again, so that a call may be killed at any time.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include <math.h>
#include <stdio.h>
#include <string.h>
#include "core/clock.h"
#include "core/file.h"
#include "core/json.h"
#include "core/lock.h"
#include "core/output_impl.h"
#include "reproduce/repro_impl.h"
#include "train/inference/run_files.h"

// what decides the numbers of every run; the same folder with something else is refused
static slt_status settle(slt_repro *r) {
    const slt_reproduce_request *q = r->request;
    char path[SLT_REPRO_PATH];
    slt_text text;
    slt_text_init(&text, &r->context->allocator);
    slt_text_add(&text, "quick: %s\nseed: %llu\nepisodes: \"%lld,%lld,%lld\"\nsettings: ",
                 q->quick ? "yes" : "no", (unsigned long long)q->seed, (long long)q->episodes[0],
                 (long long)q->episodes[1], (long long)q->episodes[2]);
    for (int i = 0; i < q->setting_count; i++) slt_text_add(&text, "%s ", q->settings[i]);
    slt_text_add(&text, "\n");
    slt_status status = text.status;
    if (status == SLT_OK)
        status = slt_run_settle(r->context, slt_repro_path(r, path, "reproduce.yaml"), &text, NULL);
    slt_text_deinit(&text);
    return status;
}

typedef slt_status (*writer)(slt_repro *r, slt_text *out);

static slt_status write_file(slt_repro *r, const char *name, writer write) {
    char path[SLT_REPRO_PATH];
    slt_text text;
    slt_text_init(&text, &r->context->allocator);
    slt_status status = write(r, &text);
    if (status == SLT_OK) status = text.status;
    if (status == SLT_OK)
        status = slt_file_write(slt_repro_path(r, path, "%s", name), text.bytes, text.length);
    slt_text_deinit(&text);
    return status;
}

// scores of other programs are kept in the folder
static slt_status take_peers(slt_repro *r) {
    char path[SLT_REPRO_PATH];
    json_t *peers;
    slt_map map;
    if (!r->request->peers) return SLT_OK;
    SLT_TRY(slt_json_read(r->request->peers, 4, &peers));
    json_decref(peers);
    SLT_TRY(slt_map_open(r->request->peers, &map));
    slt_status status = slt_file_write(slt_repro_path(r, path, "peers.json"), map.data, map.size);
    slt_map_close(&map);
    return status;
}

static slt_status make(slt_repro *r) {
    SLT_TRY(take_peers(r));
    if (!r->request->no_runs) {
        SLT_TRY(slt_repro_collect(r));
        if (!r->stopped) SLT_TRY(slt_repro_work(r));
        if (!r->stopped) SLT_TRY(slt_repro_measure(r));
    }
    if (!r->stopped) SLT_TRY(slt_repro_show(r));
    return SLT_OK;
}

// a call that was stopped leaves the results of what is there
static slt_status finish(slt_repro *r) {
    r->result.done += r->trained;
    r->result.finished = !r->stopped && (!r->request->no_runs || r->result.done == r->result.runs);
    SLT_TRY(write_file(r, "records.jsonl", slt_repro_carried_write));
    SLT_TRY(write_file(r, "results.json", slt_repro_json));
    SLT_TRY(write_file(r, "results.md", slt_repro_markdown));
    return slt_context_check(r->context);
}

// what a killed call left half written
static void remove_parts(slt_repro *r) {
    static const char *const folders[] = {".", "data", "speed"};
    char path[SLT_REPRO_PATH];
    for (size_t i = 0; i < sizeof folders / sizeof *folders; i++)
        slt_parts_remove(slt_repro_path(r, path, "%s", folders[i]), NULL);
}

static slt_status run(slt_repro *r) {
    slt_lock lock;
    char path[SLT_REPRO_PATH];
    SLT_TRY(slt_repro_plan(r));
    SLT_TRY(slt_folder_make(r->request->folder));
    slt_repro_path(r, path, "lock");
    SLT_TRY(slt_lock_take(&lock, r->context, path, r->request->folder, 0));
    static const char *const files[] = {"results.md", "results.json", "report.html", NULL};
    slt_status status = slt_output_resume(r->request->folder, "reproduce.yaml", files, NULL);
    if (status == SLT_OK) remove_parts(r);
    if (status == SLT_OK) status = settle(r);
    if (status == SLT_OK) status = make(r);
    if (status == SLT_CANCELLED) r->stopped = true;
    if (status == SLT_OK || status == SLT_CANCELLED) status = finish(r);
    slt_lock_release(&lock);
    return status;
}

static slt_status check(const slt_reproduce_request *request) {
    if (!request->folder || !*request->folder) SLT_FAIL(SLT_INVALID, "reproducing needs a folder");
    if (strlen(request->folder) > SLT_REPRO_PATH - 256)
        SLT_FAIL(SLT_INVALID, "folder name of %zu characters is too long", strlen(request->folder));
    return SLT_OK;
}

slt_status slt_reproduce(slt_context *context, const slt_reproduce_request *request,
                         slt_reproduce_result *result) {
    slt_repro *r;
    SLT_TRY(check(request));
    SLT_TRY(SLT_ALLOC(&context->allocator, &r, 1));
    r->context = context;
    r->request = request;
    r->until = request->seconds > 0 ? slt_seconds() + request->seconds : INFINITY;
    slt_arena_init(&r->arena, &context->allocator, 0);
    pthread_mutex_init(&r->lock, NULL);
    slt_status status = run(r);
    if (status == SLT_OK && result) *result = r->result;
    pthread_mutex_destroy(&r->lock);
    slt_arena_deinit(&r->arena);
    slt_free(&context->allocator, r);
    return status;
}
