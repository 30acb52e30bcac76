// What there is to reproduce: the tables and figures of the paper in its order, then our own.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include "reproduce/repro_lists.h"

#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include "reproduce/reproduce.h"

#define REFERENCE     "reference"
#define GRID_SETS     "doorkey", "unlockpickup"
#define CRAFT_SETS    "craft-full", "craft-partial"
#define MIXED_SETS    "blockedunlockpickup", "keycorridor"
#define SIX_SETS      CRAFT_SETS, GRID_SETS, MIXED_SETS
#define BASELINES     "compile-reference", "compile", "ompn-reference", "ompn"
#define OMPN_TWO      "ompn2-reference", "ompn2"
#define DISCRETE_SETS "phases-plain phases-mixed errands"
#define VECTOR_SETS   "robot-carry"
// best of 60 configurations on craft-partial by validation labels (results/search.md)
#define FOUND                                                                                      \
    "batch=32 beta=0.1 hidden=64 heads=16 slot_size=96 slot_std=1.0 iterations=1 lr=5e-4 "         \
    "epochs=100 patience=100"
#define MDL_SHORT       "steps=400 slots=12"
#define SLOTTAR_VECTORS "slots=16 hidden=64 slot_size=64 heads=4 batch=16 epochs=12"
#define COMPILE_VECTORS "segments=12 hidden=64 batch=16 epochs=12"
#define OMPN_VECTORS    "hidden=64 batch=16 epochs=12"
#define OURS            "slottar-reference", "slottar", "mdl"
// plain A2C, stopped at a return of 0.9, as the paper says
#define A2C                                                                                        \
    "clip=0 epochs=1 minibatches=1 clone=0 copies=128 steps=16 lr=0.002 eval_interval=256 "        \
    "goal=0.9"

