// Building an slt_trust, and its JSON form:
//     {"trust":0.5,"doubtful":true,"calibrated":true,"warnings":["..."],"calibration":[[r,s],...]}
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#ifndef SLT_METRICS_TRUST_BUILD_H
#define SLT_METRICS_TRUST_BUILD_H

#include "core/json.h"
#include "core/text.h"
#include "metrics/calibration.h"
#include "slottar/trust.h"

// unknown, without warnings
void slt_trust_init(slt_trust *trust);
// a sentence that only informs; those beyond SLT_MOST_WARNINGS are dropped
void slt_trust_note(slt_trust *trust, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
// a reason for doubt: trust is at most 0.5 from now on
void slt_trust_doubt(slt_trust *trust, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

// the object, with the calibration map where it has points
void slt_trust_write(slt_text *out, const slt_trust *trust, const slt_calibration *calibration);
// FORMAT when a field has another type or is out of range; calibration may be NULL
slt_status slt_trust_read(const char *name, const json_t *object, slt_trust *trust,
                          slt_calibration *calibration);

#endif
