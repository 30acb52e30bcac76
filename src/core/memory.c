// Allocator and arenas.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include "core/memory.h"

#include <stdlib.h>
#include <string.h>

#if defined(__SANITIZE_ADDRESS__)
#define SLT_ASAN 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define SLT_ASAN 1
#endif
#endif
#ifdef SLT_ASAN
#include <sanitizer/asan_interface.h>
#define POISON(memory, bytes)   ASAN_POISON_MEMORY_REGION(memory, bytes)
#define UNPOISON(memory, bytes) ASAN_UNPOISON_MEMORY_REGION(memory, bytes)
enum { GAP = SLT_ALIGN };
#else
#define POISON(memory, bytes)   ((void)(memory), (void)(bytes))
#define UNPOISON(memory, bytes) ((void)(memory), (void)(bytes))
enum { GAP = 0 };
#endif

static void *system_alloc(void *user, size_t bytes) {
    (void)user;
    return malloc(bytes);
}

static void system_free(void *user, void *memory) {
    (void)user;
    free(memory);
}

const slt_allocator slt_system_allocator = {system_alloc, system_free, NULL};

bool slt_size_mul(size_t count, size_t size, size_t *out) {
    return !__builtin_mul_overflow(count, size, out);
}

static void *no_memory(size_t count, size_t size) {
    slt_fail(SLT_NOMEM, "out of memory: %zu x %zu bytes", count, size);
    return NULL;
}

void *slt_alloc(const slt_allocator *allocator, size_t count, size_t size) {
    size_t bytes;
    if (!slt_size_mul(count, size, &bytes)) return no_memory(count, size);
    void *memory = allocator->alloc(allocator->user, bytes ? bytes : 1);
    if (!memory) return no_memory(count, size);
    return memset(memory, 0, bytes);
}

void slt_free(const slt_allocator *allocator, void *memory) {
    if (memory) allocator->free(allocator->user, memory);
}

struct slt_arena_block {
    slt_arena_block *below;
    unsigned char *start; // aligned
    size_t size, used;
};

static size_t round_up(size_t bytes) { return (bytes + SLT_ALIGN - 1) & ~(size_t)(SLT_ALIGN - 1); }

void slt_arena_init(slt_arena *arena, const slt_allocator *allocator, size_t block_bytes) {
    *arena = (slt_arena){allocator, NULL, block_bytes ? round_up(block_bytes) : 64 * 1024};
}

static void drop_block(slt_arena *arena) {
    slt_arena_block *block = arena->top;
    arena->top = block->below;
    UNPOISON(block->start, block->size);
    slt_free(arena->allocator, block);
}

void slt_arena_deinit(slt_arena *arena) {
    while (arena->top) drop_block(arena);
}

static bool push_block(slt_arena *arena, size_t need) {
    size_t size = need > arena->block_bytes || arena->allocator->apart ? need : arena->block_bytes;
    size_t header = sizeof(slt_arena_block) + SLT_ALIGN;
    slt_arena_block *block = arena->allocator->alloc(arena->allocator->user, size + header);
    if (!block) return false;
    uintptr_t start = (uintptr_t)(block + 1);
    start = (start + SLT_ALIGN - 1) & ~(uintptr_t)(SLT_ALIGN - 1);
    *block = (slt_arena_block){arena->top, (unsigned char *)start, size, 0};
    POISON(block->start, block->size);
    arena->top = block;
    return true;
}

void *slt_arena_take(slt_arena *arena, size_t count, size_t size) {
    size_t bytes;
    if (!slt_size_mul(count, size, &bytes) || bytes > SIZE_MAX / 2) return no_memory(count, size);
    size_t need = round_up(bytes ? bytes : 1) + GAP;
    bool fits =
        arena->top && !arena->allocator->apart && arena->top->size - arena->top->used >= need;
    if (!fits && !push_block(arena, need)) return no_memory(count, size);
    unsigned char *memory = arena->top->start + arena->top->used;
    arena->top->used += need;
    UNPOISON(memory, bytes);
    return memset(memory, 0, bytes);
}

slt_arena_mark slt_arena_now(const slt_arena *arena) {
    return (slt_arena_mark){arena->top, arena->top ? arena->top->used : 0};
}

void slt_arena_reset(slt_arena *arena, slt_arena_mark mark) {
    while (arena->top != mark.block) drop_block(arena);
    if (!arena->top) return;
    POISON(arena->top->start + mark.used, arena->top->size - mark.used);
    arena->top->used = mark.used;
}

slt_status slt_arena_text(slt_arena *arena, const char *text, size_t length, char **out) {
    char *copy;
    if (length == SIZE_MAX) SLT_FAIL(SLT_NOMEM, "text too long");
    SLT_TRY(SLT_NEW(arena, &copy, length + 1));
    memcpy(copy, text, length);
    *out = copy;
    return SLT_OK;
}
