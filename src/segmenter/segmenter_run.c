// A segmenter in a run directory: learned once, then opened.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "core/file.h"
#include "data/dataset_impl.h"
#include "data/formats.h"
#include "segmenter/segmenter_impl.h"

// folders that are not there yet: how many characters of the path are
static size_t part_there(const char *path) {
    struct stat info;
    char part[SLT_SEGMENTER_TEXT];
    snprintf(part, sizeof part, "%s", path);
    for (size_t n = strlen(part); n > 0; part[--n] = 0)
        if ((n == strlen(path) || path[n] == '/') && stat(part, &info) == 0) return n;
    return 0;
}

// a fit that fails leaves no empty folders
static void remove_empty(const char *path, size_t there) {
    char part[SLT_SEGMENTER_TEXT];
    snprintf(part, sizeof part, "%s", path);
    for (size_t n = strlen(part); n > there; part[--n] = 0)
        if ((n == strlen(path) || path[n] == '/') && rmdir(part) != 0) return;
}

slt_status slt_segmenter_train(slt_context *context, slt_dataset *data,
                               const slt_segmenter_options *options, const char *run,
                               bool overwrite, slt_segmenter **out) {
    const char *source = slt_dataset_path(data);
    slt_segmenter_options chosen = options ? *options : (slt_segmenter_options){0};
    char path[SLT_SEGMENTER_TEXT], wanted[SLT_SEGMENTER_TEXT];
    struct stat info;
    uint32_t checksum;
    if (!data->file)
        SLT_FAIL(SLT_INVALID, "a run directory needs data in a file; slt_segmenter_fit takes data "
                              "in memory");
    SLT_TRY(slt_data_checksum(source, &checksum));
    snprintf(path, sizeof path, "%s/%s", run, SLT_MEMBERS_FILE);
    slt_segmenter_describe(&chosen, source, wanted, sizeof wanted);
    size_t length = strlen(wanted);
    snprintf(wanted + length, sizeof wanted - length, " data_crc32c=%08" PRIx32, checksum);
    if (!overwrite && stat(path, &info) == 0) {
        SLT_TRY(slt_segmenter_open(context, path, out));
        if (strcmp((*out)->settings, wanted) == 0) return SLT_OK;
        char had[SLT_SEGMENTER_TEXT];
        snprintf(had, sizeof had, "%s", (*out)->settings);
        slt_segmenter_close(*out);
        SLT_FAIL(SLT_EXISTS,
                 "%s was made with %.500s, not with %.500s: choose another --run, or --force", path,
                 had, wanted);
    }
    size_t there = part_there(run);
    SLT_TRY(slt_folder_make(run));
    slt_status status = slt_segmenter_fit(context, data, &chosen, out);
    if (status == SLT_OK) {
        memcpy((*out)->settings, wanted, sizeof wanted);
        status = slt_segmenter_save(*out, path, overwrite);
        if (status != SLT_OK) slt_segmenter_close(*out);
    }
    if (status != SLT_OK) remove_empty(run, there);
    return status;
}
