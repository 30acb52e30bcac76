"""Models: the command's numbers, files, Ctrl-C, the interpreter's lock, scikit-learn's conventions.

SPDX-License-Identifier: MIT
Copyright (c) 2026 the slottar authors
"""

import json
import logging
import multiprocessing
import os
import pickle
import signal
import subprocess
import threading
import time
from pathlib import Path

import numpy as np
import pytest
import slottar
from conftest import TINY

KINDS = {
    "slottar": (slottar.Segmenter, TINY),
    "slottar-mdl": (
        slottar.MDLSegmenter,
        dict(prior=3, steps=20, hidden=16, heads=2, restarts=2, seed=1),
    ),
    "compile": (slottar.CompILE, dict(epochs=2, hidden=16, segments=3)),
    "ompn": (slottar.OMPN, dict(epochs=2, hidden=16, depth=2)),
}


@pytest.mark.parametrize("name", KINDS)
def test_numbers_of_the_command(name, demos, command, tmp_path):
    """The same seed gives the same checkpoint, answers and scores, bit for bit."""
    kind, options = KINDS[name]
    model = kind(**options, threads=2).fit(demos)
    words = [f"{k}={v}" for k, v in options.items() if k not in ("seed", "restarts")]
    flags = [
        f"--seed={options.get('seed', 0)}",
        f"--restarts={options.get('restarts', 1)}",
        "--quiet",
    ]
    run = tmp_path / "run"
    subprocess.run(
        [command, "train", name, demos.path, "-o", run, *words, *flags],
        check=True,
        stdout=subprocess.DEVNULL,
    )
    assert (run / "best.safetensors").read_bytes() == Path(model.checkpoint_).read_bytes()

    lines = subprocess.run(
        [command, "segment", run, demos.path, "--quiet"], check=True, capture_output=True
    ).stdout
    answers = [json.loads(line) for line in lines.splitlines()]
    found = model.predict(demos)
    assert len(found) == len(answers) == len(demos)
    for one, line in zip(found, answers):
        assert one.episode == line["episode"] and one.number == line["segments"]
        assert one.ids.tolist() == line["segment"] and one.boundaries.tolist() == line["boundaries"]
        assert [f"{c:.4f}" for c in one.confidence] == [f"{c:.4f}" for c in line["confidence"]]

    out = subprocess.run(
        [command, "eval", run, demos.path, "--json", "--quiet"], check=True, capture_output=True
    ).stdout
    said = json.loads(out)["runs"][0]
    scores = model.scores(demos, split="test")
    for score in slottar.scores.SCORES:
        assert scores[score] == pytest.approx(said[score], rel=1e-8, abs=0), score
    assert model.score(demos, split="test") == scores["f1"]
    missed = model.scores(demos, missed_by="uniform")
    assert 0 < missed["episodes"] < scores["episodes"]
    with pytest.raises(ValueError, match="nobody"):
        model.scores(demos, missed_by="nobody")


def test_save_load_and_pickle(model, demos, tmp_path):
    want = model.predict(demos)
    copies = [
        slottar.load_model(model.save(tmp_path / "m.safetensors")),
        pickle.loads(pickle.dumps(model)),
        slottar.Segmenter.load(model.run_),
        slottar.Segmenter.load(model.checkpoint_, threads=1),
    ]
    for copy in copies:
        assert copy.slots == 4 and copy.hidden == 16
        for a, b in zip(copy.predict(demos), want):
            assert (
                (a.ids == b.ids).all()
                and (a.confidence == b.confidence).all()
                and (a.counts == b.counts).all()
            )
    with pytest.raises(ValueError, match="holds slottar"):
        slottar.OMPN.load(model.checkpoint_)
    with pytest.raises(FileNotFoundError):
        slottar.load_model(tmp_path / "nothing")
    with pytest.raises(ValueError):
        slottar.load_model(demos.path)


def test_answers(model, demos):
    found = model.predict(demos, split="valid", pictures=True)
    assert [one.episode for one in found] == demos.split("valid").tolist()
    for one in found:
        assert len(one) == len(demos[one.episode]) and one.number == one.ids[-1] + 1
        assert (
            one.masks.shape == (4, len(one))
            and one.attention.shape == (len(one), 4)
            and one.slots.shape == (4, 16)
        )
        assert one.counts.sum() == pytest.approx(1, abs=1e-5)
        assert (
            np.concatenate([np.full(s.stop - s.start, n) for n, s in enumerate(one.spans)]).tolist()
            == one.ids.tolist()
        )
    assert model.predict(demos, max_length=4).numbers.min() > 1
    assert "Segments of 20" in repr(found) and "<table>" in found._repr_html_()
    table = found.to_pandas()
    assert len(table) == found.numbers.sum() and table["length"].sum() == sum(map(len, found))


