// How far to trust a result, for people and for programs.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include "show_trust.h"

#include <math.h>
#include "json_text.h"

void cli_print_trust(FILE *out, const slt_trust *trust) {
    if (isnan(trust->trust))
        fprintf(out, "trust: unknown%s\n", trust->doubtful ? ", doubtful" : "");
    else
        fprintf(out, "trust: %.2f%s\n", trust->trust, trust->doubtful ? ", doubtful" : "");
    for (int i = 0; i < trust->warning_count; i++)
        fprintf(out, "%s: %s\n", trust->doubtful ? "warning" : "note", trust->warnings[i]);
}

void cli_json_trust(FILE *out, const slt_trust *trust) {
    if (isnan(trust->trust))
        fputs("{\"trust\":null", out);
    else
        fprintf(out, "{\"trust\":%.4f", trust->trust);
    fprintf(out, ",\"doubtful\":%s,\"calibrated\":%s,\"warnings\":[",
            trust->doubtful ? "true" : "false", trust->calibrated ? "true" : "false");
    for (int i = 0; i < trust->warning_count; i++) {
        if (i) putc(',', out);
        cli_json_text(out, trust->warnings[i]);
    }
    fputs("]}", out);
}
