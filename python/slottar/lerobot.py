"""LeRobot data sets, version 3.0 (2.1 is read too), by pyarrow: segments are ``subtask_index`` and
``meta/subtasks.parquet``.

SPDX-License-Identifier: MIT
Copyright (c) 2026 the slottar authors
"""

from __future__ import annotations

import json
import os
import shutil
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any, Dict, List, Optional, Sequence, Tuple

import numpy as np

from ._library import PathLike
from ._work import logger
from .building import build
from .data import SPLITS, Dataset, Patterns
from .errors import error_of
from .outputs import check_output

_FILE = "chunk-000/file-000.parquet"
_ACTION, _STATE, _REWARD, _SUBTASK = "action", "observation.state", "next.reward", "subtask_index"
_BATCH = 500  # episodes that are in memory at once


# ---- reading


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
    info = _read_info(folder)
    features = info["features"]
    acts = _choose(folder, features, actions, "actions", _ACTION)
    seen = _choose(folder, features, observations, "observations", "observation*")
    extra = [name for name in (_REWARD, _SUBTASK, "task_index") if name in features]
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
        if acts == [_ACTION] or not key.startswith("action")
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
    """As for HDF5: two or more dimensions and 1024 numbers."""
    shape = feature.get("shape") or []
    return len(shape) > 1 and int(np.prod(shape)) >= 1024


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


def _read_info(folder: Path) -> Dict[str, Any]:
    file = folder / "meta" / "info.json"
    if not file.exists():
        raise error_of("IO", f"{file}: no such file; is {folder} a LeRobot data set?", str(file))
    try:
        info = json.loads(file.read_text(encoding="utf-8"))
        if not isinstance(info["features"], dict) or not all(
            "dtype" in f for f in info["features"].values()
        ):
            raise KeyError("features")
        return info
    except (ValueError, KeyError, TypeError) as problem:
        raise error_of("FORMAT", f"{file}: {problem!r}") from None


def _array(table: Any, name: str, dtype: str) -> np.ndarray:
    """A column as [rows] or [rows, numbers]."""
    import pyarrow

    column = table[name].combine_chunks()
    if isinstance(column, pyarrow.ChunkedArray):
        column = column.chunk(0) if column.num_chunks else pyarrow.array([])
    rows, width = len(column), 1
    while (
        pyarrow.types.is_list(column.type)
        or pyarrow.types.is_fixed_size_list(column.type)
        or pyarrow.types.is_large_list(column.type)
    ):
        column = column.flatten()
    if rows and len(column) % rows == 0:
        width = len(column) // rows
    values = column.to_numpy(zero_copy_only=False).astype(dtype)
    if len(values) != rows * width:
        raise error_of("FORMAT", f"{name}: rows of different lengths")
    return values.reshape(rows, width) if width != 1 else values


def _episodes(
    table: Any,
    features: Dict[str, Any],
    acts: Sequence[str],
    seen: Sequence[str],
    ours: Dict[str, Any],
) -> List[Tuple[int, Dict[str, Any]]]:
    """The episodes of one file: number and columns."""
    episode = _array(table, "episode_index", "int64")
    order = np.lexsort((_array(table, "frame_index", "int64"), episode))
    columns: Dict[str, np.ndarray] = {
        "actions": _action_column(_joined(table, features, acts)),
    }
    if seen:
        joined = _joined(table, features, seen)
        shape = ours.get("observation_shape")
        if shape and int(np.prod(shape)) != joined[0].size:
            shape = None  # other features than those that were written
        columns["observations"] = joined.reshape(len(joined), *(shape or joined.shape[1:] or (1,)))
    if _REWARD in features:
        columns["rewards"] = _array(table, _REWARD, "float32")
    if _SUBTASK in features:
        columns["segments"] = _array(table, _SUBTASK, "int64")
    task = _array(table, "task_index", "int64") if "task_index" in features else None
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
    parts = [_array(table, name, features[name]["dtype"]) for name in names]
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


# ---- writing


