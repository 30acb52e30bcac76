// slottar manual [COMMAND]: a manual page, from the tables that make --help.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include <ctype.h>
#include <stdio.h>
#include <string.h>
#include "commands.h"

// ---- roff

// text as it stands: no character is a command, a quote or a hyphen by accident
static void print_plain(const char *text, size_t length) {
    static const struct {
        char mark;
        const char *roff;
    } marks[] = {{'\\', "\\e"},  {'-', "\\-"},   {'\'', "\\(aq"}, {'`', "\\(ga"},
                 {'^', "\\(ha"}, {'~', "\\(ti"}, {'"', "\\(dq"}};
    if (length && *text == '.') printf("\\&");
    for (size_t i = 0; i < length; i++) {
        size_t k = 0;
        while (k < sizeof marks / sizeof *marks && marks[k].mark != text[i]) k++;
        if (k < sizeof marks / sizeof *marks)
            fputs(marks[k].roff, stdout);
        else
            putchar(text[i]);
    }
}

static void print_in(const char *font, const char *text) {
    printf("\\f%s", font);
    print_plain(text, strlen(text));
    printf("\\fR");
}

// ends with a line of its own
static void print_line(const char *text) {
    print_plain(text, strlen(text));
    putchar('\n');
}

static void title(const char *name) {
    printf(".TH \"");
    for (; *name; name++) {
        if (*name == '-') putchar('\\');
        putchar(toupper((unsigned char)*name));
    }
    printf("\" 1 \"\" \"slottar %s\" \"slottar manual\"\n", slt_version());
}

// ---- paragraphs of help texts

// examples and tables keep their lines: they are indented or have columns
static bool is_laid_out(const char *paragraph, size_t length) {
    for (size_t i = 0; i + 1 < length; i++)
        if (paragraph[i] == ' ' && paragraph[i + 1] == ' ') return true;
    return false;
}

// blanks that all lines begin with
static size_t common_indent(const char *text, size_t length) {
    size_t least = length;
    for (size_t i = 0; i < length; i++)
        if (i == 0 || text[i - 1] == '\n') {
            size_t blanks = strspn(text + i, " ");
            least = blanks < least ? blanks : least;
        }
    return least;
}

static void print_lines(const char *text, size_t length) {
    size_t indent = common_indent(text, length);
    while (length) {
        size_t line = 0;
        while (line < length && text[line] != '\n') line++;
        print_plain(text + indent, line - indent);
        putchar('\n');
        line += line < length;
        text += line;
        length -= line;
    }
}

static void print_text(const char *text) {
    while (*text) {
        const char *end = strstr(text, "\n\n");
        size_t length = end ? (size_t)(end - text) : strlen(text);
        bool laid_out = is_laid_out(text, length);
        puts(laid_out ? ".PP\n.RS 4\n.nf" : ".PP");
        print_lines(text, length);
        if (laid_out) puts(".fi\n.RE");
        text += length + strspn(text + length, "\n");
    }
}

// ---- sections

static void print_flags(const cli_flag *flags) {
    for (; flags && flags->name; flags++) {
        char name[64];
        puts(".TP");
        if (flags->letter) {
            snprintf(name, sizeof name, "-%c", flags->letter);
            print_in("B", name);
            printf(", ");
        }
        snprintf(name, sizeof name, "--%s", flags->name);
        print_in("B", name);
        if (flags->argument) putchar(' '), print_in("I", flags->argument);
        putchar('\n');
        print_line(flags->help);
    }
}

static void print_options(const slt_option *row) {
    for (; row && row->name; row++) {
        puts(".TP");
        print_in("B", row->name);
        putchar('=');
        print_in("I", row->fallback);
        putchar('\n');
        print_plain(row->help, strlen(row->help));
        if (row->choices) printf(": "), print_plain(row->choices, strlen(row->choices));
        putchar('\n');
    }
}

static void print_option_lists(const cli_command *command) {
    cli_option_list list;
    for (int i = 0; command->options && command->options(i, &list); i++) {
        if (i == 0) puts(".SH SETTINGS\nGiven as key=value, here with their defaults.");
        printf(".SS Options of %s\n", list.title);
        print_options(list.rows);
    }
}

static void print_exits(void) {
    puts(".SH EXIT STATUS");
    for (const cli_exit *e = cli_exits; e->meaning; e++)
        printf(".TP\n.B %d\n%s\n", e->code, e->meaning);
}

// ---- pages

static void print_command(const cli_command *command) {
    char name[64];
    snprintf(name, sizeof name, "slottar-%s", command->name);
    title(name);
    puts(".SH NAME");
    print_plain(name, strlen(name));
    printf(" \\- ");
    print_line(command->summary);
    printf(".SH SYNOPSIS\n.B slottar %s\n", command->name);
    print_line(command->arguments);
    if (command->text) puts(".SH DESCRIPTION"), print_text(command->text);
    puts(".SH OPTIONS");
    print_flags(command->flags);
    print_flags(cli_common_flags);
    print_option_lists(command);
    print_exits();
    puts(".SH SEE ALSO\n.BR slottar (1)");
}

static void print_slottar(void) {
    title("slottar");
    puts(".SH NAME\nslottar \\- " CLI_PURPOSE);
    puts(".SH SYNOPSIS\n.B slottar\n.I COMMAND\n[arguments]");
    puts(".SH COMMANDS");
    for (int i = 0; cli_commands[i]; i++) {
        printf(".TP\n.BR slottar\\-%s (1)\n", cli_commands[i]->name);
        print_line(cli_commands[i]->summary);
    }
    puts(".SH OPTIONS\nOf every command; its own stand on its page.");
    print_flags(cli_common_flags);
    print_exits();
    puts(".SH ENVIRONMENT\n.TP\n.B NO_COLOR\nno colours on the terminal\n"
         ".TP\n.B TMPDIR\nwhere temporary files go\n"
         ".TP\n.B SLOTTAR_HDF5\nthe program slottar\\-hdf5, where it is not found by itself\n"
         ".SH SEE ALSO\n.BR slottar (3)");
}

static int run(cli_call *call) {
    if (cli_value(call, "names")) {
        for (int i = 0; cli_commands[i]; i++) puts(cli_commands[i]->name);
        return CLI_DONE;
    }
    if (!call->count) return print_slottar(), CLI_DONE;
    for (int i = 0; cli_commands[i]; i++)
        if (strcmp(cli_commands[i]->name, call->arguments[0]) == 0)
            return print_command(cli_commands[i]), CLI_DONE;
    return cli_misuse(call, "no command '%s'", call->arguments[0]);
}

static const cli_flag flags[] = {
    {"names", 0, NULL, "lists the commands that have a page"},
    {NULL, 0, NULL, NULL},
};

const cli_command cli_manual = {
    .name = "manual",
    .arguments = "[COMMAND]",
    .summary = "prints a manual page, as man(1) reads it",
    .text = "  slottar manual train | man -l -\n",
    .flags = flags,
    .least = 0,
    .most = 1,
    .run = run,
};
