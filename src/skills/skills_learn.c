// Skills, learned: which types behave alike, one policy with terminations for all skills, and a
// chooser of the next one.
//
// Two types are one skill when each predicts the other's actions: share(A,B) = (base_B - nats of
// B's steps by a policy of A alone) / (base_B - the same by one of B), base_B the entropy of B's
// actions; merged where the mean of both directions is at least one half.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include <inttypes.h>
#include <math.h>
#include <string.h>
#include "skills/skills_impl.h"

enum {
    DEFAULT_HIDDEN = 256,
    DEFAULT_EPOCHS = 40,
    MERGE_HIDDEN = 64,
    MERGE_EPOCHS = 8,
    ROWS_IN_ALL = 100000, // at least, of the chooser and in merging
    MOST_EPOCHS = 100,    // for that
    BATCH = 256,
    SMALL_BATCH = 64, // of up to SMALL rows
    SMALL = 20000,
    MOST_MERGED = 64,
    EVERY = 10,
    MAP_STEPS = 100000, // that a map is learned from, at most
};
static const double RATE = 0.002, DROPOUT = 0.5, ALIKE = 0.5;

// a step of a segment whose type is known
typedef struct {
    int64_t first; // of its ones
    int32_t type, task;
    uint8_t action, last, begins, held_out;
} step;

typedef struct {
    slt_skills *skills;
    slt_segment_source source;
    slt_arena *arena;
    slt_skills_options options;
    step *steps;
    int64_t count, ones_count, ones_room;
    uint16_t *ones;
    uint8_t *numbers;
    float *reals;
    slt_view_memory memory;
    uint8_t marks[SLT_MAP_PLACES];
} learner;

// ---- reading

static slt_status read_numbers(learner *l, const slt_episode *episode, int64_t t) {
    SLT_TRY(slt_episode_observe(l->source.info, episode, t, l->reals));
    for (int64_t i = 0; i < l->skills->code.size; i++) {
        float value = l->reals[i];
        if (!(value >= 0 && value <= 255 && value == floorf(value)))
            SLT_FAIL(SLT_UNSUPPORTED, "%s: skills need observations of whole numbers 0 to 255",
                     slt_dataset_path(l->source.data));
        l->numbers[i] = (uint8_t)value;
    }
    return SLT_OK;
}

static slt_status find_levels(learner *l) {
    slt_skill_code *code = &l->skills->code;
    for (int64_t i = 0; i < l->source.count; i++) {
        slt_episode episode;
        SLT_TRY(slt_context_check(l->skills->context));
        SLT_TRY(slt_dataset_episode(l->source.data, l->source.episodes[i], &episode));
        for (int64_t t = 0; t < episode.length; t++) {
            SLT_TRY(read_numbers(l, &episode, t));
            for (int64_t k = 0; k < code->size; k++)
                if (l->numbers[k] >= code->levels[k])
                    code->levels[k] = (uint16_t)(l->numbers[k] + 1);
        }
    }
    return slt_skill_code_lay(code, &l->skills->arena);
}

// of step t and of what is remembered there; they count when the step is added
static slt_status see(learner *l, const slt_episode *episode, int64_t t, int64_t *count) {
    int64_t size = l->skills->code.size + SLT_MAP_ONES;
    int action = t ? (int)slt_episode_action(episode, t - 1) : -1;
    if (l->ones_count + size > l->ones_room) {
        uint16_t *more;
        l->ones_room = 2 * (l->ones_room + size) + (1 << 16);
        SLT_TRY(SLT_NEW(l->arena, &more, (size_t)l->ones_room));
        if (l->ones_count) memcpy(more, l->ones, (size_t)l->ones_count * sizeof *more);
        l->ones = more;
    }
    SLT_TRY(read_numbers(l, episode, t));
    *count = slt_skills_see(l->skills, &l->memory, l->marks, action, l->numbers,
                            l->ones + l->ones_count);
    return SLT_OK;
}

