// Reading npz: the central directory of the zip archive, then the members that an import knows.
// Reference: PKWARE APPNOTE 6.3, sections 4.3 and 4.5.3.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include <string.h>
#include <zlib.h>
#include "data/npz.h"

enum {
    LOCAL = 30,   // bytes of a local header
    CENTRAL = 46, // of an entry in the directory
    END = 22,     // of the end record
    END64 = 56,   // of the zip64 end record
    LOCATOR = 20, // of the record before END that says where END64 is
    MOST = 10000, // members
    STORED = 0,
    DEFLATED = 8,
};

typedef struct {
    char name[128];
    int method;
    uint32_t crc;
    uint64_t packed, size, header; // header: offset of the local header
} member;

typedef struct {
    slt_array_set *set;
    const unsigned char *bytes;
    uint64_t size;
    uint64_t at, end; // the directory
} archive;

static uint64_t number(const unsigned char *bytes, int count) {
    uint64_t value = 0;
    for (int i = count - 1; i >= 0; i--) value = value << 8 | bytes[i];
    return value;
}

#define REFUSE(zip, ...)                                                                           \
    do {                                                                                           \
        slt_fail(SLT_FORMAT, __VA_ARGS__);                                                         \
        slt_fail_in(SLT_FORMAT, (zip)->set->path);                                                 \
        return SLT_FORMAT;                                                                         \
    } while (0)

// ---- the directory

// the end record lies in the last 64 kB: a comment may follow it
static slt_status find_end(archive *zip, uint64_t *out) {
    uint64_t lowest = zip->size > END + 65535 ? zip->size - END - 65535 : 0;
    for (uint64_t at = zip->size - END + 1; zip->size >= END && at-- > lowest;) {
        if (memcmp(zip->bytes + at, "PK\5\6", 4) == 0) return *out = at, SLT_OK;
    }
    REFUSE(zip, "no end of a zip archive (truncated file?)");
}

static slt_status find_directory(archive *zip) {
    uint64_t end, length, start;
    SLT_TRY(find_end(zip, &end));
    length = number(zip->bytes + end + 12, 4);
    start = number(zip->bytes + end + 16, 4);
    bool is_large = end >= LOCATOR && memcmp(zip->bytes + end - LOCATOR, "PK\6\7", 4) == 0;
    if (is_large) {
        uint64_t at = number(zip->bytes + end - LOCATOR + 8, 8);
        if (zip->size < END64 || at > zip->size - END64 ||
            memcmp(zip->bytes + at, "PK\6\6", 4) != 0)
            REFUSE(zip, "bad zip64 record");
        length = number(zip->bytes + at + 40, 8);
        start = number(zip->bytes + at + 48, 8);
    }
    if (start > end || length > end - start)
        REFUSE(zip, "the zip directory lies outside of the file");
    zip->at = start;
    zip->end = start + length;
    return SLT_OK;
}

// numbers that did not fit in 32 bits stand in the extra field 1, in this order
static void read_large(const unsigned char *extra, size_t length, member *out) {
    uint64_t *const wanted[] = {&out->size, &out->packed, &out->header};
    for (size_t at = 0; at + 4 <= length;) {
        size_t id = (size_t)number(extra + at, 2), size = (size_t)number(extra + at + 2, 2);
        at += 4;
        if (size > length - at) return;
        size_t inside = at;
        for (int i = 0; id == 1 && i < 3; i++) {
            if (*wanted[i] != UINT32_MAX || inside + 8 > at + size) continue;
            *wanted[i] = number(extra + inside, 8);
            inside += 8;
        }
        at += size;
    }
}

static slt_status next_member(archive *zip, member *out) {
    const unsigned char *head = zip->bytes + zip->at;
    if (zip->end - zip->at < CENTRAL || memcmp(head, "PK\1\2", 4) != 0)
        REFUSE(zip, "bad entry in the zip directory");
    size_t name = (size_t)number(head + 28, 2), extra = (size_t)number(head + 30, 2);
    size_t comment = (size_t)number(head + 32, 2);
    if (name + extra + comment > zip->end - zip->at - CENTRAL)
        REFUSE(zip, "an entry of the zip directory is truncated");
    *out = (member){.method = (int)number(head + 10, 2),
                    .crc = (uint32_t)number(head + 16, 4),
                    .packed = number(head + 20, 4),
                    .size = number(head + 24, 4),
                    .header = number(head + 42, 4)};
    read_large(head + CENTRAL + name, extra, out);
    size_t shown = name < sizeof out->name ? name : sizeof out->name - 1;
    memcpy(out->name, head + CENTRAL, shown);
    if (number(head + 8, 2) & 1) REFUSE(zip, "%s is encrypted", out->name);
    zip->at += CENTRAL + name + extra + comment;
    return SLT_OK;
}

// ---- a member

// the member's bytes as they lie in the file
static slt_status locate(archive *zip, const member *one, const unsigned char **out) {
    if (zip->size < LOCAL || one->header > zip->size - LOCAL ||
        memcmp(zip->bytes + one->header, "PK\3\4", 4) != 0)
        REFUSE(zip, "%s: bad local header", one->name);
    const unsigned char *head = zip->bytes + one->header;
    uint64_t front = LOCAL + number(head + 26, 2) + number(head + 28, 2);
    uint64_t left = zip->size - one->header;
    if (front > left || one->packed > left - front)
        REFUSE(zip, "%s: its bytes lie outside of the file", one->name);
    *out = head + front;
    return SLT_OK;
}

