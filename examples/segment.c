// Segments a data set with a trained model: segment RUN DATA
// Build: cc segment.c -o segment $(pkg-config --cflags --libs slottar)
#include <stdio.h>
#include <slottar/slottar.h>

static slt_status print(void *user, const slt_segments *s) {
    (void)user;
    printf("episode %lld: %d segments, ends at", (long long)s->episode, s->segments);
    for (int i = 0; i < s->boundary_count; i++)
        printf(" %d (%.2f)", s->boundaries[i], s->confidence[i]);
    printf(" %d\n", s->length - 1);
    return SLT_OK;
}

int main(int argc, char **argv) {
    slt_context *context = NULL;
    slt_model *model = NULL;
    slt_dataset *data = NULL;
    if (argc != 3) return 2;
    slt_status status = slt_context_create(NULL, &context);
    if (status == SLT_OK) status = slt_model_open(context, argv[1], &model);
    if (status == SLT_OK) status = slt_dataset_open(context, argv[2], &data);
    if (status == SLT_OK) status = slt_model_segment(model, data, NULL, print, NULL);
    if (status != SLT_OK) fprintf(stderr, "%s\n", slt_last_error());
    slt_dataset_close(data);
    slt_model_close(model);
    slt_context_destroy(context);
    return status != SLT_OK;
}