def test_transform_gives_the_slots(model, demos):
    slots = model.transform(demos)
    assert (
        slots.shape == (len(demos), 4 * 16)
        and np.isfinite(slots).all()
        and slots.std(axis=0).max() > 0
    )
    found = model.predict(demos[:1], pictures=True)[0]
    used = found.masks.max(axis=1) > 0
    assert (slots[0].reshape(4, 16) == found.slots * used[:, None]).all()


def test_callbacks_hear_and_stop(demos):
    heard = []
    model = slottar.Segmenter(**{**TINY, "epochs": 50, "patience": 50})
    model.fit(demos, callbacks=[heard.append, lambda report: report.news.startswith("epoch 2")])
    assert heard[0].stage == "train" and 0 < heard[0].done < heard[-1].done < heard[0].total
    assert 2 <= len(model.history_) < 50 and model.result_ is None
    model.predict(demos)

    def fails(report):
        raise LookupError("mine")

    with pytest.raises(LookupError, match="mine"):
        slottar.Segmenter(**TINY).fit(demos, callbacks=[fails])


def test_ctrl_c_leaves_a_usable_object(demos):
    """Interrupted after the first epoch: KeyboardInterrupt, and the best epoch so far is there."""
    model = slottar.Segmenter(**{**TINY, "epochs": 100000, "patience": 10000})

    def interrupt(report):
        if report.news:
            os.kill(os.getpid(), signal.SIGINT)

    with pytest.raises(KeyboardInterrupt):
        model.fit(demos, callbacks=[interrupt])
    assert len(model.predict(demos)) == len(demos)
    model.set_params(epochs=1).fit(demos)
    assert model.result_["epochs"] == 1


def test_other_threads_go_on_and_interrupt(demos, tmp_path):
    """The interpreter's lock is released: a second thread sees the first epoch end, counts, and
    sends Ctrl-C to the first, which only waits. Without it the fit would not end."""
    run, counted = tmp_path / "run", []

    def count_and_interrupt():
        while not (run / "last.safetensors").exists():
            time.sleep(0.01)
        counted.append(sum(1 for _ in range(100000)))
        os.kill(os.getpid(), signal.SIGINT)

    thread = threading.Thread(target=count_and_interrupt)
    thread.start()
    model = slottar.Segmenter(**{**TINY, "epochs": 100000, "patience": 10000}, run=run)
    with pytest.raises(KeyboardInterrupt):
        model.fit(demos)
    thread.join()
    assert counted == [100000] and len(model.predict(demos)) == len(demos)
    model.set_params(run=None, epochs=1).fit(demos).predict(demos)


def test_run_directory_goes_on(demos, tmp_path, caplog):
    caplog.set_level(logging.INFO, logger="slottar")
    whole = slottar.Segmenter(**{**TINY, "epochs": 4}).fit(demos)
    parts = slottar.Segmenter(**{**TINY, "epochs": 4}, run=str(tmp_path / "run"))
    parts.fit(demos, callbacks=[lambda report: report.news.startswith("epoch 2")])
    assert len(parts.history_) < 4
    parts.fit(demos)
    assert any("resumes after epoch" in message for message in caplog.messages)
    assert Path(whole.checkpoint_).read_bytes() == Path(parts.checkpoint_).read_bytes()
    with pytest.raises(ValueError, match="another run directory"):
        parts.set_params(slots=5).fit(demos)


def test_lists_and_labels(demos):
    """Plain arrays, labels apart, and lists as options."""
    actions = [episode.actions for episode in demos[:40]]
    labels = [episode.segments for episode in demos[:40]]
    model = slottar.Segmenter(**{**TINY, "prior": [0.1, 0.2, 0.7], "epochs": 1}).fit(
        actions, labels
    )
    assert model.score(actions, labels) == pytest.approx(
        slottar.score(labels, model.predict(actions).ids)["f1"]
    )
    with pytest.raises(ValueError, match="needs labels"):
        model.score(actions, metric="f1")
    assert model.score(actions, metric="loss") < 0
    with pytest.raises(ValueError, match="the model knows"):
        model.predict([[99, 0]])


