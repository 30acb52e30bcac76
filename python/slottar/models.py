"""Models with scikit-learn's conventions: fit, predict, transform, score, save, load.

    model = slottar.Segmenter(slots=5, prior=4).fit(data)
    model.predict(data)            # segments, boundaries, confidence
    model.score(data)              # F1 against the labels

Keywords come from the library's tables of options; None leaves an option to the preset, the profile
or the library. With the same seed the numbers are those of the command, bit for bit.

SPDX-License-Identifier: MIT
Copyright (c) 2026 the slottar authors
"""

from __future__ import annotations

import ctypes
import json
import os
import warnings
from pathlib import Path
from typing import (
    TYPE_CHECKING,
    Any,
    Callable,
    Dict,
    Iterable,
    List,
    Optional,
    Tuple,
    Type,
    TypeVar,
    Union,
)

import numpy as np

from . import _declarations as c
from ._library import PathLike, lib, needed, path_bytes, text, texts, to_bytes, whole
from ._work import SEED_MOST, Context, Handle, Watcher, both
from .data import Dataset, TemporaryFolder, split_number
from .errors import CancelledError, InvalidError, ShapeError, SlottarError, error_of
from .estimator import Estimator, as_dataset, with_keywords, without_targets
from .options import model_keywords, presets_of, rows_of
from .outputs import write_file
from .progress import Bar
from .results import Segmentation, Segments
from .scores import SCORES, run_scores
from .settings import setting, value_of
from .stream import Stream
from .trust import Trust

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from . import _keywords as keywords

M = TypeVar("M", bound="Model")
Callbacks = Union[None, Watcher, Iterable[Watcher]]


