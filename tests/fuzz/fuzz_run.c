// Fuzz target: the files of a run directory as `report` and a resumed training read them. The first
// byte says which file the others are; the rest of the run is a good one.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include <string.h>
#include <sys/stat.h>
#include "core/file.h"
#include "core/tensorboard.h"
#include "fuzz.h"
#include "report/report_impl.h"
#include "train/inference/run_files.h"

static const struct {
    const char *name, *good;
} files[] = {
    {"config.yaml", "model: slottar\ndata: \"d\"\n"},
    {"metrics.jsonl", "{\"epoch\":1,\"step\":2,\"seconds\":1.5,\"train_loss\":2}\n"},
    {"result.json", "{\"epochs\":1,\"best_epoch\":1,\"steps\":2,\"test\":{\"accuracy\":0.5}}\n"},
    {"events.out.tfevents.0.slottar", ""},
};
enum { FILES = sizeof files / sizeof *files };

static const char *folder(void) {
    static char path[64];
    if (!path[0]) snprintf(path, sizeof path, "/dev/shm/slottar-fuzz-run-%ld", (long)getpid());
    return path;
}

static void put(const char *name, const void *bytes, size_t size) {
    char path[4096];
    FILE *file = fopen(slt_run_path(path, folder(), name), "wb");
    FUZZ_REQUIRE(file && fwrite(bytes, 1, size, file) == size && fclose(file) == 0);
}

static void remove_all(void) {
    char path[4096];
    for (int i = 0; i < FILES; i++) unlink(slt_run_path(path, folder(), files[i].name));
    rmdir(folder());
}

// as a training that resumes after epoch 1 would
static int resume_run(slt_context *context) {
    char path[4096];
    slt_tensorboard *events;
    int fine = slt_run_cut_back(context, folder(), 1) == SLT_OK;
    slt_run_path(path, folder(), files[FILES - 1].name);
    if (slt_tensorboard_open(&context->allocator, path, 1, 0, &events) != SLT_OK) return 0;
    slt_tensorboard_scalar(events, "loss", 2, 1, 1);
    return fine & (slt_tensorboard_close(events) == SLT_OK);
}

static int report(slt_context *context) {
    static slt_report_book book;
    slt_report_run *run = &book.runs[0];
    book.context = context;
    slt_arena_init(&book.arena, &context->allocator, 0);
    *run = (slt_report_run){.path = folder()};
    int fine = slt_report_read_run(&book, run) == SLT_OK;
    if (fine) FUZZ_REQUIRE(run->epoch_count >= 0);
    slt_arena_deinit(&book.arena);
    return fine;
}

int fuzz_one(const uint8_t *bytes, size_t size) {
    static slt_context *context;
    if (!context) FUZZ_REQUIRE(!slt_context_create(&(slt_context_options){.threads = 1}, &context));
    if (mkdir(folder(), 0700) == 0) atexit(remove_all);
    for (int i = 0; i < FILES; i++) put(files[i].name, files[i].good, strlen(files[i].good));
    if (size) put(files[bytes[0] % FILES].name, bytes + 1, size - 1);
    int fine = report(context);
    return fine & resume_run(context);
}
