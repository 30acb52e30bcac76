"""Data sets of other packages: Minari, npz, and whatever a Gymnasium environment does.

SPDX-License-Identifier: MIT
Copyright (c) 2026 the slottar authors
"""

from __future__ import annotations

import os
from typing import Any, Callable, Dict, List, Optional

import numpy as np

from ._extras import extra
from ._library import PathLike, whole
from .building import build
from .data import Dataset, load


def from_npz(path: PathLike) -> Dataset:
    """Reads an npz archive with the arrays of docs/formats.md."""
    return load(path)


def from_minari(source: Any) -> Dataset:
    """A Minari data set: a ``minari.MinariDataset``, an id that is stored here, or a folder."""
    storage = getattr(source, "storage", None)
    if storage is not None:
        return load(_folder(str(storage.data_path)))
    if os.path.exists(os.fspath(source)):
        return load(_folder(os.fspath(source)))
    return load(_folder(_minari_path(source)))


def _minari_path(id: str) -> str:
    """Where Minari keeps a data set of that id."""
    try:
        from minari.storage.datasets_root_dir import get_dataset_path
    except ImportError:
        raise FileNotFoundError(
            f"{id}: no such folder; ids are looked up by the package minari, which is missing"
        ) from None
    return str(get_dataset_path(id))


def _folder(path: str) -> str:
    """The folder that holds data/main_data.hdf5."""
    path = path.rstrip("/")
    return os.path.dirname(path) if os.path.basename(path) == "data" else path


def to_minari(data: Dataset, target: PathLike, *, overwrite: bool = False) -> str:
    """Writes a Minari data set and says where: into a folder that is named (with a / in front or at
    its end), else under that id, ``craft/full-v0`` say, where Minari finds it. Labels are in
    ``infos/segment``. What exists is kept unless ``overwrite``."""
    name = os.fspath(target)
    is_folder = (
        name.endswith("/")
        or os.path.isabs(name)
        or name.startswith(".")
        or not isinstance(target, str)
    )
    path = name.rstrip("/") if is_folder else _minari_path(name)
    os.makedirs(os.path.dirname(os.path.abspath(path)), exist_ok=True)
    data.save(path + "/", overwrite=overwrite)
    return path


# ---- playing

Policy = Callable[[Any], Any]


def from_gymnasium(
    env: Any,
    policy: Optional[Policy] = None,
    *,
    episodes: int = 10,
    seed: int = 0,
    longest: Optional[int] = None,
    segment: Optional[str] = None,
    path: Optional[PathLike] = None,
    overwrite: bool = False,
) -> Dataset:
    """Plays an environment, or the one of that id, and records it.

    ``policy`` maps an observation to an action; None plays at random. Episode i starts with seed +
    i. ``segment`` is the key of the info that says the true segment of a step. Observations that
    are no plain arrays (Dict, Tuple, Discrete) are flattened as Gymnasium does. ``longest`` cuts
    episodes.
    """
    gymnasium = extra("gymnasium", "from_gymnasium")

    made = isinstance(env, str)
    env = gymnasium.make(env) if made else env
    count = whole(episodes, "episodes", 1, 2**40)
    try:
        env.action_space.seed(seed)
        rows = [
            _play(env, policy, whole(seed + i, "seed", 0, 2**63 - 1), longest, segment)
            for i in range(count)
        ]
        space, spec = env.action_space, getattr(env, "spec", None)
    finally:
        if made:
            env.close()
    discrete = isinstance(space, gymnasium.spaces.Discrete)
    about = {
        "environment": getattr(spec, "id", None),
        "expert": "random" if policy is None else getattr(policy, "__name__", "policy"),
        "action_count": int(space.n) if discrete else None,
    }
    return build(rows, about, None, path, overwrite)


def _play(
    env: Any, policy: Optional[Policy], seed: int, longest: Optional[int], segment: Optional[str]
) -> Dict[str, Any]:
    """One episode."""
    seen, _ = env.reset(seed=seed)
    rows: Dict[str, List[Any]] = {"actions": [], "observations": [], "rewards": [], "segments": []}
    terminated = truncated = False
    while not (terminated or truncated):
        action = env.action_space.sample() if policy is None else policy(seen)
        rows["actions"].append(_action(env.action_space, action))
        rows["observations"].append(_observation(env.observation_space, seen))
        seen, reward, terminated, truncated, info = env.step(action)
        rows["rewards"].append(float(reward))
        if segment is not None:
            rows["segments"].append(info[segment])
        truncated = bool(truncated) or (longest is not None and len(rows["actions"]) >= longest)
    out: Dict[str, Any] = {name: np.array(values) for name, values in rows.items() if values}
    return {
        **out,
        "final_observation": _observation(env.observation_space, seen),
        "terminated": bool(terminated),
        "truncated": bool(truncated),
        "seed": seed,
    }


def _action(space: Any, action: Any) -> Any:
    from gymnasium import spaces

    if isinstance(space, spaces.Discrete):
        return int(action) - int(space.start)
    return np.asarray(spaces.flatten(space, action), np.float32)


def _observation(space: Any, value: Any) -> np.ndarray:
    from gymnasium import spaces

    if isinstance(space, spaces.Box) and space.shape:
        return np.array(value)
    flat = spaces.flatten(space, value)
    return np.atleast_1d(np.asarray(flat, np.float32))
