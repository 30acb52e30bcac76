"""Sub-tasks added to a copy of a LeRobot folder.

SPDX-License-Identifier: MIT
Copyright (c) 2026 the slottar authors
"""

from __future__ import annotations

import json
import os
import shutil
from pathlib import Path
from typing import Dict, List

import numpy as np

from ._library import PathLike
from .data import Dataset
from .errors import error_of
from .lerobot_layout import SUBTASK, array_of, read_info, replace_folder, text_table
from .outputs import check_output


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
        replace_folder(part, folder)
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
    episode = array_of(table, "episode_index", "int64")
    frame = array_of(table, "frame_index", "int64")
    try:
        values = np.array([labels[e][f] for e, f in zip(episode, frame)], np.int64)
    except IndexError:
        raise error_of("FORMAT", f"{file}: more frames than labels") from None
    # steps without a label: a sub-task of their own
    most = max(int(one.max()) for one in labels.values())
    column = pyarrow.array(np.where(values < 0, most + 1, values))
    if SUBTASK in table.column_names:
        table = table.set_column(table.column_names.index(SUBTASK), SUBTASK, column)
    else:
        table = table.append_column(SUBTASK, column)
    parquet.write_table(table, file)


def _label_info(folder: Path, count: int) -> None:
    import pyarrow.parquet as parquet

    info = read_info(folder)
    info["features"][SUBTASK] = {"dtype": "int64", "shape": [1], "names": None}
    info.setdefault("slottar", {})["unknown_subtask"] = count
    (folder / "meta" / "info.json").write_text(json.dumps(info, indent=4), encoding="utf-8")
    texts = [*(f"segment {i}" for i in range(count)), "unknown"]
    parquet.write_table(text_table("subtask", texts), folder / "meta" / "subtasks.parquet")
