"""scikit-learn's conventions: its own checks, clone, Pipeline, cross-validation, rules.

SPDX-License-Identifier: MIT
Copyright (c) 2026 the slottar authors
"""

import json
import subprocess
import sys
import warnings
from pathlib import Path

import numpy as np
import pytest
import slottar
from conftest import TINY

sklearn = pytest.importorskip("sklearn", minversion="1.6")

from sklearn.base import clone
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, KFold, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.utils import estimator_checks
from sklearn.utils.estimator_checks import check_estimator

KINDS = (
    slottar.Segmenter,
    slottar.MDLSegmenter,
    slottar.CompILE,
    slottar.OMPN,
    slottar.Baseline,
    slottar.VoteSegmenter,
)


# check_estimator's checks that are not about tables
CHECKS = (
    "check_do_not_raise_errors_in_init_or_set_param",
    "check_estimator_cloneable",
    "check_estimator_repr",
    "check_estimator_tags_renamed",
    "check_get_params_invariance",
    "check_mixin_order",
    "check_no_attributes_set_in_init",
    "check_parameters_default_constructible",
    "check_set_params",
    "check_valid_tag_types",
)


@pytest.mark.parametrize("kind", KINDS)
def test_check_estimator(kind):
    """check_estimator stops where it would feed rows of a table: a trajectory is none, and the tag
    says so. Those of its checks that need no data are called one by one; the rest (check_fit2d_*,
    check_n_features_in, check_dtype_object, ...) do not apply."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "(?s).*Can't test estimator.*")
        done = check_estimator(kind())
    assert done and all(check["status"] == "passed" for check in done), done
    for name in CHECKS:
        if hasattr(estimator_checks, name):  # not in every version
            getattr(estimator_checks, name)(kind.__name__, kind())


@pytest.mark.parametrize("kind", KINDS)
def test_parameters(kind):
    first = kind()
    assert clone(first).get_params() == first.get_params()
    seed = "random_state" if kind is slottar.VoteSegmenter else "seed"
    assert first.set_params(**{seed: 5}).get_params()[seed] == 5
    assert getattr(clone(first), seed) == 5
    assert f"{seed}=5" in repr(first) and "<table>" in first._repr_html_()
    with pytest.raises(ValueError, match="no parameter"):
        first.set_params(colour="red")
    with pytest.raises(ValueError, match="not fitted"):
        first.predict([[0, 1]])


@pytest.mark.parametrize("kind", KINDS)
def test_misspelt_parameters(kind):
    """Named with the nearest one, in the constructor and in set_params."""
    with pytest.raises(TypeError, match=r"no parameter 'pryor'; did you mean 'prior'\?"):
        kind(pryor=2)
    with pytest.raises(ValueError, match=r"no parameter 'pryor'; did you mean 'prior'\?"):
        kind().set_params(pryor=2)
    with pytest.raises(TypeError, match="no parameter 'xyzzy'; there are .*prior"):
        kind(xyzzy=2)


@pytest.mark.parametrize("kind", KINDS)
def test_scikit_learn_s_words(kind):
    own = "random_state" if kind is slottar.VoteSegmenter else "seed"
    assert getattr(kind(random_state=7), own) == getattr(kind(seed=7), own) == 7
    assert getattr(clone(kind(random_state=7)).set_params(random_state=8), own) == 8
    if kind is not slottar.Baseline:
        assert kind(verbose=True).progress is True and kind(verbose=1).progress == 1
    with pytest.raises(TypeError, match="are the same parameter"):
        kind(random_state=1, seed=2)


def test_clone_forgets(model):
    copy = clone(model)
    assert copy.get_params() == model.get_params()
    with pytest.raises(ValueError, match="not fitted"):
        copy.predict([[0, 1]])


def test_pipeline_and_cross_validation(demos):
    """Slots as features of a classifier, and scores over folds of episodes."""
    episodes = list(demos)[:60]
    target = np.array([len(episode) > np.median(demos.lengths) for episode in episodes])
    chain = make_pipeline(
        slottar.Segmenter(**{**TINY, "epochs": 1}), LogisticRegression(max_iter=200)
    )
    assert chain.fit(episodes, target).predict(episodes).shape == (60,)
    scores = cross_val_score(slottar.Segmenter(**{**TINY, "epochs": 1}), demos, cv=KFold(3))
    assert scores.shape == (3,) and ((scores >= 0) & (scores <= 1)).all()
    search = GridSearchCV(slottar.Segmenter(**{**TINY, "epochs": 1}), {"slots": [4, 5]}, cv=2)
    assert search.fit(demos).best_params_["slots"] in (4, 5)


JUMPS = ["jump", "jump-threshold"]


@pytest.mark.parametrize("rule", slottar.baseline_names())
def test_rules_are_the_command_s(rule, demos, command, tmp_path):
    if rule in JUMPS:
        demos = _motion(tmp_path / "motion.npz")
    out = subprocess.run(
        [command, "eval", "--rule", rule, demos.path, "--json", "--quiet", "--seed", "4"],
        check=True,
        capture_output=True,
    ).stdout
    said = json.loads(out)["runs"][0]
    model = slottar.Baseline(rule, seed=4).fit(demos)
    scores = model.scores(demos, split="test")
    for name in slottar.scores.SCORES:
        assert scores[name] == pytest.approx(said[name], rel=1e-8, abs=0), name
    assert len(model.predict([episode.actions for episode in demos[:3]])) == 3


def _motion(path):
    """Two numbers per step that jump between segments, with noise."""
    random = np.random.default_rng(3)
    labels = [np.repeat(np.arange(4), random.integers(3, 9, 4)) for _ in range(40)]
    aims = random.normal(size=(40, 4, 2))
    actions = [aim[ids] + 0.3 * random.normal(size=(len(ids), 2)) for aim, ids in zip(aims, labels)]
    split = np.repeat([0, 1, 2], [24, 8, 8])
    return slottar.load(slottar.from_arrays(actions, segments=labels, splits=split).save(path))


def test_rules_refuse():
    with pytest.raises(ValueError, match="no rule"):
        slottar.Baseline("guess").fit([[0, 1]]).predict([[0, 1]])
    with pytest.raises(NotImplementedError, match="surprise needs discrete"):
        slottar.Baseline("surprise").fit([np.ones((3, 1))]).predict([np.ones((3, 1))])
    with pytest.raises(NotImplementedError, match="jump-threshold needs continuous"):
        slottar.Baseline("jump-threshold").fit([[0, 1]]).predict([[0, 1]])
    with pytest.raises(ValueError, match="another kind"):
        slottar.Baseline("comb").fit([[0, 1]]).predict([np.ones((3, 1))])
    with pytest.raises(ValueError, match="2 numbers"):
        slottar.Baseline("jump-threshold").fit([np.ones((3, 2))]).predict([np.ones((3, 1))])


def test_optuna_example():
    pytest.importorskip("optuna")
    script = Path(__file__).parents[2] / "examples" / "search_optuna.py"
    words = "doorkey --episodes 64 10 10 --epochs 1 --trials 2".split()
    done = subprocess.run([sys.executable, script, *words], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr[-2000:]
    assert done.stdout.count("valid") == 2 and "<- the paper's row" in done.stdout
