// Files that are installed together with the library or the command.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#ifndef SLT_CORE_NEAR_FILE_H
#define SLT_CORE_NEAR_FILE_H

#include <stdbool.h>

enum { SLT_NEAR_PATH = 4096 };

// the first PLACE/NAME that access() allows with `mode`; places end with NULL and are relative to
// the folder of this library, then to that of the running program
bool slt_near_file(const char *const *places, const char *name, int mode, char out[SLT_NEAR_PATH]);

// the path of this library, or of the program that it is linked into; "" where it is unknown
void slt_own_path(char out[SLT_NEAR_PATH]);

#endif
