"""What pages say besides the snippets that test_python_site.py runs: commands start, paths, flags and
targets are there, the first paragraph says what a page is for, the words are the glossary's.

SPDX-License-Identifier: MIT
Copyright (c) 2026 the slottar authors
"""

import json
import os
import re
import shlex
import shutil
import subprocess
from pathlib import Path

import pytest
import slottar

TOP = Path(__file__).parents[2]
PAGES = sorted(
    [*TOP.glob("docs/*.md"), *TOP.glob("docs/dev/*.md")]
    + [TOP / name for name in ("README.md", "CONTRIBUTING.md", "SECURITY.md")]
)
FILES = [
    path
    for folder in "cmake docs examples include lab python src tests tools".split()
    for path in (TOP / folder).rglob("*")
]
NOTEBOOKS = sorted((TOP / "examples" / "notebooks").glob("*.ipynb"))
WRITTEN = ["results/results.md", "results/search.md", "results/segments/results.md"]
WRITTEN += [f"results/notes/{name}.md" for name in ("performance", "reproduce", "results")]
NAMES = [page.relative_to(TOP).as_posix() for page in PAGES]
UNDERSTOOD = (None, 0, 75)  # still at work, done, more to do
BROUGHT = "No such file or directory"  # of a file that is the reader's own


def text_of(name):
    return (TOP / name).read_text(encoding="utf-8")


def prose(text):
    """Without code."""
    return re.sub(r"^```.*?^```|^    .*$|`[^`\n]*`", "", text, flags=re.M | re.S)


def joined(block):
    """Lines, with those that end in a backslash and their next as one."""
    return re.sub(r"\\\n\s*", "", block).splitlines()


def shown_commands(name):
    """Lines of code that begin with the command, but for those of blocks that are run whole."""
    text = re.sub(r"^```\w+\n.*?^```\n", "", text_of(name), flags=re.M | re.S)
    blocks = re.findall(r"^```\n(.*?)^```|((?:^    [^\n]*\n)+)", text, re.M | re.S)
    lines = (line.strip() for block in blocks for line in joined("".join(block)))
    found = (
        re.fullmatch(r"(?:\$ )?(?:build[\w-]*/)?slottar ([a-z].*?)(?:\s+#.*)?", one)
        for one in lines
    )
    return [one.group(1) for one in found if one and "NAME" not in one.group(1)]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Small files under the names that pages use, and three runs."""
    made = tmp_path_factory.mktemp("documents")
    (made / "tests").symlink_to(TOP / "tests")
    (made / "examples").symlink_to(TOP / "examples")
    data = slottar.collect("craft-full", made / "demos.safetensors", episodes=(16, 8, 8))
    for name in "craft craft-full new demonstrations".split():
        shutil.copy(made / "demos.safetensors", made / f"{name}.safetensors")
    for name in "demos new recordings".split():
        data.save(made / f"{name}.npz")
    slottar.learn_skills(data, made / "skills.safetensors")
    sizes = dict(slots=5, prior=4, hidden=8, heads=2, slot_size=8, epochs=1)
    for seed, run in enumerate("abc"):
        with pytest.warns(slottar.DoubtWarning):
            slottar.Segmenter(**sizes, random_state=seed, run=made / "runs" / run).fit(data)
    rows = ["episode,action,q0", *(f"{n // 6},{n % 3},{n % 5}" for n in range(60))]
    (made / "steps.csv").write_text("\n".join(rows) + "\n")
    return made


def start(command, line, folder):
    """Its exit status, None when it was still at work after half a second, and what it said."""
    path = f"{Path(command).parent}:{os.environ['PATH']}"
    pipes = {"stdout": subprocess.DEVNULL, "stderr": subprocess.PIPE, "text": True}
    words = ["sh", "-c", f"exec slottar {line}"]
    shell = subprocess.Popen(words, cwd=folder, env={**os.environ, "PATH": path}, **pipes)
    try:
        said = shell.communicate(timeout=0.5)[1]
        return shell.returncode, said
    except subprocess.TimeoutExpired:
        shell.kill()
        shell.communicate()
        return None, ""


def outputs(words):
    """What the command writes, which must not be there."""
    if words[0] == "convert":
        return words[2:3]
    if words[0] == "collect" and "-o" not in words:
        return [f"{words[1]}.safetensors"]
    return [after for word, after in zip(words, words[1:]) if word == "-o"]


@pytest.mark.parametrize("name", [name for name in NAMES if shown_commands(name)])
def test_commands_start(name, command, folder, tmp_path):
    """Each in a folder of its own. There may be no GPU: with --device auto."""
    for number, line in enumerate(shown_commands(name)):
        here = tmp_path / str(number)
        shutil.copytree(folder, here, symlinks=True)
        for output in outputs(shlex.split(line)):
            shutil.rmtree(here / output, ignore_errors=True)
            (here / output).unlink(missing_ok=True)
        status, said = start(command, line.replace("--device cuda", "--device auto"), here)
        assert status in UNDERSTOOD or (status == 1 and BROUGHT in said), f"{line}\n{said}"
        shutil.rmtree(here)


def test_paths_and_targets_are_there():
    """Files, by their whole path or its end, scripts, and targets of make."""
    listed = {path.as_posix() for path in FILES}
    targets = set(re.findall(r"^([a-z]+):", text_of("Makefile"), re.M))
    missing = []
    for name in NAMES:
        text = text_of(name)
        files = re.findall(r"`((?:[\w-]+/)+[\w-]+\.(?:c|h|cu|cuh|py|js|sh|yaml))[`:]", text)
        files += re.findall(r"(?<![\w/.-])((?:tools|lab)/[\w-]+)(?![\w/.-])", text)
        made = re.findall(r"(?:`|^    )make ([a-z]+)\b", text, re.M)
        missing += [
            (name, file)
            for file in files
            if not re.search("NAME|FILE|FOLDER", file)
            and not any(one.endswith(f"/{file}") for one in listed)
        ]
        missing += [(name, f"make {target}") for target in made if target not in targets]
    assert missing == []


@pytest.mark.parametrize("name", [*NAMES, *WRITTEN])
def test_pages_begin_with_a_paragraph(name):
    """After the title come words that say what the page is for: no code, no table."""
    title, first = re.match(r"# ([^\n]*)\n\n(.*?)\n\n", text_of(name), re.S).groups()
    assert title and re.match(r"[A-Za-z`*\[]", first) and len(first) > 40, first


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_notebooks_begin_with_a_paragraph(path):
    source = "".join(json.loads(path.read_text(encoding="utf-8"))["cells"][0]["source"])
    assert re.match(r"# [^\n]*\n\n[A-Z][^#]{40}", source)


def test_words_are_the_glossarys(command):
    """Words that the glossary replaces are in no page, and in no help of the command."""
    rows = re.findall(r"^\| \*\*.*\| ([^|]+) \|$", text_of("docs/concepts.md"), re.M)
    words = [word for row in rows for word in row.split(", ") if word.strip()]
    assert "change point" in words
    used = re.compile(rf"\b(?:{'|'.join(words)})s?\b(?! into| back| at| short)", re.I)
    texts = {name: prose(text_of(name)) for name in NAMES if name != "docs/concepts.md"}
    for name in subprocess.run(
        [command, "manual", "--names"], capture_output=True, text=True
    ).stdout.split():
        said = subprocess.run([command, name, "--help"], capture_output=True, text=True)
        texts[name] = said.stdout
    found = {name: used.findall(text) for name, text in texts.items()}
    assert {name: words for name, words in found.items() if words} == {}
