// Building a tape.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include "engine/tape_impl.h"

#include <string.h>
#include "engine/gemm.h"

slt_status slt_tape_create(slt_store *store, slt_limits limits, slt_tape **out) {
    if (limits.trajectories < 1 || limits.tokens < 1 || limits.slots < 1 || limits.length < 1)
        SLT_FAIL(SLT_RANGE,
                 "tape limits must be positive: %d trajectories, %d tokens, %d slots, "
                 "length %d",
                 limits.trajectories, limits.tokens, limits.slots, limits.length);
    if ((int64_t)limits.tokens * limits.slots > INT32_MAX)
        SLT_FAIL(SLT_RANGE, "%d tokens in %d slots are too many", limits.tokens, limits.slots);
    slt_tape *tape;
    SLT_TRY(SLT_ALLOC(&store->context->allocator, &tape, 1));
    tape->context = store->context;
    tape->store = store;
    if (tape->context->precision == SLT_BF16) tape->bf16 = slt_gemm_bf16_chosen();
    tape->limits = limits;
    tape->var_count = 1;
    slt_arena_init(&tape->arena, &store->context->allocator, 0);
    *out = tape;
    return SLT_OK;
}

void slt_tape_destroy(slt_tape *tape) {
    if (!tape) return;
    if (tape->on_device) slt_tape_device(tape)->tape_close(tape);
    slt_arena_deinit(&tape->arena);
    slt_free(&tape->context->allocator, tape);
}

// room for one more thing in an array of the tape's arena
static bool grow(slt_tape *tape, void **array, int count, int *room, size_t size) {
    if (*array && count < *room) return true;
    int larger = *room ? 2 * *room : 128;
    void *copy = slt_arena_take(&tape->arena, (size_t)larger, size);
    if (!copy) return slt_tape_fail(tape, SLT_NOMEM, "no memory for the tape"), false;
    if (*array) memcpy(copy, *array, (size_t)count * size);
    *array = copy;
    *room = larger;
    return true;
}

static slt_var add_var(slt_tape *tape, slt_var_info info) {
    if (tape->finished) slt_tape_fail(tape, SLT_INVALID, "the tape is finished");
    if (tape->status != SLT_OK) return 0;
    void *array = tape->vars;
    if (!grow(tape, &array, tape->var_count, &tape->var_room, sizeof *tape->vars)) return 0;
    tape->vars = array;
    info.value = info.gradient = SLT_NOWHERE;
    tape->vars[tape->var_count] = info;
    return tape->var_count++;
}

slt_var slt_tape_input(slt_tape *tape, slt_type type, slt_shape shape, const char *name) {
    return add_var(
        tape, (slt_var_info){.shape = shape, .type = type, .origin = SLT_FROM_FEED, .name = name});
}

slt_var slt_tape_input_with_gradient(slt_tape *tape, slt_shape shape, const char *name) {
    return add_var(tape, (slt_var_info){.shape = shape,
                                        .type = SLT_NUMBERS,
                                        .origin = SLT_FROM_FEED,
                                        .name = name,
                                        .wants_gradient = true});
}

slt_real *slt_tape_constant(slt_tape *tape, int rows, int width, const char *name, slt_var *out) {
    *out = 0;
    if (tape->status != SLT_OK) return NULL;
    slt_real *numbers;
    if (SLT_NEW(&tape->arena, &numbers, (size_t)rows * (size_t)width) != SLT_OK)
        return slt_tape_fail(tape, SLT_NOMEM, "no memory for '%s'", name), NULL;
    *out = add_var(tape, (slt_var_info){.shape = {SLT_FIXED, rows, width},
                                        .origin = SLT_FROM_FEED,
                                        .name = name,
                                        .constant = numbers});
    return numbers;
}

static bool same_parts(const slt_parameter *parameter, int rows, const slt_part *parts,
                       const int *flat, int count) {
    if (parameter->rows != rows || parameter->parts != count) return false;
    if (!parameter->flat != !flat) return false;
    for (int i = 0; i < count; i++)
        if (strcmp(parameter->part[i].name, parts[i].name) != 0 ||
            parameter->part[i].columns != parts[i].columns ||
            (flat && parameter->flat[i] != flat[i]))
            return false;
    return true;
}

