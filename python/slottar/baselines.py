"""Rules that need no training of a network: baselines for every model.

SPDX-License-Identifier: MIT
Copyright (c) 2026 the slottar authors
"""

from __future__ import annotations

import ctypes
from typing import TYPE_CHECKING, Any, Dict, List, Optional

import numpy as np

from . import _declarations as c
from ._arrays import address
from ._library import lib, needed, text, whole
from ._work import SEED_MOST, Context
from .data import Dataset
from .errors import UnsupportedError
from .estimator import Estimator, as_dataset, with_keywords, without_targets
from .options import BASELINE
from .results import Segmentation, Segments
from .scores import SCORES, score, sequences

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from . import _keywords as keywords


def baseline_names() -> Dict[str, str]:
    """The rules, each with a sentence."""
    out: Dict[str, str] = {}
    while lib.slt_baseline_name(len(out)):
        out[text(lib.slt_baseline_name(len(out)))] = text(lib.slt_baseline_help(len(out)))
    return out


@with_keywords(BASELINE, positional=1)
class Baseline(Estimator):
    """A rule that needs no training, as an estimator.

    >>> rule = slottar.Baseline("delimiter").fit(data)
    >>> rule.scores(data, split="test")["f1"]
    """

    def __init__(self, rule: str = "uniform", **parameters: Unpack[keywords.Baseline]) -> None:
        super().__init__(rule=rule, **parameters)

    def fit(self, X: Any, y: Any = None) -> "Baseline":
        """Looks at actions, and at the labels' numbers of segments for the prior."""
        data = as_dataset(X, without_targets(y))
        self.actions_ = data.action_count
        self.width_ = None if data.discrete else data[0].actions.shape[1]
        self.train_ = [data[int(i)].actions for i in data.split("train")]
        self.valid_ = [data[int(i)].actions for i in data.split("valid")]
        self.prior_ = self._prior(data)
        return self

    def _prior(self, data: Dataset) -> Optional[np.ndarray]:
        if self.prior is not None:
            return np.ascontiguousarray(self.prior, np.float64)
        if not data.labelled:
            return None
        counts = [segment_count(data[int(i)].segments) for i in data.split("train")]
        return None if not counts else _histogram(counts)

    def _fitted(self) -> bool:
        return "train_" in self.__dict__

    def predict(self, X: Any, *, split: Optional[str] = None) -> Segments:
        """Segments trajectories; ``report_`` keeps what the rule has to say."""
        self._need_fit()
        data = as_dataset(X)
        numbers = np.arange(len(data)) if split is None else data.split(split)
        episodes = [data[int(i)] for i in numbers]
        actions = [episode.actions for episode in episodes]
        ids = [np.empty(len(a), np.int32) for a in actions]
        told = self.tell_counts and data.labelled
        counts = np.array([segment_count(e.segments) for e in episodes], np.int32) if told else None
        self._run(data, actions, ids, counts)
        return Segments(
            [Segmentation._from_ids(int(n), one) for n, one in zip(numbers, ids)], None, data
        )

    def _discrete(self, data: Dataset) -> bool:
        if (data.action_count is None) != (self.actions_ is None):
            raise ValueError("fitted to actions of another kind: discrete against continuous")
        if data.action_count is None and data[0].actions.shape[1] != self.width_:
            got = data[0].actions.shape[1]
            raise ValueError(f"fitted to actions of {self.width_} numbers, not of {got}")
        return data.action_count is not None

    def _run(
        self,
        data: Dataset,
        actions: List[np.ndarray],
        ids: List[np.ndarray],
        counts: Optional[np.ndarray],
    ) -> None:
        parts = {"train": self.train_, "valid": self.valid_, "target": actions}
        discrete = self._discrete(data)
        kept = {name: sequences(_symbols(v, discrete), name) for name, v in parts.items()}
        vectors = {} if discrete else {name: _vectors(parts[name]) for name in ("train", "target")}
        pointers = (ctypes.c_void_p * max(len(ids), 1))(*(one.ctypes.data for one in ids))
        given = c.slt_baseline_input(
            actions=max(self.actions_ or 0, data.action_count or 0) if discrete else 1,
            channels=self.width_ or 0,
            prior=address(self.prior_),
            prior_size=0 if self.prior_ is None else len(self.prior_),
            true_counts=address(counts),
            seed=whole(self.seed, "seed", 0, SEED_MOST),
            **{f"{name}_count": len(values) for name, values in parts.items()},
            **{
                name: ctypes.cast(values[0], ctypes.POINTER(c.slt_sequence))
                for name, values in kept.items()
            },
            **{f"{name}_vectors": one[0] for name, one in vectors.items()},
        )
        report, context = c.slt_baseline_report(), Context()
        context.run(
            lib.slt_baseline_segment,
            context.pointer,
            needed(self.rule, "rule"),
            given,
            pointers,
            report,
        )
        self.report_ = {"note": text(report.note), "prior_count": report.prior_count}
        if report.chosen.count:
            self.report_["symbols"] = list(report.chosen.symbols[: report.chosen.count])

    def score(
        self, X: Any, y: Any = None, *, metric: str = "f1", split: Optional[str] = None
    ) -> float:
        """One score against the labels, which it needs: f1, f1_one, align, ari or covering. A rule
        has no loss that could be a score without labels."""
        if metric not in SCORES:
            raise ValueError(f"no score {metric!r}: {', '.join(SCORES)}")
        return self.scores(X, y, split=split)[metric]

    def scores(self, X: Any, y: Any = None, *, split: Optional[str] = None) -> Dict[str, float]:
        """All scores against the labels; those of ``slottar eval --rule``."""
        data = as_dataset(X, y)
        if not data.labelled:
            raise ValueError(
                "the score of a rule needs labels, and the data has none: a rule has no loss to be scored by"
            )
        found = self.predict(data, split=split)
        return score([data[one.episode].segments for one in found], found.ids)

    def transform(self, X: Any) -> Any:
        raise UnsupportedError("a rule has no slots to transform to")


def segment_count(labels: Optional[np.ndarray]) -> int:
    """Runs of equal labels; 0 without labels."""
    if labels is None:
        return 0
    return 1 + int(np.count_nonzero(labels[1:] != labels[:-1]))


def _histogram(counts: List[int]) -> np.ndarray:
    """The share of each number, added up in the order of the episodes as the library does."""
    out = np.zeros(max(counts) + 1)
    for count in counts:
        out[count] += 1 / len(counts)
    return out


def _symbols(actions: List[np.ndarray], discrete: bool) -> List[np.ndarray]:
    """Discrete actions; one symbol for all of the continuous ones."""
    return [a.astype(np.int32) if discrete else np.zeros(len(a), np.int32) for a in actions]


def _vectors(actions: List[np.ndarray]) -> Any:
    """Pointers to the continuous actions, and the arrays, which must stay alive."""
    kept = [np.ascontiguousarray(a, np.float32) for a in actions]
    rows = (ctypes.c_void_p * max(len(kept), 1))(*(a.ctypes.data for a in kept))
    return ctypes.cast(rows, ctypes.POINTER(ctypes.c_void_p)), rows, kept
