// Where HDF5 files keep things: Minari 0.5 (a group per episode), robomimic (the same below data/),
// D4RL (one long table).
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include <inttypes.h>
#include "hdf5/hdf5_helper.h"

// clang-format off
static const slt_hdf5_layout layouts[] = {
    {"Minari",    "episode_0",   "episode_%" PRId64,   "/",    "actions", "observations", NULL,       "rewards", "terminations", "truncations", "infos/segment", "infos/subtask"},
    {"robomimic", "data/demo_0", "data/demo_%" PRId64, "data", "actions", "obs",          "next_obs", "rewards", "dones",        NULL,          "segment",       NULL},
    {"D4RL",      "actions",     NULL,                 NULL,   "actions", "observations", NULL,       "rewards", "terminals",    "timeouts",    "infos/segment", NULL},
};
// clang-format on

slt_status slt_hdf5_find_layout(hid_t file, const slt_hdf5_layout **out) {
    for (size_t i = 0; i < sizeof layouts / sizeof *layouts; i++) {
        hid_t group = slt_hdf5_group(file, layouts[i].probe);
        hid_t dataset = group < 0 ? slt_hdf5_dataset(file, layouts[i].probe) : -1;
        if (group >= 0) H5Gclose(group);
        if (dataset >= 0) H5Dclose(dataset);
        *out = &layouts[i];
        if ((layouts[i].episode ? group : dataset) >= 0) return SLT_OK;
    }
    SLT_FAIL(SLT_FORMAT,
             "neither Minari nor robomimic nor D4RL: no episode_0, data/demo_0 or actions");
}
