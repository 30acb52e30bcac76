// The planner: no two buffers that live at the same time share memory, and operations read only
// what they declare. Life-times are found by walking all accesses of a step, not by the planner's
// rules.
#include "slottar_rig.h"
#include "group_context.h"

enum { ROOM = 4096 };

typedef struct {
    int64_t offset;
    size_t size;
    int first, last;
    const char *what;
} access_span;

typedef struct {
    const slt_tape *tape;
    access_span spans[ROOM];
    int count, time;
} walk_log;

// a buffer is known by its place among the tape's own fields
static void touch(walk_log *log, int64_t offset, size_t size, const char *what, int key,
                  int *known) {
    if (offset < 0 || size == 0) return;
    if (known[key] < 0) {
        assert_true(log->count < ROOM);
        known[key] = log->count;
        log->spans[log->count++] = (access_span){offset, size, log->time, log->time, what};
    }
    log->spans[known[key]].last = log->time;
}

static size_t size_of(const slt_tape *tape, slt_var var) {
    slt_shape shape = tape->vars[var].shape;
    int rows =
        shape.space == SLT_FIXED ? shape.rows : slt_space_capacity(tape->limits, shape.space);
    return (size_t)rows * (size_t)shape.width;
}

typedef struct {
    int value[1024], gradient[1024], aux[512], shared[2][512];
} known_buffers;

static void touch_value(walk_log *log, known_buffers *known, slt_var var) {
    touch(log, log->tape->vars[var].value, size_of(log->tape, var), "value", var, known->value);
}

static void touch_gradient(walk_log *log, known_buffers *known, slt_var var) {
    const slt_var_info *info = &log->tape->vars[var];
    if (info->has_gradient && info->origin != SLT_FROM_STORE)
        touch(log, info->gradient, size_of(log->tape, var), "gradient", var, known->gradient);
}

static void touch_scratch(walk_log *log, known_buffers *known, int n, bool backward) {
    const slt_node_info *info = &log->tape->nodes[n];
    slt_sizes sizes = slt_node_sizes(log->tape, &info->node, NULL);
    const slt_op *op = info->node.op;
    touch(log, info->aux, op->aux ? op->aux(&sizes) : 0, "aux", n, known->aux);
    touch(log, info->shared[backward], op->shared ? op->shared(&sizes) : 0, "shared", n,
          known->shared[backward]);
}

static void forward_accesses(walk_log *log, known_buffers *known) {
    for (int n = 0; n < log->tape->node_count; n++, log->time++) {
        const slt_node *node = &log->tape->nodes[n].node;
        for (int i = 0; i < node->inputs; i++)
            if (node->in[i]) touch_value(log, known, node->in[i]);
        for (int i = 0; i < node->outputs; i++) touch_value(log, known, node->out[i]);
        touch_scratch(log, known, n, false);
    }
}

static void backward_accesses(walk_log *log, known_buffers *known) {
    const slt_tape *tape = log->tape;
    touch_gradient(log, known, tape->loss);
    for (int n = tape->node_count - 1; n >= 0; n--, log->time++) {
        const slt_node *node = &tape->nodes[n].node;
        if (!tape->nodes[n].runs_backward) continue;
        for (int i = 0; i < node->inputs; i++) {
            if (!node->in[i]) continue;
            if (node->op->saves_in >> i & 1) touch_value(log, known, node->in[i]);
            if (!(node->op->no_gradient_in >> i & 1)) touch_gradient(log, known, node->in[i]);
        }
        for (int i = 0; i < node->outputs; i++) {
            if (node->op->saves_out >> i & 1) touch_value(log, known, node->out[i]);
            touch_gradient(log, known, node->out[i]);
        }
        touch_scratch(log, known, n, true);
    }
}

// what may be read after the step
static void later_accesses(walk_log *log, known_buffers *known) {
    for (slt_var v = 1; v < log->tape->var_count; v++)
        if (log->tape->vars[v].kept) touch_value(log, known, v);
}

