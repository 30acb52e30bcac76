"""The library's rule for outputs (slottar/output.h): an input is never written over, and what exists
is kept unless ``overwrite`` is set.

SPDX-License-Identifier: MIT
Copyright (c) 2026 the slottar authors
"""

from __future__ import annotations

import ctypes
import os
from typing import Any, Iterable

from . import _declarations as c
from ._library import PathLike, check, lib, path_bytes
from ._work import Context


def _request(path: PathLike, inputs: Iterable[PathLike], overwrite: bool, folder: bool) -> Any:
    names = [path_bytes(one) for one in inputs]
    array = (ctypes.c_char_p * max(len(names), 1))(*names)
    return c.slt_output_request(
        path=path_bytes(path),
        folder=folder,
        overwrite=overwrite,
        inputs=ctypes.cast(array, ctypes.POINTER(ctypes.c_char_p)),
        input_count=len(names),
    )


def check_output(
    path: PathLike, inputs: Iterable[PathLike], overwrite: bool, *, folder: bool = False
) -> None:
    """Raises ExistsError, or InvalidError for an output that is an input."""
    check(lib.slt_output_check(_request(path, inputs, overwrite, folder)))


def write_file(path: PathLike, content: bytes, inputs: Iterable[PathLike], overwrite: bool) -> str:
    """Writes a file, whole or not at all."""
    context, output = Context(), ctypes.c_void_p()
    request = _request(path, inputs, overwrite, False)
    with context.used():
        check(lib.slt_output_open(context.pointer, request, output))
        lib.slt_output_write(output, content, len(content))
        check(lib.slt_output_commit(output))
    return os.fsdecode(path_bytes(path))
