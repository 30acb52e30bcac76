"""Values of options as texts: as the command line writes them, and back.

SPDX-License-Identifier: MIT
Copyright (c) 2026 the slottar authors
"""

from __future__ import annotations

import json
from typing import Any

import numpy as np


def value_of(word: str) -> Any:
    """A value as YAML writes it, as the user would."""
    word = word.strip().strip('"')
    try:
        return json.loads(word)
    except ValueError:
        return word


def _is_whole(value: Any) -> bool:
    return isinstance(value, (int, np.integer)) and not isinstance(value, bool)


def setting(value: Any) -> str:
    """A value as the command line writes it: lists with commas, truth values in words.

    A tuple of two whole numbers is a range: ``prior=(3, 6)`` is 3..6.
    """
    if isinstance(value, (bool, np.bool_)):
        return "true" if value else "false"
    if isinstance(value, tuple) and len(value) == 2 and all(_is_whole(v) for v in value):
        return f"{int(value[0])}..{int(value[1])}"
    if isinstance(value, (list, tuple, np.ndarray)):
        return ",".join(setting(v) for v in value)
    if isinstance(value, np.generic):
        value = value.item()
    if not isinstance(value, (str, int, float)):
        raise TypeError(
            f"an option is a number, a text or a list of numbers, not {type(value).__name__}"
        )
    return value if isinstance(value, str) else repr(value)
