// What the paper reports (mean and standard deviation over five seeds): its tables of F1, alignment
// and access. Gopalakrishnan, Irie, Schmidhuber, van Steenkiste: Unsupervised Learning of Temporal
// Abstractions with Slot-based Transformers (2022).
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include <math.h>
#include "report/report_impl.h"

#define NO NAN, NAN, NAN, NAN

// clang-format off
static const slt_paper_row rows[] = {
    {"Craft (fully)",       "SloTTAr", .9984, .0002, .9941, .0025, .1694, .0663, .0993, .0676},
    {"Craft (fully)",       "CompILE", .8310, .0307, .8577, .0051, NO},
    {"Craft (fully)",       "OMPN",    .9849, .0016, .9732, .0033, NO},
    {"Craft (partial)",     "SloTTAr", .8051, .0447, .8314, .0387, .2117, .0175, .0944, .0297},
    {"Craft (partial)",     "CompILE", .7074, .1414, .6771, .1681, NO},
    {"Craft (partial)",     "OMPN",    .9584, .0071, .9368, .0096, NO},
    {"DoorKey-8x8",         "SloTTAr", .9173, .0375, .9396, .0096, .2685, .0869, .0810, .0877},
    {"DoorKey-8x8",         "CompILE", .7392, .0318, .6810, .0301, NO},
    {"DoorKey-8x8",         "OMPN",    .4503, .1404, .5720, .0435, NO},
    {"UnlockPickup",        "SloTTAr", .9270, .0466, .9261, .0225, .1787, .0495, .1600, .1110},
    {"UnlockPickup",        "CompILE", .6602, .0243, .6409, .0207, NO},
    {"UnlockPickup",        "OMPN",    .5527, .0576, .6208, .0778, NO},
    {"BlockedUnlockPickup", "SloTTAr", .4144, .0354, .6348, .0013, NO},
    {"BlockedUnlockPickup", "CompILE", .0916, .0333, .1994, .0031, NO},
    {"BlockedUnlockPickup", "OMPN",    .5580, .1131, .4583, .0873, NO},
    {"KeyCorridor-S4R3",    "SloTTAr", .4881, .0581, .3798, .0604, NO},
    {"KeyCorridor-S4R3",    "CompILE", .0000, .0000, .4475, .0001, NO},
    {"KeyCorridor-S4R3",    "OMPN",    .4886, .1834, .4158, .0264, NO},
};
// clang-format on

const slt_paper_row *slt_paper_rows(int *count) {
    *count = (int)(sizeof rows / sizeof *rows);
    return rows;
}
