// Options: one list, every way in and out; YAML as far as we read it.
#include <math.h>
#include "check.h"
#include "core/edit_distance.h"
#include "core/number.h"
#include "core/options.h"
#include "core/yaml_config.h"

// clang-format off
#define BAKE_OPTIONS(X) \
    X(INT,    loaves, 3,    1,  100, NULL,          "number of loaves") \
    X(REAL,   heat,   0.75, 0,  1,   NULL,          "share of full heat") \
    X(BOOL,   salt,   true, 0,  0,   NULL,          "with salt") \
    X(CHOICE, flour,  rye,  0,  0,   "rye|wheat|oat", "kind of flour") \
    X(TEXT,   baker,  Ann,  0,  0,   NULL,          "who bakes") \
    X(TEXT,   note,   ,     0,  0,   NULL,          "anything")
#define SELL_OPTIONS(X) \
    X(REAL,   price,  2.5,  0.5, 1e6, NULL,         "in crowns") \
    X(INT,    debt,   -3,  -10, 0,   NULL,          "of the baker")
#define RENAMED_OPTIONS(X) \
    X(REAL,   prune_margin, 0.25, 0, 10, NULL,              "was thin") \
    X(CHOICE, boundaries,   auto, 0, 0,  "auto|free|coded", "was cuts, with paid")
#define WRONG_OPTIONS(X) X(INT, many, 7, 1, 5, NULL, "default out of bounds")
// clang-format on

SLT_OPTIONS_STRUCT(bake_options, BAKE_OPTIONS);
SLT_OPTIONS_STRUCT(sell_options, SELL_OPTIONS);
SLT_OPTIONS_STRUCT(renamed_options, RENAMED_OPTIONS);
SLT_OPTIONS_STRUCT(wrong_options, WRONG_OPTIONS);
static SLT_OPTIONS_TABLE(bake_rows, bake_options, BAKE_OPTIONS);
static SLT_OPTIONS_TABLE(sell_rows, sell_options, SELL_OPTIONS);
static SLT_OPTIONS_TABLE(renamed_rows, renamed_options, RENAMED_OPTIONS);
static SLT_OPTIONS_TABLE(wrong_rows, wrong_options, WRONG_OPTIONS);

static bake_options bake;
static sell_options sell;

static const slt_options *tables(void) {
    static slt_options both[3];
    both[0] = (slt_options){bake_rows(), &bake};
    both[1] = (slt_options){sell_rows(), &sell};
    return both;
}

static void defaults_come_from_the_list(void **state) {
    (void)state;
    CHECK_OK(slt_options_defaults(tables()));
    assert_int_equal(bake.loaves, 3);
    assert_true(bake.heat == 0.75 && bake.salt && bake.flour == 0);
    assert_string_equal(bake.baker, "Ann");
    assert_string_equal(bake.note, "");
    assert_true(sell.price == 2.5);
    assert_int_equal(sell.debt, -3);
    wrong_options wrong;
    slt_options bad[] = {{wrong_rows(), &wrong}, {NULL, NULL}};
    CHECK_FAILS(SLT_INTERNAL, "default: many=7: expected a whole number from 1 to 5",
                slt_options_defaults(bad));
}

static void settings_are_taken(void **state) {
    (void)state;
    CHECK_OK(slt_options_defaults(tables()));
    static const char *const settings[] = {"loaves=100", "heat=1e-3", "salt=no",   "flour=oat",
                                           "baker=a=b",  "note=",     "price=1e6", "debt=-10"};
    for (size_t i = 0; i < sizeof settings / sizeof *settings; i++)
        CHECK_OK(slt_options_set(tables(), settings[i]));
    assert_int_equal(bake.loaves, 100);
    assert_true(bake.heat == 1e-3 && !bake.salt && bake.flour == 2 && sell.price == 1e6);
    assert_string_equal(bake.baker, "a=b");
    assert_int_equal(sell.debt, -10);
}

