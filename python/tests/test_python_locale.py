"""A host program with a decimal comma: Qt and GTK programs call setlocale(LC_ALL, "").

SPDX-License-Identifier: MIT
Copyright (c) 2026 the slottar authors
"""

import json
import locale
import subprocess
from pathlib import Path

import pytest
import slottar
from conftest import TINY


@pytest.fixture
def comma(tmp_path, monkeypatch):
    """Sets a locale that is made here: few machines have one installed."""
    name = "de_DE.UTF-8"
    subprocess.run(["localedef", "-i", "de_DE", "-f", "UTF-8", str(tmp_path / name)], check=True)
    monkeypatch.setenv("LOCPATH", str(tmp_path))
    before = locale.setlocale(locale.LC_ALL)
    locale.setlocale(locale.LC_ALL, name)
    assert locale.localeconv()["decimal_point"] == ","
    yield
    locale.setlocale(locale.LC_ALL, before)


def fitted(demos, folder):
    options = dict(TINY, prior=[0.25, 0.25, 0.5], lr=0.0015)
    return slottar.Segmenter(**options, run=str(folder)).fit(demos)


@pytest.fixture
def point(demos, tmp_path):
    """The same model before the locale is set."""
    return fitted(demos, tmp_path / "point")


def test_the_same_bytes(demos, point, comma, tmp_path):
    model = fitted(demos, tmp_path / "comma")
    assert Path(model.checkpoint_).read_bytes() == Path(point.checkpoint_).read_bytes()
    for name in ("config.yaml", "result.json"):
        assert (tmp_path / "comma" / name).read_bytes() == (tmp_path / "point" / name).read_bytes()
    for line in (tmp_path / "comma" / "metrics.jsonl").read_text().splitlines():
        assert 0 < json.loads(line)["train_loss"] < 100
    assert model.score(demos) == point.score(demos)


def test_a_mean(demos, comma):
    assert slottar.Segmenter(**dict(TINY, prior="~2.5")).fit(demos).history_