class Model(Estimator):
    """What all trained models have in common: ``fit``, ``predict``, ``score``, files."""

    _name = ""
    _checkpoint = "best.safetensors"  # in a run directory
    result_: Optional[Dict[str, Any]]
    _options: Dict[str, Any] = {}

    # ---- learning

    def fit(self: M, X: Any, y: Any = None, callbacks: Callbacks = None) -> M:
        """Trains on a data set (or its path, episodes, a DataFrame, or an array of actions per
        trajectory).

        ``y``, an array of labels per trajectory, replaces the data's own; labels only matter for
        priors and scores that ask for them. A ``y`` with one value per trajectory, the target of
        what comes next in a Pipeline, is not looked at. ``callbacks``, a function or several, are
        called with a :class:`slottar.Progress`; one that returns True ends the training, with the
        best epoch so far. So does Ctrl-C, which is then raised.
        """
        data = as_dataset(X, without_targets(y))
        run, folder = self._run_directory()
        result = c.slt_train_result()
        request, kept = self._request(data, run)
        heard = callbacks_of(callbacks)
        with Bar(self._name, enabled=bool(self.progress)) as bar:
            if self.progress:
                heard.append(bar)
            context = self._context(watched=bool(heard))
            try:
                context.run(lib.slt_train, context.pointer, request, result, watch=all_of(heard))
                self.result_ = _train_result(result)
            except CancelledError:
                self.result_ = None
            except KeyboardInterrupt:
                self.result_ = None
                self._adopt(run, folder)
                raise
        del kept
        self._adopt(run, folder)
        if not self._fitted():
            warnings.warn("stopped before the first epoch was evaluated: not fitted", stacklevel=2)
            return self
        self._learn_types(data)
        self.trust_.warn(2)
        return self

    def _run_directory(self) -> Tuple[str, Optional[TemporaryFolder]]:
        """The one that is asked for, the one of the last fit, or a temporary one."""
        if self.run is not None:
            return os.fsdecode(path_bytes(self.run, "run")), None
        if self.warm_start and "run_" in self.__dict__:
            return self.run_, self.__dict__.get("_folder")
        folder = TemporaryFolder()
        return folder.path, folder

    def _request(self, data: Dataset, run: str) -> Any:
        """What to train, and the texts that must live as long."""
        settings = texts(
            [
                f"{name}={setting(getattr(self, name))}"
                for name in self._options
                if getattr(self, name) is not None
            ],
            "a setting",
        )
        count = sum(getattr(self, name) is not None for name in self._options)
        seconds = 0.0 if self.seconds is None else float(self.seconds)
        return c.slt_train_request(
            model=self._name.encode(),
            data=path_bytes(data.path),
            run=path_bytes(run),
            profile=to_bytes(self.profile, "profile"),
            preset=to_bytes(self.preset, "preset"),
            config=None if self.config is None else path_bytes(self.config, "config"),
            settings=ctypes.cast(settings, ctypes.POINTER(ctypes.c_char_p)),
            setting_count=count,
            seed=self._seed(),
            restarts=whole(self.restarts, "restarts", 0, c.SLT_MOST_RESTARTS),
            seconds=seconds,
        ), settings

    def _learn_types(self, data: Dataset) -> None:
        """Types of segments, from what the model finds in its data; rare segments have none."""
        try:
            self._ask(data, lib.slt_model_learn_types)
        except InvalidError:
            pass

    def _seed(self) -> int:
        return whole(self.seed, "seed", 0, SEED_MOST)

    def _context(self, watched: bool = False) -> Context:
        return Context(self.threads, self.device, self.precision, watched)

    def _adopt(self, run: str, folder: Optional[TemporaryFolder]) -> None:
        """What is in the run directory was learnt; without an evaluated epoch, nothing was."""
        best = os.path.join(run, self._checkpoint)
        if os.path.exists(best):
            self._forget()
            self.run_, self._folder = run, folder
            self.checkpoint_ = best

    def _forget(self) -> None:
        for name in ("_handle", "checkpoint_", "run_", "_folder"):
            self.__dict__.pop(name, None)

    def _fitted(self) -> bool:
        return "checkpoint_" in self.__dict__

    @property
    def trust_(self) -> Trust:
        """How far to trust the segments, found without labels; a doubtful model also gives a
        :class:`slottar.DoubtWarning` when it is fitted or used."""
        raw = lib.slt_model_about(self._model().pointer)
        return Trust._of(raw.contents.trust)

    def _state(self) -> str:
        """What ``repr`` says of a fitted model."""
        try:
            return f"  # {self.trust_}" if self._fitted() else ""
        except SlottarError:  # its file is gone
            return ""

    @property
    def history_(self) -> List[Dict[str, Any]]:
        """A row per evaluated epoch: losses, and scores where there are labels."""
        self._need_fit()
        path = os.path.join(self.__dict__.get("run_", ""), "metrics.jsonl")
        if not os.path.exists(path):
            return []
        with open(path, encoding="utf-8") as file:
            return [json.loads(line) for line in file]

    # ---- using

    def _model(self) -> Handle:
        """The opened checkpoint, once per process."""
        self._need_fit()
        handle = self.__dict__.get("_handle")
        if handle is None or handle.context._pid != os.getpid():
            context, pointer = self._context(), ctypes.c_void_p()
            path = self.__dict__.get("run_", self.checkpoint_)
            context.call(lib.slt_model_open, context.pointer, path_bytes(path), pointer, path=path)
            handle = self._handle = Handle(context, pointer, lib.slt_model_close)
        return handle

    def predict(
        self,
        X: Any,
        *,
        split: Optional[str] = None,
        pictures: bool = False,
        min_length: int = 0,
        max_length: int = 0,
        split_by_type: bool = False,
    ) -> Segments:
        """Segments trajectories; only those of a split when one is named.

        ``pictures`` keeps masks, attention and slots too. ``min_length`` and ``max_length`` bound
        the steps of a segment, as far as possible; 0: no bound. ``split_by_type`` adds boundaries
        after steps whose effect elsewhere ends segments (docs/skills.md).
        """
        data = as_dataset(X)
        options = self._choose(split)
        options.split_by_type = bool(split_by_type)
        options.pictures, options.types = bool(pictures), True
        options.min_length = whole(min_length, "min_length", 0, 2**31 - 1)
        options.max_length = whole(max_length, "max_length", 0, 2**31 - 1)
        answers: List[Segmentation] = []
        problems: List[BaseException] = []

        def keep(_user: Any, raw: Any) -> int:
            try:
                answers.append(Segmentation._of(raw.contents))
                return c.SLT_OK
            except BaseException as problem:
                problems.append(problem)
                return c.SLT_INTERNAL

        visit = c.slt_segments_visit(keep)
        try:
            self._ask(data, lib.slt_model_segment, options, visit, None)
        except Exception as refused:
            raise (problems or [refused])[0] from None
        self.trust_.warn(2)
        return Segments(answers, self, data)

    def stream(
        self,
        steps: Optional[Iterable[Tuple[Any, Any]]] = None,
        *,
        lag: int = 5,
        endless: bool = False,
    ) -> Stream:
        """Segments steps as they arrive: a context manager with ``push(observation, action)`` and,
        where ``steps`` are given, an iterator over their events (docs/streaming.md).

        A boundary is final ``lag`` steps after the first step of the next segment. ``endless``:
        slottar-mdl counts on after as many segments as it has slots. SloTTAr and CompILE, which
        need the whole trajectory, are refused.
        """
        return Stream(self._model(), steps, lag, bool(endless))

    def type_scores(
        self, X: Any, *, split: Optional[str] = None, split_by_type: bool = False
    ) -> Dict[str, Any]:
        """Types of segments against the names of sub-tasks: accuracy of the best one-to-one
        matching, purity and normalised mutual information, as fractions."""
        found = c.slt_type_scores()
        options = self._choose(split)
        options.split_by_type = bool(split_by_type)
        self._ask(as_dataset(X), lib.slt_model_score_types, options, found)
        names = ("accuracy", "purity", "nmi", "types", "names", "segments")
        return {name: getattr(found, name) for name in names}

    def _choose(self, split: Optional[str]) -> Any:
        return c.slt_segment_options(
            one_split=split is not None,
            split=0 if split is None else split_number(split),
            seed=self._seed(),
        )

    def _ask(self, data: Dataset, function: Callable[..., int], *arguments: Any) -> None:
        """A long call on model and data."""
        model = self._model()
        with both(model.context, data._handle.context):
            model.context._run(
                function, (model.pointer, data._handle.pointer, *arguments), None, None
            )

    def transform(self, X: Any) -> np.ndarray:
        """The slots of every trajectory, [trajectories, slots · size], for what comes next in a
        Pipeline.

        A slot that is not used is zero. Models that show no slots give [trajectories, slots]: the
        distribution of the number of segments.
        """
        answers = self.predict(X, pictures=True)
        if not all(len(answer.counts) for answer in answers):
            raise ShapeError(f"{self._name} has no slots to transform to")
        if answers[0].slots is None:
            return np.stack([answer.counts for answer in answers])
        return np.stack([_used_slots(answer).ravel() for answer in answers])

    def scores(
        self,
        X: Any,
        y: Any = None,
        *,
        split: Optional[str] = None,
        missed_by: Optional[str] = None,
    ) -> Dict[str, Any]:
        """Losses, and scores against the labels where there are any; those of ``slottar eval``.

        With ``missed_by``, the name of a rule, only on the trajectories of the split (``"test"``
        unless said) that this rule gets wrong.
        """
        out = c.slt_run_scores()
        options = self._choose("test" if missed_by and split is None else split)
        options.missed_by = None if missed_by is None else needed(missed_by, "missed_by")
        self._ask(as_dataset(X, y), lib.slt_model_score, options, out)
        return run_scores(out)

    def score(
        self, X: Any, y: Any = None, *, metric: Optional[str] = None, split: Optional[str] = None
    ) -> float:
        """One number, higher is better: f1, f1_one, align, ari, covering, accuracy, or loss, which
        is negated and needs no labels.

        None: f1 where there are labels, else the loss; so cross_val_score works without labels.
        """
        names = (*SCORES, "accuracy", "loss")
        if metric is not None and metric not in names:
            raise ValueError(f"no score {metric!r}: {', '.join(names)}")
        found = self.scores(X, y, split=split)
        if metric is None:
            metric = "loss" if found["f1"] is None else "f1"
        if found[metric] is None:
            raise ValueError(
                f'{metric} needs labels, and the data has none; metric="loss" does not'
            )
        return -found["loss"] if metric == "loss" else found[metric]

    def label(
        self, X: Any, path: PathLike, *, split: Optional[str] = None, overwrite: bool = False
    ) -> Dataset:
        """Writes a copy of the data whose labels are the model's; the ending decides the format.
        What exists is kept unless ``overwrite``."""
        name, options = path_bytes(path), self._choose(split)
        options.overwrite = overwrite
        self._ask(as_dataset(X), lib.slt_model_label, options, name)
        return Dataset(os.fsdecode(name))

    def report(
        self,
        page: Optional[PathLike] = None,
        *,
        figures: Optional[PathLike] = None,
        data: Any = None,
        split: str = "test",
        detailed: int = 0,
        overwrite: bool = False,
    ) -> Dict[str, int]:
        """Writes the HTML report, and its pictures as SVG files into ``figures``. What exists is
        kept unless ``overwrite``."""
        self._need_fit()
        kept = None if data is None else as_dataset(data)
        runs = (ctypes.c_char_p * 1)(path_bytes(self.__dict__.get("run_", self.checkpoint_)))
        request = c.slt_report_request(
            runs=ctypes.cast(runs, ctypes.POINTER(ctypes.c_char_p)),
            run_count=1,
            page=None if page is None else path_bytes(page, "page"),
            figures=None if figures is None else path_bytes(figures, "figures"),
            overwrite=overwrite,
            data=None if kept is None else path_bytes(kept.path),
            split=split_number(split),
            detailed=whole(detailed, "detailed", 0, 2**31 - 1),
            seed=self._seed(),
        )
        result = c.slt_report_result()
        context = self._context()
        context.run(lib.slt_report, context.pointer, request, result)
        return {field[0]: getattr(result, field[0]) for field in result._fields_}

    # ---- files

    def save(self, path: PathLike, *, overwrite: bool = False) -> str:
        """Writes the checkpoint, a safetensors file, whole or not at all. What exists is kept
        unless ``overwrite``."""
        self._need_fit()
        return write_file(path, Path(self.checkpoint_).read_bytes(), [self.checkpoint_], overwrite)

    @classmethod
    def _parameters(cls, words: Dict[str, str]) -> Dict[str, Any]:
        """Parameters as the metadata of a checkpoint has them."""
        options = {}
        for line in words.get("options", "").splitlines():
            key, _, value = line.partition(": ")
            name = lib.slt_option_current_name(key.encode())
            value = text(lib.slt_option_current_value(name, value.encode()))
            if text(name) in cls._options:
                options[text(name)] = value_of(value)
        return options

    @classmethod
    def load(cls: Type[M], path: PathLike, **parameters: Any) -> M:
        """A model from a checkpoint or a run directory, with the options it was trained with."""
        found = load_model(path, **parameters)
        if not isinstance(found, cls):
            raise ValueError(f"{os.fspath(path)} holds {found._name}, not {cls._name}")
        return found

    def __getstate__(self) -> Dict[str, Any]:
        state = {k: v for k, v in self.__dict__.items() if k not in ("_handle", "_folder")}
        if self._fitted() and "_folder" in self.__dict__ and self._folder is not None:
            names = [self._checkpoint, "metrics.jsonl", "config.yaml", "types.safetensors"]
            names += ["last.safetensors"] if getattr(self, "warm_start", False) else []
            state["_files"] = {
                name: (Path(self.run_) / name).read_bytes()
                for name in names
                if (Path(self.run_) / name).exists()
            }
        return state

    def __setstate__(self, state: Dict[str, Any]) -> None:
        files = state.pop("_files", None)
        self.__dict__.update(state)
        if files is not None:
            folder = TemporaryFolder()
            for name, content in files.items():
                (Path(folder.path) / name).write_bytes(content)
            self._adopt(folder.path, folder)