static slt_status add_episode(learner *l, const slt_episode *episode, const int32_t *ids,
                              const int32_t *types, bool held_out) {
    int32_t segment = 0;
    for (int64_t t = 0; t < episode->length; t++) {
        bool last = slt_ends_at(ids, episode->length, t);
        int64_t seen;
        SLT_TRY(see(l, episode, t, &seen));
        if (types[segment] >= 0) {
            step *s = &l->steps[l->count++];
            *s = (step){
                .first = l->ones_count,
                .type = types[segment],
                .task = episode->task > 0 && episode->task < l->skills->tasks ? episode->task : 0,
                .action = (uint8_t)slt_episode_action(episode, t),
                .last = last,
                .begins = t == 0 || ids[t] != ids[t - 1],
                .held_out = held_out};
            l->ones_count += seen;
        }
        segment += last;
    }
    l->steps[l->count].first = l->ones_count;
    return SLT_OK;
}

static slt_status read_steps(learner *l) {
    const int64_t *valid;
    int64_t valid_count = slt_dataset_split(l->source.data, SLT_SPLIT_VALID, &valid);
    int64_t longest = slt_dataset_about(l->source.data)->longest, train = l->source.count;
    int32_t *types;
    SLT_TRY(SLT_NEW(l->arena, &types, (size_t)longest));
    SLT_TRY(SLT_NEW(l->arena, &l->steps, (size_t)slt_dataset_about(l->source.data)->steps + 1));
    for (int64_t i = 0; i < train + valid_count; i++) {
        slt_episode episode;
        const int32_t *ids;
        bool segmented, held_out = valid_count ? i >= train : i % EVERY == EVERY - 1;
        if (i == train) l->source.episodes = valid - train; // numbers count on
        SLT_TRY(slt_source_episode(&l->source, i, &episode, &ids, &segmented));
        if (!segmented) continue;
        SLT_TRY(slt_types_of(l->skills->types, l->source.data, episode.index, ids, types));
        SLT_TRY(add_episode(l, &episode, ids, types, held_out));
    }
    if (!l->count)
        SLT_FAIL(SLT_INVALID, "%s: no segment has a type", slt_dataset_path(l->source.data));
    return SLT_OK;
}

// ---- a map of what was seen

typedef struct {
    int64_t *start;
    uint16_t *ones;
    uint8_t *actions, *begins;
} plain_steps;

static slt_status read_plain(learner *l, int64_t steps, plain_steps *p) {
    int64_t at = 0;
    size_t size = (size_t)l->skills->code.size;
    SLT_TRY(SLT_NEW(l->arena, &p->start, (size_t)steps + 1));
    SLT_TRY(SLT_NEW(l->arena, &p->actions, (size_t)steps + 1));
    SLT_TRY(SLT_NEW(l->arena, &p->begins, (size_t)steps + 1));
    SLT_TRY(SLT_NEW(l->arena, &p->ones, (size_t)steps * size + 1));
    for (int64_t i = 0; at < steps; i++) {
        slt_episode episode;
        SLT_TRY(slt_dataset_episode(l->source.data, l->source.episodes[i], &episode));
        for (int64_t t = 0; t < episode.length && at < steps; t++, at++) {
            SLT_TRY(read_numbers(l, &episode, t));
            p->actions[at] = (uint8_t)slt_episode_action(&episode, t);
            p->begins[at] = t == 0;
            p->start[at + 1] = p->start[at] + slt_skill_encode(&l->skills->code, l->numbers,
                                                               p->ones + p->start[at]);
        }
    }
    return SLT_OK;
}

static slt_status learn_map(learner *l) {
    slt_skills *k = l->skills;
    plain_steps p;
    int64_t steps = 0;
    for (int64_t i = 0; i < l->source.count; i++) {
        const int64_t *offsets = slt_dataset_offsets(l->source.data) + l->source.episodes[i];
        steps += offsets[1] - offsets[0];
    }
    if (steps > MAP_STEPS) steps = MAP_STEPS;
    SLT_TRY(read_plain(l, steps, &p));
    slt_map_steps seen = {steps, p.start, p.ones, p.actions, p.begins};
    SLT_TRY(slt_view_map_learn(k->context, &k->arena, &seen, k->code.places, k->actions, &k->map));
    if (!k->map.things)
        SLT_FAIL(SLT_UNSUPPORTED,
                 "%s: nothing to remember: no action shifts what is seen along two axes at most",
                 slt_dataset_path(l->source.data));
    k->code.width = k->code.places + k->map.width;
    return SLT_OK;
}

// ---- rows for a network

typedef enum { OF_TYPE, OF_SKILL, OF_CHOICE } row_kind;

