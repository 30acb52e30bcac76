// What the paper reports (mean and standard deviation over five seeds): its tables of F1, alignment
// and access, and its table of speed. Gopalakrishnan, Irie, Schmidhuber, van Steenkiste:
// Unsupervised Learning of Temporal Abstractions with Slot-based Transformers (2022).
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include <math.h>
#include "paper/paper_scores.h"

#define NO NAN, NAN, NAN, NAN

// clang-format off
static const slt_published_score rows[] = {
    {"Craft (fully)",       "SloTTAr", .9984, .0002, .9941, .0025, .1694, .0663, .0993, .0676},
    {"Craft (fully)",       "CompILE", .8310, .0307, .8577, .0051, NO},
    {"Craft (fully)",       "OMPN",    .9849, .0016, .9732, .0033, NO},
    {"Craft (fully)",       "OMPN-2",  .9704, .0103, .9458, .0244, NO},
    {"Craft (partial)",     "SloTTAr", .8051, .0447, .8314, .0387, .2117, .0175, .0944, .0297},
    {"Craft (partial)",     "CompILE", .7074, .1414, .6771, .1681, NO},
    {"Craft (partial)",     "OMPN",    .9584, .0071, .9368, .0096, NO},
    {"Craft (partial)",     "OMPN-2",  .9120, .0213, .8504, .0382, NO},
    {"DoorKey-8x8",         "SloTTAr", .9173, .0375, .9396, .0096, .2685, .0869, .0810, .0877},
    {"DoorKey-8x8",         "CompILE", .7392, .0318, .6810, .0301, NO},
    {"DoorKey-8x8",         "OMPN",    .4503, .1404, .5720, .0435, NO},
    {"DoorKey-8x8",         "OMPN-2",  .4808, .1048, .6029, .0847, NO},
    {"DoorKey-8x8",         "SloTTAr (β=0)", .7219, .0987, .6393, .1614, NO},
    {"UnlockPickup",        "SloTTAr", .9270, .0466, .9261, .0225, .1787, .0495, .1600, .1110},
    {"UnlockPickup",        "CompILE", .6602, .0243, .6409, .0207, NO},
    {"UnlockPickup",        "OMPN",    .5527, .0576, .6208, .0778, NO},
    {"UnlockPickup",        "OMPN-2",  .4847, .1439, .4625, .0684, NO},
    {"UnlockPickup",        "SloTTAr (β=0)", .7508, .0878, .7664, .0714, NO},
    {"BlockedUnlockPickup", "SloTTAr", .4144, .0354, .6348, .0013, NO},
    {"BlockedUnlockPickup", "CompILE", .0916, .0333, .1994, .0031, NO},
    {"BlockedUnlockPickup", "OMPN",    .5580, .1131, .4583, .0873, NO},
    {"KeyCorridor-S4R3",    "SloTTAr", .4881, .0581, .3798, .0604, NO},
    {"KeyCorridor-S4R3",    "CompILE", .0000, .0000, .4475, .0001, NO},
    {"KeyCorridor-S4R3",    "OMPN",    .4886, .1834, .4158, .0264, NO},
    {"DoorKey-8x8, one delimiter",  "OMPN",   .4626, .1399, .5611, .0623, NO},
    {"DoorKey-8x8, one delimiter",  "OMPN-2", .5370, .1201, .6555, .0848, NO},
    {"UnlockPickup, one delimiter", "OMPN",   .6235, .1839, .7083, .1072, NO},
    {"UnlockPickup, one delimiter", "OMPN-2", .5358, .1957, .5984, .1541, NO},
};

// thousands of tokens a second in training and at test time, minutes of training; one GTX 1080 Ti
static const slt_paper_speed speeds[] = {
    {"CompILE", 14, 36,   47},
    {"OMPN",    3,  7,   106},
    {"OMPN-2",  4,  10,   78},
    {"SloTTAr", 46, 114,  14},
};
// clang-format on

const slt_published_score *slt_paper_rows(int *count) {
    *count = (int)(sizeof rows / sizeof *rows);
    return rows;
}

const slt_paper_speed *slt_paper_speeds(int *count) {
    *count = (int)(sizeof speeds / sizeof *speeds);
    return speeds;
}