def load_model(path: PathLike, **parameters: Any) -> Model:
    """A model from a checkpoint, members that vote, or a run directory of either; ``parameters`` as
    threads and device."""
    from .vote import VoteSegmenter

    name = os.fsdecode(path_bytes(path))
    folder = os.path.isdir(name)
    members = os.path.join(name, VoteSegmenter._checkpoint)
    best = members if os.path.exists(members) else os.path.join(name, Model._checkpoint)
    checkpoint = best if folder else name
    words = _metadata(checkpoint)
    votes = words.get("format", "").startswith("slottar-members-")
    kind = VoteSegmenter if votes else CLASSES.get(words.get("model", ""))
    if kind is None:
        raise error_of("FORMAT", f"{name}: is no checkpoint of a model")
    model = kind(**{**kind._parameters(words), **parameters})
    model.checkpoint_ = os.path.abspath(checkpoint)
    if folder:
        model.run_ = os.path.abspath(name)
    model._model()  # damaged files are refused here
    return model


def _used_slots(answer: Segmentation) -> np.ndarray:
    """The slots, zeros where one is not used."""
    used = np.asarray(answer.masks).max(axis=1) > 0
    return np.asarray(answer.slots) * used[:, None]


def _metadata(path: str) -> Dict[str, str]:
    """The texts of a safetensors file."""
    context, pointer = Context(), ctypes.c_void_p()
    context.call(lib.slt_tensor_list_open, context.pointer, path_bytes(path), pointer, path=path)
    handle = Handle(context, pointer, lib.slt_tensor_list_close)
    key, value = ctypes.c_char_p(), ctypes.c_char_p()
    out: Dict[str, str] = {}
    for i in range(lib.slt_tensor_list_texts(handle.pointer)):
        lib.slt_tensor_list_text(handle.pointer, i, key, value)
        out[text(key.value or b"")] = text(value.value or b"")
    return out


