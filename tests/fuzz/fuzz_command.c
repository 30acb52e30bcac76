// Fuzz target: the command line, a word a line, the command's name first; up to the point where the
// command would run, and its help.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include <string.h>
#include "cli.h"
#include "commands.h"
#include "fuzz.h"

enum { WORDS = 400 };

// clang-format off
const cli_command *const cli_commands[] = {
#define ROW(name) &cli_##name,
    CLI_COMMANDS(ROW)
#undef ROW
    NULL,
};
// clang-format on

static const cli_command *find(const char *name) {
    for (int i = 0; cli_commands[i]; i++)
        if (strcmp(cli_commands[i]->name, name) == 0) return cli_commands[i];
    return cli_commands[0];
}

static int cut(char *text, size_t size, char *words[WORDS]) {
    int count = 0;
    for (size_t i = 0; i < size && count < WORDS; i += strlen(text + i) + 1)
        words[count++] = text + i;
    return count;
}

static int parse(int count, char **words) {
    static cli_call call;
    int64_t number;
    call = (cli_call){.command = find(count ? words[0] : "")};
    if (!cli_parse(&call, count ? count - 1 : 0, words + 1)) return 0;
    FUZZ_REQUIRE(call.count <= CLI_ITEMS && call.setting_count <= CLI_ITEMS);
    for (int i = 0; i < call.flag_count; i++) {
        FUZZ_REQUIRE(cli_value(&call, call.flag_names[i]));
        cli_number(&call, call.flag_names[i], -5, 5, 0, &number);
    }
    if (cli_value(&call, "help")) cli_help(call.command);
    return 1;
}

int fuzz_one(const uint8_t *bytes, size_t size) {
    static FILE *nowhere;
    FILE *out = stdout, *err = stderr;
    if (!nowhere) FUZZ_REQUIRE((nowhere = fopen("/dev/null", "w")));
    char *words[WORDS + 1], *text = malloc(size + 1);
    if (!text) return 0;
    for (size_t i = 0; i < size; i++) text[i] = (char)(bytes[i] == '\n' ? 0 : bytes[i]);
    text[size] = 0;
    stdout = stderr = nowhere; // what it says about wrong words
    int accepted = parse(cut(text, size, words), words);
    stdout = out, stderr = err;
    free(text);
    return accepted;
}
