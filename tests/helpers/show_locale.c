// Prints half in the locale of the process, for tests/cli/test_locale.sh.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include <stdio.h>

int main(void) { return printf("%.1f\n", 0.5) < 0; }
