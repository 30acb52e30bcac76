// The table of models.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include "models/model_kind.h"

#include <string.h>

extern const slt_model_kind slt_model_slottar;
extern const slt_model_kind slt_model_mdl;

static const slt_model_kind *const table[] = {&slt_model_slottar, &slt_model_mdl, NULL};

const slt_model_kind *slt_model_row(int index) { return table[index]; }

const slt_model_kind *slt_model_find(const char *name) {
    for (int i = 0; table[i]; i++)
        if (strcmp(table[i]->name, name) == 0) return table[i];
    return NULL;
}
