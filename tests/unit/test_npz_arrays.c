// Archives of arrays as other programs write them: every type that numbers come in, zip64, headers
// that leave numbers unaligned; and arrays that do not belong together, refused by name.
#include <stdbool.h>
#include <stdlib.h>
#include <zlib.h>
#include "check.h"
#include "slottar/dataset.h"
#include "group_context.h"

// ---- a writer of its own: members are stored as they are

typedef struct {
    const char *name, *descr, *shape;
    const void *data;
    size_t bytes;
} member;

typedef struct {
    bool large;         // zip64: 32-bit fields are full, the numbers stand elsewhere
    bool odd;           // numbers begin at an odd place
    const char *header; // instead of the member's own
} manner;

typedef struct {
    unsigned char bytes[1 << 14], directory[1 << 12];
    size_t size, listed;
    int members;
} archive;

static void put(unsigned char *to, size_t *at, uint64_t value, int bytes) {
    for (int i = 0; i < bytes; i++) to[(*at)++] = (unsigned char)(value >> 8 * i);
}

static size_t make_npy(const member *m, const manner *how, unsigned char *out) {
    char header[256];
    if (how->header)
        snprintf(header, sizeof header, "%s", how->header);
    else
        snprintf(header, sizeof header, "{'descr': '%s', 'fortran_order': False, 'shape': %s, }",
                 m->descr, m->shape);
    size_t length = strlen(header), at = 0;
    while ((10 + length) % 64 != (how->odd ? 1 : 0)) header[length++] = ' ';
    memcpy(out, "\x93NUMPY\1\0", 8);
    at = 8;
    put(out, &at, length, 2);
    memcpy(out + at, header, length);
    memcpy(out + at + length, m->data, m->bytes);
    return at + length + m->bytes;
}

// what follows the signature, in a local header or in the directory
static void put_head(unsigned char *to, size_t *at, bool large, uint32_t crc, size_t size,
                     size_t name, size_t extra) {
    put(to, at, 20, 2), put(to, at, 0, 2), put(to, at, 0, 2), put(to, at, 0, 4);
    put(to, at, crc, 4);
    put(to, at, large ? UINT32_MAX : size, 4), put(to, at, large ? UINT32_MAX : size, 4);
    put(to, at, name, 2), put(to, at, extra, 2);
}

static void add(archive *zip, const member *m, const manner *how) {
    unsigned char npy[2048];
    char name[64];
    size_t size = make_npy(m, how, npy), start = zip->size;
    size_t length = (size_t)snprintf(name, sizeof name, "%s.npy", m->name);
    uint32_t crc = (uint32_t)crc32(0, npy, (uInt)size);
    put(zip->bytes, &zip->size, 0x04034b50, 4);
    put_head(zip->bytes, &zip->size, false, crc, size, length, 0);
    memcpy(zip->bytes + zip->size, name, length), zip->size += length;
    memcpy(zip->bytes + zip->size, npy, size), zip->size += size;

    unsigned char *list = zip->directory;
    put(list, &zip->listed, 0x02014b50, 4), put(list, &zip->listed, 20, 2);
    put_head(list, &zip->listed, how->large, crc, size, length, how->large ? 36 : 0);
    put(list, &zip->listed, 0, 2), put(list, &zip->listed, 0, 2), put(list, &zip->listed, 0, 2);
    put(list, &zip->listed, 0, 4);
    put(list, &zip->listed, how->large ? UINT32_MAX : start, 4);
    memcpy(list + zip->listed, name, length), zip->listed += length;
    zip->members++;
    if (!how->large) return;
    // a field of somebody else's first
    put(list, &zip->listed, 0x5455, 2), put(list, &zip->listed, 4, 2);
    put(list, &zip->listed, 0, 4);
    put(list, &zip->listed, 1, 2), put(list, &zip->listed, 24, 2);
    put(list, &zip->listed, size, 8), put(list, &zip->listed, size, 8);
    put(list, &zip->listed, start, 8);
}

