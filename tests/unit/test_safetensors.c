// safetensors: round trips, the Python package's layout, and every kind of damage.
#include <stdlib.h>
#include <unistd.h>
#include "check.h"
#include "core/file.h"
#include "core/safetensors.h"

static const slt_allocator *const heap = &slt_system_allocator;

// ---- files made in memory

typedef struct {
    unsigned char bytes[4096];
    size_t size;
} image;

// a file from a header's text and a number of zero data bytes
static image *make(const char *header, size_t data) {
    static image made;
    size_t length = strlen(header);
    memset(&made, 0, sizeof made);
    for (int i = 0; i < 8; i++) made.bytes[i] = (unsigned char)((uint64_t)length >> 8 * i);
    memcpy(made.bytes + 8, header, length);
    made.size = 8 + length + data;
    return &made;
}

static slt_status view(const image *made) {
    slt_safetensors *file;
    slt_status status = slt_safetensors_view(heap, "x.safetensors", made->bytes, made->size, &file);
    if (status == SLT_OK) slt_safetensors_close(file);
    return status;
}

#define TENSOR(dtype, shape, offsets)                                                              \
    "{\"dtype\":\"" dtype "\",\"shape\":" shape ",\"data_offsets\":" offsets "}"

static void damage_is_refused_with_file_and_field(void **state) {
    (void)state;
    static const struct {
        const char *words, *header;
        size_t data;
    } cases[] = {
        // clang-format off
        {"tensor 'b': data_offsets [4, 12] overlap tensor 'w'", "{\"w\":" TENSOR("F32", "[2]", "[0,8]") ",\"b\":" TENSOR("F32", "[2]", "[4,12]") "}", 12},
        {"tensor 'b': data_offsets [10, 12] leave a hole of 2 bytes", "{\"w\":" TENSOR("F32", "[2]", "[0,8]") ",\"b\":" TENSOR("U8", "[2]", "[10,12]") "}", 12},
        {"tensor 'w': data_offsets [1, 3] leave a hole of 1 bytes", "{\"w\":" TENSOR("U8", "[2]", "[1,3]") "}", 3},
        {"3 bytes after the last tensor belong to no tensor", "{\"w\":" TENSOR("U8", "[2]", "[0,2]") "}", 5},
        {"4 bytes after the last tensor", "{}", 4},
        {"tensor 'w': data_offsets [0, 8] exceed the 7 bytes of data", "{\"w\":" TENSOR("F32", "[2]", "[0,8]") "}", 7},
        {"hold 8 bytes, but shape [3] of F32 needs 12", "{\"w\":" TENSOR("F32", "[3]", "[0,8]") "}", 8},
        {"tensor 'w': data_offsets [0, 9223372036854775807] exceed", "{\"w\":" TENSOR("U8", "[9223372036854775807]", "[0,9223372036854775807]") "}", 8},
        {"shape [4294967296, 4294967296] has more bytes", "{\"w\":" TENSOR("U8", "[4294967296,4294967296]", "[0,0]") "}", 0},
        {"shape [2305843009213693952] has more bytes", "{\"w\":" TENSOR("F64", "[2305843009213693952]", "[0,0]") "}", 0},
        {"tensor 'w': shape[1] is no whole number", "{\"w\":" TENSOR("F32", "[2,-1]", "[0,8]") "}", 8},
        {"tensor 'w': shape[0] is no whole number", "{\"w\":" TENSOR("F32", "[2.0]", "[0,8]") "}", 8},
        {"tensor 'w': shape has 9 dimensions", "{\"w\":" TENSOR("F32", "[1,1,1,1,1,1,1,1,1]", "[0,4]") "}", 4},
        {"tensor 'w': shape is missing", "{\"w\":{\"dtype\":\"F32\",\"data_offsets\":[0,4]}}", 4},
        {"tensor 'w': dtype 'F99' is unknown", "{\"w\":" TENSOR("F99", "[2]", "[0,8]") "}", 8},
        {"tensor 'w': dtype is missing", "{\"w\":{\"shape\":[1],\"data_offsets\":[0,4]}}", 4},
        {"tensor 'w': data_offsets are no two", "{\"w\":" TENSOR("F32", "[2]", "[8,0]") "}", 8},
        {"tensor 'w': data_offsets are no two", "{\"w\":" TENSOR("F32", "[2]", "[-8,0]") "}", 8},
        {"tensor 'w': data_offsets is missing", "{\"w\":" TENSOR("F32", "[2]", "[0,8,9]") "}", 8},
        {"tensor 'w': is no JSON object", "{\"w\":3}", 0},
        {"__metadata__ is no object", "{\"__metadata__\":[]}", 0},
        {"__metadata__ 'k' is no text", "{\"__metadata__\":{\"k\":1}}", 0},
        {"duplicate object key", "{\"w\":" TENSOR("U8", "[1]", "[0,1]") ",\"w\":" TENSOR("U8", "[1]", "[1,2]") "}", 2},
        {"JSON nests deeper than 3 levels", "{\"w\":{\"shape\":[[[[[[1]]]]]]}}", 0},
        {"bad JSON", "{\"w\":", 0},
        {"bad JSON", "{\"w\":\"\xff\xfe\"}", 0},
        {"bad JSON", "{\"a\\u0000b\":3}", 0},
        {"bad JSON", "{} {}", 0},
        {"bad JSON", "{\"w\":" TENSOR("U8", "[99999999999999999999]", "[0,1]") "}", 1},
        {"does not start with '{'", " {}", 0},
        {"does not start with '{'", "[]", 0},
        {"does not start with '{'", "", 0},
        // clang-format on
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        CHECK_FAILS(SLT_FORMAT, cases[i].words, view(make(cases[i].header, cases[i].data)));
        assert_int_equal(strncmp(slt_last_error(), "x.safetensors: ", 15), 0);
    }
}

