// A fuzz driver that needs no libFuzzer: replays the corpus, then runs N mutated inputs in this
// process: fuzz_NAME CORPUS [N [SEED]]. An input that crashes is left in crash-input.bin.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include <dirent.h>
#include <signal.h>
#include <string.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>
#include <fcntl.h>
#include "fuzz.h"

enum { FILES = 256, LARGEST = 1 << 17 };

static struct {
    uint8_t *bytes;
    size_t size;
} corpus[FILES];
static int corpus_count;
static uint8_t input[LARGEST];
static size_t input_size;

static uint64_t random_state;

// xorshift64*
static uint64_t draw(void) {
    random_state ^= random_state >> 12;
    random_state ^= random_state << 25;
    random_state ^= random_state >> 27;
    return random_state * 0x2545f4914f6cdd1dULL;
}

static size_t below(size_t bound) { return bound ? (size_t)(draw() >> 11) % bound : 0; }

// ---- mutations: each changes `input` a little

static void flip_bit(void) {
    if (input_size) input[below(input_size)] ^= (uint8_t)(1u << below(8));
}

static void set_byte(void) {
    static const uint8_t liked[] = "{}[]\":,0123456789-.eE \\\n\0\x7f\x80\xff";
    if (input_size) input[below(input_size)] = liked[below(sizeof liked)];
}

static void cut(void) { input_size = below(input_size + 1); }

static void erase(void) {
    size_t at = below(input_size), count = below(input_size - at + 1);
    if (count > 16) count = 1 + count % 16;
    if (at + count > input_size) return;
    memmove(input + at, input + at + count, input_size - at - count);
    input_size -= count;
}

static void repeat(void) {
    size_t at = below(input_size), count = below(input_size - at + 1), times = 1 + below(4);
    if (count > 64) count = 1 + count % 64;
    for (; times && at + count <= input_size && input_size + count <= LARGEST; times--) {
        memmove(input + at + count, input + at, input_size - at);
        input_size += count;
    }
}

static void set_number(void) {
    static const uint64_t liked[] = {0,          1,          0x7f,       0xff,      0xffff,
                                     0x7fffffff, 0xffffffff, 1ull << 62, INT64_MAX, UINT64_MAX};
    if (input_size < 8) return;
    uint64_t value = liked[below(sizeof liked / sizeof *liked)];
    memcpy(input + below(input_size - 7), &value, 1ull << below(4));
}

// writes another decimal number over the digits found after a random place
static void set_digits(void) {
    size_t at = below(input_size);
    while (at < input_size && (input[at] < '0' || input[at] > '9')) at++;
    for (; at < input_size && input[at] >= '0' && input[at] <= '9'; at++)
        input[at] = (uint8_t)('0' + below(10));
}

static void cross(void) {
    int other = (int)below((size_t)corpus_count);
    size_t at = below(input_size), from = below(corpus[other].size);
    size_t count = below(corpus[other].size - from + 1);
    if (at + count > LARGEST) count = LARGEST - at;
    memcpy(input + at, corpus[other].bytes + from, count);
    if (at + count > input_size) input_size = at + count;
}

static void (*const mutations[])(void) = {flip_bit, set_byte,   cut,        erase,
                                          repeat,   set_number, set_digits, cross};

static void mutate(void) {
    int one = (int)below((size_t)corpus_count);
    input_size = corpus[one].size;
    if (input_size) memcpy(input, corpus[one].bytes, input_size);
    for (size_t i = 1 + below(4); i; i--) mutations[below(sizeof mutations / sizeof *mutations)]();
}

// ---- running

static void keep_input(int number) {
    int out = open("crash-input.bin", O_WRONLY | O_CREAT | O_TRUNC, 0644);
    if (out >= 0 && write(out, input, input_size) >= 0) close(out);
    signal(number, SIG_DFL);
    raise(number);
}

static int run(void) {
    enum { SECONDS = 1 }; // of the processor: more is a hang, and a hang is a crash
    setitimer(ITIMER_VIRTUAL, &(struct itimerval){.it_value.tv_sec = SECONDS}, NULL);
    // an exact copy, so that a sanitizer sees a read after the end
    uint8_t *copy = malloc(input_size ? input_size : 1);
    if (!copy) return 0;
    memcpy(copy, input, input_size);
    int accepted = fuzz_one(copy, input_size);
    free(copy);
    return accepted;
}

static void load(const char *folder) {
    DIR *list = opendir(folder);
    if (!list) return;
    for (struct dirent *entry; (entry = readdir(list)) && corpus_count < FILES;) {
        char path[4096];
        if (entry->d_name[0] == '.') continue;
        snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
        FILE *file = fopen(path, "rb");
        if (!file) continue;
        size_t size = fread(input, 1, LARGEST, file);
        fclose(file);
        uint8_t *bytes = malloc(size ? size : 1);
        if (!bytes) continue;
        memcpy(bytes, input, size);
        corpus[corpus_count].bytes = bytes;
        corpus[corpus_count++].size = size;
    }
    closedir(list);
}

static long replay(void) {
    long accepted = 0;
    for (int i = 0; i < corpus_count; i++) {
        input_size = corpus[i].size;
        memcpy(input, corpus[i].bytes, input_size);
        accepted += run();
    }
    return accepted;
}

int main(int argc, char **argv) {
    if (argc < 2) return fprintf(stderr, "usage: %s CORPUS [N [SEED]]\n", argv[0]), 2;
    long count = argc > 2 ? atol(argv[2]) : 0, accepted = 0;
    random_state = 0x9e3779b97f4a7c15ULL ^ (argc > 3 ? strtoull(argv[3], NULL, 10) : 0);
    static const int fatal[] = {SIGSEGV, SIGBUS, SIGABRT, SIGFPE, SIGILL, SIGVTALRM};
    for (size_t i = 0; i < sizeof fatal / sizeof *fatal; i++) signal(fatal[i], keep_input);

    load(argv[1]);
    if (!corpus_count) return fprintf(stderr, "%s: no corpus\n", argv[1]), 2;
    long kept = replay();
    clock_t began = clock();
    for (long i = 0; i < count; i++) {
        mutate();
        accepted += run();
    }
    printf("%d corpus files (%ld accepted), %ld mutated inputs (%ld accepted), %.1f s\n",
           corpus_count, kept, count, accepted, (double)(clock() - began) / CLOCKS_PER_SEC);
    for (int i = 0; i < corpus_count; i++) free(corpus[i].bytes);
    return kept > 0 ? 0 : 1; // a corpus of refused files tests little
}