def to_lerobot(
    data: Dataset,
    root: PathLike,
    *,
    segments: Any = None,
    fps: int = 10,
    task: Optional[str] = None,
    names: Optional[Sequence[str]] = None,
    overwrite: bool = False,
) -> str:
    """Writes a LeRobot 3.0 data set into a folder, a new one unless ``overwrite``.

    ``segments``, what ``predict`` returned for all episodes, become ``subtask_index``; without them
    the data's own labels, if there are any. ``names`` are the sub-tasks' texts. Final observations
    have no place there.
    """
    folder = Path(os.fspath(root))
    check_output(folder, [data._origin or data.path], overwrite, folder=True)
    labels = _labels(data, segments)
    part = folder.with_name(f"{folder.name}.part-{os.getpid()}")
    try:
        _write(data, part, labels, fps, task or data.environment or "recorded behaviour", names)
        _replace(part, folder)
    finally:
        shutil.rmtree(part, ignore_errors=True)
    return str(folder)


def _replace(part: Path, folder: Path) -> None:
    """Gives the new folder its name; what has it goes only then."""
    old = folder.with_name(f"{folder.name}.old-{os.getpid()}")
    if folder.exists():
        os.replace(folder, old)
    os.replace(part, folder)
    shutil.rmtree(old, ignore_errors=True)


def label_lerobot(
    data: Dataset, root: PathLike, labels: List[np.ndarray], out: PathLike, overwrite: bool
) -> str:
    """A copy of a LeRobot folder with ``subtask_index``; everything else is as it was."""
    source, folder = Path(os.fspath(root)), Path(os.fspath(out))
    check_output(folder, [source], overwrite, folder=True)
    part = folder.with_name(f"{folder.name}.part-{os.getpid()}")
    try:
        shutil.copytree(source, part)
        numbers = _episode_numbers(part)
        if len(numbers) != len(labels):
            raise error_of("FORMAT", f"{source}: {len(numbers)} episodes, {len(labels)} labelled")
        for file in sorted((part / "data").glob("*/*.parquet")):
            _label_file(file, dict(zip(numbers, labels)))
        _label_info(part, max(int(one.max()) for one in labels) + 1)
        _replace(part, folder)
    finally:
        shutil.rmtree(part, ignore_errors=True)
    return str(folder)


def _episode_numbers(folder: Path) -> List[int]:
    import pyarrow.parquet as parquet

    found = set()
    for file in (folder / "data").glob("*/*.parquet"):
        found.update(parquet.read_table(file, columns=["episode_index"])[0].to_pylist())
    return sorted(found)


def _label_file(file: Path, labels: Dict[int, np.ndarray]) -> None:
    """Replaces or adds the column."""
    import pyarrow
    import pyarrow.parquet as parquet

    table = parquet.read_table(file)
    episode = _array(table, "episode_index", "int64")
    frame = _array(table, "frame_index", "int64")
    try:
        values = np.array([labels[e][f] for e, f in zip(episode, frame)], np.int64)
    except IndexError:
        raise error_of("FORMAT", f"{file}: more frames than labels") from None
    # steps without a label: a sub-task of their own
    most = max(int(one.max()) for one in labels.values())
    column = pyarrow.array(np.where(values < 0, most + 1, values))
    if _SUBTASK in table.column_names:
        table = table.set_column(table.column_names.index(_SUBTASK), _SUBTASK, column)
    else:
        table = table.append_column(_SUBTASK, column)
    parquet.write_table(table, file)


def _label_info(folder: Path, count: int) -> None:
    import pyarrow.parquet as parquet

    info = _read_info(folder)
    info["features"][_SUBTASK] = {"dtype": "int64", "shape": [1], "names": None}
    info.setdefault("slottar", {})["unknown_subtask"] = count
    (folder / "meta" / "info.json").write_text(json.dumps(info, indent=4), encoding="utf-8")
    texts = [*(f"segment {i}" for i in range(count)), "unknown"]
    parquet.write_table(_text_table("subtask", texts), folder / "meta" / "subtasks.parquet")


def _labels(data: Dataset, segments: Any) -> Optional[List[np.ndarray]]:
    if segments is None:
        return [np.asarray(e.segments) for e in data] if data.labelled else None
    ids = [np.asarray(getattr(one, "ids", one)) for one in segments]
    if [len(one) for one in ids] != data.lengths.tolist():
        raise ValueError("segments are not those of all episodes of the data")
    return ids


