// Work on numbered things that can fail, shared out to the threads of a context.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#ifndef SLT_CORE_PARALLEL_FOR_H
#define SLT_CORE_PARALLEL_FOR_H

#include "core/context_impl.h"

typedef slt_status (*slt_parallel_work)(void *user, int i);

// Calls work(user, 0) .. work(user, count - 1), in any order, and returns when all are done. Fails
// with the failure of the lowest number, and its message. Not from inside a task of the pool. A
// context with memory of the user's does all in the calling thread: only one may ask for it.
slt_status slt_parallel_for(slt_context *context, int count, slt_parallel_work work, void *user);

#endif
