// The terminal of slottar play: single keys, frames drawn over each other, everything put back at
// the end. Without a terminal: characters from standard input, frames one below the other.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include <errno.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <termios.h>
#include <unistd.h>
#include "play.h"

// another page of the terminal without cursor, and back
#define ENTER "\033[?1049h\033[?25l"
#define LEAVE "\033[0m\033[?25h\033[?1049l"

static struct {
    bool screen, colours;
    struct termios before;
} state;

// ---- taking and giving back

// only what a signal handler may call
static void restore(void) {
    static const char leave[] = LEAVE;
    tcsetattr(STDIN_FILENO, TCSANOW, &state.before);
    if (write(STDOUT_FILENO, leave, sizeof leave - 1) < 0) return; // nobody is left to tell
}

static void on_signal(int number) {
    restore();
    signal(number, SIG_DFL);
    raise(number);
}

static void watch_signals(void (*handler)(int)) {
    static const int numbers[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT};
    struct sigaction action;
    memset(&action, 0, sizeof action);
    action.sa_handler = handler;
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        sigaction(numbers[i], &action, NULL);
}

static bool has_terminal(void) {
    const char *kind = getenv("TERM");
    return isatty(STDIN_FILENO) && isatty(STDOUT_FILENO) && kind && strcmp(kind, "dumb") != 0 &&
           tcgetattr(STDIN_FILENO, &state.before) == 0;
}

void play_open(void) {
    state.colours = isatty(STDOUT_FILENO) && !getenv("NO_COLOR");
    state.screen = has_terminal();
    if (!state.screen) return;
    watch_signals(on_signal);

    // keys one by one and unseen; Ctrl-C stays, Ctrl-Z would leave the page behind
    struct termios now = state.before;
    now.c_lflag &= ~(tcflag_t)(ICANON | ECHO);
    now.c_cc[VMIN] = 1;
    now.c_cc[VTIME] = 0;
    now.c_cc[VSUSP] = _POSIX_VDISABLE;
    tcsetattr(STDIN_FILENO, TCSANOW, &now);
    fputs(ENTER, stdout);
}

void play_close(void) {
    if (!state.screen) return;
    fflush(stdout);
    restore();
    watch_signals(SIG_DFL);
    state.screen = false;
}

bool play_is_screen(void) { return state.screen; }
bool play_has_colours(void) { return state.colours; }

// ---- keys

enum { CONTROL_D = 4 };

static int read_byte(void) {
    unsigned char byte;
    ssize_t got;
    do got = read(STDIN_FILENO, &byte, 1);
    while (got < 0 && errno == EINTR);
    return got == 1 ? byte : PLAY_END;
}

// after ESC: [ or O, parameters, a letter; anything else is a key by itself
static int read_sequence(void) {
    static const char letters[] = "ABCD"; // as PLAY_UP ... PLAY_LEFT
    int byte = read_byte();
    if (byte != '[' && byte != 'O') return byte;
    do byte = read_byte();
    while (byte != PLAY_END && byte < 0x40);
    if (byte == PLAY_END) return byte;
    const char *at = strchr(letters, byte);
    return at ? PLAY_UP + (int)(at - letters) : PLAY_OTHER;
}

int play_key(void) {
    int byte;
    do byte = read_byte();
    while (byte == '\n' || byte == '\r');
    if (byte == CONTROL_D) return PLAY_END;
    return byte == '\033' ? read_sequence() : byte;
}

// ---- frames

void play_begin(void) {
    if (state.screen) fputs("\033[H", stdout);
}

static void end_line(void) { fputs(state.screen ? "\033[K\n" : "\n", stdout); }

void play_line(const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    vprintf(format, arguments);
    va_end(arguments);
    end_line();
}

void play_end(void) {
    if (state.screen) fputs("\033[J", stdout);
    if (!state.screen) putchar('\n');
    fflush(stdout);
}

// colours of terminals, in the order of the inks; backgrounds are ten higher
static void print_coloured(const slt_canvas_cell *cell) {
    static const int codes[SLT_INKS] = {39, 91, 92, 94, 95, 93, 90, 96};
    printf("\033[%d;%dm%c \033[0m", codes[cell->front], codes[cell->back] + 10, cell->mark);
}

// without colours: the first letter of a colour that matters, e for grey
static void print_lettered(const slt_canvas *canvas, const slt_canvas_cell *cell) {
    static const char letters[SLT_INKS] = {' ', 'r', 'g', 'b', 'p', 'y', 'e', 'c'};
    bool agent = strchr("^>v<", cell->mark) != NULL;
    putchar(cell->mark);
    putchar(canvas->tinted && !agent ? letters[cell->front] : ' ');
}

void play_picture(const slt_canvas *canvas) {
    for (int y = 0; y < canvas->height; y++) {
        fputs("  ", stdout);
        for (int x = 0; x < canvas->width; x++) {
            const slt_canvas_cell *cell = slt_canvas_at(canvas, x, y);
            if (state.colours)
                print_coloured(cell);
            else
                print_lettered(canvas, cell);
        }
        end_line();
    }
}

const char *play_safe(const char *text, char *out, size_t size) {
    size_t used = 0;
    for (; text[used] && used + 1 < size; used++)
        out[used] = (char)(text[used] >= ' ' && text[used] <= '~' ? text[used] : '?');
    out[used] = 0;
    return out;
}