def _write(
    data: Dataset,
    folder: Path,
    labels: Optional[List[np.ndarray]],
    fps: int,
    task: str,
    names: Optional[Sequence[str]],
) -> None:
    import pyarrow
    import pyarrow.parquet as parquet

    most = -1 if labels is None else int(max(one.max() for one in labels))
    unknown = most + 1 if labels is not None and any((one < 0).any() for one in labels) else None
    features = _features(data, labels is not None)
    (folder / "data" / "chunk-000").mkdir(parents=True)
    stats = _Stats()
    writer: Any = None
    for first in range(0, len(data), _BATCH):
        numbers = range(first, min(first + _BATCH, len(data)))
        table = pyarrow.table(_columns(data, numbers, labels, unknown, fps, features))
        stats.add(table, features)
        writer = writer or parquet.ParquetWriter(
            folder / "data" / _FILE, table.schema, compression="snappy"
        )
        writer.write_table(table)
    writer.close()
    (folder / "meta" / "episodes" / "chunk-000").mkdir(parents=True)
    parquet.write_table(_episode_table(data, task), folder / "meta" / "episodes" / _FILE)
    parquet.write_table(_text_table("task", [task]), folder / "meta" / "tasks.parquet")
    if labels is not None:
        known = list(names) if names is not None else [f"segment {i}" for i in range(most + 1)]
        if len(known) < most + 1:
            raise ValueError(f"{len(known)} names for {most + 1} sub-tasks")
        parquet.write_table(
            _text_table(
                "subtask", known[: most + 1] + (["unknown"] if unknown is not None else [])
            ),
            folder / "meta" / "subtasks.parquet",
        )
    info = _info(data, features, fps, unknown)
    (folder / "meta" / "info.json").write_text(json.dumps(info, indent=4), encoding="utf-8")
    (folder / "meta" / "stats.json").write_text(
        json.dumps(stats.result(), indent=4), encoding="utf-8"
    )


def _features(data: Dataset, labelled: bool) -> Dict[str, Dict[str, Any]]:
    """The columns, in LeRobot's words."""

    def number(dtype: str) -> Dict[str, Any]:
        return {"dtype": dtype, "shape": [1], "names": None}

    size = data._info.observation_size
    out = {
        _ACTION: number("int64")
        if data.discrete
        else {
            "dtype": "float32",
            "shape": [data._info.action_size],
            "names": data.action_names,
        }
    }
    if size:
        narrow = np.asarray(data[0].observations).dtype == np.uint8
        out[_STATE] = {
            "dtype": "uint8" if narrow else "float32",
            "shape": [size],
            "names": data.observation_names,
        }
    if data._info.has_rewards:
        out[_REWARD] = number("float32")
    out["next.done"] = number("bool")
    if labelled:
        out[_SUBTASK] = number("int64")
    for name in ("timestamp", "frame_index", "episode_index", "index", "task_index"):
        out[name] = number("float32" if name == "timestamp" else "int64")
    return out


def _columns(
    data: Dataset,
    numbers: range,
    labels: Optional[List[np.ndarray]],
    unknown: Optional[int],
    fps: int,
    features: Dict[str, Any],
) -> Dict[str, Any]:
    """Some episodes as columns of numbers."""
    import pyarrow

    episodes = [data[i] for i in numbers]
    frame = np.concatenate([np.arange(len(e)) for e in episodes])
    last = np.concatenate([np.arange(len(e)) == len(e) - 1 for e in episodes])
    first = int(data.offsets[numbers[0]])
    values: Dict[str, np.ndarray] = {
        _ACTION: np.concatenate([e.actions for e in episodes]),
        "next.done": last,
        "timestamp": (frame / fps).astype(np.float32),
        "frame_index": frame,
        "episode_index": np.repeat(numbers, [len(e) for e in episodes]),
        "index": np.arange(first, first + len(frame)),
        "task_index": np.zeros(len(frame), np.int64),
    }
    if _STATE in features:
        values[_STATE] = np.concatenate(
            [np.asarray(e.observations).reshape(len(e), -1) for e in episodes]
        )
    if _REWARD in features:
        values[_REWARD] = np.concatenate([e.rewards for e in episodes])
    if labels is not None:
        found = np.concatenate([labels[i] for i in numbers]).astype(np.int64)
        values[_SUBTASK] = found if unknown is None else np.where(found < 0, unknown, found)
    out = {}
    for name, feature in features.items():
        array = values[name].astype(feature["dtype"])
        width = feature["shape"][0]
        flat = pyarrow.array(np.ascontiguousarray(array).reshape(-1))
        out[name] = flat if width == 1 else pyarrow.FixedSizeListArray.from_arrays(flat, width)
    return out


