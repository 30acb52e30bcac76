// Leaks, for tests under the address sanitizer: on ARM it walks all addresses that memory might
// have, four seconds in every process. Where all that was asked for was given back, there is
// nothing to find, and it is told so.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>

// of the sanitizers; GCC has no header for them
int __sanitizer_install_malloc_and_free_hooks(void (*taken)(const volatile void *, size_t),
                                              void (*given_back)(const volatile void *));
__attribute__((visibility("default"))) int __lsan_is_turned_off(void);

// of the linker (--wrap)
int __wrap_pthread_create(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);
int __real_pthread_create(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);

// pieces that are held, and the sum of their addresses, scrambled: a piece that was there before
// the count began, and is given back later, does not make up for a leak
static atomic_llong pieces;
static atomic_ullong sum;
static _Thread_local int making_thread;

static unsigned long long scrambled(const volatile void *piece) {
    unsigned long long x = (uintptr_t)piece * 0x9e3779b97f4a7c15u;
    return x ^ x >> 29;
}

static void taken(const volatile void *piece, size_t bytes) {
    (void)bytes;
    if (making_thread) return;
    pieces++;
    sum += scrambled(piece);
}

static void given_back(const volatile void *piece) {
    pieces--;
    sum -= scrambled(piece);
}

__attribute__((constructor)) static void count_pieces(void) {
    static char output[BUFSIZ]; // else a piece that is never given back
    setvbuf(stdout, output, _IOLBF, sizeof output);
    __sanitizer_install_malloc_and_free_hooks(taken, given_back);
}

// the C library keeps what it asks for then, for the next thread
int __wrap_pthread_create(pthread_t *thread, const pthread_attr_t *attributes,
                          void *(*work)(void *), void *user) {
    making_thread = 1;
    int error = __real_pthread_create(thread, attributes, work, user);
    making_thread = 0;
    return error;
}

// the sanitizer asks before it looks
int __lsan_is_turned_off(void) { return pieces == 0 && sum == 0; }