// clang-format off
static const slt_repro_set sets[] = {
    {"craft-full",          "Craft (fully)",       "craft-full",          "4",
     .searched = "batch=32 beta=1.0 hidden=64 heads=4 slot_size=96 slot_std=0.5 iterations=2 lr=1e-3",
     .trials = 16, .trial = "epochs=30 patience=30"},
    {"craft-partial",       "Craft (partial)",     "craft-partial",       "4",
     .searched = "batch=32 beta=0.1 hidden=64 heads=16 slot_size=96 slot_std=1.0 iterations=1 lr=5e-4",
     .trials = 8, .trial = "epochs=60 patience=60"},
    {"doorkey",             "DoorKey-8x8",         "doorkey",             "3",
     .searched = "batch=32 beta=0.1 hidden=64 heads=16 slot_size=96 slot_std=1.0 iterations=1 lr=5e-4",
     .trials = 8, .trial = "epochs=60 patience=60"},
    {"unlockpickup",        "UnlockPickup",        "unlockpickup",        "3",
     .searched = "batch=32 beta=0.1 hidden=64 heads=16 slot_size=96 slot_std=1.0 iterations=1 lr=5e-4",
     .trials = 8, .trial = "epochs=60 patience=60"},
    {"blockedunlockpickup", "BlockedUnlockPickup", "blockedunlockpickup", "4",
     .searched = "batch=64 beta=0.05 hidden=128 heads=8 slot_size=128 slot_std=1.0 iterations=1 lr=5e-4",
     .trials = 8, .trial = "epochs=60 patience=60"},
    {"keycorridor",         "KeyCorridor-S4R3, labels effects", "keycorridor", "5",
     .searched = "batch=32 beta=0.1 hidden=96 heads=8 slot_size=64 slot_std=0.5 iterations=1 lr=5e-4"},

    {"doorkey-single",      "DoorKey-8x8, one delimiter",  "doorkey",      "3", .single_delimiter = true},
    {"unlockpickup-single", "UnlockPickup, one delimiter", "unlockpickup", "3", .single_delimiter = true},

    {"craft-full-tasks",    "Craft (fully), 10,000 a task",   "craft-full",    "4", .paper = "Craft (fully)",   .episodes = {30000, 3000, 3000},
     .trials = 16, .trial = "epochs=10 patience=10"},
    {"craft-partial-tasks", "Craft (partial), 10,000 a task", "craft-partial", "4", .paper = "Craft (partial)", .episodes = {30000, 3000, 3000},
     .trials = 8, .trial = "epochs=20 patience=20"},

    {"doorkey-noise5",              "DoorKey-8x8, 5 % noise",          "doorkey",             "3", 0.05},
    {"unlockpickup-noise5",         "UnlockPickup, 5 % noise",         "unlockpickup",        "3", 0.05},
    {"blockedunlockpickup-noise5",  "BlockedUnlockPickup, 5 % noise",  "blockedunlockpickup", "4", 0.05},
    {"keycorridor-noise5",          "KeyCorridor-S4R3, 5 % noise",     "keycorridor",         "5", 0.05, .slots = "slots=12"},
    {"doorkey-noise20",             "DoorKey-8x8, 20 % noise",         "doorkey",             "3", 0.2},
    {"unlockpickup-noise20",        "UnlockPickup, 20 % noise",        "unlockpickup",        "3", 0.2},
    {"blockedunlockpickup-noise20", "BlockedUnlockPickup, 20 % noise", "blockedunlockpickup", "4", 0.2, .slots = "slots=12"},
    {"keycorridor-noise20",         "KeyCorridor-S4R3, 20 % noise",    "keycorridor",         "5", 0.2, .slots = "slots=14"},
    {"keycorridor-ref",             "KeyCorridor-S4R3, labels reference", "keycorridor", "3", .truth = "reference", .paper = "KeyCorridor-S4R3",
     .trials = 8, .trial = "epochs=60 patience=60"},

    {"doorkey-16x16",               "DoorKey-16x16",    "MiniGrid-DoorKey-16x16-v0",   "3"},
    {"keycorridor-s6r3",            "KeyCorridor-S6R3", "MiniGrid-KeyCorridorS6R3-v0", "5"},
    {"doorkey-learned",             "DoorKey-8x8, learned expert",         "doorkey",             "3", .learned = true},
    {"unlockpickup-learned",        "UnlockPickup, learned expert",        "unlockpickup",        "3", .learned = true, .slots = "slots=12"},
    {"blockedunlockpickup-learned", "BlockedUnlockPickup, learned expert", "blockedunlockpickup", "5", .learned = true, .slots = "slots=12"},
    {"keycorridor-learned",         "KeyCorridor-S4R3, learned expert",    "keycorridor",         "5", .learned = true, .slots = "slots=20"},

    {"doorkey-agent",             "DoorKey-8x8, A2C agent",         "doorkey",             "3", .paper = "DoorKey-8x8",
     .learned = true, .agent = A2C, .trials = 16, .trial = "epochs=60 patience=60"},
    {"unlockpickup-agent",        "UnlockPickup, A2C agent",        "unlockpickup",        "3", .paper = "UnlockPickup",
     .learned = true, .agent = A2C, .segments = 3, .trials = 16, .trial = "epochs=60 patience=60"},
    {"blockedunlockpickup-agent", "BlockedUnlockPickup, A2C agent", "blockedunlockpickup", "4", .paper = "BlockedUnlockPickup",
     .learned = true, .agent = A2C, .trials = 16, .trial = "epochs=60 patience=60"},

    {"phases-plain",  "phases-plain",  .recorded = true},
    {"phases-mixed",  "phases-mixed",  .recorded = true},
    {"phases-joints", "phases-joints", .recorded = true},
    {"errands",       "errands",       .recorded = true},
    {"robot-carry",   "robot-carry",   .recorded = true},
    {"robot-press",   "robot-press",   .recorded = true},
    {"robot-noisy",   "robot-noisy",   .recorded = true},
    {"robot-smooth",  "robot-smooth",  .recorded = true},
};