static bool belongs(const learner *l, const step *s, row_kind kind, int type, bool held_out) {
    (void)l;
    if (s->held_out != held_out) return false;
    return kind == OF_SKILL || (kind == OF_TYPE && s->type == type) ||
           (kind == OF_CHOICE && s->begins);
}

static slt_status make_rows(learner *l, row_kind kind, int type, bool held_out,
                            slt_skill_rows *out) {
    const slt_skills *k = l->skills;
    int64_t rows = 0, ones = 0;
    for (int64_t i = 0; i < l->count; i++)
        if (belongs(l, &l->steps[i], kind, type, held_out))
            rows++, ones += l->steps[i + 1].first - l->steps[i].first + 1;
    *out = (slt_skill_rows){0};
    SLT_TRY(SLT_NEW(l->arena, &out->start, (size_t)rows + 1));
    SLT_TRY(SLT_NEW(l->arena, &out->ones, (size_t)ones + 1));
    SLT_TRY(SLT_NEW(l->arena, &out->target, (size_t)rows + 1));
    for (int64_t i = 0; i < l->count; i++) {
        const step *s = &l->steps[i];
        if (!belongs(l, s, kind, type, held_out)) continue;
        int64_t at = out->start[out->rows], size = s[1].first - s->first;
        memcpy(out->ones + at, l->ones + s->first, (size_t)size * sizeof *l->ones);
        at += size;
        int skill = kind == OF_TYPE ? 0 : k->skill_of_type[s->type];
        int head = 2 * k->actions * skill;
        if (kind != OF_TYPE)
            out->ones[at++] = (uint16_t)(k->code.width + (kind == OF_SKILL ? skill : s->task));
        out->target[out->rows] =
            kind == OF_CHOICE ? skill : head + s->action + k->actions * s->last;
        out->start[++out->rows] = at;
    }
    return SLT_OK;
}

// epochs in which a small set is seen often enough
static int enough(const slt_skill_rows *train, int least) {
    int64_t epochs = train->rows ? ROWS_IN_ALL / train->rows : 0;
    if (epochs > MOST_EPOCHS) epochs = MOST_EPOCHS;
    return epochs > least ? (int)epochs : least;
}

static slt_skill_fit fit_of(const learner *l, const slt_skill_rows *train, int epochs) {
    int batch = train->rows > SMALL ? BATCH : SMALL_BATCH;
    return (slt_skill_fit){epochs, batch, RATE, DROPOUT, l->options.seed};
}

// ---- which types are one skill

static double entropy_of(const slt_skill_rows *rows, int outputs) {
    double counts[SLT_SKILL_OUTPUTS] = {0}, sum = 0;
    for (int64_t r = 0; r < rows->rows; r++) counts[rows->target[r]]++;
    for (int i = 0; i < outputs; i++)
        if (counts[i] > 0)
            sum -= counts[i] / (double)rows->rows * log(counts[i] / (double)rows->rows);
    return sum;
}

// nats[a][b]: of held-out steps of type b by a policy of type a
static slt_status cross(learner *l, int K, double *nats, double *base) {
    slt_skill_shape shape = {l->skills->code.width, MERGE_HIDDEN, 2 * l->skills->actions};
    slt_skill_rows *held;
    SLT_TRY(SLT_NEW(l->arena, &held, (size_t)K));
    for (int b = 0; b < K; b++) {
        SLT_TRY(make_rows(l, OF_TYPE, b, true, &held[b]));
        base[b] = entropy_of(&held[b], shape.outputs);
    }
    for (int a = 0; a < K; a++) {
        slt_skill_rows train;
        slt_skill_net net;
        SLT_TRY(make_rows(l, OF_TYPE, a, false, &train));
        slt_skill_fit fit = fit_of(l, &train, enough(&train, MERGE_EPOCHS));
        SLT_TRY(slt_skill_net_init(&net, l->arena, shape));
        SLT_TRY(slt_skill_net_learn(l->skills->context, &train, &held[a], &fit, &net));
        for (int b = 0; b < K; b++) nats[a * K + b] = slt_skill_nats(&net, &held[b]);
    }
    return SLT_OK;
}

static double share(const double *nats, const double *base, int K, int a, int b) {
    double own = base[b] - nats[b * K + b];
    return own > 1e-6 ? (base[b] - nats[a * K + b]) / own : 0;
}

