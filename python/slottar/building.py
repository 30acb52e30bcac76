"""Data sets from arrays and from episodes.

SPDX-License-Identifier: MIT
Copyright (c) 2026 the slottar authors
"""
from __future__ import annotations

import ctypes
import os
from typing import Any, Dict, Iterable, List, Mapping, Optional, Sequence

import numpy as np

from . import _declarations as c
from ._arrays import address, integers, plain, reals
from ._library import PathLike, check, lib, needed, path_bytes, texts, to_bytes, whole
from ._work import Context
from .data import Dataset, Episode, TemporaryFolder, split_number

_COLUMNS = ("rewards", "segments", "finals", "splits", "terminated", "truncated", "seeds", "tasks")


def from_arrays(actions: Any, observations: Any = None, *, lengths: Optional[Sequence[int]] = None,
                rewards: Any = None, segments: Any = None, final_observations: Any = None,
                splits: Optional[Sequence[Any]] = None, terminated: Optional[Sequence[bool]] = None,
                truncated: Optional[Sequence[bool]] = None, seeds: Optional[Sequence[int]] = None,
                tasks: Optional[Sequence[int]] = None, action_count: Optional[int] = None,
                action_names: Optional[Sequence[str]] = None, environment: Optional[str] = None,
                expert: Optional[str] = None, observation_meaning: Optional[str] = None,
                metadata: Optional[Mapping[str, str]] = None, path: Optional[PathLike] = None) -> Dataset:
    """A data set from NumPy arrays.

    ``actions`` (and ``observations``, ``rewards``, ``segments``) hold one array per episode, or with
    ``lengths`` the steps of all episodes behind one another. Whole numbers are discrete actions, [steps,
    size] floats are continuous ones. Observations of bytes and truth values are kept as bytes, others as
    32-bit floats. The rest has one value per episode; ``splits`` are names or 0, 1, 2. Without ``path`` the
    file is temporary and goes with the data set.
    """
    if actions is None:
        raise TypeError("there are no actions")
    per_step = {"actions": actions, "observations": observations, "rewards": rewards, "segments": segments}
    columns = {name: _cut(values, lengths, name) for name, values in per_step.items() if values is not None}
    per_episode = {"final_observation": final_observations, "split": splits, "terminated": terminated,
                   "truncated": truncated, "seed": seeds, "task": tasks}
    columns.update({name: _cut(values, None, name) for name, values in per_episode.items() if values is not None})
    count = len(columns["actions"])
    for name, values in columns.items():
        if len(values) != count:
            raise ValueError(f"{name}: {len(values)} for {count} episodes")
    about = dict(action_count=action_count, action_names=action_names, environment=environment,
                 expert=expert, observation_meaning=observation_meaning)
    episodes = ({name: values[i] for name, values in columns.items()} for i in range(count))
    return build(episodes, about, metadata, path)


def _cut(values: Any, lengths: Optional[Sequence[int]], name: str) -> Sequence[Any]:
    """One array per episode."""
    if lengths is None:
        if not hasattr(values, "__len__") or not hasattr(values, "__getitem__") or isinstance(values, (str, bytes, dict)):
            raise TypeError(f"{name}: wants one entry per episode, or lengths=")
        return values
    sizes = integers(lengths, "lengths", np.int64)
    flat = plain(values, name)
    if sizes.ndim != 1 or (sizes < 1).any() or flat.ndim < 1 or sizes.sum() != len(flat):
        raise ValueError(f"{name}: lengths make {sizes.sum()} steps, there are {len(np.atleast_1d(flat))}")
    return np.split(flat, np.cumsum(sizes)[:-1])


def from_episodes(episodes: Iterable[Any], path: Optional[PathLike] = None) -> Dataset:
    """A data set from episodes of other data sets, or from mappings with ``actions`` and so on."""
    listed = list(episodes)
    first = listed[0] if listed else None
    about: Dict[str, Any] = {}
    if isinstance(first, Episode):
        source = first._data
        about = dict(action_count=source.action_count, action_names=source.action_names,
                     environment=source.environment, expert=source.expert,
                     bits=source._info.observation_kind == c.SLT_OBSERVATIONS_BITS)
    return build((_columns_of(e) for e in listed), about, None, path)


