// The delimiter search: which set of actions, when every occurrence ends a segment, makes numbers
// of segments and actions cheapest to write down?
//
//     nats(E) = - log prior(segments) - sum over t of log p(action_t | context_t)
//     context = step t is an end, segment index (at most 11), last two actions of the same segment
//
// p comes from counts on the training trajectories (+0.05), nats are a mean over the validation
// trajectories. At a cut the last actions are forgotten, so cuts are cheap only where the past says
// little about what follows. No labels are used.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#ifndef SLT_METRICS_DELIMITER_H
#define SLT_METRICS_DELIMITER_H

#include "metrics/action_code.h"
#include "metrics/baseline_impl.h"

enum { SLT_SEGMENT_STATES = 24 }; // is an end (2) x segment index (12)

// trajectories end to end; actions renumbered to 0..used-1
typedef struct {
    const uint16_t *actions;
    const size_t *offsets; // (count+1)
    size_t count;
} slt_packed;

typedef struct {
    slt_packed train, valid;
    const int32_t *symbols;   // (used) the actions after the numbers, ascending
    int used, actions;        // different actions seen, and all there are
    slt_history history;      // over used symbols
    const double *prior_nats; // (prior_size+1); the last is for every number beyond
    int prior_size;
} slt_delimiter_data;

slt_status slt_delimiter_pack(slt_arena *arena, const slt_baseline_input *input,
                              slt_delimiter_data *out);

// a set of renumbered actions, and its costs in nats per validation trajectory
typedef struct {
    uint16_t members[SLT_SET_SIZE]; // ascending
    int count;
    double count_nats, action_nats; // action_nats is infinite where the prior rules the set out
} slt_cut_set;

// scratch of one thread
typedef struct {
    uint8_t *is_member;     // (used)
    uint32_t *fitted, *met; // (cells of the table) counts on training and on validation
} slt_set_coder;

slt_status slt_set_coder_init(slt_arena *arena, const slt_delimiter_data *data,
                              slt_set_coder *coder);
double slt_set_count_nats(const slt_delimiter_data *data, slt_set_coder *coder,
                          const slt_cut_set *set);
double slt_set_action_nats(const slt_delimiter_data *data, slt_set_coder *coder,
                           const slt_cut_set *set);

// ---- which sets to look at

enum { SLT_MOST_SETS = 4096 }; // all sets of 12 symbols

// all sets of 0, 1, 2, ... of `used` symbols, as many whole sizes as SLT_MOST_SETS allows; true
// when these are all sets. sets has room for SLT_MOST_SETS.
bool slt_sets_by_size(slt_cut_set *sets, int used, int *count);
// the set with one symbol added or taken away, for each symbol; sets has room for `used`
void slt_sets_around(slt_cut_set *sets, const slt_cut_set *centre, int used, int *count);

// ---- the search

enum { SLT_TOP_SETS = 64 };

typedef struct {
    slt_cut_set top[SLT_TOP_SETS]; // the cheapest sets that came in question, cheapest first
    int tops;
    slt_cut_set best, second; // second.action_nats is infinite when no other set came in question
    uint64_t searched;
    bool exhaustive;
} slt_delimiter_found;

slt_status slt_delimiter_search(slt_context *context, slt_arena *arena,
                                const slt_delimiter_data *data, slt_delimiter_found *out);

#endif
