"""Data sets from arrays and from episodes.

SPDX-License-Identifier: MIT
Copyright (c) 2026 the slottar authors
"""

from __future__ import annotations

import ctypes
import os
from typing import Any, Iterable, List, Mapping, Optional, Sequence

import numpy as np

from . import _declarations as c
from ._arrays import integers, plain
from ._library import PathLike, check, lib, needed, path_bytes
from ._work import Context
from .data import Dataset, Episode, file_to_write, load
from .outputs import check_output
from .rows import Row, acted, columns_of, describe


def from_arrays(
    actions: Any,
    observations: Any = None,
    *,
    lengths: Optional[Sequence[int]] = None,
    rewards: Any = None,
    segments: Any = None,
    subtasks: Any = None,
    final_observations: Any = None,
    splits: Optional[Sequence[Any]] = None,
    terminated: Optional[Sequence[bool]] = None,
    truncated: Optional[Sequence[bool]] = None,
    seeds: Optional[Sequence[int]] = None,
    tasks: Optional[Sequence[int]] = None,
    action_count: Optional[int] = None,
    action_names: Optional[Sequence[str]] = None,
    observation_names: Optional[Sequence[str]] = None,
    subtask_names: Optional[Sequence[str]] = None,
    environment: Optional[str] = None,
    expert: Optional[str] = None,
    observation_meaning: Optional[str] = None,
    metadata: Optional[Mapping[str, str]] = None,
    path: Optional[PathLike] = None,
    overwrite: bool = False,
) -> Dataset:
    """A data set from NumPy arrays.

    ``actions`` (and ``observations``, ``rewards``, ``segments``, ``subtasks``: which of
    ``subtask_names`` the step's segment completes, -1 for none) hold one array per episode, or
    with ``lengths`` the steps of all episodes one after another. Whole numbers are discrete
    actions, [steps, size] floats are continuous ones. Observations of bytes and truth values are
    kept as bytes, others as 32-bit floats. The rest has one value per episode; ``splits`` are names
    or 0, 1, 2. Without ``path`` the data set is in memory and no file is written; a file that exists
    is kept unless ``overwrite``.
    """
    if actions is None:
        raise TypeError("there are no actions")
    steps = {
        "actions": actions,
        "observations": observations,
        "rewards": rewards,
        "segments": segments,
        "subtasks": subtasks,
    }
    whole_episodes = {
        "final_observation": final_observations,
        "split": splits,
        "terminated": terminated,
        "truncated": truncated,
        "seed": seeds,
        "task": tasks,
    }
    columns = {name: _cut(v, lengths, name) for name, v in steps.items() if v is not None}
    columns.update({n: _cut(v, None, n) for n, v in whole_episodes.items() if v is not None})
    count = len(columns["actions"])
    for name, values in columns.items():
        if len(values) != count:
            raise ValueError(f"{name}: {len(values)} for {count} episodes")
    about = {
        "action_count": action_count,
        "action_names": action_names,
        "observation_names": observation_names,
        "subtask_names": subtask_names,
        "environment": environment,
        "expert": expert,
        "observation_meaning": observation_meaning,
    }
    episodes = [{name: values[i] for name, values in columns.items()} for i in range(count)]
    return build(episodes, about, metadata, path, overwrite)


def _cut(values: Any, lengths: Optional[Sequence[int]], name: str) -> Sequence[Any]:
    """One entry per episode."""
    if lengths is None:
        listed = hasattr(values, "__len__") and hasattr(values, "__getitem__")
        if not listed or isinstance(values, (str, bytes, dict)):
            raise TypeError(f"{name}: expected one entry per episode, or lengths=")
        return values
    sizes = integers(lengths, "lengths", np.int64)
    flat = np.atleast_1d(plain(values, name))
    if sizes.ndim != 1 or (sizes < 1).any() or sizes.sum() != len(flat):
        raise ValueError(f"{name}: lengths make {sizes.sum()} steps, there are {len(flat)}")
    return np.split(flat, np.cumsum(sizes)[:-1])


def write_labels(data: Any, segments: Any, out: PathLike, *, overwrite: bool = False) -> str:
    """A copy of what the data came from, with the segment of every step in it, and where it is.

    ``data`` is a data set or its path, ``segments`` what ``predict`` returned for all episodes, or
    an array of labels per episode. LeRobot gets ``subtask_index``, Minari and D4RL
    ``infos/segment``, robomimic ``segment`` next to the actions, csv a column ``segment``; ``out``
    is a file with the same ending, or a folder with a / at its end. All else is copied as it is.
    """
    data = data if isinstance(data, Dataset) else load(data)
    labels = [np.asarray(getattr(one, "ids", one), np.int32) for one in segments]
    if [len(one) for one in labels] != data.lengths.tolist():
        raise ValueError("segments are not those of all episodes of the data")
    if data._origin is not None:
        from .lerobot import label_lerobot

        return label_lerobot(data, data._origin, labels, out, overwrite)
    all_labels, path = np.ascontiguousarray(np.concatenate(labels)), labels_path(data, out)
    data._handle.context.run(
        lib.slt_dataset_label,
        data._handle.pointer,
        all_labels.ctypes.data,
        path_bytes(out),
        overwrite,
    )
    return path


