"""Minari, Gymnasium and LeRobot, there and back; plots.

SPDX-License-Identifier: MIT
Copyright (c) 2026 the slottar authors
"""

import json

import numpy as np
import pytest
import slottar
from conftest import TINY


def same(a, b, finals=True):
    """The same episodes."""
    assert (
        len(a) == len(b)
        and a.action_count == b.action_count
        and a.observation_shape == b.observation_shape
    )
    for one, other in zip(a, b):
        for name in ("actions", "observations", "rewards", "segments") + (
            ("final_observation",) if finals else ()
        ):
            assert (getattr(one, name) == getattr(other, name)).all(), name
        assert one.split == other.split


def test_minari_folder(demos, tmp_path):
    """Without the package: a folder written, read and trained on."""
    path = slottar.to_minari(demos, tmp_path / "doorkey-v0")
    back = slottar.from_minari(path)
    same(demos, back)
    model = slottar.Segmenter(**{**TINY, "epochs": 1})
    assert len(model.fit(back).predict(back)) == len(demos)


def test_minari_package(demos, tmp_path, monkeypatch):
    minari = pytest.importorskip("minari")
    pytest.importorskip("h5py")
    monkeypatch.setenv("MINARI_DATASETS_PATH", str(tmp_path))
    slottar.to_minari(demos, "slottar/doorkey-v0")
    theirs = minari.load_dataset("slottar/doorkey-v0")
    assert theirs.total_episodes == len(demos) and theirs.total_steps == demos.steps
    for ours, episode in zip(demos, theirs.iterate_episodes()):
        assert (ours.actions == episode.actions).all() and (
            ours.segments == episode.infos["segment"]
        ).all()
        assert (ours.observations == episode.observations[:-1]).all()
    same(demos, slottar.from_minari(theirs))
    same(demos, slottar.from_minari("slottar/doorkey-v0"))


def test_minari_is_not_there(tmp_path):
    with pytest.raises((FileNotFoundError, ValueError)):
        slottar.from_minari(str(tmp_path / "nothing"))


def test_npz(demos, tmp_path):
    same(demos, slottar.from_npz(demos.save(tmp_path / "a.npz")))


def test_gymnasium():
    pytest.importorskip("gymnasium")

    def lean(observation):
        return int(observation[2] > 0)

    data = slottar.from_gymnasium("CartPole-v1", lean, episodes=4, seed=5)
    again = slottar.from_gymnasium("CartPole-v1", lean, episodes=4, seed=5)
    assert (data.actions == again.actions).all() and (data.observations == again.observations).all()
    assert data.action_count == 2 and data.environment == "CartPole-v1" and data.expert == "lean"
    for i, episode in enumerate(data):
        assert (episode.actions == (episode.observations[:, 2] > 0)).all()
        assert episode.seed == 5 + i and episode.terminated and (episode.rewards == 1).all()
    cut = slottar.from_gymnasium("Pendulum-v1", episodes=2, longest=7)
    assert not cut.discrete and cut.lengths.tolist() == [7, 7] and cut[0].truncated
    taxi = slottar.from_gymnasium("FrozenLake-v1", episodes=2)
    assert taxi.observation_shape == (16,) and (taxi.observations.sum(1) == 1).all()


def test_gymnasium_plays_our_worlds(demos):
    """Our own environment through Gymnasium gives the recorded views for the recorded actions."""
    pytest.importorskip("gymnasium")
    episode = demos[3]
    actions = iter(episode.actions)
    played = slottar.from_gymnasium(
        "slottar/MiniGrid-DoorKey-8x8-v0", lambda _: next(actions), episodes=1, seed=episode.seed
    )
    assert (played[0].observations == episode.observations).all() and (
        played[0].rewards == episode.rewards
    ).all()
    assert (played[0].final_observation == episode.final_observation).all() and played[0].terminated


def test_lerobot(demos, tmp_path):
    pytest.importorskip("pyarrow")
    back = slottar.from_lerobot(slottar.to_lerobot(demos, tmp_path / "robot"))
    same(demos, back, finals=False)
    assert back.action_names == demos.action_names and back.environment == demos.environment
    with pytest.raises(FileExistsError):
        slottar.to_lerobot(demos, tmp_path / "robot")
    assert [p.name for p in tmp_path.iterdir()] == ["robot"]


