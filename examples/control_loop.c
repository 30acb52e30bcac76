// A control loop that knows in which segment it is: control_loop RUN ENVIRONMENT [STEPS]
// Build: cc control_loop.c -o control_loop $(pkg-config --cflags --libs slottar)
// Every step goes to a stream as it is taken, and the loop hears where segments end.
#include <stdio.h>
#include <stdlib.h>
#include <slottar/slottar.h>

enum { MOST = 65536 };

// a controller of yours would choose the action from what it observes
static int64_t act(int64_t step) {
    static const int64_t plan[] = {2, 2, 1, 2, 3, 0, 2, 5, 2, 4};
    return plan[step % 10];
}

static void say(const slt_stream_boundary *b) {
    printf("a segment ended with step %lld (confidence %.2f)\n", (long long)b->step,
           (double)b->confidence);
}

static slt_status drive(slt_stream *stream, slt_env_batch *env, int64_t steps) {
    static uint8_t observation[MOST];
    static float numbers[MOST];
    uint8_t terminated = 0, truncated = 0;
    slt_env_outputs out = {
        .observations = observation, .terminated = &terminated, .truncated = &truncated};
    slt_stream_event event;
    slt_stream_end end;
    if (slt_env_batch_info(env)->observation_size != slt_stream_about(stream)->observation) {
        fprintf(stderr, "the run was trained on another environment\n");
        return SLT_SHAPE;
    }
    slt_status status = slt_env_batch_reset(env, &(uint64_t){7}, NULL, observation);
    for (int64_t t = 0; status == SLT_OK && t < steps && !terminated && !truncated; t++) {
        int64_t action = act(t);
        for (int i = 0; i < slt_stream_about(stream)->observation; i++) numbers[i] = observation[i];
        status = slt_stream_push(stream, numbers, (int32_t)action, &event); // microseconds
        if (status == SLT_OK && event.boundary.step >= 0) say(&event.boundary);
        if (status == SLT_OK) status = slt_env_batch_step(env, &action, &out);
    }
    if (status == SLT_OK) status = slt_stream_finish(stream, &end);
    for (int i = 0; status == SLT_OK && i < end.boundary_count; i++) say(&end.boundaries[i]);
    if (status == SLT_OK)
        printf("%lld steps, %lld segments\n", (long long)end.length, (long long)end.segments);
    return status;
}

int main(int argc, char **argv) {
    slt_context *context = NULL;
    slt_model *model = NULL;
    slt_stream *stream = NULL;
    slt_env_batch *env = NULL;
    slt_stream_options options = {.lag = 5, .endless = true};
    if (argc < 3) return 2;
    slt_status status = slt_context_create(NULL, &context);
    if (status == SLT_OK) status = slt_model_open(context, argv[1], &model);
    if (status == SLT_OK) status = slt_stream_open(model, &options, &stream);
    if (status == SLT_OK)
        status = slt_env_batch_create(context, argv[2], 1, SLT_AUTORESET_DISABLED, &env);
    if (status == SLT_OK) status = drive(stream, env, argc > 3 ? atoll(argv[3]) : 100);
    if (status != SLT_OK && status != SLT_SHAPE) fprintf(stderr, "%s\n", slt_last_error());
    slt_env_batch_destroy(env);
    slt_stream_close(stream);
    slt_model_close(model);
    slt_context_destroy(context);
    return status != SLT_OK;
}
