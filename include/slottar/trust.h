// How far to trust segments that no label was compared with. One notion for the command, Python,
// `info` and the report; docs/trust.md tells how each field is found.
//
//     const slt_trust *trust = &slt_model_about(model)->trust;
//     printf("trust %.2f\n", trust->trust);
//     for (int i = 0; i < trust->warning_count; i++) puts(trust->warnings[i]);
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#ifndef SLOTTAR_TRUST_H
#define SLOTTAR_TRUST_H

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { SLT_MOST_WARNINGS = 8, SLT_WARNING_TEXT = 256 };

typedef struct {
    double trust;  // 0 to 1, at most 0.5 when doubtful; NAN: unknown, there was nothing to compare
    bool doubtful; // a warning gives a reason why the segments may be wrong
    bool calibrated; // confidence was calibrated against other restarts on held-out episodes
    int warning_count;
    char warnings[SLT_MOST_WARNINGS][SLT_WARNING_TEXT]; // sentences; some only inform
} slt_trust;

#ifdef __cplusplus
}
#endif
#endif
