// The command line: one table of commands, one table of flags each. The tables make the parser, the
// help texts, the manual pages and the completions. Only public headers of the library are used
// here.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#ifndef SLT_CLI_H
#define SLT_CLI_H

#include <stdbool.h>
#include <stdint.h>
#include "slottar/slottar.h"

enum { CLI_DONE = 0, CLI_FAILED = 1, CLI_USAGE = 2, CLI_SAVED = 75, CLI_INTERRUPTED = 130 };

// argument: name of the flag's value in the help ("N", "FILE"), NULL for a switch. The name tells
// what completions offer: complete_words.c
typedef struct {
    const char *name;
    char letter; // 0: none
    const char *argument;
    const char *help;
} cli_flag;

// of every command that writes files under names of the user's (slottar/output.h)
#define CLI_FORCE                                                                                  \
    { "force", 'f', NULL, "replaces outputs that exist; inputs are never replaced" }

// of commands that take segments from a model
#define CLI_SPLIT_BY_TYPE                                                                          \
    { "split-by-type", 0, NULL, "adds boundaries after steps whose effect elsewhere ends segments" }

typedef struct cli_call cli_call;

// options that a command takes as key=value, for the manual page
typedef struct {
    const char *title;
    const slt_option *rows;
} cli_option_list;

// under a launcher: each for itself, each a worker that finds its work, or all together as a group
typedef enum { CLI_RANKS_APART, CLI_RANKS_WORK, CLI_RANKS_SHARE } cli_ranks;

typedef struct {
    const char *name;
    const char *arguments; // "DATA [-o OUT]"
    const char *summary;   // one line
    const char *text;      // paragraphs and examples for --help; may be NULL
    const cli_flag *flags; // ends with an empty name; may be NULL
    int least, most;       // bounds on the number of plain arguments; most -1: any
    bool settings;         // takes key=value
    // list number `index` of its options; false after the last; may be NULL
    bool (*options)(int index, cli_option_list *out);
    cli_ranks ranks; // what it is for several processes under mpirun or srun
    int (*run)(cli_call *call);
} cli_command;

enum { CLI_ITEMS = 256 };

// a parsed command line
struct cli_call {
    const cli_command *command;
    slt_context *context;
    const char *arguments[CLI_ITEMS]; // plain ones, in order
    int count;
    const char *settings[CLI_ITEMS]; // key=value, in order
    int setting_count;
    const char *flag_names[CLI_ITEMS], *flag_values[CLI_ITEMS];
    int flag_count;
    int threads;
    uint64_t seed;
    bool json, quiet;
    bool follower; // another process prints the results
};

extern const cli_command *const cli_commands[]; // ends with NULL; the order of the help
extern const cli_flag cli_common_flags[];

typedef struct {
    int code;
    const char *meaning;
} cli_exit;
extern const cli_exit cli_exits[]; // ends with an empty meaning

#define CLI_PURPOSE "finds the sub-routines in recorded behaviour"

// the flag's last value, "" for a switch that was given, NULL when absent
const char *cli_value(const cli_call *call, const char *flag);
// a whole number within bounds, `fallback` when absent; prints and returns false when it is none
bool cli_number(const cli_call *call, const char *flag, int64_t low, int64_t high, int64_t fallback,
                int64_t *out);
// --split train, valid or test, which it is unless said otherwise
bool cli_split_flag(const cli_call *call, slt_split *out);

// parses argv after the command's name; prints what is wrong and returns false
bool cli_parse(cli_call *call, int argc, char **argv);
bool cli_whole(const char *text, int64_t low, int64_t high, int64_t *out);
// numbers of episodes, "A,B,C"; what is left out at the end is 0
enum { CLI_MOST_EPISODES = 100000000 };
bool cli_split(const char *text, int64_t episodes[SLT_SPLITS]);

// runs/WHAT-DATA-SEED: DATA without its folder and without the ending of a format, which "-0.05" is
// not
void cli_default_run(char *out, size_t size, const char *what, const char *data, uint64_t seed);

void cli_help_all(void);
void cli_help(const cli_command *command);

// prints the library's last error and gives the exit code that belongs to the status
int cli_fail(slt_status status);
// prints a line on wrong usage, with a hint at --help, and gives CLI_USAGE
int cli_misuse(const cli_call *call, const char *format, ...) __attribute__((format(printf, 2, 3)));

// a text from a file, or one with such a text in it, for the terminal: control characters become
// '?'. Used in place: printf("%s", cli_plain(name).text)
typedef struct {
    char text[2048];
} cli_words;
cli_words cli_plain(const char *text);

// hooks that show progress and log lines on standard error
void cli_progress(void *user, const slt_progress *progress);
void cli_log(void *user, slt_log_level level, const char *message);
void cli_progress_end(void);

#endif
