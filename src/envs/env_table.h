// The list of environment families: a row here and a `const slt_env_kind slt_NAME_kinds[]` that
// ends with an empty id make one.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#ifndef SLT_ENVS_ENV_TABLE_H
#define SLT_ENVS_ENV_TABLE_H

#include "envs/env_impl.h"

#define SLT_ENV_FAMILIES(X) X(craft) X(minigrid)

#define SLT_DECLARE(name) extern const slt_env_kind slt_##name##_kinds[];
SLT_ENV_FAMILIES(SLT_DECLARE)
#undef SLT_DECLARE

#endif
