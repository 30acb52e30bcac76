// Reading argv: flags, plain arguments and key=value in any order.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include "cli.h"
#include "launch.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// clang-format off
const cli_flag cli_common_flags[] = {
    {"seed",    0,   "N", "random seed (default 0)"},
    {"threads", 0,   "N", "number of threads (default: one per core)"},
    {"device",  0,   "DEVICE", "device of the models: cpu (default), cuda, or auto: cuda where there is one"},
    {"precision", 0, "PRECISION", "matrix products in fp32, bf16, or on cuda tf32 (default: fp32, on cuda tf32)"},
    {"json",    0,   NULL, "results as JSON on standard output"},
    {"quiet",   'q', NULL, "no progress output"},
    {"help",    'h', NULL, "this help"},
    {NULL, 0, NULL, NULL},
};
// clang-format on

int cli_misuse(const cli_call *call, const char *format, ...) {
    if (!cli_speaks()) return CLI_USAGE;
    va_list arguments;
    va_start(arguments, format);
    fprintf(stderr, "slottar %s: ", call->command->name);
    vfprintf(stderr, format, arguments);
    va_end(arguments);
    fprintf(stderr, " (see slottar %s --help)\n", call->command->name);
    return CLI_USAGE;
}

bool cli_whole(const char *text, int64_t low, int64_t high, int64_t *out) {
    char *end;
    errno = 0;
    long long value = strtoll(text, &end, 10);
    if (errno || end == text || *end || value < low || value > high) return false;
    *out = value;
    return true;
}

bool cli_split(const char *text, int64_t episodes[SLT_SPLITS]) {
    char words[128];
    if (strlen(text) >= sizeof words) return false;
    strcpy(words, text);
    char *word = words;
    for (int s = 0; s < SLT_SPLITS; s++) {
        char *comma = strchr(word, ',');
        if (comma) *comma = 0;
        if (!cli_whole(word, 0, CLI_MOST_EPISODES, &episodes[s])) return false;
        if (!comma) return true;
        word = comma + 1;
    }
    return false;
}

const char *cli_value(const cli_call *call, const char *flag) {
    for (int i = call->flag_count - 1; i >= 0; i--)
        if (strcmp(call->flag_names[i], flag) == 0) return call->flag_values[i];
    return NULL;
}

bool cli_number(const cli_call *call, const char *flag, int64_t low, int64_t high, int64_t fallback,
                int64_t *out) {
    const char *text = cli_value(call, flag);
    *out = fallback;
    if (!text || cli_whole(text, low, high, out)) return true;
    cli_misuse(call, "--%s expects a whole number from %lld to %lld, not '%s'", flag,
               (long long)low, (long long)high, text);
    return false;
}

void cli_default_run(char *out, size_t size, const char *what, const char *data, uint64_t seed) {
    static const char *const endings[] = {".safetensors", ".npz", ".csv", ".hdf5", ".h5"};
    const char *choice = strrchr(data, '?'); // of columns
    size_t end = choice && choice > data ? (size_t)(choice - data) : strlen(data);
    while (end > 1 && data[end - 1] == '/') end--;
    size_t start = end;
    while (start > 0 && data[start - 1] != '/') start--;
    for (size_t i = 0; i < sizeof endings / sizeof *endings; i++) {
        size_t length = strlen(endings[i]);
        if (end - start > length && strncmp(data + end - length, endings[i], length) == 0) {
            end -= length;
            break;
        }
    }
    snprintf(out, size, "runs/%s-%.*s-%llu", what, (int)(end - start), data + start,
             (unsigned long long)seed);
}

static const cli_flag *search(const cli_flag *flags, const char *name, size_t length, char letter) {
    for (; flags && flags->name; flags++) {
        bool same = strlen(flags->name) == length && strncmp(flags->name, name, length) == 0;
        if (letter ? flags->letter == letter : same) return flags;
    }
    return NULL;
}

static const cli_flag *find_flag(const cli_call *call, const char *name, size_t length,
                                 char letter) {
    const cli_flag *flag = search(call->command->flags, name, length, letter);
    return flag ? flag : search(cli_common_flags, name, length, letter);
}

// takes argv[*at], a word that starts with '-'; moves *at on over a separate value
static bool take_flag(cli_call *call, int argc, char **argv, int *at) {
    const char *word = argv[*at];
    bool is_long = word[1] == '-';
    const char *name = word + (is_long ? 2 : 1);
    size_t length = is_long ? strcspn(name, "=") : 1;
    const char *value = name[length] ? name + length : NULL; // --output=FILE, -oFILE, -o=FILE
    if (value && *value == '=') value++;
    char letter = is_long ? 0 : name[0];

    const cli_flag *flag = find_flag(call, name, length, letter);
    if (!flag) return cli_misuse(call, "unknown flag '%s'", word), false;
    if (!flag->argument && value) return cli_misuse(call, "--%s takes no value", flag->name), false;
    if (flag->argument && !value) {
        if (*at + 1 >= argc)
            return cli_misuse(call, "--%s expects a value: %s", flag->name, flag->argument), false;
        value = argv[++*at];
    }
    call->flag_names[call->flag_count] = flag->name;
    call->flag_values[call->flag_count++] = value ? value : "";
    return true;
}

// key=value: a name, then '='; a path such as ./a=b is a plain argument
static bool is_setting(const char *word) {
    size_t length = strspn(word, "abcdefghijklmnopqrstuvwxyz_0123456789");
    return length > 0 && word[length] == '=';
}

static bool take_common(cli_call *call) {
    int64_t seed, threads;
    if (!cli_number(call, "seed", 0, INT64_MAX, 0, &seed)) return false;
    if (!cli_number(call, "threads", 1, 1024, 0, &threads)) return false;
    call->seed = (uint64_t)seed;
    call->threads = (int)threads;
    call->json = cli_value(call, "json") != NULL;
    call->quiet = cli_value(call, "quiet") != NULL;
    return true;
}

static bool check_count(const cli_call *call) {
    const cli_command *command = call->command;
    if (cli_value(call, "help")) return true;
    if (call->count < command->least) {
        cli_misuse(call, "expects %s", command->arguments);
        return false;
    }
    if (command->most >= 0 && call->count > command->most) {
        cli_misuse(call, "too many arguments: '%s'", call->arguments[command->most]);
        return false;
    }
    return true;
}

bool cli_parse(cli_call *call, int argc, char **argv) {
    if (argc > CLI_ITEMS) return cli_misuse(call, "more than %d arguments", CLI_ITEMS), false;
    bool plain_only = false;
    for (int i = 0; i < argc; i++) {
        const char *word = argv[i];
        if (!plain_only && strcmp(word, "--") == 0)
            plain_only = true;
        else if (!plain_only && word[0] == '-' && word[1]) {
            if (!take_flag(call, argc, argv, &i)) return false;
        } else if (!plain_only && call->command->settings && is_setting(word))
            call->settings[call->setting_count++] = word;
        else
            call->arguments[call->count++] = word;
    }
    return take_common(call) && check_count(call);
}

bool cli_split_flag(const cli_call *call, slt_split *out) {
    const char *wanted = cli_value(call, "split");
    *out = SLT_SPLIT_TEST;
    for (int s = 0; wanted && s < SLT_SPLITS; s++)
        if (strcmp(wanted, slt_split_name((slt_split)s)) == 0) {
            *out = (slt_split)s;
            return true;
        }
    if (wanted) cli_misuse(call, "no split '%s': train, valid or test", wanted);
    return !wanted;
}