def labels_path(data: Dataset, out: PathLike) -> str:
    """Where :func:`write_labels` would write."""
    if data._origin is not None:
        return os.fspath(out)
    name, found = path_bytes(out), ctypes.create_string_buffer(4096)
    data._handle.context.call(
        lib.slt_dataset_label_path, data._handle.pointer, name, found, len(found)
    )
    return os.fsdecode(found.value)


def from_episodes(
    episodes: Iterable[Any], path: Optional[PathLike] = None, *, overwrite: bool = False
) -> Dataset:
    """A data set from episodes of other data sets, or from mappings with ``actions`` and so on."""
    listed = list(episodes)
    return build(listed, about_of(listed[0]) if listed else {}, None, path, overwrite)


def about_of(episode: Any) -> Mapping[str, Any]:
    """What the data set of an episode says about itself."""
    if not isinstance(episode, Episode):
        return {}
    source = episode._data
    return {
        "action_count": source.action_count,
        "action_names": source.action_names,
        "observation_names": source.observation_names,
        "subtask_names": source.subtask_names,
        "environment": source.environment,
        "expert": source.expert,
        "bits": source._info.observation_kind == c.SLT_OBSERVATIONS_BITS,
    }


def build(
    episodes: Sequence[Any],
    about: Mapping[str, Any],
    metadata: Optional[Mapping[str, str]] = None,
    path: Optional[PathLike] = None,
    overwrite: bool = False,
) -> Dataset:
    """Episodes in memory, or written to a file, converted one at a time."""
    if metadata is not None and not isinstance(metadata, Mapping):
        raise TypeError(f"metadata maps texts to texts, it is no {type(metadata).__name__}")
    if not episodes:
        raise ValueError("there is no episode")
    first = Row(episodes[0], 0)
    info, kept = describe(first, _largest(episodes, first, about), about)
    # places of ones are only kept in files
    if path is None and info.observation_kind != c.SLT_OBSERVATIONS_BITS:
        return _in_memory(episodes, first, info, metadata or {}, kept)
    name, folder = file_to_write(path)
    if path is not None:
        sources = {one._data.path for one in episodes if isinstance(one, Episode)}
        check_output(path, sources, overwrite, folder=name.endswith(b"/"))
    context, builder = Context(), ctypes.c_void_p()
    with context.used():
        check(lib.slt_dataset_builder_create(context.pointer, name, overwrite, info, builder))
        try:
            _fill(builder, episodes, first, metadata or {})
        except BaseException:
            lib.slt_dataset_builder_destroy(builder)
            raise
        check(lib.slt_dataset_builder_commit(builder))
    del kept
    return Dataset(os.fsdecode(name), folder=folder)


# fields of slt_dataset_arrays: the column and its type; None: a type of its own
_FIELDS = {
    "rewards": ("rewards", np.float32),
    "segments": ("segments", np.int32),
    "subtasks": ("subtasks", np.int32),
    "splits": ("split", np.uint8),
    "terminated": ("terminated", np.uint8),
    "truncated": ("truncated", np.uint8),
    "seeds": ("seed", np.int64),
    "tasks": ("task", np.int32),
}


def _in_memory(
    episodes: Sequence[Any], first: Row, info: Any, metadata: Mapping[str, str], kept: Any
) -> Dataset:
    """The columns of all episodes, one after the other."""
    rows = []
    for index, episode in enumerate(episodes):
        rows.append(Row(episode, index))
        rows[-1].fit(first)
    lengths = [len(row.actions) for row in rows]
    arrays = {"offsets": np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)}
    arrays["actions_i32" if first.discrete else "actions_f32"] = np.concatenate(
        [row.actions for row in rows]
    )
    kind = "u8" if first.narrow else "f32"
    for field, name in (("observations", "observations"), ("final", "final_observation")):
        if first.values[name] is not None:
            parts = [row.values[name].reshape(-1, first.size) for row in rows]
            arrays[f"{field}_{kind}"] = np.concatenate(parts)
    for field, (name, dtype) in _FIELDS.items():
        if first.values[name] is not None:
            column = [np.atleast_1d(np.asarray(row.values[name], dtype)) for row in rows]
            arrays[field] = np.concatenate(column)
    words = [
        c.slt_dataset_text(needed(k, "metadata"), needed(v, "metadata"))
        for k, v in metadata.items()
    ]
    listed = (c.slt_dataset_text * max(len(words), 1))(*words)
    raw = c.slt_dataset_arrays(info=info, episodes=len(rows), texts=listed, text_count=len(words))
    for field, array in arrays.items():
        setattr(raw, field, array.ctypes.data)
    del kept  # names are copied
    return Dataset._of_arrays(raw, arrays)


def _fill(builder: Any, episodes: Sequence[Any], first: Row, metadata: Mapping[str, str]) -> None:
    for key, value in metadata.items():
        words = needed(key, "metadata"), needed(value, "metadata")
        check(lib.slt_dataset_builder_describe(builder, *words))
    for index, episode in enumerate(episodes):
        row = Row(episode, index)
        check(lib.slt_dataset_builder_add(builder, row.raw(first)))


def _largest(episodes: Sequence[Any], first: Row, about: Mapping[str, Any]) -> int:
    """The largest action, where nobody said how many there are."""
    if not first.discrete or about.get("action_count") or about.get("action_names") is not None:
        return 0
    found: List[int] = []
    for index, episode in enumerate(episodes):
        actions = acted(columns_of(episode).get("actions", []), f"episode {index}: actions")
        found.append(int(actions.max()) if actions.ndim == 1 else 0)
    return max(found)
