// Which parts of a model the device runs as one launch, at the size of a training step: every
// preset hits each of them or misses it for a known reason. A node that is moved in a model, or a
// bound that is changed, shows here and not in the time of a step. sanitizers: too long
#include "cuda_rig.h"
#include "train/learner/learner.h"

typedef struct {
    const char *model, *preset; // preset "": all others of the model
    const char *parts;          // as `tell` writes them
} expectation;

#define NORMS_TAKEN "norm " TAKEN "\nnorm " TAKEN "\nnorm " TAKEN "\n"
#define TAKEN       "(its nodes are in another launch)"
#define WIDE_OUTPUT "output (more than 8 columns)\n"

#define MINIGRID                                                                                   \
    "leaves 0-2\nslots 17-28\nencoder input 3-6\ndecoder input 29-32\nlayer 8-16\nlayer "          \
    "33-36\n" WIDE_OUTPUT NORMS_TAKEN "loss 38-41"

#define CRAFT                                                                                      \
    "leaves 0-2\nslots 17-28\nencoder input 3-6\ndecoder input 29-32\nlayer 8-16\nlayer 33-37\n"   \
    "output " TAKEN "\n" NORMS_TAKEN "loss 38-41"

#define MDL "leaves 16-17\n" WIDE_OUTPUT "norm 3-4"

// clang-format off
static const expectation expected[] = {
    {"slottar", "craft-full", CRAFT},
    {"slottar", "craft-partial", CRAFT},
    {"slottar", "doorkey", MINIGRID},
    {"slottar", "unlockpickup", MINIGRID},
    {"slottar", "blockedunlockpickup", MINIGRID},
    {"slottar", "keycorridor",
     "leaves 0-2\nslots 17-37\n"
     "encoder input 3-6\ndecoder input 38-41\nlayer 8-16\nlayer 42-45\n"
     WIDE_OUTPUT NORMS_TAKEN "loss 47-50"},
    {"slottar-mdl", "craft-full", "leaves 0-1\n" MDL},
    {"slottar-mdl", "craft-partial", "leaves 0-1\n" MDL},
    {"slottar-mdl", "", "leaves 0-1\n" MDL},
    {"compile", "craft-full", "leaves 1-3\nnorm 5-6"},
    {"compile", "craft-partial", "leaves 1-3\nnorm 5-6"},
    {"compile", "", "leaves 1-3\nnorm 5-6"},
    {"ompn", "", ""}, // one operation for all of its recurrence
};
// clang-format on

// what the environments of the presets give
static slt_model_data data_of(const char *preset, int length, const double *prior) {
    bool craft = strncmp(preset, "craft", 5) == 0;
    return (slt_model_data){.symbols = craft ? 6 : 8,
                            .observation = craft ? 1075 : 147,
                            .observation_type = craft ? SLT_BITS : SLT_NUMBERS,
                            .length = length,
                            .prior = prior};
}

// "layer 8-16" or "output (more than 8 columns)", a line each
static void tell(const slt_tape *tape, char *out, size_t size) {
    *out = 0;
    for (int fusion = 0, n = -1; slt_fused_part(tape, &fusion, &n);) {
        slt_fused fused;
        slt_tape_device(tape)->fused(tape, (slt_fusion)fusion, n, &fused);
        size_t used = strlen(out);
        const char *name = slt_fusion_name((slt_fusion)fusion), *start = used ? "\n" : "";
        if (fused.why)
            snprintf(out + used, size - used, "%s%s (%s)", start, name, fused.why);
        else
            snprintf(out + used, size - used, "%s%s %d-%d", start, name, fused.first, fused.last);
    }
}

static void check_preset(const char *model, const char *preset, const char *parts) {
    enum { LONGEST = 40 }; // steps, where the preset leaves it to the data
    slt_setup setup;
    double prior[SLT_LEARNER_SLOTS] = {1};
    long vars[SLT_MODEL_VARS * sizeof(slt_var) / sizeof(long)];
    char found[2048];
    slt_store *store;
    slt_tape *tape;
    CHECK_OK(slt_setup_init(&setup, model, NULL, preset));
    CHECK_OK(slt_setup_resolve(&setup));
    int L = setup.train.length ? (int)setup.train.length : LONGEST, B = (int)setup.train.batch;
    slt_model_data data = data_of(preset, L, prior);
    CHECK_OK(slt_store_create(device, 1, &store));
    CHECK_OK(
        slt_tape_create(store, (slt_limits){B, B * L, setup.kind->slots(setup.model), L}, &tape));
    setup.kind->build(tape, setup.model, &data, true, vars);
    CHECK_OK(slt_store_finish(store));
    CHECK_OK(slt_tape_finish(tape, setup.kind->io(vars).loss, false));
    tell(tape, found, sizeof found);
    if (strcmp(found, parts) != 0)
        fail_msg("%s, preset %s:\n%s\nnot\n%s", model, preset, found, parts);
    slt_tape_destroy(tape);
    slt_store_destroy(store);
}

static const char *expected_of(const char *model, const char *preset) {
    for (size_t i = 0; i < sizeof expected / sizeof *expected; i++)
        if (strcmp(expected[i].model, model) == 0 &&
            (!*expected[i].preset || strcmp(expected[i].preset, preset) == 0))
            return expected[i].parts;
    return "nothing: there is no row for it";
}

static void presets_hit_what_is_known(void **state) {
    (void)state;
    for (int m = 0; slt_model_row(m); m++)
        for (int i = 0; slt_preset_name(slt_model_row(m)->name, i); i++) {
            const char *model = slt_model_row(m)->name, *preset = slt_preset_name(model, i);
            check_preset(model, preset, expected_of(model, preset));
        }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(presets_hit_what_is_known)};
    slt_context_options options = {.threads = 1, .device = "cuda", .precision = "tf32"};
    if (!cuda_rig_open("fused launches")) return 0;
    slt_context_destroy(device);
    if (slt_context_create(&options, &device) != SLT_OK) return 1;
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    cuda_rig_close();
    return failed;
}
