// A member of a group: one run of a chain, whatever its kind.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#ifndef SLT_SEGMENTER_MEMBER_H
#define SLT_SEGMENTER_MEMBER_H

#include "switching/linear_chain.h"
#include "switching/motion.h"

typedef enum { SLT_GROUP_SWITCHING, SLT_GROUP_EVENTS, SLT_GROUP_PHASES } slt_group_kind;

// how a run of a group differs from the next: a group's runs take its variants in turn
typedef struct {
    slt_law_family family; // switching
    int laws;
    double floor; // switching: least deviation of an action, in standard deviations
    bool effects; // events: symbols say whether an action changed what is observed
} slt_variant;

typedef struct {
    slt_group_kind kind;
    const char *name;
    const slt_variant *variants;
    int variant_count;
} slt_group_spec;

// all that there is
extern const slt_group_spec slt_group_specs[];
const slt_group_spec *slt_group_spec_find(const char *name); // or NULL

// episodes as the chains of a group read them
typedef struct {
    slt_motion motion;
} slt_recording;

typedef struct {
    slt_arena arena; // of the chain
    const slt_variant *variant;
    bool done;
    slt_linear_chain linear;
} slt_member;

#endif
