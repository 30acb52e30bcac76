"""Keywords of the estimators: the library's tables of options, and what is no option.

Signatures, ``help()`` and the types that mypy and pyright read (``_keywords.pyi``, which
``python/stubs.py`` writes when the package is built) all come from here. No other module of the
package is imported: the build has no NumPy.

SPDX-License-Identifier: MIT
Copyright (c) 2026 the slottar authors
"""

from __future__ import annotations

from typing import Any, Dict, List, NamedTuple, Tuple

#: classes and the library's names of their models
MODELS = {
    "Segmenter": "slottar",
    "MDLSegmenter": "slottar-mdl",
    "CompILE": "compile",
    "OMPN": "ompn",
}

#: scikit-learn's words, and ours
SYNONYMS: Tuple[Tuple[str, str], ...] = (
    ("random_state", "seed"),
    ("verbose", "progress"),
    ("n_jobs", "threads"),
)


class Keyword(NamedTuple):
    """A parameter: its type as an annotation, its default, as what ``help`` shows the default, and
    what it means."""

    name: str
    type: str
    default: Any
    shown: str
    meaning: str


def _keyword(name: str, type: str, default: Any, meaning: str) -> Keyword:
    return Keyword(name, type, default, repr(default), meaning)


_SECONDS = _keyword("seconds", "Optional[float]", None, "a bound on the time; None: none")
_SEED = "of everything that is random; the same one gives the same numbers"
_THREADS = _keyword(
    "threads", "Optional[int]", None, "None or -1: one per core; results do not depend on it"
)
_WHERE = '"cpu", "cuda", or "auto": the GPU where there is one, else the CPU'
_PROGRESS = _keyword("progress", "Union[bool, int]", False, "shows a bar while it learns")

VOTE = [
    _keyword(
        "kind",
        'Literal["auto", "events", "phases"]',
        "auto",
        "what a segment is: it ends with an event, or it is a phase of one kind of behaviour; "
        "auto: what its runs agree on more",
    ),
    _keyword(
        "runs",
        "Optional[int]",
        None,
        "of every group that votes: 4 to 1000; None: 60, and 120 of the one that answers where "
        "boundaries depend on which runs there are",
    ),
    _keyword(
        "prior",
        "Optional[Prior]",
        None,
        'what is known of the number of segments: 3, (3, 6), "~4.5" (a mean) or a list of '
        "probabilities; None: nothing",
    ),
    _keyword(
        "min_length",
        "Optional[int]",
        None,
        "steps of a segment; None: 1 for discrete actions, 3 for continuous ones",
    ),
    _SECONDS,
    _keyword("random_state", "int", 0, _SEED),
    _THREADS,
    _keyword(
        "device", "str", "cpu", f"{_WHERE}; discrete actions are learned on the CPU in any case"
    ),
    _PROGRESS,
]

BASELINE = [
    _keyword("rule", "str", "uniform", "one of slottar.baseline_names()"),
    _keyword(
        "prior",
        "Any",
        None,
        "probability of 0, 1, 2, ... segments; None: the histogram of the training labels",
    ),
    _keyword(
        "tell_counts",
        "bool",
        True,
        "rules that want the true number of segments are told it, from the labels",
    ),
    _keyword("seed", "int", 0, _SEED),
]

#: parameters of all models that are no options
_COMMON = [
    _keyword(
        "preset", "Optional[str]", None, "a configuration from the paper's tables, by data set name"
    ),
    _keyword(
        "profile",
        'Optional[Literal["default", "reference", "paper"]]',
        None,
        "the switches where the paper, its code and this program differ",
    ),
    _keyword("config", "Optional[PathLike]", None, "a YAML file of options"),
    _SECONDS._replace(meaning="takes fewer steps where they would take longer; None: no bound"),
    _keyword("seed", "int", 0, _SEED),
    _THREADS,
    _keyword("device", "str", "cpu", _WHERE),
    _keyword(
        "precision",
        "Optional[str]",
        None,
        'of matrix products: "fp32" or, where the device can, "bf16"; on cuda also "tf32"; '
        "None: tf32 on cuda, else fp32",
    ),
    _keyword(
        "run", "Optional[PathLike]", None, "run directory to keep; fit resumes where it stopped"
    ),
    _keyword(
        "warm_start",
        "bool",
        False,
        "the next fit on the same data continues this training, to more epochs, steps or patience",
    ),
    _PROGRESS,
]

_TYPES = ("int", "float", "bool")  # as slt_option_type counts


def _type(row: Any) -> str:
    if row.choices:
        choices = ", ".join(f'"{one}"' for one in row.choices.decode().split("|"))
        return f"Optional[Literal[{choices}]]"
    if row.name == b"prior":
        return "Optional[Prior]"
    return f"Optional[{_TYPES[row.type] if row.type < len(_TYPES) else 'str'}]"


def rows_of(lib: Any, model: str) -> Dict[str, Any]:
    """Options of training, then the model's own, by name."""
    out: Dict[str, Any] = {}
    for part in (0, 1):
        rows, at = lib.slt_train_options_of(model.encode(), part), 0
        while rows[at].name:
            out[rows[at].name.decode()] = rows[at]
            at += 1
    return out


def model_keywords(lib: Any, model: str) -> List[Keyword]:
    """What a model's class takes. An option that is None is left to the preset, the profile, or
    the default that is shown."""
    own = dict(
        pair.split("=", 1) for pair in lib.slt_model_settings(model.encode()).decode().split()
    )
    out = []
    for name, row in rows_of(lib, model).items():
        shown = own.get(name, row.fallback.decode())
        out.append(Keyword(name, _type(row), None, shown, row.help.decode()))
    restarts = _keyword(
        "restarts",
        "int",
        lib.slt_model_restarts(model.encode()),
        "trains so many at once and keeps the one with the least held-out loss (no labels)",
    )
    return [*out, *_COMMON[:3], restarts, *_COMMON[3:]]


def keywords_of(lib: Any) -> Dict[str, List[Keyword]]:
    """By class."""
    models = {name: model_keywords(lib, model) for name, model in MODELS.items()}
    return {**models, "VoteSegmenter": VOTE, "Baseline": BASELINE}


def presets_of(lib: Any, model: str) -> List[str]:
    """Names of a model's presets."""
    out: List[str] = []
    while lib.slt_model_preset(model.encode(), len(out)):
        out.append(lib.slt_model_preset(model.encode(), len(out)).decode())
    return out
