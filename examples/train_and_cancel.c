// Trains until Enter is pressed, then shows what was learnt so far. Started again with the same
// arguments it continues: train_and_cancel DATA RUN [key=value...]
// Build: cc train_and_cancel.c -o train_and_cancel $(pkg-config --cflags --libs slottar) -pthread
#include <pthread.h>
#include <stdio.h>
#include <slottar/slottar.h>

typedef struct {
    slt_context *context;
    slt_train_request request;
    slt_status status;
    char message[1024];
} job;

// called by the training thread: a line per epoch
static void show(void *user, const slt_progress *progress) {
    (void)user;
    if (progress->news[0]) printf("%s\n", progress->news);
    fflush(stdout);
}

static void *train(void *argument) {
    job *j = argument;
    slt_train_result result;
    j->status = slt_train(j->context, &j->request, &result);
    // the message belongs to this thread: keep it for the other one
    snprintf(j->message, sizeof j->message, "%s", slt_last_error());
    return NULL;
}

static slt_status print(void *user, const slt_segments *s) {
    (void)user;
    printf("episode %lld:", (long long)s->episode);
    for (int t = 0; t < s->length; t++) printf(" %d", s->ids[t]);
    printf("\n");
    return SLT_OK;
}

static slt_status segment(slt_context *context, const char *run, const char *path) {
    slt_model *model = NULL;
    slt_dataset *data = NULL;
    const slt_segment_options options = {.one_split = true, .split = SLT_SPLIT_TEST};
    slt_status status = slt_model_open(context, run, &model);
    if (status == SLT_OK) status = slt_dataset_open(context, path, &data);
    if (status == SLT_OK) status = slt_model_segment(model, data, &options, print, NULL);
    if (status != SLT_OK) fprintf(stderr, "%s\n", slt_last_error());
    slt_dataset_close(data);
    slt_model_close(model);
    return status;
}

int main(int argc, char **argv) {
    if (argc < 3) return 2;
    job j = {.request = {.model = "slottar", .data = argv[1], .run = argv[2]}};
    j.request.settings = (const char *const *)(argv + 3);
    j.request.setting_count = argc - 3;
    const slt_context_options options = {.progress = show};
    if (slt_context_create(&options, &j.context) != SLT_OK) return 1;

    pthread_t thread;
    if (pthread_create(&thread, NULL, train, &j) != 0) return 1;
    getchar();
    slt_context_cancel(j.context);
    pthread_join(thread, NULL);
    slt_context_resume(j.context);

    if (j.status == SLT_OK || j.status == SLT_CANCELLED) {
        printf("training: %s\n", slt_status_text(j.status));
        j.status = segment(j.context, argv[2], argv[1]);
    } else
        fprintf(stderr, "%s\n", j.message);
    slt_context_destroy(j.context);
    return j.status != SLT_OK;
}