def _columns_of(episode: Any) -> Dict[str, Any]:
    if isinstance(episode, Mapping):
        return {name: value for name, value in episode.items() if value is not None}
    if not isinstance(episode, Episode):
        return {"actions": episode}
    info = episode._data._info
    out = {name: getattr(episode, name)
           for name in ("actions", "observations", "rewards", "segments", "final_observation")}
    flags = {"split": info.has_splits, "terminated": info.has_terminated, "truncated": info.has_truncated,
             "seed": info.has_seeds, "task": info.has_tasks}
    out.update({name: getattr(episode, name) for name, there in flags.items() if there})
    return {name: value for name, value in out.items() if value is not None}


# ---- one episode at a time

def build(episodes: Iterable[Mapping[str, Any]], about: Mapping[str, Any],
          metadata: Optional[Mapping[str, str]] = None, path: Optional[PathLike] = None) -> Dataset:
    """Writes episodes, given as mappings, and opens the file."""
    if metadata is not None and not isinstance(metadata, Mapping):
        raise TypeError(f"metadata maps texts to texts, it is no {type(metadata).__name__}")
    listed = [_Row(columns, i) for i, columns in enumerate(episodes)]
    if not listed:
        raise ValueError("there is no episode")
    folder = None if path is not None else TemporaryFolder()
    name = path_bytes(folder.file("data.safetensors") if folder else path)
    info, kept = _describe(listed, about)
    context, builder = Context(), ctypes.c_void_p()
    with context.used():
        check(lib.slt_dataset_builder_create(context.pointer, name, info, builder))
        try:
            for key, value in (metadata or {}).items():
                check(lib.slt_dataset_builder_describe(
                    builder, needed(key, "metadata"), needed(value, "metadata")))
            for row in listed:
                check(lib.slt_dataset_builder_add(builder, row.raw(listed[0])))
        except BaseException:
            lib.slt_dataset_builder_destroy(builder)
            raise
        check(lib.slt_dataset_builder_commit(builder))
    del kept
    return Dataset(os.fsdecode(name), folder=folder)


class _Row:
    """An episode's arrays in the library's types."""

    def __init__(self, columns: Mapping[str, Any], index: int) -> None:
        unknown = set(columns) - {"actions", "observations", "rewards", "segments", "final_observation",
                                  "split", "terminated", "truncated", "seed", "task"}
        if unknown or "actions" not in columns:
            raise ValueError(f"episode {index}: " + (f"no such column {sorted(unknown)[0]!r}" if unknown
                                                     else "has no actions"))
        self.index = index
        self.actions = self._actions(columns["actions"])
        self.steps = len(self.actions)
        seen = columns.get("observations")
        self.observations = None if seen is None else self._per_step(observed(seen, self._at("observations")), "observations")
        final = columns.get("final_observation")
        self.final = None if final is None else observed(final, self._at("final_observation"))
        self.rewards = self._optional(columns, "rewards", reals)
        self.segments = self._optional(columns, "segments", integers)
        split = columns.get("split")
        self.split = None if split is None else (
            split_number(split) if isinstance(split, str) else whole(split, "split", 0, c.SLT_SPLITS - 1))
        self.terminated = None if columns.get("terminated") is None else bool(columns["terminated"])
        self.truncated = None if columns.get("truncated") is None else bool(columns["truncated"])
        self.seed = None if columns.get("seed") is None else whole(columns["seed"], "seed", -(2**63), 2**63 - 1)
        self.task = None if columns.get("task") is None else whole(columns["task"], "task", -(2**31), 2**31 - 1)

    def _at(self, name: str) -> str:
        return f"episode {self.index}: {name}"

    def _actions(self, values: Any) -> np.ndarray:
        array = plain(values, self._at("actions"))
        discrete = array.dtype.kind in "iu"
        if array.ndim != (1 if discrete else 2) or not len(array):
            raise ValueError(f"{self._at('actions')} are [steps] whole numbers or [steps, size] floats, not "
                             f"{array.dtype} {list(array.shape)}")
        return integers(array, self._at("actions")) if discrete else reals(array, self._at("actions"))

    def _per_step(self, array: np.ndarray, name: str) -> np.ndarray:
        if array.ndim < 1 or len(array) != self.steps:
            raise ValueError(f"{self._at(name)} are {list(array.shape)}, but there are {self.steps} steps")
        return array

    def _optional(self, columns: Mapping[str, Any], name: str, convert: Any) -> Optional[np.ndarray]:
        values = columns.get(name)
        if values is None:
            return None
        array = self._per_step(convert(values, self._at(name)), name)
        if array.ndim != 1:
            raise ValueError(f"{self._at(name)} are {list(array.shape)}: one number per step is wanted")
        return array

    @property
    def discrete(self) -> bool:
        return self.actions.ndim == 1

    @property
    def shape(self) -> tuple:
        """Of one observation: a single number per step counts as an array of one."""
        return () if self.observations is None else self.observations.shape[1:] or (1,)

    def raw(self, first: "_Row") -> Any:
        """For the library; everything is like in the first episode."""
        if (self.discrete, self.actions.shape[1:]) != (first.discrete, first.actions.shape[1:]):
            raise ValueError(f"{self._at('actions')} are of another kind than those of episode 0")
        if self.shape != first.shape:
            raise ValueError(f"{self._at('observations')} are {list(self.shape)}, those of episode 0 {list(first.shape)}")
        for name in ("rewards", "segments", "final", "split", "terminated", "truncated", "seed", "task"):
            if (getattr(self, name) is None) != (getattr(first, name) is None):
                raise ValueError(f"{self._at(name)}: all episodes have it or none")
        narrow = first.observations is not None and first.observations.dtype == np.uint8
        fields: Dict[str, Any] = {}
        self._kept: List[np.ndarray] = []
        for array, name, target in ((self.observations, "observations", first.observations),
                                    (self.final, "final", first.observations)):
            if array is not None:
                fields[f"{name}_{'u8' if narrow else 'f32'}"] = self._keep(array, target, name)
        if self.final is not None and self.final.size != (np.prod(first.shape) if first.shape else 0):
            raise ValueError(f"{self._at('final_observation')} has {self.final.size} numbers, an observation "
                             f"{int(np.prod(first.shape)) if first.shape else 0}")
        return c.slt_episode(
            index=self.index, length=self.steps, rewards=address(self.rewards), segments=address(self.segments),
            split=self.split or 0, terminated=bool(self.terminated), truncated=bool(self.truncated),
            seed=-1 if self.seed is None else self.seed, task=-1 if self.task is None else self.task,
            **{"actions_i32" if self.discrete else "actions_f32": address(self.actions)}, **fields)

    def _keep(self, array: np.ndarray, like: np.ndarray, name: str) -> int:
        if like is None:
            raise ValueError(f"{self._at(name)}: there are no observations")
        if array.dtype != like.dtype and like.dtype == np.uint8:
            raise ValueError(f"{self._at(name)} are floats, those of episode 0 bytes")
        self._kept.append(np.ascontiguousarray(array, dtype=like.dtype))
        return address(self._kept[-1])