@pytest.mark.parametrize(
    "kind, words, parameters",
    [
        (ValueError, "no preset", dict(preset="nothing")),
        (ValueError, "slots", dict(slots=-1)),
        (ValueError, "5 heads", dict(hidden=16, heads=5)),
        (ValueError, "seed", dict(seed=-1)),
        (TypeError, "seed", dict(seed=1.5)),
        (TypeError, "option", dict(slots=object())),
        (ValueError, "no device", dict(device="abacus")),
        (ValueError, "threads", dict(threads=0)),
        (TypeError, "run", dict(run=3)),
        (ValueError, "restarts", dict(restarts=5000)),
    ],
)
def test_wrong_parameters(kind, words, parameters, demos):
    with pytest.raises(kind, match=words):
        slottar.Segmenter(**parameters).fit(demos)


def test_a_prior_that_is_a_range(demos, tmp_path):
    """A tuple of two whole numbers is a range; a list holds probabilities, none above 1."""
    options = dict(TINY, slots=6, epochs=1)
    slottar.Segmenter(**dict(options, prior=(3, 6), run=str(tmp_path))).fit(demos)
    assert 'prior: "3..6"' in (tmp_path / "config.yaml").read_text()
    for wrong in ([3, 6], (3, 2), (0, 1), (3, 4, 5)):
        with pytest.raises(ValueError, match="a range"):
            slottar.Segmenter(**dict(options, prior=wrong)).fit(demos)


def test_devices(demos):
    """With CUDA and a GPU the losses agree; elsewhere a sentence says what is missing."""
    try:
        there = slottar.Segmenter(**TINY, device="cuda", precision="fp32").fit(demos)
    except RuntimeError as problem:
        assert "cuda" in str(problem).lower()
        return
    here = slottar.Segmenter(**TINY).fit(demos)
    assert there.score(demos, metric="loss") == pytest.approx(
        here.score(demos, metric="loss"), 1e-3
    )


def test_unknown_parameter():
    with pytest.raises(TypeError, match="no parameter 'slot'"):
        slottar.Segmenter(slot=3)


def test_forked_children(model, demos):
    """A child predicts and trains with models of its own; environments with threads are refused."""
    envs = pytest.importorskip("slottar.envs").make_vec("getwood-v0", 4, threads=2)
    envs.reset(seed=0)
    want = model.predict(demos)
    context = multiprocessing.get_context("fork")
    answers = context.Queue()

    def child():
        same = all((a.ids == b.ids).all() for a, b in zip(model.predict(demos), want))
        try:
            envs.step([0] * 4)
        except RuntimeError as problem:
            answers.put((same, str(problem), slottar.Segmenter(**TINY).fit(demos).epochs))

    process = context.Process(target=child)
    process.start()
    same, words, epochs = answers.get(timeout=300)
    process.join(300)
    assert same and "fork" in words and epochs == 2 and process.exitcode == 0


def test_progress_bar(demos, capsys):
    slottar.Segmenter(**TINY, progress=True).fit(demos)
    assert "epoch 2: loss" in capsys.readouterr().err


def test_report(model, demos, tmp_path):
    made = model.predict(demos).report(tmp_path / "x.html", figures=tmp_path / "figures")
    assert (tmp_path / "x.html").stat().st_size == made["page_bytes"] > 10000
    assert made["figures"] == len(list((tmp_path / "figures").glob("*.svg"))) > 0


def test_declared_actions_are_known_used_or_not():
    names = ["left", "right", "grip", "wait"]
    plain = slottar.from_arrays([[0, 1, 2, 0, 1, 2]] * 12, action_names=names, action_count=4)
    whole = slottar.from_arrays([[0, 1, 3, 0, 1, 2]] * 12, action_names=names, action_count=4)
    for train, test in ((plain, whole), (whole, plain)):
        model = slottar.MDLSegmenter(steps=2, hidden=4, batch=4).fit(train)
        assert len(model.predict(test)) == 12


def test_earlier_names_of_options_are_accepted():
    with pytest.warns(FutureWarning, match="thin is now called prune_margin"):
        model = slottar.MDLSegmenter(thin=0.5)
    assert model.prune_margin == 0.5 and "thin" not in model.get_params()
    with pytest.warns(FutureWarning, match="toll is now called exception_cost"):
        model.set_params(toll=1)
    assert model.exception_cost == 1
