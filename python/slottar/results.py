"""What a model says: segments of every trajectory, their boundaries and how sure it is.

SPDX-License-Identifier: MIT
Copyright (c) 2026 the slottar authors
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Dict, Iterator, List, Optional, Sequence, Union, overload

import numpy as np

from ._arrays import taken
from ._extras import extra
from .data import html_table


@dataclass(frozen=True)
class Vote:
    """How a vote came about in one trajectory of T steps."""

    #: [T] weight of the runs with a boundary there; 0 where none has one
    heights: np.ndarray
    #: boundaries begin at this height; 0: the number of segments that was told decides
    line: float
    #: a list of boundaries for each answer that runs agree on
    answers: List[np.ndarray]

    @classmethod
    def _of(cls, raw: Any, T: int) -> "Optional[Vote]":
        if not raw:
            return None
        vote = raw.contents
        ends = taken(vote.answers, (vote.answer_count, T), np.uint8)
        return cls(
            _or_empty(taken(vote.heights, (T,), np.float32), np.float32),
            vote.line,
            [] if ends is None else [np.flatnonzero(row).astype(np.int32) for row in ends],
        )


@dataclass(frozen=True)
class Segmentation:
    """The answer for one trajectory of T steps; K slots, N segments."""

    episode: int
    #: [T] segment of every step, 0, 1, ... in order of time
    ids: np.ndarray
    #: [N-1] last step of every segment but the last
    boundaries: np.ndarray
    #: [N-1] probability of a boundary within one step of it
    confidence: np.ndarray
    #: [K] probability of 1 ... K segments; empty for models without slots
    counts: np.ndarray
    #: the true number of segments, from the labels, was used
    told_count: bool = False
    #: confidence was calibrated against other restarts; else it is what the model itself says
    calibrated: bool = False
    #: [K, T]; None unless pictures were asked for
    masks: Optional[np.ndarray] = None
    #: [T, K], likewise
    attention: Optional[np.ndarray] = None
    #: [K, S] the slots themselves, likewise
    slots: Optional[np.ndarray] = None
    #: [N] a number per segment that means the same in all trajectories, -1 where unknown; None: the
    #: model has none (a checkpoint without its run)
    types: Optional[np.ndarray] = None
    #: how the vote came about; None unless it is one and pictures were asked for
    vote: Optional[Vote] = None

    @classmethod
    def _of(cls, raw: Any) -> "Segmentation":
        """A copy of the library's answer, which is only valid while it is shown."""
        T, N, K = raw.length, raw.boundary_count, raw.slots
        return cls(
            raw.episode,
            taken(raw.ids, (T,), np.int32),
            _or_empty(taken(raw.boundaries, (N,), np.int32), np.int32),
            _or_empty(taken(raw.confidence, (N,), np.float32), np.float32),
            _or_empty(taken(raw.counts, (K,), np.float64), np.float64),
            raw.told_count,
            raw.calibrated,
            taken(raw.masks, (K, T), np.float32),
            taken(raw.attention, (T, K), np.float32),
            taken(raw.slot_vectors, (K, raw.slot_size), np.float32),
            taken(raw.types, (raw.segments,), np.int32),
            Vote._of(raw.vote, T),
        )

    @classmethod
    def _from_ids(cls, episode: int, ids: np.ndarray) -> "Segmentation":
        """Of ids alone: a rule's."""
        changes = np.flatnonzero(ids[1:] != ids[:-1]).astype(np.int32)
        order = np.zeros(len(ids), np.int32)
        order[1:] = np.cumsum(ids[1:] != ids[:-1])
        return cls(episode, order, changes, np.full(len(changes), np.nan, np.float32), np.empty(0))

    def __len__(self) -> int:
        return len(self.ids)

    @property
    def number(self) -> int:
        """Of segments."""
        return len(self.boundaries) + 1

    @property
    def spans(self) -> List[slice]:
        """Every segment as a slice of steps."""
        ends = [0, *(self.boundaries + 1).tolist(), len(self)]
        return [slice(a, b) for a, b in zip(ends[:-1], ends[1:])]

    def plot(self, ax: Any = None) -> Any:
        """Draws the time line (matplotlib): a bar per segment, the fainter, the less sure is the
        boundary after it. ``Segments.plot`` also draws actions and true boundaries."""
        return Segments([self]).plot(ax)

    def _repr_html_(self) -> str:
        types = [None] * self.number if self.types is None else self.types.tolist()
        sure = ["" if np.isnan(one) else f", confidence {one:.2f}" for one in self.confidence]
        rows = [
            (
                f"segment {n}" + ("" if kind is None else f", type {kind}"),
                f"steps {span.start} to {span.stop - 1}{said}",
            )
            for n, (span, kind, said) in enumerate(zip(self.spans, types, [*sure, ""]))
        ]
        return html_table(f"slottar.Segmentation of episode {self.episode}", rows)

    def __repr__(self) -> str:
        cuts = self.boundaries.tolist()
        return f"<slottar.Segmentation of episode {self.episode}: {len(self)} steps, cut at {cuts}>"


