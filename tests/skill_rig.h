// Skills of Craft from a few demonstrations, learned and saved as the tests of skills need them.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#ifndef SLT_TEST_SKILL_RIG_H
#define SLT_TEST_SKILL_RIG_H

#include "check.h"
#include "group_context.h"
#include "slottar/expert.h"
#include "slottar/skills.h"

typedef struct {
    slt_dataset *data;
    slt_types *types;
} demonstrations;

// data.safetensors: demonstrations of the environments, with the types of their segments
static inline demonstrations demonstrate(const char *const *ids, int count, int64_t episodes) {
    slt_collect_request request = {.environments = ids,
                                   .environment_count = count,
                                   .path = "data.safetensors",
                                   .overwrite = true,
                                   .episodes = {episodes, episodes / 10, 0}};
    demonstrations d;
    CHECK_OK(slt_collect(context, &request, NULL));
    CHECK_OK(slt_dataset_open(context, "data.safetensors", &d.data));
    CHECK_OK(slt_types_learn(context, d.data, NULL, NULL, &d.types));
    return d;
}

static inline void save_skills(demonstrations d, slt_skills_options options, const char *path) {
    slt_skills *skills;
    CHECK_OK(slt_skills_learn(context, d.data, NULL, d.types, &options, &skills));
    CHECK_OK(slt_skills_save(skills, path, true));
    slt_skills_close(skills);
}

static inline void forget(demonstrations d) {
    slt_types_close(d.types);
    slt_dataset_close(d.data);
}

#endif
