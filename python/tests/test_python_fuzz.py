"""Nothing a user can pass crashes the interpreter.

SPDX-License-Identifier: MIT
Copyright (c) 2026 the slottar authors
"""

import os
import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("gymnasium")


def test_senseless_calls():
    calls = int(os.environ.get("SLOTTAR_FUZZ", 3000))
    script = Path(__file__).with_name("fuzz_calls.py")
    done = subprocess.run([sys.executable, script, "1", str(calls)], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr[-3000:]
    refused = int(done.stdout.split("accepted, ")[1].split()[0])
    assert 0 < refused < calls  # some of it makes sense