static void mistakes_are_explained(void **state) {
    (void)state;
    static const struct {
        const char *setting, *words;
    } cases[] = {
        {"loafs=3", "no option 'loafs'; did you mean 'loaves'?"},
        {"pirce=3", "no option 'pirce'; did you mean 'price'?"},
        {"zeppelin=3", "no option 'zeppelin'"},
        {"loaves=0", "loaves=0: expected a whole number from 1 to 100"},
        {"loaves=101", "loaves=101: expected"},
        {"loaves=3.5", "loaves=3.5: expected"},
        {"loaves= 3", "loaves= 3: expected"},
        {"loaves=", "loaves=: expected"},
        {"loaves=99999999999999999999", "expected a whole number"},
        {"heat=1.5", "heat=1.5: expected a number from 0 to 1"},
        {"heat=nan", "heat=nan: expected"},
        {"heat=inf", "heat=inf: expected"},
        {"heat=0x1", "heat=0x1: expected"},
        {"price=1e400", "price=1e400: expected a number from 0.5 to 1e+06"},
        {"salt=maybe", "salt=maybe: expected true or false"},
        {"flour=weat", "flour=weat: expected one of rye|wheat|oat; did you mean 'wheat'?"},
        {"flour=ry", "did you mean 'rye'?"},
        {"flour=", "expected one of"},
        {"flour=rye|wheat", "expected one of"},
        {"loaves", "'loaves' is no key=value"},
        {"=3", "'=3' is no key=value"},
    };
    CHECK_OK(slt_options_defaults(tables()));
    bake_options before = bake;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        CHECK_FAILS(SLT_INVALID, cases[i].words, slt_options_set(tables(), cases[i].setting));
    assert_memory_equal(&before, &bake, sizeof bake);
    char text[700] = "baker=";
    memset(text + 6, 'x', 600);
    CHECK_FAILS(SLT_INVALID, "at most 511 characters, not 600", slt_options_set(tables(), text));
}

static void yaml_gives_the_same_bits_back(void **state) {
    (void)state;
    CHECK_OK(slt_options_defaults(tables()));
    bake.heat = nextafter(0.1, 1);
    bake.salt = false;
    strcpy(bake.note, "x: \"y\"\n# no comment ü \\");
    sell.price = 12345.678901234567;
    bake_options bake_before = bake;
    sell_options sell_before = sell;
    slt_text text;
    slt_text_init(&text, &slt_system_allocator);
    slt_options_to_yaml(tables(), &text);
    CHECK_OK(text.status);
    CHECK_OK(slt_options_defaults(tables()));
    CHECK_OK(slt_options_from_yaml(NULL, tables(), "a.yaml", text.bytes, text.length));
    assert_memory_equal(&bake_before, &bake, sizeof bake);
    assert_memory_equal(&sell_before, &sell, sizeof sell);
    slt_text_deinit(&text);
}

static slt_status from_yaml(const char *text) {
    return slt_options_from_yaml(NULL, tables(), "a.yaml", text, strlen(text));
}

static void bad_yaml_is_refused_with_its_line(void **state) {
    (void)state;
    CHECK_OK(slt_options_defaults(tables()));
    CHECK_FAILS(SLT_INVALID, "a.yaml:2: no option 'loavs'; did you",
                from_yaml("heat: 1\nloavs: 2"));
    CHECK_FAILS(SLT_INVALID, "a.yaml:1: 'heat' is a list", from_yaml("heat: [1, 2]"));
    CHECK_FAILS(SLT_FORMAT, "a.yaml:2: key 'heat' stands twice", from_yaml("heat: 1\nheat: 1"));
    CHECK_FAILS(SLT_FORMAT, "nothing nested", from_yaml("heat: {a: 1}"));
    CHECK_FAILS(SLT_FORMAT, "nothing nested", from_yaml("heat: [[[[[[1]]]]]]"));
    CHECK_FAILS(SLT_FORMAT, "nothing nested", from_yaml("? [a]\n: 1"));
    CHECK_FAILS(SLT_FORMAT, "a.yaml:1: anchors and tags", from_yaml("heat: &a 1"));
    CHECK_FAILS(SLT_FORMAT, "anchors and tags", from_yaml("heat: &a [1]"));
    CHECK_FAILS(SLT_FORMAT, "anchors and tags", from_yaml("heat: !!str 1"));
    CHECK_FAILS(SLT_FORMAT, "aliases are not read", from_yaml("heat: *a"));
    CHECK_FAILS(SLT_FORMAT, "one document", from_yaml("heat: 1\n---\nheat: 1"));
    CHECK_FAILS(SLT_FORMAT, "a map", from_yaml("just words"));
    CHECK_FAILS(SLT_FORMAT, "bad YAML", from_yaml("heat: \"1"));
    CHECK_FAILS(SLT_FORMAT, "bad YAML", from_yaml("heat: \xff"));
    CHECK_FAILS(SLT_FORMAT, "holds a NUL", from_yaml("note: \"a\\0b\""));
    CHECK_OK(from_yaml(""));
    CHECK_OK(from_yaml("# only words\n"));
    static char large[(1 << 20) + 2];
    memset(large, '#', sizeof large - 1);
    CHECK_FAILS(SLT_FORMAT, "too many for a YAML file", from_yaml(large));
}

