"""Streams: the boundaries of predict, as an iterator and as a context manager; the Gymnasium
wrapper; what is refused.

SPDX-License-Identifier: MIT
Copyright (c) 2026 the slottar authors
"""

import gc
import subprocess
import sys
import threading
from pathlib import Path

import gymnasium
import numpy as np
import pytest
import slottar
from test_python_vote import ends, letters, motion


@pytest.fixture(scope="module")
def fitted():
    return slottar.VoteSegmenter(runs=8).fit(motion()[0])


@pytest.fixture(scope="module")
def mdl(demos):
    return slottar.MDLSegmenter(prior=3, steps=60, restarts=1).fit(demos)


def boundaries(events, end):
    final = [event.boundary for event in events if event.boundary] + end.boundaries
    return [one.step for one in final], [one.confidence for one in final]


def test_iterates_over_steps(fitted):
    actions, labels = motion(4, seed=5)
    for one, truth in zip(actions, ends(labels)):
        stream = fitted.stream(((None, action) for action in one), lag=16)
        events = list(stream)
        assert [event.step for event in events] == list(range(len(one)))
        assert boundaries(events, stream.end)[0] == truth
        assert stream.end.length == len(one) and stream.end.segments == 3
        assert events[-1].segment == 2 and stream.lag == 16
        stream.close()


def test_discrete_actions_and_several_episodes():
    actions, _ = letters(60)
    model = slottar.VoteSegmenter(runs=6).fit(actions)
    found = model.predict(actions[:10])
    with model.stream(lag=12) as stream:
        for one, expected in zip(actions[:10], found):
            events = [stream.push(None, int(action)) for action in one]
            steps, confidence = boundaries(events, stream.finish())
            assert steps == expected.boundaries.tolist()
            assert np.allclose(confidence, expected.confidence, atol=1e-4)


def test_mdl_like_predict(mdl, demos):
    for i, expected in enumerate(mdl.predict(demos)):
        if i == 30:
            break
        episode = demos[i]
        observed = np.asarray(episode.observations)[: len(episode.actions)]
        stream = mdl.stream(zip(observed, episode.actions), lag=1)
        steps, _ = boundaries(list(stream), stream.end)
        assert steps == expected.boundaries.tolist()


def test_arrays_of_zeros_and_ones_for_a_model_of_bits(tmp_path):
    data = slottar.collect("craft-full", tmp_path / "c.safetensors", episodes=(40, 8, 8))
    bits = slottar.MDLSegmenter(prior=4, steps=30, restarts=1).fit(data)
    for i, expected in enumerate(bits.predict(data)):
        observed = np.asarray(data[i].observations)[: len(data[i].actions)]
        one = {"actions": data[i].actions, "observations": observed}
        assert bits.predict(one)[0].boundaries.tolist() == expected.boundaries.tolist()
        stream = bits.stream(zip(observed, data[i].actions), lag=1)
        assert boundaries(list(stream), stream.end)[0] == expected.boundaries.tolist()
    wrong = np.full((len(data[0].actions), observed.shape[1]), 2.0, np.float32)
    with pytest.raises(ValueError, match="number 0 of step 0 is neither 0 nor 1"):
        bits.predict({"actions": data[0].actions, "observations": wrong})


def test_wrapper_puts_the_segment_into_info(mdl):
    env = slottar.SegmentInfo(slottar.SlottarEnv("MiniGrid-DoorKey-8x8-v0"), mdl)
    draw = np.random.default_rng(0)
    for seed in range(2):
        env.reset(seed=seed)
        for step in range(400):
            _, _, terminated, truncated, info = env.step(draw.integers(6))  # never "done"
            assert info["segment"] == info["segment_event"].segment >= 0
            assert info["segment_event"].step == step
            if terminated or truncated:
                assert info["segment_end"].length == step + 1
                break
    env.close()
    assert isinstance(env, gymnasium.Wrapper)


def test_a_stream_outlives_names_and_ends_once(fitted):
    stream = slottar.load_model(fitted.checkpoint_).stream()
    gc.collect()
    assert stream.push(None, [0.1, 0.2]).step == 0
    stream.close()
    stream.close()
    with pytest.raises(ValueError, match="closed"):
        stream.push(None, [0, 0])
    with pytest.raises(TypeError, match="without steps"):
        next(fitted.stream())


def test_refusals(fitted, model):
    with pytest.raises(slottar.SlottarError, match="slottar finds its segments with a softmax"):
        model.stream()
    with pytest.raises(ValueError, match="lag"):
        fitted.stream(lag=-1)
    with fitted.stream() as stream:
        with pytest.raises(ValueError, match="3 numbers, the model takes 2"):
            stream.push(None, [1, 2, 3])
        with pytest.raises(ValueError, match="not finite"):
            stream.push(None, [np.nan, 0])
        assert stream.push(None, [0, 0]).step == 0


def test_a_stream_per_thread(fitted):
    actions, _ = motion(8, seed=6)
    found = [None] * 4

    def work(at):
        with fitted.stream(lag=3) as stream:
            found[at] = [
                boundaries([stream.push(None, x) for x in one], stream.finish()) for one in actions
            ]

    threads = [threading.Thread(target=work, args=(i,)) for i in range(4)]
    for one in threads:
        one.start()
    for one in threads:
        one.join()
    assert found[0] and all(one == found[0] for one in found)


def test_example_of_a_control_loop(mdl, tmp_path):
    example = Path(__file__).parents[2] / "examples" / "control_loop.py"
    run = mdl.save(tmp_path / "mdl.safetensors")
    found = subprocess.run(
        [sys.executable, example, run, "MiniGrid-DoorKey-8x8-v0", "50"],
        capture_output=True,
        text=True,
    )
    assert found.returncode == 0, found.stderr
    assert "50 steps, " in found.stdout
