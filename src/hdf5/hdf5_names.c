// Names of the numbers of a column: eef[0], eef[1], gripper.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include <string.h>
#include "core/text.h"
#include "data/names.h"
#include "hdf5/hdf5_helper.h"

enum { MOST = 4096 }; // numbers that get names

// the name of a leaf in its folder; NULL when it lies elsewhere
static const char *inside(const slt_leaf *leaf, const char *folder) {
    size_t front = folder ? strlen(folder) : 0;
    bool below = front && strncmp(leaf->name, folder, front) == 0 && leaf->name[front] == '/';
    return below ? leaf->name + front + 1 : NULL;
}

static void add(slt_text *text, const slt_leaf *leaf, const char *folder) {
    const char *plain = inside(leaf, folder) ? inside(leaf, folder) : leaf->name;
    char name[SLT_LEAF_NAME];
    strcpy(name, slt_text_is_utf8(plain) ? plain : "?");
    for (char *c = name; *c; c++)
        if (*c == ',' || (unsigned char)*c < ' ') *c = ';';
    for (int64_t i = 0; i < leaf->width; i++) {
        slt_text_add(text, "%s%s", text->length ? "," : "", name);
        if (leaf->width > 1) slt_text_add(text, "[%lld]", (long long)i);
    }
}

void slt_hdf5_put_names(slt_safetensors_writer *writer, const char *key,
                        const slt_hdf5_field *column, const char *folder) {
    // `actions` alone has no names for its columns
    bool alone = column->count == 1 && !inside(&column->leaves[0], folder);
    if (!column->count || alone || column->width > MOST) return;
    slt_text text;
    slt_text_init(&text, &slt_system_allocator);
    for (int i = 0; i < column->count; i++) add(&text, &column->leaves[i], folder);
    if (text.status == SLT_OK && text.length <= SLT_NAMES_BYTES)
        slt_safetensors_describe(writer, key, text.bytes);
    slt_text_deinit(&text);
}
