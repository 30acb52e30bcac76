// Status codes and the last error's message.
//
// Every function that can fail returns a slt_status and writes its results only on success.
// The text of the failure, with the numbers in it, is kept per thread: slt_last_error().
//
//     if (slt_dataset_open(context, "missing.npz", &data) != SLT_OK)
//         fprintf(stderr, "%s\n", slt_last_error()); // missing.npz: No such file or directory
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#ifndef SLOTTAR_STATUS_H
#define SLOTTAR_STATUS_H

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__)
#define SLT_API __attribute__((visibility("default")))
#else
#define SLT_API
#endif

// One list makes the enum, the names and the texts. The values never change.
// clang-format off
#define SLT_STATUS_LIST(X)                                                   \
    X(OK,          0,  "done")                                               \
    X(INVALID,     1,  "invalid argument")                                   \
    X(SHAPE,       2,  "shapes do not fit")                                  \
    X(RANGE,       3,  "value out of range")                                 \
    X(NOMEM,       4,  "out of memory")                                      \
    X(IO,          5,  "input or output failed")                             \
    X(FORMAT,      6,  "file is damaged or of another format")               \
    X(UNSUPPORTED, 7,  "not supported")                                      \
    X(DEVICE,      8,  "device failed or is missing")                        \
    X(CANCELLED,   9,  "cancelled")                                          \
    X(DIVERGED,    10, "training diverged")                                  \
    X(INTERNAL,    11, "internal error, please report it")                   \
    X(EXISTS,      12, "output exists")
// clang-format on

typedef enum {
#define SLT_STATUS_ENUM(name, value, text) SLT_##name = value,
    SLT_STATUS_LIST(SLT_STATUS_ENUM)
#undef SLT_STATUS_ENUM
} slt_status;

// The name of a code ("FORMAT") and its general meaning. Never NULL.
SLT_API const char *slt_status_name(slt_status status);
SLT_API const char *slt_status_text(slt_status status);

// The message of the last failure in this thread; "" when there was none. Owned by the library,
// valid until the next failing call in the same thread.
SLT_API const char *slt_last_error(void);

#ifdef __cplusplus
}
#endif
#endif
