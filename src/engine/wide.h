// Loops in the widest vectors that the processor has. The build is for any processor of its kind,
// so on x86 a function with hot loops is compiled three times, and the best one is chosen when it
// is called:
//
//     static void forward_rows(const slt_args *args, int task, slt_real *scratch) { ... }
//     SLT_WIDE_TASK(forward_rows);
//     ... slt_args_run(args, tasks, SLT_WIDEST(forward_rows));
//
// The function and all that it calls in its file is repeated, which the compiler does with
// `flatten`. ARM has one width.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#ifndef SLT_ENGINE_WIDE_H
#define SLT_ENGINE_WIDE_H

#include "engine/cpu.h"

// one under the sanitizers, which see the same lines in every width
#if defined(__x86_64__) && !defined(SLT_DOUBLE) && !defined(SLT_SANITIZED)

#define SLT_WITH_AVX2 __attribute__((flatten, target("avx2,fma")))
#define SLT_WITH_AVX512                                                                            \
    __attribute__((flatten, target("avx2,fma,avx512f,avx512vl,avx512dq,avx512bw")))

// `parameters` and `arguments` of a function without a result, in brackets
#define SLT_WIDE(name, parameters, arguments)                                                      \
    SLT_WITH_AVX2 static void name##_avx2 parameters { name arguments; }                           \
    SLT_WITH_AVX512 static void name##_avx512 parameters { name arguments; }                       \
    static void(*const name##_widths[]) parameters = {name, name##_avx2, name##_avx512}

#define SLT_WIDEST(name) (name##_widths[slt_cpu_kind()])

#else

#define SLT_WIDE(name, parameters, arguments) _Static_assert(1, "one width")
#define SLT_WIDEST(name)                      (name)

#endif

// a task of an operation
#define SLT_WIDE_TASK(name)                                                                        \
    SLT_WIDE(name, (const slt_args *args, int task, slt_real *scratch), (args, task, scratch))

#endif