static slt_status merge(learner *l) {
    slt_skills *k = l->skills;
    int K = slt_types_count(k->types);
    double *nats, *base;
    for (int i = 0; i < K; i++) k->skill_of_type[i] = i;
    k->count = K;
    if (l->options.unmerged || K > MOST_MERGED) return SLT_OK;
    SLT_TRY(SLT_NEW(l->arena, &nats, (size_t)K * (size_t)K));
    SLT_TRY(SLT_NEW(l->arena, &base, (size_t)K));
    SLT_TRY(cross(l, K, nats, base));
    for (int a = 0; a < K; a++)
        for (int b = a + 1; b < K; b++) {
            int one = k->skill_of_type[a], two = k->skill_of_type[b];
            int from = one > two ? one : two, to = one > two ? two : one;
            double mean = 0.5 * (share(nats, base, K, a, b) + share(nats, base, K, b, a));
            for (int i = 0; mean >= ALIKE && from != to && i < K; i++)
                if (k->skill_of_type[i] == from) k->skill_of_type[i] = to;
        }
    // numbers without gaps, in the order of the first type
    k->count = 0;
    for (int i = 0; i < K; i++)
        k->skill_of_type[i] =
            k->skill_of_type[i] == i ? k->count++ : k->skill_of_type[k->skill_of_type[i]];
    return SLT_OK;
}

static slt_status find_longest(learner *l) {
    slt_skills *k = l->skills;
    int32_t length = 0;
    SLT_TRY(SLT_NEW(&k->arena, &k->longest, (size_t)k->count));
    for (int i = 0; i < k->count; i++) k->longest[i] = 1;
    for (const step *s = l->steps; s < l->steps + l->count; s++) {
        int32_t *longest = &k->longest[k->skill_of_type[s->type]];
        length = s->begins ? 1 : length + 1;
        if (length > *longest) *longest = length;
    }
    return SLT_OK;
}

// ---- how well they do on what was held out

static int largest(const float *values, int count) {
    int best = 0;
    for (int i = 1; i < count; i++)
        if (values[i] > values[best]) best = i;
    return best;
}

// the most probable action, and whether ending is more probable than not
static void judge(const float *logits, int A, int *action, bool *ends) {
    float chance[SLT_SKILL_ACTIONS];
    double stay = 0, end = 0, most = (double)logits[largest(logits, 2 * A)];
    for (int a = 0; a < A; a++) {
        double first = exp((double)logits[a] - most), last = exp((double)logits[A + a] - most);
        chance[a] = (float)(first + last);
        stay += first;
        end += last;
    }
    *action = largest(chance, A);
    *ends = end > stay;
}

static void show_policy(slt_skills *k, const slt_skill_rows *rows) {
    float logits[SLT_SKILL_OUTPUTS];
    for (int64_t r = 0; r < rows->rows; r++) {
        int action, skill = rows->ones[rows->start[r + 1] - 1] - k->code.width;
        bool ends;
        slt_skill_think(&k->policy, rows->ones + rows->start[r],
                        rows->start[r + 1] - rows->start[r], logits);
        int head = 2 * k->actions * skill, target = rows->target[r] - head;
        judge(logits + head, k->actions, &action, &ends);
        k->shown[skill * 3]++;
        k->shown[skill * 3 + 1] += action == target % k->actions;
        k->shown[skill * 3 + 2] += ends == (target >= k->actions);
    }
    for (int i = 0; i < k->count; i++)
        for (int c = 1; c < 3; c++)
            if (k->shown[i * 3] > 0) k->shown[i * 3 + c] /= k->shown[i * 3];
}

static void show_chooser(slt_skills *k, const slt_skill_rows *rows) {
    float logits[SLT_SKILL_OUTPUTS];
    double right = 0;
    for (int64_t r = 0; r < rows->rows; r++) {
        slt_skill_think(&k->chooser, rows->ones + rows->start[r],
                        rows->start[r + 1] - rows->start[r], logits);
        right += largest(logits, k->count) == rows->target[r];
    }
    k->choice = rows->rows ? right / (double)rows->rows : 0;
}

// ---- the whole