def observed(values: Any, what: str) -> np.ndarray:
    """Bytes and truth values stay bytes, the rest becomes floats."""
    array = plain(values, what)
    if array.dtype in (np.uint8, np.bool_):
        return np.ascontiguousarray(array).view(np.uint8)
    return reals(array, what)


def _describe(rows: List[_Row], about: Mapping[str, Any]) -> Any:
    """The description of the whole set, and what must live as long."""
    first = rows[0]
    info = c.slt_dataset_info()
    if first.discrete:
        largest = max(int(row.actions.max()) if row.discrete else 0 for row in rows) + 1
        names = about.get("action_names")
        given = about.get("action_count") or (len(names) if names is not None else None)
        info.action_count = whole(max(largest, 1) if given is None else given, "action_count", 1, 2**31 - 1)
        if names is not None and len(names) != info.action_count:
            raise ValueError(f"{len(names)} action names for {info.action_count} actions")
    else:
        info.action_kind, info.action_size = c.SLT_ACTIONS_CONTINUOUS, first.actions.shape[1]
        names = None
    kept = texts(names, "an action name") if names is not None else None
    if kept is not None:
        info.action_names = ctypes.cast(kept, type(info.action_names))
    if first.observations is not None:
        if len(first.shape) > c.SLT_OBSERVATION_RANK:
            raise ValueError(f"observations have {len(first.shape)} dimensions, {c.SLT_OBSERVATION_RANK} is the most")
        narrow = first.observations.dtype == np.uint8
        info.observation_kind = c.SLT_OBSERVATIONS_U8 if narrow else c.SLT_OBSERVATIONS_F32
        if about.get("bits") and narrow:
            info.observation_kind = c.SLT_OBSERVATIONS_BITS
        info.observation_rank = len(first.shape)
        for i, size in enumerate(first.shape):
            info.observation_shape[i] = size
        info.observation_size = int(np.prod(first.shape, dtype=np.int64))
    for name, value in zip(_COLUMNS, (first.rewards, first.segments, first.final, first.split, first.terminated,
                                      first.truncated, first.seed, first.task)):
        setattr(info, f"has_{name}", value is not None)
    for name in ("environment", "expert", "observation_meaning"):
        setattr(info, name, to_bytes(about.get(name), name))
    return info, kept
