// Locks: flock on a file that says who holds it.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include "core/lock.h"

#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>
#include "core/clock.h"
#include "core/context_impl.h"
#include "core/file.h"

typedef struct {
    long process; // 0: nobody has written a name
    char host[48];
} holder;

typedef enum { TAKEN, HELD, GONE, FAILED } outcome; // GONE: the file was removed meanwhile

void slt_host_name(char name[48]) {
    strcpy(name, "host");
    gethostname(name, 47);
    name[47] = 0;
    for (char *c = name; *c; c++)
        if (*c == '/') *c = '-';
}

// ---- what the file says

static holder read_holder(int descriptor) {
    char text[128] = "";
    holder who = {0};
    if (pread(descriptor, text, sizeof text - 1, 0) <= 0 ||
        sscanf(text, "process %ld on host %47s", &who.process, who.host) != 2)
        who = (holder){0};
    return who;
}

static bool write_holder(int descriptor) {
    char text[128], host[48];
    slt_host_name(host);
    int length = snprintf(text, sizeof text, "process %ld on host %s\n", (long)getpid(), host);
    return ftruncate(descriptor, 0) == 0 && pwrite(descriptor, text, (size_t)length, 0) == length;
}

// without locks: a process of another host may be alive, one of this host can be asked for
static bool is_alive(const holder *who) {
    char host[48];
    slt_host_name(host);
    if (who->process <= 0 || who->process == (long)getpid()) return false;
    return strcmp(who->host, host) != 0 || kill((pid_t)who->process, 0) == 0 || errno == EPERM;
}

// ---- taking

// the file that is open is the one that has the name
static bool is_same_file(int descriptor, const char *path) {
    struct stat ours, named;
    return fstat(descriptor, &ours) == 0 && stat(path, &named) == 0 &&
           ours.st_ino == named.st_ino && ours.st_dev == named.st_dev;
}

static outcome lock_descriptor(int descriptor, const char *path, holder *who) {
    bool locked = flock(descriptor, LOCK_EX | LOCK_NB) == 0;
    bool by_kernel = locked || errno == EWOULDBLOCK || errno == EINTR;
    *who = read_holder(descriptor);
    if (by_kernel ? !locked : is_alive(who)) return HELD;
    if (!is_same_file(descriptor, path)) return GONE;
    return write_holder(descriptor) ? TAKEN : FAILED;
}

static outcome try_once(slt_lock *lock, holder *who) {
    struct stat info;
    lock->descriptor =
        open(lock->path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0666);
    if (lock->descriptor < 0) return FAILED;
    bool regular = fstat(lock->descriptor, &info) == 0 && S_ISREG(info.st_mode);
    if (!regular) errno = EINVAL;
    outcome got = regular ? lock_descriptor(lock->descriptor, lock->path, who) : FAILED;
    if (got == TAKEN) return got;
    int error = errno;
    close(lock->descriptor);
    errno = error;
    return got;
}

static slt_status refuse(const slt_lock *lock, const holder *who, const char *shown) {
    if (who->process <= 0) SLT_FAIL(SLT_IO, "%s: another process writes here", shown);
    SLT_FAIL(
        SLT_IO,
        "%s: process %ld on host %s writes here; wait for its end or write elsewhere (if it is "
        "gone, remove %s)",
        shown, who->process, who->host, lock->path);
}

slt_status slt_lock_take(slt_lock *lock, slt_context *context, const char *path, const char *shown,
                         double seconds) {
    int length = snprintf(lock->path, sizeof lock->path, "%s", path);
    if (length < 0 || (size_t)length >= sizeof lock->path)
        SLT_FAIL(SLT_INVALID, "file name of %zu characters is too long", strlen(path));
    double until = slt_seconds() + seconds;
    for (;;) {
        holder who = {0};
        outcome got = try_once(lock, &who);
        lock->held = got == TAKEN;
        if (got == FAILED) SLT_FAIL(SLT_IO, "%s: %s", path, strerror(errno));
        if (got == TAKEN && who.process > 0)
            slt_context_log(context, SLT_LOG_INFO,
                            "%s: process %ld on host %s left its lock; continuing", shown,
                            who.process, who.host);
        if (got == TAKEN) return SLT_OK;
        if (got == HELD && slt_seconds() > until) return refuse(lock, &who, shown);
        SLT_TRY(slt_context_check(context));
        nanosleep(&(struct timespec){.tv_nsec = 10000000}, NULL);
    }
}

slt_status slt_lock_file(slt_lock *lock, slt_context *context, const char *path) {
    char name[SLT_LOCK_PATH];
    size_t length = strlen(path);
    while (length > 1 && path[length - 1] == '/') length--; // a folder's lock stands next to it
    if (length + sizeof ".lock" > sizeof name)
        SLT_FAIL(SLT_INVALID, "file name of %zu characters is too long", length);
    memcpy(name, path, length);
    strcpy(name + length, ".lock");
    SLT_TRY(slt_lock_take(lock, context, name, path, 1));
    char copy[SLT_LOCK_PATH];
    name[length] = 0;
    strcpy(copy, name);
    slt_parts_remove(dirname(copy), basename(name));
    return SLT_OK;
}

void slt_lock_release(slt_lock *lock) {
    if (!lock->held) return;
    unlink(lock->path); // before it is let go: nobody else holds a file of this name
    close(lock->descriptor);
    lock->held = false;
}
