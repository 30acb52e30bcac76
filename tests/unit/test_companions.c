// Fixed companions: a trajectory's answer is the same bit for bit alone and in any company, packed
// and padded, for every kind of observation; a checkpoint is enough; damage in one is refused.
#include <math.h>
#include <stdlib.h>
#include "core/safetensors.h"
#include "small_run.h"

// ---- answers, every number of them

typedef struct {
    int32_t length, ids[LONGEST];
    double counts[SLOTS];
    float confidence[LONGEST], masks[SLOTS * LONGEST], attention[SLOTS * LONGEST];
} answer;

typedef struct {
    answer list[EPISODES];
    int count;
} answers;

static slt_status keep(void *user, const slt_segments *s) {
    answers *all = user;
    answer *a = &all->list[all->count++];
    size_t T = (size_t)s->length;
    memset(a, 0, sizeof *a);
    a->length = s->length;
    memcpy(a->ids, s->ids, T * sizeof *a->ids);
    memcpy(a->counts, s->counts, sizeof a->counts);
    memcpy(a->confidence, s->confidence, (size_t)s->boundary_count * sizeof *a->confidence);
    memcpy(a->masks, s->masks, SLOTS * T * sizeof *a->masks);
    memcpy(a->attention, s->attention, SLOTS * T * sizeof *a->attention);
    return SLT_OK;
}

static void segment(const char *run, const char *path, answers *out) {
    slt_model *model;
    slt_dataset *data;
    out->count = 0;
    CHECK_OK(slt_model_open(context, run, &model));
    CHECK_OK(slt_dataset_open(context, path, &data));
    CHECK_OK(slt_model_segment(model, data, &(slt_segment_options){.pictures = true}, keep, out));
    slt_dataset_close(data);
    slt_model_close(model);
}

static void check_alone(const char *run, slt_observation_kind kind, const answers *company) {
    static answers alone;
    for (uint32_t i = 0; i < EPISODES; i += 7) {
        make_data("alone.safetensors", kind, false, i, 1);
        segment(run, "alone.safetensors", &alone);
        assert_int_equal(alone.count, 1);
        assert_memory_equal(&alone.list[0], &company->list[i], sizeof(answer));
    }
}

static void check_kind(slt_observation_kind kind, const char *padding, const char *run) {
    static answers company, moved, lone;
    make_data("data.safetensors", kind, false, 0, EPISODES);
    train("data.safetensors", run, padding, "decoder_pairing=reference");
    segment(run, "data.safetensors", &company);
    assert_int_equal(company.count, EPISODES);
    check_alone(run, kind, &company);

    // other neighbours, at other places of the batch
    make_data("moved.safetensors", kind, false, 5, EPISODES - 5);
    segment(run, "moved.safetensors", &moved);
    assert_memory_equal(moved.list, company.list + 5, (EPISODES - 5) * sizeof(answer));

    // the checkpoint file alone, elsewhere
    char path[256];
    snprintf(path, sizeof path, "%s/best.safetensors", run);
    assert_int_equal(rename(path, "lone.safetensors"), 0);
    segment("lone.safetensors", "data.safetensors", &lone);
    assert_memory_equal(lone.list, company.list, EPISODES * sizeof(answer));
}

static void packed(void **state) {
    (void)state;
    check_kind(SLT_OBSERVATIONS_BITS, "slot_pad=exclude", "bits");
    check_kind(SLT_OBSERVATIONS_U8, "slot_pad=exclude", "bytes");
    check_kind(SLT_OBSERVATIONS_F32, "slot_pad=exclude", "reals");
    check_kind(SLT_OBSERVATIONS_NONE, "slot_pad=exclude", "blind");
}

static void padded(void **state) {
    (void)state;
    check_kind(SLT_OBSERVATIONS_BITS, "slot_pad=reference", "padded_bits");
    check_kind(SLT_OBSERVATIONS_F32, "slot_pad=reference", "padded_reals");
}

