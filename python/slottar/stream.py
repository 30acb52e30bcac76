"""Segments while the steps arrive (docs/streaming.md).

    with model.stream(lag=5) as stream:
        event = stream.push(observation, action)       # event.segment, event.boundary
    for event in model.stream(steps):                   # steps: pairs (observation, action)
        ...
    env = slottar.SegmentInfo(env, model)               # a Gymnasium wrapper: info["segment"]

SPDX-License-Identifier: MIT
Copyright (c) 2026 the slottar authors
"""

from __future__ import annotations

import ctypes
import threading
from typing import Any, Iterable, Iterator, List, NamedTuple, Optional, Tuple

import numpy as np

from . import _declarations as c
from ._library import check, lib, whole
from ._work import Handle

_FLOATS = ctypes.POINTER(ctypes.c_float)


class Boundary(NamedTuple):
    """The last step of a segment, final."""

    step: int
    confidence: float
    type: Optional[int]


class Event(NamedTuple):
    """What is known with a step.

    ``probability`` is that of a segment that ended before this step; ``segment`` and ``type`` are
    of the present segment, as it looks now; ``boundary`` has become final with this step, or is
    None; what is said of steps up to ``decided`` is final (-1: nothing yet).
    """

    step: int
    probability: float
    segment: int
    type: Optional[int]
    boundary: Optional[Boundary]
    decided: int


class End(NamedTuple):
    """An episode that is over; ``boundaries`` are those that became final only now."""

    length: int
    segments: int
    type: Optional[int]
    boundaries: List[Boundary]


def _type(number: int) -> Optional[int]:
    return None if number < 0 else number


def _boundary(raw: Any) -> Boundary:
    return Boundary(raw.step, raw.confidence, _type(raw.type))


class Stream:
    """Steps of one episode after the other; made by ``model.stream()``.

    A context manager, which closes it, and an iterator over the events of ``steps`` where they were
    given. A stream is used by one thread at a time (others wait); streams of one model are
    independent of each other.
    """

    def __init__(
        self, model: Handle, steps: Optional[Iterable[Tuple[Any, Any]]], lag: int, endless: bool
    ) -> None:
        options = c.slt_stream_options(lag=whole(lag, "lag", 0, c.SLT_MOST_LAG), endless=endless)
        pointer = ctypes.c_void_p()
        model.context.call(lib.slt_stream_open, model.pointer, options, pointer)
        self._handle: Optional[Handle] = Handle(model.context, pointer, lib.slt_stream_close, model)
        self._pointer = pointer
        self._info = lib.slt_stream_about(pointer).contents
        self._lock = threading.Lock()
        self._event, self._end = c.slt_stream_event(), c.slt_stream_end()
        self._observation = np.zeros(max(1, self._info.observation), np.float32)
        self._action = np.zeros(max(1, self._info.action_size), np.float32)
        self._pointers = [x.ctypes.data_as(_FLOATS) for x in (self._observation, self._action)]
        self._steps = None if steps is None else iter(steps)
        self.end: Optional[End] = None  # of the last episode that is over

    @property
    def lag(self) -> int:
        """Steps until a boundary is final."""
        return int(self._info.lag)

    def _open(self) -> ctypes.c_void_p:
        if self._handle is None:
            raise ValueError("the stream is closed")
        return self._pointer

    def _fill(self, what: str, to: np.ndarray, value: Any, count: int) -> None:
        given = np.asarray(value, np.float32).ravel() if value is not None else np.zeros(0)
        if len(given) != count:
            raise ValueError(f"{what} has {len(given)} numbers, the model takes {count}")
        to[:count] = given

    def push(self, observation: Any, action: Any) -> Event:
        """The next step; a step that does not fit is refused and changes nothing.

        ``observation`` may have any shape, and None where the model takes none."""
        with self._lock:
            pointer, info, event = self._open(), self._info, self._event
            if info.observation:
                self._fill("the observation", self._observation, observation, info.observation)
            if info.action_size:
                self._fill("the action", self._action, action, info.action_size)
                status = lib.slt_stream_push_vector(
                    pointer, self._pointers[0], self._pointers[1], event
                )
            else:
                number = whole(action, "action", -(2**31), 2**31 - 1)
                status = lib.slt_stream_push(pointer, self._pointers[0], number, event)
            check(status)
            final = _boundary(event.boundary) if event.boundary.step >= 0 else None
            return Event(
                event.step,
                event.probability,
                event.segment,
                _type(event.type),
                final,
                event.decided,
            )

    def finish(self) -> End:
        """The episode is over: decides all that is left. The next push begins another."""
        with self._lock:
            check(lib.slt_stream_finish(self._open(), self._end))
            last = self._end
            found = [_boundary(last.boundaries[i]) for i in range(last.boundary_count)]
            self.end = End(last.length, last.segments, _type(last.type), found)
            return self.end

    def close(self) -> None:
        """Frees its memory; more than once is once."""
        with self._lock:
            if self._handle is not None:
                self._handle.close()
            self._handle = None

    def __enter__(self) -> "Stream":
        return self

    def __exit__(self, *problem: Any) -> None:
        self.close()

    def __iter__(self) -> Iterator[Event]:
        return self

    def __next__(self) -> Event:
        """The event of the next of the ``steps``; after the last one the episode is over, and
        ``end`` says what became final with it."""
        if self._steps is None:
            raise TypeError("a stream without steps: model.stream(steps), or push them")
        try:
            observation, action = next(self._steps)
        except StopIteration:
            if self.end is None:
                self.finish()
            raise
        return self.push(observation, action)