def _episode_table(data: Dataset, task: str) -> Any:
    import pyarrow

    count, zeros = len(data), np.zeros(len(data), np.int64)
    return pyarrow.table(
        {
            "episode_index": np.arange(count),
            "tasks": [[task]] * count,
            "length": data.lengths,
            "data/chunk_index": zeros,
            "data/file_index": zeros,
            "dataset_from_index": data.offsets[:-1],
            "dataset_to_index": data.offsets[1:],
            "meta/episodes/chunk_index": zeros,
            "meta/episodes/file_index": zeros,
        }
    )


def _text_table(name: str, texts: Sequence[str]) -> Any:
    """Texts with their numbers; pandas takes the texts as its index, as LeRobot expects."""
    import pyarrow

    table = pyarrow.table({f"{name}_index": np.arange(len(texts)), name: list(texts)})
    column = {"metadata": None}
    about = {
        "index_columns": [name],
        "column_indexes": [],
        "pandas_version": "2.0.0",
        "columns": [
            {
                "name": f"{name}_index",
                "field_name": f"{name}_index",
                "pandas_type": "int64",
                "numpy_type": "int64",
                **column,
            },
            {
                "name": name,
                "field_name": name,
                "pandas_type": "unicode",
                "numpy_type": "object",
                **column,
            },
        ],
    }
    return table.replace_schema_metadata({"pandas": json.dumps(about)})


def _info(
    data: Dataset, features: Dict[str, Any], fps: int, unknown: Optional[int]
) -> Dict[str, Any]:
    ranges = {name: data.split(name) for name in SPLITS}
    apart = all(len(r) == 0 or r[-1] - r[0] == len(r) - 1 for r in ranges.values())
    splits = (
        {name: f"{r[0]}:{r[-1] + 1}" for name, r in ranges.items() if len(r)}
        if apart
        else {"train": f"0:{len(data)}"}
    )
    return {
        "codebase_version": "v3.0",
        "robot_type": None,
        "total_episodes": len(data),
        "total_frames": data.steps,
        "total_tasks": 1,
        "chunks_size": 1000,
        "data_files_size_in_mb": 100,
        "video_files_size_in_mb": 200,
        "fps": fps,
        "splits": splits,
        "data_path": "data/chunk-{chunk_index:03d}/file-{file_index:03d}.parquet",
        "video_path": None,
        "features": features,
        "slottar": {
            "observation_shape": list(data.observation_shape),
            "action_count": data.action_count,
            "action_names": data.action_names,
            "environment": data.environment,
            "expert": data.expert,
            "unknown_subtask": unknown,
        },
    }


class _Stats:
    """Least, most, mean and deviation of every number of every feature."""

    def __init__(self) -> None:
        self.parts: Dict[str, List[np.ndarray]] = {}

    def add(self, table: Any, features: Dict[str, Any]) -> None:
        for name in features:
            values = _array(table, name, "float64").reshape(len(table), -1)
            part = np.stack(
                [
                    values.min(0),
                    values.max(0),
                    values.sum(0),
                    (values**2).sum(0),
                    np.full(values.shape[1], len(values)),
                ]
            )
            self.parts.setdefault(name, []).append(part)

    def result(self) -> Dict[str, Dict[str, List[float]]]:
        out = {}
        for name, parts in self.parts.items():
            all_parts = np.stack(parts)
            count = all_parts[:, 4].sum(0)
            mean = all_parts[:, 2].sum(0) / count
            spread = np.sqrt(np.maximum(all_parts[:, 3].sum(0) / count - mean**2, 0))
            out[name] = {
                "min": all_parts[:, 0].min(0).tolist(),
                "max": all_parts[:, 1].max(0).tolist(),
                "mean": mean.tolist(),
                "std": spread.tolist(),
                "count": [int(count[0])],
            }
        return out