// the companions matter: others in the checkpoint, other answers
static void spoil(const char *from, const char *to, const char *name, int32_t value);
static void companions_are_used(void **state) {
    (void)state;
    static answers before, after;
    make_data("data.safetensors", SLT_OBSERVATIONS_F32, false, 0, EPISODES);
    train("data.safetensors", "used", "slot_pad=exclude", "decoder_pairing=reference");
    segment("used", "data.safetensors", &before);
    spoil("used/best.safetensors", "other.safetensors", "companions.observations", 0x41f00000);
    segment("other.safetensors", "data.safetensors", &after);
    assert_memory_not_equal(before.list, after.list, EPISODES * sizeof(answer));
}

// losses are those of the episodes asked for: a set next to itself has the loss of the set
static void losses_leave_companions_out(void **state) {
    (void)state;
    slt_model *model;
    slt_dataset *data;
    slt_run_scores once, twice;
    make_data("one.safetensors", SLT_OBSERVATIONS_U8, false, 3, 1);
    make_data("data.safetensors", SLT_OBSERVATIONS_U8, false, 0, EPISODES);
    train("data.safetensors", "losses", "slot_pad=exclude", "decoder_pairing=reference");
    CHECK_OK(slt_model_open(context, "losses", &model));
    double sum = 0, tokens = 0, right = 0;
    for (uint32_t i = 0; i < EPISODES; i++) {
        make_data("one.safetensors", SLT_OBSERVATIONS_U8, false, i, 1);
        CHECK_OK(slt_dataset_open(context, "one.safetensors", &data));
        double length = (double)slt_dataset_about(data)->steps;
        CHECK_OK(slt_model_score(model, data, NULL, &once));
        sum += length * once.reconstruction;
        right += length * once.accuracy;
        tokens += length;
        slt_dataset_close(data);
    }
    CHECK_OK(slt_dataset_open(context, "data.safetensors", &data));
    CHECK_OK(slt_model_score(model, data, NULL, &twice));
    assert_float_equal(twice.reconstruction, sum / tokens, 1e-5);
    assert_float_equal(twice.accuracy, right / tokens, 1e-9);
    slt_dataset_close(data);
    slt_model_close(model);
}

// ---- damage

// copies a file with the first four bytes of an array changed
static void spoil(const char *from, const char *to, const char *name, int32_t value) {
    slt_safetensors *file;
    CHECK_OK(slt_safetensors_open(&slt_system_allocator, from, &file));
    slt_array arrays[512];
    slt_metadata metadata[64];
    size_t count = slt_safetensors_count(file), texts = slt_safetensors_metadata_count(file);
    assert_true(count <= 512 && texts <= 64);
    char *copy = NULL;
    for (size_t i = 0; i < count; i++) {
        arrays[i] = *slt_safetensors_at(file, i);
        if (strcmp(arrays[i].name, name) != 0) continue;
        copy = malloc(arrays[i].bytes);
        memcpy(copy, arrays[i].data, arrays[i].bytes);
        memcpy(copy, &value, sizeof value);
        arrays[i].data = copy;
    }
    assert_non_null(copy);
    for (size_t i = 0; i < texts; i++) metadata[i] = slt_safetensors_metadata_at(file, i);
    CHECK_OK(slt_safetensors_save(&slt_system_allocator, to, arrays, count, metadata, texts));
    free(copy);
    slt_safetensors_close(file);
}

// copies a file with another text of its metadata
static void describe_anew(const char *from, const char *to, const char *key, const char *before,
                          const char *after) {
    slt_safetensors *file;
    CHECK_OK(slt_safetensors_open(&slt_system_allocator, from, &file));
    slt_array arrays[512];
    slt_metadata metadata[64];
    char text[4096];
    size_t count = slt_safetensors_count(file), texts = slt_safetensors_metadata_count(file);
    for (size_t i = 0; i < count; i++) arrays[i] = *slt_safetensors_at(file, i);
    for (size_t i = 0; i < texts; i++) {
        metadata[i] = slt_safetensors_metadata_at(file, i);
        if (strcmp(metadata[i].key, key) != 0) continue;
        const char *place = strstr(metadata[i].value, before);
        assert_non_null(place);
        snprintf(text, sizeof text, "%.*s%s%s", (int)(place - metadata[i].value), metadata[i].value,
                 after, place + strlen(before));
        metadata[i].value = text;
    }
    CHECK_OK(slt_safetensors_save(&slt_system_allocator, to, arrays, count, metadata, texts));
    slt_safetensors_close(file);
}

