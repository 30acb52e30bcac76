// The configurations of a search, and the plan as a text.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include "train/sweep/sweep_plan.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include "core/number.h"
#include "core/philox.h"

enum { MOST_CONFIGURATIONS = 10000, MOST_DRAWS = 1000000 };

// ---- one configuration

static slt_status put(slt_sweep_plan *plan, int configuration, int axis, const char *value) {
    const char *key = plan->axes[axis].key;
    char *text;
    size_t room = strlen(key) + strlen(value) + 2;
    SLT_TRY(SLT_NEW(plan->arena, &text, room));
    snprintf(text, room, "%s=%s", key, value);
    plan->settings[(size_t)configuration * (size_t)plan->axis_count + (size_t)axis] = text;
    return SLT_OK;
}

// four digits are enough of a number that was drawn
static double rounded(double value) {
    if (value == 0) return 0;
    double scale = pow(10, 3 - floor(log10(fabs(value))));
    return round(value * scale) / scale;
}

// a number of a range; share in [0,1)
static double number_in(const slt_sweep_axis *axis, double share) {
    if (axis->whole) return axis->low + floor(share * (axis->high - axis->low + 1));
    double value = axis->logarithmic ? axis->low * pow(axis->high / axis->low, share)
                                     : axis->low + share * (axis->high - axis->low);
    return fmin(fmax(rounded(value), axis->low), axis->high);
}

// a drawn number of a range, or the place of a value in its list: a function of draw and seed
static double choose(const slt_sweep_axis *axis, int a, uint64_t seed, uint32_t draw) {
    if (!slt_sweep_varies(axis)) return 0;
    slt_words words = slt_random_words(seed, SLT_RANDOM_SWEEP, (uint64_t)a, draw);
    double share = words.word[0] * 0x1p-32 + words.word[1] * 0x1p-64;
    if (share >= 1) share = 0;
    return axis->is_range ? number_in(axis, share) : floor(share * axis->count);
}

// a number of a range; a whole one has no exponent, which its option would not take
static const char *text_of(const slt_sweep_axis *axis, double number, char out[SLT_NUMBER_TEXT]) {
    if (!axis->whole) return slt_number_print(number, out);
    snprintf(out, SLT_NUMBER_TEXT, "%" PRId64, (int64_t)number);
    return out;
}

static slt_status put_choice(slt_sweep_plan *plan, int configuration, int a, double choice) {
    const slt_sweep_axis *axis = &plan->axes[a];
    char text[SLT_NUMBER_TEXT];
    return put(plan, configuration, a,
               axis->is_range ? text_of(axis, choice, text) : axis->values[(int)choice]);
}

// configurations by their choices: a table with open places, at least half of it free
typedef struct {
    double *choices; // [count][width]
    size_t width;    // axes
    int *places;     // a configuration and one; 0: free
    size_t mask;
} seen;

static slt_status shared_init(seen *table, slt_sweep_plan *plan) {
    size_t size = 2, cells;
    while (size < 2 * (size_t)plan->count) size *= 2;
    table->mask = size - 1;
    table->width = (size_t)plan->axis_count;
    if (!slt_size_mul((size_t)plan->count, table->width, &cells))
        SLT_FAIL(SLT_NOMEM, "no room for %d configurations", plan->count);
    SLT_TRY(SLT_NEW(plan->arena, &table->choices, cells + 1));
    return SLT_NEW(plan->arena, &table->places, size);
}

static double *choices_of(const seen *table, int configuration) {
    return table->choices + (size_t)configuration * table->width;
}

// FNV-1a
static uint64_t hash(const seen *table, int configuration) {
    const unsigned char *bytes = (const unsigned char *)choices_of(table, configuration);
    uint64_t value = UINT64_C(0xcbf29ce484222325);
    for (size_t i = 0; i < table->width * sizeof(double); i++)
        value = (value ^ bytes[i]) * UINT64_C(0x100000001b3);
    return value;
}

// whether there was none like it; then it is kept
static bool is_new(seen *table, int configuration) {
    const double *own = choices_of(table, configuration);
    size_t at = (size_t)hash(table, configuration) & table->mask;
    for (; table->places[at]; at = (at + 1) & table->mask) {
        const double *other = choices_of(table, table->places[at] - 1);
        if (memcmp(own, other, table->width * sizeof *own) == 0) return false;
    }
    table->places[at] = configuration + 1;
    return true;
}

// ---- all of them

// how many there are; -1: too many to count, or a range of real numbers
static int64_t count_all(const slt_sweep_plan *plan) {
    int64_t count = 1;
    for (int a = 0; a < plan->axis_count; a++) {
        const slt_sweep_axis *axis = &plan->axes[a];
        if (axis->is_range && !axis->whole) return -1;
        int64_t values = axis->is_range ? (int64_t)(axis->high - axis->low) + 1 : axis->count;
        if (values > MOST_DRAWS || count > MOST_DRAWS) return -1;
        count *= values;
    }
    return count;
}

static slt_status make_grid(slt_sweep_plan *plan) {
    for (int c = 0; c < plan->count; c++) {
        int64_t rest = c;
        // the last axis turns fastest
        for (int a = plan->axis_count - 1; a >= 0; a--) {
            const slt_sweep_axis *axis = &plan->axes[a];
            int64_t values = axis->is_range ? (int64_t)(axis->high - axis->low) + 1 : axis->count;
            double first = axis->is_range ? axis->low : 0;
            SLT_TRY(put_choice(plan, c, a, first + (double)(rest % values)));
            rest /= values;
        }
    }
    return SLT_OK;
}