static int number_of(slt_tape *tape, int rows, const slt_part *parts, const int *flat, int count) {
    slt_store *store = tape->store;
    if (tape->status != SLT_OK) return -1;
    int number = slt_store_find(store, parts[0].name);
    if (number < 0)
        number = flat ? slt_store_add_flat(store, parts, flat, count)
                      : slt_store_add(store, rows, parts, count);
    if (number < 0)
        slt_tape_fail(tape, store->status, "%s", store->message);
    else if (!same_parts(&store->parameters[number], rows, parts, flat, count))
        slt_tape_fail(tape, SLT_SHAPE, "parameter '%s' is there with another shape", parts[0].name);
    return tape->status == SLT_OK ? number : -1;
}

int slt_tape_number(slt_tape *tape, int rows, const slt_part *parts, int count) {
    return number_of(tape, rows, parts, NULL, count);
}

slt_var slt_tape_flat(slt_tape *tape, const slt_part *parts, const int *flat, int count) {
    int number = number_of(tape, 1, parts, flat, count);
    return number < 0 ? 0 : slt_tape_parameter(tape, number);
}

slt_var slt_tape_named(slt_tape *tape, int rows, const slt_part *parts, int count) {
    int number = slt_tape_number(tape, rows, parts, count);
    return number < 0 ? 0 : slt_tape_parameter(tape, number);
}

// a stretch of a parameter is one variable, however often it is used: gradients are added there
static slt_var find_stretch(slt_tape *tape, int parameter, size_t first, size_t count) {
    for (slt_var v = 1; v < tape->var_count; v++) {
        const slt_var_info *info = &tape->vars[v];
        if (info->origin != SLT_FROM_STORE || info->parameter != parameter) continue;
        size_t size = (size_t)info->shape.rows * (size_t)info->shape.width;
        if (info->first == first && size == count) return v;
        if (info->first < first + count && first < info->first + size)
            slt_tape_fail(tape, SLT_SHAPE, "parameter '%s': two uses overlap", info->name);
    }
    return 0;
}

slt_var slt_tape_parameter_rows(slt_tape *tape, int parameter, int first, int rows) {
    const slt_store *store = tape->store;
    if (parameter < 0 || parameter >= store->count)
        return slt_tape_fail(tape, SLT_INVALID, "no parameter number %d", parameter), 0;
    const slt_parameter *p = &store->parameters[parameter];
    if (first < 0 || rows < 1 || first > p->rows - rows)
        return slt_tape_fail(tape, SLT_SHAPE, "parameter '%s' has %d rows, not %d from row %d",
                             p->part[0].name, p->rows, rows, first),
               0;
    size_t columns = (size_t)p->columns;
    slt_var there = find_stretch(tape, parameter, (size_t)first * columns, (size_t)rows * columns);
    if (there) return there;
    return add_var(tape, (slt_var_info){.shape = {SLT_FIXED, rows, p->columns},
                                        .type = SLT_NUMBERS,
                                        .origin = SLT_FROM_STORE,
                                        .name = p->part[0].name,
                                        .parameter = parameter,
                                        .first = (size_t)first * columns,
                                        .wants_gradient = true});
}

slt_var slt_tape_parameter(slt_tape *tape, int parameter) {
    bool known = parameter >= 0 && parameter < tape->store->count;
    return slt_tape_parameter_rows(tape, parameter, 0,
                                   known ? tape->store->parameters[parameter].rows : 1);
}

// the shape rule's view of the inputs; false when one is missing
static bool fill_rule(slt_tape *tape, const slt_op *op, const slt_node *node,
                      slt_shape_check *rule) {
    for (int i = 0; i < node->inputs; i++) {
        bool may_miss = i >= op->least || (op->optional >> i & 1);
        if (!node->in[i] && !may_miss)
            return slt_tape_fail(tape, SLT_INVALID, "%s: input %d is missing", op->name, i), false;
        if (node->in[i] < 0 || node->in[i] >= tape->var_count)
            return slt_tape_fail(tape, SLT_INVALID, "%s: input %d is no variable", op->name, i),
                   false;
        if (!node->in[i]) continue;
        rule->in[i] = tape->vars[node->in[i]].shape;
        rule->type[i] = tape->vars[node->in[i]].type;
    }
    return true;
}

static bool node_wants_gradient(const slt_tape *tape, const slt_node *node) {
    for (int i = 0; i < node->inputs; i++) {
        bool never = node->op->no_gradient_in >> i & 1;
        if (node->in[i] && !never && tape->vars[node->in[i]].wants_gradient) return true;
    }
    return false;
}

