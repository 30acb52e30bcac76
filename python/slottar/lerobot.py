"""LeRobot data sets: reading, writing, and adding sub-tasks to a copy.

SPDX-License-Identifier: MIT
Copyright (c) 2026 the slottar authors
"""

from __future__ import annotations

from ._extras import extra
from .lerobot_label import label_lerobot
from .lerobot_read import from_lerobot
from .lerobot_write import to_lerobot

extra("pyarrow", "LeRobot")

__all__ = ["from_lerobot", "label_lerobot", "to_lerobot"]
