"""Environments: Gymnasium's own checks, its three ways of starting anew, experts.

SPDX-License-Identifier: MIT
Copyright (c) 2026 the slottar authors
"""

import threading
import warnings

import numpy as np
import pytest

gymnasium = pytest.importorskip("gymnasium")

import slottar
from gymnasium.utils.env_checker import check_env
from gymnasium.vector import AutoresetMode, SyncVectorEnv, VectorEnv

DOORKEY = "MiniGrid-DoorKey-5x5-v0"
KEYS = ("makebedfull-v0", "getwood-v0", DOORKEY, "MiniGrid-LavaGapS5-v0")


@pytest.mark.parametrize("id", KEYS)
def test_check_env(id):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        env = gymnasium.make(f"slottar/{id}")
        check_env(env.unwrapped)


def test_all_are_registered():
    assert len(slottar.env_ids()) == 62
    for id, info in slottar.env_info().items():
        spec = gymnasium.spec(f"slottar/{id}")
        assert spec.kwargs == {"id": id} and info["step_limit"] > 0


@pytest.mark.parametrize("mode", list(AutoresetMode))
@pytest.mark.parametrize("id", KEYS)
def test_like_gymnasium_s_own_vector(id, mode):
    """Our vector is Gymnasium's SyncVectorEnv over our single environments, step by step."""
    n = 6
    ours = slottar.make_vec(id, n, autoreset_mode=mode)
    theirs = SyncVectorEnv(
        [lambda: gymnasium.make(f"slottar/{id}", disable_env_checker=True)] * n, autoreset_mode=mode
    )
    assert isinstance(ours, VectorEnv)
    assert ours.single_observation_space == theirs.single_observation_space
    assert (
        ours.single_action_space == theirs.single_action_space
        and ours.action_space == theirs.action_space
    )
    a, _ = ours.reset(seed=7)
    b, _ = theirs.reset(seed=7)
    assert (a == b).all()
    draw, ends = np.random.default_rng(1), 0
    for _ in range(350):
        actions = draw.integers(0, ours.single_action_space.n, n)
        ours_out, theirs_out = ours.step(actions), theirs.step(actions)
        for one, other in zip(ours_out[:4], theirs_out[:4]):
            assert one.dtype == other.dtype and (one == other).all()
        done = ours_out[2] | ours_out[3]
        ends += done.sum()
        if mode is AutoresetMode.SAME_STEP and done.any():
            assert (ours_out[4]["_final_obs"] == theirs_out[4]["_final_obs"]).all()
            for i in np.flatnonzero(done):
                assert (ours_out[4]["final_obs"][i] == theirs_out[4]["final_obs"][i]).all()
        if mode is AutoresetMode.DISABLED and done.any():
            a, _ = ours.reset(options={"reset_mask": done})
            b, _ = theirs.reset(options={"reset_mask": done})
            assert (a == b).all()
    assert ends > 0


def test_through_gymnasium_make_vec():
    envs = gymnasium.make_vec(
        f"slottar/{DOORKEY}", num_envs=3, vectorization_mode="vector_entry_point"
    )
    assert envs.unwrapped.num_envs == 3 and envs.reset(seed=0)[0].shape == (3, 7, 7, 3)


def test_arrays_stay_as_they_are():
    envs = slottar.make_vec(DOORKEY, 4)
    first, _ = envs.reset(seed=0)
    copy = first.copy()
    for _ in range(5):
        second = envs.step(np.ones(4, int))[0]
        assert second.flags.owndata and not np.shares_memory(first, second)
    assert (first == copy).all()


def test_threads_change_nothing():
    def play(threads):
        envs = slottar.make_vec(DOORKEY, 200, threads=threads)
        envs.reset(seed=5)
        draw = np.random.default_rng(0)
        return [envs.step(draw.integers(0, 7, 200))[:4] for _ in range(60)]

    for one, other in zip(play(1), play(3)):
        assert all((a == b).all() for a, b in zip(one, other))


def test_snapshots():
    envs = slottar.make_vec(DOORKEY, 5)
    envs.reset(seed=1)
    state = envs.snapshot()
    ahead = [envs.step(np.full(5, 2))[0] for _ in range(4)]
    assert envs.restore(state).shape == ahead[0].shape
    assert all((envs.step(np.full(5, 2))[0] == seen).all() for seen in ahead)
    with pytest.raises(ValueError, match="snapshot"):
        envs.restore(state[:-1])
    with pytest.raises(ValueError, match="damaged"):
        envs.restore(bytes(len(state)))


