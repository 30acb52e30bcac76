// Whether data is the same as before.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include <string.h>
#include <unistd.h>
#include "core/crc32c.h"
#include "core/file.h"
#include "data/formats.h"

slt_status slt_data_checksum(const char *path, uint32_t *out) {
    slt_map map;
    char file[SLT_PATH];
    slt_data_file(path, file);
    SLT_TRY(slt_map_open(file, &map));
    *out = slt_crc32c(map.data, map.size);
    slt_map_close(&map);
    // other columns of the same file are other data
    const char *choice = access(path, F_OK) == 0 ? NULL : strchr(path, '?');
    if (choice) *out ^= slt_crc32c(choice, strlen(choice));
    return SLT_OK;
}
