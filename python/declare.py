"""Writes slottar/_declarations.py from the public headers: structs, constants and functions for
ctypes.

    declare.py CC INCLUDE OUT.py CHECK.c

The compiler expands the headers, so that lists of macros become what they stand for; what is left
is a small part of C that this script reads. CHECK.c asserts that sizes and offsets, as Python
computes them, are the compiler's: it is compiled with the package.

SPDX-License-Identifier: MIT
Copyright (c) 2026 the slottar authors
"""

from __future__ import annotations

import re
import subprocess
import sys
from typing import Dict, List, Tuple

NUMBERS = {
    "char": "c_char",
    "bool": "c_bool",
    "_Bool": "c_bool",
    "int": "c_int",
    "float": "c_float",
    "double": "c_double",
    "size_t": "c_size_t",
    "int8_t": "c_int8",
    "uint8_t": "c_uint8",
    "int16_t": "c_int16",
    "uint16_t": "c_uint16",
    "int32_t": "c_int32",
    "uint32_t": "c_uint32",
    "int64_t": "c_int64",
    "uint64_t": "c_uint64",
    "long": "c_long",
    "unsigned": "c_uint",
}
QUALIFIERS = ("const", "struct", "enum")
TOKEN = re.compile(r"[A-Za-z_]\w*|0x[0-9a-fA-F]+|\d+(?:\.\d+)?|\"(?:[^\"\\]|\\.)*\"|<<|>>|\S")


def expand(compiler: str, include: str) -> str:
    """The headers after the preprocessor, without what the system's headers declare."""
    command = [*compiler.split(), "-E", "-I", include, "-x", "c", "-"]
    text = subprocess.run(
        command, input='#include "slottar/slottar.h"\n', capture_output=True, text=True, check=True
    ).stdout
    kept, ours = [], False
    for line in text.splitlines():
        mark = re.match(r'# \d+ "(.*?)"', line)
        if mark:
            ours = re.search(r"(^|/)slottar/\w+\.h$", mark.group(1)) is not None
        elif ours and not line.startswith("#"):
            kept.append(line)
    return "\n".join(kept)


def statements(text: str) -> List[List[str]]:
    """Tokens of one declaration each, without attributes and without bodies of functions."""
    text = re.sub(r"__attribute__\s*\(\(.*?\)\)\)?", "", text)
    out: List[List[str]] = [[]]
    depth = 0
    for token in TOKEN.findall(text):
        depth += {"{": 1, "}": -1}.get(token, 0)
        out[-1].append(token)
        body = token == "}" and "inline" in out[-1]
        if depth == 0 and (token == ";" or body):
            out.append([])
    return [s for s in out if s and "inline" not in s]


