// MiniGrid worlds: the fast view against the sweep as it is written down, snapshots, table rows.
#include <stdlib.h>
#include "check.h"
#include "envs/minigrid.h"

enum { STATE = 4096 };

// the package's sweep, cell by cell; blocked and visible are indexed [i][j]
static void plain_sweep(const bool blocked[7][7], bool visible[7][7]) {
    memset(visible, 0, 49);
    visible[3][6] = true;
    for (int j = 6; j >= 0; j--) {
        for (int i = 0; i <= 5; i++) {
            if (!visible[i][j] || blocked[i][j]) continue;
            visible[i + 1][j] = true;
            if (j > 0) visible[i + 1][j - 1] = visible[i][j - 1] = true;
        }
        for (int i = 6; i >= 1; i--) {
            if (!visible[i][j] || blocked[i][j]) continue;
            visible[i - 1][j] = true;
            if (j > 0) visible[i - 1][j - 1] = visible[i][j - 1] = true;
        }
    }
}

static void sweep_on_words_equals_the_plain_one(void **state) {
    (void)state;
    slt_pcg64 rng;
    slt_pcg64_seed(&rng, &(uint32_t){1}, 1);
    for (int round = 0; round < 20000; round++) {
        int share = (int)slt_pcg64_between(&rng, 0, 11);
        bool blocked[7][7], want[7][7];
        uint64_t columns[7] = {0};
        for (int i = 0; i < 7; i++)
            for (int j = 0; j < 7; j++) {
                blocked[i][j] = slt_pcg64_between(&rng, 0, 10) < share;
                int cell = blocked[i][j] ? SLT_GREY_WALL : SLT_EMPTY;
                columns[i] |= (uint64_t)cell << 8 * j;
            }
        plain_sweep(blocked, want);
        uint64_t got = slt_view_visible(columns);
        for (int i = 0; i < 7; i++)
            for (int j = 0; j < 7; j++) assert_int_equal(got >> (8 * j + i) & 1, want[i][j]);
    }
}

static void window_turns_with_the_agent(void **state) {
    (void)state;
    enum { W = 15, H = 13 };
    uint8_t cells[SLT_GRID_BYTES(W, H)];
    for (size_t i = 0; i < sizeof cells; i++) cells[i] = (uint8_t)(i * 37 + i / 256);
    for (int x = 1; x < W - 1; x++)
        for (int y = 1; y < H - 1; y++)
            for (int d = 0; d < 4; d++) {
                uint64_t columns[7];
                slt_view_window(cells + slt_grid_index(H, x, y), H + SLT_GRID_RIM, d, columns);
                for (int i = 0; i < 7; i++)
                    for (int j = 0; j < 7; j++) {
                        int wx = x + slt_step_x[d] * (6 - j) - slt_step_y[d] * (i - 3);
                        int wy = y + slt_step_y[d] * (6 - j) + slt_step_x[d] * (i - 3);
                        assert_int_equal(columns[i] >> 8 * j & 0xff,
                                         cells[slt_grid_index(H, wx, wy)]);
                    }
            }
}

static void bytes_of_cells_go_both_ways(void **state) {
    (void)state;
    for (int cell = SLT_EMPTY; cell < SLT_CELL_CODES; cell++) {
        uint8_t bytes[3];
        if (slt_cell_colour(cell) > SLT_GREY) continue;
        slt_cell_to_bytes(cell, bytes);
        assert_int_equal(slt_cell_from_bytes(bytes), cell);
    }
    assert_int_equal(slt_cell_from_bytes((uint8_t[]){200, 0, 0}), SLT_UNSEEN);
    assert_int_equal(slt_cell_from_bytes((uint8_t[]){4, 0, 3}), SLT_UNSEEN);
}

