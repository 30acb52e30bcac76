"""Time lines of segments, by matplotlib.

SPDX-License-Identifier: MIT
Copyright (c) 2026 the slottar authors
"""

from __future__ import annotations

from typing import Any

import numpy as np


def plot_segments(segments: Any, ax: Any = None, limit: int = 20, data: Any = None) -> Any:
    """A line per trajectory, a bar per segment; the fainter, the less sure is the cut after it.
    Ticks mark the true boundaries where the data has labels. Returns the axes."""
    import matplotlib.pyplot as plt

    shown = segments[:limit]
    if ax is None:
        _, ax = plt.subplots(figsize=(8, 0.6 + 0.3 * max(len(shown), 1)))
    colours = plt.get_cmap("tab10")(range(10))
    for row, answer in enumerate(shown):
        trust = np.append(np.nan_to_num(answer.confidence, nan=1.0), 1.0)
        for n, span in enumerate(answer.spans):
            ax.barh(
                row,
                span.stop - span.start,
                left=span.start,
                height=0.7,
                color=colours[n % len(colours)],
                alpha=0.35 + 0.65 * float(min(trust[n], 1.0)),
                edgecolor="white",
            )
        truth = None if data is None else data[answer.episode].segments
        if truth is not None:
            cuts = np.flatnonzero(truth[1:] != truth[:-1]) + 1
            ax.plot(cuts, np.full(len(cuts), row), "k|", markersize=12)
    ax.set_yticks(range(len(shown)), [str(answer.episode) for answer in shown])
    ax.invert_yaxis()
    ax.set_xlabel("step")
    ax.set_ylabel("episode")
    return ax