class Reader:
    """What was declared so far, and the lines of Python that say it."""

    def __init__(self) -> None:
        self.constants: Dict[str, int] = {}
        self.enums: List[str] = []
        self.structs: Dict[str, List[Tuple[str, str]]] = {}
        self.opaque: List[str] = []
        self.callbacks: Dict[str, str] = {}
        self.functions: Dict[str, Tuple[str, List[str]]] = {}

    # ---- types

    def base(self, name: str) -> str:
        if name in NUMBERS:
            return NUMBERS[name]
        if name in self.enums:
            return "c_int"
        if name in self.structs or name in self.callbacks:
            return name
        if name == "void" or name in self.opaque:
            return "None"
        raise ValueError(f"unknown type {name!r}")

    def pointer(self, name: str, stars: int) -> str:
        """Texts are c_char_p, structs typed pointers, numbers and handles plain addresses."""
        base = self.base(name)
        if stars == 0:
            return base
        if name == "char":
            inner = "c_char_p"
        elif name in self.structs:
            inner = f"POINTER({name})"
        else:
            inner = "c_void_p"
        for _ in range(stars - 1):
            inner = f"POINTER({inner})"
        return inner

    def declarator(self, tokens: List[str]) -> Tuple[str, str]:
        """(type, name) of `const char *const *names` or `double losses[1024]`; name may be ''."""
        if "(" in tokens:
            return self.callback(tokens)
        tokens = [t for t in tokens if t not in QUALIFIERS]
        sizes: List[str] = []
        while tokens[-1] == "]":
            opening = len(tokens) - 1 - tokens[::-1].index("[")
            sizes.append(str(self.value(tokens[opening + 1 : -1])))
            tokens = tokens[:opening]
        name, stars = tokens[0], tokens.count("*")
        rest = [t for t in tokens[1:] if t != "*"]
        kind = self.pointer(name, stars)
        for size in sizes:
            kind = f"({kind} * {size})"
        return kind, rest[0] if rest else ""

    def callback(self, tokens: List[str]) -> Tuple[str, str]:
        """`void *(*alloc)(void *user, size_t bytes)`"""
        opening = tokens.index("(")
        result, _ = self.declarator(tokens[:opening])
        name = tokens[opening + 2]
        arguments = self.arguments(tokens[opening + 5 : -1])
        return f"CFUNCTYPE({', '.join([result, *arguments])})", name

    def arguments(self, tokens: List[str]) -> List[str]:
        if tokens == ["void"]:
            return []
        # an array as an argument is a pointer
        return [
            re.sub(r"^\((\w+) \* \d+\)$", r"POINTER(\1)", self.declarator(part)[0])
            for part in split(tokens, ",")
        ]

    def value(self, tokens: List[str]) -> int:
        return int(eval(" ".join(tokens), {"__builtins__": {}}, dict(self.constants)))

    # ---- declarations

    def enum(self, body: List[str]) -> None:
        last = -1
        for part in split(body, ","):
            if part:
                last = self.value(part[2:]) if len(part) > 1 else last + 1
                self.constants[part[0]] = last

    def struct(self, body: List[str]) -> List[Tuple[str, str]]:
        fields = []
        for line in split(body, ";"):
            # `int a, *b[3]`: the type stands before the first name only
            parts = [line] if "(" in line else split(line, ",")
            base = next(t for t in line if t not in QUALIFIERS)
            for part in [parts[0], *([base, *part] for part in parts[1:])]:
                kind, name = self.declarator(part)
                fields.append((name, kind))
        return fields

    def declare(self, tokens: List[str]) -> None:
        tokens = tokens[:-1]
        if tokens[0] == "enum":
            self.enum(tokens[2:-1])
        elif tokens[:2] == ["typedef", "enum"]:
            self.enum(tokens[3:-2])
            self.enums.append(tokens[-1])
        elif tokens[:2] == ["typedef", "struct"] and "{" not in tokens:
            self.opaque.append(tokens[-1])
        elif tokens[:2] == ["typedef", "struct"]:
            self.structs[tokens[-1]] = self.struct(tokens[3:-2])
        elif tokens[0] == "typedef":
            kind, name = self.callback(tokens[1:])
            self.callbacks[name] = kind
        else:
            opening = tokens.index("(")
            result, name = self.declarator(tokens[:opening])
            self.functions[name] = (result, self.arguments(tokens[opening + 1 : -1]))


def split(tokens: List[str], mark: str) -> List[List[str]]:
    """Cuts at a mark outside of all brackets."""
    parts: List[List[str]] = [[]]
    depth = 0
    for token in tokens:
        depth += {"(": 1, "[": 1, "{": 1, ")": -1, "]": -1, "}": -1}.get(token, 0)
        if token == mark and depth == 0:
            parts.append([])
        else:
            parts[-1].append(token)
    return [p for p in parts if p]


def python_text(reader: Reader) -> str:
    lines = [
        '"""Made by declare.py from the public headers. Not to be edited."""',
        "from ctypes import *",
        "",
    ]
    lines += [f"{name} = {value}" for name, value in reader.constants.items()]
    callbacks = dict(reader.callbacks)
    for name, fields in reader.structs.items():
        lines += ["", "", f"class {name}(Structure):", "    _fields_ = ["]
        lines += [f'        ("{field}", {kind}),' for field, kind in fields] + ["    ]"]
    lines += ["", ""] + [f"{name} = {kind}" for name, kind in callbacks.items()]
    lines += ["", "FUNCTIONS = {"]
    for name, (result, arguments) in reader.functions.items():
        lines.append(f'    "{name}": ({result}, [{", ".join(arguments)}]),')
    return "\n".join([*lines, "}", ""])


def check_text(reader: Reader, module: Dict[str, object]) -> str:
    lines = [
        "// Made by declare.py: what Python believes about the structs.",
        "#include <stddef.h>",
        '#include "slottar/slottar.h"',
        "",
    ]
    for name, fields in reader.structs.items():
        struct = module[name]
        lines.append(f'_Static_assert(sizeof({name}) == {module["sizeof"](struct)}, "{name}");')
        lines += [
            f"_Static_assert(offsetof({name}, {field}) == {getattr(struct, field).offset}, "
            f'"{name}.{field}");'
            for field, _ in fields
        ]
    return "\n".join([*lines, "int slt_python_declarations_fit = 1;", ""])


def main(compiler: str, include: str, out: str, check: str) -> None:
    reader = Reader()
    for statement in statements(expand(compiler, include)):
        reader.declare(statement)
    text = python_text(reader)
    module: Dict[str, object] = {}
    exec(text, module)
    for path, content in ((out, text), (check, check_text(reader, module))):
        with open(path, "w", encoding="utf-8") as file:
            file.write(content)


if __name__ == "__main__":
    main(*sys.argv[1:])
