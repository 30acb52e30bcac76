// segments.safetensors of a run is what the model says about the test split; a labelled copy of a
// data set holds the model's segments, in every format.
#include <math.h>
#include "core/safetensors.h"
#include "small_run.h"

// ---- the file of a run, against the model's own answers

typedef struct {
    slt_safetensors *file;
    size_t seen, step, boundary;
} comparison;

static const void *get(const comparison *c, const char *name, slt_dtype dtype, int rank,
                       int64_t columns) {
    const int64_t shape[] = {-1, columns};
    const slt_array *array;
    CHECK_OK(slt_safetensors_get(c->file, name, dtype, rank, shape, &array));
    return array->data;
}

// the last channel of a slot is its chance to halt: the slots give the distribution of their number
static void compare_slots(const slt_segments *s) {
    double alive = 1, sum = 0, chance[SLOTS];
    assert_int_equal(s->slots, SLOTS);
    assert_true(s->slot_size > 0);
    for (int k = 0; k < SLOTS; k++) {
        double halts = 1 / (1 + exp(-(double)s->slot_vectors[(k + 1) * s->slot_size - 1]));
        sum += chance[k] = halts * alive;
        alive *= 1 - halts;
    }
    for (int k = 0; k < SLOTS; k++) assert_true(fabs(chance[k] / sum - s->counts[k]) < 1e-5);
}

static slt_status compare(void *user, const slt_segments *s) {
    comparison *c = user;
    const int64_t *episode = get(c, "episode", SLT_DTYPE_I64, 1, 0);
    const int64_t *steps = get(c, "episode_offsets", SLT_DTYPE_I64, 1, 0);
    const int64_t *starts = get(c, "boundary_offsets", SLT_DTYPE_I64, 1, 0);
    const int32_t *segment = get(c, "segment", SLT_DTYPE_I32, 1, 0);
    const int32_t *slot = get(c, "slot", SLT_DTYPE_I32, 1, 0);
    const int32_t *boundaries = get(c, "boundaries", SLT_DTYPE_I32, 1, 0);
    const float *confidence = get(c, "confidence", SLT_DTYPE_F32, 1, 0);
    const float *counts = get(c, "counts", SLT_DTYPE_F32, 2, SLOTS);
    const float *masks = get(c, "masks", SLT_DTYPE_F32, 2, SLOTS);
    const float *attention = get(c, "attention", SLT_DTYPE_F32, 2, SLOTS);
    size_t T = (size_t)s->length, N = (size_t)s->boundary_count;
    assert_int_equal(episode[c->seen], s->episode);
    assert_int_equal(steps[c->seen], c->step);
    assert_int_equal(starts[c->seen], c->boundary);
    assert_memory_equal(segment + c->step, s->ids, T * sizeof *segment);
    assert_memory_equal(boundaries + c->boundary, s->boundaries, N * sizeof *boundaries);
    assert_memory_equal(confidence + c->boundary, s->confidence, N * sizeof *confidence);
    assert_memory_equal(attention + SLOTS * c->step, s->attention, SLOTS * T * sizeof *attention);
    for (size_t k = 0; k < SLOTS; k++) {
        assert_true(counts[SLOTS * c->seen + k] == (float)s->counts[k]);
        for (size_t t = 0; t < T; t++)
            assert_true(masks[SLOTS * (c->step + t) + k] == s->masks[k * T + t]);
    }
    for (size_t t = 1; t < T; t++)
        assert_int_equal(slot[c->step + t] != slot[c->step + t - 1], s->ids[t] != s->ids[t - 1]);
    compare_slots(s);
    c->seen++;
    c->step += T;
    c->boundary += N;
    return SLT_OK;
}

