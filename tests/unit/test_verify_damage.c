// Golden files that are damaged at one place: refused with words about that place, never believed.
// The first line of a list is enough; binary files keep their size.
#include <stdbool.h>
#include <stdlib.h>
#include <zlib.h>
#include "check.h"
#include "verify/verify.h"
#include "group_context.h"

enum { ROOM = 1 << 20 };

static char text[ROOM];

// a golden file, unpacked, or its first line
static size_t load(const char *name, bool whole) {
    char path[512];
    snprintf(path, sizeof path, "%s/%s", GOLDEN, name);
    gzFile file = gzopen(path, "rb");
    if (!file) fail_msg("no %s", path);
    int size = gzread(file, text, ROOM - 1);
    gzclose(file);
    assert_true(size > 0);
    if (whole) return (size_t)size;
    text[size] = 0;
    return (size_t)(strchr(text, '\n') + 1 - text);
}

static void save(size_t size) {
    FILE *file = fopen("damaged", "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(text, 1, size, file), size);
    assert_int_equal(fclose(file), 0);
}

// the first `from` becomes `to`; the new size
static size_t replace(size_t size, const char *from, const char *to) {
    size_t old = strlen(from), new = strlen(to);
    char *at = memmem(text, size, from, old);
    if (!at) fail_msg("there is no %s", from);
    memmove(at + new, at + old, size - (size_t)(at - text) - old);
    memcpy(at, to, new);
    return size + new - old;
}

typedef struct {
    const char *file, *from, *to, *words;
} damage;

static void refuse(const damage *list, size_t count, bool whole) {
    slt_verify_result result = {.checked = 77};
    for (size_t i = 0; i < count; i++) {
        const damage *d = &list[i];
        save(replace(load(d->file, whole), d->from, d->to));
        slt_status status = slt_verify_file(context, "damaged", &result);
        if (status != SLT_FORMAT || !strstr(slt_last_error(), d->words))
            fail_msg("%s: %s to %s: %s, '%s', not '%s'", d->file, d->from, d->to,
                     slt_status_name(status), slt_last_error(), d->words);
        assert_int_equal(result.checked, 77);
    }
}
#define REFUSE(list, whole) refuse(list, sizeof(list) / sizeof *(list), whole)

// clang-format off
static void craft_episodes(void **state) {
    (void)state;
    static const char bot[] = "craft/bot_makebed_full.jsonl.gz";
    static const char custom[] = "craft/custom_maps.jsonl.gz";
    static const damage list[] = {
        {bot,    "\"task\":\"makebed\"", "\"task\":\"makebad\"", "task 8 is makebed"},
        {bot,    "\"task\":\"makebed\"", "\"task\":7", "'task' is no text"},
        {bot,    "\"env_id\":8", "\"env_id\":1.5", "'env_id' is no whole number"},
        {bot,    "\"width\":10", "\"width\":11", "'width' is 11"},
        {bot,    "\"grid\":[", "\"grid\":[7,", "'grid' has 11 entries"},
        {bot,    "\"1111111111\"", "\"111111111\"", "grid column 0"},
        {bot,    "\"1111111111\"", "\"11111z1111\"", "no kind"},
        {bot,    "\"pos\":[3,6]", "\"pos\":[3]", "'pos' is no pair"},
        {bot,    "\"pos\":[3,6]", "\"pos\":[1,3]", "cell (1, 3) is not empty"},
        {bot,    "\"seed\":40800", "\"seed\":-1", "'seed' is -1"},
        {bot,    "\"inventory0\":[]", "\"inventory0\":7", "'inventory0' is no list"},
        {bot,    "\"T\":17", "\"T\":18", "'actions' has 17 entries"},
        {bot,    "\"actions\":[3", "\"actions\":[9", "'actions' is 9"},
        {bot,    "\"rewards\":[0", "\"rewards\":[\"0\"", "'rewards' is no whole number"},
        {bot,    "\"obs\":[[0", "\"obs\":[[100000", "a feature 100000"},
        {bot,    "\"obs\":[[0", "\"obs\":[[\"0\"", "'obs' holds no whole number"},
        {bot,    "\"obs\":[[0", "\"obs\":[[[0,1,2]", "'obs' holds a feature 0"},
        {bot,    "\"ret\":4", "\"ret\":4,\"more\":1", "25 fields instead of 24"},
        {custom, "\"inventory0\":[[13,2]]", "\"inventory0\":[[13,60],[14,60]]", "over 100 items"},
        {custom, "\"success\":null", "\"success\":1", "'success' of a custom map"},
    };
    REFUSE(list, false);
}

static void craft_lists(void **state) {
    (void)state;
    static const char paths[] = "craft/paths.jsonl", metrics[] = "craft/metrics.jsonl";
    static const damage lines[] = {
        {paths,   "\"path\":[[", "\"path\":7,\"other\":[[", "not four fields"},
        {paths,   "\"path\":[[7,7],", "\"path\":[[7],", "'path' is no pair"},
        {paths,   "\"start\":[7,7]", "\"start\":[7,77]", "'start' is 77"},
        {metrics, "\"length\":10", "\"length\":11", "10 actions, but length 11"},
        {metrics, "\"model\":\"slottar\"", "\"model\":\"slutter\"", "none of slottar, compile, ompn"},
        {metrics, "\"masks\":[[1.0", "\"masks\":[[\"1\"", "'masks' holds no numbers"},
        {metrics, "\"masks\":[[", "\"masks\":[7,[", "'masks' is no list of lists"},
        {metrics, "\"actions\":[3", "\"actions\":[3.5", "'actions', entry 0 is no whole number"},
        {metrics, "\"actions\":[", "\"actions\":0,\"x\":[", "'actions' is no list"},
        {metrics, "\"num_segs\":4", "\"num_segs\":\"4\"", "'num_segs' is no whole number"},
        {metrics, "\"f1\":", "\"F1\":", "'f1' is no number"},
    };
    static const damage whole[] = {
        {"craft/outcomes.tsv.gz", "\nmakebed\tfull\t1", "\nmakebad\tfull\t1", "line 2 is no outcome"},
        {"craft/rng.json", "\"np_randint8\"", "\"np_randint9\"", "'np_randint8' is no list"},
        {"craft/rng.json", "\"seed\": 0", "\"seed\": 0, \"x\": 1", "record 0 does not have"},
        {"craft/rng.json", "2357136044", "-5", "'np_uint32' is -5"},
        {metrics, "\"boundary_idx\":[", "\"boundary_idx\":[],\"x\":[", "0 boundaries for"},
    };
    REFUSE(lines, false);
    REFUSE(whole, true);
}

static void minigrid(void **state) {
    (void)state;
    static const char traces[] = "minigrid/traces.jsonl.gz", rng[] = "minigrid/rng_vectors.json";
    static const damage lines[] = {
        {traces, "\"seed\":1000", "\"sead\":1000", "a line without a seed"},
        {traces, "\"episodes\":[{", "\"episodes\":[],\"x\":[{", "no episodes"},
        {traces, "\"actions\":\"0", "\"actions\":\"9", "step 0 has no action"},
        {traces, "\"grid\":\"eN", "\"grid\":\"*N", "no base64 digit at 0"},
        {traces, "\"obs0\":\"eN", "\"obs0\":\"AA", "does not hold 147 bytes"},
    };
    static const damage whole[] = {
        {rng, "\"seed\":\"0\"", "\"seed\":0", "a list without a seed"},
        {rng, "\"seed\":\"0\"", "\"seed\":\"\"", "an empty seed"},
        {rng, "\"seed\":\"0\"", "\"seed\":\"1e5\"", "'1e5' is no number"},
        {rng, "\"seed\":\"0\"", "\"seed\":\"999999999999999999999999999999999999999999999999999999"
              "9999999999999999999999999999999999999999999999999999999999999999999999999999999999999"
              "9999999999999999999999999999999999999999999999999999999999999999999999999999999999999\"",
              "is too large"},
        {rng, "\"integers\":{", "\"integers\":{},\"x\":{", "has no integers"},
        {rng, "\"integers\":{", "\"integers\":{\"-3\":[1],", "integers below '-3'"},
        {rng, "\"mixed_ops\":[", "\"mixed_ops\":[[\"dance\"],", "'dance' is no call"},
        {rng, "\"mixed_ops\":[", "\"mixed_ops\":[[\"integers\",5,5,5],", "[5, 5) cannot be drawn"},
        {rng, "\"mixed_ops\":[", "\"mixed_ops\":[[\"choice\",0,0],", "a choice of 0 things"},
    };
    REFUSE(lines, false);
    REFUSE(whole, true);
}

static void scores(void **state) {
    (void)state;
    static const char file[] = "models/metrics.json";
    static const damage list[] = {
        {file, "\"gt\": [0", "\"gt\": [0, 0", "23 true and 22 predicted labels"},
        {file, "\"gt\": [0", "\"gt\": [99999999999", "'gt', entry 0 is no whole number"},
        {file, "\"ari\": 0.1", "\"ari\": \"x\", \"y\": 0.1", "'ari' is no number"},
        {file, "\"fa_per_slot\": [", "\"fa_per_slot\": [], \"x\": [", "do not fit"},
        {file, "\"kind\": \"craft\"", "\"kind\": \"draft\"", "neither craft nor minigrid"},
        {file, "\"front_cell_state\": [", "\"front_cell_state\": [1, ", "view cells"},
        {file, "\"attn\": [[", "\"attn\": [[1, ", "'attn'"},
    };
    REFUSE(list, true);
}

// headers of the same length; numbers of the wrong kind
static void models(void **state) {
    (void)state;
    static const char compile[] = "models/compile_tiny_gaussian.safetensors";
    static const char ompn[] = "models/ompn_tiny_depth2.safetensors";
    static const char slottar[] = "models/slottar_tiny_it1_own.safetensors";
    static const damage list[] = {
        {compile, "\"B\":\"3\"", "\"B\":\"0\"", "'B' is 0, not a whole number"},
        {compile, "\"B\":\"3\"", "\"B\":\"x\"", "'B' is no number: x"},
        {compile, "\"B\":\"3\"", "\"b\":\"3\"", "no priors in it"},
        {compile, "\"L\":\"11\"", "\"l\":\"11\"", "'L' is missing"},
        {compile, "\"w.b1.kernel\"", "\"w.b1.kernal\"", "w.b1.kernel"},
        {ompn,    "\"D\":\"20\"", "\"D\":\"21\"", "numbers"},
        {ompn,    "\"w.actor.kernel\"", "\"w.actor.kernal\"", "w.actor.kernel"},
        {slottar, "\"in.obs\"", "\"in.abs\"", "'in.obs'"},
        {slottar, "\"in.prior\"", "\"in.pryor\"", "in.prior"},
    };
    REFUSE(list, true);
}
// clang-format on

// number `place` of an array of a golden model
static size_t put(const char *file, const char *array, int place, int32_t value) {
    size_t size = load(file, true);
    uint64_t header;
    memcpy(&header, text, 8);
    char key[64];
    snprintf(key, sizeof key, "\"%s\"", array);
    const char *at = memmem(text + 8, header, key, strlen(key));
    if (!at) fail_msg("no array %s", array);
    size_t offset = strtoul(strstr(at, "\"data_offsets\":[") + 16, NULL, 10);
    memcpy(text + 8 + header + offset + 4 * (size_t)place, &value, 4);
    return size;
}

static void numbers_of_models(void **state) {
    (void)state;
    static const struct {
        const char *file, *array;
        int32_t value;
        const char *words;
    } list[] = {
        {"models/compile_tiny_gaussian.safetensors", "in.actions", 99, "99"},
        {"models/compile_tiny_gaussian.safetensors", "in.lengths", 0, "0"},
        {"models/ompn_tiny_depth2.safetensors", "in.lengths", 99, "length 99"},
        {"models/ompn_tiny_depth2.safetensors", "in.actions", -1, "action -1"},
        {"models/slottar_tiny_it1_own.safetensors", "in.lengths", 99, "length 99"},
        {"models/slottar_tiny_it1_own.safetensors", "in.actions", -1, "action -1"},
    };
    slt_verify_result result;
    for (size_t i = 0; i < sizeof list / sizeof *list; i++) {
        save(put(list[i].file, list[i].array, 0, list[i].value));
        CHECK_FAILS(SLT_FORMAT, list[i].words, slt_verify_file(context, "damaged", &result));
    }
}

static void packed_files(void **state) {
    (void)state;
    slt_verify_result result;
    text[0] = '\x1f', text[1] = '\x8b', text[2] = 8, text[3] = 0;
    save(4);
    CHECK_FAILS(SLT_FORMAT, "damaged or too large gzip",
                slt_verify_file(context, "damaged", &result));
    snprintf(text, sizeof text, "{\"nothing\": 1}\n");
    save(strlen(text));
    CHECK_FAILS(SLT_FORMAT, "no golden file that this build knows",
                slt_verify_file(context, "damaged", &result));
    CHECK_FAILS(SLT_IO, "nowhere", slt_verify_file(context, "nowhere", &result));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(craft_episodes), cmocka_unit_test(craft_lists),
        cmocka_unit_test(minigrid),       cmocka_unit_test(scores),
        cmocka_unit_test(models),         cmocka_unit_test(numbers_of_models),
        cmocka_unit_test(packed_files),
    };
    return cmocka_run_group_tests(tests, one_thread, no_context);
}
