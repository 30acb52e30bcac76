// What an agent recalls is what is there: maps drawn under random play agree with the worlds.
#include "check.h"
#include "core/philox.h"
#include "experts/recall.h"

enum { STEPS = 400 };

static uint8_t view[SLT_VIEW_BYTES];

typedef struct {
    const slt_env_kind *kind;
    slt_minigrid *world;
    slt_recall recall;
    int x, y, direction; // where the world's agent started
} rig;

static void look(rig *r) {
    r->kind->observe(r->kind, r->world, view);
    slt_recall_see(&r->recall, view);
}

static void begin(rig *r, const char *id, slt_recall_kind memory, uint32_t seed) {
    r->kind = slt_env_find(id);
    assert_non_null(r->kind);
    r->world = test_malloc(r->kind->state_size);
    r->kind->seed(r->kind, r->world, &seed, 1);
    r->kind->reset(r->kind, r->world);
    slt_recall_begin(&r->recall, memory);
    r->x = r->world->x, r->y = r->world->y, r->direction = r->world->direction;
    look(r);
}

// false: the episode is over
static bool step(rig *r, int t) {
    // mostly walking, and always some of everything
    static const int actions[8] = {0, 1, 2, 2, 3, 4, 5, 2};
    int action = actions[slt_random_words(7, SLT_RANDOM_TEST, 0, (uint32_t)t).word[0] % 8];
    slt_env_result result = r->kind->step(r->kind, r->world, action);
    slt_recall_act(&r->recall, action);
    look(r);
    return !result.terminated && !result.truncated;
}

// the world's cell at a place of the map: the map's right is where the agent looked at first
static int there(const rig *r, int x, int y) {
    const slt_minigrid_rules *rules = slt_minigrid_rules_of(r->kind);
    int fx = slt_step_x[r->direction], fy = slt_step_y[r->direction];
    int wx = r->x + fx * x - fy * y, wy = r->y + fy * x + fx * y;
    // beyond its border a world is shown as wall
    if (wx < 0 || wy < 0 || wx >= rules->width || wy >= rules->height) return SLT_GREY_WALL;
    return r->world->cells[slt_grid_index(rules->height, wx, wy)];
}

static int compare(const rig *r) {
    int seen = 0;
    for (int x = -16; x < 16; x++)
        for (int y = -16; y < 16; y++) {
            int mine = r->recall.cells[(x & 31) * SLT_RECALL_SIDE + (y & 31)];
            if (mine == SLT_UNSEEN) continue;
            int cell = there(r, x, y);
            if (cell != mine) fail_msg("%s: (%d,%d) is %d, not %d", r->kind->id, x, y, cell, mine);
            seen++;
        }
    return seen;
}

static void maps_are_true(void **state) {
    (void)state;
    static const char *const ids[] = {"MiniGrid-KeyCorridorS4R3-v0", "MiniGrid-DoorKey-8x8-v0",
                                      "MiniGrid-BlockedUnlockPickup-v0", "MiniGrid-Empty-16x16-v0"};
    for (size_t i = 0; i < sizeof ids / sizeof *ids; i++) {
        rig r;
        begin(&r, ids[i], SLT_RECALL_MAP, 11 + (uint32_t)i);
        int first = compare(&r), seen = first;
        for (int t = 0; t < STEPS && step(&r, t); t++) seen = compare(&r);
        assert_true(first > 4 && seen > first);
        test_free(r.world);
    }
}

// the cell that the ones of a place say
static int decode(const uint16_t *ones, int count, int place, int silent) {
    int kind = silent, colour = 0;
    for (int i = 0; i < count; i++) {
        int bit = ones[i] - place * SLT_RECALL_BITS;
        if (bit < 0 || bit >= SLT_RECALL_BITS) continue;
        if (bit >= 10)
            colour = bit - 10;
        else
            kind = bit ? (bit + 1) << 3 : (silent == SLT_EMPTY ? SLT_UNSEEN : SLT_EMPTY);
    }
    return kind | colour;
}

// colours that tell nothing apart are not there
static int plain(int cell) {
    int kind = slt_cell_kind(cell);
    return kind == SLT_WALL || kind == SLT_GOAL || kind == SLT_LAVA ? kind : cell;
}

static void check_order(const uint16_t *ones, int count, int below) {
    assert_true(count <= SLT_RECALL_ONES);
    for (int i = 0; i < count; i++) {
        assert_true(ones[i] < below);
        if (i) assert_true(ones[i] > ones[i - 1]);
    }
}

static void ones_say_the_view(void **state) {
    (void)state;
    rig r;
    uint16_t ones[SLT_RECALL_ONES];
    begin(&r, "MiniGrid-BlockedUnlockPickup-v0", SLT_RECALL_NOTHING, 5);
    for (int t = 0; t < STEPS && step(&r, t); t++) {
        int count = slt_recall_ones(&r.recall, ones);
        check_order(ones, count, slt_recall_width(SLT_RECALL_NOTHING));
        for (int c = 0; c < SLT_VIEW * SLT_VIEW; c++)
            assert_int_equal(decode(ones, count, c, SLT_EMPTY),
                             plain(slt_cell_from_bytes(view + 3 * c)));
    }
    test_free(r.world);
}

// ahead is up, whatever way the agent looks; its own cell shows its hands
static void ones_say_the_map(void **state) {
    (void)state;
    rig r;
    uint16_t ones[SLT_RECALL_ONES];
    int held = 0, reach = SLT_RECALL_WINDOW / 2;
    begin(&r, "MiniGrid-DoorKey-8x8-v0", SLT_RECALL_MAP, 5);
    for (int t = 0; t < STEPS && step(&r, t); t++) {
        int count = slt_recall_ones(&r.recall, ones), place = 0;
        check_order(ones, count, slt_recall_width(SLT_RECALL_MAP));
        int fx = slt_step_x[r.recall.direction], fy = slt_step_y[r.recall.direction];
        for (int i = -reach; i <= reach; i++)
            for (int j = reach; j >= -reach; j--, place++) {
                int x = (r.recall.x + fx * j - fy * i) & 31,
                    y = (r.recall.y + fy * j + fx * i) & 31;
                int cell = r.recall.cells[x * SLT_RECALL_SIDE + y];
                if (!i && !j) cell = r.world->carried;
                assert_int_equal(decode(ones, count, place, SLT_UNSEEN), plain(cell));
            }
        held += r.world->carried != SLT_EMPTY;
    }
    assert_true(held > 0);
    test_free(r.world);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(maps_are_true),
        cmocka_unit_test(ones_say_the_view),
        cmocka_unit_test(ones_say_the_map),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
