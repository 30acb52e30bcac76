// What processes of a group tell each other. Alone, every call does nothing and succeeds.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#ifndef SLT_CORE_GROUP_IMPL_H
#define SLT_CORE_GROUP_IMPL_H

#include "core/context_impl.h"

static inline int slt_group_size(const slt_context *context) { return context->group.size; }
static inline int slt_group_rank(const slt_context *context) { return context->group.rank; }
// process 0 writes the files, and decides what others could decide otherwise
static inline bool slt_group_leads(const slt_context *context) { return context->group.rank == 0; }

// A failure is kept: all later calls fail with it, so that an operation in the middle of a tape may
// leave its check to who comes after it.
slt_status slt_group_sum(slt_context *context, void *numbers, size_t count, size_t width);
slt_status slt_group_share(slt_context *context, void *bytes, size_t count); // those of process 0
slt_status slt_group_gather(slt_context *context, const void *mine, size_t count, void *all,
                            const size_t *counts);

// how it went elsewhere: OK when it is that everywhere, else the failure of the first process that
// has one, with its message, in all of them
slt_status slt_group_agree(slt_context *context, slt_status mine);

#endif
