// Plans: the shortest grammar over sequences of types. Pairs of symbols become rules, the one that
// shortens the description most first, while it gets shorter.
//
//   bits = T log T - Σ c log c  +  rules · (2 log V + ½ log S)
//
// c: how often each symbol is left, with one end per sequence; T their sum; V symbols there are; S
// segments in all. The first two terms are the sequences under the frequencies of their symbols; a
// rule is two symbols and a frequency of its own.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include <math.h>
#include <string.h>
#include "core/text.h"
#include "skills/types_impl.h"

enum { MOST_RULES = 1024 };

struct slt_plans {
    slt_context *context;
    slt_arena arena;
    int rule_count;
    slt_type_rule rules[MOST_RULES];
    int count;
    slt_type_plan *plans; // [count]
    double bits_before, bits_after;
};

typedef struct {
    slt_plans *plans;
    slt_arena *arena;
    int32_t *symbols;          // [segments], numbers of `names`, then rules
    int64_t *starts, *lengths; // [sequences]
    int64_t sequences, segments;
    slt_key_map names; // what the first symbols are: types
    int64_t *counts;   // [names + MOST_RULES]
} search;

static double part(int64_t count) { return count > 0 ? (double)count * log2((double)count) : 0; }

static double bits_of_rules(const search *s, int rules) {
    double symbols = (double)(s->names.count + rules + 1);
    return rules * (2 * log2(symbols) + 0.5 * log2((double)s->segments));
}

static double bits_of(const search *s) {
    int64_t total = s->sequences;
    double bits = -part(s->sequences);
    for (int i = 0; i < s->names.count + s->plans->rule_count; i++) {
        total += s->counts[i];
        bits -= part(s->counts[i]);
    }
    return bits + part(total) + bits_of_rules(s, s->plans->rule_count);
}

// what the description loses when `times` pairs become a rule
static double saved(const search *s, const int32_t pair[2], int64_t times, int64_t total) {
    int64_t a = s->counts[pair[0]], b = s->counts[pair[1]];
    double before = part(total) - part(a) - (pair[0] == pair[1] ? 0 : part(b));
    double after = part(total - times) - part(times);
    if (pair[0] == pair[1])
        after -= part(a - 2 * times);
    else
        after -= part(a - times) + part(b - times);
    int rules = s->plans->rule_count;
    return before - after - bits_of_rules(s, rules + 1) + bits_of_rules(s, rules);
}

// pairs side by side; of aaa the first two are one, not both twos
static slt_status count_pairs(search *s, slt_key_map *pairs, int64_t *times) {
    for (int64_t q = 0; q < s->sequences; q++) {
        const int32_t *row = s->symbols + s->starts[q];
        bool taken = false;
        for (int64_t i = 0; i + 1 < s->lengths[q]; i++) {
            int32_t number;
            taken = taken && row[i] == row[i + 1] && row[i] == row[i - 1];
            if (!taken) {
                SLT_TRY(slt_key_map_add(pairs, row + i, &number));
                times[number]++;
            }
            taken = !taken;
        }
    }
    return SLT_OK;
}

static slt_status best_pair(search *s, int32_t best[2], int64_t *often, double *gain) {
    slt_key_map pairs;
    int64_t *times, total = s->sequences;
    SLT_TRY(slt_key_map_init(&pairs, s->arena, 2 * sizeof *best));
    SLT_TRY(SLT_NEW(s->arena, &times, (size_t)s->segments + 1));
    SLT_TRY(count_pairs(s, &pairs, times));
    for (int i = 0; i < s->names.count + s->plans->rule_count; i++) total += s->counts[i];
    *gain = 0;
    for (int32_t i = 0; i < pairs.count; i++) {
        const int32_t *pair = slt_key_map_at(&pairs, i);
        double value = saved(s, pair, times[i], total);
        if (value <= *gain) continue;
        *gain = value;
        *often = times[i];
        memcpy(best, pair, 2 * sizeof *best);
    }
    return SLT_OK;
}

static int32_t public_symbol(const search *s, int32_t symbol) {
    if (symbol >= s->names.count) return SLT_PLAN_RULE + symbol - s->names.count;
    return *(const int32_t *)slt_key_map_at(&s->names, symbol);
}

