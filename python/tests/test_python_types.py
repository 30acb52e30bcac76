"""Types of segments: of a model's predictions, against the names of sub-tasks; names in data sets.

SPDX-License-Identifier: MIT
Copyright (c) 2026 the slottar authors
"""

import pickle

import numpy as np
import pytest
import slottar


@pytest.fixture(scope="module")
def demos(tmp_path_factory):
    path = tmp_path_factory.mktemp("types") / "doorkey.safetensors"
    return slottar.collect("doorkey", path, episodes=(200, 20, 40))


@pytest.fixture(scope="module")
def model(demos):
    return slottar.MDLSegmenter(prior=3, steps=300, restarts=1).fit(demos)


def test_names_of_subtasks(demos):
    assert demos.subtask_names[0] == "get key" and "unlock door" in demos.subtask_names
    assert demos.subtasks.shape == demos.segments.shape
    first = demos[0]
    told = [
        demos.subtask_names[k] for k in first.subtasks[np.r_[np.diff(first.segments) > 0, True]]
    ]
    assert told == ["get key", "unlock door", "reach goal"]


def test_types(model, demos):
    found = model.predict(demos, split="test")
    assert all(len(one.types) == one.number for one in found)
    assert list(found.to_pandas()["type"]) == np.concatenate(found.types).tolist()
    scores = model.type_scores(demos, split="test")
    assert scores["names"] == 3 and 0 < scores["accuracy"] <= scores["purity"] <= 1
    again = pickle.loads(pickle.dumps(model)).predict(demos, split="test")
    assert [one.tolist() for one in again.types] == [one.tolist() for one in found.types]


def test_split_by_type(model, demos):
    whole = model.predict(demos, split="test")
    split = model.predict(demos, split="test", split_by_type=True)
    for one, more in zip(whole, split):
        assert set(one.boundaries) <= set(more.boundaries) and len(more.types) == more.number
    better = model.type_scores(demos, split="test", split_by_type=True)
    assert better["segments"] == model.type_scores(demos, split="test")["segments"]


def test_plans(model, demos):
    found = slottar.learn_plans(model.predict(demos).types)
    assert sum(plan.episodes for plan in found) == len(demos)
    made = slottar.learn_plans([[0, 3, 4]] * 50 + [[0, 3, 5], [7, 0, 3]] * 20 + [None])
    assert made[0] == slottar.Plan(((0, 3), 4), 50) and made[2].tree == (7, (0, 3))
    assert made.rules >= 1 and made.bits[1] < made.bits[0]
    with pytest.raises(ValueError, match="need sequences"):
        slottar.learn_plans([])
    for wrong in ([[0.5]], [[-2]]):
        with pytest.raises(ValueError, match="whole numbers"):
            slottar.learn_plans(wrong)


def test_names_in_memory():
    made = slottar.from_arrays(
        [[0, 1, 0], [1, 1]],
        segments=[[0, 0, 1], [0, 0]],
        subtasks=[[1, 1, -1], [0, 0]],
        subtask_names=["walk", "rest"],
    )
    assert made.subtask_names == ["walk", "rest"] and made[0].subtasks.tolist() == [1, 1, -1]
    with pytest.raises(ValueError, match="subtask"):
        slottar.from_arrays([[0, 1]], subtasks=[[0, 2]], subtask_names=["walk", "rest"])
    with pytest.raises(ValueError, match="names"):
        slottar.from_arrays([[0, 1]], subtasks=[[0, 0]])
    assert slottar.from_arrays([[0, 1]]).subtask_names is None