static void finish(archive *zip, bool large, const char *path) {
    size_t start = zip->size;
    memcpy(zip->bytes + zip->size, zip->directory, zip->listed), zip->size += zip->listed;
    size_t record = zip->size;
    if (large) {
        put(zip->bytes, &zip->size, 0x06064b50, 4), put(zip->bytes, &zip->size, 44, 8);
        put(zip->bytes, &zip->size, 0, 4), put(zip->bytes, &zip->size, 0, 8);
        put(zip->bytes, &zip->size, (uint64_t)zip->members, 8);
        put(zip->bytes, &zip->size, (uint64_t)zip->members, 8);
        put(zip->bytes, &zip->size, zip->listed, 8), put(zip->bytes, &zip->size, start, 8);
        put(zip->bytes, &zip->size, 0x07064b50, 4), put(zip->bytes, &zip->size, 0, 4);
        put(zip->bytes, &zip->size, record, 8), put(zip->bytes, &zip->size, 1, 4);
    }
    put(zip->bytes, &zip->size, 0x06054b50, 4), put(zip->bytes, &zip->size, 0, 4);
    put(zip->bytes, &zip->size, (uint64_t)zip->members, 2);
    put(zip->bytes, &zip->size, (uint64_t)zip->members, 2);
    put(zip->bytes, &zip->size, large ? UINT32_MAX : zip->listed, 4);
    put(zip->bytes, &zip->size, large ? UINT32_MAX : start, 4), put(zip->bytes, &zip->size, 0, 2);
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(zip->bytes, 1, zip->size, file), zip->size);
    assert_int_equal(fclose(file), 0);
}

static void write_npz(const char *path, const member *members, manner how) {
    static archive zip;
    zip.size = zip.listed = 0;
    zip.members = 0;
    for (; members->name; members++) add(&zip, members, &how);
    finish(&zip, how.large, path);
}

static slt_status open_npz(const member *members, manner how, slt_dataset **out) {
    write_npz("arrays.npz", members, how);
    return slt_dataset_open(context, "arrays.npz", out);
}

// ---- what is read

static const uint8_t ACTIONS[] = {1, 0, 2, 1}, STARTS[] = {0, 3, 4};
#define BYTES(name, shape, array)                                                                  \
    { name, "|u1", shape, array, sizeof(array) }
#define ARRAY(name, descr, shape, array)                                                           \
    { name, descr, shape, array, sizeof(array) }
#define BASE BYTES("actions", "(4,)", ACTIONS), BYTES("episode_offsets", "(3,)", STARTS)
#define END                                                                                        \
    { NULL, NULL, NULL, NULL, 0 }

static void check_actions(slt_dataset *data) {
    assert_int_equal(slt_dataset_about(data)->episodes, 2);
    for (int64_t e = 0, at = 0; e < 2; e++) {
        slt_episode episode;
        CHECK_OK(slt_dataset_episode(data, e, &episode));
        for (int64_t t = 0; t < episode.length; t++)
            assert_int_equal(slt_episode_action(&episode, t), ACTIONS[at++]);
    }
    slt_dataset_close(data);
}

static void whole_numbers_of_every_type(void **state) {
    (void)state;
    static const int8_t a[] = {1, 0, 2, 1};
    static const int16_t b[] = {1, 0, 2, 1};
    static const uint16_t c[] = {1, 0, 2, 1};
    static const int32_t d[] = {1, 0, 2, 1};
    static const uint32_t e[] = {1, 0, 2, 1};
    static const int64_t f[] = {1, 0, 2, 1};
    static const uint64_t g[] = {1, 0, 2, 1};
    static const double starts[] = {0, 3, 4};
    const member types[] = {
        ARRAY("actions", "|i1", "(4,)", a),  ARRAY("actions", "<i2", "(4,)", b),
        ARRAY("actions", "<u2", "(4,)", c),  ARRAY("actions", "<i4", "(4,)", d),
        ARRAY("actions", "<u4", "(4,)", e),  ARRAY("actions", "<i8", "(4,)", f),
        ARRAY("actions", "<u8", "(4L,)", g),
    };
    for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
        const member list[] = {types[i], ARRAY("episode_offsets", "<f8", "(3,)", starts), END};
        slt_dataset *data;
        CHECK_OK(open_npz(list, (manner){.odd = i % 2}, &data));
        check_actions(data);
        CHECK_OK(open_npz(list, (manner){.large = true}, &data));
        check_actions(data);
    }
}

static void numbers_of_every_type(void **state) {
    (void)state;
    static const float single[] = {0.5f, -2, 3, 0.25f};
    static const double wide[] = {0.5, -2, 3, 0.25};
    static const uint16_t half[] = {0x3800, 0xc000, 0x4200, 0x3400};
    static const int16_t whole[] = {5, -2, 3, 7};
    static const float found[][4] = {{0.5f, -2, 3, 0.25f}, {5, -2, 3, 7}};
    const member types[] = {
        ARRAY("rewards", "<f4", "(4,)", single), ARRAY("rewards", "<f8", "(4,)", wide),
        ARRAY("rewards", "<f2", "(4,)", half), ARRAY("rewards", "<i2", "(4,)", whole)};
    for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
        const member list[] = {BASE, types[i], END};
        slt_dataset *data;
        slt_episode episode;
        CHECK_OK(open_npz(list, (manner){0}, &data));
        CHECK_OK(slt_dataset_episode(data, 0, &episode));
        assert_memory_equal(episode.rewards, found[i == 3], 3 * sizeof(float));
        slt_dataset_close(data);
    }
}

