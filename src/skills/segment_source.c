// The episodes that types are learned from, and where their segments are.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include "skills/types_impl.h"

enum { DEFAULT_EPISODES = 1000 };

slt_status slt_source_episode(const slt_segment_source *source, int64_t i, slt_episode *episode,
                              const int32_t **ids, bool *segmented) {
    int64_t index = source->episodes[i];
    SLT_TRY(slt_dataset_episode(source->data, index, episode));
    *ids = source->segments ? source->segments + slt_dataset_offsets(source->data)[index]
                            : episode->segments;
    *segmented = *ids && (*ids)[0] >= 0;
    return SLT_OK;
}

slt_status slt_types_choose(slt_arena *arena, const slt_dataset *data, int64_t most,
                            const int64_t **out, int64_t *count) {
    const int64_t *all;
    int64_t *chosen, there = slt_dataset_split(data, SLT_SPLIT_TRAIN, &all);
    if (!most) most = DEFAULT_EPISODES;
    *count = most < there ? most : there;
    SLT_TRY(SLT_NEW(arena, &chosen, (size_t)*count + 1));
    for (int64_t i = 0; i < *count; i++) chosen[i] = all[i * there / *count];
    *out = chosen;
    return SLT_OK;
}
