"""VoteSegmenter: arrays in memory, continuous and discrete; the command's numbers; files, doubt, errors.

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

VELOCITIES = np.array([[0.8, 0.2], [-0.5, 0.9], [0.1, -0.7]])


def motion(episodes=30, seed=0):
    """Three phases, a velocity with noise each; actions, and the phase of every step."""
    draw = np.random.default_rng(seed)
    labels = [np.repeat(np.arange(3), draw.integers(8, 14, 3)) for _ in range(episodes)]
    return [VELOCITIES[one] + draw.uniform(-0.02, 0.02, (len(one), 2)) for one in labels], labels


def letters(episodes=200, seed=0):
    """Discrete: two phases of different actions, 0 or 1, then 2 or 3."""
    draw = np.random.default_rng(seed)
    labels = [np.repeat(np.arange(2), draw.integers(6, 12, 2)) for _ in range(episodes)]
    return [2 * one + draw.integers(0, 2, len(one)) for one in labels], labels


def ends(labels):
    return [np.flatnonzero(np.diff(one)).tolist() for one in labels]


@pytest.fixture(scope="module")
def fitted():
    return slottar.VoteSegmenter(runs=8).fit(motion()[0])


def test_continuous_arrays(fitted):
    actions, labels = motion(10, seed=1)
    found = fitted.predict(actions)
    assert [one.tolist() for one in found.boundaries] == ends(labels)
    assert all(one.calibrated and len(one.types) == one.number == 3 for one in found)
    assert len({tuple(types.tolist()) for types in found.types}) == 1  # the same in all
    assert fitted.trust_.trust > 0.75 and not fitted.trust_.doubtful and "trust" in repr(fitted)


def test_mdl_where_it_is_asked_for():
    """Three errands, each ended by action 3."""
    draw = np.random.default_rng(0)
    episodes = [
        np.concatenate([[*np.full(draw.integers(3, 9), draw.integers(0, 3)), 3] for _ in range(3)])
        for _ in range(40)
    ]
    model = slottar.VoteSegmenter("mdl", runs=4, prior=3).fit(episodes)
    assert list(model.result_["groups"]) == ["mdl"] and model.result_["groups"]["mdl"]["runs"] == 4
    wanted = [np.flatnonzero(one[:-1] == 3).tolist() for one in episodes]
    assert [one.tolist() for one in model.predict(episodes).boundaries] == wanted


def test_one_trajectory_and_mappings(fitted):
    actions, labels = motion(2, seed=2)
    assert fitted.predict(actions[0]).boundaries[0].tolist() == ends(labels)[0]
    seen = [{"actions": one, "observations": np.cumsum(one, 0)} for one in motion(20)[0]]
    model = slottar.VoteSegmenter(runs=6).fit(seen)
    assert len(model.predict(seen)) == 20
    with pytest.raises(ValueError, match="observations of 0 numbers"):
        model.predict(actions)


def test_result(fitted):
    result = fitted.result_
    assert result["chosen"] == "switching" and result["told"] == "nothing"
    assert list(result["groups"]) == ["switching"]
    group = result["groups"]["switching"]
    assert group["runs"] == 8 and group["trust"] == fitted.trust_.trust
    assert abs(group["segments"] - 3) < 0.05
    assert sum(answer["runs"] for answer in group["answers"]) <= 8


def test_score(fitted):
    actions, labels = motion(10, seed=1)
    assert fitted.score(actions, labels) == 1
    assert fitted.scores(actions, labels)["told"] == "nothing"
    assert slottar.VoteSegmenter(runs=6).fit_predict(actions).numbers.tolist() == [3] * 10
    with pytest.raises(ValueError, match="needs labels"):
        fitted.score(actions, metric="f1")
    with pytest.raises(ValueError, match="no score 'loss'"):
        fitted.score(actions, labels, metric="loss")


def test_discrete_arrays():
    actions, labels = letters()
    model = slottar.VoteSegmenter(kind="phases", runs=16).fit(actions)
    assert list(model.result_["groups"]) == ["phases"]
    assert model.score(actions, labels) == 1
    auto = slottar.VoteSegmenter(runs=4)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", slottar.DoubtWarning)
        auto.fit(actions)
    assert set(auto.result_["groups"]) == {"events", "phases"}


def test_doubt():
    """Noise has no segments that runs agree on."""
    draw = np.random.default_rng(0)
    noise = [draw.normal(size=(40, 2)) for _ in range(20)]
    with pytest.warns(slottar.DoubtWarning, match="doubtful"):
        model = slottar.VoteSegmenter(runs=6).fit(noise)
    assert model.trust_.doubtful and model.trust_.warnings
    with pytest.warns(slottar.DoubtWarning):
        model.predict(noise)


def test_number_of_runs():
    """By default more where other runs would change boundaries; else as many as are asked for."""
    draw = np.random.default_rng(0)
    noise = [draw.integers(4, size=20) for _ in range(12)]
    with pytest.warns(slottar.DoubtWarning):
        models = [slottar.VoteSegmenter("phases", runs=n).fit(noise) for n in (None, 60)]
    assert [model.result_["groups"]["phases"]["runs"] for model in models] == [120, 60]
    assert slottar.VoteSegmenter().fit(motion()[0]).result_["groups"]["switching"]["runs"] == 60


def test_random_state():
    actions, _ = motion(20)
    models = [slottar.VoteSegmenter(runs=4, random_state=seed).fit(actions) for seed in (1, 1, 2)]
    first, again, other = [open(model.checkpoint_, "rb").read() for model in models]
    assert first == again != other


def test_told():
    actions, _ = motion(20)
    for prior, told in ((3, "3"), ((2, 4), "2..4"), ("~3", "~3"), ([0, 0, 1.0], "0,0,1.0")):
        model = slottar.VoteSegmenter(runs=4, prior=prior).fit(actions)
        assert model.result_["told"] == told
        assert set(model.predict(actions).numbers.tolist()) == {3}


def test_same_as_the_command(fitted, command, tmp_path):
    data = slottar.from_arrays(motion()[0], path=tmp_path / "moves.safetensors")
    words = [command, "segment", data.path, "--runs", "8", "--run", tmp_path / "run", "-q"]
    lines = subprocess.run(words, check=True, capture_output=True).stdout.splitlines()
    said = [json.loads(line) for line in lines]
    found = fitted.predict(data)
    assert [one["boundaries"] for one in said] == [one.tolist() for one in found.boundaries]
    assert [one["types"] for one in said] == [one.tolist() for one in found.types]
    assert said[0]["trust"]["trust"] == round(fitted.trust_.trust, 4)
    loaded = slottar.load_model(tmp_path / "run")
    assert isinstance(loaded, slottar.VoteSegmenter) and loaded.runs == 8
    assert loaded.result_ == fitted.result_


def test_files(fitted, tmp_path):
    actions, _ = motion(5, seed=3)
    path = fitted.save(tmp_path / "members.safetensors")
    wanted = [one.tolist() for one in fitted.predict(actions).boundaries]
    copies = (
        slottar.load_model(path),
        slottar.VoteSegmenter.load(path),
        pickle.loads(pickle.dumps(fitted)),
    )
    for copy in copies:
        assert [one.tolist() for one in copy.predict(actions).boundaries] == wanted
        assert copy.get_params() == fitted.get_params()
    with pytest.raises(ValueError, match="holds vote"):
        slottar.MDLSegmenter.load(path)
    with pytest.raises(FileExistsError):
        fitted.save(path)


def test_pandas(fitted):
    pytest.importorskip("pandas")
    table = fitted.predict(motion(4)[0]).to_pandas()
    assert len(table) == 12 and table.groupby("segment")["type"].nunique().tolist() == [1, 1, 1]


def test_callbacks_and_time():
    actions, _ = motion(20)
    heard = []
    slottar.VoteSegmenter(runs=6).fit(actions, callbacks=[heard.append])
    assert {report.stage for report in heard} == {"switching"} and heard[-1].done == 6
    early = slottar.VoteSegmenter(runs=1000)
    early.fit(actions, callbacks=[lambda report: report.done >= 8])
    assert 4 <= early.result_["groups"]["switching"]["runs"] < 1000
    short = slottar.VoteSegmenter(runs=1000, seconds=0.2).fit(actions)
    assert 4 <= short.result_["groups"]["switching"]["runs"] < 1000


def test_ctrl_c_keeps_what_there_is():
    actions, _ = motion(20)
    model = slottar.VoteSegmenter(runs=1000)

    def interrupt(report):
        if report.done >= 8:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        model.fit(actions, callbacks=[interrupt])
    assert set(model.predict(actions).numbers.tolist()) == {3}


def test_errors():
    actions, _ = motion(6)
    with pytest.raises(ValueError, match="not fitted"):
        slottar.VoteSegmenter().predict(actions)
    with pytest.raises(ValueError, match="kind is 'nonsense'"):
        slottar.VoteSegmenter(kind="nonsense").fit(actions)
    with pytest.raises(ValueError, match="kind=events is for discrete actions"):
        slottar.VoteSegmenter(kind="events").fit(actions)
    for runs in (3, 1001):
        with pytest.raises(ValueError, match="runs is"):
            slottar.VoteSegmenter(runs=runs).fit(actions)
    with pytest.raises(ValueError, match="a range"):
        slottar.VoteSegmenter(prior="many").fit(actions)
    with pytest.raises(ValueError, match="seconds"):
        slottar.VoteSegmenter(seconds=-1).fit(actions)
    with pytest.raises(ValueError, match="never change"):
        slottar.VoteSegmenter().fit([np.ones((10, 2))] * 4)
    with pytest.raises(ValueError, match="no slots"):
        slottar.VoteSegmenter(runs=4).fit(actions).transform(actions)
    with pytest.raises(ValueError, match="does not say what it was trained on; name a data set"):
        slottar.VoteSegmenter(runs=4).fit(actions).report("page.html")


def test_no_warm_start():
    with pytest.raises(TypeError, match="has no warm_start: a vote is learned anew; .* more runs"):
        slottar.VoteSegmenter(warm_start=True)


def test_failed_fit_keeps_what_was_learnt():
    actions, _ = motion(10)
    model = slottar.VoteSegmenter(runs=4).fit(actions)
    with pytest.raises(ValueError):
        model.fit([np.ones((10, 2))] * 4)
    assert len(model.predict(actions)) == 10


def test_pictures(fitted):
    """The boundaries are the places at and above the line."""
    for one in fitted.predict(motion(5, seed=1)[0], pictures=True):
        assert np.flatnonzero(one.vote.heights >= one.vote.line).tolist() == one.boundaries.tolist()
        assert one.vote.heights.shape == one.ids.shape and 0 < one.vote.line <= 1
        assert len(one.vote.answers) == len(fitted.result_["groups"]["switching"]["answers"])
        assert all(answer.tolist() == one.boundaries.tolist() for answer in one.vote.answers[:1])
    assert fitted.predict(motion(1)[0])[0].vote is None


def test_agreement(fitted):
    matrix = fitted.agreement_
    assert matrix.shape == (8, 8) and np.all(np.diag(matrix) == 1) and np.allclose(matrix, matrix.T)
    group = fitted.result_["groups"]["switching"]
    off = (matrix.sum() - 8) / 56
    assert abs(off - group["agreement"]) < 1e-6


def test_groups_and_answers():
    actions, _ = letters()
    model = slottar.VoteSegmenter(runs=8)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", slottar.DoubtWarning)
        model.fit(actions)
        result = model.result_
        plain = [one.tolist() for one in model.predict(actions).boundaries]
        by_group = {
            name: [one.tolist() for one in model.predict(actions, group=name).boundaries]
            for name in ("events", "phases")
        }
        assert by_group[result["chosen"]] == plain and by_group["events"] != by_group["phases"]
        assert model.result_ == result  # a group is taken for one call
        first = result["groups"]["phases"]["answers"][0]
        assert first["words"].endswith("boundaries per episode") or "ends after" in first["words"]
        assert len(model.predict(actions, group="phases", answer=1)) == len(actions)
        with pytest.raises(ValueError, match="no group 'switching' voted"):
            model.predict(actions, group="switching")
        with pytest.raises(ValueError, match="answer"):
            model.predict(actions, answer=4)


def test_progress(capsys):
    actions, heard = motion()[0], []
    slottar.VoteSegmenter(runs=6).fit(actions, callbacks=[heard.append])
    news = [one.news for one in heard if one.news]
    assert [one.split(":")[0] for one in news] == ["4 runs", "6 runs"]
    assert all("trust 0." in one or "trust 1." in one for one in news)
    assert all(one.endswith("boundaries per episode") for one in news)
    slottar.VoteSegmenter(runs=6).fit(actions)
    assert capsys.readouterr().err == ""
    slottar.VoteSegmenter(runs=6, progress=True).fit(actions)
    assert "6 runs: trust" in capsys.readouterr().err


def test_report(fitted, tmp_path):
    data = slottar.from_arrays(motion()[0], path=tmp_path / "moves.safetensors")
    found = fitted.predict(data)
    made = found.report(tmp_path / "page.html", figures=tmp_path / "figures")
    assert made["trajectories"] == 30
    page = (tmp_path / "page.html").read_text(encoding="utf-8")
    assert "The vote, told" in page and 'data-figure="agreement"' in page
    assert (tmp_path / "figures" / "episode.svg").exists()


def test_one_answer_in_a_notebook(fitted):
    one = fitted.predict(motion(1, seed=3)[0])[0]
    page = one._repr_html_()
    assert page.count("<tr>") == one.number == 3
    for span, kind in zip(one.spans, one.types):
        assert f"type {kind}" in page and f"steps {span.start} to {span.stop - 1}" in page
    assert page.count("confidence") == 2
    alone = slottar.Segmentation._from_ids(0, np.array([0, 0, 1]))  # of a baseline
    assert "confidence" not in alone._repr_html_() and "type" not in alone._repr_html_()
    pytest.importorskip("matplotlib").use("agg")
    pyplot = pytest.importorskip("matplotlib.pyplot")
    drawn = [round(bar.get_width()) for bar in one.plot().patches]
    assert drawn == [span.stop - span.start for span in one.spans]
    pyplot.close("all")


def test_plot(fitted, tmp_path):
    pytest.importorskip("matplotlib").use("agg")
    pyplot = pytest.importorskip("matplotlib.pyplot")
    actions, labels = motion(3, seed=1)
    data = slottar.from_arrays(actions, segments=labels, path=tmp_path / "m.safetensors")
    axes = fitted.predict(data, pictures=True).plot(limit=2)
    assert axes.shape == (2, 2)
    lines, vote = axes[0]
    assert len(lines.patches) == 3 and len(lines.lines) == 2 and lines.get_title() == "episode 0"
    assert len(vote.patches) >= 2 and vote.get_ylabel() == "vote"
    assert fitted.predict(data).plot(limit=1).shape == (1, 1)
    pyplot.close("all")
