"""Data sets: recorded episodes in a mapped file, seen through NumPy without copies.

    data = slottar.load("demos.safetensors")
    data.actions, data.observations          # all steps, one after another
    for episode in data: episode.actions     # one trajectory

SPDX-License-Identifier: MIT
Copyright (c) 2026 the slottar authors
"""

from __future__ import annotations

import ctypes
import os
import shutil
import tempfile
import weakref
from pathlib import Path
from typing import (
    Any,
    Dict,
    Iterator,
    List,
    NamedTuple,
    Optional,
    Sequence,
    Tuple,
    Union,
    overload,
)

import numpy as np

from . import _declarations as c
from ._arrays import view
from ._library import PathLike, check, lib, needed, path_bytes, text, texts, to_bytes, whole
from ._work import SEED_MOST, Context, Handle, Watcher
from .errors import error_of

SPLITS = tuple(lib.slt_split_name(k).decode() for k in range(c.SLT_SPLITS))

# types of the fields of slt_episode with a number per step
_STEP_TYPES = {
    "u8": np.uint8,
    "i32": np.int32,
    "f32": np.float32,
    "rewards": np.float32,
    "segments": np.int32,
    "subtasks": np.int32,
}


class Episode:
    """One trajectory of a data set. Arrays are read-only views into the file; what is not there is
    None."""

    def __init__(self, data: "Dataset", index: int) -> None:
        raw = c.slt_episode()
        data._handle.context.call(lib.slt_dataset_episode, data._handle.pointer, index, raw)
        self._data, self._raw = data, raw
        self.index: int = raw.index
        self.split: str = SPLITS[raw.split]

    def __len__(self) -> int:
        return self._raw.length

    def _view(self, address: Optional[int], shape: Sequence[int], dtype: Any) -> Any:
        return view(self._data._handle, address, shape, dtype)

    @property
    def actions(self) -> np.ndarray:
        """[steps] whole numbers, or [steps, size] floats."""
        raw, T = self._raw, len(self)
        if raw.actions_f32:
            return self._view(raw.actions_f32, (T, self._data._info.action_size), np.float32)
        narrow = self._view(raw.actions_u8, (T,), np.uint8)
        return narrow if narrow is not None else self._view(raw.actions_i32, (T,), np.int32)

    @property
    def observations(self) -> Optional[np.ndarray]:
        """[steps, ...]; observations stored as places of ones are spread out, which is a copy."""
        raw, shape = self._raw, (len(self), *self._data.observation_shape)
        if raw.ones:
            return self._spread(raw.ones, np.asarray(self.ones_offsets))
        narrow = self._view(raw.observations_u8, shape, np.uint8)
        return narrow if narrow is not None else self._view(raw.observations_f32, shape, np.float32)

    @property
    def ones_offsets(self) -> Optional[np.ndarray]:
        """Where each step's ones start in ``ones``, [steps + 1]; None unless stored so."""
        return self._view(self._raw.ones_offsets, (len(self) + 1,), np.int64)

    @property
    def final_observation(self) -> Optional[np.ndarray]:
        """The observation after the last step."""
        raw, shape = self._raw, self._data.observation_shape
        if not self._data._info.has_finals:
            return None
        if self._data._info.observation_kind == c.SLT_OBSERVATIONS_BITS:
            offsets = np.array([0, raw.final_count])
            return self._spread(raw.final_ones, offsets)[0]
        narrow = self._view(raw.final_u8, shape, np.uint8)
        return narrow if narrow is not None else self._view(raw.final_f32, shape, np.float32)

    def _spread(self, ones: Optional[int], offsets: np.ndarray) -> np.ndarray:
        """Rows of zeros and ones, uint8."""
        out = np.zeros((len(offsets) - 1, self._data._info.observation_size), np.uint8)
        if offsets[-1] > offsets[0]:
            places = self._view(ones, (offsets[-1],), np.uint16)[offsets[0] :]
            out[np.repeat(np.arange(len(out)), np.diff(offsets)), places] = 1
        return out

    @property
    def rewards(self) -> Optional[np.ndarray]:
        return self._view(self._raw.rewards, (len(self),), np.float32)

    @property
    def segments(self) -> Optional[np.ndarray]:
        """The true segment of every step; -1: unknown."""
        return self._view(self._raw.segments, (len(self),), np.int32)

    @property
    def subtasks(self) -> Optional[np.ndarray]:
        """Which sub-task the segment of every step completes; -1: none."""
        return self._view(self._raw.subtasks, (len(self),), np.int32)

    @property
    def terminated(self) -> bool:
        return self._raw.terminated

    @property
    def truncated(self) -> bool:
        return self._raw.truncated

    @property
    def task(self) -> int:
        """-1: unknown."""
        return self._raw.task

    @property
    def seed(self) -> int:
        """-1: unknown."""
        return self._raw.seed

    def __reduce__(self) -> Any:
        return Episode, (self._data, self.index)

    def __repr__(self) -> str:
        return f"<slottar.Episode {self.index}: {len(self)} steps, {self.split}>"


