"""The pages of the site: the documents as they are, and the reference made from the sources.

    pages.py COMMAND FOLDER      FOLDER gets mkdocs.yml and pages/; `mkdocs build` does the rest

Documents keep their place in the tree, so that their links work here and there. Commands come from
the program's own help, options from the library's tables, Python from docstrings, C from the headers.

SPDX-License-Identifier: MIT
Copyright (c) 2026 the slottar authors
"""

from __future__ import annotations

import base64
import inspect
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import textwrap
from pathlib import Path
from typing import Any, Callable, Dict, List, Tuple

TOP = Path(__file__).resolve().parents[2]
COPIED = (
    *("README.md", "CONTRIBUTING.md", "CHANGELOG.md", "SECURITY.md", "CITATION.cff", "LICENSE"),
    *("docs", "examples", "results/results.md", "results/search.md", "results/segments/results.md"),
    *("results/notes", "results/figures"),
)
Page = Tuple[str, str]  # title, path


# ---- documents


def copy_documents(pages: Path) -> None:
    for name in COPIED:
        source, target = TOP / name, pages / name
        target.parent.mkdir(parents=True, exist_ok=True)
        if source.is_dir():
            skipped = shutil.ignore_patterns("site", "__pycache__", ".ipynb_checkpoints")
            shutil.copytree(source, target, ignore=skipped)
        else:
            shutil.copy(source, target)
    for name in ("style.css", "iframe-worker.js"):
        shutil.copy(TOP / "docs" / "site" / name, pages / name)
    shutil.copy(TOP / "docs" / "site" / "hooks.py", pages.parent / "hooks.py")
    home = pages / "README.md"
    home.write_text("---\nhide: [navigation]\n---\n" + home.read_text(encoding="utf-8"))


def title_of(path: Path) -> str:
    return path.read_text(encoding="utf-8").split("\n", 1)[0].lstrip("# ")


