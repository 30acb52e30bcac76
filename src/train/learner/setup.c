// Options of a run: defaults, profiles, and the presets (the paper's tables of final
// configurations).
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include <stdio.h>
#include <string.h>
#include "core/error.h"
#include "core/yaml_config.h"
#include "train/learner/prior.h"
#include "train/learner/train_options.h"

SLT_OPTIONS_TABLE(slt_train_rows, slt_train_options, SLT_TRAIN_OPTIONS)

// what every member of a learner may have of its own; the model's list follows (per_member)
static const char PER_MEMBER[] =
    "epochs steps lr lr_end patience early_stop init prune_margin max_grad_norm adam_eps";

// OMPN on MiniGrid, as the reference has it: DONE shows the last observation again, and no score
// counts it
#define MINIGRID_DONE " done_step=repeat baseline_scoring=fair"

// model, data set, settings; the priors are those of the reference code
// clang-format off
static const struct {
    const char *model, *name, *settings;
} presets[] = {
    {"slottar", "craft-full", "batch=64 beta=0.1 hidden=128 heads=8 slot_size=128 slots=5 lr=5e-4 length=65 prior=1e-4,1e-4,1e-4,0.9996,1e-4"},
    {"slottar", "craft-partial", "batch=64 beta=0.5 hidden=128 heads=16 slot_size=64 slots=5 lr=5e-4 length=65 prior=1e-4,1e-4,1e-4,0.9996,1e-4"},
    {"slottar", "doorkey", "batch=32 beta=0.1 hidden=128 heads=8 slot_size=128 slots=4 lr=5e-4 length=35 prior=1e-4,1e-4,0.9997,1e-4"},
    {"slottar", "unlockpickup", "batch=32 beta=1 hidden=128 heads=8 slot_size=128 slots=4 lr=5e-4 length=35 prior=1e-4,1e-4,0.9997,1e-4"},
    {"slottar", "blockedunlockpickup", "batch=64 beta=0.05 hidden=96 heads=8 slot_size=96 slots=5 lr=5e-4 length=40 prior=1e-4,1e-4,1e-4,0.85,0.15"},
    {"slottar", "keycorridor", "batch=32 beta=0.5 hidden=96 heads=8 slot_size=96 slots=10 iterations=2 lr=2.5e-4 length=80 prior=1e-4,1e-4,1e-4,0.318,0.284,0.267,0.089,0.035,0.008,1e-4"},
    {"slottar-mdl", "craft-full", "prior=4"},
    {"slottar-mdl", "craft-partial", "prior=4"},
    {"slottar-mdl", "doorkey", "prior=3"},
    {"slottar-mdl", "unlockpickup", "prior=3"},
    {"slottar-mdl", "blockedunlockpickup", "prior=0,0,0,0.85,0.15 slots=5"},
    {"slottar-mdl", "keycorridor", "prior=0,0,0,0.342,0.29,0.309,0.059,0.001 slots=9"},
    {"ompn", "craft-full", "batch=128 hidden=128 depth=3 max_grad_norm=1 lr=2.5e-4 length=65"},
    {"ompn", "craft-partial", "batch=128 hidden=128 depth=3 max_grad_norm=1 lr=2.5e-4 length=65"},
    {"ompn", "doorkey", "batch=64 hidden=128 depth=3 max_grad_norm=1 lr=1e-4 length=35" MINIGRID_DONE},
    {"ompn", "unlockpickup", "batch=64 hidden=64 depth=3 max_grad_norm=2 lr=2e-4 length=35" MINIGRID_DONE},
    {"ompn", "blockedunlockpickup", "batch=32 hidden=128 depth=3 max_grad_norm=0.2 lr=1e-4 length=40" MINIGRID_DONE},
    {"ompn", "keycorridor", "batch=32 hidden=128 depth=3 max_grad_norm=2 lr=1e-4 length=80" MINIGRID_DONE},
    {"compile", "craft-full", "batch=128 beta=0.01 prior_rate=3 hidden=128 latent=gaussian segments=4 lr=2.5e-4 length=65"},
    {"compile", "craft-partial", "batch=128 beta=0.01 prior_rate=3 hidden=128 latent=gaussian segments=4 lr=2.5e-4 length=65"},
    {"compile", "doorkey", "batch=32 beta=0.01 prior_rate=4 hidden=128 latent=gaussian segments=3 lr=5e-4 length=35 done_step=repeat"},
    {"compile", "unlockpickup", "batch=64 beta=0.05 prior_rate=2 hidden=64 latent=gaussian segments=3 lr=5e-4 length=35 done_step=repeat"},
    {"compile", "blockedunlockpickup", "batch=32 beta=0.01 prior_rate=3 hidden=128 latent=gaussian segments=5 lr=5e-4 length=40 done_step=repeat"},
    {"compile", "keycorridor", "batch=32 beta=0.01 prior_rate=3 hidden=128 latent=gaussian segments=10 lr=5e-4 length=80 done_step=repeat"},
};
// clang-format on

enum { PRESETS = sizeof presets / sizeof *presets };

void slt_setup_tables(slt_setup *setup, slt_options *tables) {
    tables[0] = (slt_options){slt_train_rows(), &setup->train};
    tables[1] = (slt_options){setup->kind->rows(), setup->model};
    tables[2] = (slt_options){NULL, NULL};
}

slt_done slt_setup_done(const slt_setup *setup) {
    return setup->kind->done ? setup->kind->done(setup->model) : SLT_DONE_NONE;
}

static bool is_flat(const double *prior, int K) {
    for (int k = 1; k < K; k++)
        if (prior[k] != prior[0]) return false;
    return true;
}

