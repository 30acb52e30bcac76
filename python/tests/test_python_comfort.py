"""What users of scikit-learn expect: scores without labels, n_jobs, warm_start, callbacks,
DataFrames.

SPDX-License-Identifier: MIT
Copyright (c) 2026 the slottar authors
"""

import pickle
import warnings

import numpy as np
import pytest
import slottar
from conftest import TINY


@pytest.fixture(scope="module")
def motion():
    """Two numbers per step, three segments, no labels."""
    random = np.random.default_rng(0)
    aims = np.array([[0.8, 0.2], [-0.5, 0.9], [0.1, -0.7]])
    episodes = [np.repeat(aims, random.integers(8, 14, 3), axis=0) for _ in range(24)]
    return [one + random.normal(0, 0.05, one.shape) for one in episodes]


def test_cross_validation_without_labels(motion):
    selection = pytest.importorskip("sklearn.model_selection")
    discrete = [[0, 1, 0, 2, 0, 0, 1, 0, 2] * 2 for _ in range(24)]
    for model, data, low, high in (
        (slottar.VoteSegmenter(runs=8), motion, 0, 1),
        (slottar.Segmenter(**TINY), motion, -np.inf, np.inf),
        (slottar.MDLSegmenter(prior=2, steps=20, restarts=1), discrete, -np.inf, 0),
    ):
        scores = selection.cross_val_score(model, data, cv=3, error_score="raise")
        assert scores.shape == (3,) and np.isfinite(scores).all()
        assert ((low <= scores) & (scores <= high)).all()


def test_scores_with_and_without_labels(demos, model):
    assert model.score(demos) == model.scores(demos)["f1"]
    plain = [{"actions": e.actions, "observations": e.observations} for e in demos]
    assert model.score(plain) == -model.scores(plain)["loss"]
    with pytest.raises(ValueError, match='metric="loss" does not'):
        model.score(plain, metric="f1")


def test_n_jobs(motion):
    for kind in (slottar.Segmenter, slottar.VoteSegmenter):
        assert kind(n_jobs=2).threads == 2 and kind(n_jobs=-1).get_params()["threads"] == -1
    cuts = [
        slottar.VoteSegmenter(runs=8, n_jobs=n).fit(motion).predict(motion).boundaries
        for n in (1, -1)
    ]
    assert all((a == b).all() for a, b in zip(*cuts))
    with pytest.raises(ValueError, match="threads"):
        slottar.VoteSegmenter(n_jobs=-2).fit(motion)


def test_warm_start_continues(demos, tmp_path):
    """Two epochs and two more are four epochs, bit for bit; without warm_start it starts anew."""
    at_once = slottar.Segmenter(**{**TINY, "epochs": 4}).fit(demos)
    first = slottar.Segmenter(**TINY, warm_start=True).fit(demos)
    assert len(first.history_) == 2
    first.set_params(epochs=4).fit(demos)
    assert [row["train_loss"] for row in first.history_] == [
        row["train_loss"] for row in at_once.history_
    ]
    assert first.result_["epochs"] == 4 and first.result_["test"] == at_once.result_["test"]
    listed = [{"actions": e.actions, "observations": e.observations} for e in demos[:40]]
    again = slottar.Segmenter(**TINY, warm_start=True).fit(listed)
    before = [row["train_loss"] for row in again.history_]
    again = pickle.loads(pickle.dumps(again)).set_params(epochs=3).fit(listed)
    assert [row["train_loss"] for row in again.history_][:2] == before and len(again.history_) == 3
    kept = slottar.Segmenter(**TINY, run=tmp_path / "run").fit(demos)
    assert kept.set_params(epochs=3).fit(demos).result_["epochs"] == 3
    with pytest.raises(ValueError, match="epochs: 3.*asked for: 'epochs: 2'"):
        kept.set_params(epochs=2).fit(demos)
    with pytest.raises(ValueError, match="data_crc32c"):  # other data
        first.set_params(epochs=5).fit(demos[:50])


def test_callback_stops_without_an_error(demos, motion):
    def after_one_epoch(report):
        return bool(report.news)

    stopped = slottar.Segmenter(**{**TINY, "epochs": 500}, patience=500).fit(
        demos, callbacks=after_one_epoch
    )
    assert stopped.result_ is None and 1 <= len(stopped.history_) < 500
    assert len(stopped.predict(demos[:2])) == 2
    # at once: how far it is by then is up to the machine
    for kind in (slottar.Segmenter(**{**TINY, "epochs": 500}), slottar.VoteSegmenter(runs=1000)):
        with warnings.catch_warnings(record=True) as heard:
            warnings.simplefilter("always")
            assert kind.fit(motion, callbacks=lambda report: True) is kind
        said = any("not fitted" in str(one.message) for one in heard)
        if said:
            with pytest.raises(ValueError, match="not fitted"):
                kind.predict(motion)
        else:
            assert len(kind.predict(motion)) == len(motion)


def test_frames(motion):
    pandas = pytest.importorskip("pandas")
    model = slottar.VoteSegmenter(runs=8).fit(motion)
    wanted = [one.tolist() for one in model.predict(motion).boundaries]
    frames = [pandas.DataFrame(one, columns=["vx", "vy"]) for one in motion]
    long = pandas.concat([f.assign(episode=f"demo {i}") for i, f in enumerate(frames)])
    for given, cuts in ((frames, wanted), (long, wanted), (frames[0], wanted[:1])):
        assert [one.tolist() for one in model.predict(given).boundaries] == cuts
    assert slottar.VoteSegmenter(runs=8).fit(long).trust_ == model.trust_
    steps = pandas.DataFrame(
        {
            "episode": [0, 0, 0, 1, 1],
            "action": [0, 1, 0, 1, 1],
            "q": 0.5,
            "segment": [0, 0, 1, 0, 0],
        }
    )
    data = slottar.from_episodes(slottar.frames.episodes_of(steps))
    assert data.lengths.tolist() == [3, 2] and data.discrete and data.labelled
    assert data.observations.shape == (5, 1) and data[0].segments.tolist() == [0, 0, 1]
    with pytest.raises(ValueError, match="no columns of actions"):
        model.predict(steps[["episode"]])
