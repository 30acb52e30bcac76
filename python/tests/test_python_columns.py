"""Columns chosen by pattern, continuous actions, and data that is in no file.

SPDX-License-Identifier: MIT
Copyright (c) 2026 the slottar authors
"""

import os
import pickle
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
import slottar

CAMERA = Path(__file__).parents[2] / "tests/golden/formats/camera.hdf5"
CSV = """demo,a0,a1,gripper,q0,q1,note
first,0.5,1,0,10,11,x
first,0.25,2,1,12,13,y
second,0,3,1,14,15,z
"""


def test_columns_of_csv(tmp_path):
    path = tmp_path / "joints.csv"
    path.write_text(CSV)
    for words in ("a*,gripper", ["a*", "gripper"]):
        data = slottar.load(path, actions=words, observations="q*", episode="demo")
        assert data.action_names == ["a0", "a1", "gripper"] and data.action_count is None
        assert data.observation_names == ["q0", "q1"] and len(data) == 2
        assert data[1].actions.tolist() == [[0, 3, 1]] and data.actions.shape == (3, 3)
    kinds = [(one.name, one.kind) for one in data.channels]
    assert kinds == [("a0", "continuous"), ("a1", "continuous"), ("gripper", "binary")]
    again = pickle.loads(pickle.dumps(data))  # the choice is part of the path
    assert again.action_names == data.action_names and "actions=a*" in data.path
    assert slottar.load(data.path).observation_names == ["q0", "q1"]
    with pytest.raises(ValueError, match="no column matches --actions 'z\\*'"):
        slottar.load(path, actions="z*", episode="demo")
    with pytest.raises(FileNotFoundError, match="none.csv"):
        slottar.load(tmp_path / "none.csv", actions="a")
    with pytest.raises(TypeError, match="actions"):
        slottar.load(path, actions=3)


def test_keys_of_hdf5(caplog):
    with caplog.at_level("INFO", logger="slottar"):
        data = slottar.load(CAMERA)
    assert data.observation_shape == (3,) and "agentview_image" in caplog.text
    assert data.metadata("left_out") == "obs/agentview_image"
    chosen = slottar.load(CAMERA, actions="action_dict/*", observations=["joint"])
    assert chosen.actions.shape == (7, 4) and chosen.observation_names == ["joint[0]", "joint[1]"]


@pytest.mark.parametrize("side, left_out", [(7, None), (16, "observations")])
def test_small_cameras_are_pictures_too(tmp_path, side, left_out):
    """One rule: 7x7x3 symbols of a grid stay, 16x16 pixels do not."""
    pixels = np.zeros((3, side, side, 3), np.uint8)
    data = slottar.from_arrays([np.arange(6.0).reshape(3, 2)], [pixels])
    data.save(tmp_path / "camera.hdf5")
    back = slottar.load(tmp_path / "camera.hdf5")
    assert back.metadata("left_out") == left_out
    assert (back.observations is None) == (left_out is not None)
    chosen = slottar.load(tmp_path / "camera.hdf5", observations="observations")
    assert chosen.observation_shape == (side, side, 3)


def test_features_of_lerobot(tmp_path):
    pytest.importorskip("pyarrow")
    data = slottar.from_arrays(
        [np.arange(6.0).reshape(3, 2)],
        [np.arange(9.0).reshape(3, 3)],
        action_names=["x", "y"],
    )
    root = slottar.to_lerobot(data, tmp_path / "robot")
    back = slottar.load(root)
    assert back.action_names == ["x", "y"] and (back.observations == data.observations).all()
    assert slottar.load(root, observations="").observations is None
    assert slottar.load(root, actions="observation.*").actions.shape == (3, 3)
    with pytest.raises(ValueError, match="no numeric feature matches actions='z'"):
        slottar.load(root, actions="z")


def test_one_command_labels_a_lerobot_folder(tmp_path):
    random = np.random.default_rng(1)
    aims = np.array([[0.8, 0.2], [-0.5, 0.9], [0.1, -0.7]])
    actions = [np.repeat(aims, random.integers(8, 14, 3), 0) for _ in range(20)]
    actions = [a + 0.05 * random.normal(size=a.shape) for a in actions]
    root = slottar.to_lerobot(slottar.from_arrays(actions), tmp_path / "robot")
    out = tmp_path / "labelled"

    def command(*words):
        line = [sys.executable, "-m", "slottar", "segment", *map(str, words)]
        return subprocess.run(line, capture_output=True, text=True)

    done = command(root, "-o", out, "--runs", "8")
    assert done.returncode == 0 and done.stdout.strip() == str(out), done.stderr
    assert "20 episodes, 3.0 segments each; trust" in done.stderr
    back = slottar.load(out)
    for episode, action in zip(back, actions):
        change = np.flatnonzero(np.abs(np.diff(action, axis=0)).max(1) > 0.4)
        assert np.flatnonzero(np.diff(episode.segments)).tolist() == change.tolist()
    again = command(root, "-o", out, "--runs", "8")
    assert again.returncode == 1 and "exists; --force" in again.stderr
    over = command(root, "-o", root, "--force")
    assert over.returncode == 1 and "would write over the input" in over.stderr
    assert command(tmp_path / "none", "-o", out).stderr.startswith("slottar: ")


