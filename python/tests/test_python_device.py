"""device="auto": the GPU where its library can be loaded, else the CPU and a warning that says why.

The GPU is the emulated one of the tests (tests/emulated), where this build has it.

SPDX-License-Identifier: MIT
Copyright (c) 2026 the slottar authors
"""

import os
from pathlib import Path

import numpy as np
import pytest
import slottar
from slottar._work import Context

SMALL = dict(slots=3, prior=3, hidden=8, slot_size=8, heads=2, epochs=1)
MOVES = [np.repeat([[0.5, 0.1], [-0.2, 0.6]], 9, axis=0) + 0.01 * i for i in range(24)]
DATA = [np.tile([0, 1, 2, 3, 4], 3) for _ in range(24)]
EMULATED = Path(os.environ.get("SLOTTAR_COMMAND", "")).parent / "tests/libemulated_cuda.so"


def test_falls_back_and_says_why(monkeypatch, tmp_path):
    (tmp_path / "none.so").write_bytes(b"none")
    monkeypatch.setenv("SLOTTAR_CUDA", str(tmp_path / "none.so"))
    with pytest.warns(UserWarning, match="device auto: the CPU; .*none.so cannot be loaded"):
        model = slottar.Segmenter(**SMALL, device="auto").fit(DATA)
    assert len(model.predict(DATA)) == 24
    with pytest.raises(slottar.SlottarError, match="device cuda: .*none.so.*auto takes the CPU"):
        slottar.Segmenter(**SMALL, device="cuda:0").fit(DATA)
    with pytest.warns(UserWarning, match="device auto: the CPU; .*none.so cannot be loaded"):
        vote = slottar.VoteSegmenter(runs=4, device="auto").fit(DATA)
    assert len(vote.predict(DATA)) == 24
    with pytest.raises(slottar.SlottarError, match="device cuda: .*none.so.*auto takes the CPU"):
        slottar.VoteSegmenter(runs=4, device="cuda").fit(MOVES)


@pytest.mark.skipif(not EMULATED.is_file(), reason=f"no emulated device: {EMULATED}")
@pytest.mark.filterwarnings("error:device")
def test_takes_the_gpu(monkeypatch):
    monkeypatch.setenv("SLOTTAR_CUDA", str(EMULATED))
    assert [Context(1, name).device for name in ("auto", "cuda:0", "cpu")] == [
        "cuda",
        "cuda",
        "cpu",
    ]