static const slt_repro_variant variants[] = {
    {"compile-reference", "reference profile", "CompILE", "compile", REFERENCE},
    {"compile",           "our default",       "CompILE", "compile"},
    {"ompn-reference",    "reference profile", "OMPN",    "ompn",    REFERENCE},
    {"ompn",              "our default",       "OMPN",    "ompn"},
    {"compile-fair",      "reference profile, DONE not scored", "CompILE", "compile", REFERENCE, "baseline_scoring=fair"},
    {"ompn-fair",         "reference profile, DONE not scored", "OMPN",    "ompn",    REFERENCE, "baseline_scoring=fair"},
    {"ompn2-reference",   "reference profile", "OMPN-2",  "ompn",    REFERENCE, "depth=2"},
    {"ompn-agent",        "reference profile", "OMPN", "ompn", REFERENCE, "length=41"},
    {"ompn2-fair",        "reference profile, DONE not scored", "OMPN-2", "ompn", REFERENCE, "depth=2 baseline_scoring=fair"},
    {"ompn2",             "our default",       "OMPN-2",  "ompn",    NULL,      "depth=2"},
    {"slottar-reference", "reference profile", "SloTTAr", "slottar", REFERENCE},
    {"slottar",           "our default",       "SloTTAr", "slottar"},
    {"slottar-paper",     "as the paper's text has it", "SloTTAr", "slottar", "paper"},
    {"slottar-patient",   "reference profile, all 100 epochs", NULL, "slottar", REFERENCE, "patience=100"},
    {"slottar-restarts",  "reference profile, one of 10 restarts by held-out loss", NULL, "slottar", REFERENCE, NULL, 10, .from = 1000},
    {"slottar-settled",   "reference profile, options searched with six seeds", NULL, "slottar", REFERENCE, "batch=32 iterations=1 lr=5e-4", .times = 2, .from = 1000},
    {"slottar-searched",  "reference profile, searched options", "SloTTAr", "slottar", REFERENCE, .times = 2, .searched = true},
    {"beta0-reference",   "reference profile", "SloTTAr (β=0)", "slottar", REFERENCE, "beta=0"},
    {"beta0",             "our default",       "SloTTAr (β=0)", "slottar", NULL,      "beta=0"},

    {"trial-none",    "the reference's profile as it is", "SloTTAr", "slottar", REFERENCE, .trial = true},
    {"trial-text",    "the text but for the pairing: all of the rows below", "SloTTAr", "slottar", REFERENCE,
     "pe_scale=one joint_norm=off pre_slot_mlp=off slot_mlp_mult=one slot_pad=exclude halting=lambda", .trial = true},
    {"trial-dropout", "dropout 0.1",                       "SloTTAr", "slottar", REFERENCE, "dropout=0.1",        .trial = true},
    {"trial-dropout-long", "dropout 0.1, 120 epochs",      "SloTTAr", "slottar", REFERENCE, "dropout=0.1 epochs=120 patience=120", .trial = true},
    {"trial-task",    "companions of the same task",       "SloTTAr", "slottar", REFERENCE, "batch_tasks=same",   .trial = true},
    {"trial-layers2", "two Transformer layers",            "SloTTAr", "slottar", REFERENCE, "layers=2",           .trial = true},
    {"trial-pad",     "padding excluded from the slots",   "SloTTAr", "slottar", REFERENCE, "slot_pad=exclude",   .trial = true},
    {"trial-pad-dropout", "padding excluded from the slots, dropout 0.1", "SloTTAr", "slottar", REFERENCE, "slot_pad=exclude dropout=0.1", .trial = true},
    {"trial-pad-long", "padding excluded, dropout 0.1, 120 epochs", "SloTTAr", "slottar", REFERENCE, "slot_pad=exclude dropout=0.1 epochs=120 patience=120", .trial = true},
    {"trial-layers2-dropout", "two Transformer layers, dropout 0.1", "SloTTAr", "slottar", REFERENCE, "layers=2 dropout=0.1", .trial = true},
    {"trial-mlp-dropout", "no MLP before the slots, padding excluded, dropout 0.1", "SloTTAr", "slottar", REFERENCE, "pre_slot_mlp=off slot_pad=exclude dropout=0.1", .trial = true},
    {"trial-mlp-long", "no MLP before the slots, padding excluded, dropout 0.1, 120 epochs", "SloTTAr", "slottar", REFERENCE, "pre_slot_mlp=off slot_pad=exclude dropout=0.1 epochs=120 patience=120", .trial = true},
    {"trial-packed",  "padding excluded everywhere, dropout 0.1, 100 epochs", "SloTTAr", "slottar", REFERENCE, "slot_pad=exclude end_pad=exclude dropout=0.1 epochs=100 patience=100", .trial = true},
    {"trial-found",   "the best configuration of a search to the end, 100 epochs, other seeds", "SloTTAr", "slottar", REFERENCE, FOUND, .from = 100, .on = "craft-partial", .trial = true},
    {"trial-found-dropout", "the same, dropout 0.1", "SloTTAr", "slottar", REFERENCE, FOUND " dropout=0.1", .from = 100, .on = "craft-partial", .trial = true},
    {"trial-found-long", "the same, 200 epochs", "SloTTAr", "slottar", REFERENCE, FOUND " epochs=200 patience=200", .from = 100, .on = "craft-partial", .trial = true},
    {"trial-found-mlp", "the same, no MLP before the slots, padding excluded", "SloTTAr", "slottar", REFERENCE, FOUND " pre_slot_mlp=off slot_pad=exclude", .from = 100, .on = "craft-partial", .trial = true},
    {"trial-pe",      "the sinusoid not scaled",           "SloTTAr", "slottar", REFERENCE, "pe_scale=one",       .trial = true},
    {"trial-norm",    "no norm after the joint embedding", "SloTTAr", "slottar", REFERENCE, "joint_norm=off",     .trial = true},
    {"trial-mlp",     "no MLP before the slots",           "SloTTAr", "slottar", REFERENCE, "pre_slot_mlp=off",   .trial = true},
    {"trial-mult",    "the slots' MLP one slot wide",      "SloTTAr", "slottar", REFERENCE, "slot_mlp_mult=one",  .trial = true},
    {"trial-halting", "halting by λ",                      "SloTTAr", "slottar", REFERENCE, "halting=lambda",     .trial = true},
    {"trial-clip",    "gradients clipped at 1",            "SloTTAr", "slottar", REFERENCE, "max_grad_norm=1",    .trial = true},

    {"layers2",      "two Transformer layers",          NULL, "slottar", REFERENCE, "layers=2"},
    {"layers2-patient", "two Transformer layers, all 100 epochs", NULL, "slottar", REFERENCE, "layers=2 patience=100", .times = 2},
    {"layers3",      "three Transformer layers",        NULL, "slottar", REFERENCE, "layers=3"},
    {"slots32",      "slots of 32 numbers",             NULL, "slottar", REFERENCE, "slot_size=32"},
    {"slots64",      "slots of 64 numbers",             NULL, "slottar", REFERENCE, "slot_size=64"},
    {"slots256",     "slots of 256 numbers",            NULL, "slottar", REFERENCE, "slot_size=256"},
    {"slots512",     "slots of 512 numbers",            NULL, "slottar", REFERENCE, "slot_size=512"},
    {"iterations2",  "two rounds of slot attention",    NULL, "slottar", REFERENCE, "iterations=2"},
    {"iterations3",  "three rounds of slot attention",  NULL, "slottar", REFERENCE, "iterations=3"},

    {"mdl",        "slottar-mdl",                     NULL, "slottar-mdl", NULL, NULL,          16},
    {"mdl-untold", "slottar-mdl, told nothing",       NULL, "slottar-mdl", NULL, NULL,          16, .told = SLT_TOLD_NOTHING},
    {"mdl-random", "slottar-mdl, random starts only", NULL, "slottar-mdl", NULL, "init=random", 16},
    {"mdl-bare",   "slottar-mdl, told nothing, random starts only", NULL, "slottar-mdl", NULL, "init=random", 16, .told = SLT_TOLD_NOTHING},
    {"mdl-action", "slottar-mdl, sees the action",    NULL, "slottar-mdl", NULL, "boundary_input=action", 16, .times = 2},
    {"mdl-joint",  "slottar-mdl, sees the observation too", NULL, "slottar-mdl", NULL, "boundary_input=joint", 16, .times = 2},
    {"mdl-action-single", "slottar-mdl, sees the action: single runs", NULL, "slottar-mdl", NULL, "boundary_input=action prune_margin=0 init=random", .times = 4},
    {"mdl-joint-single",  "slottar-mdl, sees the observation too: single runs", NULL, "slottar-mdl", NULL, "boundary_input=joint prune_margin=0 init=random", .times = 4},
    {"mdl-action-begun",  "slottar-mdl, sees the action: single runs from the tables' set", NULL, "slottar-mdl", NULL, "boundary_input=action prune_margin=0", .times = 4},
    {"mdl-action-told", "slottar-mdl, sees the action",          NULL, "slottar-mdl", NULL, "boundary_input=action", 16, .told = SLT_TOLD_HISTOGRAM},
    {"mdl-joint-told",  "slottar-mdl, sees the observation too", NULL, "slottar-mdl", NULL, "boundary_input=joint",  16, .told = SLT_TOLD_HISTOGRAM},
    {"mdl-number",      "slottar-mdl, told a number alone",      NULL, "slottar-mdl", NULL, NULL,          16, .told = SLT_TOLD_NUMBER},

    {"mdl-short",       "slottar-mdl, 4 restarts of 400 steps", NULL, "slottar-mdl", NULL, MDL_SHORT, 4, .told = SLT_TOLD_NOTHING,   .on = DISCRETE_SETS},
    {"mdl-short-told",  "slottar-mdl, 4 restarts of 400 steps", NULL, "slottar-mdl", NULL, MDL_SHORT, 4, .told = SLT_TOLD_HISTOGRAM, .on = DISCRETE_SETS},
    {"slottar-vectors",      "SloTTAr, 12 epochs, width 64", NULL, "slottar", NULL, SLOTTAR_VECTORS " prior=flat", .told = SLT_TOLD_NOTHING,   .on = VECTOR_SETS},
    {"slottar-vectors-told", "SloTTAr, 12 epochs, width 64", NULL, "slottar", NULL, SLOTTAR_VECTORS,               .told = SLT_TOLD_HISTOGRAM, .on = VECTOR_SETS},
    {"compile-vectors",      "CompILE, 12 epochs, width 64", NULL, "compile", NULL, COMPILE_VECTORS " count=own",    .told = SLT_TOLD_NOTHING, .on = VECTOR_SETS},
    {"compile-vectors-told", "CompILE, 12 epochs, width 64", NULL, "compile", NULL, COMPILE_VECTORS " count=oracle compile_last=oracle", .told = SLT_TOLD_NOTHING, .on = VECTOR_SETS},
    {"ompn-vectors",         "OMPN, 12 epochs, width 64",    NULL, "ompn",    NULL, OMPN_VECTORS " count=threshold", .told = SLT_TOLD_NOTHING, .on = VECTOR_SETS},
    {"ompn-vectors-told",    "OMPN, 12 epochs, width 64",    NULL, "ompn",    NULL, OMPN_VECTORS " count=oracle",    .told = SLT_TOLD_NOTHING, .on = VECTOR_SETS},
    {"vote-mdl",      "the vote of slottar-mdl, 24 runs", NULL, SLT_REPRO_VOTE, NULL, "kind=mdl", 24, .told = SLT_TOLD_NOTHING,   .on = DISCRETE_SETS},
    {"vote-mdl-told", "the vote of slottar-mdl, 24 runs", NULL, SLT_REPRO_VOTE, NULL, "kind=mdl", 24, .told = SLT_TOLD_HISTOGRAM, .on = DISCRETE_SETS},
    {"vote",      "**the vote**", NULL, SLT_REPRO_VOTE, .told = SLT_TOLD_NOTHING},
    {"vote-range", "**the vote**", NULL, SLT_REPRO_VOTE, .told = SLT_TOLD_RANGE},
    {"vote-told", "**the vote**", NULL, SLT_REPRO_VOTE, .told = SLT_TOLD_HISTOGRAM},
};

