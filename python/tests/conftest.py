"""Small data and a small model for all tests.

SPDX-License-Identifier: MIT
Copyright (c) 2026 the slottar authors
"""

import os
import shutil

import pytest
import slottar

TINY = dict(slots=4, prior=3, epochs=2, hidden=16, heads=2, slot_size=16, seed=3)


@pytest.fixture(scope="session")
def demos(tmp_path_factory):
    """DoorKey, with labels and splits."""
    path = tmp_path_factory.mktemp("data") / "demos.safetensors"
    return slottar.collect("doorkey", path, episodes=(120, 20, 20))


@pytest.fixture(scope="session")
def model(demos):
    return slottar.Segmenter(**TINY).fit(demos)


@pytest.fixture(scope="session")
def command():
    """The command of the same build."""
    found = os.environ.get("SLOTTAR_COMMAND") or shutil.which("slottar")
    if not found:
        pytest.skip("there is no command: set SLOTTAR_COMMAND")
    return found
