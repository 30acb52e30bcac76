"""The console script ``slottar``: becomes the command that the package ``slottar`` carries.

A package of its own, because importing ``slottar`` loads NumPy and the library, which takes longer
than most commands.

SPDX-License-Identifier: MIT
Copyright (c) 2026 the slottar authors
"""

import os
import sys

PROGRAM = os.path.join(os.path.dirname(os.path.dirname(__file__)), "slottar", "slottar")


def main() -> None:
    try:
        os.execv(PROGRAM, ["slottar", *sys.argv[1:]])
    except OSError as problem:
        sys.exit(f"slottar: {PROGRAM}: {problem.strerror}; install the package slottar again")
