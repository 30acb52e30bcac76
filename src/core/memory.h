// Memory: an allocator that may be the user's, and arenas on top of it.
//
// An arena is freed whole. Pieces are zeroed and 64-byte aligned; under AddressSanitizer the gaps
// between them are poisoned. A mark remembers a fill level, a reset goes back to it.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#ifndef SLT_CORE_MEMORY_H
#define SLT_CORE_MEMORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "core/error.h"

typedef struct {
    void *(*alloc)(void *user, size_t bytes);
    void (*free)(void *user, void *memory);
    void *user;
    bool apart; // of tests: every piece of an arena is asked for by itself, so that each can fail
} slt_allocator;

// the C library's malloc and free
extern const slt_allocator slt_system_allocator;

// count*size with an overflow check: false when it does not fit in a size_t
SLT_PLUGIN bool slt_size_mul(size_t count, size_t size, size_t *out);

// zeroed memory for count things of size bytes; NULL, with the size in the message, on failure
SLT_PLUGIN void *slt_alloc(const slt_allocator *allocator, size_t count, size_t size);
SLT_PLUGIN void slt_free(const slt_allocator *allocator, void *memory);

typedef struct slt_arena_block slt_arena_block;

typedef struct {
    const slt_allocator *allocator;
    slt_arena_block *top; // newest block, linked to the older ones
    size_t block_bytes;
} slt_arena;

typedef struct {
    slt_arena_block *block;
    size_t used;
} slt_arena_mark;

enum { SLT_ALIGN = 64 };

// allocates nothing yet; block_bytes 0: a sensible default
void slt_arena_init(slt_arena *arena, const slt_allocator *allocator, size_t block_bytes);
void slt_arena_deinit(slt_arena *arena);

// zeroed, aligned; NULL, with the size in the message, on failure
SLT_PLUGIN void *slt_arena_take(slt_arena *arena, size_t count, size_t size);
SLT_PLUGIN slt_arena_mark slt_arena_now(const slt_arena *arena);
SLT_PLUGIN void slt_arena_reset(slt_arena *arena, slt_arena_mark mark);

// a zero-terminated copy in the arena
slt_status slt_arena_text(slt_arena *arena, const char *text, size_t length, char **out);

// typed forms that give a status: SLT_TRY(SLT_NEW(arena, &pointer, count))
#define SLT_NEW(arena, pointer, count)                                                             \
    ((*(pointer) = slt_arena_take((arena), (count), sizeof **(pointer))) ? SLT_OK : SLT_NOMEM)
#define SLT_ALLOC(allocator, pointer, count)                                                       \
    ((*(pointer) = slt_alloc((allocator), (count), sizeof **(pointer))) ? SLT_OK : SLT_NOMEM)

#endif
