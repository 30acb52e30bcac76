// The rule for outputs.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include <dirent.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include "core/context_impl.h"
#include "core/file.h"
#include "core/output_impl.h"

// ---- inputs

// the files of a folder that are read or written as a whole: runs, Minari data sets
static const char *const members[] = {
    "",
    "best.safetensors",
    "last.safetensors",
    "config.yaml",
    "metrics.jsonl",
    "result.json",
    "segments.safetensors",
    "data/main_data.hdf5",
    "data/metadata.json",
};
enum { MEMBERS = sizeof members / sizeof *members };

typedef struct {
    struct stat info[MEMBERS];
    bool present[MEMBERS];
} identity;

// after a '?' stands a choice of columns, where no file has this name
static int length_of(const char *path) {
    struct stat info;
    const char *choice = stat(path, &info) == 0 ? NULL : strrchr(path, '?');
    return (int)(choice ? (size_t)(choice - path) : strnlen(path, SLT_LOCK_PATH));
}

static void identify(const char *path, identity *out) {
    char name[SLT_LOCK_PATH + 32];
    int length = length_of(path);
    for (int i = 0; i < MEMBERS; i++) {
        snprintf(name, sizeof name, i ? "%.*s/%s" : "%.*s", length, path, members[i]);
        out->present[i] = stat(name, &out->info[i]) == 0;
    }
}

static bool overlaps(const identity *a, const identity *b) {
    for (int i = 0; i < MEMBERS; i++)
        for (int k = 0; k < MEMBERS; k++)
            if (a->present[i] && b->present[k] && a->info[i].st_dev == b->info[k].st_dev &&
                a->info[i].st_ino == b->info[k].st_ino)
                return true;
    return false;
}

static slt_status check_inputs(const slt_output_request *request) {
    identity output, input;
    identify(request->path, &output);
    for (int i = 0; i < request->input_count; i++) {
        if (!request->inputs[i]) continue;
        identify(request->inputs[i], &input);
        if (overlaps(&output, &input))
            SLT_FAIL(SLT_INVALID,
                     "%s: would write over the input %s; an input is never replaced, choose "
                     "another name",
                     request->path, request->inputs[i]);
    }
    return SLT_OK;
}

// ---- what exists

static bool is_empty_folder(const char *path) {
    DIR *list = opendir(path);
    if (!list) return false;
    bool empty = true;
    for (const struct dirent *entry; empty && (entry = readdir(list));)
        empty = strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0;
    closedir(list);
    return empty;
}

slt_status slt_output_check(const slt_output_request *request) {
    struct stat info;
    SLT_TRY(check_inputs(request));
    if (lstat(request->path, &info) != 0) return SLT_OK;
    bool folder = stat(request->path, &info) == 0 && S_ISDIR(info.st_mode);
    if (folder && !request->folder)
        SLT_FAIL(SLT_EXISTS, "%s: is a folder; name a file", request->path);
    if (!folder && request->folder)
        SLT_FAIL(SLT_EXISTS, "%s: is no folder; choose another name", request->path);
    if (request->overwrite || (folder && is_empty_folder(request->path))) return SLT_OK;
    SLT_FAIL(SLT_EXISTS, "%s: exists; --force (in Python overwrite=True) replaces it",
             request->path);
}

slt_status slt_output_claim(slt_lock *lock, slt_context *context,
                            const slt_output_request *request) {
    lock->held = false;
    SLT_TRY(slt_lock_file(lock, context, request->path));
    slt_status status = slt_output_check(request);
    if (status != SLT_OK) slt_lock_release(lock);
    return status;
}

slt_status slt_output_resume(const char *folder, const char *marker, const char *const *names,
                             const char *input) {
    char path[SLT_LOCK_PATH];
    struct stat info;
    SLT_TRY(
        check_inputs(&(slt_output_request){.path = folder, .inputs = &input, .input_count = 1}));
    snprintf(path, sizeof path, "%s/%s", folder, marker);
    if (lstat(path, &info) == 0) return SLT_OK;
    for (; *names; names++) {
        snprintf(path, sizeof path, "%s/%s", folder, *names);
        if (lstat(path, &info) == 0)
            SLT_FAIL(SLT_EXISTS,
                     "%s: exists, but without %s this folder is none to continue; "
                     "choose another folder",
                     path, marker);
    }
    return SLT_OK;
}

// ---- a file

struct slt_output {
    slt_context *context;
    slt_lock lock;
    slt_writer file;
};

slt_status slt_output_open(slt_context *context, const slt_output_request *request,
                           slt_output **out) {
    slt_output *output;
    SLT_TRY(SLT_ALLOC(&context->allocator, &output, 1));
    output->context = context;
    output->file.descriptor = -1;
    slt_status status = slt_output_claim(&output->lock, context, request);
    if (status == SLT_OK) status = slt_writer_open(&output->file, request->path);
    if (status == SLT_OK)
        *out = output;
    else
        slt_output_abort(output);
    return status;
}

void slt_output_write(slt_output *output, const void *bytes, size_t count) {
    slt_write(&output->file, bytes, count);
}

slt_status slt_output_commit(slt_output *output) {
    slt_status status = slt_writer_commit(&output->file);
    slt_output_abort(output); // frees; a committed file stays
    return status;
}

void slt_output_abort(slt_output *output) {
    if (!output) return;
    slt_writer_abort(&output->file);
    slt_lock_release(&output->lock);
    slt_free(&output->context->allocator, output);
}
