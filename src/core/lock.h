// A lock that says who may write: one process at a time holds it. The lock is the kernel's (flock),
// so it goes with the process, however that ends; the file NAME says who holds it, and one that is
// left by a killed process is stale and is taken over. Where a file system has no locks, the
// file's text is all there is: a process of this host that is no longer there is stale.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#ifndef SLT_CORE_LOCK_H
#define SLT_CORE_LOCK_H

#include <stdbool.h>
#include "slottar/context.h"

enum { SLT_LOCK_PATH = 4096, SLT_LOCK_NAME = 80 };

typedef struct {
    bool held;
    int descriptor;
    char path[SLT_LOCK_PATH];
} slt_lock;

// Takes the lock PATH; a held one is asked for again for so many seconds. IO, with the process and
// the host that hold it, when they still do: "SHOWN: process 12 on host x writes here".
slt_status slt_lock_take(slt_lock *lock, slt_context *context, const char *path, const char *shown,
                         double seconds);
// the lock of a file that is going to be written: PATH.lock; removes what a killed process left
// half written under this name
slt_status slt_lock_file(slt_lock *lock, slt_context *context, const char *path);
// removes the file; no effect when it is not held
void slt_lock_release(slt_lock *lock);

// the host's name, without '/'
void slt_host_name(char name[48]);

#endif
