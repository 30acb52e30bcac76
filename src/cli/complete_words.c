// What may stand at a place of the command line: the words after the names that the help uses.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include <ctype.h>
#include <stdio.h>
#include <string.h>
#include "commands.h"
#include "complete.h"
#include "reproduce/reproduce.h"

// ---- lists that the library has; NULL after the last

static const char *set_name(int index) {
    static slt_set_info set;
    return slt_set_describe(index, &set) == SLT_OK ? set.name : NULL;
}

static const char *world(int index) {
    slt_env_info env;
    if (index < slt_set_count()) return set_name(index);
    return slt_env_describe(index - slt_set_count(), &env) == SLT_OK ? env.id : NULL;
}

static const char *split(int index) {
    return index < SLT_SPLITS ? slt_split_name((slt_split)index) : NULL;
}

static const char *command_name(int index) {
    return cli_commands[index] ? cli_commands[index]->name : NULL;
}

// ---- kinds of values. Without words and list: nothing can be offered; not in the table: a file

// clang-format off
static const struct {
    const char *place, *words;
    const char *(*list)(int index);
} kinds[] = {
    {"MODEL",     NULL, slt_model_name},
    {"ENV",       NULL, world},
    {"PRESET",    NULL, set_name},
    {"RULE",      NULL, slt_baseline_name},
    {"TABLE",     NULL, slt_reproduce_table},
    {"COMMAND",   NULL, command_name},
    {"SPLIT",     NULL, split},
    {"DEVICE",    "auto|cpu|cuda", NULL},
    {"PRECISION", "fp32|tf32|bf16", NULL},
    {"PROFILE",   "default|reference|paper", NULL},
    {"EXPERT",    "bot|random", NULL},
    {"TRUTH",     "effects|reference|natural", NULL},
    {"VIEW",      "full|partial", NULL},
    {"N",         "", NULL},
    {"P",         "", NULL},
    {"S",         "", NULL},
    {"A,B,C",     "", NULL},
    {"PATTERNS",  "", NULL},
    {"COLUMN",    "", NULL},
};
// clang-format on

enum { KINDS = sizeof kinds / sizeof *kinds };

static int kind_of(const char *name, size_t length) {
    int kind = 0;
    while (kind < KINDS &&
           (strlen(kinds[kind].place) != length || strncmp(kinds[kind].place, name, length) != 0))
        kind++;
    return kind;
}

// ---- walking over the names of a place, "ENV|DATA"

// the next name, its length in *length; NULL after the last
static const char *next_name(const char *at, size_t *length) {
    at += strspn(at, "[|");
    *length = strcspn(at, "[]| ");
    if (*length > 3 && strncmp(at + *length - 3, "...", 3) == 0) *length -= 3;
    return *length && *at != '-' ? at : NULL;
}

// what stands after a name; the place ends with its first blank
static const char *following(const char *name, size_t length) {
    return name[length] == '|' ? name + length : "";
}

static void print_one(const char *word, size_t length, const char *before, const char *after) {
    if (before) printf("%s%.*s%s", before, (int)length, word, after);
}

// prints what one name stands for and counts; before NULL: only counts
static int print_name(const char *name, size_t length, const char *before, const char *after) {
    int kind = kind_of(name, length), count = 0;
    if (islower((unsigned char)*name)) return print_one(name, length, before, after), 1;
    if (kind == KINDS) return 0;
    for (int i = 0; kinds[kind].list && kinds[kind].list(i); i++, count++)
        print_one(kinds[kind].list(i), strlen(kinds[kind].list(i)), before, after);
    const char *word = kinds[kind].words ? kinds[kind].words : "";
    for (size_t size; (word = next_name(word, &size)); word = following(word, size), count++)
        print_one(word, size, before, after);
    return count;
}

static int walk(const char *place, const char *before, const char *after) {
    int count = 0;
    for (size_t length; (place = next_name(place, &length)); place = following(place, length))
        count += print_name(place, length, before, after);
    return count;
}

void cli_print_words(const char *place, const char *before, const char *after) {
    walk(place, before, after);
}

bool cli_has_words(const char *place) { return walk(place, NULL, NULL) > 0; }

bool cli_takes_file(const char *place) {
    for (size_t length; (place = next_name(place, &length)); place = following(place, length))
        if (isupper((unsigned char)*place) && kind_of(place, length) == KINDS) return true;
    return false;
}

bool cli_takes_many(const char *place) {
    size_t length;
    const char *name = next_name(place, &length);
    return name && strncmp(name + length, "...", 3) == 0;
}

// ---- options

// is the name in a list before the one with this number?
static bool is_known(const cli_command *command, int before, const char *name) {
    cli_option_list list;
    for (int i = 0; i < before && command->options(i, &list); i++)
        for (const slt_option *row = list.rows; row && row->name; row++)
            if (strcmp(row->name, name) == 0) return true;
    return false;
}

static void print_own_keys(const cli_command *command, const char *before, const char *after) {
    cli_option_list list;
    for (int i = 0; command->options && command->options(i, &list); i++)
        for (const slt_option *row = list.rows; row && row->name; row++)
            if (!is_known(command, i, row->name)) printf("%s%s=%s", before, row->name, after);
}

void cli_print_keys(const cli_command *command, const char *before, const char *after) {
    if (!command->settings) return;
    print_own_keys(command, before, after);
    if (command != &cli_train) print_own_keys(&cli_train, before, after);
}

void cli_print_quoted(const char *text, const char *special, const char *quote) {
    for (; *text; text++) {
        if (strchr(special, *text)) putchar('\\');
        if (*text == '\'')
            fputs(quote, stdout);
        else
            putchar(*text);
    }
}
