"""NumPy arrays over the library's memory, and the library's kinds of numbers from the user's.

SPDX-License-Identifier: MIT
Copyright (c) 2026 the slottar authors
"""

from __future__ import annotations

import ctypes
from typing import Any, Optional, Sequence, Tuple

import numpy as np


class _Memory:
    """What NumPy needs to know of memory that somebody else owns; keeps the owner alive."""

    def __init__(self, owner: Any, address: int, shape: Tuple[int, ...], dtype: np.dtype) -> None:
        self.owner = owner
        self.__array_interface__ = {
            "version": 3,
            "data": (address, True),
            "shape": shape,
            "typestr": dtype.str,
        }


def view(owner: Any, address: Optional[int], shape: Sequence[int], dtype: Any) -> Any:
    """A read-only array over memory of ``owner``, without a copy; None for NULL."""
    shape, dtype = tuple(int(n) for n in shape), np.dtype(dtype)
    if not address:
        return None
    return np.asarray(_Memory(owner, address, shape, dtype))


def taken(address: Optional[int], shape: Sequence[int], dtype: Any) -> Any:
    """A copy of memory that is only valid now."""
    borrowed = view(None, address, shape, dtype)
    return None if borrowed is None else borrowed.copy()


def integers(values: Any, what: str, dtype: Any = np.int32) -> np.ndarray:
    """Whole numbers, one per step, in the library's type."""
    array = plain(values, what)
    if array.dtype == bool or not np.issubdtype(array.dtype, np.integer):
        raise TypeError(f"{what} are whole numbers, not {array.dtype}")
    limits = np.iinfo(dtype)
    if array.size and (array.min() < limits.min or array.max() > limits.max):
        raise ValueError(f"{what} are outside of {limits.min} to {limits.max}")
    return np.ascontiguousarray(array, dtype=dtype)


def plain(values: Any, what: str) -> np.ndarray:
    """An array of numbers, of whatever type."""
    try:
        array = np.asarray(values)
    except ValueError as problem:
        raise ValueError(f"{what}: {problem}") from None
    if array.dtype.kind not in "biuf":
        raise TypeError(f"{what} are numbers, not {array.dtype}")
    return array


def reals(values: Any, what: str) -> np.ndarray:
    """Numbers as floats."""
    with np.errstate(over="ignore"):
        return np.ascontiguousarray(plain(values, what), dtype=np.float32)


def address(array: Optional[np.ndarray]) -> Optional[int]:
    """Where an array's numbers are; the caller keeps the array alive."""
    return None if array is None else array.ctypes.data


def pointer(array: np.ndarray) -> ctypes.c_void_p:
    return ctypes.c_void_p(array.ctypes.data)
