// The inside of types of segments.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#ifndef SLT_SKILLS_TYPES_IMPL_H
#define SLT_SKILLS_TYPES_IMPL_H

#include "core/context_impl.h"
#include "core/safetensors.h"
#include "skills/cells.h"
#include "skills/key_map.h"
#include "slottar/skills.h"

enum { SLT_TYPE_SYMBOLS = 14, SLT_MOST_TYPES = 4096 };

// STILL: changes at ends only. LATE: the same, but ever only at the end of an episode, where nobody
// knows whether it would have stayed
typedef enum { SLT_CELL_MOVING, SLT_CELL_STILL, SLT_CELL_LATE } slt_cell_kind_of_change;

// an effect; symbols are numbers of `symbols`, rising, or -2 - cell for another change of that cell
typedef struct {
    int32_t action, count;
    int32_t symbols[SLT_TYPE_SYMBOLS]; // 0 from count on
} slt_effect;

struct slt_types {
    slt_context *context;
    slt_arena arena;
    int count;
    int64_t *times;       // [count] segments of each
    int64_t *occurrences; // [count] steps with its effect, at ends and elsewhere
    int actions;          // of the data: discrete ones, or numbers per action
    bool continuous;
    int64_t observation;
    uint64_t origin; // what they were learned from, as the run knows it; 0: unknown
    // by effect
    slt_cell_shape shape;
    uint8_t *cells; // [shape.cells] kinds
    slt_atom *symbols;
    int symbol_count, still_symbols; // those of still cells first, in order of preference
    slt_key_map effects;             // its first `count` numbers are the types
    // by cluster: centres in standard deviations
    int features;           // 0: by effect
    double *means, *scales; // [features]
    double *centres;        // [count][features]
};

slt_status slt_types_create(slt_context *context, const slt_dataset_info *info, slt_types **out);
slt_status slt_types_copy(const slt_types *types, slt_types **out);

// the effect of a step that ends a segment
void slt_effect_of(const slt_types *types, const slt_step_change *change, int32_t action,
                   slt_effect *out);
// SHAPE unless the data set is like the one that the types were learned from
slt_status slt_types_fit(const slt_types *types, const slt_dataset *data);

// ---- files: the tensors of types, alone or with those of skills

enum { SLT_TYPES_ARRAYS = 6 };
slt_status slt_types_pack(const slt_types *types, slt_arena *arena,
                          slt_array out[SLT_TYPES_ARRAYS]);
// checks everything
slt_status slt_types_unpack(slt_context *context, const slt_safetensors *file, slt_types **out);

// ---- learning

// episodes to learn from: at most so many of the training split, evenly spaced; 0: the default
slt_status slt_types_choose(slt_arena *arena, const slt_dataset *data, int64_t most,
                            const int64_t **out, int64_t *count);
void slt_types_set_origin(slt_types *types, uint64_t origin);
uint64_t slt_types_origin(const slt_types *types);

// what to learn from
typedef struct {
    slt_dataset *data;
    const slt_dataset_info *info;
    const int32_t *segments; // [steps], or NULL: labels
    const int64_t *episodes;
    int64_t count;
    slt_arena *arena;
} slt_segment_source;

// a view and its segments; false: it is not segmented
slt_status slt_source_episode(const slt_segment_source *source, int64_t i, slt_episode *episode,
                              const int32_t **ids, bool *segmented);
static inline bool slt_ends_at(const int32_t *ids, int64_t length, int64_t t) {
    return t + 1 == length || ids[t] != ids[t + 1];
}

// *symbols false: observations are no symbols, nothing was learned
slt_status slt_effects_learn(slt_types *types, const slt_segment_source *source, bool *symbols);
slt_status slt_clusters_learn(slt_types *types, const slt_segment_source *source, int clusters);

// ---- clusters

int slt_cluster_features(const slt_dataset_info *info);
// of the steps first to last; room: two observations
slt_status slt_cluster_read(const slt_dataset_info *info, const slt_episode *episode, int64_t first,
                            int64_t last, float *room, double *out);
int slt_cluster_nearest(const slt_types *types, const double *features);

#endif
