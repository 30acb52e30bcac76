"""Policies: experts that learn a MiniGrid world by reinforcement.

SPDX-License-Identifier: MIT
Copyright (c) 2026 the slottar authors
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import Any, List, Optional

from . import _declarations as c
from ._library import PathLike, lib, needed, path_bytes, texts, to_bytes, whole
from ._work import SEED_MOST, Context, Watcher


@dataclass(frozen=True)
class Policy:
    """A policy's file and how it plays, over ``episodes`` episodes that it never met."""

    path: str
    frames: int
    reached: bool
    episodes: int
    mean_return: float
    success: float
    length: float


def _setting(name: str, value: Any) -> str:
    return f"{name}={str(value).lower() if isinstance(value, bool) else value}"


def train_expert(
    environment: str,
    path: PathLike,
    *,
    preset: Optional[str] = None,
    seed: int = 0,
    threads: Optional[int] = None,
    device: Optional[str] = None,
    callback: Optional[Watcher] = None,
    **options: Any,
) -> Policy:
    """A policy learns an environment, as ``slottar train-expert`` does; ``path`` ends with
    ``.safetensors`` and is an expert of :func:`collect`. ``options`` are those of
    ``slottar train-expert --options``. The same call continues where one was stopped.
    """
    settings: List[str] = [_setting(name, value) for name, value in options.items()]
    name = path_bytes(path)
    request = c.slt_policy_request(
        environment=needed(environment, "environment"),
        path=name,
        preset=to_bytes(preset, "preset"),
        settings=texts(settings, "an option"),
        setting_count=len(settings),
        seed=whole(seed, "seed", 0, SEED_MOST),
    )
    result = c.slt_policy_result()
    context = Context(threads, device=device, watched=callback is not None)
    context.run(lib.slt_policy_train, context.pointer, request, result, watch=callback)
    scores = result.scores
    return Policy(
        os.fsdecode(name),
        result.frames,
        result.reached,
        scores.episodes,
        scores.mean_return,
        scores.success,
        scores.length,
    )
