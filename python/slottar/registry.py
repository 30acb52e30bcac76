"""The environments by name, for Gymnasium's registry.

SPDX-License-Identifier: MIT
Copyright (c) 2026 the slottar authors
"""

from __future__ import annotations

from typing import Any, Dict, List

from . import _declarations as c
from ._library import lib, text


def env_info() -> Dict[str, Dict[str, Any]]:
    """Every environment: actions, shape of an observation, step limit."""
    out: Dict[str, Dict[str, Any]] = {}
    for i in range(lib.slt_env_count()):
        info = c.slt_env_info()
        lib.slt_env_describe(i, info)
        out[text(info.id)] = {
            "actions": [text(info.action_names[k]) for k in range(info.actions)],
            "shape": tuple(info.shape[: info.rank]),
            "step_limit": info.step_limit,
        }
    return out


def env_ids() -> List[str]:
    """The ids of all environments."""
    return list(env_info())


def register() -> None:
    """Tells Gymnasium of all environments, as slottar/ID, where it is installed."""
    try:
        import gymnasium.envs.registration as registration
    except ImportError:
        return

    for id in env_ids():
        if f"slottar/{id}" not in registration.registry:
            registration.register(
                f"slottar/{id}",
                entry_point="slottar.envs:SlottarEnv",
                vector_entry_point="slottar.envs:SlottarVectorEnv",
                kwargs={"id": id},
            )