class Channel(NamedTuple):
    """One number of a continuous action; ``kind`` is "constant", "binary" or "continuous"."""

    name: Optional[str]
    kind: str
    least: float
    most: float
    mean: float
    deviation: float


class Dataset:
    """Recorded episodes. Made by :func:`load`, :func:`from_arrays` and their like."""

    _origin: Optional[str] = None  # the LeRobot folder that it was read from

    def __init__(self, path: PathLike, *, folder: Optional["TemporaryFolder"] = None) -> None:
        name = path_bytes(path)
        context, pointer = Context(), ctypes.c_void_p()
        context.run(lib.slt_dataset_open, context.pointer, name, pointer, path=os.fsdecode(name))
        self._adopt(context, pointer, folder, in_memory=False)

    def _adopt(
        self, context: Context, pointer: Any, folder: Optional["TemporaryFolder"], in_memory: bool
    ) -> None:
        self._handle = Handle(context, pointer, lib.slt_dataset_close)
        self._folder = folder  # of a data set that was made here: goes with it
        self._in_memory = in_memory
        self._info = lib.slt_dataset_about(pointer).contents

    @classmethod
    def _of_arrays(cls, arrays: Any, kept: Any) -> "Dataset":
        """A data set over arrays in memory, which live as long as it: no file."""
        data = cls.__new__(cls)
        context, pointer = Context(), ctypes.c_void_p()
        context.call(lib.slt_dataset_view_arrays, context.pointer, arrays, pointer)
        data._adopt(context, pointer, None, in_memory=True)
        data._handle.kept = kept
        return data

    # ---- what it is

    @property
    def path(self) -> str:
        """Of the file, with the choice of columns after a ``?``. A data set in memory is written to
        a temporary file when its path is asked for."""
        if not self._in_memory:
            return os.fsdecode(lib.slt_dataset_path(self._handle.pointer))
        if self._folder is None:
            folder = TemporaryFolder()
            self.save(folder.file("data.safetensors"))
            self._folder = folder
        return self._folder.file("data.safetensors")

    @property
    def steps(self) -> int:
        """Of all episodes."""
        return self._info.steps

    @property
    def longest(self) -> int:
        """Steps of the longest episode."""
        return self._info.longest

    @property
    def discrete(self) -> bool:
        return self._info.action_kind == c.SLT_ACTIONS_DISCRETE

    @property
    def action_count(self) -> Optional[int]:
        """Discrete actions are 0 to action_count - 1; None for continuous ones."""
        return self._info.action_count if self.discrete else None

    @property
    def action_names(self) -> Optional[List[str]]:
        """Of discrete actions, or of the numbers of a continuous one."""
        count = self._info.action_count if self.discrete else self._info.action_size
        return _names(self._info.action_names, count)

    @property
    def observation_names(self) -> Optional[List[str]]:
        """Of the numbers of an observation."""
        return _names(self._info.observation_names, self._info.observation_size)

    @property
    def subtask_names(self) -> Optional[List[str]]:
        """Of the sub-tasks that segments complete; None where the data does not say it."""
        return _names(self._info.subtask_names, self._info.subtask_count)

    @property
    def channels(self) -> Optional[List[Channel]]:
        """The numbers of a continuous action over all steps; None for discrete ones."""
        if self.discrete:
            return None
        raw = (c.slt_channel * self._info.action_size)()
        self._handle.context.call(lib.slt_dataset_channels, self._handle.pointer, raw)
        return [
            Channel(
                text(one.name),
                text(lib.slt_channel_kind_name(one.kind)),
                one.least,
                one.most,
                one.mean,
                one.deviation,
            )
            for one in raw
        ]

    @property
    def observation_shape(self) -> Tuple[int, ...]:
        """Of one step; () without observations."""
        return tuple(self._info.observation_shape[: self._info.observation_rank])

    @property
    def labelled(self) -> bool:
        """Does it say the true segments?"""
        return self._info.has_segments

    @property
    def environment(self) -> Optional[str]:
        return text(self._info.environment)

    @property
    def expert(self) -> Optional[str]:
        """Who acted."""
        return text(self._info.expert)

    def metadata(self, key: str) -> Optional[str]:
        """A text of the file's metadata."""
        return text(lib.slt_dataset_metadata(self._handle.pointer, needed(key, "the key")))

    # ---- all steps at once

    @property
    def offsets(self) -> np.ndarray:
        """Episode i is steps offsets[i] up to before offsets[i + 1]."""
        address = lib.slt_dataset_offsets(self._handle.pointer)
        return view(self._handle, address, (len(self) + 1,), np.int64)

    @property
    def lengths(self) -> np.ndarray:
        return np.diff(self.offsets)

    def _column(self, *fields: str) -> Any:
        """A field of episode 0, stretched over all steps."""
        raw = self[0]._raw
        for field in fields:
            if getattr(raw, field):
                kind, _, number = field.partition("_")
                tail = {"observations": self.observation_shape}.get(kind, ())
                if field == "actions_f32":
                    tail = (self._info.action_size,)
                return view(
                    self._handle,
                    getattr(raw, field),
                    (self.steps, *tail),
                    _STEP_TYPES[number or kind],
                )
        return None

    @property
    def actions(self) -> np.ndarray:
        """Of all steps, concatenated."""
        return self._column("actions_u8", "actions_i32", "actions_f32")

    @property
    def observations(self) -> Optional[np.ndarray]:
        """Of all steps; None without observations and where they are stored as places of ones."""
        return self._column("observations_u8", "observations_f32")

    @property
    def rewards(self) -> Optional[np.ndarray]:
        return self._column("rewards")

    @property
    def segments(self) -> Optional[np.ndarray]:
        """The true segment of every step."""
        return self._column("segments")

    @property
    def subtasks(self) -> Optional[np.ndarray]:
        """Which sub-task the segment of every step completes; -1: none."""
        return self._column("subtasks")

    def split(self, name: str) -> np.ndarray:
        """The numbers of a split's episodes: "train", "valid" or "test"."""
        out = ctypes.c_void_p()
        count = lib.slt_dataset_split(self._handle.pointer, split_number(name), out)
        found = view(self._handle, out.value, (count,), np.int64)
        return np.empty(0, np.int64) if found is None else found

    # ---- episodes

    def __len__(self) -> int:
        return self._info.episodes

    @overload
    def __getitem__(self, key: int) -> Episode: ...
    @overload
    def __getitem__(self, key: Union[slice, Sequence[int], np.ndarray]) -> List[Episode]: ...

    def __getitem__(self, key: Any) -> Any:
        if isinstance(key, slice):
            return [Episode(self, i) for i in range(*key.indices(len(self)))]
        if isinstance(key, (list, tuple, np.ndarray)):
            return [self[i] for i in np.arange(len(self))[np.asarray(key)]]
        try:
            index = key.__index__()
        except AttributeError:
            raise TypeError(
                f"an episode is named by a whole number, not {type(key).__name__}"
            ) from None
        if not -len(self) <= index < len(self):
            raise IndexError(f"no episode {index}, there are {len(self)}")
        return Episode(self, index % len(self))

    def __iter__(self) -> Iterator[Episode]:
        return (Episode(self, i) for i in range(len(self)))

    # ---- files

    def save(self, path: PathLike, *, overwrite: bool = False) -> str:
        """Writes a copy; the ending decides: .safetensors, .npz, .hdf5, / (a Minari folder).

        What exists is kept (ExistsError) unless ``overwrite``; the data's own file is never
        written over."""
        out = path_bytes(path)
        if self._in_memory:
            self._handle.context.run(lib.slt_dataset_save, self._handle.pointer, out, overwrite)
            return os.fsdecode(out)
        context, name = Context(), path_bytes(self.path)
        context.run(lib.slt_dataset_convert, context.pointer, name, out, overwrite, path=self.path)
        return os.fsdecode(out)

    def __reduce__(self) -> Any:
        if self._folder is None and not self._in_memory:
            return load, (os.path.abspath(self.path),)
        return _from_bytes, (Path(self.path).read_bytes(),)

    def __repr__(self) -> str:
        actions = (
            f"{self.action_count} actions"
            if self.discrete
            else f"actions of {self._info.action_size} numbers"
        )
        seen = " × ".join(map(str, self.observation_shape))
        return (
            f"<slottar.Dataset: {len(self)} episodes, {self.steps} steps, {actions}"
            + (f", observations {seen}" if seen else "")
            + (", labelled" if self.labelled else "")
            + (f", {self.environment}" if self.environment else "")
            + ">"
        )

    def _repr_html_(self) -> str:
        rows = [
            ("episodes", len(self)),
            ("steps", self.steps),
            ("longest", self.longest),
            ("actions", self.action_count or f"{self._info.action_size} numbers"),
            ("observations", " × ".join(map(str, self.observation_shape)) or "none"),
            ("labels", "yes" if self.labelled else "no"),
            ("environment", self.environment or "unknown"),
        ]
        return html_table("slottar.Dataset", rows)


