"""Contexts and handles of the C library, and long calls that obey Ctrl-C.

Every handle has a context of its own, used by one thread at a time. A long call runs in a thread of
its own, without the interpreter's lock; the caller waits, hears its progress and may be
interrupted: then the library is asked to stop, finishes its files and returns.

SPDX-License-Identifier: MIT
Copyright (c) 2026 the slottar authors
"""

from __future__ import annotations

import ctypes
import logging
import os
import queue
import threading
import warnings
import weakref
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Callable, Iterator, List, Optional

from . import _declarations as c
from ._library import check, last_message, lib, text, to_bytes, whole
from .errors import error_of

logger = logging.getLogger("slottar")
SEED_MOST = 2**64 - 1


@dataclass(frozen=True)
class Progress:
    """One report of a long call: ``done`` of ``total`` units (0: unknown); ``news`` a sentence or
    ''."""

    stage: str
    done: int
    total: int
    news: str


# hears a report; True asks the call to stop
Watcher = Callable[[Progress], Any]

_LEVELS = {c.SLT_LOG_INFO: logging.INFO, c.SLT_LOG_WARNING: logging.WARNING}
_HOOKS: Any = {field[0]: field[1] for field in c.slt_context_options._fields_}
_LogHook, _ProgressHook = _HOOKS["log"], _HOOKS["progress"]


@_LogHook
def _log(_user: Any, level: int, message: bytes) -> None:
    logger.log(_LEVELS.get(level, logging.INFO), "%s", text(message))


def _hearer(events: "queue.SimpleQueue[Optional[Progress]]") -> Callable[[Any, Any], None]:
    def hear(_user: Any, report: Any) -> None:
        r = report.contents
        events.put(Progress(text(r.stage) or "", r.done, r.total, text(r.news) or ""))

    return hear


def _free(destroy: Callable[[Any], None], pointer: Any, pid: int, _keep: Any) -> None:
    """Destroys a handle where it was made; a forked child must leave it alone."""
    if os.getpid() == pid:
        destroy(pointer)


class Context:
    """Threads, device and hooks of a piece of work. ``threads`` None or -1: one per core."""

    def __init__(
        self,
        threads: Optional[int] = 1,
        device: Optional[str] = None,
        precision: Optional[str] = None,
        watched: bool = False,
    ) -> None:
        every = threads is None or threads == -1
        self.threads = 0 if every else whole(threads, "threads", 1, 1024)
        self._events: "queue.SimpleQueue[Optional[Progress]]" = queue.SimpleQueue()
        self._hook = _ProgressHook(_hearer(self._events)) if watched else _ProgressHook()
        options = c.slt_context_options(
            threads=self.threads,
            log=_log,
            progress=self._hook,
            device=to_bytes(device, "device"),
            precision=to_bytes(precision, "precision"),
        )
        pointer = ctypes.c_void_p()
        check(lib.slt_context_create(options, pointer))
        self.pointer = pointer
        self.device = lib.slt_context_device(pointer).decode()
        if device == "auto" and self.device == "cpu":
            warnings.warn(f"device auto: the CPU; {last_message()}", stacklevel=4)
        self._pid = os.getpid()
        self._lock = threading.Lock()
        self._owner: Optional[int] = None
        self._finalizer = weakref.finalize(
            self, _free, lib.slt_context_destroy, pointer, self._pid, self._hook
        )

    @contextmanager
    def used(self) -> Iterator[None]:
        """One thread at a time."""
        if self.threads != 1 and os.getpid() != self._pid:
            raise RuntimeError(
                "made before a fork: its threads are in the other process; make it anew here"
            )
        if self._owner == threading.get_ident():
            raise RuntimeError("this object is at work; it cannot be called from its own callback")
        with self._lock:
            self._owner = threading.get_ident()
            try:
                yield
            finally:
                self._owner = None

    def call(
        self, function: Callable[..., int], *arguments: Any, path: Optional[str] = None
    ) -> None:
        """A short call."""
        with self.used():
            check(function(*arguments), path)

    def run(
        self,
        function: Callable[..., int],
        *arguments: Any,
        watch: Optional[Watcher] = None,
        path: Optional[str] = None,
    ) -> None:
        """A long call; ``watch`` hears its progress in the calling thread."""
        with self.used():
            self._run(function, arguments, watch, path)

    def _run(
        self,
        function: Callable[..., int],
        arguments: Any,
        watch: Optional[Watcher],
        path: Optional[str],
    ) -> None:
        outcome: List[Any] = []

        def work() -> None:
            try:
                status = function(*arguments)
                outcome.append((status, last_message()))
            except BaseException as problem:  # ctypes refuses an argument
                outcome.append((c.SLT_INVALID, repr(problem)))
            self._events.put(None)  # wakes the caller

        thread = threading.Thread(target=work, name="slottar", daemon=True)
        try:
            thread.start()
            stopped = self._wait(thread, outcome, watch)
        finally:
            self._join(thread, outcome)
        status, message = outcome[0]
        if stopped:
            raise stopped[0]
        if status != c.SLT_OK:
            raise error_of(lib.slt_status_name(status).decode(), message, path)

    def _wait(
        self, thread: threading.Thread, outcome: List[Any], watch: Optional[Watcher]
    ) -> List[BaseException]:
        """Hands reports to the watcher until the work is done; what stopped it comes back."""
        stopped: List[BaseException] = []
        while thread.is_alive() and not outcome or not self._events.empty():
            try:
                report = self._events.get(timeout=0.2)
                if report and watch and not stopped and watch(report) is True:
                    lib.slt_context_cancel(self.pointer)
            except queue.Empty:
                pass
            except BaseException as problem:  # Ctrl-C, or the watcher's own
                lib.slt_context_cancel(self.pointer)
                stopped.append(problem)
        return stopped

    def _join(self, thread: threading.Thread, outcome: List[Any]) -> None:
        """The context is free again, whatever happens meanwhile."""
        while thread.is_alive():
            try:
                if not outcome:
                    lib.slt_context_cancel(self.pointer)
                thread.join()
            except KeyboardInterrupt:
                continue
        while not self._events.empty():
            self._events.get()
        lib.slt_context_resume(self.pointer)


class Handle:
    """Something of the library's that lives in a context, until nobody needs it any more."""

    def __init__(
        self,
        context: Context,
        pointer: ctypes.c_void_p,
        destroy: Callable[[Any], None],
        before: Optional["Handle"] = None,
    ) -> None:
        """``before``: is destroyed before that one."""
        self.context = context
        self.pointer = pointer
        self.kept: Any = None  # what must live as long
        keep = (context, before)
        self._finalizer = weakref.finalize(self, _free, destroy, pointer, os.getpid(), keep)

    def close(self) -> None:
        """Destroys it now; only for handles without views."""
        self._finalizer()


@contextmanager
def both(first: Context, second: Context) -> Iterator[None]:
    """Two contexts at once, always in the same order."""
    one, other = sorted((first, second), key=id)
    with one.used(), other.used():
        yield
