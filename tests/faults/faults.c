// A library to be loaded before libc (LD_PRELOAD) that breaks the n-th call that changes a file:
//
//     FAULT=KIND:N FAULT_COUNT=FILE LD_PRELOAD=libfaults.so slottar train ...
//
// KIND  kill   the process is killed before the call
//       cut    half of a write is done, then the process is killed
//       fail   the call fails (EIO)
//       full   half of a write is done; this and all later calls that need room fail (ENOSPC)
//       none   nothing happens
//
// FILE holds the number of calls so far, of this process and of those that it starts. Counted are
// calls on regular files only: open for writing, temporary files, write, truncate, sync, rename,
// mkdir. Used by tools/faults. With FAULT_NO_LOCKS=1 the file system has no locks (ENOLCK).
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

typedef enum { NONE, KILL, CUT, FAIL, FULL } fault_kind;
typedef enum { NO_ROOM = 1, WRITES = 2 } call_traits; // what a call is: it needs room, it writes

static fault_kind kind;
static uint64_t target;
static _Atomic uint64_t own, *calls = &own;

#define REAL(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))

__attribute__((constructor)) static void begin(void) {
    static const char *const names[] = {"none", "kill", "cut", "fail", "full"};
    const char *fault = getenv("FAULT"), *file = getenv("FAULT_COUNT");
    const char *colon = fault ? strchr(fault, ':') : NULL;
    for (int i = 0; colon && i < 5; i++)
        if (strncmp(fault, names[i], strlen(names[i])) == 0) kind = (fault_kind)i;
    if (colon) target = strtoull(colon + 1, NULL, 10);
    int descriptor = file ? REAL(open)(file, O_RDWR | O_CLOEXEC) : -1;
    if (descriptor < 0) return;
    void *shared = mmap(NULL, sizeof *calls, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0);
    if (shared != MAP_FAILED) calls = shared;
    close(descriptor);
}

static void die(void) {
    kill(getpid(), SIGKILL);
    for (;;) pause();
}

// 0, or what the call fails with; *half: a write is to be cut
static int strike(int traits, bool *half) {
    uint64_t number = atomic_fetch_add(calls, 1) + 1;
    *half = false;
    if (kind == NONE || number < target || (number > target && kind != FULL)) return 0;
    if (kind == KILL || (kind == CUT && !(traits & WRITES))) die();
    if (kind == CUT) return *half = true, 0;
    if (kind == FAIL) return EIO;
    *half = number == target && traits & WRITES;
    return traits & NO_ROOM ? ENOSPC : 0;
}

static bool is_file(int descriptor) {
    struct stat info;
    return descriptor > 2 && fstat(descriptor, &info) == 0 && S_ISREG(info.st_mode);
}

#define STRIKE(traits)                                                                             \
    do {                                                                                           \
        bool half_;                                                                                \
        int error_ = strike(traits, &half_);                                                       \
        if (error_) return errno = error_, -1;                                                     \
    } while (0)

// ---- calls

static ssize_t write_part(int descriptor, const void *bytes, size_t count, off_t at, bool placed) {
    bool half = false;
    int error = is_file(descriptor) ? strike(NO_ROOM | WRITES, &half) : 0;
    size_t done = half ? count / 2 : count;
    if (error && !half) return errno = error, -1;
    ssize_t got =
        placed ? REAL(pwrite)(descriptor, bytes, done, at) : REAL(write)(descriptor, bytes, done);
    if (half && kind == CUT) die();
    return got == 0 && half ? (errno = error, -1) : got;
}

ssize_t write(int descriptor, const void *bytes, size_t count) {
    return write_part(descriptor, bytes, count, 0, false);
}

ssize_t pwrite(int descriptor, const void *bytes, size_t count, off_t at) {
    return write_part(descriptor, bytes, count, at, true);
}

ssize_t pwrite64(int descriptor, const void *bytes, size_t count, off_t at) {
    return write_part(descriptor, bytes, count, at, true);
}

int fsync(int descriptor) {
    if (is_file(descriptor)) STRIKE(NO_ROOM);
    return REAL(fsync)(descriptor);
}

int ftruncate(int descriptor, off_t size) {
    if (is_file(descriptor)) STRIKE(0);
    return REAL(ftruncate)(descriptor, size);
}

int flock(int descriptor, int operation) {
    if (getenv("FAULT_NO_LOCKS")) return errno = ENOLCK, -1;
    return REAL(flock)(descriptor, operation);
}

int ftruncate64(int descriptor, off_t size) { return ftruncate(descriptor, size); }

int rename(const char *from, const char *to) {
    STRIKE(0);
    return REAL(rename)(from, to);
}

int mkdir(const char *path, mode_t mode) {
    STRIKE(NO_ROOM);
    return REAL(mkdir)(path, mode);
}

int mkostemp(char *name, int flags) {
    STRIKE(NO_ROOM);
    return REAL(mkostemp)(name, flags);
}

int mkostemps(char *name, int length, int flags) {
    STRIKE(NO_ROOM);
    return REAL(mkostemps)(name, length, flags);
}

int mkstemp(char *name) {
    STRIKE(NO_ROOM);
    return REAL(mkstemp)(name);
}

static int open_file(const char *path, int flags, mode_t mode) {
    bool special = strncmp(path, "/dev/", 5) == 0 || strncmp(path, "/proc/", 6) == 0;
    if ((flags & O_ACCMODE) != O_RDONLY && !special) STRIKE(NO_ROOM);
    return REAL(open)(path, flags, mode);
}

// the mode is there when a file may be made
#define OPEN(name)                                                                                 \
    int name(const char *path, int flags, ...) {                                                   \
        va_list arguments;                                                                         \
        va_start(arguments, flags);                                                                \
        mode_t mode = flags & (O_CREAT | O_TMPFILE) ? va_arg(arguments, mode_t) : 0;               \
        va_end(arguments);                                                                         \
        return open_file(path, flags, mode);                                                       \
    }
OPEN(open)
OPEN(open64)
