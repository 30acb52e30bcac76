"""Segments without a model to choose: many small models vote (docs/vote.md).

    model = slottar.VoteSegmenter().fit(episodes)     # a list of [steps, size] arrays, say
    model.predict(episodes).boundaries, model.trust_

SPDX-License-Identifier: MIT
Copyright (c) 2026 the slottar authors
"""

from __future__ import annotations

import ctypes
import os
from typing import Any, Dict, Iterable, Optional

import numpy as np

from . import _declarations as c
from ._arrays import taken
from ._library import lib, needed, path_bytes, text, whole
from ._work import SEED_MOST, Context, Handle, Watcher, both
from .data import TemporaryFolder
from .estimator import Estimator, as_dataset, checked_keywords, signature
from .models import Model, all_of, setting
from .progress import Bar
from .results import Segments
from .scores import SCORES

_KINDS = ("auto", "events", "phases")
_DEFAULTS = {
    "kind": "auto",
    "runs": 60,
    "prior": None,
    "min_length": None,
    "seconds": None,
    "random_state": 0,
    "progress": False,
}


class VoteSegmenter(Model):
    """Many small models learn from random halves and vote on where segments end, as in
    ``slottar segment DATA``. It reads no labels and takes discrete and continuous actions.

    Parameters
    ----------
    kind : "auto", "events" or "phases"
        what a segment is: it ends with an event, or it is a stretch of one kind of behaviour; auto:
        what its runs agree on more
    runs : 4 to 1000, default 60
        of every group that votes
    prior : None, 3, (3, 6), "~4.5" or a list of probabilities
        what is known of the number of segments
    min_length : steps of a segment; None: 1 for discrete actions, 3 for continuous ones
    seconds : a bound on the time; None: none
    random_state : a whole number; the same one gives the same segments
    progress : shows a bar while it learns, and how the vote stands as runs arrive
    """

    _name = "vote"
    _checkpoint = "members.safetensors"
    _signature = signature(_DEFAULTS)

    @checked_keywords
    def __init__(
        self,
        kind: str = "auto",
        runs: int = 60,
        prior: Any = None,
        min_length: Optional[int] = None,
        seconds: Optional[float] = None,
        random_state: int = 0,
        progress: bool = False,
    ) -> None:
        Estimator.__init__(
            self,
            kind=kind,
            runs=runs,
            prior=prior,
            min_length=min_length,
            seconds=seconds,
            random_state=random_state,
            progress=progress,
        )

    def fit(
        self, X: Any, y: Any = None, callbacks: Optional[Iterable[Watcher]] = None
    ) -> "VoteSegmenter":
        """Learns from a data set (or its path, episodes, or an array of actions per trajectory):
        from its training split, or from all episodes where there are no splits.

        ``y`` is not looked at. ``callbacks`` are called with a :class:`slottar.Progress`; one that
        returns True ends it, and so does Ctrl-C, which is then raised: the runs that ended by then
        vote, in the groups where there are at least four.
        """
        data, options, heard = as_dataset(X), self._options_of(), list(callbacks or [])
        with Bar(self._name, enabled=bool(self.progress), unit="run") as bar:
            if self.progress:
                heard.append(bar)
            context, pointer = self._context(watched=bool(heard)), ctypes.c_void_p()
            try:
                with both(context, data._handle.context):
                    context._run(
                        lib.slt_segmenter_fit,
                        (context.pointer, data._handle.pointer, options, pointer),
                        all_of(heard),
                        None,
                    )
            finally:
                if pointer.value:
                    self._keep(Handle(context, pointer, lib.slt_segmenter_close))
        self._learn_types(data)
        self.trust_.warn(2)
        return self

    def _options_of(self) -> Any:
        if self.kind not in _KINDS:
            raise ValueError(f"kind is {self.kind!r}, not {', '.join(_KINDS)}")
        seconds = 0.0 if self.seconds is None else float(self.seconds)
        if not 0 <= seconds < float("inf"):
            raise ValueError(f"seconds is {self.seconds!r}, not a time")
        least = 0 if self.min_length is None else whole(self.min_length, "min_length", 1, 65536)
        return c.slt_segmenter_options(
            kind=_KINDS.index(self.kind),
            runs=whole(self.runs, "runs", 4, 1000),
            seconds=seconds,
            seed=self._seed(),
            prior=None if self.prior is None else needed(setting(self.prior), "prior"),
            min_length=least,
        )

    def _keep(self, segmenter: Handle) -> None:
        """The members go to a file, which answers from here on."""
        folder = TemporaryFolder()
        path = os.path.join(folder.path, self._checkpoint)
        segmenter.context.call(lib.slt_segmenter_save, segmenter.pointer, path_bytes(path), False)
        segmenter.close()
        self._adopt(folder.path, folder)

    def _seed(self) -> int:
        return whole(self.random_state, "random_state", 0, SEED_MOST)

    def _context(self, watched: bool = False) -> Context:
        return Context(None, watched=watched)

    def predict(
        self,
        X: Any,
        *,
        split: Optional[str] = None,
        pictures: bool = False,
        min_length: int = 0,
        max_length: int = 0,
        split_by_type: bool = False,
        answer: int = 0,
        group: Optional[str] = None,
    ) -> Segments:
        """Segments trajectories; only those of a split when one is named.

        ``group`` takes another group than the most trusted one, ``answer`` one of the answers that
        its runs agree on, from 1, instead of the vote of all its runs (``result_`` lists both).
        ``pictures`` keeps how the vote came about. ``min_length`` and ``max_length`` bound the
        steps of a segment, as far as possible; 0: no bound. ``split_by_type`` adds boundaries
        after steps whose effect elsewhere ends segments (docs/skills.md).
        """
        handle, name = self._model(), None if group is None else needed(group, "group")
        number = whole(answer, "answer", 0, c.SLT_MOST_ANSWERS)
        handle.context.call(lib.slt_model_take, handle.pointer, name, number)
        try:
            return super().predict(
                X,
                split=split,
                pictures=pictures,
                min_length=min_length,
                max_length=max_length,
                split_by_type=split_by_type,
            )
        finally:
            handle.context.call(lib.slt_model_take, handle.pointer, None, 0)

    @property
    def agreement_(self) -> Optional[np.ndarray]:
        """[runs, runs] how far the runs of the group that answers agree: F1 within one step, above
        chance, on held-out episodes. None: the file of members does not tell."""
        vote = lib.slt_model_vote(self._model().pointer)
        runs, chosen = c.slt_vote_runs(), lib.slt_segmenter_result(vote).contents.chosen
        self._model().context.call(lib.slt_segmenter_runs, vote, chosen, runs)
        return taken(runs.agreement, (runs.count, runs.count), np.float32)

    @property
    def result_(self) -> Dict[str, Any]:  # type: ignore[override]
        """What the vote says of itself: the group that was ``chosen``, what it was ``told``, and
        ``groups`` by name, each with its runs, trust and answers (``words``: what sets them
        apart)."""
        handle = self._model()
        raw = lib.slt_segmenter_result(lib.slt_model_vote(handle.pointer)).contents
        groups = [_group(raw.groups[i]) for i in range(raw.group_count)]
        return {
            "chosen": groups[raw.chosen]["name"],
            "told": text(raw.told),
            "groups": {group.pop("name"): group for group in groups},
        }

    def score(
        self, X: Any, y: Any = None, *, metric: str = "f1", split: Optional[str] = None
    ) -> float:
        """One score against the labels: f1, f1_one, align, ari or covering."""
        if metric not in SCORES:
            raise ValueError(f"no score {metric!r}: {', '.join(SCORES)}")
        found = self.scores(X, y, split=split)[metric]
        if found is None:
            raise ValueError(f"{metric} needs labels, and the data has none")
        return found

    @classmethod
    def _parameters(cls, words: Dict[str, str]) -> Dict[str, Any]:
        """Parameters as the metadata of a file of members has them."""
        pairs = words.get("settings", "").split(" data=")[0].split()
        said = dict(pair.split("=", 1) for pair in pairs if "=" in pair)
        out: Dict[str, Any] = {"kind": said.get("kind", "auto")}
        for name, key in (("runs", "runs"), ("random_state", "seed"), ("min_length", "min_length")):
            if said.get(key, "").isdigit():
                out[name] = int(said[key])
        out["min_length"] = out.get("min_length") or None
        out["prior"] = None if said.get("prior", "nothing") == "nothing" else said["prior"]
        return out


def _group(raw: Any) -> Dict[str, Any]:
    names = ("runs", "trust", "expected", "equal", "support", "agreement", "segments")
    return {
        "name": text(raw.name),
        **{name: getattr(raw, name) for name in names},
        "answers": [
            {
                **{
                    name: getattr(raw.answers[i], name)
                    for name in ("runs", "segments", "agreement")
                },
                "words": text(raw.answers[i].words),
            }
            for i in range(raw.answer_count)
        ],
    }
