// The version: of the headers when a program is compiled, of the library when it runs.
//
//     if (strcmp(slt_version(), SLT_VERSION) != 0) warn("built with slottar " SLT_VERSION);
//
// Versions before 1.0 with the same first two numbers fit each other.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#ifndef SLOTTAR_VERSION_H
#define SLOTTAR_VERSION_H

#include "slottar/status.h"

#ifdef __cplusplus
extern "C" {
#endif

// The only place where the version stands: the build reads it here.
#define SLT_VERSION_MAJOR 0
#define SLT_VERSION_MINOR 1
#define SLT_VERSION_PATCH 0

#define SLT_VERSION_TEXT_(number) #number
#define SLT_VERSION_TEXT(number)  SLT_VERSION_TEXT_(number)

// The version of the headers, "major.minor.patch".
#define SLT_VERSION                                                                                \
    SLT_VERSION_TEXT(SLT_VERSION_MAJOR)                                                            \
    "." SLT_VERSION_TEXT(SLT_VERSION_MINOR) "." SLT_VERSION_TEXT(SLT_VERSION_PATCH)

// The version of the library that runs, in the same form. Static text.
SLT_API const char *slt_version(void);

// What the library was built with, a line per part: "HDF5: 1.10.8" or "HDF5: none". Static text.
SLT_API const char *slt_build_info(void);

#ifdef __cplusplus
}
#endif
#endif
