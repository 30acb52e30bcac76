// Noticing and passing on failures. The place that notices writes the message; all others pass the
// code on.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#ifndef SLT_CORE_ERROR_H
#define SLT_CORE_ERROR_H

#include "slottar/status.h"

// of the inside, but called by libslottar_cuda.so, which is loaded at run time
#define SLT_PLUGIN SLT_API

// keeps the message for slt_last_error and gives the code back
SLT_PLUGIN slt_status slt_fail(slt_status status, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

// puts "prefix: " before the kept message (a file's name, say) and gives the code back
slt_status slt_fail_in(slt_status status, const char *prefix);

#define SLT_FAIL(status, ...) return slt_fail(status, __VA_ARGS__)

#define SLT_TRY(expression)                                                                        \
    do {                                                                                           \
        slt_status slt_status_ = (expression);                                                     \
        if (slt_status_ != SLT_OK) return slt_status_;                                             \
    } while (0)

#endif
