"""meta/stats.json of a LeRobot data set.

SPDX-License-Identifier: MIT
Copyright (c) 2026 the slottar authors
"""

from __future__ import annotations

from typing import Any, Dict, List

import numpy as np

from .lerobot_layout import array_of


class Stats:
    """Least, most, mean and deviation of every number of every feature."""

    def __init__(self) -> None:
        self.parts: Dict[str, List[np.ndarray]] = {}

    def add(self, table: Any, features: Dict[str, Any]) -> None:
        for name in features:
            values = array_of(table, name, "float64").reshape(len(table), -1)
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
