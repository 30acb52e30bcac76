// slottar: finds the sub-routines in recorded behaviour.
//
// This header brings all others. A context holds threads, memory and hooks; handles (data sets,
// models, batches of environments) are made from it:
//
//     slt_context *context;
//     slt_dataset *data;
//     slt_status status = slt_context_create(NULL, &context);
//     if (status == SLT_OK) status = slt_dataset_open(context, "demos.safetensors", &data);
//     if (status != SLT_OK) fprintf(stderr, "%s\n", slt_last_error());
//
// Handles are opaque. The verb tells who owns what: create and destroy a handle, open and close a
// file; destroy and close accept NULL. What a function gives as a pointer to const is the
// library's.
//
// A function that can fail returns a status and writes its results only on success. The library
// never prints and never ends the program.
//
// There is no global state: contexts know nothing of each other. A handle is used by one thread at
// a time, each handle in a thread of its own if you like; slt_context_cancel alone may come from
// any thread, or from a signal handler. Long calls report their progress through a hook of the
// context.
//
// Structs of options are zero-initialised, then what differs is set: later versions may add fields.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#ifndef SLOTTAR_SLOTTAR_H
#define SLOTTAR_SLOTTAR_H

#include "slottar/version.h"
#include "slottar/status.h"
#include "slottar/context.h"
#include "slottar/metrics.h"
#include "slottar/env.h"
#include "slottar/draw.h"
#include "slottar/bench.h"
#include "slottar/dataset.h"
#include "slottar/expert.h"
#include "slottar/inspect.h"
#include "slottar/option.h"
#include "slottar/output.h"
#include "slottar/policy.h"
#include "slottar/model.h"
#include "slottar/sweep.h"
#include "slottar/report.h"
#include "slottar/run.h"
#include "slottar/segmenter.h"
#include "slottar/skill_env.h"
#include "slottar/skills.h"
#include "slottar/stream.h"
#include "slottar/train.h"
#include "slottar/trust.h"

#endif