def test_lerobot_layout(demos, model, tmp_path):
    """The files that LeRobot 3.0 documents, read by pyarrow and pandas; sub-tasks from a model."""
    parquet = pytest.importorskip("pyarrow.parquet")
    pandas = pytest.importorskip("pandas")
    found = model.predict(demos, max_length=5)
    root = tmp_path / "robot"
    slottar.to_lerobot(demos, root, segments=found, fps=20)
    info = json.loads((root / "meta/info.json").read_text())
    assert info["codebase_version"] == "v3.0" and info["fps"] == 20
    assert info["total_episodes"] == len(demos) and info["total_frames"] == demos.steps
    assert info["splits"] == {"train": "0:120", "valid": "120:140", "test": "140:160"}
    table = parquet.read_table(root / info["data_path"].format(chunk_index=0, file_index=0))
    assert set(table.column_names) == set(info["features"]) and len(table) == demos.steps
    assert table["subtask_index"].to_pylist() == np.concatenate(found.ids).tolist()
    assert table["action"].to_pylist() == demos.actions.tolist()
    assert table["index"].to_pylist() == list(range(demos.steps))
    assert np.allclose(table["timestamp"].to_numpy(), table["frame_index"].to_numpy() / 20)
    assert table["next.done"].to_numpy().sum() == len(demos)
    subtasks = pandas.read_parquet(root / "meta/subtasks.parquet")
    assert subtasks.index.name == "subtask" and subtasks["subtask_index"].tolist() == list(
        range(max(found.numbers))
    )
    assert pandas.read_parquet(root / "meta/tasks.parquet").index.tolist() == [demos.environment]
    episodes = parquet.read_table(root / "meta/episodes/chunk-000/file-000.parquet").to_pydict()
    assert episodes["length"] == demos.lengths.tolist()
    assert episodes["dataset_to_index"] == demos.offsets[1:].tolist()
    stats = json.loads((root / "meta/stats.json").read_text())
    assert stats["action"]["max"] == [demos.actions.max()] and stats["action"]["count"] == [
        demos.steps
    ]
    assert stats["action"]["mean"][0] == pytest.approx(demos.actions.mean())


def test_lerobot_of_robots(tmp_path):
    """Continuous actions, labels missing in places, several features, the layout of 2.1."""
    pyarrow = pytest.importorskip("pyarrow")
    import pyarrow.parquet as parquet

    data = slottar.from_arrays(
        [np.ones((4, 2)), np.zeros((3, 2))],
        [np.eye(4), np.eye(4)[:3]],
        segments=[[0, 0, -1, 1], [0, 1, 1]],
    )
    back = slottar.from_lerobot(slottar.to_lerobot(data, tmp_path / "a"))
    assert (back.actions == data.actions).all() and (back.observations == data.observations).all()
    assert back[0].segments.tolist() == [0, 0, -1, 2] and back[1].segments.tolist() == [0, 1, 1]

    old = tmp_path / "old"
    (old / "data/chunk-000").mkdir(parents=True)
    (old / "meta").mkdir()
    for number in (1, 0):
        parquet.write_table(
            pyarrow.table(
                {
                    "action": [[1.0, 2.0]] * 3,
                    "observation.state": [[0.5]] * 3,
                    "observation.effort": [[1.5, 2.5]] * 3,
                    "episode_index": [number] * 3,
                    "frame_index": [0, 1, 2],
                    "task_index": [number] * 3,
                }
            ),
            old / f"data/chunk-000/episode_{number:06d}.parquet",
        )
    features = {"action": [2], "observation.state": [1], "observation.effort": [2]}
    (old / "meta/info.json").write_text(
        json.dumps(
            {
                "codebase_version": "v2.1",
                "features": {
                    **{
                        name: {"dtype": "float32", "shape": shape}
                        for name, shape in features.items()
                    },
                    "observation.images.front": {"dtype": "video", "shape": [3, 8, 8]},
                    "task_index": {"dtype": "int64", "shape": [1]},
                },
            }
        )
    )
    data = slottar.from_lerobot(old)
    assert data.observation_shape == (3,) and data[0].observations[0].tolist() == [0.5, 1.5, 2.5]
    assert [episode.task for episode in data] == [0, 1] and data[1].actions.shape == (3, 2)
    assert slottar.from_lerobot(old, observations=["observation.effort"]).observation_shape == (2,)
    with pytest.raises(ValueError, match="no numeric feature"):
        slottar.from_lerobot(old, observations=["observation.images.front"])
    (old / "data/chunk-000/episode_000001.parquet").write_bytes(b"PAR1 and no more")
    with pytest.raises(ValueError, match="old"):
        slottar.from_lerobot(old)
    (old / "meta/info.json").write_text("{")
    with pytest.raises(ValueError, match="info.json"):
        slottar.from_lerobot(old)
    with pytest.raises(FileNotFoundError):
        slottar.from_lerobot(tmp_path / "nothing")


def test_plot(model, demos):
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("Agg")
    found = model.predict(demos, split="test", max_length=6)
    axes = found.plot(limit=5)
    assert len(axes.patches) == found[:5].numbers.sum() and len(axes.lines) == 5
    cuts = [np.flatnonzero(np.diff(demos[one.episode].segments)) + 1 for one in found[:5]]
    assert all((line.get_xdata() == cut).all() for line, cut in zip(axes.lines, cuts))