class Segments(Sequence[Segmentation]):
    """The answers for many trajectories, in the order of the episodes."""

    def __init__(
        self, answers: Sequence[Segmentation], model: Any = None, data: Any = None
    ) -> None:
        self._answers = list(answers)
        self._model, self._data = model, data

    @overload
    def __getitem__(self, key: int) -> Segmentation: ...
    @overload
    def __getitem__(self, key: slice) -> "Segments": ...

    def __getitem__(self, key: Union[int, slice]) -> Union[Segmentation, "Segments"]:
        if isinstance(key, slice):
            return Segments(self._answers[key], self._model, self._data)
        return self._answers[key]

    def __len__(self) -> int:
        return len(self._answers)

    def __iter__(self) -> Iterator[Segmentation]:
        return iter(self._answers)

    # ---- as arrays

    @property
    def ids(self) -> List[np.ndarray]:
        """Segment of every step, an array per trajectory."""
        return [answer.ids for answer in self]

    @property
    def boundaries(self) -> List[np.ndarray]:
        """Last step of every segment but the last, an array per trajectory."""
        return [answer.boundaries for answer in self]

    @property
    def confidence(self) -> List[np.ndarray]:
        """Of every boundary, an array per trajectory."""
        return [answer.confidence for answer in self]

    @property
    def types(self) -> List[Optional[np.ndarray]]:
        """A number per segment that means the same in all trajectories, an array per trajectory;
        None: the model has none."""
        return [answer.types for answer in self]

    @property
    def numbers(self) -> np.ndarray:
        """Of segments, per trajectory."""
        return np.array([answer.number for answer in self], dtype=np.int64)

    # ---- elsewhere

    def to_pandas(self) -> Any:
        """A row per segment: episode, segment, first, last, length, confidence of the boundary after
        it, and its type where the model has types."""
        pandas = extra("pandas", "to_pandas")

        columns: Dict[str, List[Any]] = {
            name: [] for name in ("episode", "segment", "first", "last", "length", "confidence")
        }
        for answer in self:
            trust = [*answer.confidence.tolist(), float("nan")]
            for n, span in enumerate(answer.spans):
                row = (
                    answer.episode,
                    n,
                    span.start,
                    span.stop - 1,
                    span.stop - span.start,
                    trust[n],
                )
                for column, value in zip(columns.values(), row):
                    column.append(value)
        if len(self) and all(answer.types is not None for answer in self):
            columns["type"] = np.concatenate([answer.types for answer in self]).tolist()
        return pandas.DataFrame(columns)

    def save(self, path: Any, *, overwrite: bool = False) -> str:
        """Writes a copy of what the data came from with these segments in it:
        :func:`slottar.write_labels`."""
        from .building import write_labels

        if self._data is None:
            raise ValueError("these segments belong to no data set")
        return write_labels(self._data, self, path, overwrite=overwrite)

    def plot(self, ax: Any = None, *, limit: int = 20, data: Any = None) -> Any:
        """Draws time lines (matplotlib): a bar per segment, true boundaries as ticks where they are
        known. Without ``ax``, continuous actions are drawn as lines over the segments, with the
        vote below them where ``predict(pictures=True)`` kept it; a pair of axes per trajectory."""
        from .plot import plot_segments

        return plot_segments(self, ax, limit, self._data if data is None else data)

    def report(self, path: Any, **options: Any) -> Dict[str, int]:
        """Writes the HTML report of the model and the data these answers belong to."""
        if self._model is None:
            raise ValueError("a report needs a trained model; a rule has none")
        return self._model.report(path, data=self._data, **options)

    def __repr__(self) -> str:
        spread = np.bincount(self.numbers) if len(self) else np.empty(0, int)
        often = ", ".join(f"{n}: {times}" for n, times in enumerate(spread) if times)
        return f"<slottar.Segments of {len(self)} trajectories; numbers of segments {{{often}}}>"

    def _repr_html_(self) -> str:
        values, times = np.unique(self.numbers, return_counts=True)
        return html_table(
            "slottar.Segments",
            [
                ("trajectories", len(self)),
                *((f"with {value} segments", count) for value, count in zip(values, times)),
            ],
        )


def _or_empty(array: Optional[np.ndarray], dtype: Any) -> np.ndarray:
    return np.empty(0, dtype) if array is None else array
