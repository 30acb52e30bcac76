// Verification finds every change: each byte of golden Craft data is altered in turn, and no
// altered file may pass.
#include <stdbool.h>
#include <zlib.h>
#include "check.h"
#include "verify/verify.h"

enum { LARGEST = 200000 };

// the first lines of a golden file, unpacked
static size_t load_lines(const char *name, int lines, char *text) {
    char path[1024];
    snprintf(path, sizeof path, "%s/craft/%s", GOLDEN, name);
    gzFile file = gzopen(path, "rb");
    assert_non_null(file);
    size_t size = 0;
    for (int i = 0; i < lines && gzgets(file, text + size, (int)(LARGEST - size)); i++)
        size += strlen(text + size);
    gzclose(file);
    assert_true(size > 0);
    return size;
}

// a new file each time: cutting an old one makes some file systems wait for the disk
static void store(const char *text, size_t size) {
    remove("changed");
    FILE *file = fopen("changed", "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(text, 1, size, file), size);
    fclose(file);
}

static bool passes(slt_context *context, const char *text, size_t size) {
    slt_verify_result result;
    store(text, size);
    return slt_verify_file(context, "changed", &result) == SLT_OK && result.mismatches == 0;
}

// alters every `stride`-th byte after the words `from`: the lowest bit turned, so that digits stay
// digits
static void check_changes(const char *name, int lines, const char *from, size_t stride) {
    static char text[LARGEST];
    size_t size = load_lines(name, lines, text);
    const char *start = strstr(text, from);
    slt_context *context;
    assert_non_null(start);
    CHECK_OK(slt_context_create(&(slt_context_options){.threads = 1}, &context));
    assert_true(passes(context, text, size));
    for (size_t i = (size_t)(start - text); i < size; i += stride) {
        text[i] ^= 1;
        if (passes(context, text, size))
            fail_msg("%s: byte %zu changed to '%c' is not noticed: %.40s", name, i, text[i],
                     text + (i > 20 ? i - 20 : 0));
        text[i] ^= 1;
    }
    slt_context_destroy(context);
}

static void episodes_by_the_bot(void **state) {
    (void)state;
    check_changes("bot_makebed_full.jsonl.gz", 1, "", 13);
}

static void episodes_at_random(void **state) {
    (void)state;
    check_changes("random_policy.jsonl.gz", 1, "\"rewards\"", 61);
}

static void episodes_on_custom_maps(void **state) {
    (void)state;
    check_changes("custom_maps.jsonl.gz", 1, "\"rewards\"", 61);
}

static void outcomes(void **state) {
    (void)state;
    check_changes("outcomes.tsv.gz", 20, "makebed", 1);
}

static void paths(void **state) {
    (void)state;
    check_changes("paths.jsonl", 1, "\"path\"", 1);
}

static void streams(void **state) {
    (void)state;
    check_changes("rng.json", LARGEST, "[", 7);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(episodes_by_the_bot),
        cmocka_unit_test(episodes_at_random),
        cmocka_unit_test(episodes_on_custom_maps),
        cmocka_unit_test(outcomes),
        cmocka_unit_test(paths),
        cmocka_unit_test(streams),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
