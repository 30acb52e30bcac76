// Writing npz: each array is deflated into a spool, then written after its header, so that sizes
// and check sums stand in front. No clock: all dates are 1 January 1980.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include <stdio.h>
#include <string.h>
#include <zlib.h>
#include "core/text.h"
#include "data/npz.h"

enum { ROOM = 64 * 1024, LEVEL = 6, DATE = 0x21 };

typedef struct {
    slt_context *context;
    slt_writer file;
    slt_text directory;
    int members;
    z_stream stream;
    slt_spool *spool; // of the member under way
    uint64_t size;
    uLong crc;
    unsigned char buffer[ROOM];
} archive;

static void put(slt_text *out, uint64_t value, int bytes) {
    for (int i = 0; i < bytes; i++)
        slt_text_put(out, &(unsigned char){(unsigned char)(value >> 8 * i)}, 1);
}

// ---- one member

static void pack(archive *zip, const void *bytes, size_t count, int flush) {
    zip->size += count;
    zip->stream.next_in = (Bytef *)bytes;
    do {
        uInt piece = count > 1 << 30 ? 1 << 30 : (uInt)count;
        count -= piece;
        zip->stream.avail_in = piece;
        zip->crc = crc32(zip->crc, zip->stream.next_in, piece);
        do {
            zip->stream.next_out = zip->buffer;
            zip->stream.avail_out = ROOM;
            deflate(&zip->stream, count ? Z_NO_FLUSH : flush);
            slt_spool_put(zip->spool, zip->buffer, ROOM - zip->stream.avail_out);
        } while (zip->stream.avail_out == 0);
    } while (count);
}

// the fields that local header and directory share: version to the end of the extra field's length
static void put_common(archive *zip, slt_text *out, size_t name_length, bool large) {
    uint64_t packed = zip->spool->size;
    put(out, large ? 45 : 20, 2);
    put(out, 0, 2); // flags
    put(out, 8, 2); // deflated
    put(out, 0, 2);
    put(out, DATE, 2);
    put(out, zip->crc, 4);
    put(out, large ? UINT32_MAX : packed, 4);
    put(out, large ? UINT32_MAX : zip->size, 4);
    put(out, name_length, 2);
}

static void put_sizes(archive *zip, slt_text *out) {
    put(out, 1, 2); // the zip64 field
    put(out, 24, 2);
    put(out, zip->size, 8);
    put(out, zip->spool->size, 8);
}

static void take(void *user, const void *bytes, size_t count) { slt_write(user, bytes, count); }

static slt_status write_member(archive *zip, const char *name) {
    uint64_t at = zip->file.written;
    bool large = zip->size >= UINT32_MAX || zip->spool->size >= UINT32_MAX || at >= UINT32_MAX;
    size_t length = strlen(name) + 4;
    slt_text head;
    slt_text_init(&head, &zip->context->allocator);
    put(&head, 0x04034b50, 4);
    put_common(zip, &head, length, large);
    put(&head, large ? 28 : 0, 2);
    slt_text_add(&head, "%s.npy", name);
    if (large) put_sizes(zip, &head), put(&head, 0, 8);
    slt_write(&zip->file, head.bytes, head.length);
    slt_status status = head.status;
    slt_text_deinit(&head);
    if (status == SLT_OK) status = slt_spool_read(zip->spool, take, &zip->file);

    slt_text *directory = &zip->directory;
    put(directory, 0x02014b50, 4);
    put(directory, large ? 45 : 20, 2); // made by
    put_common(zip, directory, length, large);
    put(directory, large ? 28 : 0, 2);
    put(directory, 0, 6); // comment, disk, inner attributes
    put(directory, 0, 4); // outer attributes
    put(directory, large ? UINT32_MAX : at, 4);
    slt_text_add(directory, "%s.npy", name);
    if (large) put_sizes(zip, directory), put(directory, at, 8);
    zip->members++;
    return status;
}

