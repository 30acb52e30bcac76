// What the command says on standard error: progress bars on a terminal, a line for each piece of
// news otherwise, warnings and errors.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include "cli.h"
#include "launch.h"

#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

static struct {
    char stage[32], news[128]; // the last there was
    double started, drawn;
    bool open; // a bar stands on the current line
} bar;

static double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

void cli_progress_end(void) {
    if (bar.open) fputs("\r\033[K", stderr);
    bar.open = false;
}

// columns of the terminal: a line that wraps could not be taken back
static int columns(void) {
    struct winsize size;
    return ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col ? size.ws_col : 80;
}

static void draw_bar(const slt_progress *progress, double seconds) {
    enum { WIDEST = 24, NARROWEST = 6, REST = 24 }; // cells; columns of the numbers
    int width = columns() - REST - (int)(strlen(progress->stage) + strlen(bar.news));
    width = width > WIDEST ? WIDEST : width < NARROWEST ? NARROWEST : width;
    char line[256];
    double share = progress->total ? (double)progress->done / (double)progress->total : 0;
    int filled = (int)(share * width);
    char cells[WIDEST + 1];
    for (int i = 0; i < width; i++) cells[i] = i < filled ? '#' : '.';
    cells[width] = 0;
    double left = share > 0 ? seconds * (1 - share) / share : 0;
    snprintf(line, sizeof line, "%s [%s] %3.0f %%  %.0f s left  %s", progress->stage, cells,
             100 * share, left, bar.news);
    fprintf(stderr, "\r\033[K%.*s", columns() - 1, line);
    bar.open = true;
}

void cli_progress(void *user, const slt_progress *progress) {
    const cli_call *call = user;
    if (call->quiet) return;
    double time = now();
    if (strcmp(bar.stage, progress->stage) != 0) {
        snprintf(bar.stage, sizeof bar.stage, "%s", progress->stage);
        bar.started = time;
        bar.drawn = 0;
        bar.news[0] = 0;
    }
    if (progress->news[0]) snprintf(bar.news, sizeof bar.news, "%s", progress->news);
    if (!isatty(STDERR_FILENO)) {
        if (progress->news[0]) fprintf(stderr, "%s: %s\n", progress->stage, progress->news);
        return;
    }
    bool last = progress->total && progress->done >= progress->total;
    if (!last && time - bar.drawn < 0.1) return;
    bar.drawn = time;
    draw_bar(progress, time - bar.started);
    if (last) cli_progress_end();
}

// C0, delete, and C1 as UTF-8 writes it; a message of ours may have lines
cli_words cli_plain(const char *text) {
    cli_words words;
    size_t i = 0;
    for (; i < sizeof words.text - 1 && text[i]; i++) {
        unsigned char c = (unsigned char)text[i], before = i ? (unsigned char)text[i - 1] : 0;
        bool control =
            (c < ' ' && c != '\n') || c == 0x7f || (before == 0xc2 && c < 0xa0 && c > 0x7f);
        words.text[i] = control ? '?' : text[i];
    }
    words.text[i] = 0;
    return words;
}

void cli_log(void *user, slt_log_level level, const char *message) {
    const cli_call *call = user;
    if (call->quiet && level == SLT_LOG_INFO) return;
    cli_progress_end();
    fprintf(stderr, "%s%s\n", level == SLT_LOG_WARNING ? "warning: " : "", cli_plain(message).text);
}

int cli_fail(slt_status status) {
    cli_progress_end();
    if (!cli_speaks()) return CLI_FAILED;
    const char *message = slt_last_error();
    fprintf(stderr, "slottar: %s\n",
            cli_plain(message[0] ? message : slt_status_text(status)).text);
    return CLI_FAILED;
}
