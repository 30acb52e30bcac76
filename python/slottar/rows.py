"""One episode on its way into the library: columns checked and turned into its types.

SPDX-License-Identifier: MIT
Copyright (c) 2026 the slottar authors
"""

from __future__ import annotations

import ctypes
from typing import Any, Callable, Dict, Mapping, Optional, Tuple

import numpy as np

from . import _declarations as c
from ._arrays import address, integers, plain, reals
from ._library import texts, to_bytes, whole
from .data import Episode, split_number
from .frames import columns_of_frame, is_frame


def observed(values: Any, what: str) -> np.ndarray:
    """Bytes and truth values stay bytes, the rest becomes floats."""
    array = plain(values, what)
    if array.dtype in (np.uint8, np.bool_):
        return np.ascontiguousarray(array).view(np.uint8)
    return reals(array, what)


def acted(values: Any, what: str) -> np.ndarray:
    """[steps] whole numbers or [steps, size] floats; [steps] floats are of size 1."""
    array = plain(values, what)
    if array.ndim == 1 and array.dtype.kind == "f":
        array = array[:, None]
    discrete = array.dtype.kind in "iu"
    if array.ndim != (1 if discrete else 2) or not len(array):
        raise ValueError(
            f"{what} are [steps] whole numbers or [steps, size] floats, not "
            f"{array.dtype} {list(array.shape)}"
        )
    return integers(array, what) if discrete else reals(array, what)


def split_of(value: Any, what: str) -> int:
    """A split by its name or number."""
    return split_number(value) if isinstance(value, str) else whole(value, what, 0, 2)


def number(bits: int) -> Callable[[Any, str], int]:
    """Whole numbers that fit."""
    return lambda value, what: whole(value, what, -(2 ** (bits - 1)), 2 ** (bits - 1) - 1)


# columns of an episode: how values are read, and the field of slt_dataset_info that announces them
COLUMNS: Dict[str, Tuple[Callable[[Any, str], Any], Optional[str]]] = {
    "actions": (acted, None),
    "observations": (observed, None),
    "rewards": (reals, "has_rewards"),
    "segments": (integers, "has_segments"),
    "subtasks": (integers, "has_subtasks"),
    "final_observation": (observed, "has_finals"),
    "split": (split_of, "has_splits"),
    "terminated": (lambda value, _: bool(value), "has_terminated"),
    "truncated": (lambda value, _: bool(value), "has_truncated"),
    "seed": (number(64), "has_seeds"),
    "task": (number(32), "has_tasks"),
}
_PER_STEP = ("observations", "rewards", "segments", "subtasks")


def columns_of(episode: Any) -> Dict[str, Any]:
    """An episode of a data set, a mapping, a DataFrame, or actions alone, as columns."""
    if is_frame(episode):
        return columns_of_frame(episode)
    if isinstance(episode, Mapping):
        return {name: value for name, value in episode.items() if value is not None}
    if not isinstance(episode, Episode):
        return {"actions": episode}
    info = episode._data._info
    there = (name for name, (_, flag) in COLUMNS.items() if flag is None or getattr(info, flag))
    out = {name: getattr(episode, name) for name in there}
    return {name: value for name, value in out.items() if value is not None}


