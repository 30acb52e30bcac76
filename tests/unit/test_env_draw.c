// Pictures: in every environment under random play, what an observation shows is what the picture
// of the whole world has in the same places; refusals; bytes that mean nothing.
#include "check.h"
#include "core/mt19937.h"
#include "slottar/draw.h"

enum { STEPS = 150, MOST = 1075 };

typedef struct {
    int x, y, dx, dy; // place and direction on the canvas
} agent;

// the only arrow of a picture
static agent find_agent(const slt_canvas *canvas) {
    static const char arrows[] = "^>v<";
    static const int dx[] = {0, 1, 0, -1}, dy[] = {-1, 0, 1, 0};
    agent found = {0};
    int count = 0;
    for (int y = 0; y < canvas->height; y++)
        for (int x = 0; x < canvas->width; x++) {
            const char *at = strchr(arrows, slt_canvas_at(canvas, x, y)->mark);
            if (!at) continue;
            found = (agent){x, y, dx[at - arrows], dy[at - arrows]};
            count++;
        }
    assert_int_equal(count, 1);
    return found;
}

static bool is_craft(const slt_canvas *view) { return view->width == 5; }

// the place in the world of a cell of the view
static void place_of(const slt_canvas *view, agent a, int x, int y, int *wx, int *wy) {
    if (is_craft(view)) {
        *wx = a.x + x - 2;
        *wy = a.y + y - 2;
        return;
    }
    int ahead = 6 - y, right = x - 3;
    *wx = a.x + ahead * a.dx - right * a.dy;
    *wy = a.y + ahead * a.dy + right * a.dx;
}

// number of cells that were compared
static int compare(const slt_canvas *world, const slt_canvas *view) {
    agent a = find_agent(world), own = find_agent(view);
    int seen = 0;
    assert_string_equal(world->pocket, view->pocket);
    assert_int_equal(own.y, is_craft(view) ? 2 : 6);
    if (is_craft(view)) assert_true(own.dx == a.dx && own.dy == a.dy);
    for (int y = 0; y < view->height; y++)
        for (int x = 0; x < view->width; x++) {
            const slt_canvas_cell *cell = slt_canvas_at(view, x, y);
            int wx, wy;
            place_of(view, a, x, y, &wx, &wy);
            bool inside = wx >= 0 && wx < world->width && wy >= 0 && wy < world->height;
            if (cell->mark == ' ' || (x == own.x && y == own.y)) continue;
            if (!inside) { // MiniGrid sees walls there
                assert_int_equal(cell->mark, '#');
                continue;
            }
            assert_memory_equal(cell, slt_canvas_at(world, wx, wy), sizeof *cell);
            seen++;
        }
    return seen;
}

static void play(slt_context *context, const char *id, slt_mt19937 *random, int *carried) {
    static uint8_t observation[MOST];
    slt_canvas world, view;
    slt_env_batch *batch;
    CHECK_OK(slt_env_batch_create(context, id, 1, SLT_AUTORESET_NEXT_STEP, &batch));
    CHECK_FAILS(SLT_INVALID, "never reset", slt_draw_env(batch, 0, &world));
    CHECK_OK(slt_env_batch_reset(batch, &(uint64_t){7}, NULL, observation));
    const slt_env_info *info = slt_env_batch_info(batch);
    int seen = 0;
    for (int t = 0; t < STEPS; t++) {
        CHECK_OK(slt_draw_env(batch, 0, &world));
        CHECK_OK(slt_draw_observation(t & 1 ? id : NULL, observation,
                                      (size_t)info->observation_size, &view));
        assert_true(world.task[0] != 0);
        seen += compare(&world, &view);
        *carried += world.pocket[0] != 0;
        int64_t action = slt_mt19937_below(random, (uint32_t)info->actions);
        CHECK_OK(
            slt_env_batch_step(batch, &action, &(slt_env_outputs){.observations = observation}));
    }
    assert_true(seen > 2 * STEPS);
    CHECK_FAILS(SLT_RANGE, "none 1", slt_draw_env(batch, 1, &world));
    slt_env_batch_destroy(batch);
}

static void views_are_pieces_of_worlds(void **state) {
    (void)state;
    slt_context *context;
    slt_mt19937 random;
    int carried = 0;
    slt_mt19937_seed(&random, 1);
    CHECK_OK(slt_context_create(&(slt_context_options){.threads = 1}, &context));
    for (int i = 0; i < slt_env_count(); i++) {
        slt_env_info info;
        CHECK_OK(slt_env_describe(i, &info));
        play(context, info.id, &random, &carried);
    }
    assert_true(carried > 100);
    slt_context_destroy(context);
}

static void wrong_sizes_and_ids(void **state) {
    (void)state;
    slt_canvas canvas;
    uint8_t bytes[MOST] = {0};
    CHECK_FAILS(SLT_SHAPE, "146 bytes", slt_draw_observation(NULL, bytes, 146, &canvas));
    CHECK_FAILS(SLT_INVALID, "nowhere", slt_draw_observation("nowhere", bytes, 147, &canvas));
    CHECK_FAILS(SLT_SHAPE, "1075", slt_draw_observation("getwood-v0", bytes, 147, &canvas));
}

static void any_bytes_are_drawn(void **state) {
    (void)state;
    slt_canvas canvas;
    slt_mt19937 random;
    uint8_t bytes[MOST];
    slt_mt19937_seed(&random, 2);
    for (int round = 0; round < 300; round++) {
        for (int i = 0; i < MOST; i++) bytes[i] = (uint8_t)slt_mt19937_below(&random, 256);
        size_t size = round & 1 ? 147 : MOST;
        CHECK_OK(slt_draw_observation(NULL, bytes, size, &canvas));
        for (int y = 0; y < canvas.height; y++)
            for (int x = 0; x < canvas.width; x++) {
                const slt_canvas_cell *cell = slt_canvas_at(&canvas, x, y);
                assert_in_range(cell->mark, ' ', '~');
                assert_true(cell->front < SLT_INKS && cell->back < SLT_INKS);
            }
        assert_true(memchr(canvas.pocket, 0, sizeof canvas.pocket) != NULL);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(views_are_pieces_of_worlds),
        cmocka_unit_test(wrong_sizes_and_ids),
        cmocka_unit_test(any_bytes_are_drawn),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
