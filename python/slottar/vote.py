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

from . import _declarations as c
from ._library import lib, needed, path_bytes, text, whole
from ._work import SEED_MOST, Context, Handle, Watcher, both
from .data import TemporaryFolder
from .estimator import Estimator, as_dataset, signature
from .models import Model, all_of, setting
from .scores import SCORES

_KINDS = ("auto", "events", "phases")
_DEFAULTS = {
    "kind": "auto",
    "runs": 60,
    "prior": None,
    "min_length": None,
    "seconds": None,
    "random_state": 0,
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
    """

    _name = "vote"
    _checkpoint = "members.safetensors"
    _signature = signature(_DEFAULTS)

    def __init__(
        self,
        kind: str = "auto",
        runs: int = 60,
        prior: Any = None,
        min_length: Optional[int] = None,
        seconds: Optional[float] = None,
        random_state: int = 0,
    ) -> None:
        Estimator.__init__(
            self,
            kind=kind,
            runs=runs,
            prior=prior,
            min_length=min_length,
            seconds=seconds,
            random_state=random_state,
        )

    def fit(
        self, X: Any, y: Any = None, callbacks: Optional[Iterable[Watcher]] = None
    ) -> "VoteSegmenter":
        """Learns from a data set (or its path, episodes, or an array of actions per trajectory):
        from its training split, or from all episodes where there are no splits.

        ``y`` is not looked at. ``callbacks`` are called with a :class:`slottar.Progress`; one that
        returns True ends it, and so does Ctrl-C, which is then raised: the runs that ended by then
        vote, if there are at least four in every group.
        """
        data, options, heard = as_dataset(X), self._options_of(), list(callbacks or [])
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

    @property
    def result_(self) -> Dict[str, Any]:  # type: ignore[override]
        """What the vote says of itself: the group that was ``chosen``, what it was ``told``, and
        ``groups`` by name, each with its runs, trust and answers."""
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
            {name: getattr(raw.answers[i], name) for name in ("runs", "segments", "agreement")}
            for i in range(raw.answer_count)
        ],
    }
