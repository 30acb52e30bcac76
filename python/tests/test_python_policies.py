"""Policies from Python: learned, resumed, refused, and as experts.

SPDX-License-Identifier: MIT
Copyright (c) 2026 the slottar authors
"""

import pytest
import slottar

WORLD = "MiniGrid-Empty-Random-5x5-v0"
SMALL = dict(
    copies=32,
    steps=16,
    minibatches=2,
    eval_interval=8,
    hidden=32,
    eval_episodes=20,
    frames=16000,
    goal=2,
)


def test_a_policy_learns_and_plays(tmp_path):
    path = tmp_path / "policy.safetensors"
    stages = set()
    policy = slottar.train_expert(
        WORLD, path, threads=2, callback=lambda p: stages.add(p.stage) and None, **SMALL
    )
    assert stages == {"train-expert"}
    assert policy.frames == 16384 and policy.episodes == 1000 and not policy.reached
    assert 0 < policy.mean_return < 1 and policy.length >= 1
    assert slottar.train_expert(WORLD, path, threads=1, **SMALL) == policy
    data = slottar.collect(WORLD, episodes=5, expert=str(path))
    assert data.expert == "policy" and len(data) == 5


def test_wrong_requests(tmp_path):
    path = tmp_path / "policy.safetensors"
    with pytest.raises(ValueError, match="no environment"):
        slottar.train_expert("nowhere", path)
    with pytest.raises(ValueError, match="lrr"):
        slottar.train_expert(WORLD, path, lrr=1)
    with pytest.raises(NotImplementedError, match="needs skills"):
        slottar.train_expert("makebed-v0", path, sees="still")
    with pytest.raises(TypeError, match="file of skills"):
        slottar.train_expert("makebed-v0", path, skills=3)
    assert not path.exists()