static const slt_repro_table tables[] = {
    {"craft", "Craft", SLT_TABLE_SCORES, "",
     {CRAFT_SETS}, {"compile-reference", "compile-fair", "compile", "ompn-reference", "ompn-fair", "ompn", "ompn2-reference", "ompn2-fair", "ompn2", OURS}},
    {"tasks", "Craft: 10,000 of each task", SLT_TABLE_SCORES, "The paper's 10,000 trajectories are those of its three tasks together or of each: it can be read either way, and its code shuffles 30,000 at once.",
     {"craft-full-tasks", "craft-partial-tasks"}, {OURS}},
    {"fixed", "DoorKey and UnlockPickup", SLT_TABLE_SCORES, "Always three segments; β=0 leaves the prior out.",
     {GRID_SETS}, {BASELINES, OMPN_TWO, "beta0-reference", "beta0", OURS}},
    {"variable", "BlockedUnlockPickup and KeyCorridor", SLT_TABLE_SCORES, "The number of segments varies.",
     {MIXED_SETS}, {BASELINES, OURS}},
    {"keycorridor", "KeyCorridor under both rules of labels", SLT_TABLE_SCORES, "The paper's figures are under the reference's rule: its CompILE has 0.00/44.75, which is the score of one segment there. `effects`: every pickup and toggle that changes something ends a segment; `reference`: toggles of locked doors only. The prior is the reference's, 4 to 9 segments, under both.",
     {"keycorridor", "keycorridor-ref"}, {"compile-reference", "ompn-reference", "slottar-reference"}},
    {"single", "One delimiter", SLT_TABLE_SCORES, "Pickup is recorded as toggle; segments are those of the true actions.",
     {"doorkey-single", "unlockpickup-single"}, {"ompn-reference", "ompn", OMPN_TWO, OURS}},
    {"access", "Forward and Backward Access", SLT_TABLE_ACCESS, "How far slots look beyond their segment, as the reference counts it.",
     {CRAFT_SETS, GRID_SETS}, {"slottar-reference", "slottar"}},
    {"speed", "Throughput and wall clock", SLT_TABLE_SPEED, "craft-full, batch 64 for tokens per second (padding counted, 65 positions each); wall clock of the trainings of the table craft: steps, evaluations, files.",
     {"craft-full"}, {BASELINES, OMPN_TWO, "slottar-reference", "slottar"}},
    {"priors", "Numbers of segments", SLT_TABLE_PRIORS, "Shares of the training trajectories with so many segments: what the models are told.",
     {SIX_SETS}, {NULL}},
    {"figures", "Slot attention and masks", SLT_TABLE_FIGURES, "The reference's profile, first run of each set.",
     {CRAFT_SETS, GRID_SETS}, {"slottar-reference"}},
    {"layers", "Trend 1: one Transformer layer", SLT_TABLE_TREND, "The paper: a single layer was necessary.",
     {"craft-full", "doorkey"}, {"slottar-reference", "layers2", "layers3"}},
    {"slots", "Trend 2: slots must be a bottleneck", SLT_TABLE_TREND, "The paper: otherwise one slot models the whole sequence. Its slots have 128 numbers on both sets.",
     {"craft-full", "doorkey"}, {"slots32", "slots64", "slottar-reference", "slots256", "slots512"}},
    {"iterations", "Trend 3: one round of slot attention", SLT_TABLE_TREND, "The paper: one is often enough, more degrade slightly.",
     {"craft-full", "doorkey"}, {"slottar-reference", "iterations2", "iterations3"}},
    {"text", "The paper's text, its code, ours", SLT_TABLE_TREND, "By the text the decoder sees its own trajectory's observations, in the code those of others, in ours none.",
     {CRAFT_SETS, "doorkey"}, {"slottar-paper", "slottar-reference", "slottar"}},
    {"patience", "Is it patience?", SLT_TABLE_TREND, "The reference's code stops when seven epochs bring no better labels; the paper does not say when.",
     {"doorkey", "unlockpickup", "craft-partial"}, {"slottar-reference", "slottar-patient"}},
    {"searched", "Is it the configuration?", SLT_TABLE_TREND, "The paper's way: options searched in its ranges by the labels of the validation split (60 of its 300 configurations with three seeds, [search.md](search.md)), then ten seeds; three of them were the search's.",
     {SIX_SETS}, {"slottar-reference", "slottar-searched"}},
    {"restarts", "Is it the seed?", SLT_TABLE_RESTARTS, "Single runs of the reference's profile, the best of ten restarts by the held-out loss, a choice without labels, and single runs with what validation labels prefer: options searched with six seeds, two layers. Restarts and searched options have fresh seeds, 1000 and on.",
     {"craft-full"}, {"slottar-reference", "slottar-restarts", "slottar-settled", "layers2-patient"}},
    {"mdl", "slottar-mdl: restarts and single runs", SLT_TABLE_RESTARTS, "16 restarts, one kept by the held-out loss; single runs have no restarts, and begin at random or with the cheapest set of the table search. No label is read.",
     {SIX_SETS}, {"mdl", "mdl-action", "mdl-action-single", "mdl-action-begun", "mdl-joint", "mdl-joint-single"}},
    {"hints", "slottar-mdl without hints", SLT_TABLE_RESTARTS, "16 restarts, one kept by the held-out loss: as in the tables above, then without a prior, and without the boundaries of `delimiter` as starts.",
     {SIX_SETS}, {"mdl", "mdl-untold", "mdl-random", "mdl-bare"}},
    {"robust", "Robustness", SLT_TABLE_ROBUST, "Random actions (useless toggles, failed pickups), the reference's rule of labels, larger layouts, and experts that learned by reinforcement. Told the histogram of the number of segments, as delimiter is, or a number alone.",
     {"doorkey-noise5", "unlockpickup-noise5", "blockedunlockpickup-noise5", "keycorridor-noise5",
      "doorkey-noise20", "unlockpickup-noise20", "blockedunlockpickup-noise20", "keycorridor-noise20", "keycorridor-ref",
      "doorkey-16x16", "keycorridor-s6r3",
      "doorkey-learned", "unlockpickup-learned", "blockedunlockpickup-learned", "keycorridor-learned"},
     {"mdl-action-told", "mdl-joint-told", "mdl-number"}},
    {"hypotheses", "What the paper may have done", SLT_TABLE_VERDICTS, "The reference's profile with its accidental pairing and one thing changed; no early stop. ",
     {"craft-partial", "craft-full"},
     {"trial-none", "trial-text", "trial-dropout", "trial-dropout-long", "trial-task", "trial-layers2", "trial-layers2-dropout", "trial-pad", "trial-pad-dropout", "trial-pad-long", "trial-packed", "trial-mlp-dropout", "trial-mlp-long", "trial-found", "trial-found-dropout", "trial-found-long", "trial-found-mlp", "trial-pe", "trial-norm", "trial-mlp", "trial-mult", "trial-halting", "trial-clip"}},
    {"hypotheses-tasks", "What the paper may have done: 10,000 of each task", SLT_TABLE_VERDICTS, "The same with 30,000 trajectories. ",
     {"craft-partial-tasks", "craft-full-tasks"}, {"trial-none", "trial-text", "trial-dropout", "trial-pad-dropout", "trial-packed", "trial-task"}},
    {"hypotheses-minigrid", "What the paper may have done: MiniGrid", SLT_TABLE_VERDICTS, "As in the table hypotheses. ",
     {"doorkey", "unlockpickup", "blockedunlockpickup", "keycorridor-ref"}, {"trial-none", "trial-pad", "trial-mlp", "trial-dropout", "trial-pad-dropout", "trial-mlp-dropout"}},
    {"agents", "Demonstrations by agents", SLT_TABLE_VERDICTS, "Policies of plain A2C, stopped at a mean return of 0.9; on UnlockPickup episodes of three segments alone. OMPN says how far the demonstrations are like the paper's. ",
     {"unlockpickup-agent", "doorkey-agent", "blockedunlockpickup-agent"}, {"ompn-agent", "trial-none"}},
    {"segments", "Segments of recordings", SLT_TABLE_SEGMENTS, "Test split, F1 within one step, one to one, percent: mean over the seeds (worst seed). Told: the number of segments of every episode (count); the histogram of the training labels, or their least and greatest number (range; one number where all have it); or nothing. Labels are read for scoring only.",
     {"phases-plain", "phases-mixed", "phases-joints", "errands", "robot-carry", "robot-press", "robot-noisy", "robot-smooth"},
     {"mdl-short", "mdl-short-told", "slottar-vectors", "slottar-vectors-told", "compile-vectors", "compile-vectors-told", "ompn-vectors", "ompn-vectors-told", "vote-mdl", "vote-mdl-told", "vote", "vote-range", "vote-told"}},
    {"segments-paper", "The vote on the paper's sets", SLT_TABLE_SEGMENTS, "As in the table segments.",
     {SIX_SETS}, {"vote", "vote-told"}},
    {"warnings", "The warning", SLT_TABLE_WARNINGS, "Over all groups of restarts in this folder.",
     {NULL}, {NULL}},
};