static void header_lengths_are_checked(void **state) {
    (void)state;
    image *made = make("{}", 0);
    made->bytes[0] = 3;
    CHECK_FAILS(SLT_FORMAT, "header length 3 does not fit in a file of 10 bytes", view(made));
    memset(made->bytes, 0xff, 8);
    CHECK_FAILS(SLT_FORMAT, "header length 18446744073709551615 is above the limit", view(made));
    made->size = 7;
    CHECK_FAILS(SLT_FORMAT, "7 bytes are too few", view(made));
    made->size = 0;
    CHECK_FAILS(SLT_FORMAT, "is empty", view(made));
}

static void every_cut_is_refused(void **state) {
    (void)state;
    image *made = make(
        "{\"w\":" TENSOR("F32", "[2]", "[0,8]") ",\"b\":" TENSOR("U8", "[2]", "[8,10]") "}", 10);
    CHECK_OK(view(made));
    for (size_t whole = made->size; made->size > 0;) {
        made->size--;
        assert_int_equal(view(made), SLT_FORMAT);
        assert_true(made->size < whole);
    }
}

static void misaligned_data_is_readable(void **state) {
    (void)state;
    image *made = make(
        "{\"b\":" TENSOR("U8", "[3]", "[0,3]") ",\"w\":" TENSOR("F32", "[2]", "[3,11]") "}", 11);
    const float values[2] = {1.5f, -2};
    memcpy(made->bytes + made->size - 8, values, 8);
    slt_safetensors *file;
    CHECK_OK(slt_safetensors_view(heap, "x", made->bytes, made->size, &file));
    const slt_array *array = slt_safetensors_find(file, "w");
    assert_int_equal((uintptr_t)array->data % 4, 0);
    assert_memory_equal(array->data, values, 8);
    slt_safetensors_close(file);
}

// ---- writing