def test_memory_needs_no_file(tmp_path, monkeypatch, model, demos):
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    monkeypatch.setattr("tempfile.tempdir", None)
    first = demos[0]
    listed = [{"actions": e.actions, "observations": e.observations} for e in demos[:5]]
    wanted = [answer.boundaries.tolist() for answer in model.predict(demos)[:5]]
    for given in (listed, demos[:5]):
        assert [answer.boundaries.tolist() for answer in model.predict(given)] == wanted
    data = slottar.from_arrays([e.actions for e in demos[:5]], [e.observations for e in demos[:5]])
    assert [answer.boundaries.tolist() for answer in model.predict(data)] == wanted
    # one trajectory is a list of one
    for one in (first, listed[0]):
        assert model.predict(one)[0].boundaries.tolist() == wanted[0]
    assert not os.listdir(tmp_path)
    assert slottar.load(data.path).steps == data.steps and len(os.listdir(tmp_path)) == 1
    assert pickle.loads(pickle.dumps(data)).steps == data.steps
    assert data.save(tmp_path / "a.npz") and slottar.load(tmp_path / "a.npz").steps == data.steps


def test_one_trajectory_of_actions_alone(tmp_path):
    actions = [0, 1, 1, 0, 2, 1, 0]
    rule = slottar.Baseline("comb").fit([actions])
    cuts = rule.predict([actions])[0].boundaries.tolist()
    for one in (actions, np.array(actions), np.array(actions, np.uint8)):
        assert rule.predict(one)[0].boundaries.tolist() == cuts and len(rule.predict(one)) == 1
    assert len(rule.predict(np.array([actions, actions]))) == 2
    with pytest.raises(ValueError, match=r"did you mean \[X\], \[y\]"):
        rule.score(actions, actions)


def test_continuous_arrays():
    data = slottar.from_arrays(
        [np.zeros((3, 2)), np.ones((1, 2))],
        observation_names=["q"],
        action_names=["a", "b"],
        observations=[np.zeros(3), np.zeros(1)],
    )
    assert data.action_names == ["a", "b"] and [e.actions.shape for e in data] == [(3, 2), (1, 2)]
    assert slottar.from_arrays([np.array([0.5, 1.5])]).actions.tolist() == [[0.5], [1.5]]
    bad = np.zeros((3, 2))
    bad[2, 1] = np.nan
    with pytest.raises(ValueError, match=r"episode 1: actions: step 2, column 1 \('b'\) is nan"):
        slottar.from_arrays([np.zeros((3, 2)), bad], action_names=["a", "b"])
    with pytest.raises(ValueError, match="episode 1: actions are of another kind"):
        slottar.from_arrays([np.zeros((3, 2)), np.zeros((3, 4))])
    with pytest.raises(ValueError, match="episode 0: actions"):
        slottar.from_arrays([np.zeros((0, 2))])
    with pytest.raises(ValueError, match="action_size is 0"):
        slottar.from_arrays([np.zeros((3, 0))])
    with pytest.raises(ValueError, match="3 action names"):
        slottar.from_arrays([np.zeros((3, 2))], action_names=["a", "b", "c"])
    with pytest.raises(slottar.SlottarError, match="slottar-mdl takes discrete actions"):
        slottar.MDLSegmenter(prior=2).fit(data)


def test_labels_go_back(tmp_path):
    path = tmp_path / "joints.csv"
    path.write_text(CSV)
    data = slottar.load(path, actions="a*", observations="q*", episode="demo")
    out = slottar.write_labels(data, [[0, 1], [0]], f"{tmp_path}/labelled/")
    assert Path(out).read_text().splitlines()[:2] == [
        "demo,a0,a1,gripper,q0,q1,note,segment",
        "first,0.5,1,0,10,11,x,0",
    ]
    assert path.read_text() == CSV
    with pytest.raises(FileExistsError):
        slottar.write_labels(data, [[0, 1], [0]], f"{tmp_path}/labelled/")
    assert slottar.write_labels(data, [[0, 1], [0]], f"{tmp_path}/labelled/", overwrite=True)
    with pytest.raises(ValueError, match="would write over the input"):
        slottar.write_labels(data, [[0, 1], [0]], f"{tmp_path}/", overwrite=True)
    with pytest.raises(ValueError, match="not those of all episodes"):
        slottar.write_labels(data, [[0, 1]], tmp_path / "x.csv")
    camera = slottar.write_labels(CAMERA, [[0, 0, 1, 1], [0, 1, 1]], tmp_path / "c.hdf5")
    assert slottar.load(camera).segments.tolist() == [0, 0, 1, 1, 0, 1, 1]


def test_labels_go_back_to_lerobot(tmp_path):
    pytest.importorskip("pyarrow")
    data = slottar.from_arrays([np.arange(6.0).reshape(3, 2), np.ones((2, 2))])
    root = slottar.to_lerobot(data, tmp_path / "robot")
    (tmp_path / "robot/videos").mkdir()
    (tmp_path / "robot/videos/front.mp4").write_bytes(b"film")
    source = slottar.load(root)
    out = slottar.write_labels(source, [[0, 0, 1], [0, -1]], tmp_path / "labelled")
    back = slottar.load(out)
    assert back.segments.tolist() == [0, 0, 1, 0, -1] and (back.actions == data.actions).all()
    assert (tmp_path / "labelled/videos/front.mp4").read_bytes() == b"film"
    assert not slottar.load(root).labelled
    with pytest.raises(FileExistsError):
        slottar.write_labels(source, [[0, 0, 1], [0, 0]], tmp_path / "labelled")