def callbacks_of(given: Callbacks) -> List[Watcher]:
    """None, a function, or several."""
    return [given] if callable(given) else list(given or [])


def all_of(heard: List[Watcher]) -> Watcher:
    def watch(report: Any) -> bool:
        return any([callback(report) is True for callback in heard])

    return watch


def _train_result(result: Any) -> Dict[str, Any]:
    out = {name: getattr(result, name) for name in ("epochs", "best_epoch", "steps", "seconds")}
    out["valid"], out["test"] = run_scores(result.valid), run_scores(result.test)
    out["trust"] = Trust._of(result.trust)
    r = result.restarts
    if r.members:
        out["restarts"] = {
            "picked": r.picked,
            "agreeing": r.agreeing,
            "runner_up": r.runner_up,
            "gap": r.gap,
            "losses": list(r.losses[: r.members]),
            "agreement": list(r.agreement[: r.members]),
        }
    return out


# ---- the models


def _model_class(cls: Type[M]) -> Type[M]:
    """Keywords, defaults and documentation from the library's tables."""
    cls._options = rows_of(lib, cls._name)
    cls = with_keywords(model_keywords(lib, cls._name))(cls)
    cls.__doc__ = f"{cls.__doc__}\n\nPresets: {', '.join(presets_of(lib, cls._name))}."
    return cls