class Row:
    """An episode's columns in the library's types; what is missing is None."""

    def __init__(self, episode: Any, index: int) -> None:
        columns = columns_of(episode)
        self.index = index
        for name in columns:
            if name not in COLUMNS:
                raise ValueError(f"episode {index}: no such column {name!r}")
        if "actions" not in columns:
            raise ValueError(f"episode {index}: has no actions")
        self.values: Dict[str, Any] = {
            name: read(columns[name], self.at(name)) if name in columns else None
            for name, (read, _) in COLUMNS.items()
        }
        self.actions: np.ndarray = self.values["actions"]
        self._check_steps()

    def at(self, name: str) -> str:
        return f"episode {self.index}: {name}"

    def _check_steps(self) -> None:
        for name in _PER_STEP:
            array, steps = self.values[name], len(self.actions)
            if array is None:
                continue
            if array.ndim < 1 or len(array) != steps:
                raise ValueError(
                    f"{self.at(name)} are {list(array.shape)}, but there are {steps} steps"
                )
            if array.ndim > 1 and name != "observations":
                raise ValueError(f"{self.at(name)} are {list(array.shape)}, not one per step")

    @property
    def discrete(self) -> bool:
        return self.actions.ndim == 1

    @property
    def shape(self) -> Tuple[int, ...]:
        """Of one observation: a single number per step counts as an array of one."""
        seen = self.values["observations"]
        return () if seen is None else seen.shape[1:] or (1,)

    @property
    def size(self) -> int:
        """Numbers of one observation."""
        return int(np.prod(self.shape, dtype=np.int64)) if self.shape else 0

    @property
    def narrow(self) -> bool:
        """Observations are bytes."""
        return self.values["observations"] is not None and (
            self.values["observations"].dtype == np.uint8
        )

    # ---- for the library

    def fit(self, first: "Row") -> None:
        """Everything is as in the first episode, or an exception says what is not."""
        if (self.discrete, self.actions.shape[1:]) != (first.discrete, first.actions.shape[1:]):
            raise ValueError(f"{self.at('actions')} are of another kind than those of episode 0")
        if self.shape != first.shape:
            raise ValueError(
                f"{self.at('observations')} are {list(self.shape)}, "
                f"those of episode 0 {list(first.shape)}"
            )
        for name, value in self.values.items():
            if (value is None) != (first.values[name] is None):
                raise ValueError(f"{self.at(name)}: all episodes have it or none")
        for name in ("observations", "final_observation"):
            array = self.values[name]
            if array is None:
                continue
            if array.dtype != np.uint8 and first.narrow:
                raise ValueError(f"{self.at(name)} are floats, observations of episode 0 bytes")
            dtype = np.uint8 if first.narrow else np.float32
            self.values[name] = np.ascontiguousarray(array, dtype=dtype)
        final = self.values["final_observation"]
        if final is not None and final.size != first.size:
            raise ValueError(
                f"{self.at('final_observation')} has {final.size} numbers, "
                f"an observation {first.size}"
            )

    def raw(self, first: "Row") -> Any:
        """The library's episode; it looks into this row's arrays."""
        self.fit(first)
        v = self.values
        kind = "u8" if first.narrow else "f32"
        return c.slt_episode(
            index=self.index,
            length=len(self.actions),
            rewards=address(v["rewards"]),
            segments=address(v["segments"]),
            subtasks=address(v["subtasks"]),
            split=v["split"] or 0,
            terminated=bool(v["terminated"]),
            truncated=bool(v["truncated"]),
            seed=-1 if v["seed"] is None else v["seed"],
            task=-1 if v["task"] is None else v["task"],
            **{
                "actions_i32" if self.discrete else "actions_f32": address(self.actions),
                f"observations_{kind}": address(v["observations"]),
                f"final_{kind}": address(v["final_observation"]),
            },
        )


def describe(first: Row, largest: int, about: Mapping[str, Any]) -> Tuple[Any, Any]:
    """The description of a set that begins with this episode, and the texts that live as long.

    ``largest`` is the largest action of all episodes.
    """
    info = c.slt_dataset_info()
    names = about.get("action_names")
    if first.discrete:
        given = about.get("action_count") or (largest + 1 if names is None else len(names))
        info.action_count = whole(max(given, 1), "action_count", 1, 2**31 - 1)
        if names is not None and len(names) != info.action_count:
            raise ValueError(f"{len(names)} action names for {info.action_count} actions")
    else:
        info.action_kind, info.action_size = c.SLT_ACTIONS_CONTINUOUS, first.actions.shape[1]
        if names is not None and len(names) != info.action_size:
            raise ValueError(f"{len(names)} action names for actions of {info.action_size} numbers")
    seen = about.get("observation_names")
    if seen is not None and len(seen) != first.size:
        raise ValueError(f"{len(seen)} observation names for {first.size} numbers")
    done = about.get("subtask_names") if first.values["subtasks"] is not None else None
    info.subtask_count = 0 if done is None else len(done)
    kept = [
        None if names is None else texts(names, "an action name"),
        None if seen is None else texts(seen, "an observation name"),
        None if done is None else texts(done, "the name of a sub-task"),
    ]
    for field, given in zip(("action_names", "observation_names", "subtask_names"), kept):
        if given is not None:
            setattr(info, field, ctypes.cast(given, type(getattr(info, field))))
    _describe_observations(info, first, bool(about.get("bits")))
    for name, (_, flag) in COLUMNS.items():
        if flag is not None:
            setattr(info, flag, first.values[name] is not None)
    for name in ("environment", "expert", "observation_meaning"):
        setattr(info, name, to_bytes(about.get(name), name))
    return info, kept


def _describe_observations(info: Any, first: Row, bits: bool) -> None:
    rank = len(first.shape)
    if not rank:
        return
    if rank > c.SLT_OBSERVATION_RANK:
        raise ValueError(f"observations of {rank} dimensions, {c.SLT_OBSERVATION_RANK} is the most")
    kinds = (c.SLT_OBSERVATIONS_F32, c.SLT_OBSERVATIONS_U8, c.SLT_OBSERVATIONS_BITS)
    info.observation_kind = kinds[0 if not first.narrow else 2 if bits else 1]
    info.observation_rank = rank
    for i, size in enumerate(first.shape):
        info.observation_shape[i] = size
    info.observation_size = first.size
