// Outputs: one rule for every file and folder that the library writes under a name of yours.
//
//   - An input is never written over: same device and inode, whatever the names are.
//   - What exists is kept, unless `overwrite` is set.
//   - One process at a time writes it (PATH.lock), and it appears whole or not at all.
//   - Permissions follow the umask.
//
//     const char *inputs[] = {"demos.safetensors"};
//     slt_output_request request = {.path = "notes.txt", .inputs = inputs, .input_count = 1};
//     slt_output *output;
//     slt_output_open(context, &request, &output);
//     slt_output_write(output, "two lines\nof text\n", 18);
//     slt_output_commit(output); // the file appears
//
// Run directories, sweeps and reproductions resume: they keep what they find of their own.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#ifndef SLOTTAR_OUTPUT_H
#define SLOTTAR_OUTPUT_H

#include <stdbool.h>
#include <stddef.h>
#include "slottar/context.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct {
    const char *path;
    bool folder;               // a folder is written; an empty one may exist
    bool overwrite;            // replaces what exists
    const char *const *inputs; // files and folders that are read for it; entries may be NULL
    int input_count;
} slt_output_request;

// INVALID when the output is an input, EXISTS when something is there and may not be replaced.
SLT_API slt_status slt_output_check(const slt_output_request *request);

// A file that is written through the rule. The first failure is kept; commit reports it. Commit
// and abort free the handle; abort accepts NULL and leaves no trace.
typedef struct slt_output slt_output;

SLT_API slt_status slt_output_open(slt_context *context, const slt_output_request *request,
                                   slt_output **out);
SLT_API void slt_output_write(slt_output *output, const void *bytes, size_t count);
SLT_API slt_status slt_output_commit(slt_output *output);
SLT_API void slt_output_abort(slt_output *output);

#ifdef __cplusplus
}
#endif
#endif
