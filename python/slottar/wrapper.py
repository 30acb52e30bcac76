"""A Gymnasium wrapper that says in which segment the agent is.

SPDX-License-Identifier: MIT
Copyright (c) 2026 the slottar authors
"""

from __future__ import annotations

from typing import Any, Dict, Optional, Tuple

import gymnasium

from .stream import End, Event, Stream


class SegmentInfo(gymnasium.Wrapper):
    """Puts the present segment into ``info``.

    A step is what was observed and the action taken then. ``info["segment"]`` is the number of the
    present segment from 0, ``info["segment_event"]`` the whole :class:`slottar.stream.Event`; in
    the last step of an episode ``info["segment_end"]`` has the boundaries that were left.
    ``observe`` makes what the model reads out of an observation.
    """

    def __init__(
        self, env: Any, model: Any, lag: int = 5, endless: bool = False, observe: Any = None
    ) -> None:
        super().__init__(env)
        self.stream: Stream = model.stream(lag=lag, endless=endless)
        self._observe = observe if observe is not None else lambda observation: observation
        self._seen: Any = None

    def reset(
        self, *, seed: Optional[int] = None, options: Optional[Dict[str, Any]] = None
    ) -> Tuple[Any, Dict[str, Any]]:
        self.stream.finish()
        self._seen, info = self.env.reset(seed=seed, options=options)
        return self._seen, info

    def step(self, action: Any) -> Tuple[Any, Any, bool, bool, Dict[str, Any]]:
        event: Event = self.stream.push(self._observe(self._seen), action)
        self._seen, reward, terminated, truncated, info = self.env.step(action)
        info = {**info, "segment": event.segment, "segment_event": event}
        if terminated or truncated:
            end: End = self.stream.finish()
            info["segment_end"] = end
        return self._seen, reward, terminated, truncated, info

    def close(self) -> None:
        self.stream.close()
        super().close()
