"""A bar: tqdm's where it is installed, else a line per piece of news.

SPDX-License-Identifier: MIT
Copyright (c) 2026 the slottar authors
"""

from __future__ import annotations

import sys
from typing import Any

from ._work import Progress


class Bar:
    """A callback that shows how far a long call is."""

    def __init__(self, title: str = "", enabled: bool = True, unit: str = "step") -> None:
        self._bar: Any = None
        if enabled:
            try:
                from tqdm.auto import tqdm

                self._bar = tqdm(desc=title, unit=unit)
            except ImportError:
                pass

    def __call__(self, report: Progress) -> None:
        if self._bar is None:
            if report.news:
                print(report.news, file=sys.stderr)
            return
        self._bar.total = report.total or None
        self._bar.update(max(0, report.done - self._bar.n))
        if report.news:
            self._bar.set_postfix_str(report.news)

    def __enter__(self) -> "Bar":
        return self

    def __exit__(self, *_: Any) -> None:
        if self._bar is not None:
            self._bar.close()
