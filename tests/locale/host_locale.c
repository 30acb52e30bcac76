// Loaded before a program (LD_PRELOAD), it sets the locale TEST_LOCALE as a Qt or GTK host does, so
// that the program's tests run with its decimal comma. tests/comma_locale makes the locale.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include <dlfcn.h>
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>

typedef int start(int (*)(int, char **, char **), int, char **, void (*)(void), void (*)(void),
                  void (*)(void), void *);

static void set_locale(void) {
    const char *name = getenv("TEST_LOCALE");
    if (!name || !*name) return;
    if (setlocale(LC_ALL, name) && localeconv()->decimal_point[0] == ',') return;
    fprintf(stderr, "host_locale: no locale '%s' with a decimal comma\n", name);
    abort();
}

// not a constructor: the sanitizers' own would come later, and setlocale is one of theirs
__attribute__((visibility("default"))) start __libc_start_main;
int __libc_start_main(int (*main)(int, char **, char **), int argc, char **argv, void (*init)(void),
                      void (*fini)(void), void (*end)(void), void *stack) {
    start *next = (start *)dlsym(RTLD_NEXT, "__libc_start_main");
    set_locale();
    return next(main, argc, argv, init, fini, end, stack);
}
