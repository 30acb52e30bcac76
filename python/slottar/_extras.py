"""Packages that slottar can do without: asked for when they are needed, by the name of the extra.

SPDX-License-Identifier: MIT
Copyright (c) 2026 the slottar authors
"""

from __future__ import annotations

from importlib import import_module
from typing import Any

#: extras of pyproject.toml that bring a package
EXTRAS = {
    "gymnasium": "envs",
    "matplotlib": "plot",
    "minari": "minari",
    "optuna": "optuna",
    "pandas": "pandas",
    "pyarrow": "lerobot",
}


def missing(what: str, package: str) -> ImportError:
    """Says what to install."""
    extra = f"slottar[{EXTRAS[package]}]" if package in EXTRAS else package
    return ImportError(f"{what} needs the package {package}: pip install '{extra}'", name=package)


def extra(module: str, what: str) -> Any:
    """A module of an optional package."""
    try:
        return import_module(module)
    except ModuleNotFoundError as absent:
        raise missing(what, (absent.name or module).split(".")[0]) from absent
