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
from pathlib import Path
from typing import Any, Callable, Dict, Iterable, List, Optional, Tuple, Type

import numpy as np

from . import _declarations as c
from ._library import PathLike, lib, needed, path_bytes, text, texts, to_bytes, whole
from ._work import SEED_MOST, Context, Handle, Watcher, both
from .data import Dataset, TemporaryFolder, split_number
from .errors import CancelledError, InvalidError, ShapeError, SlottarError, error_of
from .estimator import Estimator, as_dataset, signature, without_targets
from .outputs import write_file
from .progress import Bar
from .results import Segmentation, Segments
from .scores import SCORES, run_scores
from .stream import Stream
from .trust import Trust

# parameters that are no options of the model: default (None of restarts: the library's for the
# model) and explanation
_COMMON = {
    "preset": (None, "a configuration from the paper's tables, by data set name"),
    "profile": (None, '"default", "reference" or "paper": the switches where they differ'),
    "config": (None, "a YAML file of options"),
    "restarts": (
        None,
        "trains so many at once and keeps the one with the least held-out loss (no labels)",
    ),
    "seconds": (None, "takes fewer steps where they would take longer"),
    "seed": (0, "of everything that is random"),
    "threads": (None, "None: one per core; results do not depend on it"),
    "device": ("cpu", '"cpu", "cuda", or "auto": the GPU where there is one, else the CPU'),
    "precision": (None, 'of matrix products: "fp32", on cuda also "tf32"'),
    "run": (None, "run directory to keep; fit resumes where it stopped"),
    "progress": (False, "shows a bar"),
}


class Model(Estimator):
    """What all trained models have in common."""

    _name = ""
    _checkpoint = "best.safetensors"  # in a run directory
    result_: Optional[Dict[str, Any]]
    _options: Dict[str, Any] = {}

    # ---- learning

    def fit(self, X: Any, y: Any = None, callbacks: Optional[Iterable[Watcher]] = None) -> "Model":
        """Trains on a data set (or its path, episodes, or an array of actions per trajectory).

        ``y``, an array of labels per trajectory, replaces the data's own; labels only matter for
        priors and scores that ask for them. A ``y`` with one value per trajectory, the target of
        what comes next in a Pipeline, is not looked at. ``callbacks`` are called with a
        :class:`slottar.Progress`; one that returns True ends the training, with the best epoch so
        far. So does Ctrl-C, which is then raised.
        """
        data = as_dataset(X, without_targets(y))
        folder = None if self.run is not None else TemporaryFolder()
        run = os.fsdecode(path_bytes(self.run, "run")) if folder is None else folder.path
        result = c.slt_train_result()
        request, kept = self._request(data, run)
        heard = list(callbacks or [])
        with Bar(self._name, enabled=bool(self.progress)) as bar:
            if self.progress:
                heard.append(bar)
            context = self._context(watched=bool(heard))
            try:
                context.run(lib.slt_train, context.pointer, request, result, watch=all_of(heard))
                self.result_ = _train_result(result)
            except CancelledError:
                self.result_ = None
                if not os.path.exists(os.path.join(run, self._checkpoint)):
                    raise
            except KeyboardInterrupt:
                self.result_ = None
                self._adopt(run, folder)
                raise
        del kept
        self._adopt(run, folder)
        self._learn_types(data)
        self.trust_.warn(2)
        return self

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
        self, X: Any, y: Any = None, *, metric: str = "f1", split: Optional[str] = None
    ) -> float:
        """One score, higher is better: f1, f1_one, align, ari, covering, accuracy, or loss
        (negated)."""
        if metric not in (*SCORES, "accuracy", "loss"):
            raise ValueError(f"no score {metric!r}: {', '.join((*SCORES, 'accuracy', 'loss'))}")
        found = self.scores(X, y, split=split)
        if found.get(metric) is None:
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
        return write_file(
            path, Path(self.checkpoint_).read_bytes(), [self.checkpoint_], overwrite
        )

    @classmethod
    def _parameters(cls, words: Dict[str, str]) -> Dict[str, Any]:
        """Parameters as the metadata of a checkpoint has them."""
        options = {}
        for line in words.get("options", "").splitlines():
            key, _, value = line.partition(": ")
            name = lib.slt_option_current_name(key.encode())
            value = text(lib.slt_option_current_value(name, value.encode()))
            if text(name) in cls._options:
                options[text(name)] = _value(value)
        return options

    @classmethod
    def load(cls, path: PathLike, **parameters: Any) -> "Model":
        """A model from a checkpoint or a run directory, with the options it was trained with."""
        found = load_model(path, **parameters)
        if cls is not Model and not isinstance(found, cls):
            raise ValueError(f"{os.fspath(path)} holds {found._name}, not {cls._name}")
        return found

    def __getstate__(self) -> Dict[str, Any]:
        state = {k: v for k, v in self.__dict__.items() if k not in ("_handle", "_folder")}
        if self._fitted() and "_folder" in self.__dict__ and self._folder is not None:
            names = (self._checkpoint, "metrics.jsonl", "config.yaml", "types.safetensors")
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


