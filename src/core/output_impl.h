// What writers inside the library use of the rule for outputs (slottar/output.h).
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#ifndef SLT_CORE_OUTPUT_IMPL_H
#define SLT_CORE_OUTPUT_IMPL_H

#include "core/lock.h"
#include "slottar/output.h"

// takes the lock of the output, then applies the rule; the caller releases the lock
slt_status slt_output_claim(slt_lock *lock, slt_context *context,
                            const slt_output_request *request);

// A folder that resumes: `marker` tells that it is one of ours. Without the marker none of `names`
// (ends with NULL) may exist in it; none of its files is `input` (may be NULL).
slt_status slt_output_resume(const char *folder, const char *marker, const char *const *names,
                             const char *input);

#endif
