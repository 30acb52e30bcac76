"""The console script: the command that the package carries, with the HDF5 helper next to it.

SPDX-License-Identifier: MIT
Copyright (c) 2026 the slottar authors
"""

import errno
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import slottar

SCRIPT = Path(sys.executable).with_name("slottar")


def run(*words, **options):
    """The script as a new shell finds it: nothing of this process says where things are."""
    kept = {k: v for k, v in os.environ.items() if not k.startswith(("SLOTTAR", "PYTHON"))}
    return subprocess.run(
        [SCRIPT, *words], env=kept, capture_output=True, text=True, timeout=60, **options
    )


def test_version_is_the_package_s():
    done = run("--version")
    assert done.returncode == 0 and slottar.__version__ in done.stdout.split()


def test_exit_codes_and_messages_are_the_command_s(tmp_path):
    done = run("info", tmp_path / "absent.npz")
    assert done.returncode == 1 and "absent.npz: No such file" in done.stderr
    assert run("infos").returncode == 2


def test_files_and_the_hdf5_helper(tmp_path):
    actions = [np.arange(6) % 3, np.arange(4) % 3]
    data = slottar.from_arrays(actions, [np.eye(3)[one] for one in actions])
    data.save(tmp_path / "a.npz")
    done = run("convert", "a.npz", "a.hdf5", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert slottar.load(tmp_path / "a.hdf5").actions.tolist() == data.actions.tolist()
    done = run("info", "a.hdf5", cwd=tmp_path)
    assert done.returncode == 0 and "2 episodes" in done.stdout, done.stdout


def test_a_missing_command_is_named():
    code = "import slottar_command as s; s.PROGRAM = '/nowhere/slottar'; s.main()"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    absent = os.strerror(errno.ENOENT)  # in the language of the system
    assert done.returncode == 1 and f"/nowhere/slottar: {absent}" in done.stderr
