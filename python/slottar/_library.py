"""The C library: found next to this file, loaded once, its functions typed by the generated
declarations.

SPDX-License-Identifier: MIT
Copyright (c) 2026 the slottar authors
"""

from __future__ import annotations

import ctypes
import os
import re
from pathlib import Path
from typing import Any, Optional, Union, overload

from .errors import error_of

try:
    from . import _declarations as c
except ImportError as absent:
    where = Path(__file__).parent
    raise ImportError(f"{where} is source alone: `pip install .` makes the package") from absent

PathLike = Union[str, "os.PathLike[str]"]


def _load() -> ctypes.CDLL:
    path = os.environ.get("SLOTTAR_LIBRARY") or str(Path(__file__).with_name("libslottar.so"))
    try:
        return ctypes.CDLL(path)
    except OSError as problem:
        missing = re.match(r"(lib[^/:]+): ", str(problem))
        if missing and "libslottar" not in missing.group(1):
            raise ImportError(
                f"slottar needs the shared library {missing.group(1)}, which is not installed; "
                "install the system's package that has it, or a wheel that carries it"
            ) from problem
        raise ImportError(f"slottar: its library {path} cannot be loaded: {problem}") from problem


class _Functions:
    """The library's functions as attributes: ``lib.slt_version()``."""

    def __init__(self, library: ctypes.CDLL) -> None:
        for name, (result, arguments) in c.FUNCTIONS.items():
            try:
                function = getattr(library, name)
            except AttributeError:
                raise ImportError(
                    f"slottar: {library._name} has no {name}: it is of another version"
                ) from None
            function.restype, function.argtypes = result, arguments
            setattr(self, name, function)

    def __getattr__(self, name: str) -> Any:
        raise AttributeError(name)


lib = _Functions(_load())
version: str = lib.slt_version().decode()


def check(status: int, path: Optional[str] = None) -> None:
    """Raises the exception of a status other than OK; to be called in the thread that got it."""
    if status != c.SLT_OK:
        raise error_of(lib.slt_status_name(status).decode(), last_message(), path)


def last_message() -> str:
    return lib.slt_last_error().decode("utf-8", "replace")


@overload
def text(value: bytes) -> str: ...
@overload
def text(value: None) -> None: ...


def text(value: Optional[bytes]) -> Optional[str]:
    """A text of the library; None stays None."""
    return None if value is None else value.decode("utf-8", "replace")


def to_bytes(value: Any, what: str) -> Optional[bytes]:
    """A text for the library; None stays None."""
    return None if value is None else needed(value, what)


def needed(value: Any, what: str) -> bytes:
    """A text for the library, which expects one."""
    if not isinstance(value, str):
        raise TypeError(f"{what} is a text, not {type(value).__name__}")
    if "\0" in value:
        raise ValueError(f"{what} holds a zero byte")
    return value.encode("utf-8", "surrogateescape")


def path_bytes(path: PathLike, what: str = "the path") -> bytes:
    """A path for the library."""
    if not isinstance(path, (str, os.PathLike)):
        raise TypeError(f"{what} is a text or a path, not {type(path).__name__}")
    name = os.fsencode(path)
    if b"\0" in name:
        raise ValueError(f"{what} holds a zero byte")
    if not name:
        raise ValueError(f"{what} is empty")
    return name


def whole(value: Any, what: str, low: int, high: int) -> int:
    """A whole number within bounds."""
    try:
        number = value.__index__()
    except AttributeError:
        raise TypeError(f"{what} is a whole number, not {type(value).__name__}") from None
    if isinstance(value, bool) or not low <= number <= high:
        raise ValueError(f"{what} is {value!r}, not {low} to {high}")
    return number


def texts(values: Any, what: str) -> "ctypes.Array[ctypes.c_char_p]":
    """An array of texts for the library."""
    encoded = [needed(value, what) for value in values]
    return (ctypes.c_char_p * max(len(encoded), 1))(*encoded)