static slt_status add(archive *zip, const slt_array *array) {
    unsigned char head[SLT_NPY_HEAD];
    size_t length;
    SLT_TRY(slt_npy_write(array, head, &length));
    slt_spool spool;
    slt_spool_init(&spool, &zip->context->allocator, zip->file.path);
    zip->spool = &spool;
    zip->size = 0;
    zip->crc = crc32(0, NULL, 0);
    zip->stream = (z_stream){0};
    if (deflateInit2(&zip->stream, LEVEL, Z_DEFLATED, -MAX_WBITS, 8, Z_DEFAULT_STRATEGY) != Z_OK)
        SLT_FAIL(SLT_NOMEM, "no memory for zlib");
    pack(zip, head, length, Z_NO_FLUSH);
    pack(zip, array->data, array->bytes, Z_FINISH);
    deflateEnd(&zip->stream);
    slt_status status = write_member(zip, array->name);
    slt_spool_deinit(&spool);
    zip->spool = NULL;
    return status;
}

// ---- the archive

static slt_status add_texts(archive *zip, const slt_safetensors *file) {
    slt_text json;
    slt_text_init(&json, &zip->context->allocator);
    slt_text_add(&json, "{");
    for (size_t i = 0; i < slt_safetensors_metadata_count(file); i++) {
        slt_metadata one = slt_safetensors_metadata_at(file, i);
        if (i) slt_text_add(&json, ",");
        slt_text_quote(&json, one.key);
        slt_text_add(&json, ":");
        slt_text_quote(&json, one.value);
    }
    slt_text_add(&json, "}");
    slt_array array = {.name = "metadata_json",
                       .dtype = SLT_DTYPE_U8,
                       .rank = 1,
                       .shape = {(int64_t)json.length},
                       .data = json.bytes};
    slt_array_measure(&array);
    slt_status status = json.status == SLT_OK ? add(zip, &array) : json.status;
    slt_text_deinit(&json);
    return status;
}

static slt_status finish(archive *zip) {
    uint64_t start = zip->file.written, length = zip->directory.length;
    slt_text *end = &zip->directory;
    if (start >= UINT32_MAX || length >= UINT32_MAX) {
        put(end, 0x06064b50, 4);
        put(end, 44, 8);
        put(end, 45, 2), put(end, 45, 2), put(end, 0, 8);
        put(end, (uint64_t)zip->members, 8), put(end, (uint64_t)zip->members, 8);
        put(end, length, 8), put(end, start, 8);
        put(end, 0x07064b50, 4);
        put(end, 0, 4), put(end, start + length, 8), put(end, 1, 4);
    }
    put(end, 0x06054b50, 4);
    put(end, 0, 4);
    put(end, (uint64_t)zip->members, 2), put(end, (uint64_t)zip->members, 2);
    put(end, length >= UINT32_MAX ? UINT32_MAX : length, 4);
    put(end, start >= UINT32_MAX ? UINT32_MAX : start, 4);
    put(end, 0, 2);
    SLT_TRY(end->status);
    slt_write(&zip->file, end->bytes, end->length);
    return slt_writer_commit(&zip->file);
}

static slt_status write_all(archive *zip, const slt_safetensors *file) {
    for (size_t i = 0; i < slt_safetensors_count(file); i++)
        SLT_TRY(add(zip, slt_safetensors_at(file, i)));
    SLT_TRY(add_texts(zip, file));
    return finish(zip);
}

slt_status slt_npz_write(slt_context *context, const char *native, const char *out) {
    slt_safetensors *file;
    SLT_TRY(slt_safetensors_open(&context->allocator, native, &file));
    archive *zip;
    slt_status status = SLT_ALLOC(&context->allocator, &zip, 1);
    if (status == SLT_OK) {
        zip->context = context;
        slt_text_init(&zip->directory, &context->allocator);
        status = slt_writer_open(&zip->file, out);
        if (status == SLT_OK) status = write_all(zip, file);
        slt_writer_abort(&zip->file);
        slt_text_deinit(&zip->directory);
        slt_free(&context->allocator, zip);
    }
    slt_safetensors_close(file);
    return status;
}
