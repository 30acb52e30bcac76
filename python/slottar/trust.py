"""How far to trust segments that no label was compared with.

SPDX-License-Identifier: MIT
Copyright (c) 2026 the slottar authors
"""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import Any, Optional, Tuple

from ._library import text


class DoubtWarning(UserWarning):
    """The segments of a model may be wrong; the sentences say why."""


@dataclass(frozen=True)
class Trust:
    """The verdict that the command, ``slottar info`` and the report show, too."""

    #: 0 to 1, at most 0.5 when doubtful; None: unknown, there was nothing to compare
    trust: Optional[float]
    #: a warning gives a reason why the segments may be wrong
    doubtful: bool
    #: confidence was calibrated against other restarts on held-out episodes
    calibrated: bool
    #: sentences; some only inform
    warnings: Tuple[str, ...]

    @classmethod
    def _of(cls, raw: Any) -> "Trust":
        return cls(
            raw.trust if raw.trust == raw.trust else None,
            raw.doubtful,
            raw.calibrated,
            tuple(text(raw.warnings[i].value) for i in range(raw.warning_count)),
        )

    def __str__(self) -> str:
        number = "unknown" if self.trust is None else f"{self.trust:.2f}"
        verdict = f"trust {number}{', doubtful' if self.doubtful else ''}"
        return ": ".join([verdict, "; ".join(self.warnings)] if self.warnings else [verdict])

    def warn(self, depth: int) -> None:
        """A :class:`DoubtWarning` in the caller's name, if there is doubt."""
        if self.doubtful:
            warnings.warn(str(self), DoubtWarning, stacklevel=depth + 1)
