"""Writes slottar/_keywords.pyi: the keywords of every estimator with their types, for mypy and
pyright, from the options of the built library.

    stubs.py LIBRARY DECLARATIONS.py OUT.pyi

SPDX-License-Identifier: MIT
Copyright (c) 2026 the slottar authors
"""

from __future__ import annotations

import ctypes
import importlib.util
import sys
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import List

HEAD = '''"""Keywords of the estimators; made by python/stubs.py from the library's options."""

import os
from typing import Any, Literal, Optional, Sequence, Tuple, TypedDict, Union

import numpy as np

PathLike = Union[str, "os.PathLike[str]"]
Prior = Union[int, str, Tuple[int, int], Sequence[float], np.ndarray]
'''
# may be given without its name
FIRST = ("kind", "rule")


def module(path: Path) -> ModuleType:
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec and spec.loader
    made = importlib.util.module_from_spec(spec)
    sys.modules[path.stem] = made
    spec.loader.exec_module(made)
    return made


def functions(library: str, declarations: ModuleType) -> SimpleNamespace:
    lib, out = ctypes.CDLL(library), SimpleNamespace()
    for name, (result, arguments) in declarations.FUNCTIONS.items():
        function = getattr(lib, name)
        function.restype, function.argtypes = result, arguments
        setattr(out, name, function)
    return out


def stub(options: ModuleType, lib: SimpleNamespace) -> str:
    lines: List[str] = [HEAD]
    for name, keywords in options.keywords_of(lib).items():
        types = {one.name: one.type for one in keywords if one.name not in FIRST}
        for pair in options.SYNONYMS:
            for here, other in (pair, pair[::-1]):
                if here in types:
                    types[other] = types[here]
        lines += ["", f"class {name}(TypedDict, total=False):"]
        lines += [f"    {keyword}: {kind}" for keyword, kind in types.items()]
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    options = module(Path(__file__).with_name("slottar") / "options.py")
    declarations = module(Path(sys.argv[2]))
    Path(sys.argv[3]).write_text(stub(options, functions(sys.argv[1], declarations)))