static void replace(search *s, const int32_t pair[2], int64_t times) {
    slt_plans *p = s->plans;
    int32_t rule = s->names.count + p->rule_count;
    for (int64_t q = 0; q < s->sequences; q++) {
        int32_t *row = s->symbols + s->starts[q];
        int64_t length = s->lengths[q], out = 0;
        for (int64_t i = 0; i < length; i++) {
            bool found = i + 1 < length && row[i] == pair[0] && row[i + 1] == pair[1];
            row[out++] = found ? rule : row[i];
            i += found;
        }
        s->lengths[q] = out;
    }
    s->counts[pair[0]] -= times;
    s->counts[pair[1]] -= times;
    s->counts[rule] = times;
    p->rules[p->rule_count++] =
        (slt_type_rule){{public_symbol(s, pair[0]), public_symbol(s, pair[1])}, times};
}

static slt_status shorten(search *s) {
    while (s->plans->rule_count < MOST_RULES) {
        slt_arena_mark mark = slt_arena_now(s->arena);
        int32_t pair[2];
        int64_t times = 0;
        double gain;
        SLT_TRY(slt_context_check(s->plans->context));
        SLT_TRY(best_pair(s, pair, &times, &gain));
        slt_arena_reset(s->arena, mark);
        if (gain <= 0) break;
        replace(s, pair, times);
    }
    return SLT_OK;
}

// ---- sequences that are the same are one plan

static bool is_plan(const search *s, const slt_type_plan *plan, int64_t q) {
    if (plan->length != s->lengths[q]) return false;
    for (int64_t i = 0; i < plan->length; i++)
        if (plan->symbols[i] != public_symbol(s, s->symbols[s->starts[q] + i])) return false;
    return true;
}

static slt_status add_plan(search *s, int64_t q) {
    slt_plans *p = s->plans;
    int32_t *symbols;
    for (int i = 0; i < p->count; i++)
        if (is_plan(s, &p->plans[i], q)) return p->plans[i].sequences++, SLT_OK;
    SLT_TRY(SLT_NEW(&p->arena, &symbols, (size_t)s->lengths[q] + 1));
    for (int64_t i = 0; i < s->lengths[q]; i++)
        symbols[i] = public_symbol(s, s->symbols[s->starts[q] + i]);
    p->plans[p->count++] =
        (slt_type_plan){.symbols = symbols, .length = s->lengths[q], .sequences = 1};
    return SLT_OK;
}

// a rule is made of earlier ones: no deeper than there are rules
static void add_tree(const slt_plans *plans, int32_t symbol, slt_text *out) {
    const slt_type_rule *rule = slt_plans_rule(plans, symbol);
    if (!rule) {
        slt_text_add(out, "%d", symbol);
        return;
    }
    slt_text_add(out, "[");
    add_tree(plans, rule->pair[0], out);
    slt_text_add(out, ",");
    add_tree(plans, rule->pair[1], out);
    slt_text_add(out, "]");
}

static slt_status write_tree(slt_plans *p, slt_type_plan *plan) {
    slt_text text;
    char *tree;
    bool list = plan->length != 1 || !slt_plans_rule(p, plan->symbols[0]);
    slt_text_init(&text, &p->context->allocator);
    if (list) slt_text_add(&text, "[");
    for (int64_t i = 0; i < plan->length; i++) {
        if (i) slt_text_add(&text, ",");
        add_tree(p, plan->symbols[i], &text);
    }
    if (list) slt_text_add(&text, "]");
    slt_status status = text.status;
    if (status == SLT_OK) status = slt_arena_text(&p->arena, text.bytes, text.length, &tree);
    slt_text_deinit(&text);
    if (status == SLT_OK) plan->tree = tree;
    return status;
}

// the most frequent first, the first met on ties
static slt_status list_plans(search *s) {
    slt_plans *p = s->plans;
    SLT_TRY(SLT_NEW(&p->arena, &p->plans, (size_t)s->sequences + 1));
    for (int64_t q = 0; q < s->sequences; q++) SLT_TRY(add_plan(s, q));
    for (int i = 0; i < p->count; i++) {
        slt_type_plan plan = p->plans[i];
        int k = i;
        SLT_TRY(write_tree(p, &plan));
        for (; k > 0 && p->plans[k - 1].sequences < plan.sequences; k--)
            p->plans[k] = p->plans[k - 1];
        p->plans[k] = plan;
    }
    return SLT_OK;
}

