// How far to trust a segmentation: a number, a verdict, and the sentences that explain it.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include "metrics/trust_build.h"

#include <math.h>
#include <stdarg.h>
#include <string.h>
#include "core/number.h"

static const double MOST_DOUBTFUL = 0.5; // trust of a doubtful result, at most

// ---- building

void slt_trust_init(slt_trust *trust) { *trust = (slt_trust){.trust = NAN}; }

static void add(slt_trust *trust, const char *format, va_list arguments) {
    if (trust->warning_count == SLT_MOST_WARNINGS) return;
    slt_format_list(trust->warnings[trust->warning_count++], SLT_WARNING_TEXT, format, arguments);
}

void slt_trust_note(slt_trust *trust, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    add(trust, format, arguments);
    va_end(arguments);
}

void slt_trust_doubt(slt_trust *trust, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    add(trust, format, arguments);
    va_end(arguments);
    trust->doubtful = true;
    trust->trust = fmin(trust->trust, MOST_DOUBTFUL); // of an unknown one, the other number
}

// ---- writing

static void write_number(slt_text *out, double value) {
    char text[SLT_NUMBER_TEXT];
    slt_text_add(out, "%s", isfinite(value) ? slt_number_print(value, text) : "null");
}

static const char *word(bool value) { return value ? "true" : "false"; }

void slt_trust_write(slt_text *out, const slt_trust *trust, const slt_calibration *calibration) {
    slt_text_add(out, "{\"trust\":");
    write_number(out, trust->trust);
    slt_text_add(out, ",\"doubtful\":%s,\"calibrated\":%s,\"warnings\":[", word(trust->doubtful),
                 word(trust->calibrated));
    for (int i = 0; i < trust->warning_count; i++) {
        if (i) slt_text_add(out, ",");
        slt_text_quote(out, trust->warnings[i]);
    }
    slt_text_add(out, "]");
    for (int i = 0; calibration && i < calibration->count; i++) {
        slt_text_add(out, i ? ",[" : ",\"calibration\":[[");
        write_number(out, calibration->raw[i]);
        slt_text_add(out, ",");
        write_number(out, calibration->share[i]);
        slt_text_add(out, i + 1 == calibration->count ? "]]" : "]");
    }
    slt_text_add(out, "}");
}

// ---- reading

static bool is_share(const json_t *value) {
    return json_is_number(value) && json_number_value(value) >= 0 && json_number_value(value) <= 1;
}

static bool read_warnings(const json_t *list, slt_trust *out) {
    if (!json_is_array(list) || json_array_size(list) > SLT_MOST_WARNINGS) return false;
    for (size_t i = 0; i < json_array_size(list); i++) {
        const char *text = json_string_value(json_array_get(list, i));
        if (!text) return false;
        slt_trust_note(out, "%s", text);
    }
    return true;
}

static bool read_points(const json_t *list, slt_calibration *out) {
    size_t count = json_array_size(list);
    if (count > SLT_CALIBRATION_POINTS) return false;
    for (size_t i = 0; i < count; i++) {
        const json_t *raw = json_array_get(json_array_get(list, i), 0);
        const json_t *share = json_array_get(json_array_get(list, i), 1);
        if (!is_share(raw) || !is_share(share)) return false;
        out->raw[i] = json_number_value(raw);
        out->share[i] = json_number_value(share);
        if (i && out->raw[i] < out->raw[i - 1]) return false;
    }
    out->count = (int)count;
    return true;
}

slt_status slt_trust_read(const char *name, const json_t *object, slt_trust *trust,
                          slt_calibration *calibration) {
    slt_trust found;
    slt_calibration points = {0};
    const json_t *number = json_object_get(object, "trust");
    slt_trust_init(&found);
    found.doubtful = json_is_true(json_object_get(object, "doubtful"));
    bool good = (json_is_null(number) || is_share(number)) &&
                read_warnings(json_object_get(object, "warnings"), &found) &&
                read_points(json_object_get(object, "calibration"), &points);
    if (!good) SLT_FAIL(SLT_FORMAT, "%s: 'trust' is damaged", name);
    if (!json_is_null(number)) found.trust = json_number_value(number);
    found.calibrated = points.count > 0;
    *trust = found;
    if (calibration) *calibration = points;
    return SLT_OK;
}
