// Steps 64 copies of an environment with random actions and draws one: environments [ID [STEPS]]
// Build: cc environments.c -o environments $(pkg-config --cflags --libs slottar)
#include <stdio.h>
#include <stdlib.h>
#include <slottar/slottar.h>

enum { COPIES = 64 };

// plays `steps` steps in every copy; a copy whose episode has ended starts the next one by itself
static slt_status play(slt_env_batch *batch, int steps, long *episodes, double *reward) {
    static uint8_t terminated[COPIES], truncated[COPIES];
    static double rewards[COPIES];
    static int64_t actions[COPIES];
    uint64_t seeds[COPIES];
    unsigned random = 1;
    const slt_env_outputs out = {
        .rewards = rewards, .terminated = terminated, .truncated = truncated};
    for (int i = 0; i < COPIES; i++) seeds[i] = (uint64_t)i;
    slt_status status = slt_env_batch_reset(batch, seeds, NULL, NULL);
    for (int t = 0; t < steps && status == SLT_OK; t++) {
        for (int i = 0; i < COPIES; i++) {
            random = random * 1664525u + 1013904223u;
            actions[i] = (random >> 16) % (unsigned)slt_env_batch_info(batch)->actions;
        }
        status = slt_env_batch_step(batch, actions, &out);
        for (int i = 0; i < COPIES; i++) *episodes += terminated[i] || truncated[i];
        for (int i = 0; i < COPIES; i++) *reward += rewards[i];
    }
    return status;
}

static slt_status draw(const slt_env_batch *batch) {
    slt_canvas canvas;
    slt_status status = slt_draw_env(batch, 0, &canvas);
    if (status != SLT_OK) return status;
    for (int y = 0; y < canvas.height; y++, putchar('\n'))
        for (int x = 0; x < canvas.width; x++) putchar(slt_canvas_at(&canvas, x, y)->mark);
    return SLT_OK;
}

int main(int argc, char **argv) {
    const char *id = argc > 1 ? argv[1] : "MiniGrid-DoorKey-8x8-v0";
    int steps = argc > 2 ? atoi(argv[2]) : 1000;
    long episodes = 0;
    double reward = 0;
    slt_context *context = NULL;
    slt_env_batch *batch = NULL;
    slt_status status = slt_context_create(NULL, &context);
    if (status == SLT_OK)
        status = slt_env_batch_create(context, id, COPIES, SLT_AUTORESET_NEXT_STEP, &batch);
    if (status == SLT_OK) status = play(batch, steps, &episodes, &reward);
    if (status == SLT_OK) status = draw(batch);
    if (status == SLT_OK)
        printf("%s: %d steps in each of %d copies, %ld episodes ended, reward %g\n", id, steps,
               COPIES, episodes, reward);
    else
        fprintf(stderr, "%s\n", slt_last_error());
    slt_env_batch_destroy(batch);
    slt_context_destroy(context);
    return status != SLT_OK;
}
