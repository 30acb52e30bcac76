// TensorBoard event files. A record is
//     u64 length, u32 masked CRC-32C of these 8 bytes, the bytes of an Event, u32 masked CRC of
//     them
// and an Event is a protocol buffer: 1 wall_time double, 2 step int64, 3 file_version text,
// 5 summary {1 value {1 tag text, 2 simple_value float}}. The first record holds the version.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include "core/tensorboard.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>
#include "core/crc32c.h"
#include "core/file.h"
#include "core/text.h"

enum {
    HEAD = 12,         // length and its check sum
    TAIL = 4,          // check sum of the event
    LARGEST = 1 << 20, // bytes of an event that we read back
    LONGEST_TAG = 1000,
};

struct slt_tensorboard {
    const slt_allocator *allocator;
    int descriptor;
    slt_status status;
    slt_text path, pending; // records not yet written
};

// ---- bytes

static uint32_t masked(const void *bytes, size_t count) {
    uint32_t sum = slt_crc32c(bytes, count);
    return (sum >> 15 | sum << 17) + 0xa282ead8u;
}

static void put_fixed(slt_text *out, uint64_t value, int bytes) {
    for (int i = 0; i < bytes; i++)
        slt_text_put(out, &(unsigned char){(unsigned char)(value >> 8 * i)}, 1);
}

static void put_varint(slt_text *out, uint64_t value) {
    for (; value >= 128; value >>= 7) put_fixed(out, (value & 127) | 128, 1);
    put_fixed(out, value, 1);
}

// wire types: 0 varint, 1 eight bytes, 2 counted bytes, 5 four bytes
static void put_key(slt_text *out, int field, int wire) {
    put_varint(out, (uint64_t)(field << 3 | wire));
}

static void put_bytes(slt_text *out, int field, const void *bytes, size_t count) {
    put_key(out, field, 2);
    put_varint(out, count);
    slt_text_put(out, bytes, count);
}

static void put_double(slt_text *out, int field, double value) {
    uint64_t bits;
    memcpy(&bits, &value, 8);
    put_key(out, field, 1);
    put_fixed(out, bits, 8);
}

static void put_float(slt_text *out, int field, float value) {
    uint32_t bits;
    memcpy(&bits, &value, 4);
    put_key(out, field, 5);
    put_fixed(out, bits, 4);
}

static void put_record(slt_text *out, const slt_text *event) {
    size_t at = out->length;
    if (out->status == SLT_OK) out->status = event->status;
    put_fixed(out, event->length, 8);
    if (out->status != SLT_OK) return;
    put_fixed(out, masked(out->bytes + at, 8), 4);
    slt_text_put(out, event->bytes, event->length);
    put_fixed(out, masked(event->bytes, event->length), 4);
}

// ---- reading back what is there, to find where to continue

static uint64_t get_fixed(const unsigned char *bytes, int count) {
    uint64_t value = 0;
    for (int i = count - 1; i >= 0; i--) value = value << 8 | bytes[i];
    return value;
}

// false at the end of the bytes
static bool get_varint(const unsigned char **at, const unsigned char *end, uint64_t *out) {
    *out = 0;
    for (int shift = 0; *at < end && shift < 64; shift += 7) {
        unsigned char byte = *(*at)++;
        *out |= (uint64_t)(byte & 127) << shift;
        if (byte < 128) return true;
    }
    return false;
}

// the step of an event; 0 when it has none, as in a protocol buffer
static int64_t event_step(const unsigned char *at, const unsigned char *end) {
    uint64_t key, value;
    while (at < end && get_varint(&at, end, &key)) {
        size_t left = (size_t)(end - at), skip = 0;
        switch (key & 7) {
        case 0:
            if (!get_varint(&at, end, &value)) return 0;
            if (key >> 3 == 2) return (int64_t)value;
            break;
        case 1:
            skip = 8;
            break;
        case 2:
            if (!get_varint(&at, end, &value)) return 0;
            left = (size_t)(end - at);
            skip = value > left ? left : (size_t)value;
            break;
        case 5:
            skip = 4;
            break;
        default:
            return 0;
        }
        if (skip > left) return 0;
        at += skip;
    }
    return 0;
}

// bytes up to the first record that is damaged, cut or later than last_step
static size_t usable(const slt_map *map, int64_t last_step) {
    size_t at = 0;
    while (map->size - at >= HEAD + TAIL) {
        const unsigned char *head = map->data + at, *event = head + HEAD;
        uint64_t length = get_fixed(head, 8);
        if (masked(head, 8) != get_fixed(head + 8, 4)) break;
        if (length > LARGEST || length > map->size - at - HEAD - TAIL) break;
        if (masked(event, (size_t)length) != get_fixed(event + length, 4)) break;
        if (event_step(event, event + length) > last_step) break;
        at += HEAD + (size_t)length + TAIL;
    }
    return at;
}