// sizes that the file does not hold are refused before memory is taken for them
static void sizes_are_checked(void **state) {
    (void)state;
    static const struct {
        const char *before, *after, *words;
    } cases[] = {
        {"hidden: 8\n", "hidden: 65536\n", "enc.action.embedding"},
        {"slot_size: 8\n", "slot_size: 65536\n", "pre.mlp1.kernel"},
        {"layers: 1\n", "layers: 64\n", "enc.layer1"},
        {"heads: 2\n", "heads: 3\n", "make no model"},
    };
    make_data("data.safetensors", SLT_OBSERVATIONS_U8, false, 0, EPISODES);
    train("data.safetensors", "sizes", "pe_scale=one", NULL);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        slt_model *model;
        describe_anew("sizes/best.safetensors", "bad.safetensors", "options", cases[i].before,
                      cases[i].after);
        CHECK_FAILS(SLT_FORMAT, cases[i].words, slt_model_open(context, "bad.safetensors", &model));
    }
}

static void damage_is_refused(void **state) {
    (void)state;
    static const struct {
        slt_observation_kind kind;
        const char *array, *run, *words;
        int32_t value;
    } cases[] = {
        {SLT_OBSERVATIONS_BITS, "companions.length", "damaged_a", "outside of 1 to 13", 14},
        {SLT_OBSERVATIONS_BITS, "companions.length", "damaged_a", "companions.actions", 13},
        {SLT_OBSERVATIONS_BITS, "companions.actions", "damaged_a", "outside of 0 to 3", 4},
        {SLT_OBSERVATIONS_BITS, "companions.actions", "damaged_a", "outside of 0 to 3", -1},
        {SLT_OBSERVATIONS_BITS, "companions.observations", "damaged_a", "bits are wanted", 2},
        {SLT_OBSERVATIONS_F32, "companions.observations", "damaged_b", "holds", 0x7fc00000},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char path[64];
        slt_model *model;
        make_data("data.safetensors", cases[i].kind, false, 0, EPISODES);
        train("data.safetensors", cases[i].run, "slot_pad=exclude", "decoder_pairing=reference");
        snprintf(path, sizeof path, "%s/best.safetensors", cases[i].run);
        spoil(path, "bad.safetensors", cases[i].array, cases[i].value);
        CHECK_FAILS(SLT_FORMAT, cases[i].words, slt_model_open(context, "bad.safetensors", &model));
    }
}

// training trajectories that only keep company have no part in the held-out loss
static void restarts_are_judged_without_them(void **state) {
    (void)state;
    static const char *const settings[] = {
        "hidden=8",  "slot_size=8",     "heads=2",
        "slots=3",   "batch=8",         "epochs=1",
        "length=13", "early_stop=loss", "decoder_pairing=reference"};
    slt_train_request request = {.model = "slottar",
                                 .data = "held.safetensors",
                                 .run = "held",
                                 .settings = settings,
                                 .setting_count = sizeof settings / sizeof *settings,
                                 .restarts = 2};
    slt_train_result result;
    make_data("held.safetensors", SLT_OBSERVATIONS_F32, false, 0, EPISODES);
    CHECK_OK(slt_train(context, &request, &result));
    double judged = result.restarts.losses[result.restarts.picked];
    if (fabs(judged - result.valid.loss) > 1e-6)
        fail_msg("restarts are judged by %.9g, the held-out loss is %.9g", judged,
                 result.valid.loss);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(packed),
        cmocka_unit_test(padded),
        cmocka_unit_test(companions_are_used),
        cmocka_unit_test(losses_leave_companions_out),
        cmocka_unit_test(restarts_are_judged_without_them),
        cmocka_unit_test(damage_is_refused),
        cmocka_unit_test(sizes_are_checked),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