static void written_files_are_read_back(void **state) {
    (void)state;
    slt_safetensors_writer *writer;
    CHECK_OK(slt_safetensors_writer_open(heap, "a.safetensors", &writer));
    slt_safetensors_describe(writer, "zoo", "1\n\"quoted\" \\ ü");
    slt_safetensors_describe(writer, "ant", "old");
    slt_safetensors_describe(writer, "ant", "new");
    slt_safetensors_declare(writer, "big", SLT_DTYPE_F64, 2, (int64_t[]){100, 300});
    slt_safetensors_declare(writer, "bytes", SLT_DTYPE_U8, 1, (int64_t[]){5});
    slt_safetensors_declare(writer, "none", SLT_DTYPE_U8, 2, (int64_t[]){0, 7});
    for (int i = 0; i < 30000; i++) slt_safetensors_put(writer, &(double){i * 0.5}, sizeof(double));
    slt_safetensors_put(writer, "he", 2);
    slt_safetensors_put(writer, "llo", 3);
    CHECK_OK(slt_safetensors_commit(writer));

    slt_safetensors *file;
    CHECK_OK(slt_safetensors_open(heap, "a.safetensors", &file));
    assert_int_equal(slt_safetensors_count(file), 3);
    assert_string_equal(slt_safetensors_metadata(file, "ant"), "new");
    assert_string_equal(slt_safetensors_metadata(file, "zoo"), "1\n\"quoted\" \\ ü");
    assert_string_equal(slt_safetensors_metadata_at(file, 0).key, "ant");
    assert_null(slt_safetensors_metadata(file, "bee"));
    const slt_array *big;
    CHECK_OK(slt_safetensors_get(file, "big", SLT_DTYPE_F64, 2, (int64_t[]){-1, 300}, &big));
    assert_int_equal((uintptr_t)big->data % 64, 0);
    for (int i = 0; i < 30000; i++) assert_true(((const double *)big->data)[i] == i * 0.5);
    assert_memory_equal(slt_safetensors_find(file, "bytes")->data, "hello", 5);
    assert_null(slt_safetensors_find(file, "other"));
    CHECK_FAILS(SLT_FORMAT, "a.safetensors: tensor 'other' is missing",
                slt_safetensors_get(file, "other", SLT_DTYPE_F64, -1, NULL, &big));
    CHECK_FAILS(SLT_FORMAT, "'big': is F64 [100, 300], but F64 [100, 200] is wanted",
                slt_safetensors_get(file, "big", SLT_DTYPE_F64, 2, (int64_t[]){100, 200}, &big));
    slt_safetensors_close(file);
}

static slt_status attempt(void (*mistake)(slt_safetensors_writer *)) {
    slt_safetensors_writer *writer;
    SLT_TRY(slt_safetensors_writer_open(heap, "never.safetensors", &writer));
    slt_safetensors_declare(writer, "w", SLT_DTYPE_I16, 1, (int64_t[]){2});
    mistake(writer);
    return slt_safetensors_commit(writer);
}

static void too_little(slt_safetensors_writer *writer) { slt_safetensors_put(writer, "abc", 3); }
static void too_much(slt_safetensors_writer *writer) { slt_safetensors_put(writer, "abcde", 5); }
static void too_wide(slt_safetensors_writer *writer) {
    slt_safetensors_declare(writer, "v", SLT_DTYPE_F32, 0, NULL);
}
static void two_of_a_name(slt_safetensors_writer *writer) {
    slt_safetensors_declare(writer, "w", SLT_DTYPE_U8, 0, NULL);
}
static void negative(slt_safetensors_writer *writer) {
    slt_safetensors_declare(writer, "v", SLT_DTYPE_U8, 1, (int64_t[]){-1});
}
static void bad_text(slt_safetensors_writer *writer) {
    slt_safetensors_describe(writer, "key", "\xff");
}
static void too_late(slt_safetensors_writer *writer) {
    slt_safetensors_put(writer, "abcd", 4);
    slt_safetensors_declare(writer, "v", SLT_DTYPE_U8, 0, NULL);
}