def write(path: Path, lines: List[str]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")


def plain(text: str) -> str:
    """Text in which Markdown sees nothing."""
    return re.sub(r"([\\`*_\[\]<>|#])", r"\\\1", text)


def prose(text: str) -> str:
    """Text with code between backquotes, as comments have it."""
    parts = text.split("`")
    return "`".join(part if n % 2 else plain(part) for n, part in enumerate(parts))


def table(head: List[str], rows: List[List[str]]) -> List[str]:
    return [
        f"| {' | '.join(head)} |",
        f"|{'---|' * len(head)}",
        *(f"| {' | '.join(cells)} |" for cells in rows),
        "",
    ]


def code(word: str) -> str:
    """In a table."""
    return "`" + word.replace("|", "\\|") + "`" if word else ""


# ---- commands


def command_page(name: str, said: str) -> List[str]:
    """A page from what --help says: usage, paragraphs, examples, flags."""
    usage, body = said.split("\n", 1)
    body, _, flags = body.partition("\nflags:\n")
    out = [f"# slottar {name}", ""]
    paragraphs = [one for one in body.strip("\n").split("\n\n") if one.strip()]
    first = plain(" ".join(paragraphs[0].split()))
    out += [f"`slottar {name}` {first}", "", "```", usage.replace("usage: ", ""), "```", ""]
    for one in paragraphs[1:]:
        lines = one.split("\n")
        if all(line.startswith("  ") or not line for line in lines):
            out += ["```sh", *(line[2:] for line in lines), "```", ""]
        elif any(line.startswith("  ") for line in lines):
            out += ["```", *lines, "```", ""]
        else:
            out += [plain(" ".join(lines)), ""]
    rows = []
    for line in flags.splitlines():
        found = re.match(r"\s+(-\w, )?(--[\w-]+)( [A-Z]\S*)? +(.*)", line)
        if found:
            short, long, value, meaning = (part or "" for part in found.groups())
            rows.append([code(f"{short}{long}{value}"), plain(meaning)])
    return out + (["## Flags", "", *table(["flag", "meaning"], rows)] if rows else [])


def option_lines(name: str, text: str, said: Callable[..., str]) -> List[str]:
    """Options of a command that has its own; those of models are on their page."""
    if " --options " not in text:
        return []
    if name == "train":
        return ["## Options", "", "Those of each model: [options](../options.md)."]
    found = re.findall(r"^  (\w+) +(.*?)(?: \(default (.*)\))?$", said(name, "--options"), re.M)
    rows = [[code(key), code(default), plain(meaning)] for key, meaning, default in found]
    return ["## Options", "", *table(["option", "default", "meaning"], rows)]


def command_pages(command: str, pages: Path) -> List[Page]:
    def said(*words: str) -> str:
        return subprocess.run([command, *words], check=True, capture_output=True, text=True).stdout

    made, rows = [], []
    for name in said("manual", "--names").split():
        text = said(name, "--help")
        path = f"reference/commands/{name}.md"
        write(pages / path, command_page(name, text) + option_lines(name, text, said))
        summary = text.split("\n\n")[1].strip()
        rows.append([f"[{name}](commands/{name}.md)", plain(summary)])
        made.append((name, path))
    index = ["# Commands", "", "What each command does and which flags it takes: the program's own"]
    index += ["help, a page per command.", "", *table(["command", ""], rows)]
    write(pages / "reference/commands.md", index)
    return [("All commands", "reference/commands.md"), *made]


# ---- options


def options_page(slottar: Any) -> List[str]:
    keywords_of, lib = slottar.options.keywords_of, slottar._library.lib
    out = [
        "# Options",
        "",
        "Every option of every model with its type and the default that is used.",
    ]
    out += ["On the command line they are `key=value`, in Python keywords of the class.", ""]
    for name, keywords in keywords_of(lib).items():
        model = slottar.options.MODELS.get(name)
        out += [f"## {name}", "", f"`slottar train {model}`" if model else "", ""]
        rows = [
            [code(one.name), code(one.shown), plain(one.meaning), code(short_type(one.type))]
            for one in keywords
        ]
        out += table(["option", "default", "meaning", "type"], rows)
    return out


def short_type(kind: str) -> str:
    return re.sub(r"^Optional\[(.*)\]$", r"\1", re.sub(r"Literal\[(.*?)\]", r"\1", kind))


# ---- Python

# all public names; the build fails when one is missing here
GROUPS: Dict[str, List[str]] = {
    "Models": "VoteSegmenter Segmenter MDLSegmenter CompILE OMPN Baseline".split(),
    "Results": "Segments Segmentation Trust DoubtWarning Stream Progress".split(),
    "Data": "Dataset Episode load save from_arrays from_episodes from_npz from_minari to_minari "
    "from_lerobot to_lerobot from_gymnasium write_labels collect sets".split(),
    "Environments and experts": "make_vec SlottarEnv SlottarVectorEnv SegmentInfo env_ids env_info "
    "train_expert learn_skills learn_plans Plan Plans SkillEnv SkillVectorEnv Policy".split(),
    "Functions": "score baseline_names load_model SlottarError".split(),
}


def markdown(text: str) -> List[str]:
    """A docstring: examples as code, the table of parameters as a table, our few marks."""
    text = re.sub(r":\w+:`([^`]*)`", r"``\1``", text).replace("``", "`")
    text, _, parameters = text.partition("\nParameters\n----------\n")
    out: List[str] = []
    for part in text.split("\n\n"):
        if part.lstrip().startswith(">>>"):
            lines = (re.sub(r"^\s*(>>>|\.\.\.) ?", "", line) for line in part.split("\n"))
            out += ["```python", *lines, "```", ""]
        elif part.startswith("    "):
            out += ["```python", inspect.cleandoc(part), "```", ""]
        else:
            out += [part, ""]
    rows, rest = parameter_rows(parameters)
    out += table(["parameter", "type and default", "meaning"], rows) if rows else []
    return [*out, *rest]


def parameter_rows(text: str) -> Tuple[List[List[str]], List[str]]:
    rows: List[List[str]] = []
    body, _, rest = text.partition("\n\n")
    for line in body.splitlines():
        if line.startswith("    ") and rows:
            rows[-1][2] = f"{rows[-1][2]} {plain(line.strip())}".strip()
        elif line.strip():
            name, _, kind = line.partition(" : ")
            rows.append([code(name), code(kind), ""])
    return rows, [rest, ""] if rest else []


def signature(thing: Any) -> str:
    """Names and defaults; the types are in the words."""
    try:
        found = inspect.signature(thing)
    except (TypeError, ValueError):
        return "()"
    plain_ones = [
        one.replace(annotation=inspect.Parameter.empty)
        for one in found.parameters.values()
        if one.name not in ("self", "cls")
    ]
    said = str(found.replace(parameters=plain_ones, return_annotation=inspect.Signature.empty))
    if len(said) < 72:
        return said
    return "\n".join(textwrap.wrap(said, 80, subsequent_indent="    ", break_long_words=False))


def members(kind: type, common: Any) -> List[Tuple[str, Any]]:
    """Public methods and properties with a docstring; those of `common` are shown once, with it."""
    out = []
    for name in sorted(dir(kind)):
        found = inspect.getattr_static(kind, name)
        inner = found.__func__ if isinstance(found, (classmethod, staticmethod)) else found
        ours = getattr(inner, "__module__", getattr(getattr(inner, "fget", None), "__module__", ""))
        shared = kind is not common and inspect.getattr_static(common, name, None) is found
        if name.startswith("_") or shared or not str(ours).startswith("slottar"):
            continue
        if inspect.getdoc(inner):
            out.append((name, inner))
    return out


def class_lines(name: str, kind: type, common: Any) -> List[str]:
    out = [f"### {name}", "", *markdown(inspect.getdoc(kind) or "")]
    for member, thing in members(kind, common):
        call = "" if isinstance(thing, property) else signature(thing)
        out += [f"#### {name}.{member}", ""]
        out += ["```python", f"{member}{call}", "```", ""] if call else []
        out += markdown(inspect.getdoc(thing) or "")
    return out


def python_page(slottar: Any) -> List[str]:
    out = ["# Python: classes and functions", "", "Everything that `import slottar` offers, from"]
    out += ["the docstrings. How to use it: [the guide](../docs/python.md).", ""]
    public = {*slottar.__all__, *slottar._LATER} - {"__version__"}
    listed = {name for names in GROUPS.values() for name in names}
    if public != listed:
        raise SystemExit(f"pages.py: GROUPS and slottar differ in {sorted(public ^ listed)}")
    common = slottar.models.Model
    for title, names in GROUPS.items():
        out += [f"## {title}", ""]
        out += class_lines("Model", common, common) if title == "Models" else []
        for name in names:
            thing = getattr(slottar, name)
            if inspect.isclass(thing):
                out += class_lines(name, thing, common)
            else:
                out += [f"### {name}", "", "```python", f"{name}{signature(thing)}", "```", ""]
                out += markdown(inspect.getdoc(thing) or "")
    return out


# ---- C


def header_page(path: Path) -> List[str]:
    """The comment at the head as prose, the declarations with theirs as code."""
    text = path.read_text(encoding="utf-8")
    head, _, body = text.partition("// SPDX")
    comment = [line[3:] for line in head.splitlines()]
    out = [f"# slottar/{path.name}", ""]
    for part in "\n".join(comment).strip().split("\n\n"):
        shown = part.split("\n")
        block = all(line.startswith("    ") for line in shown)
        out += ["```c", *(line[4:] for line in shown), "```", ""] if block else [prose(part), ""]
    body = body.split("\n", 2)[2]
    body = re.sub(r"#ifdef __cplusplus\n.*?#endif\n", "", body, flags=re.S)
    body = re.sub(
        r"^#(ifndef|define) SLOTTAR_\w+_H\n|^#endif\n?\Z|^// clang-format.*\n", "", body, flags=re.M
    )
    return [*out, "```c", re.sub(r"\n{3,}", "\n\n", body).strip(), "```"]


def header_pages(pages: Path) -> List[Page]:
    made = []
    for path in sorted((TOP / "include" / "slottar").glob("*.h")):
        made.append((path.name, f"reference/c/{path.stem}.md"))
        below = ["---", "search: {boost: 0.3}", "---"]  # words are explained elsewhere
        write(pages / made[-1][1], [*below, *header_page(path)])
    return made


# ---- notebooks


def run_notebook(path: Path) -> Any:
    """The notebook with what its cells print and show; None where Jupyter is not installed."""
    try:
        import nbclient
        import nbformat
    except ImportError:
        return None
    notebook = nbformat.read(path, as_version=4)
    with tempfile.TemporaryDirectory() as folder:
        resources = {"metadata": {"path": folder}}
        quiet = ["--IPKernelApp.log_level=ERROR"]
        client = nbclient.NotebookClient(
            notebook, timeout=120, resources=resources, extra_arguments=quiet
        )
        # pictures are outputs of cells, whatever matplotlib is told outside
        client.execute(
            env={**os.environ, "MPLBACKEND": "module://matplotlib_inline.backend_inline"}
        )
    return notebook


def output_lines(output: Dict[str, Any], picture: Path) -> List[str]:
    """An output of a cell: a picture, a table, or text."""
    data = output.get("data", {})
    if "image/png" in data:
        picture.parent.mkdir(parents=True, exist_ok=True)
        picture.write_bytes(base64.b64decode(data["image/png"]))
        return [f"![what the cell draws]({picture.name})", ""]
    if "text/html" in data:
        shown = re.sub(
            r"<style.*?</style>|(?<=<t)(\w+) [^>]*", r"\1", data["text/html"], flags=re.S
        )
        return [" ".join(shown.split()), ""]
    text = output.get("text", "") if output.get("name") == "stdout" else data.get("text/plain", "")
    return ["```text", *text.rstrip().split("\n"), "```", ""] if text else []


def notebook_pages(pages: Path) -> List[Page]:
    """Text, code and outputs of every notebook, for reading."""
    made = []
    for path in sorted((TOP / "examples" / "notebooks").glob("*.ipynb")):
        out: List[str] = []
        notebook = run_notebook(path) or json.loads(path.read_text(encoding="utf-8"))
        name = f"reference/notebooks/{path.stem}"
        for n, cell in enumerate(notebook["cells"]):
            text = "".join(cell["source"])
            out += [text, ""] if cell["cell_type"] == "markdown" else ["```python", text, "```", ""]
            for m, output in enumerate(cell.get("outputs", [])):
                out += output_lines(output, pages / f"{name}-{n}-{m}.png")
        out += [f"[The notebook](../../examples/notebooks/{path.name}), to run it yourself.", ""]
        made.append((out[0].split("\n")[0].lstrip("# "), f"{name}.md"))
        write(pages / made[-1][1], out)
    return made


# ---- all


def fill_nav(text: str, parts: Dict[str, List[Page]]) -> str:
    """A line with *NAME* becomes the pages of that name."""

    def lines(found: "re.Match[str]") -> str:
        indent, title, name = found.groups()
        deeper = f"{indent}    " if title else indent
        listed = [f"{deeper}- {json.dumps(t)}: {path}" for t, path in parts[name]]
        return "\n".join(([f"{indent}- {title}:"] if title else []) + listed)

    return re.sub(r'^( *)- (?:(\w+): )?"\*(\w+)\*"$', lines, text, flags=re.M)


def main(command: str, folder: str) -> None:
    import slottar

    pages = Path(folder) / "pages"
    shutil.rmtree(folder, ignore_errors=True)
    copy_documents(pages)
    write(pages / "reference/options.md", options_page(slottar))
    write(pages / "reference/python.md", python_page(slottar))
    parts = {
        "notebooks": notebook_pages(pages),
        "commands": command_pages(command, pages),
        "headers": header_pages(pages),
        "dev": [
            (title_of(path), str(path.relative_to(pages)))
            for path in sorted((pages / "docs" / "dev").glob("*.md"))
        ],
    }
    settings = (TOP / "docs" / "site" / "mkdocs.yml").read_text(encoding="utf-8")
    (Path(folder) / "mkdocs.yml").write_text(fill_nav(settings, parts), encoding="utf-8")


if __name__ == "__main__":
    main(*sys.argv[1:])
