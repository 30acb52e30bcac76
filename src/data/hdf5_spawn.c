// Spawning the HDF5 helper. posix_spawn, not fork: the host may have threads.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include "data/hdf5_spawn.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include "core/near_file.h"

enum { PATH_SIZE = SLT_NEAR_PATH, SAID = 800, WORDS = 2 };

extern char **environ;

#define PROGRAM "slottar-hdf5"

// ---- finding the program

static slt_status find_program(char out[PATH_SIZE]) {
    const char *chosen = getenv("SLOTTAR_HDF5");
    if (chosen && chosen[0]) {
        if (snprintf(out, PATH_SIZE, "%s", chosen) < PATH_SIZE && access(out, X_OK) == 0)
            return SLT_OK;
        SLT_FAIL(SLT_IO, "SLOTTAR_HDF5=%.300s is no program", chosen);
    }
    // next to the library, or where an installed library or command has it
    static const char *const places[] = {".", SLT_LIBEXEC, SLT_BIN_LIBEXEC, NULL};
    if (slt_near_file(places, PROGRAM, X_OK, out)) return SLT_OK;
    SLT_FAIL(SLT_IO, "HDF5 is read by the program " PROGRAM
                     ", which is missing: build slottar with libhdf5, or set SLOTTAR_HDF5");
}

// ---- running it

// standard error comes back through the pipe, the other two are nothing
static int spawn(const char *program, char *const *arguments, const int ends[2], pid_t *child) {
    posix_spawn_file_actions_t actions;
    int error = posix_spawn_file_actions_init(&actions);
    if (error) return error;
    error = posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
    if (!error) error = posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", O_WRONLY, 0);
    if (!error) error = posix_spawn_file_actions_adddup2(&actions, ends[1], 2);
    if (!error) error = posix_spawn(child, program, &actions, NULL, arguments, environ);
    posix_spawn_file_actions_destroy(&actions);
    return error;
}

// collects what the child says, up to its end; true when we were asked to stop
static bool listen_to(slt_context *context, int descriptor, char said[SAID]) {
    size_t length = 0;
    for (;;) {
        struct pollfd wait = {.fd = descriptor, .events = POLLIN};
        char piece[256];
        if (slt_context_check(context) != SLT_OK) return true;
        if (poll(&wait, 1, 100) <= 0) continue;
        ssize_t got = read(descriptor, piece, sizeof piece);
        if (got < 0 && errno == EINTR) continue;
        if (got <= 0) break;
        size_t kept = SAID - 1 - length < (size_t)got ? SAID - 1 - length : (size_t)got;
        memcpy(said + length, piece, kept);
        length += kept;
    }
    said[length] = 0;
    said[strcspn(said, "\n")] = 0;
    return false;
}

static slt_status evaluate(int code, const char *said, const char *shown) {
    if (WIFEXITED(code) && WEXITSTATUS(code) == 0) return SLT_OK;
    if (WIFSIGNALED(code) && (WTERMSIG(code) == SIGINT || WTERMSIG(code) == SIGTERM))
        SLT_FAIL(SLT_CANCELLED, "%s: stopped on request", shown);
    if (WIFSIGNALED(code) && (WTERMSIG(code) == SIGXCPU || WTERMSIG(code) == SIGKILL))
        SLT_FAIL(SLT_FORMAT, "%s: bad HDF5 file: reading it took too long", shown);
    if (WIFSIGNALED(code))
        SLT_FAIL(SLT_FORMAT, "%s: bad HDF5 file: libhdf5 crashed on it (signal %d)", shown,
                 WTERMSIG(code));
    SLT_FAIL(SLT_FORMAT, "%s: %s", shown, said[0] ? said : "bad HDF5 file");
}

static slt_status run(slt_context *context, char *const *arguments, const char *shown) {
    int ends[2], code = 0;
    char said[SAID] = "";
    pid_t child;
    if (pipe2(ends, O_CLOEXEC) != 0) SLT_FAIL(SLT_IO, "%s: no pipe: %s", shown, strerror(errno));
    int error = spawn(arguments[0], arguments, ends, &child);
    close(ends[1]);
    if (error) {
        close(ends[0]);
        SLT_FAIL(SLT_IO, "%s: %s did not start: %s", shown, arguments[0], strerror(error));
    }
    bool stopped = listen_to(context, ends[0], said);
    close(ends[0]);
    if (stopped) kill(child, SIGKILL);
    while (waitpid(child, &code, 0) < 0)
        if (errno != EINTR) SLT_FAIL(SLT_IO, "%s: lost the helper: %s", shown, strerror(errno));
    return stopped ? slt_context_check(context) : evaluate(code, said, shown);
}

slt_status slt_hdf5_spawn(slt_context *context, const char *task, const char *in, const char *out,
                          const char *const *words, const char *shown) {
    char program[PATH_SIZE];
    SLT_TRY(find_program(program));
    // posix_spawn takes texts that are not const, and does not write into them
    char *arguments[4 + WORDS + 1] = {program, (char *)task, (char *)in, (char *)out};
    for (int i = 0; i < WORDS && words && words[i]; i++) arguments[4 + i] = (char *)words[i];
    return run(context, arguments, shown);
}
