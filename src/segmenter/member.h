// A member of a group: one run of a chain, whatever its kind.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#ifndef SLT_SEGMENTER_MEMBER_H
#define SLT_SEGMENTER_MEMBER_H

#include "segmenter/mdl_run.h"
#include "switching/linear_chain.h"
#include "switching/symbol_chain.h"
#include "switching/windows.h"

typedef enum {
    SLT_GROUP_SWITCHING,
    SLT_GROUP_EVENTS,
    SLT_GROUP_PHASES,
    SLT_GROUP_WINDOWS,
    SLT_GROUP_MDL
} slt_group_kind;

// windows are as long as so many of the hops between them
enum { SLT_LEAST_WINDOW = 2, SLT_MOST_WINDOW = 3 };

// whether its chains are linear ones
static inline bool slt_group_is_linear(slt_group_kind kind) {
    return kind == SLT_GROUP_SWITCHING || kind == SLT_GROUP_WINDOWS;
}

// how a run of a group differs from the next: a group's runs take its variants in turn
typedef struct {
    int laws;
    slt_law_family family; // switching
    double floor;          // switching: least deviation of an action, in standard deviations
    int window;            // windows: its length in hops
    bool effects;          // events: symbols say whether an action changed what is observed; mdl:
                           // boundaries see observations
} slt_variant;

typedef struct {
    slt_group_kind kind;
    const char *name;
    int least_length; // steps of a segment, unless the user says another
    const slt_variant *variants;
    int variant_count;
} slt_group_spec;

// all that there is; the last has no name
extern const slt_group_spec slt_group_specs[];
const slt_group_spec *slt_group_spec_find(const char *name); // or NULL

// Episodes as the members of a group read them: motion, windows of it in their lengths, symbols
// without and with effects, or the data set itself.
typedef struct {
    int64_t episodes, steps;
    const int64_t *offsets;
    slt_dataset *data;
    const int64_t *list; // [episodes] their numbers in the data set; of whole episodes alone
    slt_motion motion;
    slt_motion windows[SLT_MOST_WINDOW - SLT_LEAST_WINDOW + 1];
    slt_symbols symbols[2];
} slt_recording;

typedef struct {
    slt_arena arena; // of the chain
    const slt_variant *variant;
    bool done, effects;
    int window; // in hops; 0: steps
    // how certain it is of boundaries between two laws, up to SLT_SURE; [law before][law after]
    uint8_t sure[SLT_MOST_LAWS][SLT_MOST_LAWS];
    union {
        slt_linear_chain linear;
        slt_symbol_chain symbols;
        slt_mdl_run mdl;
    };
} slt_member;

// what a file says of a member before its values: numbers that decide how many there are
enum { SLT_MEMBER_SHAPE = 6 };
typedef struct {
    int32_t number[SLT_MEMBER_SHAPE];
} slt_member_shape;

#endif
