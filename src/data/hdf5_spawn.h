// Calling the HDF5 helper program, so that a crash of libhdf5 is a bad file, not our crash.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#ifndef SLT_DATA_HDF5_SPAWN_H
#define SLT_DATA_HDF5_SPAWN_H

#include "core/context_impl.h"

// Runs "slottar-hdf5 TASK in out words..." (TASK: read or write; words ends with NULL, or is NULL)
// and waits. The program is $SLOTTAR_HDF5, or
// lies next to the library, next to the program that runs, or in the libexec folder. Messages start
// with `shown`, the name the user knows. Cancelling the context ends it.
slt_status slt_hdf5_spawn(slt_context *context, const char *task, const char *in, const char *out,
                          const char *const *words, const char *shown);

#endif
