"""Environments whose actions are skills: a step plays a skill until it is over.

    envs = slottar.SkillVectorEnv("makestickfull-v0", "skills.safetensors", num_envs=64)
    observations, infos = envs.reset(seed=0)
    observations, rewards, terminated, truncated, infos = envs.step(skills)

A reward is the sum of the rewards of a skill's steps, discounted from the first of them. With steps of
unequal length the value of what comes after is discounted by ``infos["discount"]``.

SPDX-License-Identifier: MIT
Copyright (c) 2026 the slottar authors
"""

from __future__ import annotations

import ctypes
import os
from typing import Any, Dict, Optional, Tuple, Union

import numpy as np
from gymnasium import spaces
from gymnasium.vector import AutoresetMode

from . import _declarations as c
from ._arrays import address
from ._library import PathLike, check, lib, path_bytes
from ._work import Handle
from .envs import SlottarEnv, SlottarVectorEnv, _actions, _Batch, _mode


class _SkillBatch(_Batch):
    """Copies of one environment, and skills that act in them."""

    def __init__(
        self,
        id: str,
        skills: PathLike,
        count: int,
        mode: AutoresetMode,
        threads: Optional[int],
        discount: float,
        goal_rewards: bool,
    ) -> None:
        super().__init__(id, count, mode, threads)
        pointer, name = ctypes.c_void_p(), path_bytes(skills, "the file of skills")
        self.context.call(
            lib.slt_skill_env_create,
            self.pointer,
            name,
            float(discount),
            bool(goal_rewards),
            pointer,
            path=os.fsdecode(name),
        )
        self.skills = Handle(self.context, pointer, lib.slt_skill_env_destroy, before=self.handle)
        self.count = lib.slt_skill_env_count(pointer)
        self.called = c.slt_skill_env_outputs()
        self.infos: Dict[str, Any] = {}

    def action_space(self) -> spaces.Discrete:
        return spaces.Discrete(self.count)

    def reset(self, seeds: Optional[np.ndarray], mask: Optional[np.ndarray]) -> np.ndarray:
        seen = self.empty() if mask is None else self.observe()
        self.context.call(
            lib.slt_skill_env_reset,
            self.skills.pointer,
            address(seeds),
            address(mask),
            address(seen),
        )
        self.seeded = self.seeded or mask is None or bool(mask.all())
        return seen

    def step(
        self, actions: np.ndarray, finals: Optional[np.ndarray] = None
    ) -> Tuple[np.ndarray, ...]:
        seen, rewards, discount = self.empty(), np.empty(self.n), np.empty(self.n)
        terminated, truncated = np.empty(self.n, bool), np.empty(self.n, bool)
        steps, reached = np.empty(self.n, np.int32), np.empty(self.n, bool)
        out = self.called
        with self.context.used():
            out.env.observations, out.env.rewards = seen.ctypes.data, rewards.ctypes.data
            out.env.terminated, out.env.truncated = terminated.ctypes.data, truncated.ctypes.data
            out.env.final_observations = address(finals)
            out.discounts, out.steps = discount.ctypes.data, steps.ctypes.data
            out.reached = reached.ctypes.data
            check(lib.slt_skill_env_step(self.skills.pointer, actions.ctypes.data, out))
        self.infos = {"steps": steps, "discount": discount, "reached": reached}
        return seen, rewards, terminated, truncated


class SkillVectorEnv(SlottarVectorEnv):
    """Many copies of one environment whose actions are skills, stepped together on all cores.

    ``skills`` is a file of ``slottar skills -o`` or :func:`learn_skills`; they need not know the
    task. ``discount`` is that of a step of the environment. ``goal_rewards``: Craft pays 1 for the
    goal and nothing for the sub-tasks on the way.

    ``infos`` has, for every copy, ``steps`` (of the environment; 0 where the copy was reset
    instead), ``discount`` (to the power of ``steps``) and ``reached``: the last step had an effect
    of the skill.
    """

    def __init__(
        self,
        id: str,
        skills: PathLike,
        num_envs: int = 1,
        *,
        discount: float = 0.99,
        goal_rewards: bool = False,
        autoreset_mode: Union[str, AutoresetMode] = AutoresetMode.NEXT_STEP,
        threads: Optional[int] = None,
        render_mode: Optional[str] = None,
    ) -> None:
        mode = _mode(autoreset_mode)
        batch = _SkillBatch(id, skills, num_envs, mode, threads, discount, goal_rewards)
        self._prepare(batch, mode, render_mode)
        self._skills = batch

    def step(
        self, actions: Any
    ) -> Tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray, Dict[str, Any]]:
        """One skill in every copy."""
        *result, infos = super().step(actions)
        played = self._skills.infos["steps"] > 0
        for name, values in self._skills.infos.items():
            infos[name], infos[f"_{name}"] = values, played
        return (*result, infos)  # type: ignore[return-value]

    def expert(self, name: str = "bot", noise: float = 0.0, seed: int = 0) -> Any:
        raise NotImplementedError("experts act step by step, here a step is a skill: use make_vec")


class SkillEnv(SlottarEnv):
    """One environment whose actions are skills; see :class:`SkillVectorEnv`."""

    def __init__(
        self,
        id: str,
        skills: PathLike,
        *,
        discount: float = 0.99,
        goal_rewards: bool = False,
        render_mode: Optional[str] = None,
    ) -> None:
        mode = AutoresetMode.DISABLED
        self._skills = _SkillBatch(id, skills, 1, mode, 1, discount, goal_rewards)
        self._prepare(self._skills, render_mode)

    def step(self, action: Any) -> Tuple[np.ndarray, float, bool, bool, Dict]:
        chosen = _actions(np.reshape(action, -1), 1)
        seen, rewards, terminated, truncated = self._skills.step(chosen)
        infos = {name: values[0].item() for name, values in self._skills.infos.items()}
        return seen[0], float(rewards[0]), bool(terminated[0]), bool(truncated[0]), infos