static slt_var add_outputs(slt_tape *tape, slt_node *node, const slt_shape_check *rule) {
    bool wants = node_wants_gradient(tape, node);
    for (int i = 0; i < rule->outputs; i++)
        node->out[i] = add_var(
            tape, (slt_var_info){.shape = rule->out[i],
                                 .type = SLT_NUMBERS,
                                 .origin = SLT_FROM_NODE,
                                 .node = tape->node_count,
                                 .wants_gradient = wants && !(node->op->no_gradient_out >> i & 1)});
    node->outputs = rule->outputs;
    return node->out[0];
}

slt_var slt_tape_apply(slt_tape *tape, const slt_op *op, const slt_var *inputs, int count,
                       const slt_attributes *attributes) {
    if (tape->status != SLT_OK) return 0;
    slt_node node = {.op = op, .inputs = count};
    if (count < op->least || count > op->most || count > SLT_INPUTS)
        return slt_tape_fail(tape, SLT_INVALID, "%s: %d inputs", op->name, count), 0;
    memcpy(node.in, inputs, (size_t)count * sizeof *inputs);
    if (attributes) node.attributes = *attributes;

    slt_shape_check rule = {.tape = tape, .node = &node, .limits = tape->limits, .outputs = 1};
    if (!fill_rule(tape, op, &node, &rule)) return 0;
    op->shape(&rule);
    if (tape->status != SLT_OK) return 0;

    slt_var first = add_outputs(tape, &node, &rule);
    void *array = tape->nodes;
    if (!first || !grow(tape, &array, tape->node_count, &tape->node_room, sizeof *tape->nodes))
        return 0;
    tape->nodes = array;
    tape->nodes[tape->node_count++] =
        (slt_node_info){.node = node, .aux = SLT_NOWHERE, .shared = {SLT_NOWHERE, SLT_NOWHERE}};
    return first;
}

void slt_tape_fuse(slt_tape *tape, slt_fusion fusion, slt_var first, slt_var last) {
    if (tape->status != SLT_OK || !first || !last) return;
    const slt_var_info *from = &tape->vars[first], *to = &tape->vars[last];
    if (from->origin != SLT_FROM_NODE || to->origin != SLT_FROM_NODE || from->node > to->node) {
        slt_tape_fail(tape, SLT_INVALID, "%s: not a row of nodes", slt_fusion_name(fusion));
        return;
    }
    int before = tape->nodes[from->node].group[fusion], begin = before ? before - 1 : from->node;
    for (int n = begin; n <= to->node; n++) tape->nodes[n].group[fusion] = begin + 1;
}

void slt_tape_keep(slt_tape *tape, slt_var var) {
    if (var > 0 && var < tape->var_count) tape->vars[var].kept = true;
}

static slt_status make_frames(slt_tape *tape) {
    int members = tape->store->members;
    SLT_TRY(SLT_NEW(&tape->arena, &tape->frames, (size_t)members));
    for (int i = 0; i < members; i++) {
        SLT_TRY(SLT_NEW(&tape->arena, &tape->frames[i].feed, (size_t)tape->var_count));
        SLT_TRY(SLT_NEW(&tape->arena, &tape->frames[i].slice, (size_t)tape->var_count));
        tape->frames[i].step.active = true;
    }
    SLT_TRY(SLT_NEW(&tape->arena, &tape->stats_read, (size_t)members));
    if (tape->store->device) return SLT_OK; // brings notes of its own
    return SLT_NEW(&tape->arena, &tape->stats, (size_t)members * SLT_STATS_KEPT);
}

slt_status slt_tape_finish(slt_tape *tape, slt_var loss, bool separate) {
    if (tape->status == SLT_OK && loss) {
        slt_shape shape = tape->vars[loss].shape;
        char text[64];
        if (shape.space != SLT_FIXED || shape.rows != 1 || shape.width != 1)
            slt_tape_fail(tape, SLT_SHAPE, "the loss has shape %s, not [1, 1]",
                          slt_var_shape_text(shape, text, sizeof text));
    }
    if (tape->status != SLT_OK) SLT_FAIL(tape->status, "%s", tape->message);
    if (!tape->store->value) SLT_FAIL(SLT_INVALID, "the parameter store is not finished");
    tape->loss = loss;
    slt_tape_keep(tape, loss);
    tape->separate = separate;
    SLT_TRY(slt_tape_plan(tape, separate));
    SLT_TRY(make_frames(tape));
    tape->finished = true;
    return tape->store->device ? slt_tape_device(tape)->tape_open(tape) : SLT_OK;
}
