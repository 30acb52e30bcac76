// The parts of slottar play: a screen with a keyboard, and the two things it can show.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#ifndef SLT_CLI_PLAY_H
#define SLT_CLI_PLAY_H

#include "cli.h"

// keys beyond the characters
enum { PLAY_END = -1, PLAY_UP = 256, PLAY_DOWN, PLAY_RIGHT, PLAY_LEFT, PLAY_OTHER };

// ---- the screen (play_screen.c): a terminal, or plain frames one below the other

// takes the terminal, if there is one on both ends; gives it back at the end and on signals
void play_open(void);
void play_close(void);
// true: frames are drawn over each other and keys come unasked
bool play_is_screen(void);
bool play_has_colours(void);
// the next key; PLAY_END at the end of input
int play_key(void);

// a frame: begin, lines, end
void play_begin(void);
void play_line(const char *format, ...) __attribute__((format(printf, 1, 2)));
void play_picture(const slt_canvas *canvas);
void play_end(void);
// text of a file as what a terminal may be shown: no control characters; out has `size` >= 1 bytes
const char *play_safe(const char *text, char *out, size_t size);

// ---- what is shown: both return an exit code

int play_world(cli_call *call, const char *id);                      // play_world.c
int play_episode(cli_call *call, const char *path, int64_t episode); // play_episode.c

#endif
