"""Environments: Craft and MiniGrid as Gymnasium's, one by one or many at once.

    envs = slottar.make_vec("MiniGrid-DoorKey-8x8-v0", num_envs=256)
    observations, infos = envs.reset(seed=0)
    observations, rewards, terminated, truncated, infos = envs.step(actions)

The library writes straight into new NumPy arrays: nothing is copied, and what a step returned stays
as it is.

SPDX-License-Identifier: MIT
Copyright (c) 2026 the slottar authors
"""

from __future__ import annotations

import ctypes
import secrets
from typing import Any, Dict, Optional, Sequence, Tuple, Union

import gymnasium
import numpy as np
from gymnasium import spaces
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space

from . import _declarations as c
from ._arrays import address, integers, plain
from ._library import check, lib, needed, text, to_bytes, whole
from ._work import SEED_MOST, Context, Handle

_MODES = {
    AutoresetMode.NEXT_STEP: c.SLT_AUTORESET_NEXT_STEP,
    AutoresetMode.SAME_STEP: c.SLT_AUTORESET_SAME_STEP,
    AutoresetMode.DISABLED: c.SLT_AUTORESET_DISABLED,
}


class _Batch:
    """Copies of one environment in the library."""

    def __init__(self, id: str, count: int, mode: AutoresetMode, threads: Optional[int]) -> None:
        self.context, pointer = Context(threads), ctypes.c_void_p()
        name = needed(id, "the environment's id")
        self.n = whole(count, "num_envs", 1, 2**31 - 1)
        self.context.call(
            lib.slt_env_batch_create,
            self.context.pointer,
            name.split(b"slottar/")[-1],
            self.n,
            _MODES[mode],
            pointer,
        )
        self.handle = Handle(self.context, pointer, lib.slt_env_batch_destroy)
        self.pointer = pointer
        self.info = lib.slt_env_batch_info(pointer).contents
        self.shape: Tuple[int, ...] = tuple(self.info.shape[: self.info.rank])
        self.action_names = [text(self.info.action_names[i]) for i in range(self.info.actions)]
        self.outputs = c.slt_env_outputs()
        self.seeded = False

    def observation_space(self) -> spaces.Box:
        return spaces.Box(0, 255, self.shape, np.uint8)

    def action_space(self) -> spaces.Discrete:
        return spaces.Discrete(self.info.actions)

    def empty(self) -> np.ndarray:
        return np.empty((self.n, *self.shape), np.uint8)

    def observe(self) -> np.ndarray:
        """The present observations; zeros before the first reset."""
        if not self.seeded:
            return np.zeros((self.n, *self.shape), np.uint8)
        seen = self.empty()
        with self.context.used():
            lib.slt_env_batch_observe(self.pointer, seen.ctypes.data)
        return seen

    def reset(self, seeds: Optional[np.ndarray], mask: Optional[np.ndarray]) -> np.ndarray:
        seen = self.empty() if mask is None else self.observe()
        self.context.call(
            lib.slt_env_batch_reset, self.pointer, address(seeds), address(mask), address(seen)
        )
        self.seeded = self.seeded or mask is None or bool(mask.all())
        return seen

    def step(
        self, actions: np.ndarray, finals: Optional[np.ndarray] = None
    ) -> Tuple[np.ndarray, ...]:
        seen, rewards = self.empty(), np.empty(self.n)
        terminated, truncated = np.empty(self.n, bool), np.empty(self.n, bool)
        out = self.outputs
        with self.context.used():
            out.observations, out.rewards = seen.ctypes.data, rewards.ctypes.data
            out.terminated, out.truncated = terminated.ctypes.data, truncated.ctypes.data
            out.final_observations = address(finals)
            check(lib.slt_env_batch_step(self.pointer, actions.ctypes.data, out))
        return seen, rewards, terminated, truncated

    def draw(self, index: int) -> str:
        """The world as lines of characters."""
        canvas = c.slt_canvas()
        self.context.call(lib.slt_draw_env, self.pointer, index, canvas)
        rows = [
            "".join(canvas.cells[y][x].mark.decode() for x in range(canvas.width))
            for y in range(canvas.height)
        ]
        return "\n".join(
            [*rows, *(line for line in (text(canvas.task), text(canvas.pocket)) if line)]
        )