class TemporaryFolder:
    """A folder that goes with the last object that needs it."""

    def __init__(self) -> None:
        self.path = tempfile.mkdtemp(prefix="slottar-")
        weakref.finalize(self, _remove, self.path, os.getpid())

    def file(self, name: str) -> str:
        return os.path.join(self.path, name)


def file_to_write(path: Optional[PathLike]) -> Tuple[bytes, Optional[TemporaryFolder]]:
    """The path, or a file in a folder of its own."""
    if path is not None:
        return path_bytes(path), None
    folder = TemporaryFolder()
    return path_bytes(folder.file("data.safetensors")), folder


def _remove(path: str, pid: int) -> None:
    if os.getpid() == pid:
        shutil.rmtree(path, ignore_errors=True)


def _from_bytes(content: bytes) -> Dataset:
    folder = TemporaryFolder()
    Path(folder.file("data.safetensors")).write_bytes(content)
    return Dataset(folder.file("data.safetensors"), folder=folder)


def html_table(title: str, rows: Sequence[Tuple[str, Any]]) -> str:
    """A small table for notebooks."""
    from html import escape

    body = "".join(f"<tr><td>{escape(str(k))}</td><td>{escape(str(v))}</td></tr>" for k, v in rows)
    return f"<table><caption>{escape(title)}</caption>{body}</table>"


