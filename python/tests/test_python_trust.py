"""Trust: the warning of a doubtful model, its attribute, and the command's defaults.

SPDX-License-Identifier: MIT
Copyright (c) 2026 the slottar authors
"""

import json
import pickle
import subprocess
import warnings

import numpy as np
import pytest
import slottar

SMALL = dict(hidden=16, heads=2, steps=20)


@pytest.fixture(scope="module")
def doubtful(demos):
    """Told nine segments where there are three or four."""
    with pytest.warns(slottar.DoubtWarning, match="does not fit the prior"):
        return slottar.MDLSegmenter(prior=9, restarts=3, **SMALL).fit(demos)


def test_a_doubtful_model_warns_wherever_it_is_used(doubtful, demos):
    trust = doubtful.trust_
    assert trust.doubtful and trust.calibrated and trust.trust <= 0.5
    assert any("does not fit the prior" in sentence for sentence in trust.warnings)
    assert trust == doubtful.result_["trust"]
    assert "doubtful" in repr(doubtful) and trust.warnings[0] in repr(doubtful)
    assert "doubtful" in doubtful._repr_html_()
    with pytest.warns(slottar.DoubtWarning) as caught:
        doubtful.predict(demos)
    assert caught[0].filename == __file__ and trust.warnings[0] in str(caught[0].message)
    with pytest.warns(slottar.DoubtWarning):
        pickle.loads(pickle.dumps(doubtful)).predict(demos)


def test_the_same_words_as_the_command(doubtful, command, tmp_path):
    model = tmp_path / "model.safetensors"
    doubtful.save(model)
    assert slottar.load_model(model).trust_ == doubtful.trust_
    told = subprocess.run([command, "info", doubtful.run_], check=True, capture_output=True)
    for sentence in doubtful.trust_.warnings:
        assert f"warning: {sentence}\n" in told.stdout.decode()
    with open(f"{doubtful.run_}/result.json") as file:
        assert json.load(file)["trust"]["warnings"] == list(doubtful.trust_.warnings)


def test_one_run_is_not_called_sure(demos):
    with warnings.catch_warnings():
        warnings.simplefilter("error", slottar.DoubtWarning)
        model = slottar.MDLSegmenter(restarts=1, prior=3, **SMALL).fit(demos)
    assert model.trust_.trust is None and not model.trust_.calibrated
    assert "trained once" in model.trust_.warnings[-1] and "trust unknown" in repr(model)
    assert not any(one.calibrated for one in model.predict(demos))
    assert repr(slottar.MDLSegmenter()) == "MDLSegmenter()"


def test_calibrated_confidence_never_is_one(doubtful, demos):
    with pytest.warns(slottar.DoubtWarning):
        found = doubtful.predict(demos)
    assert all(one.calibrated for one in found)
    assert np.concatenate(found.confidence).max() < 1


def test_defaults_are_those_of_the_command(command):
    text = subprocess.run([command, "segment", "--help"], check=True, capture_output=True).stdout
    assert b"(default 60; 120 where" in text and slottar.VoteSegmenter().runs is None
    assert slottar.MDLSegmenter().restarts == 16
    assert {slottar.Segmenter().restarts, slottar.CompILE().restarts, slottar.OMPN().restarts} == {
        1
    }


def test_scores_say_what_was_told(doubtful, demos):
    scores = doubtful.scores(demos)
    assert scores["told"] == "count" and 0 <= scores["ece"] <= 1