static void lists_are_read(void **state) {
    (void)state;
    slt_arena arena;
    slt_arena_init(&arena, &slt_system_allocator, 0);
    slt_yaml yaml;
    const char *text = "lr: [0.1, '0.2']\nseeds:\n  - 1\n  - 2\n  - 3\nname: x y\nnone: []\n";
    CHECK_OK(slt_yaml_parse(&arena, "s.yaml", text, strlen(text), &yaml));
    assert_int_equal(yaml.count, 4);
    assert_string_equal(slt_yaml_find(&yaml, "lr")->values[1], "0.2");
    assert_int_equal(slt_yaml_find(&yaml, "seeds")->count, 3);
    assert_int_equal(slt_yaml_find(&yaml, "seeds")->line, 2);
    assert_string_equal(slt_yaml_find(&yaml, "name")->values[0], "x y");
    assert_true(slt_yaml_find(&yaml, "none")->is_list);
    assert_int_equal(slt_yaml_find(&yaml, "none")->count, 0);
    assert_null(slt_yaml_find(&yaml, "other"));
    slt_arena_deinit(&arena);
}

static void documentation_is_a_table(void **state) {
    (void)state;
    slt_text text;
    slt_text_init(&text, &slt_system_allocator);
    slt_options_to_markdown(bake_rows(), &text);
    assert_non_null(strstr(text.bytes, "| `loaves` | 1 … 100 | 3 | number of loaves |\n"));
    assert_non_null(strstr(text.bytes, "| `heat` | 0 … 1 | 0.75 | share of full heat |\n"));
    assert_non_null(strstr(text.bytes, "| `salt` | true, false | true | with salt |\n"));
    assert_non_null(strstr(text.bytes, "| `flour` | rye, wheat, oat | rye | kind of flour |\n"));
    slt_text_deinit(&text);
}

static void words_have_distances(void **state) {
    (void)state;
    assert_int_equal(slt_edit_distance("kitten", 6, "sitting", 7), 3);
    assert_int_equal(slt_edit_distance("abcd", 4, "acbd", 4), 1);
    assert_int_equal(slt_edit_distance("", 0, "abc", 3), 3);
    assert_int_equal(slt_edit_distance("same", 4, "same", 4), 0);
}

static void numbers_are_as_short_as_they_can_be(void **state) {
    (void)state;
    char text[SLT_NUMBER_TEXT];
    assert_string_equal(slt_number_print(0.1, text), "0.1");
    assert_string_equal(slt_number_print(1.0 / 3, text), "0.3333333333333333");
    assert_string_equal(slt_number_print(5e-324, text), "5e-324");
}

// ---- earlier names

static char said[512];

static void hear_log(void *user, slt_log_level level, const char *message) {
    (void)user, (void)level;
    snprintf(said + strlen(said), sizeof said - strlen(said), "%s\n", message);
}

static void earlier_names_are_accepted_with_a_note(void **state) {
    (void)state;
    slt_context *context;
    renamed_options values;
    const slt_options list[] = {{renamed_rows(), &values}, {NULL, NULL}};
    CHECK_OK(slt_context_create(&(slt_context_options){.log = hear_log}, &context));
    CHECK_OK(slt_options_defaults(list));
    CHECK_OK(slt_options_take(context, list, "thin=0.5"));
    CHECK_OK(slt_options_take(context, list, "cuts=paid"));
    assert_true(values.prune_margin == 0.5 && values.boundaries == 2);
    assert_string_equal(said, "note: option 'thin' is now called 'prune_margin'\n"
                              "note: option 'cuts' is now called 'boundaries'\n"
                              "note: boundaries=paid is now called boundaries=coded\n");
    said[0] = 0;
    CHECK_OK(slt_options_take(context, list, "prune_margin=1"));
    static const char yaml[] = "thin: 2\ncuts: free\n";
    CHECK_OK(slt_options_from_yaml(NULL, list, "old.yaml", yaml, strlen(yaml)));
    assert_true(values.prune_margin == 2 && values.boundaries == 1);
    assert_string_equal(said, "");
    CHECK_FAILS(SLT_INVALID, "no option 'toll'", slt_options_take(context, list, "toll=1"));
    slt_context_destroy(context);
}

static void lines_of_an_earlier_config_get_current_names(void **state) {
    (void)state;
    slt_text text;
    slt_text_init(&text, &slt_system_allocator);
    slt_option_current_lines("lr: 1\nthin: 0.25\ncuts: paid\ndata: \"cuts: paid\"\nthin", &text);
    assert_string_equal(text.bytes, "lr: 1\nprune_margin: 0.25\nboundaries: coded\n"
                                    "data: \"cuts: paid\"\nthin\n");
    slt_text_deinit(&text);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(defaults_come_from_the_list),
        cmocka_unit_test(earlier_names_are_accepted_with_a_note),
        cmocka_unit_test(lines_of_an_earlier_config_get_current_names),
        cmocka_unit_test(settings_are_taken),
        cmocka_unit_test(mistakes_are_explained),
        cmocka_unit_test(yaml_gives_the_same_bits_back),
        cmocka_unit_test(bad_yaml_is_refused_with_its_line),
        cmocka_unit_test(lists_are_read),
        cmocka_unit_test(documentation_is_a_table),
        cmocka_unit_test(words_have_distances),
        cmocka_unit_test(numbers_are_as_short_as_they_can_be),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