// a copy of the state continues like the original, and observing writes no more than it may
static void random_play_is_deterministic_and_stays_inside(void **state) {
    (void)state;
    static uint64_t memory[2][STATE / 8];
    for (const slt_env_kind *kind = slt_minigrid_kinds; kind->id; kind++) {
        assert_true(kind->state_size <= STATE);
        const slt_minigrid_rules *rules = slt_minigrid_rules_of(kind);
        slt_minigrid *grid = (slt_minigrid *)memory[0];
        slt_pcg64 player;
        slt_pcg64_seed(&player, &(uint32_t){7}, 1);
        kind->seed(kind, grid, &(uint32_t){11}, 1);
        kind->reset(kind, grid);
        for (int step = 0; step < 3000; step++) {
            int action = (int)slt_pcg64_between(&player, 0, kind->actions);
            uint8_t view[2][SLT_VIEW_BYTES + 1];
            view[0][SLT_VIEW_BYTES] = view[1][SLT_VIEW_BYTES] = 0xa5;
            memcpy(memory[1], memory[0], kind->state_size);
            slt_env_result first = kind->step(kind, memory[0], action);
            slt_env_result second = kind->step(kind, memory[1], action);
            assert_true(first.reward == second.reward && first.event == second.event);
            assert_memory_equal(memory[0], memory[1], kind->state_size);
            kind->observe(kind, memory[0], view[0]);
            kind->observe(kind, memory[1], view[1]);
            assert_memory_equal(view[0], view[1], sizeof view[0]);
            assert_int_equal(view[0][SLT_VIEW_BYTES], 0xa5);
            assert_in_range(grid->x, 1, rules->width - 2);
            assert_in_range(grid->y, 1, rules->height - 2);
            if (first.terminated || first.truncated) kind->reset(kind, grid);
        }
    }
}

// one byte changed at random: refused, or played on without harm (the sanitizers watch)
static void states_from_outside_are_checked(void **state) {
    (void)state;
    slt_pcg64 chance;
    slt_pcg64_seed(&chance, &(uint32_t){3}, 1);
    int refused = 0, rounds = 0;
    for (const slt_env_kind *kind = slt_minigrid_kinds; kind->id; kind++) {
        slt_minigrid *grid = malloc(kind->state_size); // of its very size, for the sanitizers
        uint8_t view[SLT_VIEW_BYTES];
        char mission[100];
        assert_non_null(grid);
        memset(grid, 0, kind->state_size);
        kind->seed(kind, grid, &(uint32_t){5}, 1);
        for (int round = 0; round < 300; round++, rounds++) {
            kind->reset(kind, grid);
            for (int t = 0; t < 20; t++)
                kind->step(kind, grid, (int)slt_pcg64_between(&chance, 0, 7));
            assert_true(kind->valid(kind, grid));
            int64_t at = slt_pcg64_between(&chance, 0, (int64_t)kind->state_size);
            ((uint8_t *)grid)[at] ^= (uint8_t)slt_pcg64_between(&chance, 1, 256);
            bool valid = kind->valid(kind, grid);
            refused += !valid;
            for (int t = 0; valid && t < 100; t++) {
                kind->step(kind, grid, (int)slt_pcg64_between(&chance, 0, 7));
                kind->observe(kind, grid, view);
                slt_minigrid_mission(kind, grid, mission, sizeof mission);
            }
            if (!valid) kind->seed(kind, grid, &(uint32_t){5}, 1);
        }
        free(grid);
    }
    assert_in_range(refused, rounds * 3 / 4, rounds - 1);
}

static void rows_are_found_by_id(void **state) {
    (void)state;
    assert_non_null(slt_env_find("MiniGrid-KeyCorridorS4R3-v0"));
    assert_int_equal(slt_env_find("MiniGrid-KeyCorridorS4R3-v0")->step_limit, 480);
    assert_null(slt_env_find("MiniGrid-"));
    int rows = 0;
    while (slt_minigrid_kinds[rows].id) rows++;
    assert_int_equal(rows, 36);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sweep_on_words_equals_the_plain_one),
        cmocka_unit_test(window_turns_with_the_agent),
        cmocka_unit_test(bytes_of_cells_go_both_ways),
        cmocka_unit_test(random_play_is_deterministic_and_stays_inside),
        cmocka_unit_test(states_from_outside_are_checked),
        cmocka_unit_test(rows_are_found_by_id),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
