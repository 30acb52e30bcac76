"""Skills from Python: learned, and as the actions of an environment.

SPDX-License-Identifier: MIT
Copyright (c) 2026 the slottar authors
"""

import re
import subprocess
import sys
import warnings
from pathlib import Path

import numpy as np
import pytest

gymnasium = pytest.importorskip("gymnasium")

import slottar
from gymnasium.utils.env_checker import check_env
from gymnasium.vector import AutoresetMode, SyncVectorEnv

PLANK, DOORKEY = "makeplankfull-v0", "MiniGrid-DoorKey-5x5-v0"


@pytest.fixture(scope="module")
def skills(tmp_path_factory):
    """Two skills: get wood, and use the toolshed."""
    path = tmp_path_factory.mktemp("skills") / "skills.safetensors"
    data = slottar.collect(["getwoodfull-v0", PLANK], episodes=(800, 80, 0))
    assert slottar.learn_skills(data, path, hidden=64, epochs=15) == 2
    with pytest.raises(FileExistsError):
        slottar.learn_skills(data, path, hidden=64, epochs=1)
    return path


def test_memory(tmp_path):
    data = slottar.collect("getwood-v0", episodes=(200, 20, 0))
    path = tmp_path / "remembers.safetensors"
    assert slottar.learn_skills(data, path, hidden=16, epochs=1, memory=True) == 1
    plain = tmp_path / "plain.safetensors"
    slottar.learn_skills(data, plain, hidden=16, epochs=1)
    assert path.stat().st_size > plain.stat().st_size  # the map and its places
    envs = slottar.SkillVectorEnv("makeplank-v0", path, 8)
    envs.reset(seed=0)
    assert (envs.step(np.zeros(8, int))[4]["steps"] >= 1).all()
    turns = slottar.collect("MiniGrid-DoorKey-5x5-v0", episodes=(50, 5, 0))
    with pytest.raises(slottar.SlottarError, match="nothing to remember"):
        slottar.learn_skills(turns, tmp_path / "none.safetensors", memory=True)


def test_check_env(skills):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        check_env(slottar.SkillEnv(PLANK, skills), skip_render_check=True)


@pytest.mark.parametrize("mode", list(AutoresetMode))
def test_like_gymnasium_s_own_vector(skills, mode):
    n = 5
    ours = slottar.SkillVectorEnv(PLANK, skills, n, autoreset_mode=mode, discount=0.9)
    theirs = SyncVectorEnv(
        [lambda: slottar.SkillEnv(PLANK, skills, discount=0.9)] * n, autoreset_mode=mode
    )
    assert ours.action_space == theirs.action_space and ours.single_action_space.n == 2
    (a, _), (b, _) = ours.reset(seed=7), theirs.reset(seed=7)
    assert (a == b).all()
    draw, ends = np.random.default_rng(1), 0
    for _ in range(60):
        chosen = draw.integers(0, 2, n)
        one, other = ours.step(chosen), theirs.step(chosen)
        for x, y in zip(one[:4], other[:4]):
            assert (x == y).all()
        ended = one[2] | one[3]
        ends += ended.sum()
        if mode is AutoresetMode.DISABLED and ended.any():
            mask = {"options": {"reset_mask": ended}}
            assert (ours.reset(**mask)[0] == theirs.reset(**mask)[0]).all()
    assert ends > 5


def test_a_skill_is_its_steps(skills):
    """Rewards are discounted inside a skill, and what comes after it by the power of its steps."""
    plain = slottar.SkillVectorEnv(PLANK, skills, 64, discount=1.0)
    halved = slottar.SkillVectorEnv(PLANK, skills, 64, discount=0.5)
    plain.reset(seed=3), halved.reset(seed=3)
    rewarded = 0
    for skill in (0, 1):
        chosen = np.full(64, skill)
        _, full, _, _, one = plain.step(chosen)
        _, part, _, _, two = halved.step(chosen)
        assert (one["steps"] == two["steps"]).all()
        played = one["_steps"]
        assert (one["steps"][played] >= 1).all() and (one["steps"] <= 32).all()
        assert np.allclose(two["discount"], 0.5 ** two["steps"].astype(float))
        # a sub-task is paid with the last step of its skill
        once = (full == 1) & one["reached"]
        assert np.allclose(part[once], 0.5 ** (one["steps"][once] - 1.0))
        rewarded += once.sum()
    assert rewarded > 60 and one["reached"].mean() > 0.3