class SlottarVectorEnv(VectorEnv):
    """Many copies of one environment, stepped together on all cores.

    ``autoreset_mode`` is Gymnasium's: NEXT_STEP (default), SAME_STEP or DISABLED, or its value as a
    text. Results depend on seeds and actions only, never on the number of threads.
    """

    metadata: Dict[str, Any] = {"render_modes": ["ansi"], "autoreset_mode": AutoresetMode.NEXT_STEP}

    def __init__(
        self,
        id: str,
        num_envs: int = 1,
        *,
        autoreset_mode: Union[str, AutoresetMode] = AutoresetMode.NEXT_STEP,
        threads: Optional[int] = None,
        render_mode: Optional[str] = None,
    ) -> None:
        mode = _mode(autoreset_mode)
        self._prepare(_Batch(id, num_envs, mode, threads), mode, render_mode)

    def _prepare(self, batch: _Batch, mode: AutoresetMode, render_mode: Optional[str]) -> None:
        self._batch = batch
        self.render_mode = _render_mode(render_mode)
        self.metadata = {**type(self).metadata, "autoreset_mode": mode}
        self.num_envs = self._batch.n
        self.id = text(self._batch.info.id)
        self.action_names = self._batch.action_names
        self.single_observation_space = self._batch.observation_space()
        self.single_action_space = self._batch.action_space()
        self.observation_space = batch_space(self.single_observation_space, self.num_envs)
        self.action_space = batch_space(self.single_action_space, self.num_envs)
        self._finals = self._batch.empty() if mode is AutoresetMode.SAME_STEP else None
        self._seeds = np.zeros(self.num_envs, np.uint64)
        self._expert: Optional["Expert"] = None

    def reset(
        self,
        *,
        seed: Union[None, int, Sequence[Optional[int]]] = None,
        options: Optional[Dict[str, Any]] = None,
    ) -> Tuple[np.ndarray, Dict[str, Any]]:
        """Starts new episodes; ``options={"reset_mask": mask}`` in some copies only.

        A seed is for copy 0, the next for copy 1 and so on; a list has one for each copy.
        """
        mask = _mask(options, self.num_envs)
        seeds = self._seeds_of(seed)
        seen = self._batch.reset(seeds, mask)
        if seeds is not None:
            self._seeds = seeds
        if self._expert:
            self._expert._note(mask, seeds)
        return seen, {}

    def _seeds_of(self, seed: Any) -> Optional[np.ndarray]:
        if seed is None:
            return (
                None
                if self._batch.seeded
                else np.array([secrets.randbits(32) for _ in range(self.num_envs)], np.uint64)
            )
        if isinstance(seed, (list, tuple, np.ndarray)):
            if len(seed) != self.num_envs:
                raise ValueError(f"{len(seed)} seeds for {self.num_envs} environments")
            return np.array(
                [
                    secrets.randbits(32) if s is None else whole(s, "a seed", 0, SEED_MOST)
                    for s in seed
                ],
                np.uint64,
            )
        first = whole(seed, "the seed", 0, SEED_MOST - self.num_envs)
        return np.arange(first, first + self.num_envs, dtype=np.uint64)

    def step(
        self, actions: Any
    ) -> Tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray, Dict[str, Any]]:
        """One step of every copy."""
        chosen = _actions(actions, self.num_envs)
        seen, rewards, terminated, truncated = self._batch.step(chosen, self._finals)
        if self._expert:
            self._expert._stepped(terminated | truncated)
        infos = {} if self._finals is None else self._final_infos(terminated | truncated)
        return seen, rewards, terminated, truncated, infos

    def _final_infos(self, ended: np.ndarray) -> Dict[str, Any]:
        """What SAME_STEP would lose: the last observations, in Gymnasium's form."""
        if self._finals is None or not ended.any():
            return {}
        last = np.full(self.num_envs, None, object)
        for i in np.flatnonzero(ended):
            last[i] = self._finals[i].copy()
        return {"final_obs": last, "_final_obs": ended, "final_info": {}, "_final_info": ended}

    def expert(self, name: str = "bot", noise: float = 0.0, seed: int = 0) -> "Expert":
        """An expert that plays these copies: ``actions = expert(observations)``."""
        self._expert = Expert(self, name, noise, seed)
        return self._expert

    def snapshot(self) -> bytes:
        """The state of all copies, generators included."""
        out = ctypes.create_string_buffer(lib.slt_env_batch_snapshot_size(self._batch.pointer))
        with self._batch.context.used():
            lib.slt_env_batch_snapshot(self._batch.pointer, out)
        return out.raw

    def restore(self, state: bytes) -> np.ndarray:
        """Goes back to a snapshot of the same environment and size; the observations come back.

        An expert remembers nothing of what it saw before.
        """
        if not isinstance(state, bytes):
            raise TypeError(f"a snapshot is bytes, not {type(state).__name__}")
        self._batch.context.call(lib.slt_env_batch_restore, self._batch.pointer, state, len(state))
        self._batch.seeded = True
        if self._expert:
            self._expert._note(None, None)
        return self._batch.observe()

    def render(self) -> Optional[Tuple[str, ...]]:
        return (
            tuple(self._batch.draw(i) for i in range(self.num_envs))
            if self.render_mode == "ansi"
            else None
        )

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.id!r}, num_envs={self.num_envs})"


