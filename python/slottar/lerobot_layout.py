"""What reading, writing and labelling LeRobot folders share: names, meta/info.json, tables.

SPDX-License-Identifier: MIT
Copyright (c) 2026 the slottar authors
"""

from __future__ import annotations

import json
import os
import shutil
from pathlib import Path
from typing import Any, Dict, Sequence

import numpy as np

from .errors import error_of

FILE = "chunk-000/file-000.parquet"
ACTION, STATE, REWARD, SUBTASK = "action", "observation.state", "next.reward", "subtask_index"


def read_info(folder: Path) -> Dict[str, Any]:
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


def array_of(table: Any, name: str, dtype: str) -> np.ndarray:
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


def text_table(name: str, texts: Sequence[str]) -> Any:
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


def replace_folder(part: Path, folder: Path) -> None:
    """Gives the new folder its name; what has it goes only then."""
    old = folder.with_name(f"{folder.name}.old-{os.getpid()}")
    if folder.exists():
        os.replace(folder, old)
    os.replace(part, folder)
    shutil.rmtree(old, ignore_errors=True)
