// What was found, in a few lines.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include "segment_summary.h"

#include <inttypes.h>
#include <math.h>
#include "show_trust.h"

void cli_tally_add(cli_tally *tally, const slt_segments *s) {
    tally->episodes++;
    tally->calibrated = s->calibrated;
    tally->segments += s->segments;
    tally->boundaries += s->boundary_count;
    tally->counts[s->segments < CLI_COUNTS ? s->segments : CLI_COUNTS - 1]++;
    for (int i = 0, start = 0; i < s->segments; i++) {
        int end = i < s->boundary_count ? s->boundaries[i] + 1 : s->length, length = end - start;
        tally->lengths[length < CLI_LENGTHS ? length : CLI_LENGTHS - 1]++;
        start = end;
    }
    for (int i = 0; i < s->boundary_count; i++) {
        tally->confidence += (double)s->confidence[i];
        tally->doubtful += s->confidence[i] < 0.5f;
    }
}

// the length that a share of the segments does not exceed
static int quantile(const cli_tally *tally, double share) {
    int64_t sum = 0;
    for (int length = 1; length < CLI_LENGTHS; length++) {
        sum += tally->lengths[length];
        if ((double)sum >= share * (double)tally->segments) return length;
    }
    return CLI_LENGTHS - 1;
}

static void print_counts(FILE *out, const cli_tally *tally) {
    fprintf(out, "%" PRId64 " trajectories, mean %.2f segments:", tally->episodes,
            (double)tally->segments / (double)tally->episodes);
    for (int n = 1; n < CLI_COUNTS; n++)
        if (tally->counts[n])
            fprintf(out, " %d%s in %.1f %%", n, n == CLI_COUNTS - 1 ? " or more" : "",
                    100 * (double)tally->counts[n] / (double)tally->episodes);
    putc('\n', out);
}

static void print_segments(FILE *out, const cli_tally *tally) {
    print_counts(out, tally);
    fprintf(out, "Segment length: median %d, quartiles %d-%d\n", quantile(tally, 0.5),
            quantile(tally, 0.25), quantile(tally, 0.75));
    if (tally->boundaries)
        fprintf(out, "%s: mean %.3f, %" PRId64 " of %" PRId64 " below 0.5\n",
                tally->calibrated ? "Boundary confidence" : "Boundary probability (not calibrated)",
                tally->confidence / (double)tally->boundaries, tally->doubtful, tally->boundaries);
}

static void print_restarts(FILE *out, const slt_restart_report *restarts) {
    fprintf(out, "%d of %d restarts agree on the boundaries", restarts->agreeing,
            restarts->members);
    if (isfinite(restarts->gap))
        fprintf(out, "; other boundaries cost %.3f nats per step more", restarts->gap);
    putc('\n', out);
}

void cli_tally_print(FILE *out, const cli_tally *tally, const slt_restart_report *restarts,
                     const slt_trust *trust) {
    if (tally->episodes) print_segments(out, tally);
    if (restarts) print_restarts(out, restarts);
    cli_print_trust(out, trust);
}