static void last_observations(void **state) {
    (void)state;
    static const uint8_t seen[] = {1, 2, 3, 4, 5, 6, 7, 8}, last[] = {9, 10, 11, 12};
    static const uint16_t ones[] = {0, 2, 1, 0}, final_ones[] = {2};
    static const int64_t offsets[] = {0, 2, 2, 3, 4}, final_offsets[] = {0, 0, 1};
    static const char texts[] = "{\"observations_bits_width\": \"3\"}";
    const member dense[] = {BASE, BYTES("observations", "(4, 2)", seen),
                            BYTES("final_observations", "(2, 2)", last), END};
    const member sparse[] = {BASE,
                             ARRAY("observations_bits", "<u2", "(4,)", ones),
                             ARRAY("observations_bits_offsets", "<i8", "(5,)", offsets),
                             ARRAY("final_observations_bits", "<u2", "(1,)", final_ones),
                             ARRAY("final_observations_bits_offsets", "<i8", "(3,)", final_offsets),
                             {"metadata_json", "|u1", "(32,)", texts, sizeof texts - 1},
                             END};
    slt_dataset *data;
    slt_episode episode;
    CHECK_OK(open_npz(dense, (manner){0}, &data));
    CHECK_OK(slt_dataset_episode(data, 1, &episode));
    assert_memory_equal(episode.final_u8, last + 2, 2);
    slt_dataset_close(data);
    CHECK_OK(open_npz(sparse, (manner){0}, &data));
    CHECK_OK(slt_dataset_episode(data, 1, &episode));
    assert_int_equal(episode.final_count, 1);
    assert_int_equal(episode.final_ones[0], 2);
    slt_dataset_close(data);
}

// ---- what is refused

static void refuse(const member *members, manner how, const char *words) {
    slt_dataset *data;
    CHECK_FAILS(SLT_FORMAT, words, open_npz(members, how, &data));
}
#define REFUSE(words, ...) refuse((const member[]){__VA_ARGS__, END}, (manner){0}, words)

static void arrays_that_do_not_fit(void **state) {
    (void)state;
    static const uint8_t two[] = {0, 1}, five[5] = {0}, falling[] = {2, 1, 1, 1}, eight[8] = {0};
    static const double half[] = {1, 0.5, 2, 1}, many[8] = {0};
    static const uint64_t huge[] = {1, UINT64_MAX, 2, 1};
    static const int64_t far[] = {1, 0, 2, INT64_C(1) << 40}, beyond[] = {0, INT64_C(1) << 40};
    static const int16_t below[] = {0, -5};
    const member actions = BYTES("actions", "(4,)", ACTIONS);
    REFUSE("episode_offsets: do not rise", actions, BYTES("episode_offsets", "(2,)", two));
    REFUSE("episode_offsets: missing", actions);
    REFUSE("episode: 1 comes after 2", actions, BYTES("episode", "(4,)", falling));
    REFUSE("terminals: has 5 numbers for 4 steps", actions, BYTES("terminals", "(5,)", five));
    REFUSE("episode_offsets: number 1 is not whole", actions,
           ARRAY("episode_offsets", "<f8", "(4,)", half));
    REFUSE("actions: number 1 is not whole", ARRAY("actions", "<u8", "(4,)", huge),
           BYTES("episode_offsets", "(3,)", STARTS));
    REFUSE("actions: 1099511627776 at step 3", ARRAY("actions", "<i8", "(4,)", far),
           BYTES("episode_offsets", "(3,)", STARTS));
    REFUSE("actions: 2 whole numbers per step", BYTES("actions", "(4, 2)", eight),
           BYTES("episode_offsets", "(3,)", STARTS));
    REFUSE("observations: expected 4 rows", BASE, BYTES("observations", "(5,)", five));
    REFUSE("final_observations: expected 2 rows of 2", BASE, BYTES("observations", "(4, 2)", eight),
           BYTES("final_observations", "(5,)", five));
    REFUSE("want the type of observations", BASE,
           BYTES("observations", "(4, 4)", ((uint8_t[16]){0})),
           ARRAY("final_observations", "<f8", "(2, 4)", many));
    REFUSE("rewards: has 5 numbers, not 4", BASE, BYTES("rewards", "(5,)", five));
    REFUSE("segment: 1099511627776 is out of range", BASE, ARRAY("segment", "<i8", "(4,)", far));
    REFUSE("task: 1099511627776 is out of range", BASE, ARRAY("task", "<i8", "(2,)", beyond));
    REFUSE("task: -5 is out of range", BASE, ARRAY("task", "<i2", "(2,)", below));
    REFUSE("actions is there twice", BASE, BYTES("actions", "(4,)", ACTIONS));
    REFUSE("want at most 1 MiB of u8", BASE, ARRAY("metadata_json", "<f8", "(4,)", half));
}

