"""Policies: experts that learn an environment by reinforcement, and skills learned from segments.

SPDX-License-Identifier: MIT
Copyright (c) 2026 the slottar authors
"""

from __future__ import annotations

import ctypes
import os
from dataclasses import dataclass
from typing import Any, List, Optional

from . import _declarations as c
from ._library import PathLike, check, lib, needed, path_bytes, texts, to_bytes, whole
from ._work import SEED_MOST, Context, Watcher, both
from .estimator import as_dataset
from .settings import setting


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


def train_expert(
    environment: str,
    path: PathLike,
    *,
    preset: Optional[str] = None,
    skills: Optional[PathLike] = None,
    demos: Optional[PathLike] = None,
    seed: int = 0,
    threads: Optional[int] = None,
    device: Optional[str] = None,
    callback: Optional[Watcher] = None,
    **options: Any,
) -> Policy:
    """A policy learns an environment, as ``slottar train-expert`` does; ``path`` ends with
    ``.safetensors`` and is an expert of :func:`collect`. ``options`` are those of
    ``slottar train-expert --options``. The same call continues where one was stopped.

    ``skills``: a file of :func:`learn_skills` that the policy chooses from, in place of actions.
    ``demos``: a data set that it imitates before it learns.
    """
    settings: List[str] = [f"{name}={setting(value)}" for name, value in options.items()]
    name = path_bytes(path)
    request = c.slt_policy_request(
        environment=needed(environment, "environment"),
        path=name,
        preset=to_bytes(preset, "preset"),
        skills=None if skills is None else path_bytes(skills, "the file of skills"),
        **{"from": None if demos is None else path_bytes(demos, "the demonstrations")},
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


def learn_skills(
    data: Any,
    path: PathLike,
    *,
    hidden: int = 256,
    epochs: int = 40,
    unmerged: bool = False,
    memory: bool = False,
    seed: int = 0,
    threads: Optional[int] = None,
    overwrite: bool = False,
) -> int:
    """Sub-policies that act like the labelled segments of a data set, as ``slottar skills -o``
    learns them; gives their number. ``path`` is an expert of :func:`collect`, and what
    :class:`SkillVectorEnv` plays. ``memory``: skills remember what has left a view that moves with the
    agent (Craft's partial one).
    """
    demos, context = as_dataset(data)._handle, Context(threads)
    types, skills = ctypes.c_void_p(), ctypes.c_void_p()
    options = c.slt_skills_options(
        hidden=whole(hidden, "hidden", 8, 256),
        epochs=whole(epochs, "epochs", 1, 2**31 - 1),
        seed=whole(seed, "seed", 0, SEED_MOST),
        unmerged=bool(unmerged),
        memory=bool(memory),
    )
    name = path_bytes(path)
    with both(context, demos.context):
        try:
            given = (context.pointer, demos.pointer, None)
            context._run(lib.slt_types_learn, (*given, None, types), None, None)
            context._run(lib.slt_skills_learn, (*given, types, options, skills), None, None)
            check(lib.slt_skills_save(skills, name, bool(overwrite)))
            return lib.slt_skills_count(skills)
        finally:
            lib.slt_skills_close(skills)
            lib.slt_types_close(types)