@pytest.mark.parametrize("id", ["MiniGrid-DoorKey-8x8-v0", "makebed-v0"])
@pytest.mark.parametrize("mode", list(AutoresetMode)[:2])
def test_experts_play_what_is_collected(id, mode):
    data = slottar.collect(id, episodes=8)
    seeds = [episode.seed for episode in data]
    envs = slottar.make_vec(id, len(data), autoreset_mode=mode)
    seen, _ = envs.reset(seed=seeds)
    expert = envs.expert()
    for t in range(int(data.longest) + 30):
        actions = expert(seen)
        for i, episode in enumerate(data):
            assert t >= len(episode) or actions[i] == episode.actions[t]
        seen, *_ = envs.step(np.maximum(actions, 0))


def test_render():
    env = gymnasium.make(f"slottar/{DOORKEY}", render_mode="ansi")
    env.reset(seed=0)
    assert env.render().splitlines()[0] == "#####"
    envs = slottar.make_vec(DOORKEY, 2, render_mode="ansi")
    envs.reset(seed=0)
    assert len(envs.render()) == 2 and envs.render()[0] == env.render()


@pytest.mark.parametrize(
    "kind, words, call",
    [
        (ValueError, "no environment", lambda: slottar.make_vec("nowhere")),
        (TypeError, "text", lambda: slottar.make_vec(None)),
        (ValueError, "num_envs", lambda: slottar.make_vec(DOORKEY, 0)),
        (TypeError, "num_envs", lambda: slottar.make_vec(DOORKEY, 2.5)),
        (ValueError, "autoreset", lambda: slottar.make_vec(DOORKEY, autoreset_mode="never")),
        (ValueError, "render mode", lambda: slottar.make_vec(DOORKEY, render_mode="human")),
        (ValueError, "must be reset", lambda: slottar.make_vec(DOORKEY, 2).step([0, 0])),
        (ValueError, "2 seeds", lambda: slottar.make_vec(DOORKEY, 3).reset(seed=[1, 2])),
        (ValueError, "cannot play", lambda: slottar.make_vec("MiniGrid-Empty-5x5-v0", 2).expert()),
    ],
)
def test_refusals(kind, words, call):
    if "cannot play" in words:
        kind = NotImplementedError
    with pytest.raises(kind, match=words):
        call()


@pytest.mark.parametrize(
    "kind, actions",
    [
        (ValueError, [0, 7]),
        (ValueError, [0, -1]),
        (ValueError, [0]),
        (ValueError, [[0, 0]]),
        (TypeError, [0.5, 1]),
        (TypeError, ["a", "b"]),
        (ValueError, np.zeros(3, int)),
    ],
)
def test_wrong_actions(kind, actions):
    envs = slottar.make_vec(DOORKEY, 2)
    envs.reset(seed=0)
    with pytest.raises(kind):
        envs.step(actions)
    envs.step([0, 1])


def test_masks_before_the_first_reset():
    envs = slottar.make_vec(DOORKEY, 3)
    mask = np.array([True, False, False])
    seen, _ = envs.reset(seed=0, options={"reset_mask": mask})
    assert seen[0].any() and not seen[1:].any()
    with pytest.raises(ValueError, match="copy 1 must be reset"):
        envs.step([0, 0, 0])
    whole, _ = envs.reset(seed=0)
    assert (whole[0] == seen[0]).all() and whole[1:].any()


def test_threads_share_a_batch():
    """One at a time: no step is lost, and nothing is written behind anybody's back."""
    envs = slottar.make_vec(DOORKEY, 64, threads=1)
    envs.reset(seed=0)
    found = []

    def play():
        for _ in range(200):
            found.append(envs.step(np.zeros(64, int))[0].shape)

    threads = [threading.Thread(target=play) for _ in range(4)]
    [thread.start() for thread in threads]
    [thread.join() for thread in threads]
    other = slottar.make_vec(DOORKEY, 64, threads=1)
    other.reset(seed=0)
    for _ in range(800):
        last = other.step(np.zeros(64, int))[0]
    assert (
        len(found) == 800
        and (envs.step(np.ones(64, int))[0] == other.step(np.ones(64, int))[0]).all()
    )
    assert last.any()