static const struct {
    const char *model, *settings;
} quick[] = {
    {"slottar",     "hidden=32 slot_size=32 heads=4 batch=32 lr=2e-3 epochs=5"},
    {"compile",     "hidden=32 batch=32 epochs=4"},
    {"ompn",        "hidden=32 batch=32 lr=1e-3 epochs=3"},
    {"slottar-mdl", "steps=200"},
};
// clang-format on

// ---- looking up

#define COUNT(list) ((int)(sizeof(list) / sizeof *(list)))

#define LOOK_UP(type, list, at, find)                                                              \
    const type *at(int index) {                                                                    \
        return index >= 0 && index < COUNT(list) ? &(list)[index] : NULL;                          \
    }                                                                                              \
    const type *find(const char *name) {                                                           \
        for (int i = 0; i < COUNT(list); i++)                                                      \
            if (strcmp((list)[i].name, name) == 0) return &(list)[i];                              \
        return NULL;                                                                               \
    }

LOOK_UP(slt_repro_set, sets, slt_repro_set_at, slt_repro_set_find)
LOOK_UP(slt_repro_variant, variants, slt_repro_variant_at, slt_repro_variant_find)
LOOK_UP(slt_repro_table, tables, slt_repro_table_at, slt_repro_table_find)

int slt_repro_runs(const slt_repro_set *set, const slt_repro_variant *variant, int seeds) {
    if (variant->trial && set && set->trials) return set->trials;
    return seeds * (variant->times ? variant->times : 1);
}