def split_number(name: str) -> int:
    if name not in SPLITS:
        raise ValueError(f"no split {name!r}: {', '.join(SPLITS)}")
    return SPLITS.index(name)


Patterns = Union[None, str, Sequence[str]]


def load(
    path: PathLike,
    *,
    actions: Patterns = None,
    observations: Patterns = None,
    episode: Optional[str] = None,
) -> Dataset:
    """Opens a data set: native files are mapped, not read; npz, csv, Minari, robomimic, D4RL and
    LeRobot folders are imported.

    ``actions`` and ``observations`` choose columns of a csv file, keys of an HDF5 file or features
    of a LeRobot folder by patterns, ``"a*,gripper"`` or a list of them; "" is none. ``episode`` is
    the csv column that tells episodes apart; "": the file is one. Pictures are left out, with a
    note in the log, unless a pattern names them.

    Raises FileNotFoundError, or FormatError (a ValueError) with the file and field that are wrong.
    """
    name = path_bytes(path)
    if os.path.isfile(os.path.join(os.fsdecode(name), "meta", "info.json")):
        from .lerobot import from_lerobot

        return from_lerobot(os.fsdecode(name), actions=actions, observations=observations)
    words = (patterns_text(actions, "actions"), patterns_text(observations, "observations"))
    chosen = c.slt_dataset_columns(*words, to_bytes(episode, "episode"))
    if chosen.actions is None and chosen.observations is None and chosen.episode is None:
        return Dataset(path)
    source = ctypes.create_string_buffer(4096)
    check(lib.slt_dataset_source(name, chosen, source, len(source)))
    if not os.path.exists(os.fsdecode(name)):
        raise error_of("IO", f"{os.fsdecode(name)}: no such file", os.fsdecode(name))
    return Dataset(os.fsdecode(source.value))