static slt_told told_by_prior(const slt_setup *setup, const double *prior) {
    slt_prior form;
    if (slt_prior_read(setup->train.prior, setup->train.prior_spread, &form) != SLT_OK)
        return SLT_KNOWS_NOTHING;
    switch (form.kind) {
    case SLT_PRIOR_NUMBER:
    case SLT_PRIOR_RANGE:
    case SLT_PRIOR_MEAN:
        return SLT_KNOWS_COUNT;
    case SLT_PRIOR_LIST:
    case SLT_PRIOR_LABELS:
        return SLT_KNOWS_HISTOGRAM;
    case SLT_PRIOR_AUTO: // labels where there were any
        return setup->kind->label_free || is_flat(prior, setup->kind->slots(setup->model))
                   ? SLT_KNOWS_NOTHING
                   : SLT_KNOWS_HISTOGRAM;
    default:
        return SLT_KNOWS_NOTHING;
    }
}

slt_told slt_setup_told(const slt_setup *setup, const double *prior, bool told_count) {
    if (setup->train.early_stop != SLT_STOP_LOSS) return SLT_KNOWS_LABELS;
    if (told_count) return SLT_KNOWS_COUNT;
    return setup->kind->no_prior ? SLT_KNOWS_NOTHING : told_by_prior(setup, prior);
}

const char *slt_preset_name(const char *model, int index) {
    for (int i = 0; i < PRESETS; i++)
        if (strcmp(presets[i].model, model) == 0 && index-- == 0) return presets[i].name;
    return NULL;
}

static slt_status set_all(const slt_options *tables, const char *settings) {
    char word[512];
    int used;
    while (sscanf(settings, " %511s%n", word, &used) == 1) {
        SLT_TRY(slt_options_set(tables, word));
        settings += used;
    }
    return SLT_OK;
}

static slt_status set_preset(const slt_options *tables, const char *model, const char *name) {
    for (int i = 0; i < PRESETS; i++)
        if (strcmp(presets[i].model, model) == 0 && strcmp(presets[i].name, name) == 0)
            return set_all(tables, presets[i].settings);
    char list[256] = "";
    for (int i = 0; slt_preset_name(model, i); i++)
        snprintf(list + strlen(list), sizeof list - strlen(list), "%s%s", i ? ", " : "",
                 slt_preset_name(model, i));
    SLT_FAIL(SLT_INVALID, "%s has no preset '%s'; there are %s", model, name, list);
}

slt_status slt_setup_init(slt_setup *setup, const char *model, const char *profile,
                          const char *preset) {
    memset(setup, 0, sizeof *setup);
    setup->kind = slt_model_find(model);
    if (!setup->kind) {
        if (strcmp(model, "switching") == 0)
            SLT_FAIL(SLT_INVALID, "switching chains are trained by 'slottar segment DATA "
                                  "kind=phases --run RUN', many at once, and vote");
        char list[256] = "";
        for (int i = 0; slt_model_row(i); i++)
            snprintf(list + strlen(list), sizeof list - strlen(list), "%s%s", i ? ", " : "",
                     slt_model_row(i)->name);
        SLT_FAIL(SLT_INVALID, "no model '%s'; there are %s", model, list);
    }
    slt_options tables[3];
    slt_setup_tables(setup, tables);
    SLT_TRY(slt_options_defaults(tables));
    if (setup->kind->training) SLT_TRY(set_all(tables, setup->kind->training));
    if (profile) {
        SLT_TRY(setup->kind->profile(setup->model, profile));
        const char *reference = setup->kind->reference;
        if (strcmp(profile, "default") != 0)
            SLT_TRY(set_all(tables, reference ? reference : "early_stop=f1_align"));
    }
    return preset ? set_preset(tables, model, preset) : SLT_OK;
}

slt_status slt_setup_resolve(slt_setup *setup) {
    slt_prior prior;
    SLT_TRY(slt_prior_read(setup->train.prior, setup->train.prior_spread, &prior));
    slt_prior_shape shape = slt_prior_shape_of(&prior);
    if (setup->kind->resolve) setup->kind->resolve(setup->model, &shape);
    return SLT_OK;
}

// ---- shapes

static bool has_word(const char *list, const char *word) {
    size_t length = strlen(word);
    for (const char *at = list; (at = strstr(at, word)); at += length)
        if ((at == list || at[-1] == ' ') && (!at[length] || at[length] == ' ')) return true;
    return false;
}

bool slt_setup_same_shape(const slt_setup *a, const slt_setup *b) {
    if (a->kind != b->kind) return false;
    const char *own = a->kind->per_member ? a->kind->per_member : "";
    const struct {
        const slt_option *rows;
        const void *a, *b;
        const char *free;
    } tables[] = {{slt_train_rows(), &a->train, &b->train, PER_MEMBER},
                  {a->kind->rows(), a->model, b->model, own}};
    for (int i = 0; i < 2; i++)
        for (const slt_option *row = tables[i].rows; row->name; row++)
            if (!has_word(tables[i].free, row->name) &&
                !slt_option_same(row, tables[i].a, tables[i].b))
                return false;
    return true;
}

// ---- reading

slt_status slt_setup_read(slt_context *context, slt_setup *setup,
                          const slt_train_request *request) {
    slt_options tables[3];
    SLT_TRY(slt_setup_init(setup, request->model, request->profile, request->preset));
    slt_setup_tables(setup, tables);
    SLT_TRY(slt_options_read(context, tables, request->config));
    for (int i = 0; i < request->setting_count; i++)
        SLT_TRY(slt_options_take(context, tables, request->settings[i]));
    return slt_setup_resolve(setup);
}
