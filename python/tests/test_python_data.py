"""Data sets: views without copies, arrays in and out, what is refused.

SPDX-License-Identifier: MIT
Copyright (c) 2026 the slottar authors
"""

import gc
import json
import os
import pickle
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
import slottar


def test_version():
    """The version of the package is the library's."""
    from importlib.metadata import version

    assert slottar.__version__ == version("slottar")


def test_arrays_are_views(demos):
    for array in (demos.actions, demos.observations, demos.segments, demos.offsets):
        assert not array.flags.owndata and not array.flags.writeable
    episode = demos[5]
    start = demos.offsets[5]
    assert np.shares_memory(episode.actions, demos.actions)
    assert (episode.actions == demos.actions[start : start + len(episode)]).all()
    assert (episode.observations == demos.observations[start : start + len(episode)]).all()
    assert (episode.segments == demos.segments[start : start + len(episode)]).all()
    assert demos.lengths.sum() == demos.steps == len(demos.actions)


def test_views_outlive_the_data_set():
    data = slottar.from_arrays([[0, 1, 2]] * 50)
    actions = data[7].actions
    del data
    gc.collect()
    assert actions.tolist() == [0, 1, 2]


def test_loading_copies_nothing(tmp_path):
    """A file of 256 MB costs less than a tenth of that in memory of the process' own."""

    def own_memory():
        with open("/proc/self/status") as status:
            return (
                next(int(line.split()[1]) for line in status if line.startswith("RssAnon")) * 1024
            )

    size, steps = 65536, 1024
    path = tmp_path / "large.safetensors"
    end = 24 + 4 * steps * size
    tensors = {
        "episode_offsets": ("I64", [3], [0, 24]),
        "observations": ("F32", [steps, size], [24, end]),
        "actions": ("U8", [steps], [end, end + steps]),
    }
    fields = {k: dict(zip(("dtype", "shape", "data_offsets"), v)) for k, v in tensors.items()}
    header = json.dumps({"__metadata__": {"format": "slottar-data-1"}, **fields})
    header += " " * (-(8 + len(header)) % 64)
    with open(path, "wb") as file:
        file.write(len(header).to_bytes(8, "little") + header.encode())
        file.write(np.array([0, steps // 2, steps], "<i8").tobytes())
        file.truncate(8 + len(header) + end + steps)
    before = own_memory()
    data = slottar.load(path)
    total = sum(float(episode.observations.sum()) for episode in data)
    assert total == 0 and data.observations.nbytes == 4 * steps * size
    assert own_memory() - before < 4 * steps * size / 10
    os.remove(path)


def test_from_arrays_and_back(tmp_path):
    rng = np.random.default_rng(0)
    lengths = [3, 1, 7]
    actions = [rng.integers(0, 5, n) for n in lengths]
    seen = [rng.normal(size=(n, 2, 3)) for n in lengths]
    kept = dict(
        rewards=[rng.normal(size=n) for n in lengths],
        segments=[np.arange(n) // 2 for n in lengths],
        final_observations=rng.normal(size=(3, 2, 3)),
        splits=["train", "valid", "test"],
        terminated=[True, False, True],
        truncated=[False, True, False],
        seeds=[1, 2, 2**40],
        tasks=[0, 1, 0],
    )
    data = slottar.from_arrays(
        actions,
        seen,
        **kept,
        action_count=6,
        action_names=list("abcdef"),
        environment="here",
        expert="me",
        path=tmp_path / "a.safetensors",
    )
    flat = slottar.from_arrays(np.concatenate(actions), np.concatenate(seen), lengths=lengths)
    for back in (
        data,
        slottar.load(data.save(tmp_path / "a.npz")),
        slottar.from_episodes(list(data)),
        pickle.loads(pickle.dumps(data)),
        pickle.loads(pickle.dumps(slottar.from_episodes(data))),
    ):
        assert (
            back.action_count == 6
            and back.action_names == list("abcdef")
            and back.environment == "here"
        )
        assert (pickle.loads(pickle.dumps(back[2])).actions == actions[2]).all()
        for i, episode in enumerate(back):
            assert (episode.actions == actions[i]).all() and (flat[i].actions == actions[i]).all()
            assert (episode.observations == seen[i].astype(np.float32)).all()
            assert (flat[i].observations == episode.observations).all()
            assert (
                episode.final_observation == kept["final_observations"][i].astype(np.float32)
            ).all()
            assert (episode.rewards == kept["rewards"][i].astype(np.float32)).all()
            assert (episode.segments == kept["segments"][i]).all()
            assert episode.split == kept["splits"][i] and back.split(episode.split).tolist() == [i]
            assert (episode.terminated, episode.truncated) == (
                kept["terminated"][i],
                kept["truncated"][i],
            )
            assert (episode.seed, episode.task) == (kept["seeds"][i], kept["tasks"][i])


def test_continuous_actions_and_bytes():
    data = slottar.from_arrays([np.ones((4, 2))], [np.array([[True], [False], [True], [True]])])
    assert not data.discrete and data.actions.shape == (4, 2) and data.action_count is None
    assert data.observations.dtype == np.uint8 and data.observations.ravel().tolist() == [
        1,
        0,
        1,
        1,
    ]


def test_places_of_ones_are_spread():
    data = slottar.collect("craft-full", episodes=3)
    assert data.observations is None
    episode = data[1]
    assert episode.observations.shape == (len(episode), 1075)
    assert (episode.observations.sum(1) == np.diff(episode.ones_offsets)).all()
    again = slottar.from_episodes(data)
    assert all((a.observations == b.observations).all() for a, b in zip(data, again))
    assert (
        again[0].ones_offsets is not None
        and (again[2].final_observation == data[2].final_observation).all()
    )


def test_episodes_by_number(demos):
    assert demos[-1].index == len(demos) - 1
    assert (
        [e.index for e in demos[2:5]] == [2, 3, 4] == [e.index for e in demos[np.array([2, 3, 4])]]
    )
    with pytest.raises(IndexError):
        demos[len(demos)]
    with pytest.raises(TypeError):
        demos["0"]


@pytest.mark.parametrize(
    "kind, words, call",
    [
        (FileNotFoundError, "no/such", lambda: slottar.load("no/such/file")),
        (ValueError, "looks like text", lambda: slottar.load(__file__)),
        (TypeError, "path", lambda: slottar.load(3)),
        (ValueError, "zero byte", lambda: slottar.load("a\0b")),
        (ValueError, "no environment 'nowhere'", lambda: slottar.collect("nowhere")),
        (ValueError, "-2", lambda: slottar.from_arrays([[0, -2]])),
        (ValueError, "no episode", lambda: slottar.from_arrays([])),
        (TypeError, "numbers", lambda: slottar.from_arrays([["a", "b"]])),
        (ValueError, "2 steps", lambda: slottar.from_arrays([[0, 1]], [[[1.0]]])),
        (
            ValueError,
            "all episodes have it or none",
            lambda: slottar.from_episodes([dict(actions=[0], rewards=[1]), dict(actions=[0])]),
        ),
        (ValueError, "another kind", lambda: slottar.from_arrays([[0, 1], [[0.5], [0.5]]])),
        (ValueError, "lengths make", lambda: slottar.from_arrays([0, 1, 2], lengths=[2])),
        (
            ValueError,
            "no such column",
            lambda: slottar.from_episodes([dict(actions=[0], colour="red")]),
        ),
        (ValueError, "no split 'dev'", lambda: slottar.from_arrays([[0]], splits=["dev"])),
        (ValueError, "outside", lambda: slottar.from_arrays([[2**40]])),
    ],
)
def test_refusals(kind, words, call):
    with pytest.raises(kind, match=words):
        call()


def test_a_missing_library_is_named(tmp_path):
    """A shared library that is not installed is named in a sentence."""
    compiler = shutil.which("cc") or pytest.skip("there is no C compiler")
    (tmp_path / "empty.c").write_text("int slt_nothing;\n")
    for words in (
        ["-Wl,-soname,libabsent.so.7", "-o", "libabsent.so"],
        ["-Wl,--no-as-needed", "-L.", "-labsent", "-o", "libneeds.so"],
    ):
        command = [compiler, "-shared", "-fPIC", "empty.c", *words]
        subprocess.run(command, cwd=tmp_path, check=True)
    os.remove(tmp_path / "libabsent.so")
    done = subprocess.run(
        [sys.executable, "-c", "import slottar"],
        capture_output=True,
        text=True,
        env={**os.environ, "SLOTTAR_LIBRARY": str(tmp_path / "libneeds.so")},
    )
    assert done.returncode == 1 and "slottar needs the shared library libabsent.so.7" in done.stderr


def test_declarations_are_of_the_headers(tmp_path):
    """What the package was built with is what the headers say now."""
    top = Path(__file__).parents[2]
    compiler = shutil.which("cc") or pytest.skip("there is no C compiler")
    out, check = tmp_path / "declarations.py", tmp_path / "check.c"
    script = top / "python" / "declare.py"
    subprocess.run([sys.executable, script, compiler, top / "include", out, check], check=True)
    from slottar import _declarations

    assert out.read_text() == Path(_declarations.__file__).read_text()
    subprocess.run([compiler, "-fsyntax-only", f"-I{top / 'include'}", check], check=True)
    wrong = check.read_text().replace("sizeof(slt_episode) == ", "sizeof(slt_episode) == 1")
    check.write_text(wrong)
    assert (
        subprocess.run(
            [compiler, "-fsyntax-only", f"-I{top / 'include'}", check], capture_output=True
        ).returncode
        != 0
    )