def patterns_text(patterns: Patterns, what: str) -> Optional[bytes]:
    """Patterns as one text, with commas."""
    if patterns is None or isinstance(patterns, str):
        return to_bytes(patterns, what)
    if not isinstance(patterns, (list, tuple)):
        raise TypeError(f"{what}: patterns are a text or a list of texts, not {patterns!r}")
    return ",".join(needed(one, what).decode() for one in patterns).encode()


def _names(names: Any, count: int) -> Optional[List[str]]:
    return [text(names[i]) for i in range(count)] if names else None


def save(data: Dataset, path: PathLike, *, overwrite: bool = False) -> str:
    """The same as ``data.save(path)``."""
    return data.save(path, overwrite=overwrite)


def collect(
    environments: Union[str, Sequence[str]],
    path: Optional[PathLike] = None,
    *,
    episodes: Union[None, int, Sequence[int]] = None,
    observations: Optional[str] = None,
    expert: Optional[str] = None,
    noise: float = 0.0,
    truth: Optional[str] = None,
    single_delimiter: bool = False,
    segments: int = 0,
    seed: int = 0,
    threads: Optional[int] = None,
    overwrite: bool = False,
    callback: Optional[Watcher] = None,
) -> Dataset:
    """Plays an expert and records, as ``slottar collect`` does: an environment, several, or a named
    set.

    ``episodes`` is a number, or three: train, valid, test. Without ``path`` the file is temporary;
    the ending of ``path`` decides the format, as in ``save``. ``segments`` keeps episodes of exactly
    so many segments; 0 keeps all.
    """
    names = [environments] if isinstance(environments, str) else list(environments)
    name, folder = file_to_write(path)
    request = c.slt_collect_request(
        environments=texts(names, "an environment"),
        environment_count=len(names),
        path=name,
        overwrite=overwrite,
        observations=to_bytes(observations, "observations"),
        expert=to_bytes(expert, "expert"),
        noise=float(noise),
        truth=to_bytes(truth, "truth"),
        single_delimiter=single_delimiter,
        segments=whole(segments, "segments", 0, 2**31 - 1),
        seed=whole(seed, "seed", 0, SEED_MOST),
    )
    counts: List[Any] = [] if episodes is None else np.atleast_1d(episodes).tolist()
    if len(counts) > c.SLT_SPLITS:
        raise ValueError(f"episodes: {len(counts)} numbers, but there are {c.SLT_SPLITS} splits")
    for k, count in enumerate(counts):
        request.episodes[k] = whole(count, "episodes", 0, 2**62)
    context = Context(threads, watched=callback is not None)
    context.run(lib.slt_collect, context.pointer, request, None, watch=callback)
    return Dataset(os.fsdecode(name), folder=folder)


def sets() -> Dict[str, Dict[str, Any]]:
    """The named sets of :func:`collect`, with the paper's sizes."""
    out = {}
    for i in range(lib.slt_set_count()):
        info = c.slt_set_info()
        lib.slt_set_describe(i, info)
        out[text(info.name)] = {
            "environments": [text(e) for e in info.environments if e],
            "episodes": tuple(info.episodes),
            "longest": info.longest,
        }
    return out