static void texts_that_do_not_fit(void **state) {
    (void)state;
    static const char few[] = "{\"action_names\": \"left,right\"}";
    static const char none[] = "{\"action_count\": \"many\"}";
    const member names = {"metadata_json", "|u1", "(30,)", few, sizeof few - 1};
    const member count = {"metadata_json", "|u1", "(24,)", none, sizeof none - 1};
    REFUSE("action_names: 2 names for 3 actions", BASE, names);
    REFUSE("action_count 'many' is no number", BASE, count);
}

static void headers_of_npy(void **state) {
    (void)state;
    const member list[] = {BASE, END};
    static const struct {
        const char *header, *words;
    } bad[] = {
        {"{'descr': '>i4', 'fortran_order': False, 'shape': (1,), }", "type '>i4' is not read"},
        {"{'descr': '|u1', 'fortran_order': True, 'shape': (2, 2), }", "Fortran order"},
        {"{'descr': '|u1', 'fortran_order': False, 'shape': (5,), }", "does not fit the 4 bytes"},
        {"{'descr': '|u1', 'fortran_order': False, 'shape': (99999999999999999999,), }",
         "bad npy header"},
        {"{'descr': '|u1', 'fortran_order': False, 'shape': (1,1,1,1,1,1,1,1,1,1,1,1,1,), }",
         "bad npy header"},
        {"{'descr': '|u1', 'fortran_order': False, 'other': 1, }", "bad npy header"},
        {"['descr']", "bad npy header"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        refuse(list, (manner){.header = bad[i].header}, bad[i].words);
}

// bytes of an archive that is whole, changed where a word stands; by its first it is known
static void spoil(const char *word, size_t length, size_t following, unsigned char value,
                  const char *words) {
    static unsigned char bytes[1 << 14];
    write_npz("arrays.npz", (const member[]){BASE, END}, (manner){.large = true});
    FILE *file = fopen("arrays.npz", "r+b");
    assert_non_null(file);
    size_t size = fread(bytes, 1, sizeof bytes, file);
    unsigned char *at = memmem(bytes + 1, size - 1, word, length);
    assert_non_null(at);
    at[following] = value;
    rewind(file);
    assert_int_equal(fwrite(bytes, 1, size, file), size);
    assert_int_equal(fclose(file), 0);
    slt_dataset *data;
    CHECK_FAILS(SLT_FORMAT, words, slt_dataset_open(context, "arrays.npz", &data));
}

static void places_in_the_archive(void **state) {
    (void)state;
    spoil("\x93NUMPY", 6, 6, 9, "check sum differs");
    spoil("PK\6\7", 4, 15, 1, "bad zip64 record");
    spoil("PK\6\6", 4, 0, 'X', "bad zip64 record");
    spoil("PK\6\6", 4, 47, 1, "lies outside of the file");
    spoil("PK\1\2", 4, 0, 'X', "bad entry in the zip directory");
    spoil("PK\1\2", 4, 33, 255, "is truncated");
    spoil("PK\1\2", 4, 8, 1, "is encrypted");
    spoil("PK\1\2", 4, 10, 99, "packed in a way that is not read");
    spoil("PK\3\4", 4, 0, 'X', "bad local header");
    spoil("PK\3\4", 4, 29, 255, "lie outside of the file");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(whole_numbers_of_every_type), cmocka_unit_test(numbers_of_every_type),
        cmocka_unit_test(last_observations),           cmocka_unit_test(arrays_that_do_not_fit),
        cmocka_unit_test(texts_that_do_not_fit),       cmocka_unit_test(headers_of_npy),
        cmocka_unit_test(places_in_the_archive),
    };
    return cmocka_run_group_tests(tests, one_thread, no_context);
}