static void mistakes_leave_no_file(void **state) {
    (void)state;
    CHECK_FAILS(SLT_INVALID, "tensor 'w' got 3 of its 4 bytes", attempt(too_little));
    CHECK_FAILS(SLT_INVALID, "more data than was declared", attempt(too_much));
    CHECK_FAILS(SLT_INVALID, "tensor 'v' of F32 comes after 'w' of narrower I16",
                attempt(too_wide));
    CHECK_FAILS(SLT_INVALID, "tensor 'w' is declared twice", attempt(two_of_a_name));
    CHECK_FAILS(SLT_RANGE, "tensor 'v' is too large", attempt(negative));
    CHECK_FAILS(SLT_FORMAT, "no valid UTF-8", attempt(bad_text));
    CHECK_FAILS(SLT_INVALID, "declared after data", attempt(too_late));
    assert_int_not_equal(access("never.safetensors", F_OK), 0);
}

// the Python package wrote the golden file from these arrays: save gives the same header (but for
// the padding) and the same data
static void layout_is_that_of_the_python_package(void **state) {
    (void)state;
    static const float kernel[6] = {0, 1, 2, 3, 4, 5}, a[1] = {2.5f};
    static const uint16_t half[2] = {0x3e00, 0xc000}, u[1] = {65535};
    // clang-format off
    const slt_array arrays[] = {
        {.name = "w.kernel", .dtype = SLT_DTYPE_F32, .rank = 2, .shape = {2, 3}, .data = kernel},
        {.name = "b", .dtype = SLT_DTYPE_U8, .rank = 1, .shape = {3}, .data = "\1\2\3"},
        {.name = "n", .dtype = SLT_DTYPE_I64, .rank = 0, .data = &(int64_t){7}},
        {.name = "flags", .dtype = SLT_DTYPE_BOOL, .rank = 1, .shape = {2}, .data = "\1\0"},
        {.name = "half", .dtype = SLT_DTYPE_F16, .rank = 1, .shape = {2}, .data = half},
        {.name = "i", .dtype = SLT_DTYPE_I32, .rank = 1, .shape = {1}, .data = &(int32_t){-5}},
        {.name = "u", .dtype = SLT_DTYPE_U16, .rank = 1, .shape = {1}, .data = u},
        {.name = "nothing", .dtype = SLT_DTYPE_F64, .rank = 2, .shape = {0, 4}, .data = ""},
        {.name = "a", .dtype = SLT_DTYPE_F32, .rank = 1, .shape = {1}, .data = a},
    };
    // clang-format on
    CHECK_OK(slt_safetensors_save(heap, "p.safetensors", arrays, sizeof arrays / sizeof *arrays,
                                  &(slt_metadata){"format", "pt"}, 1));
    slt_map ours, theirs;
    CHECK_OK(slt_map_open("p.safetensors", &ours));
    CHECK_OK(slt_map_open(GOLDEN "/formats/python.safetensors", &theirs));
    size_t header = theirs.data[0] + 256u * theirs.data[1], data = theirs.size - 8 - header;
    size_t length = header;
    while (theirs.data[8 + length - 1] == ' ') length--;
    assert_memory_equal(ours.data + 8, theirs.data + 8, length);
    for (size_t i = 8 + length; i < ours.size - data; i++) assert_int_equal(ours.data[i], ' ');
    assert_memory_equal(ours.data + ours.size - data, theirs.data + 8 + header, data);
    assert_int_equal((ours.size - data) % 64, 0);
    slt_map_close(&ours);
    slt_map_close(&theirs);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(damage_is_refused_with_file_and_field),
        cmocka_unit_test(header_lengths_are_checked),
        cmocka_unit_test(every_cut_is_refused),
        cmocka_unit_test(misaligned_data_is_readable),
        cmocka_unit_test(written_files_are_read_back),
        cmocka_unit_test(mistakes_leave_no_file),
        cmocka_unit_test(layout_is_that_of_the_python_package),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