// ---- the whole

static slt_status read_types(search *s, const int32_t *types, const int64_t *offsets) {
    SLT_TRY(SLT_NEW(s->arena, &s->symbols, (size_t)s->segments + 1));
    SLT_TRY(SLT_NEW(s->arena, &s->starts, (size_t)s->sequences + 1));
    SLT_TRY(SLT_NEW(s->arena, &s->lengths, (size_t)s->sequences + 1));
    SLT_TRY(slt_key_map_init(&s->names, s->arena, sizeof *types));
    for (int64_t i = 0; i < s->segments; i++)
        SLT_TRY(slt_key_map_add(&s->names, &types[i], &s->symbols[i]));
    SLT_TRY(SLT_NEW(s->arena, &s->counts, (size_t)s->names.count + MOST_RULES));
    for (int64_t i = 0; i < s->segments; i++) s->counts[s->symbols[i]]++;
    for (int64_t q = 0; q < s->sequences; q++) {
        s->starts[q] = offsets[q];
        s->lengths[q] = offsets[q + 1] - offsets[q];
    }
    return SLT_OK;
}

static slt_status learn(slt_plans *plans, slt_arena *arena, const int32_t *types,
                        const int64_t *offsets, int64_t sequences) {
    search s = {
        .plans = plans, .arena = arena, .sequences = sequences, .segments = offsets[sequences]};
    SLT_TRY(read_types(&s, types, offsets));
    plans->bits_before = bits_of(&s);
    SLT_TRY(shorten(&s));
    plans->bits_after = bits_of(&s);
    return list_plans(&s);
}

slt_status slt_plans_learn(slt_context *context, const int32_t *types, const int64_t *offsets,
                           int64_t sequences, slt_plans **out) {
    slt_plans *plans;
    slt_arena arena;
    if (sequences < 1 || offsets[0] != 0 || offsets[sequences] < 1)
        SLT_FAIL(SLT_INVALID, "plans need sequences of types");
    for (int64_t q = 0; q < sequences; q++)
        if (offsets[q] > offsets[q + 1]) SLT_FAIL(SLT_INVALID, "offsets of sequences do not rise");
    for (int64_t i = 0; i < offsets[sequences]; i++)
        if (types[i] < SLT_UNKNOWN_TYPE || types[i] >= SLT_PLAN_RULE)
            SLT_FAIL(SLT_RANGE, "type %d is not -1 to %d", types[i], SLT_PLAN_RULE - 1);
    SLT_TRY(SLT_ALLOC(&context->allocator, &plans, 1));
    plans->context = context;
    slt_arena_init(&plans->arena, &context->allocator, 0);
    slt_arena_init(&arena, &context->allocator, 0);
    slt_status status = learn(plans, &arena, types, offsets, sequences);
    slt_arena_deinit(&arena);
    if (status != SLT_OK) return slt_plans_close(plans), status;
    *out = plans;
    return SLT_OK;
}

void slt_plans_close(slt_plans *plans) {
    if (!plans) return;
    slt_arena_deinit(&plans->arena);
    slt_free(&plans->context->allocator, plans);
}

int slt_plans_count(const slt_plans *plans) { return plans->count; }
int slt_plans_rules(const slt_plans *plans) { return plans->rule_count; }

const slt_type_plan *slt_plans_at(const slt_plans *plans, int plan) {
    return plan >= 0 && plan < plans->count ? &plans->plans[plan] : NULL;
}

const slt_type_rule *slt_plans_rule(const slt_plans *plans, int32_t symbol) {
    int32_t rule = symbol - SLT_PLAN_RULE;
    return rule >= 0 && rule < plans->rule_count ? &plans->rules[rule] : NULL;
}

void slt_plans_bits(const slt_plans *plans, double *before, double *after) {
    *before = plans->bits_before;
    *after = plans->bits_after;
}
