"""DataFrames (pandas, polars) as episodes: a row per step, columns as in csv files.

SPDX-License-Identifier: MIT
Copyright (c) 2026 the slottar authors
"""

from __future__ import annotations

from typing import Any, Dict, List

import numpy as np

# per step, and per episode: column of the frame, column of an episode
_STEPS = {"segment": "segments", "reward": "rewards"}
_EPISODES = ("split", "task", "seed")


def is_frame(value: Any) -> bool:
    """Columns with names, as DataFrames have."""
    return hasattr(value, "columns") and hasattr(value, "to_numpy")


def columns_of_frame(frame: Any) -> Dict[str, Any]:
    """One episode: columns ``action...`` are the action and the others the observation, or all are
    the action where there are none."""
    columns = {str(name): np.asarray(frame[name]) for name in frame.columns}
    columns.pop("episode", None)
    out: Dict[str, Any] = {to: columns.pop(name) for name, to in _STEPS.items() if name in columns}
    for name in _EPISODES:
        if name in columns:
            out[name] = columns.pop(name)[0]
    actions = [name for name in columns if name.startswith("action")] or list(columns)
    if not actions:
        raise ValueError("the DataFrame has no columns of actions")
    out["actions"] = _side_by_side([columns.pop(name) for name in actions])
    if columns:
        out["observations"] = np.stack(list(columns.values()), axis=1)
    return out


def episodes_of(frame: Any) -> List[Dict[str, Any]]:
    """The episodes of a DataFrame: where the column ``episode`` changes; without it, one."""
    if "episode" not in list(frame.columns):
        return [columns_of_frame(frame)]
    number = np.asarray(frame["episode"])
    ends = [*(np.flatnonzero(number[1:] != number[:-1]) + 1), len(number)]
    return [columns_of_frame(frame[a:b]) for a, b in zip([0, *ends], ends)]


def _side_by_side(columns: List[np.ndarray]) -> np.ndarray:
    """[steps] whole numbers: discrete; else [steps, size]."""
    if len(columns) == 1 and columns[0].dtype.kind in "iu":
        return columns[0]
    return np.stack(columns, axis=1).astype(float)