// ---- the file

static slt_status go_to_end(slt_tensorboard *file, int64_t last_step, size_t *kept) {
    slt_map map;
    SLT_TRY(slt_map_open(file->path.bytes, &map));
    *kept = usable(&map, last_step);
    slt_map_close(&map);
    if (ftruncate(file->descriptor, (off_t)*kept) != 0 || lseek(file->descriptor, 0, SEEK_END) < 0)
        SLT_FAIL(SLT_IO, "%s: %s", file->path.bytes, strerror(errno));
    return SLT_OK;
}

static void add_version(slt_tensorboard *file, double wall_time) {
    slt_text event;
    slt_text_init(&event, file->allocator);
    put_double(&event, 1, wall_time);
    put_bytes(&event, 3, "brain.Event:2", 13);
    put_record(&file->pending, &event);
    slt_text_deinit(&event);
}

static slt_status begin(slt_tensorboard *file, const char *path, int64_t last_step,
                        double wall_time) {
    slt_text_add(&file->path, "%s", path);
    SLT_TRY(file->path.status);
    file->descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NONBLOCK, 0666);
    if (file->descriptor < 0) SLT_FAIL(SLT_IO, "%s: could not open: %s", path, strerror(errno));
    size_t kept;
    SLT_TRY(go_to_end(file, last_step, &kept));
    if (kept == 0) add_version(file, wall_time);
    return file->pending.status;
}

static void drop(slt_tensorboard *file) {
    if (file->descriptor >= 0) close(file->descriptor);
    slt_text_deinit(&file->path);
    slt_text_deinit(&file->pending);
    slt_free(file->allocator, file);
}

slt_status slt_tensorboard_open(const slt_allocator *allocator, const char *path, int64_t last_step,
                                double wall_time, slt_tensorboard **out) {
    slt_tensorboard *file;
    SLT_TRY(SLT_ALLOC(allocator, &file, 1));
    file->allocator = allocator;
    file->descriptor = -1;
    slt_text_init(&file->path, allocator);
    slt_text_init(&file->pending, allocator);
    slt_status status = begin(file, path, last_step, wall_time);
    if (status == SLT_OK)
        *out = file;
    else
        drop(file);
    return status;
}

void slt_tensorboard_scalar(slt_tensorboard *file, const char *tag, int64_t step, float value,
                            double wall_time) {
    slt_text point, summary, event;
    slt_text_init(&point, file->allocator);
    slt_text_init(&summary, file->allocator);
    slt_text_init(&event, file->allocator);
    size_t length = strlen(tag);
    put_bytes(&point, 1, tag, length > LONGEST_TAG ? LONGEST_TAG : length);
    put_float(&point, 2, value);
    put_bytes(&summary, 1, point.bytes, point.length);
    put_double(&event, 1, wall_time);
    put_key(&event, 2, 0);
    put_varint(&event, (uint64_t)step);
    put_bytes(&event, 5, summary.bytes, summary.length);
    if (event.status != SLT_OK || summary.status != SLT_OK || point.status != SLT_OK)
        file->status = SLT_NOMEM;
    else
        put_record(&file->pending, &event);
    slt_text_deinit(&point);
    slt_text_deinit(&summary);
    slt_text_deinit(&event);
}

slt_status slt_tensorboard_flush(slt_tensorboard *file) {
    if (file->status == SLT_OK) file->status = file->pending.status;
    for (size_t at = 0; file->status == SLT_OK && at < file->pending.length;) {
        ssize_t done = write(file->descriptor, file->pending.bytes + at, file->pending.length - at);
        if (done > 0)
            at += (size_t)done;
        else if (errno != EINTR)
            file->status =
                slt_fail(SLT_IO, "%s: could not write: %s", file->path.bytes, strerror(errno));
    }
    file->pending.length = 0;
    return file->status;
}

slt_status slt_tensorboard_close(slt_tensorboard *file) {
    if (!file) return SLT_OK;
    slt_status status = slt_tensorboard_flush(file);
    if (close(file->descriptor) != 0 && status == SLT_OK)
        status = slt_fail(SLT_IO, "%s: %s", file->path.bytes, strerror(errno));
    file->descriptor = -1;
    drop(file);
    return status;
}
