"""scikit-learn's conventions without needing scikit-learn: parameters, clone, tags, representation.

SPDX-License-Identifier: MIT
Copyright (c) 2026 the slottar authors
"""

from __future__ import annotations

import difflib
import inspect
import warnings
from typing import TYPE_CHECKING, Any, Callable, Dict, List, Mapping, Optional, Type, TypeVar, cast

import numpy as np

from ._library import lib, text
from .building import about_of, build, from_episodes
from .data import Dataset, Episode, html_table, load
from .frames import episodes_of, is_frame
from .options import SYNONYMS, Keyword
from .rows import columns_of

E = TypeVar("E", bound="Estimator")


class Estimator:
    """Keyword parameters that are kept as they are given and looked at by ``fit``."""

    _signature: inspect.Signature
    _absent: Dict[str, str] = {}  # parameters that others have, and why not this one

    if TYPE_CHECKING:  # parameters, what was learnt, and fit

        def __getattr__(self, name: str) -> Any: ...

    def __init__(self, **parameters: Any) -> None:
        parameters = self._checked(parameters, TypeError)
        for name, parameter in list(type(self)._signature.parameters.items())[1:]:
            setattr(self, name, parameters.get(name, parameter.default))

    @classmethod
    def _names(cls) -> List[str]:
        return list(cls._signature.parameters)[1:]

    @classmethod
    def _checked(
        cls, given: Mapping[str, Any], problem: Callable[[str], Exception]
    ) -> Dict[str, Any]:
        """Parameters by their names, from names, earlier names and scikit-learn's."""
        names, out = cls._names(), {}
        for name, value in given.items():
            now = _current(name, names)
            if name in cls._absent:
                raise problem(f"{cls.__name__} has no {name}: {cls._absent[name]}")
            if now not in names:
                raise problem(f"{cls.__name__} {_no_parameter(name, names)}")
            if now in out:
                raise problem(f"{cls.__name__}: {now} and {name} are the same parameter; give one")
            out[now] = value
        return out

    def get_params(self, deep: bool = True) -> Dict[str, Any]:
        """The parameters, by name."""
        return {name: getattr(self, name) for name in sorted(self._names())}

    def set_params(self: E, **parameters: Any) -> E:
        """Changes parameters; what was learnt stays until the next fit."""
        for name, value in self._checked(parameters, ValueError).items():
            setattr(self, name, value)
        return self

    def fit_predict(self, X: Any, y: Any = None) -> Any:
        """``fit`` and ``predict`` on the same trajectories."""
        return self.fit(X, y).predict(X)

    def fit_transform(self, X: Any, y: Any = None) -> Any:
        """``fit`` and ``transform`` on the same trajectories."""
        return self.fit(X, y).transform(X)

    def __sklearn_is_fitted__(self) -> bool:
        return self._fitted()

    def _fitted(self) -> bool:
        raise NotImplementedError

    def _need_fit(self) -> None:
        if not self._fitted():
            raise not_fitted(type(self).__name__)

    def __sklearn_tags__(self) -> Any:
        from sklearn.utils import InputTags, Tags, TargetTags, TransformerTags

        # trajectories are no rows of a table
        return Tags(
            estimator_type=None,
            target_tags=TargetTags(required=False),
            transformer_tags=TransformerTags(),
            input_tags=InputTags(two_d_array=False),
        )

    def _changed(self) -> Dict[str, Any]:
        """Parameters that are not the defaults."""
        defaults = type(self)._signature.parameters
        return {
            name: value
            for name, value in self.get_params().items()
            if value is not defaults[name].default
        }

    def __repr__(self, N_CHAR_MAX: int = 700) -> str:
        changed = ", ".join(f"{k}={v!r}" for k, v in self._changed().items())
        return f"{type(self).__name__}({changed}){self._state()}"

    def _state(self) -> str:
        """What follows the parameters in ``repr``."""
        return ""

    def _repr_html_(self) -> str:
        return html_table(
            type(self).__name__,
            [
                *self._changed().items(),
                ("fitted", f"yes{self._state()}" if self._fitted() else "no"),
            ],
        )


