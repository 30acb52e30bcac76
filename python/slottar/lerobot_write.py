"""Writing LeRobot data sets, version 3.0, by pyarrow: segments are ``subtask_index`` and
``meta/subtasks.parquet``.

SPDX-License-Identifier: MIT
Copyright (c) 2026 the slottar authors
"""

from __future__ import annotations

import json
import os
import shutil
from pathlib import Path
from typing import Any, Dict, List, Optional, Sequence

import numpy as np

from ._library import PathLike
from .data import SPLITS, Dataset
from .lerobot_layout import ACTION, FILE, REWARD, STATE, SUBTASK, replace_folder, text_table
from .lerobot_stats import Stats
from .outputs import check_output

_BATCH = 500  # episodes that are in memory at once


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
        replace_folder(part, folder)
    finally:
        shutil.rmtree(part, ignore_errors=True)
    return str(folder)


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
    stats = Stats()
    writer: Any = None
    for first in range(0, len(data), _BATCH):
        numbers = range(first, min(first + _BATCH, len(data)))
        table = pyarrow.table(_columns(data, numbers, labels, unknown, fps, features))
        stats.add(table, features)
        writer = writer or parquet.ParquetWriter(
            folder / "data" / FILE, table.schema, compression="snappy"
        )
        writer.write_table(table)
    writer.close()
    (folder / "meta" / "episodes" / "chunk-000").mkdir(parents=True)
    parquet.write_table(_episode_table(data, task), folder / "meta" / "episodes" / FILE)
    parquet.write_table(text_table("task", [task]), folder / "meta" / "tasks.parquet")
    if labels is not None:
        known = list(names) if names is not None else [f"segment {i}" for i in range(most + 1)]
        if len(known) < most + 1:
            raise ValueError(f"{len(known)} names for {most + 1} sub-tasks")
        parquet.write_table(
            text_table("subtask", known[: most + 1] + (["unknown"] if unknown is not None else [])),
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
        ACTION: number("int64")
        if data.discrete
        else {
            "dtype": "float32",
            "shape": [data._info.action_size],
            "names": data.action_names,
        }
    }
    if size:
        narrow = np.asarray(data[0].observations).dtype == np.uint8
        out[STATE] = {
            "dtype": "uint8" if narrow else "float32",
            "shape": [size],
            "names": data.observation_names,
        }
    if data._info.has_rewards:
        out[REWARD] = number("float32")
    out["next.done"] = number("bool")
    if labelled:
        out[SUBTASK] = number("int64")
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
        ACTION: np.concatenate([e.actions for e in episodes]),
        "next.done": last,
        "timestamp": (frame / fps).astype(np.float32),
        "frame_index": frame,
        "episode_index": np.repeat(numbers, [len(e) for e in episodes]),
        "index": np.arange(first, first + len(frame)),
        "task_index": np.zeros(len(frame), np.int64),
    }
    if STATE in features:
        values[STATE] = np.concatenate(
            [np.asarray(e.observations).reshape(len(e), -1) for e in episodes]
        )
    if REWARD in features:
        values[REWARD] = np.concatenate([e.rewards for e in episodes])
    if labels is not None:
        found = np.concatenate([labels[i] for i in numbers]).astype(np.int64)
        values[SUBTASK] = found if unknown is None else np.where(found < 0, unknown, found)
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