static slt_status learn_nets(learner *l) {
    slt_skills *k = l->skills;
    slt_skill_rows train, held_out;
    slt_skill_shape policy, chooser;
    slt_skill_fit fit;
    SLT_TRY(slt_skills_shapes(k, l->options.hidden, &policy, &chooser));
    SLT_TRY(slt_skill_net_init(&k->policy, &k->arena, policy));
    SLT_TRY(slt_skill_net_init(&k->chooser, &k->arena, chooser));
    SLT_TRY(SLT_NEW(&k->arena, &k->shown, (size_t)k->count * 3));
    SLT_TRY(make_rows(l, OF_SKILL, 0, false, &train));
    SLT_TRY(make_rows(l, OF_SKILL, 0, true, &held_out));
    fit = fit_of(l, &train, l->options.epochs);
    SLT_TRY(slt_skill_net_learn(k->context, &train, &held_out, &fit, &k->policy));
    slt_skill_net_round(&k->policy);
    show_policy(k, &held_out);
    SLT_TRY(make_rows(l, OF_CHOICE, 0, false, &train));
    SLT_TRY(make_rows(l, OF_CHOICE, 0, true, &held_out));
    fit = fit_of(l, &train, enough(&train, l->options.epochs));
    SLT_TRY(slt_skill_net_learn(k->context, &train, &held_out, &fit, &k->chooser));
    show_chooser(k, &held_out);
    return SLT_OK;
}

static slt_status prepare(learner *l) {
    slt_skills *k = l->skills;
    const slt_dataset_info *info = l->source.info;
    const char *ids = info->has_tasks && info->environment ? info->environment : "";
    size_t size = (size_t)info->observation_size;
    if (info->action_kind != SLT_ACTIONS_DISCRETE || !size || k->types->features ||
        info->action_count > SLT_SKILL_ACTIONS)
        SLT_FAIL(SLT_UNSUPPORTED,
                 "%s: skills need discrete actions, 256 at most, and observations of symbols",
                 slt_dataset_path(l->source.data));
    k->actions = info->action_count;
    k->tasks = 1;
    for (const char *c = ids; *c; c++) k->tasks += *c == ',';
    SLT_TRY(slt_arena_text(&k->arena, ids, strlen(ids), &k->environment));
    k->code.size = info->observation_size;
    SLT_TRY(SLT_NEW(&k->arena, &k->code.levels, size));
    for (size_t i = 0; i < size; i++) k->code.levels[i] = 1;
    SLT_TRY(SLT_NEW(&k->arena, &k->skill_of_type, (size_t)slt_types_count(k->types)));
    SLT_TRY(SLT_NEW(l->arena, &l->numbers, size));
    SLT_TRY(SLT_NEW(l->arena, &l->reals, size));
    l->source.count = slt_dataset_split(l->source.data, SLT_SPLIT_TRAIN, &l->source.episodes);
    return SLT_OK;
}

static slt_status learn(learner *l) {
    SLT_TRY(prepare(l));
    SLT_TRY(find_levels(l));
    if (l->options.memory) SLT_TRY(learn_map(l));
    SLT_TRY(read_steps(l));
    SLT_TRY(merge(l));
    SLT_TRY(find_longest(l));
    return learn_nets(l);
}

slt_status slt_skills_learn(slt_context *context, slt_dataset *data, const int32_t *segments,
                            const slt_types *types, const slt_skills_options *options,
                            slt_skills **out) {
    slt_arena arena;
    learner l = {.source = {data, slt_dataset_about(data), segments, NULL, 0, &arena},
                 .arena = &arena};
    if (options) l.options = *options;
    if (!l.options.hidden) l.options.hidden = DEFAULT_HIDDEN;
    if (!l.options.epochs) l.options.epochs = DEFAULT_EPOCHS;
    if (l.options.hidden < 8 || l.options.hidden > SLT_SKILL_HIDDEN || l.options.epochs < 1)
        SLT_FAIL(SLT_RANGE, "skills of %d units in %d epochs; units are 8 to %d", l.options.hidden,
                 l.options.epochs, SLT_SKILL_HIDDEN);
    SLT_TRY(slt_types_fit(types, data));
    SLT_TRY(slt_skills_create(context, &l.skills));
    slt_arena_init(&arena, &context->allocator, 0);
    slt_status status = slt_types_copy(types, &l.skills->types);
    if (status == SLT_OK) status = learn(&l);
    slt_arena_deinit(&arena);
    if (status != SLT_OK) return slt_skills_close(l.skills), status;
    *out = l.skills;
    return SLT_OK;
}
