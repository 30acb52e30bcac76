// slt_verify_file: loads the file, finds its kind in the table, runs it.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include "verify/golden.h"

#include <string.h>
#include <zlib.h>
#include "core/file.h"
#include "verify/verify_kinds.h"

enum { LARGEST = 1 << 28 }; // bytes of a golden file, unpacked

static const slt_verify_kind *const kinds[] = {
#define ROW(name) &slt_verify_##name,
    SLT_VERIFY_KINDS(ROW)
#undef ROW
        NULL,
};

// unpacks gzip into the arena, growing by doubling
static slt_status unpack(slt_arena *arena, const slt_map *map, slt_golden *golden) {
    z_stream stream = {.next_in = (Bytef *)map->data, .avail_in = (uInt)map->size};
    if (inflateInit2(&stream, 16 + MAX_WBITS) != Z_OK) SLT_FAIL(SLT_NOMEM, "no memory for zlib");
    size_t size = 4 * map->size + 1024;
    char *text = NULL;
    int code = Z_OK;
    while (code == Z_OK && size < LARGEST) {
        char *larger = slt_arena_take(arena, size + 1, 1);
        if (!larger) break;
        if (text) memcpy(larger, text, stream.total_out);
        text = larger;
        stream.next_out = (Bytef *)text + stream.total_out;
        stream.avail_out = (uInt)(size - stream.total_out);
        code = inflate(&stream, Z_NO_FLUSH);
        size *= 2;
    }
    golden->text = text;
    golden->length = stream.total_out;
    inflateEnd(&stream);
    if (code == Z_OK && size < LARGEST) return SLT_NOMEM; // the arena has said so
    if (code != Z_STREAM_END) SLT_FAIL(SLT_FORMAT, "%s: damaged or too large gzip", golden->path);
    return SLT_OK;
}

static slt_status load(slt_arena *arena, const slt_map *map, slt_golden *golden) {
    if (map->size > LARGEST) SLT_FAIL(SLT_FORMAT, "%s: too large for a golden file", golden->path);
    if (map->size > 2 && map->data[0] == 0x1f && map->data[1] == 0x8b)
        return unpack(arena, map, golden);
    char *text;
    SLT_TRY(slt_arena_text(arena, (const char *)map->data, map->size, &text));
    golden->text = text;
    golden->length = map->size;
    return SLT_OK;
}

// one document, or the first of many lines
static void parse_head(slt_golden *golden) {
    if (golden->text[0] != '{' && golden->text[0] != '[') return;
    golden->head = json_loadb(golden->text, golden->length, JSON_ALLOW_NUL, NULL);
    if (golden->head) return;
    size_t offset = 0;
    golden->is_lines = slt_golden_next(golden, &offset, &golden->head) == SLT_OK;
}

static slt_status run_kind(slt_verification *verification, const slt_golden *golden) {
    for (int i = 0; kinds[i]; i++) {
        if (!kinds[i]->knows(golden)) continue;
        verification->result->kind = kinds[i]->kind;
        return kinds[i]->run(verification, golden);
    }
    SLT_FAIL(SLT_FORMAT, "%s: no golden file that this build knows", golden->path);
}

slt_status slt_verify_file(slt_context *context, const char *path, slt_verify_result *result) {
    slt_map map;
    SLT_TRY(slt_map_open(path, &map));
    slt_arena arena;
    slt_arena_init(&arena, &context->allocator, 1 << 20);
    slt_golden golden = {.path = path};
    slt_verify_result found = {0};
    slt_verification verification = {context, &arena, &found, NULL};
    slt_precision precision = context->precision;
    context->precision = SLT_FP32; // the goldens ask for it
    slt_status status = load(&arena, &map, &golden);
    slt_map_close(&map);
    if (status == SLT_OK) {
        parse_head(&golden);
        status = run_kind(&verification, &golden);
        if (golden.head) json_decref(golden.head);
    }
    context->precision = precision;
    slt_arena_deinit(&arena);
    if (status == SLT_OK) *result = found;
    return status;
}
