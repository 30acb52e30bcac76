"""Reading LeRobot data sets, version 3.0 (2.1 too), by pyarrow.

SPDX-License-Identifier: MIT
Copyright (c) 2026 the slottar authors
"""

from __future__ import annotations

import os
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any, Dict, List, Optional, Sequence, Tuple

import numpy as np

from ._library import PathLike
from ._work import logger
from .building import build
from .data import SPLITS, Dataset, Patterns
from .errors import error_of
from .lerobot_layout import ACTION, REWARD, SUBTASK, array_of, read_info

_NUMBERS = (
    "float32",
    "float64",
    "float16",
    "int8",
    "int16",
    "int32",
    "int64",
    "uint8",
    "uint16",
    "uint32",
    "bool",
)


def from_lerobot(
    root: PathLike,
    *,
    actions: Patterns = None,
    observations: Patterns = None,
    path: Optional[PathLike] = None,
    overwrite: bool = False,
) -> Dataset:
    """Reads a LeRobot data set from a folder.

    ``actions`` and ``observations`` choose features by patterns, ``"observation.state"`` or a list
    of them, one after the other in the order of the folder; without them ``action``, and all
    numeric features whose name starts with ``observation``. Pictures and videos are left out.
    Labels come from ``subtask_index``; a new segment begins where it changes.
    """
    import pyarrow.parquet as parquet

    folder = Path(os.fspath(root))
    info = read_info(folder)
    features = info["features"]
    acts = _choose(folder, features, actions, "actions", ACTION)
    seen = _choose(folder, features, observations, "observations", "observation*")
    extra = [name for name in (REWARD, SUBTASK, "task_index") if name in features]
    files = sorted((folder / "data").glob("*/*.parquet"))
    if not files:
        raise error_of("IO", f"{folder}: no data/*/*.parquet in it", str(folder / "data"))
    columns = list(dict.fromkeys([*acts, *seen, *extra, "episode_index", "frame_index"]))
    try:
        tables = [parquet.read_table(file, columns=columns) for file in files]
    except Exception as problem:  # pyarrow's many kinds
        raise error_of("FORMAT", f"{folder}: {problem}") from None
    ours = info.get("slottar", {})
    rows = [row for table in tables for row in _episodes(table, features, acts, seen, ours)]
    rows.sort(key=lambda row: row[0])
    splits = _splits(info, len(rows))
    episodes = [
        {**row, **({} if splits is None else {"split": splits[i]})}
        for i, (_, row) in enumerate(rows)
    ]
    about = {
        key: ours.get(key)
        for key in ("action_count", "action_names", "environment", "expert")
        if acts == [ACTION] or not key.startswith("action")
    }
    if about.get("action_names") is None and episodes and np.ndim(episodes[0]["actions"]) == 2:
        about["action_names"] = _names(features, acts)
    about["observation_names"] = _names(features, seen) if seen else None
    data = build(episodes, about, None, path, overwrite)
    data._origin = str(folder)
    return data


def _choose(
    folder: Path, features: Dict[str, Any], patterns: Patterns, what: str, usual: str
) -> List[str]:
    """Numeric features that match; by default no pictures."""
    words = usual if patterns is None else patterns
    listed = words.split(",") if isinstance(words, str) else list(words)
    found = [
        name
        for name, feature in features.items()
        if feature["dtype"] in _NUMBERS and any(fnmatchcase(name, one) for one in listed)
    ]
    if patterns is None:
        pictures = [name for name in found if _is_picture(features[name])]
        found = [name for name in found if name not in pictures]
        if pictures:
            logger.info("%s: left out the pictures %s", folder, ", ".join(pictures))
    missing = [one for one in listed if one and not any(fnmatchcase(n, one) for n in found)]
    if (what == "actions" and not found) or (patterns is not None and missing):
        raise error_of(
            "FORMAT",
            f"{folder}: no numeric feature matches {what}={','.join(missing or listed)!r}; "
            f"there are {', '.join(features)}",
        )
    return found


