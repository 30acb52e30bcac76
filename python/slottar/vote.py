"""Segments without a model to choose: many small models vote (docs/vote.md).

    model = slottar.VoteSegmenter().fit(episodes)     # a list of [steps, size] arrays, say
    model.predict(episodes).boundaries, model.trust_

SPDX-License-Identifier: MIT
Copyright (c) 2026 the slottar authors
"""

from __future__ import annotations

import ctypes
import os
import warnings
from typing import TYPE_CHECKING, Any, Dict, Literal, Optional

import numpy as np

from . import _declarations as c
from ._arrays import taken
from ._library import lib, needed, path_bytes, text, whole
from ._work import SEED_MOST, Context, Handle, both
from .data import TemporaryFolder
from .errors import CancelledError
from .estimator import as_dataset, with_keywords
from .models import Callbacks, M, Model, all_of, callbacks_of
from .options import VOTE
from .progress import Bar
from .results import Segments
from .scores import SCORES
from .settings import setting

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from . import _keywords as keywords

_KINDS = ("auto", "events", "phases", "windows", "mdl")


@with_keywords(VOTE, positional=1)
class VoteSegmenter(Model):
    """Many small models learn from random halves and vote on where segments end, as in
    ``slottar segment DATA``. It reads no labels and takes discrete and continuous actions.

    >>> model = slottar.VoteSegmenter(prior=(3, 6)).fit(episodes)   # a list of [steps, size] arrays
    >>> segments = model.predict(episodes)
    >>> segments.boundaries[0], segments.types[0], model.trust_
    """

    _name = "vote"
    _checkpoint = "members.safetensors"
    _absent = {"warm_start": "a vote is learned anew; give it more runs"}

    def __init__(
        self,
        kind: Literal["auto", "events", "phases", "windows", "mdl"] = "auto",
        **parameters: Unpack[keywords.VoteSegmenter],
    ) -> None:
        super().__init__(kind=kind, **parameters)

    def fit(self: M, X: Any, y: Any = None, callbacks: Callbacks = None) -> M:
        """Learns from a data set (or its path, episodes, or an array of actions per trajectory):
        from its training split, or from all episodes where there are no splits.

        ``y`` is not looked at. ``callbacks``, a function or several, are called with a
        :class:`slottar.Progress`; one that returns True ends it, and so does Ctrl-C, which is then
        raised: the runs that ended by then vote, in the groups where there are at least four.
        """
        data, options, heard = as_dataset(X), self._options_of(), callbacks_of(callbacks)
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
            except CancelledError:
                pass
            finally:
                if pointer.value:
                    self._keep(Handle(context, pointer, lib.slt_segmenter_close))
        if not self._fitted():
            warnings.warn("stopped before four runs ended: not fitted", stacklevel=2)
            return self
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
            runs=0 if self.runs is None else whole(self.runs, "runs", 4, 1000),
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
        return Context(self.threads, self.device, watched=watched)

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
        self, X: Any, y: Any = None, *, metric: Optional[str] = None, split: Optional[str] = None
    ) -> float:
        """One number, higher is better: f1, f1_one, align, ari or covering against the labels, or
        confidence, which needs none: the mean over trajectories of how sure the vote is of their
        boundaries, 0 for one without boundaries. It says how far the runs agree, not whether they
        are right.

        None: f1 where there are labels, else confidence; so cross_val_score works without labels.
        """
        names = (*SCORES, "confidence")
        if metric is not None and metric not in names:
            raise ValueError(f"no score {metric!r}: {', '.join(names)}")
        data = as_dataset(X, y)
        if metric is None:
            metric = "f1" if data.labelled else "confidence"
        if metric == "confidence":
            sure = [one.confidence for one in self.predict(data, split=split)]
            return float(np.mean([one.mean() if len(one) else 0.0 for one in sure]))
        found = self.scores(data, split=split)[metric]
        if found is None:
            raise ValueError(
                f'{metric} needs labels, and the data has none; metric="confidence" does not'
            )
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
    names = ("runs", "trust", "expected", "equal", "support", "certainty", "agreement", "segments")
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
