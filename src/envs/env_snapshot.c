// The state of a batch as bytes: a head that tells whose it is, the states, the lives.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include <string.h>
#include "envs/env_batch.h"

typedef struct {
    char magic[8];
    uint64_t n, state_size;
    char id[64];
    uint64_t checksum; // of all that follows
} head;

static const char magic[8] = "slt-env1";

// FNV-1a over 8-byte words, the rest byte by byte; continues from `hash`
static uint64_t checksum(uint64_t hash, const unsigned char *bytes, size_t count) {
    for (; count >= 8; bytes += 8, count -= 8) {
        uint64_t word;
        memcpy(&word, bytes, 8);
        hash = (hash ^ word) * UINT64_C(0x100000001b3);
        hash ^= hash >> 32;
    }
    while (count--) hash = (hash ^ *bytes++) * UINT64_C(0x100000001b3);
    return hash;
}

static size_t body_size(const slt_env_batch *batch) {
    return (size_t)batch->n * (batch->kind->state_size + 1);
}

static head make_head(const slt_env_batch *batch, const unsigned char *body) {
    head h = {.n = (uint64_t)batch->n, .state_size = batch->kind->state_size};
    memcpy(h.magic, magic, sizeof magic);
    strncpy(h.id, batch->kind->id, sizeof h.id - 1);
    h.checksum = checksum(UINT64_C(0xcbf29ce484222325), body, body_size(batch));
    return h;
}

size_t slt_env_batch_snapshot_size(const slt_env_batch *batch) {
    return sizeof(head) + body_size(batch);
}

void slt_env_batch_snapshot(const slt_env_batch *batch, void *bytes) {
    size_t size = batch->kind->state_size;
    unsigned char *body = (unsigned char *)bytes + sizeof(head);
    for (int i = 0; i < batch->n; i++)
        memcpy(body + (size_t)i * size, slt_env_state(batch, i), size);
    memcpy(body + (size_t)batch->n * size, batch->life, (size_t)batch->n);
    head h = make_head(batch, body);
    memcpy(bytes, &h, sizeof h);
}

// a copy that never was reset has no state yet
static slt_status check_states(const slt_env_batch *batch, const unsigned char *body) {
    const slt_env_kind *kind = batch->kind;
    const unsigned char *life = body + (size_t)batch->n * kind->state_size;
    for (int i = 0; i < batch->n; i++) {
        bool is_trusted = life[i] == SLT_COPY_FRESH || !kind->valid;
        memcpy(batch->spare, body + (size_t)i * kind->state_size, kind->state_size);
        if (life[i] > SLT_COPY_ENDED || (!is_trusted && !kind->valid(kind, batch->spare)))
            SLT_FAIL(SLT_FORMAT, "the snapshot has no state of %s for copy %d", kind->id, i);
    }
    return SLT_OK;
}

slt_status slt_env_batch_restore(slt_env_batch *batch, const void *bytes, size_t size) {
    if (size != slt_env_batch_snapshot_size(batch))
        SLT_FAIL(SLT_FORMAT, "a snapshot of this batch has %zu bytes, not %zu",
                 slt_env_batch_snapshot_size(batch), size);
    const unsigned char *body = (const unsigned char *)bytes + sizeof(head);
    head want = make_head(batch, body);
    if (memcmp(bytes, &want, sizeof want) != 0)
        SLT_FAIL(SLT_FORMAT, "the snapshot is damaged, or none of %d copies of %s", batch->n,
                 batch->kind->id);
    SLT_TRY(check_states(batch, body));
    size_t one = batch->kind->state_size;
    for (int i = 0; i < batch->n; i++) {
        memcpy(slt_env_state(batch, i), body + (size_t)i * one, one);
        batch->begun[i]++; // experts start anew
    }
    memcpy(batch->life, body + (size_t)batch->n * one, (size_t)batch->n);
    return SLT_OK;
}