def test_goal_rewards(skills):
    envs = slottar.SkillVectorEnv(PLANK, skills, 64, discount=1.0, goal_rewards=True)
    envs.reset(seed=3)
    _, rewards, terminated, _, infos = envs.step(np.zeros(64, int))
    assert not rewards.any() and infos["reached"].mean() > 0.5  # wood is not the goal
    _, rewards, terminated, _, _ = envs.step(np.ones(64, int))
    assert (rewards == terminated).all() and rewards.sum() > 20


def test_threads_and_copies_do_not_matter(skills):
    def play(n, threads):
        envs = slottar.SkillVectorEnv(PLANK, skills, n, threads=threads)
        seen = [envs.reset(seed=1)[0][:3]]
        for t in range(12):
            seen.append(envs.step(np.arange(n) % 2 if t % 2 else np.zeros(n, int))[0][:3])
        return np.stack(seen)

    assert (play(200, 1) == play(200, 3)).all() and (play(200, 1) == play(3, 1)).all()


def test_a_policy_over_skills(skills, tmp_path):
    small = dict(frames=2000, eval_episodes=20, goal=2.0, threads=1)
    over = slottar.train_expert(PLANK, tmp_path / "over.safetensors", skills=skills, **small)
    assert over.frames >= 2000 and over.success > 0.3
    data = slottar.collect(PLANK, episodes=5, expert=over.path)
    assert data.expert == "policy"
    demos = slottar.collect("getwoodfull-v0", episodes=100)
    flat = slottar.train_expert(
        "getwoodfull-v0", tmp_path / "flat.safetensors", demos=demos.path, **small
    )
    assert flat.frames >= 2000 and flat.success > 0


def test_refusals(skills, tmp_path):
    damaged = tmp_path / "damaged.safetensors"
    damaged.write_bytes(skills.read_bytes()[:5000])
    envs = slottar.SkillVectorEnv(PLANK, skills, 2)
    for error, words, call in (
        (ValueError, "the skills know 6 actions", lambda: slottar.SkillEnv(DOORKEY, skills)),
        (ValueError, "discount of 0 ", lambda: slottar.SkillEnv(PLANK, skills, discount=0)),
        (ValueError, "discount", lambda: slottar.SkillEnv(PLANK, skills, discount=float("nan"))),
        (FileNotFoundError, "none", lambda: slottar.SkillEnv(PLANK, "none.safetensors")),
        (ValueError, "damaged", lambda: slottar.SkillEnv(PLANK, damaged)),
        (TypeError, "file of skills", lambda: slottar.SkillEnv(PLANK, None)),
        (ValueError, "must be reset", lambda: envs.step([0, 0])),
        (NotImplementedError, "skill", lambda: envs.expert()),
        (ValueError, "skill 2 of copy 1", lambda: (envs.reset(), envs.step([0, 2]))),
    ):
        with pytest.raises(error, match=words):
            call()


def test_example_trains(skills):
    """examples/skills_ppo.py with few decisions; needs Stable-Baselines3, which brings PyTorch."""
    pytest.importorskip(
        "stable_baselines3", reason="pip install stable-baselines3 to test examples/skills_ppo.py"
    )
    example = Path(__file__).parents[2] / "examples" / "skills_ppo.py"
    out = subprocess.run(
        [sys.executable, example, skills, "512"], capture_output=True, text=True, timeout=300
    )
    assert out.returncode == 0, out.stderr
    assert re.search(r"^512 decisions: \d+ % of 100 episodes", out.stdout, re.M), out.stdout
