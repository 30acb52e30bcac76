"""Time lines of segments, by matplotlib.

SPDX-License-Identifier: MIT
Copyright (c) 2026 the slottar authors
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ._extras import extra


def plot_segments(segments: Any, ax: Any = None, limit: int = 20, data: Any = None) -> Any:
    """A line per trajectory, a bar per segment; the fainter, the less sure is the cut after it.
    Ticks mark the true boundaries where the data has labels. Returns the axes."""
    plt = extra("matplotlib.pyplot", "plot")

    if ax is None and data is not None and not data.discrete and len(segments):
        return plot_motion(segments[: min(limit, 4)], data)
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


def plot_motion(segments: Any, data: Any) -> Any:
    """Continuous actions as lines, each in its own range, over coloured segments (a colour per law
    where the model has laws), and the vote below with the line where boundaries begin. Dotted:
    the true boundaries. Returns the axes, [trajectories, 2], or [trajectories, 1] without a
    vote."""
    plt = extra("matplotlib.pyplot", "plot")

    votes = any(answer.vote is not None for answer in segments)
    _, axes = plt.subplots(
        len(segments) * (1 + votes),
        squeeze=False,
        figsize=(9, len(segments) * (2.6 if votes else 1.8)),
        height_ratios=([3, 1] if votes else [1]) * len(segments),
        layout="constrained",
    )
    axes = axes.reshape(len(segments), 1 + votes)
    for row, answer in zip(axes, segments):
        _draw_lines(row[0], answer, data)
        if answer.vote is not None:
            _draw_vote(row[1], answer)
        row[-1].set_xlabel("step")
    return axes


def _draw_lines(ax: Any, answer: Any, data: Any) -> None:
    plt = extra("matplotlib.pyplot", "plot")

    colours, episode = plt.get_cmap("tab10")(range(10)), data[answer.episode]
    for n, span in enumerate(answer.spans):
        law = n if answer.types is None else int(answer.types[n])
        ax.axvspan(span.start, span.stop, color=colours[law % 10], alpha=0.25, linewidth=0)
    low, high = episode.actions.min(0), episode.actions.max(0)
    lines = (episode.actions - low) / np.where(high > low, high - low, 1)
    names = data.action_names or [str(d) for d in range(lines.shape[1])]
    for d in range(lines.shape[1]):
        ax.plot(np.arange(len(lines)) + 0.5, lines[:, d], linewidth=1.2, label=names[d])
    if episode.segments is not None:
        truth = np.flatnonzero(episode.segments[1:] != episode.segments[:-1]) + 1
        ax.vlines(truth, 0, 1, colors="black", linestyles="dotted", linewidth=1)
    if lines.shape[1] <= 8:
        ax.legend(loc="center left", bbox_to_anchor=(1, 0.5), fontsize="small", frameon=False)
    ax.set(xlim=(0, len(lines)), yticks=[], title=f"episode {answer.episode}")


def _draw_vote(ax: Any, answer: Any) -> None:
    at = np.flatnonzero(answer.vote.heights)
    ax.bar(at + 1, answer.vote.heights[at], width=max(0.8, len(answer) / 200), color="tab:blue")
    if answer.vote.line > 0:
        ax.axhline(answer.vote.line, color="grey", linestyle="dashed", linewidth=1)
    ax.set(xlim=(0, len(answer)), ylim=(0, 1.05), ylabel="vote")