// pairs that live at the same time in the same memory
static int collisions(const walk_log *log) {
    int bad = 0;
    for (int i = 0; i < log->count; i++)
        for (int k = 0; k < i; k++) {
            const access_span *a = &log->spans[i], *b = &log->spans[k];
            bool together = a->first <= b->last && b->first <= a->last;
            bool overlap = a->offset < b->offset + (int64_t)b->size &&
                           b->offset < a->offset + (int64_t)a->size;
            bad += together && overlap;
        }
    return bad;
}

static int count_collisions(const slt_tape *tape, int *buffers) {
    static walk_log log;
    static known_buffers known;
    log = (walk_log){.tape = tape};
    memset(&known, 0xff, sizeof known);
    assert_true(tape->var_count < 1024 && tape->node_count < 512);
    forward_accesses(&log, &known);
    backward_accesses(&log, &known);
    later_accesses(&log, &known);
    for (int i = 0; i < log.count; i++)
        assert_true(log.spans[i].offset + (int64_t)log.spans[i].size <= (int64_t)tape->block_size);
    *buffers = log.count;
    return collisions(&log);
}

static void open_rig(rig *r, int pairing, int iterations, bool separate) {
    rig_defaults(r, rig_small());
    r->options.decoder_pairing = pairing;
    r->options.iterations = iterations;
    r->separate = separate;
    rig_build(r, context);
}

static void live_buffers_never_overlap(void **state) {
    (void)state;
    for (int pairing = SLT_PAIRING_NONE; pairing <= SLT_PAIRING_OWN; pairing++)
        for (int iterations = 1; iterations <= 3; iterations++) {
            rig r;
            int buffers;
            open_rig(&r, pairing, iterations, false);
            assert_int_equal(count_collisions(r.tape, &buffers), 0);
            assert_true(buffers > 100);
            rig_destroy(&r);
        }
}

// the check itself must be able to fail
static void a_collision_is_found(void **state) {
    (void)state;
    rig r;
    int buffers;
    open_rig(&r, SLT_PAIRING_OWN, 1, false);
    r.tape->vars[r.model.masks].value = r.tape->vars[r.model.logits].value;
    assert_true(count_collisions(r.tape, &buffers) > 0);
    rig_destroy(&r);
}

// ---- operations read what they declare, and nothing else

static bool is_saved(const slt_tape *tape, slt_var var) {
    for (int n = 0; n < tape->node_count; n++) {
        const slt_node *node = &tape->nodes[n].node;
        if (!tape->nodes[n].runs_backward) continue;
        for (int i = 0; i < node->inputs; i++)
            if (node->in[i] == var && node->op->saves_in >> i & 1) return true;
        for (int i = 0; i < node->outputs; i++)
            if (node->out[i] == var && node->op->saves_out >> i & 1) return true;
    }
    return false;
}

static void backward_reads_only_what_it_saves(void **state) {
    (void)state;
    rig plain, poisoned;
    int spoiled = 0;
    open_rig(&plain, SLT_PAIRING_OWN, 2, true);
    open_rig(&poisoned, SLT_PAIRING_OWN, 2, true);
    for (int i = 0; i < 2; i++) {
        rig *r = i ? &poisoned : &plain;
        rig_start(r, 0, 3);
        rig_feed(r, 0, 5);
        CHECK_OK(slt_tape_forward(r->tape));
    }
    for (slt_var v = 1; v < poisoned.tape->var_count; v++) {
        const slt_var_info *info = &poisoned.tape->vars[v];
        if (info->value < 0 || info->kept || is_saved(poisoned.tape, v)) continue;
        memset(poisoned.tape->block + info->value, 0xff,
               size_of(poisoned.tape, v) * sizeof(slt_real));
        spoiled++;
    }
    assert_true(spoiled > 5);
    CHECK_OK(slt_tape_backward(plain.tape));
    CHECK_OK(slt_tape_backward(poisoned.tape));
    rig_same_bits(&plain, plain.store->gradient, 0, &poisoned, poisoned.store->gradient, 0);
    rig_destroy(&plain);
    rig_destroy(&poisoned);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(live_buffers_never_overlap),
        cmocka_unit_test(a_collision_is_found),
        cmocka_unit_test(backward_reads_only_what_it_saves),
    };
    return cmocka_run_group_tests(tests, one_thread, no_context);
}