def _is_picture(feature: Dict[str, Any]) -> bool:
    """As for HDF5: two or more dimensions and 16 x 16 numbers."""
    shape = feature.get("shape") or []
    return len(shape) > 1 and int(np.prod(shape)) >= 16 * 16


def _names(features: Dict[str, Any], chosen: Sequence[str]) -> Optional[List[str]]:
    """A name for each number; None where there is nothing to say."""
    out: List[str] = []
    for name in chosen:
        given = features[name].get("names")
        if isinstance(given, dict) and len(given) == 1:
            given = next(iter(given.values()))
        size = int(np.prod(features[name].get("shape") or [1]))
        if (
            isinstance(given, list)
            and len(given) == size
            and all(isinstance(n, str) for n in given)
        ):
            out += given
        elif size == 1:
            out.append(name)
        else:
            out += [f"{name}[{i}]" for i in range(size)]
    return [one.replace(",", ";") for one in out]


def _episodes(
    table: Any,
    features: Dict[str, Any],
    acts: Sequence[str],
    seen: Sequence[str],
    ours: Dict[str, Any],
) -> List[Tuple[int, Dict[str, Any]]]:
    """The episodes of one file: number and columns."""
    episode = array_of(table, "episode_index", "int64")
    order = np.lexsort((array_of(table, "frame_index", "int64"), episode))
    columns: Dict[str, np.ndarray] = {
        "actions": _action_column(_joined(table, features, acts)),
    }
    if seen:
        joined = _joined(table, features, seen)
        shape = ours.get("observation_shape")
        if shape and int(np.prod(shape)) != joined[0].size:
            shape = None  # other features than those that were written
        columns["observations"] = joined.reshape(len(joined), *(shape or joined.shape[1:] or (1,)))
    if REWARD in features:
        columns["rewards"] = array_of(table, REWARD, "float32")
    if SUBTASK in features:
        columns["segments"] = array_of(table, SUBTASK, "int64")
    task = array_of(table, "task_index", "int64") if "task_index" in features else None
    out = []
    for number in np.unique(episode):
        at = order[episode[order] == number]
        row: Dict[str, Any] = {name: values[at] for name, values in columns.items()}
        if "segments" in row:
            row["segments"] = _runs(row["segments"], ours.get("unknown_subtask"))
        if task is not None:
            row["task"] = int(task[at[0]])
        out.append((int(number), row))
    return out


def _joined(table: Any, features: Dict[str, Any], names: Sequence[str]) -> np.ndarray:
    """Features one after the other; one alone as it is."""
    parts = [array_of(table, name, features[name]["dtype"]) for name in names]
    if len(parts) == 1:
        return parts[0]
    return np.concatenate([part.reshape(len(part), -1) for part in parts], axis=1)


def _action_column(values: np.ndarray) -> np.ndarray:
    """Whole numbers, one per step, are discrete actions."""
    if values.ndim == 1 and values.dtype.kind in "iu":
        return values
    return values.reshape(len(values), -1).astype(np.float32)


def _runs(labels: np.ndarray, unknown: Optional[int]) -> np.ndarray:
    """Segments in order of time: a new one begins where the sub-task changes; -1 where it is
    unknown."""
    runs = np.zeros(len(labels), np.int32)
    runs[1:] = np.cumsum(labels[1:] != labels[:-1])
    if unknown is not None:
        runs[labels == unknown] = -1
    return runs


def _splits(info: Dict[str, Any], count: int) -> Optional[List[str]]:
    """train, valid and test as ranges "0:90"; None when all is training."""
    out = ["train"] * count
    found = False
    for name, text in (info.get("splits") or {}).items():
        name = {"val": "valid", "validation": "valid"}.get(name, name)
        first, _, last = str(text).partition(":")
        if name in SPLITS[1:] and first.isdigit() and last.isdigit():
            found = True
            for i in range(int(first), min(int(last), count)):
                out[i] = name
    return out if found else None