def _current(name: str, names: List[str]) -> str:
    """A parameter by its name, a synonym, or an earlier name, the last with a warning."""
    if name in names:
        return name
    for pair in SYNONYMS:
        other = pair[1 - pair.index(name)] if name in pair else None
        if other in names:
            return cast(str, other)
    now = text(lib.slt_option_current_name(name.encode()))
    if now not in names:
        return name
    warnings.warn(f"{name} is now called {now}", FutureWarning, stacklevel=5)
    return now


def _no_parameter(name: str, names: List[str]) -> str:
    near = difflib.get_close_matches(name, names, 1)
    hint = f"did you mean {near[0]!r}?" if near else f"there are {', '.join(names)}"
    return f"has no parameter {name!r}; {hint}"


def with_keywords(keywords: List[Keyword], positional: int = 0) -> Callable[[Type[E]], Type[E]]:
    """A class decorator: signature and documentation of an ``__init__`` that takes these; the
    first ``positional`` also without their names."""

    def decorate(cls: Type[E]) -> Type[E]:
        cls._signature = cls.__init__.__signature__ = _signature(keywords, positional)  # type: ignore
        lines = [inspect.cleandoc(cls.__doc__ or ""), "", "Parameters", "----------"]
        for one in keywords:
            kind = one.type[len("Optional[") : -1] if one.type.startswith("Optional") else one.type
            lines += [f"{one.name} : {kind}, default {one.shown}", f"    {one.meaning}"]
        cls.__doc__ = "\n".join(lines)
        return cls

    return decorate


def _signature(keywords: List[Keyword], positional: int) -> inspect.Signature:
    plain, named = inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY
    return inspect.Signature(
        [
            inspect.Parameter("self", plain),
            *(
                inspect.Parameter(
                    one.name, plain if at < positional else named, default=one.default
                )
                for at, one in enumerate(keywords)
            ),
        ]
    )


def not_fitted(name: str) -> Exception:
    """scikit-learn's exception where it is installed; a ValueError in any case."""
    sentence = f"this {name} is not fitted yet: call fit first"
    try:
        from sklearn.exceptions import NotFittedError
    except ImportError:
        return ValueError(sentence)
    return NotFittedError(sentence)


def without_targets(y: Any) -> Any:
    """Labels of steps, or None: one value per trajectory is for somebody else in a Pipeline."""
    return None if y is None or all(np.ndim(one) == 0 for one in y) else y


def _is_one(X: Any) -> bool:
    """One trajectory instead of a list of them?"""
    if isinstance(X, (Mapping, Episode)):
        return True
    if isinstance(X, Dataset) or not len(X):
        return False
    if isinstance(X, np.ndarray) and X.dtype != object:
        # [steps] numbers, or [steps, size] floats; [trajectories, steps] whole numbers are many
        return X.ndim == 1 or (X.ndim == 2 and X.dtype.kind == "f")
    first = X[0] if hasattr(X, "__getitem__") else None
    return (
        first is not None
        and not isinstance(first, (str, bytes))
        and np.ndim(first) == 0
        and (isinstance(first, (int, float, np.generic)))
    )


def as_dataset(X: Any, y: Optional[Any] = None) -> Dataset:
    """What fit and predict take: a data set, its path, episodes, or an array of actions per
    trajectory. One trajectory (an episode, a mapping, or its actions) is a list of one. A DataFrame
    has a row per step and columns as in csv files (docs/formats.md).

    ``y``, one array of labels per trajectory, takes the place of the labels of X.
    """
    if isinstance(X, (str, bytes)) or hasattr(X, "__fspath__"):
        X = load(X)
    if isinstance(X, Dataset) and y is None:
        return X
    if is_frame(X):
        X = episodes_of(X)
    if not hasattr(X, "__len__"):
        raise TypeError(f"needs a data set or a list of trajectories, not {type(X).__name__}")
    if _is_one(X):
        if y is not None:
            raise ValueError("a list of trajectories goes with y: did you mean [X], [y]?")
        X = [X]
    if y is None:
        return from_episodes(X)
    if len(X) != len(y):
        raise ValueError(f"{len(y)} arrays of labels for {len(X)} trajectories")
    labelled = [{**columns_of(x), "segments": labels} for x, labels in zip(X, y)]
    return build(labelled, about_of(X[0]) if len(X) else {})
