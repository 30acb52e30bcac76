// A map of what has left the view: learned from steps, and right about a world that is known.
#include "check.h"
#include "skills/view_map.h"

// a world of cells with one of three kinds; the view is 3 x 3 around the agent, a place per kind,
// and one place that never moves. Actions: left, right, down, up, wait
enum {
    SIDE = 14,
    KINDS = 3,
    VIEW = 3,
    PLACES = VIEW * VIEW * KINDS + 1,
    ACTIONS = 5,
    STEPS = 6000
};
static const int dx[ACTIONS] = {-1, 1, 0, 0, 0}, dy[ACTIONS] = {0, 0, -1, 1, 0};

typedef struct {
    uint8_t kind[SIDE][SIDE];
    int x, y;
    uint32_t word;
} world;

static uint32_t draw(world *w, uint32_t below) {
    w->word = w->word * 1664525u + 1013904223u;
    return (w->word >> 16) % below;
}

static void begin(world *w) {
    for (int i = 0; i < SIDE * SIDE; i++) w->kind[i / SIDE][i % SIDE] = (uint8_t)draw(w, KINDS);
    w->x = w->y = SIDE / 2;
}

// the border stops the agent
static void move(world *w, int action) {
    int x = w->x + dx[action], y = w->y + dy[action];
    if (x < 1 || y < 1 || x > SIDE - 2 || y > SIDE - 2) return;
    w->x = x;
    w->y = y;
}

static int look(const world *w, uint16_t *ones, uint8_t marks[SLT_MAP_PLACES]) {
    int count = 0;
    memset(marks, 0, SLT_MAP_PLACES);
    for (int i = 0; i < VIEW * VIEW; i++)
        ones[count++] = (uint16_t)(i * KINDS + w->kind[w->x - 1 + i / VIEW][w->y - 1 + i % VIEW]);
    ones[count++] = PLACES - 1;
    for (int i = 0; i < count; i++) marks[ones[i]] = 1;
    return count;
}

static slt_context *context;
static int64_t start[STEPS + 1];
static uint16_t ones[STEPS * (VIEW * VIEW + 1)];
static uint8_t actions[STEPS], begins[STEPS], marks[SLT_MAP_PLACES];

static void walk(world *w, bool turning) {
    for (int t = 0; t < STEPS; t++) {
        begins[t] = t % 40 == 0;
        if (begins[t]) begin(w);
        start[t + 1] = start[t] + look(w, ones + start[t], marks);
        actions[t] = (uint8_t)draw(w, ACTIONS);
        if (turning) begin(w); // nothing stays
        move(w, actions[t]);
    }
}

static void it_knows_the_world(void **state) {
    (void)state;
    world w = {.word = 5};
    slt_arena arena;
    slt_view_map map;
    slt_view_memory memory = {0};
    uint8_t before[SLT_MAP_PLACES], after[SLT_MAP_PLACES];
    uint16_t seen[PLACES], remembered[SLT_MAP_ONES];
    int most = 0;
    slt_arena_init(&arena, &slt_system_allocator, 0);
    walk(&w, false);
    slt_map_steps steps = {STEPS, start, ones, actions, begins};
    CHECK_OK(slt_view_map_learn(context, &arena, &steps, PLACES, ACTIONS, &map));
    assert_int_equal(map.things, KINDS);
    assert_int_equal(map.place[PLACES - 1].thing, -1);
    for (int k = 0; k < SLT_MAP_AXES; k++) {
        assert_int_equal(map.moves[0][k], -map.moves[1][k]);
        assert_int_equal(map.moves[2][k], -map.moves[3][k]);
        assert_int_equal(map.moves[4][k], 0);
    }
    // what is remembered is the world's, and nothing is remembered twice or in view
    begin(&w);
    look(&w, seen, before);
    for (int t = 0; t < 200; t++) {
        int action = (int)draw(&w, ACTIONS);
        move(&w, action);
        look(&w, seen, after);
        slt_view_memory_step(&map, &memory, before, action, after);
        memcpy(before, after, sizeof before);
        for (int i = 0; i < memory.count; i++) {
            // moves of the view are along axes: which axis is x is learned, too
            const slt_map_place *p = &memory.item[i];
            int sign_x = map.moves[0][0] + map.moves[0][1],
                sign_y = map.moves[2][0] + map.moves[2][1];
            int axis_x = map.moves[0][0] ? 0 : 1;
            int along = p->at[axis_x], across = p->at[1 - axis_x];
            int x = w.x + (sign_x > 0 ? along - 1 : 1 - along);
            int y = w.y + (sign_y > 0 ? across - 1 : 1 - across);
            bool view = x >= w.x - 1 && x <= w.x + 1 && y >= w.y - 1 && y <= w.y + 1;
            assert_true(!view && x >= 0 && y >= 0 && x < SIDE && y < SIDE);
            int kind = -1; // of that thing: the kind of its first place
            for (int k = 0; k < PLACES && kind < 0; k++)
                if (map.place[k].thing == p->thing) kind = k % KINDS;
            assert_int_equal(w.kind[x][y], kind);
        }
        int count = slt_view_memory_ones(&map, &memory, remembered);
        for (int i = 0; i < count; i++) {
            assert_true(remembered[i] < map.width);
            for (int j = 0; j < i; j++) assert_true(remembered[i] != remembered[j]);
        }
        if (memory.count > most) most = memory.count;
    }
    assert_true(most > 40);
    slt_arena_deinit(&arena);
}

static void nothing_shifts(void **state) {
    (void)state;
    world w = {.word = 9};
    slt_arena arena;
    slt_view_map map;
    slt_arena_init(&arena, &slt_system_allocator, 0);
    walk(&w, true);
    slt_map_steps steps = {STEPS, start, ones, actions, begins};
    CHECK_OK(slt_view_map_learn(context, &arena, &steps, PLACES, ACTIONS, &map));
    assert_int_equal(map.things, 0);
    slt_arena_deinit(&arena);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(it_knows_the_world),
        cmocka_unit_test(nothing_shifts),
    };
    if (slt_context_create(NULL, &context) != SLT_OK) return 1;
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    slt_context_destroy(context);
    return failed;
}