@_model_class
class Segmenter(Model):
    """SloTTAr, the model of the paper: slots, masks by cumulative sums, halting.

    >>> data = slottar.collect("doorkey", episodes=(1000, 100, 100))
    >>> model = slottar.Segmenter(slots=4, prior=3, epochs=5).fit(data)
    >>> model.predict(data, split="test").boundaries[0]

    An option that is None has the value of the preset or the profile, else the default below.
    """

    _name = "slottar"

    def __init__(self, **parameters: Unpack[keywords.Segmenter]) -> None:
        super().__init__(**parameters)


@_model_class
class MDLSegmenter(Model):
    """slottar-mdl: minimum description length, for discrete actions; reads no labels.

    >>> model = slottar.MDLSegmenter(prior=3).fit(episodes)   # a list of arrays of actions
    >>> model.predict(episodes).boundaries[0], model.trust_

    An option that is None has the value of the preset or the profile, else the default below.
    """

    _name = "slottar-mdl"

    def __init__(self, **parameters: Unpack[keywords.MDLSegmenter]) -> None:
        super().__init__(**parameters)


@_model_class
class CompILE(Model):
    """CompILE, a comparison model: it is told the number of segments of every trajectory.

    >>> model = slottar.CompILE(preset="doorkey", epochs=5).fit(data)
    >>> model.scores(data, split="test")["f1"]

    An option that is None has the value of the preset or the profile, else the default below.
    """

    _name = "compile"

    def __init__(self, **parameters: Unpack[keywords.CompILE]) -> None:
        super().__init__(**parameters)


@_model_class
class OMPN(Model):
    """OMPN, a comparison model: it is told the number of segments of every trajectory.

    >>> model = slottar.OMPN(preset="doorkey", epochs=5).fit(data)
    >>> model.scores(data, split="test")["f1"]

    An option that is None has the value of the preset or the profile, else the default below.
    """

    _name = "ompn"

    def __init__(self, **parameters: Unpack[keywords.OMPN]) -> None:
        super().__init__(**parameters)


CLASSES: Dict[str, Type[Model]] = {
    kind._name: kind for kind in (Segmenter, MDLSegmenter, CompILE, OMPN)
}