def _value(word: str) -> Any:
    """A value as YAML writes it, as the user would."""
    word = word.strip().strip('"')
    try:
        return json.loads(word)
    except ValueError:
        return word


def _is_whole(value: Any) -> bool:
    return isinstance(value, (int, np.integer)) and not isinstance(value, bool)


def setting(value: Any) -> str:
    """A value as the command line writes it: lists with commas, truth values in words.

    A tuple of two whole numbers is a range: ``prior=(3, 6)`` is 3..6.
    """
    if isinstance(value, (bool, np.bool_)):
        return "true" if value else "false"
    if isinstance(value, tuple) and len(value) == 2 and all(_is_whole(v) for v in value):
        return f"{int(value[0])}..{int(value[1])}"
    if isinstance(value, (list, tuple, np.ndarray)):
        return ",".join(setting(v) for v in value)
    if isinstance(value, np.generic):
        value = value.item()
    if not isinstance(value, (str, int, float)):
        raise TypeError(
            f"an option is a number, a text or a list of numbers, not {type(value).__name__}"
        )
    return value if isinstance(value, str) else repr(value)


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


# ---- classes from the library's tables


def _rows(model: str) -> List[Any]:
    """Options of training, then the model's own."""
    out = []
    for part in (0, 1):
        rows = lib.slt_train_options_of(model.encode(), part)
        at = 0
        while rows[at].name:
            out.append(rows[at])
            at += 1
    return out


def _common(model: str) -> Dict[str, Any]:
    """Parameters that are no options, with the defaults of the command."""
    restarts = {"restarts": (lib.slt_model_restarts(model.encode()), _COMMON["restarts"][1])}
    return {**_COMMON, **restarts}


def _document(summary: str, model: str, rows: List[Any]) -> str:
    lines = [summary, "", "Parameters", "----------"]
    for row in rows:
        choices = f": {text(row.choices)}" if row.choices else ""
        lines += [
            f"{text(row.name)} : default {text(row.fallback)}",
            f"    {text(row.help)}{choices}",
        ]
    for name, (default, meaning) in _common(model).items():
        lines += [f"{name} : default {default}", f"    {meaning}"]
    presets: List[str] = []
    while lib.slt_model_preset(model.encode(), len(presets)):
        presets.append(text(lib.slt_model_preset(model.encode(), len(presets))))
    settings = text(lib.slt_model_settings(model.encode()))
    if settings:
        lines += ["", f"Its training defaults are {settings}."]
    return "\n".join([*lines, "", f"Presets: {', '.join(presets)}."])


def _make(name: str, model: str, summary: str) -> Type[Model]:
    rows = _rows(model)
    options = {text(row.name): row for row in rows}
    keywords: Dict[str, Any] = {
        **{option: None for option in options},
        **{k: default for k, (default, _) in _common(model).items()},
    }

    def __init__(self: Model, **parameters: Any) -> None:
        Estimator.__init__(self, **parameters)

    __init__.__signature__ = signature(keywords)  # type: ignore[attr-defined]
    return type(
        name,
        (Model,),
        {
            "__init__": __init__,
            "__doc__": _document(summary, model, rows),
            "__module__": __name__,
            "_name": model,
            "_options": options,
            "_signature": signature(keywords),
        },
    )


Segmenter = _make("Segmenter", "slottar", "SloTTAr: slots, masks by cumulative sums, halting.")
MDLSegmenter = _make(
    "MDLSegmenter",
    "slottar-mdl",
    "slottar-mdl: minimum description length; reads no labels.",
)
CompILE = _make("CompILE", "compile", "CompILE, a baseline.")
OMPN = _make("OMPN", "ompn", "OMPN, a baseline.")
CLASSES: Dict[str, Type[Model]] = {
    kind._name: kind for kind in (Segmenter, MDLSegmenter, CompILE, OMPN)
}