bool slt_repro_is_vote(const slt_repro_variant *variant) {
    return strcmp(variant->model, SLT_REPRO_VOTE) == 0;
}

bool slt_repro_applies(const slt_repro_variant *variant, const slt_repro_set *set) {
    char list[256], name[SLT_REPRO_NAME];
    if (!variant->on) return true;
    snprintf(list, sizeof list, " %s ", variant->on);
    snprintf(name, sizeof name, " %s ", set->name);
    return strstr(list, name) != NULL;
}

bool slt_repro_told_prior(const slt_repro_variant *variant) {
    const char *settings = variant->settings ? variant->settings : "";
    bool has_prior = strcmp(variant->model, "ompn") != 0 && !strstr(settings, "beta=0");
    return has_prior && variant->told != SLT_TOLD_NOTHING;
}

bool slt_repro_told_cuts(const slt_repro_variant *variant) {
    const char *settings = variant->settings ? variant->settings : "";
    return strcmp(variant->model, "slottar-mdl") == 0 && !strstr(settings, "init=random");
}

const char *slt_repro_quick(const char *model) {
    for (int i = 0; i < COUNT(quick); i++)
        if (strcmp(quick[i].model, model) == 0) return quick[i].settings;
    return "";
}

const char *slt_reproduce_table(int index) {
    const slt_repro_table *table = slt_repro_table_at(index);
    return table ? table->name : NULL;
}

const char *slt_reproduce_title(int index) {
    const slt_repro_table *table = slt_repro_table_at(index);
    return table ? table->title : NULL;
}