// all of `data`'s test split is in the file, and nothing else
static size_t check_file(const char *path, const char *run, const char *set) {
    comparison c = {0};
    slt_model *model;
    slt_dataset *data;
    slt_segment_options options = {.one_split = true, .split = SLT_SPLIT_TEST, .pictures = true};
    CHECK_OK(slt_safetensors_open(&slt_system_allocator, path, &c.file));
    assert_string_equal(slt_safetensors_metadata(c.file, "format"), "slottar-segments-1");
    assert_string_equal(slt_safetensors_metadata(c.file, "split"), "test");
    assert_string_equal(slt_safetensors_metadata(c.file, "slots"), "3");
    CHECK_OK(slt_model_open(context, run, &model));
    CHECK_OK(slt_dataset_open(context, set, &data));
    CHECK_OK(slt_model_segment(model, data, &options, compare, &c));
    assert_int_equal(slt_safetensors_find(c.file, "episode")->count, c.seen);
    assert_int_equal(slt_safetensors_find(c.file, "segment")->count, c.step);
    assert_int_equal(slt_safetensors_find(c.file, "boundaries")->count, c.boundary);
    options.overwrite = true;
    CHECK_OK(slt_model_save_segments(model, data, &options, "again.safetensors"));
    options.overwrite = false;
    CHECK_FAILS(SLT_EXISTS, "exists",
                slt_model_save_segments(model, data, &options, "again.safetensors"));
    slt_dataset_close(data);
    slt_model_close(model);
    slt_safetensors_close(c.file);
    return c.seen;
}

static void a_run_keeps_its_segments(void **state) {
    (void)state;
    make_data("data.safetensors", SLT_OBSERVATIONS_U8, true, 0, EPISODES);
    train("data.safetensors", "run", NULL, NULL);
    assert_int_equal(check_file("run/segments.safetensors", "run", "data.safetensors"),
                     EPISODES / 10);
    assert_int_equal(check_file("again.safetensors", "run", "data.safetensors"), EPISODES / 10);
}

static void without_test_episodes_it_is_empty(void **state) {
    (void)state;
    make_data("few.safetensors", SLT_OBSERVATIONS_NONE, false, 0, 8);
    train("few.safetensors", "few", NULL, NULL);
    assert_int_equal(check_file("few/segments.safetensors", "few", "few.safetensors"), 0);
}

// ---- labelled copies

typedef struct {
    slt_dataset *copy;
    int64_t seen;
} copies;

static slt_status compare_labels(void *user, const slt_segments *s) {
    copies *c = user;
    slt_episode episode;
    CHECK_OK(slt_dataset_episode(c->copy, c->seen++, &episode));
    assert_int_equal(episode.length, s->length);
    assert_memory_equal(episode.segments, s->ids, (size_t)s->length * sizeof *s->ids);
    return SLT_OK;
}

static void check_copy(slt_model *model, slt_dataset *data, const slt_segment_options *options,
                       const char *path) {
    copies c = {0};
    CHECK_OK(slt_model_label(model, data, options, path));
    CHECK_OK(slt_dataset_open(context, path, &c.copy));
    CHECK_OK(slt_dataset_check(c.copy));
    CHECK_OK(slt_model_segment(model, data, options, compare_labels, &c));
    assert_int_equal(slt_dataset_about(c.copy)->episodes, c.seen);
    assert_int_equal(slt_dataset_about(c.copy)->observation_size, WIDTH);
    slt_dataset_close(c.copy);
}

static void a_copy_has_the_labels(void **state) {
    (void)state;
    slt_model *model;
    slt_dataset *data;
    slt_segment_options test = {.one_split = true, .split = SLT_SPLIT_TEST};
    make_data("plain.safetensors", SLT_OBSERVATIONS_F32, false, 0, EPISODES);
    train("plain.safetensors", "plain", NULL, NULL);
    CHECK_OK(slt_model_open(context, "plain", &model));
    CHECK_OK(slt_dataset_open(context, "plain.safetensors", &data));
    check_copy(model, data, NULL, "copy.safetensors");
    check_copy(model, data, &test, "copy.npz");
    CHECK_FAILS(SLT_UNSUPPORTED, "ends in", slt_model_label(model, data, NULL, "copy.txt"));
    test = (slt_segment_options){.missed_by = "uniform", .overwrite = true};
    CHECK_FAILS(SLT_INVALID, "set one_split", slt_model_label(model, data, &test, "copy.npz"));
    slt_dataset_close(data);
    slt_model_close(model);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_run_keeps_its_segments),
        cmocka_unit_test(without_test_episodes_it_is_empty),
        cmocka_unit_test(a_copy_has_the_labels),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
