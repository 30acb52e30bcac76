"""Scores of segmentations.

SPDX-License-Identifier: MIT
Copyright (c) 2026 the slottar authors
"""

from __future__ import annotations

from typing import Any, Dict, List, Sequence, Tuple

import numpy as np

from . import _declarations as c
from ._arrays import address, integers
from ._library import lib, text, whole
from ._work import Context

#: names of the scores against labels; fractions, not percent
SCORES: Tuple[str, ...] = tuple(field[0] for field in c.slt_scores._fields_)


def score(
    truth: Sequence[Any], predicted: Sequence[Any], *, tolerance: int = c.SLT_TOLERANCE
) -> Dict[str, float]:
    """Mean scores of many trajectories: an array of labels each, true and predicted."""
    true, true_kept = sequences(truth, "truth")
    found, found_kept = sequences(predicted, "predicted")
    if len(true_kept) != len(found_kept):
        raise ValueError(f"{len(found_kept)} predictions for {len(true_kept)} trajectories")
    summary, context = c.slt_score_summary(), Context()
    steps = whole(tolerance, "tolerance", 0, 2**31 - 1)
    context.run(
        lib.slt_score_many, context.pointer, true, found, len(true_kept), steps, summary, None
    )
    return means(summary)


def sequences(values: Sequence[Any], what: str) -> Tuple[Any, List[np.ndarray]]:
    """Arrays for the library, and the arrays themselves, to be kept as long."""
    arrays = [integers(v, what) for v in values]
    for array in arrays:
        if array.ndim != 1 or not len(array):
            raise ValueError(f"{what}: expected [steps] per trajectory, not {list(array.shape)}")
    out = (c.slt_sequence * max(len(arrays), 1))()
    for one, array in zip(out, arrays):
        one.values, one.length = address(array), len(array)
    return out, arrays


def means(summary: Any) -> Dict[str, float]:
    return {name: getattr(summary.mean, name) for name in SCORES}


def run_scores(raw: Any) -> Dict[str, Any]:
    """Scores of a model; what needs labels is None without them."""
    out: Dict[str, Any] = {
        name: getattr(raw, name)
        for name in ("episodes", "loss", "reconstruction", "kl", "accuracy")
    }
    out.update(means(raw.scores) if raw.has_labels else {name: None for name in SCORES})
    for name in ("forward", "backward"):
        value = getattr(raw, name)
        out[name] = value if raw.has_labels and value == value else None
    out["ece"] = raw.ece if raw.has_labels and raw.ece == raw.ece else None
    out["told"] = text(lib.slt_told_name(raw.told))
    out["told_count"] = raw.told_count
    return out