class Expert:
    """Plays the copies of a vector environment, asked before each of its steps.

    With ``noise`` 0 and the seeds of a recorded data set it plays the recorded episodes.
    """

    def __init__(self, envs: SlottarVectorEnv, name: str, noise: float, seed: int) -> None:
        pointer = ctypes.c_void_p()
        batch = envs._batch
        batch.context.call(
            lib.slt_expert_create,
            batch.pointer,
            to_bytes(name, "the expert's name"),
            float(noise),
            pointer,
        )
        self._handle = Handle(batch.context, pointer, lib.slt_expert_destroy, before=batch.handle)
        self._n, self._size = batch.n, int(np.prod(batch.shape))
        self._context = batch.context
        self._draw = np.random.default_rng(whole(seed, "the seed", 0, SEED_MOST))
        self._lag = envs.metadata["autoreset_mode"] is AutoresetMode.NEXT_STEP
        self._ended = np.zeros(self._n, bool)
        self._note(None, envs._seeds)

    def _note(self, mask: Optional[np.ndarray], seeds: Optional[np.ndarray]) -> None:
        """New episodes have begun."""
        if seeds is None:
            seeds = self._draw.integers(0, 2**32, self._n, dtype=np.uint64)
        words = (seeds & np.uint64(0xFFFFFFFF)).astype(np.uint32)
        with self._context.used():
            lib.slt_expert_begin(
                self._handle.pointer, words.ctypes.data, None if mask is None else mask.ctypes.data
            )
        self._ended = np.zeros(self._n, bool) if mask is None else self._ended & ~mask.view(bool)

    def _stepped(self, ended: np.ndarray) -> None:
        begun = self._ended if self._lag else ended
        self._ended = ended
        if begun.any():
            self._note(begun.copy(), None)
            self._ended = ended & ~begun

    def __call__(self, observations: np.ndarray) -> np.ndarray:
        """The next actions, to be carried out; -1: it gives up."""
        seen = np.ascontiguousarray(observations)
        if seen.dtype != np.uint8 or seen.size != self._n * self._size:
            raise ValueError(
                f"wants {self._n} observations of {self._size} bytes, "
                f"not {seen.dtype} {list(seen.shape)}"
            )
        actions = np.empty(self._n, np.int64)
        with self._context.used():
            check(lib.slt_expert_act(self._handle.pointer, seen.ctypes.data, actions.ctypes.data))
        return actions


class SlottarEnv(gymnasium.Env):
    """One environment: ``gymnasium.make("slottar/MiniGrid-DoorKey-8x8-v0")``."""

    metadata: Dict[str, Any] = {"render_modes": ["ansi"], "render_fps": 4}

    def __init__(self, id: str, render_mode: Optional[str] = None) -> None:
        self._prepare(_Batch(id, 1, AutoresetMode.DISABLED, 1), render_mode)

    def _prepare(self, batch: _Batch, render_mode: Optional[str]) -> None:
        self._batch = batch
        self.render_mode = _render_mode(render_mode)
        self.observation_space = self._batch.observation_space()
        self.action_space = self._batch.action_space()
        self.action_names = self._batch.action_names

    def reset(
        self, *, seed: Optional[int] = None, options: Optional[Dict[str, Any]] = None
    ) -> Tuple[np.ndarray, Dict]:
        super().reset(seed=seed)
        first = seed is None and not self._batch.seeded
        if first:
            seed = int(self.np_random.integers(2**32))
        seeds = (
            None if seed is None else np.array([whole(seed, "the seed", 0, SEED_MOST)], np.uint64)
        )
        return self._batch.reset(seeds, None)[0], {}

    def step(self, action: Any) -> Tuple[np.ndarray, float, bool, bool, Dict]:
        chosen = _actions(np.reshape(action, -1), 1)
        seen, rewards, terminated, truncated = self._batch.step(chosen)
        return seen[0], float(rewards[0]), bool(terminated[0]), bool(truncated[0]), {}

    def render(self) -> Optional[str]:
        return self._batch.draw(0) if self.render_mode == "ansi" else None


def _mode(mode: Union[str, AutoresetMode]) -> AutoresetMode:
    for known in AutoresetMode:
        if mode in (known, known.value, known.name):
            return known
    raise ValueError(f"no autoreset mode {mode!r}: {', '.join(m.name for m in AutoresetMode)}")


def _render_mode(mode: Optional[str]) -> Optional[str]:
    if mode not in (None, "ansi"):
        raise ValueError(f'no render mode {mode!r}: "ansi" or None')
    return mode


def _mask(options: Optional[Dict[str, Any]], count: int) -> Optional[np.ndarray]:
    mask = (options or {}).get("reset_mask")
    if mask is None:
        return None
    array = plain(mask, "reset_mask").astype(bool)
    if array.shape != (count,):
        raise ValueError(f"reset_mask is {list(array.shape)}, not [{count}]")
    return array


def _actions(actions: Any, count: int) -> np.ndarray:
    if not (
        isinstance(actions, np.ndarray) and actions.dtype == np.int64 and actions.flags.c_contiguous
    ):
        actions = integers(actions, "actions", np.int64)
    if actions.shape != (count,):
        raise ValueError(f"actions are {list(actions.shape)}, not [{count}]")
    return actions


def make_vec(
    id: str,
    num_envs: int = 1,
    *,
    autoreset_mode: Union[str, AutoresetMode] = AutoresetMode.NEXT_STEP,
    threads: Optional[int] = None,
    render_mode: Optional[str] = None,
) -> SlottarVectorEnv:
    """Many copies of one environment, a ``gymnasium.vector.VectorEnv``; :func:`env_ids` lists the
    ids."""
    return SlottarVectorEnv(
        id, num_envs, autoreset_mode=autoreset_mode, threads=threads, render_mode=render_mode
    )