// no configuration twice. The last of n lists' takes about n draws by itself; a range of real
// numbers, four digits of each, may have no more, and is given up sooner
static slt_status make_random(slt_sweep_plan *plan, uint64_t seed) {
    uint32_t draws = 0, patience = count_all(plan) < 0 ? 4 : 20;
    seen table = {0};
    SLT_TRY(shared_init(&table, plan));
    for (int c = 0; c < plan->count; c++) {
        double *choices = choices_of(&table, c);
        uint32_t last = draws + 1000 + patience * ((uint32_t)c + 1);
        do {
            if (draws == last)
                SLT_FAIL(
                    SLT_INVALID,
                    "%d configurations that differ were not found, %d were: drawn numbers have "
                    "four digits; trials=%d, or a wider range",
                    plan->count, c, c);
            for (int a = 0; a < plan->axis_count; a++)
                choices[a] = choose(&plan->axes[a], a, seed, draws);
            draws++;
        } while (!is_new(&table, c));
        for (int a = 0; a < plan->axis_count; a++) SLT_TRY(put_choice(plan, c, a, choices[a]));
    }
    return SLT_OK;
}

static slt_status check_lists(const slt_sweep_plan *plan) {
    for (int a = 0; a < plan->axis_count; a++) {
        const slt_sweep_axis *axis = &plan->axes[a];
        for (int i = 0; i < axis->count; i++)
            for (int k = 0; k < i; k++)
                if (strcmp(axis->values[i], axis->values[k]) == 0)
                    SLT_FAIL(SLT_INVALID, "%s: %.60s is there twice", axis->key, axis->values[i]);
    }
    return SLT_OK;
}

static slt_status count_configurations(slt_sweep_plan *plan) {
    int64_t all = count_all(plan), wanted = plan->options.trials;
    bool grid = plan->options.search == SLT_SEARCH_GRID;
    if (grid && (all < 0 || all > MOST_CONFIGURATIONS))
        SLT_FAIL(SLT_INVALID,
                 "a grid expects lists or ranges of whole numbers, %d configurations at most; "
                 "search=random takes %d of any number",
                 MOST_CONFIGURATIONS, (int)wanted);
    plan->count = (int)(grid || (all >= 0 && all < wanted) ? all : wanted);
    return SLT_OK;
}

// what is fixed says how long a run lasts; a halving gives out the epochs itself
static slt_status find_epochs(slt_sweep_plan *plan) {
    slt_options tables[3];
    slt_setup fixed = plan->setup;
    slt_setup_tables(&fixed, tables);
    for (int a = 0; a < plan->axis_count; a++) {
        const slt_sweep_axis *axis = &plan->axes[a];
        bool varies = slt_sweep_varies(axis);
        plan->varied += varies;
        if (!varies) SLT_TRY(slt_option_set(tables, axis->key, axis->values[0]));
        if (varies && strcmp(axis->key, "epochs") == 0 &&
            plan->options.search == SLT_SEARCH_HALVING)
            SLT_FAIL(SLT_INVALID, "a halving gives out the epochs: epochs has one value there");
    }
    plan->epochs = fixed.train.epochs;
    return SLT_OK;
}

slt_status slt_sweep_plan_make(slt_sweep_plan *plan, slt_arena *arena,
                               const slt_sweep_request *request) {
    *plan = (slt_sweep_plan){.arena = arena};
    SLT_TRY(slt_sweep_axes_read(plan, request));
    SLT_TRY(check_lists(plan));
    SLT_TRY(find_epochs(plan));
    SLT_TRY(count_configurations(plan));
    size_t cells;
    if (!slt_size_mul((size_t)plan->count, (size_t)plan->axis_count, &cells))
        SLT_FAIL(SLT_NOMEM, "no room for %d configurations", plan->count);
    SLT_TRY(SLT_NEW(arena, &plan->settings, cells + 1));
    return plan->options.search == SLT_SEARCH_GRID ? make_grid(plan)
                                                   : make_random(plan, request->seed);
}

// ---- as a text

static void write_axis(const slt_sweep_axis *axis, slt_text *out) {
    char low[SLT_NUMBER_TEXT], high[SLT_NUMBER_TEXT];
    slt_text_add(out, "%s: ", axis->key);
    if (axis->is_range) {
        slt_text_add(out, "%s%s..%s\n", axis->logarithmic ? "log:" : "",
                     text_of(axis, axis->low, low), text_of(axis, axis->high, high));
        return;
    }
    for (int i = 0; i < axis->count; i++) {
        slt_text_add(out, i ? ", " : "[");
        slt_text_quote(out, axis->values[i]);
    }
    slt_text_add(out, "]\n");
}

slt_status slt_sweep_plan_text(const slt_sweep_plan *plan, const slt_sweep_request *request,
                               uint32_t data_checksum, slt_text *out) {
    slt_sweep_options options = plan->options;
    slt_options tables[] = {{slt_sweep_options_of(), &options}, {NULL, NULL}};
    slt_text_add(out, "# seed %" PRIu64 ", data with checksum %08" PRIx32 "\n", request->seed,
                 data_checksum);
    slt_options_to_yaml(tables, out);
    for (int a = 0; a < plan->axis_count; a++) write_axis(&plan->axes[a], out);
    return out->status;
}
