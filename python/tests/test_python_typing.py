"""Keywords have types: mypy and pyright find a misspelt one, and help() has the true defaults.

SPDX-License-Identifier: MIT
Copyright (c) 2026 the slottar authors
"""

import importlib.util
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
import slottar

PROGRAM = """
import slottar

model = slottar.Segmenter(slots=5, prior=(3, 6), lr=1, random_state=3, verbose=True, n_jobs=-1)
slottar.MDLSegmenter(prior=3, boundaries="coded")
slottar.VoteSegmenter("events", prior="~4.5", seed=1)
slottar.Baseline("comb", random_state=2)
slottar.OMPN(warm_start=True, run="runs/a")
fitted: slottar.Segmenter = model.set_params(epochs=4).fit([[0, 1]], callbacks=print)
loaded: slottar.CompILE = slottar.CompILE.load("x")
slottar.Segmenter(pryor=2)  # wrong
slottar.MDLSegmenter(pryor=2)  # wrong
slottar.CompILE(pryor=2)  # wrong
slottar.OMPN(pryor=2)  # wrong
slottar.VoteSegmenter(pryor=2)  # wrong
slottar.Baseline(pryor=2)  # wrong
slottar.Segmenter(slots="many")  # wrong
slottar.MDLSegmenter(boundaries="expensive")  # wrong
slottar.VoteSegmenter("event")  # wrong
"""
TOP = Path(__file__).parents[2]
WRONG = [n for n, line in enumerate(PROGRAM.splitlines(), 1) if line.endswith("# wrong")]


@pytest.mark.parametrize("checker", ["mypy", "pyright"])
def test_checkers_find_exactly_what_is_wrong(checker, tmp_path):
    if not importlib.util.find_spec(checker):
        pytest.skip(f"no {checker}: pip install 'slottar[test]'")
    path = tmp_path / "use.py"
    path.write_text(PROGRAM)
    words = ["--cache-dir", os.devnull] if checker == "mypy" else ["--pythonpath", sys.executable]
    done = subprocess.run(
        [sys.executable, "-m", checker, *words, str(path)],
        cwd=tmp_path,
        capture_output=True,
        text=True,
    )
    if "error:" not in done.stdout and "network" in done.stderr.lower():
        pytest.skip(f"{checker} cannot start: {done.stderr[-200:]}")
    found = re.findall(r"use\.py:(\d+)(?::\d+)?(?: -|:) error", done.stdout)
    assert [int(n) for n in found] == WRONG, done.stdout + done.stderr
    assert "pryor" in done.stdout


def test_the_package_itself_has_no_wrong_types():
    if not importlib.util.find_spec("mypy"):
        pytest.skip("no mypy: pip install 'slottar[test]'")
    words = ["--cache-dir", os.devnull, "--config-file", str(TOP / "pyproject.toml")]
    done = subprocess.run(
        [sys.executable, "-m", "mypy", *words, "-p", "slottar"], capture_output=True, text=True
    )
    assert done.returncode == 0, done.stdout + done.stderr


def test_help_has_the_defaults_that_are_used(command):
    """Those that `train MODEL --options` lists, which are the model's own."""
    for kind in (slottar.Segmenter, slottar.MDLSegmenter, slottar.CompILE, slottar.OMPN):
        said = subprocess.run(
            [command, "train", kind._name, "--options"], check=True, capture_output=True, text=True
        ).stdout
        defaults = dict(re.findall(r"^  (\w+) .*\(default (.*)\)$", said, re.M))
        shown = dict(re.findall(r"^(\w+) : .*, default (.*)$", kind.__doc__, re.M))
        assert len(defaults) > 20 and defaults.items() <= shown.items()
        assert ">>> model = slottar." in kind.__doc__
    assert "lr : float, default 3e-3" in slottar.MDLSegmenter.__doc__
    assert "batch : int, default 32" in slottar.MDLSegmenter.__doc__


def test_extras_are_named():
    code = (
        "import sys, builtins; real = builtins.__import__\n"
        "def no(name, *a, **k):\n"
        "    if name.split('.')[0] in ('pandas', 'pyarrow', 'gymnasium', 'matplotlib'):\n"
        "        raise ModuleNotFoundError(name, name=name.split('.')[0])\n"
        "    return real(name, *a, **k)\n"
        "import importlib; load = importlib.import_module\n"
        "builtins.__import__ = no\n"
        "importlib.import_module = lambda n, *a: no(n) if n[0] != '.' else load(n, *a)\n"
        "import slottar\n"
        "found = slottar.Baseline('comb').fit([[0, 1, 0]]).predict([[0, 1, 0]])\n"
        "for use in (found.to_pandas, found.plot, lambda: slottar.make_vec, "
        "lambda: slottar.from_lerobot, lambda: slottar.from_gymnasium('x')):\n"
        "    try:\n"
        "        use()\n"
        "    except ImportError as problem:\n"
        "        print(problem)\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    extras = re.findall(r"pip install 'slottar\[(\w+)\]'", done.stdout)
    assert extras == ["pandas", "plot", "envs", "lerobot", "envs"], done.stdout + done.stderr
