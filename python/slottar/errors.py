"""The library's status codes as exceptions, each with the library's sentence.

SPDX-License-Identifier: MIT
Copyright (c) 2026 the slottar authors
"""

from __future__ import annotations

import errno
import os
from typing import Optional


class SlottarError(Exception):
    """Anything the library refuses or fails at; ``code`` is the status' name, ``"FORMAT"`` say."""

    code = "INTERNAL"


class InvalidError(SlottarError, ValueError):
    """An argument makes no sense."""

    code = "INVALID"


class ShapeError(SlottarError, ValueError):
    """Shapes do not fit: another number of actions, an observation of another size."""

    code = "SHAPE"


class OutOfRangeError(SlottarError, ValueError):
    """A value is out of range."""

    code = "RANGE"


class NoMemoryError(SlottarError, MemoryError):
    """Out of memory."""

    code = "NOMEM"


class InputOutputError(SlottarError, OSError):
    """A file could not be read or written."""

    code = "IO"


class NoFileError(InputOutputError, FileNotFoundError):
    """There is no such file."""


class ExistsError(SlottarError, FileExistsError):
    """An output exists, and ``overwrite`` is not set."""

    code = "EXISTS"


class FormatError(SlottarError, ValueError):
    """A file is damaged or of another format."""

    code = "FORMAT"


class UnsupportedError(SlottarError, NotImplementedError):
    """The library, or this build of it, does not do that."""

    code = "UNSUPPORTED"


class DeviceError(SlottarError, RuntimeError):
    """A device failed or is missing."""

    code = "DEVICE"


class CancelledError(SlottarError, RuntimeError):
    """A long call was asked to stop."""

    code = "CANCELLED"


class DivergedError(SlottarError, ArithmeticError):
    """Training gave numbers that are not finite; the last good checkpoint stays."""

    code = "DIVERGED"


class InternalError(SlottarError, RuntimeError):
    """A mistake in the library; please report it."""


KINDS = {
    kind.code: kind
    for kind in (
        InvalidError,
        ShapeError,
        OutOfRangeError,
        NoMemoryError,
        InputOutputError,
        ExistsError,
        FormatError,
        UnsupportedError,
        DeviceError,
        CancelledError,
        DivergedError,
        InternalError,
    )
}


def error_of(code: str, message: str, path: Optional[str] = None) -> SlottarError:
    """The exception for a status; ``path`` is the file that was read, if one was."""
    kind = KINDS.get(code, InternalError)
    if kind is InputOutputError and path is not None and not os.path.exists(path):
        return NoFileError(errno.ENOENT, message)
    return kind(message)
