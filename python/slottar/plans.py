"""Plans: which types of segments come together, as the shortest grammar over their sequences.

    plans = slottar.learn_plans(model.predict(data).types)
    plans[0].tree, plans[0].episodes        # ((0, 3), 4), 100

SPDX-License-Identifier: MIT
Copyright (c) 2026 the slottar authors
"""

from __future__ import annotations

import ctypes
import json
from dataclasses import dataclass
from typing import Any, Iterable, Tuple

import numpy as np

from ._library import check, lib, text
from ._work import Context


@dataclass(frozen=True)
class Plan:
    """Episodes with the same sequence of types."""

    #: types in nested tuples; a pair inside is a rule
    tree: Tuple[Any, ...]
    episodes: int


class Plans(Tuple[Plan, ...]):
    """All plans, the most frequent first."""

    #: pairs of types or of earlier rules
    rules: int
    #: length of the description without and with rules
    bits: Tuple[float, float]


def _nested(tree: Any) -> Any:
    return tuple(_nested(part) for part in tree) if isinstance(tree, list) else tree


def learn_plans(types: Iterable[Any]) -> Plans:
    """The plans of sequences of types, one per episode: ``learn_plans(model.predict(data).types)``.
    Types are whole numbers from -1 on; episodes without types (None) are left out."""
    rows = [np.asarray(one).reshape(-1) for one in types if one is not None]
    for row in rows:
        if row.size and not (np.issubdtype(row.dtype, np.integer) and row.min() >= -1):
            raise ValueError("types are whole numbers from -1 on")
    symbols = np.concatenate([np.empty(0, np.int32), *rows]).astype(np.int32)
    offsets = np.cumsum([0, *map(len, rows)], dtype=np.int64)
    context, plans = Context(1), ctypes.c_void_p()
    learned = (context.pointer, symbols.ctypes.data, offsets.ctypes.data, len(rows), plans)
    with context.used():
        try:
            check(lib.slt_plans_learn(*learned))
            return _read(plans)
        finally:
            lib.slt_plans_close(plans)


def _read(plans: ctypes.c_void_p) -> Plans:
    before, after = ctypes.c_double(), ctypes.c_double()
    lib.slt_plans_bits(plans, ctypes.byref(before), ctypes.byref(after))
    found = [lib.slt_plans_at(plans, i).contents for i in range(lib.slt_plans_count(plans))]
    made = Plans(Plan(_nested(json.loads(text(one.tree) or "")), one.sequences) for one in found)
    made.rules, made.bits = lib.slt_plans_rules(plans), (before.value, after.value)
    return made