// unpacks piece by piece; never more than the directory promised
static slt_status inflate_to(archive *zip, const member *one, const unsigned char *packed,
                             slt_spool *spool) {
    static const uint64_t piece = 1 << 30;
    unsigned char *buffer;
    enum { ROOM = 64 * 1024 };
    SLT_TRY(SLT_NEW(&zip->set->arena, &buffer, ROOM));
    z_stream stream = {0};
    if (inflateInit2(&stream, -MAX_WBITS) != Z_OK) SLT_FAIL(SLT_NOMEM, "no memory for zlib");
    int code = Z_OK;
    uint64_t left = one->packed;
    stream.next_in = (Bytef *)packed;
    while (code == Z_OK && spool->size <= one->size && spool->status == SLT_OK) {
        if (stream.avail_in == 0)
            stream.avail_in = (uInt)(left < piece ? left : piece), left -= stream.avail_in;
        stream.next_out = buffer;
        stream.avail_out = ROOM;
        code = inflate(&stream, Z_NO_FLUSH);
        slt_spool_put(spool, buffer, ROOM - stream.avail_out);
        if (code == Z_BUF_ERROR && left) code = Z_OK;
    }
    inflateEnd(&stream);
    SLT_TRY(spool->status);
    if (code != Z_STREAM_END || spool->size != one->size)
        REFUSE(zip, "%s: damaged, or not of the promised size", one->name);
    return SLT_OK;
}

static uint32_t checksum(const unsigned char *bytes, uint64_t size) {
    uLong crc = crc32(0, NULL, 0);
    for (uint64_t at = 0; at < size;) {
        uInt piece = size - at > 1 << 30 ? 1 << 30 : (uInt)(size - at);
        crc = crc32(crc, bytes + at, piece);
        at += piece;
    }
    return (uint32_t)crc;
}

// the npy file as a mapping of its own
static slt_status unpack(archive *zip, const member *one, slt_map *out) {
    const unsigned char *packed;
    SLT_TRY(locate(zip, one, &packed));
    slt_spool spool;
    slt_spool_init(&spool, &zip->set->context->allocator, NULL);
    slt_status status = SLT_OK;
    if (one->method == DEFLATED)
        status = inflate_to(zip, one, packed, &spool);
    else if (one->method != STORED || one->packed != one->size)
        status = slt_fail(SLT_FORMAT, "%s: %s: packed in a way that is not read", zip->set->path,
                          one->name);
    else
        slt_spool_put(&spool, packed, (size_t)one->packed);
    if (status == SLT_OK) status = slt_spool_map(&spool, out);
    slt_spool_deinit(&spool);
    return status;
}

static slt_status add(archive *zip, const member *one, const char *name) {
    slt_array_set *set = zip->set;
    if (set->map_count == SLT_SET_ARRAYS) REFUSE(zip, "too many arrays");
    slt_map map;
    SLT_TRY(unpack(zip, one, &map));
    set->maps[set->map_count++] = map; // closed with the set
    if (checksum(map.data, map.size) != one->crc) REFUSE(zip, "%s: check sum differs", one->name);
    slt_array array = {.name = name};
    size_t front;
    SLT_TRY(slt_npy_read(set->path, map.data, map.size, &array, &front));
    array.data = map.data + front;
    if ((uintptr_t)array.data % slt_dtype_size(array.dtype)) {
        unsigned char *copy;
        SLT_TRY(SLT_NEW(&set->arena, &copy, array.bytes));
        array.data = memcpy(copy, array.data, array.bytes);
    }
    return slt_array_set_add(set, &array);
}

static slt_status take_texts(slt_array_set *set) {
    const slt_array *json = slt_array_set_find(set, "metadata_json");
    if (!json) return SLT_OK;
    if (slt_dtype_size(json->dtype) != 1 || json->bytes > 1 << 20)
        SLT_FAIL(SLT_FORMAT, "%s: metadata_json: want at most 1 MiB of u8", set->path);
    return slt_array_set_describe_json(set, json->data, json->bytes);
}

slt_status slt_npz_read(slt_array_set *set) {
    slt_map map;
    SLT_TRY(slt_map_open(set->path, &map));
    archive zip = {.set = set, .bytes = map.data, .size = map.size};
    slt_status status = find_directory(&zip);
    for (int i = 0; status == SLT_OK && zip.at < zip.end; i++) {
        member one;
        status = i < MOST ? next_member(&zip, &one)
                          : slt_fail(SLT_FORMAT, "%s: more than %d members", set->path, MOST);
        if (status != SLT_OK) break;
        size_t length = strlen(one.name);
        if (length < 4 || strcmp(one.name + length - 4, ".npy") != 0) continue;
        char name[sizeof one.name];
        memcpy(name, one.name, sizeof name);
        name[length - 4] = 0;
        if (slt_array_set_knows(name)) status = add(&zip, &one, name);
    }
    slt_map_close(&map);
    if (status == SLT_OK) status = take_texts(set);
    return status;
}
