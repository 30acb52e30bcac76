"""The site: it builds without a warning, every link leads somewhere, nothing comes from the network,
a browser shows it without faults, search finds words; snippets of its pages and the notebooks run as they stand.

SPDX-License-Identifier: MIT
Copyright (c) 2026 the slottar authors
"""

import html
import importlib.util
import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from urllib.parse import unquote

import pytest

TOP = Path(__file__).parents[2]
DOCS = TOP / "docs"
NOTEBOOKS = sorted((TOP / "examples" / "notebooks").glob("*.ipynb"))
# pages whose every block of Python and sh runs, in order, in an empty folder; what comes before them
PAGES = {
    "start": "",
    "install": "import slottar",
    "skills": """
import numpy as np
import slottar
demos = slottar.collect("craft-full", episodes=(60, 10, 10))
skills = np.zeros(64, np.int64)
""",
    "recordings": "",
    "models": "",
    "robots": "",
    "gpu": "",
    "paper": "",
    "python": """
import numpy as np
import gymnasium
import slottar
rng = np.random.default_rng(0)
paths = [f"{i}.txt" for i in range(24)]
aims = np.array([[0.8, 0.2], [-0.5, 0.9], [0.1, -0.7]])
for path in paths:
    moves = np.repeat(aims, rng.integers(8, 14, 3), axis=0)
    np.savetxt(path, moves + rng.normal(0, 0.05, moves.shape))
slottar.collect("doorkey", "demos.safetensors", episodes=(32, 10, 10))
demos = [(moves, moves.cumsum(axis=0)) for moves in map(np.loadtxt, paths)]
""",
    "streaming": """
import numpy as np
import slottar
model = slottar.MDLSegmenter(prior=2, steps=20, restarts=1).fit([[0, 1, 0, 2] * 3] * 12)
observation, action = None, 1
""",
}


def run(words, folder, **more):
    """With the command and the Python of this environment first."""
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    env = {**os.environ, "PATH": path, "MPLBACKEND": "agg", "NO_MKDOCS_2_WARNING": "1"}
    done = subprocess.run(words, cwd=folder, env=env, capture_output=True, text=True, **more)
    assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-4000:]
    return done.stdout


def blocks(page):
    text = (DOCS / f"{page}.md").read_text(encoding="utf-8")
    return re.findall(r"^```(python|sh)\n(.*?)^```", text, re.M | re.S)


@pytest.mark.parametrize("page", PAGES)
def test_snippets_run(page, tmp_path):
    found = blocks(page)
    assert found
    program = ["import subprocess, warnings", PAGES[page]]
    for language, code in found:
        if language == "sh":
            code = f"subprocess.run(['sh', '-ec', {code!r}], check=True)\n"
        program.append(code)
    program.insert(1, "warnings.simplefilter('ignore')")
    (tmp_path / ".snippets.py").write_text("\n".join(program), encoding="utf-8")
    run([sys.executable, ".snippets.py"], tmp_path, timeout=300)


def test_all_pages_with_snippets_are_listed():
    """`gallery` is run by tools/gallery, which makes its pictures."""
    with_code = {path.stem for path in DOCS.glob("*.md") if blocks(path.stem)}
    assert with_code - {"gallery"} == set(PAGES)


def test_there_are_notebooks_and_pictures():
    assert len(NOTEBOOKS) >= 4
    gallery = (DOCS / "gallery.md").read_text(encoding="utf-8")
    pictures = set(re.findall(r"!\[[^\]]*\]\(([^)]*)\)", gallery))
    assert len(pictures) >= 8 and all((DOCS / one).exists() for one in pictures)
    for name in re.findall(r"images/concepts/(\w+)\.svg", (DOCS / "concepts.md").read_text()):
        assert (DOCS / "images" / "concepts" / f"{name}.svg").exists(), name


def test_drawings_are_current(tmp_path):
    subprocess.run([sys.executable, DOCS / "site" / "drawings.py", tmp_path], check=True)
    for made in tmp_path.iterdir():
        assert made.read_text() == (DOCS / "images" / "concepts" / made.name).read_text(), made.name


# ---- the built site


@pytest.fixture(scope="module")
def site(tmp_path_factory, command):
    if not importlib.util.find_spec("material"):
        pytest.skip("no mkdocs-material: pip install mkdocs-material")
    work = tmp_path_factory.mktemp("site")
    run([sys.executable, str(DOCS / "site" / "pages.py"), command, str(work)], TOP)
    words = ["build", "-q", "--strict", "-f", str(work / "mkdocs.yml"), "-d", str(work / "out")]
    run([sys.executable, "-m", "mkdocs", *words], work)
    return work / "out"


def test_links_lead_somewhere(site):
    pages = {path: path.read_text(encoding="utf-8") for path in site.rglob("*.html")}
    anchors = {path: set(re.findall(r'\bid="([^"]+)"', text)) for path, text in pages.items()}
    assert len(pages) > 80
    dead = []
    for path, text in pages.items():
        for link in re.findall(r'(?:href|src)="([^"]*)"', text):
            link = unquote(html.unescape(link))
            if path.name == "404.html" or re.match(r"[a-z]+:|//", link):
                continue
            where, _, anchor = link.partition("#")
            target = (path.parent / where).resolve() if where else path
            target = target / "index.html" if target.is_dir() else target
            if not target.exists() or (
                anchor and target in anchors and anchor not in anchors[target]
            ):
                dead.append((str(path.relative_to(site)), link))
    assert dead == []


def test_nothing_comes_from_the_network(site):
    """Links may leave the site; scripts, styles, fonts and pictures may not."""
    for path in site.rglob("*.html"):
        text = path.read_text(encoding="utf-8")
        loaded = re.findall(r'<(?:script|img|iframe|source)[^>]*\bsrc="(https?:)?//', text)
        loaded += re.findall(
            r'<link[^>]*rel="(?:stylesheet|preconnect|icon)"[^>]*href="https?:', text
        )
        assert loaded == [], path.name
    for path in site.rglob("*.css"):
        assert not re.search(r"url\(['\"]?https?:|@import ['\"]?https?:", path.read_text()), path


@pytest.fixture(scope="module")
def browse(command, tmp_path_factory):
    """Commands of tests/helpers/browser_driver.c; gives the answers."""
    driver, browser = Path(command).parent / "tests" / "browser_driver", shutil.which("chromium")
    if not driver.exists() or not browser:
        pytest.skip(f"no {driver.name if browser else 'chromium: apt-get install chromium'}")
    profile = str(tmp_path_factory.mktemp("profile"))

    def ask(lines):
        said = run([str(driver), browser, profile], TOP, input="\n".join(lines) + "\n", timeout=240)
        return [json.loads(line) for line in said.splitlines()]

    return ask


def test_pages_in_a_browser(site, browse):
    """At 1300 and 420 pixels, light and dark: nothing leaves the window, text can be read. Colours do
    not depend on the width: each page is looked at twice. Of pages that one program makes from many
    headers or commands, the longest eight."""
    pages = [path for path in site.rglob("*.html") if path.name != "404.html"]
    for made in (site / "reference" / "c", site / "reference" / "commands"):
        own = sorted(made.glob("*.html"), key=lambda path: path.stat().st_size)
        assert len(own) > 8
        pages = [path for path in pages if path not in own[:-8]]
    asked, lines = [], []
    for path in sorted(pages):
        lines.append(f"load {path.as_uri()}")
        for scheme, width in (("light", 1300), ("dark", 420)):
            lines += [f"scheme {scheme}", f"size {width} 900"]
            lines.append(f"run {TOP / 'tests' / 'helpers' / 'site_checks.js'}")
            asked.append(f"{path.relative_to(site)}, {scheme}, {width}")
    found = browse(lines)
    assert len(found) == len(asked)
    assert {name: faults for name, faults in zip(asked, found) if faults} == {}


def test_search_finds_boundary(site, browse):
    box = "document.querySelector('[data-md-component=search-query]')"
    links = "[...document.querySelectorAll('.md-search-result__link')].map((one) => one.href)"
    wait = f"new Promise((done) => {{ const look = () => {links}.length ? done({links}) : setTimeout(look, 50); look(); }})"
    lines = ["size 1300 900", f"load {(site / 'index.html').as_uri()}"]
    _, found = browse(
        [*lines, f"eval ({box}.focus(), true)", "type boundary", "key End", f"eval {wait}"]
    )
    assert any("docs/concepts.html" in link and "#boundary" in link for link in found[:5]), found[
        :5
    ]


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_notebooks_run(path, site):
    """`pages.py` runs them, with their assertions, and shows what they print and draw."""
    if not importlib.util.find_spec("nbclient") or not importlib.util.find_spec("ipykernel"):
        pytest.skip("no nbclient, ipykernel: pip install nbclient ipykernel")
    cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
    assert all(not cell.get("outputs") for cell in cells)  # kept without outputs
    name = f"reference/notebooks/{path.stem}"
    page = (site / f"{name}.html").read_text(encoding="utf-8")
    shown = html.unescape(re.sub(r"<[^>]*>", "", page))
    assert all("".join(c["source"]) in shown for c in cells if c["cell_type"] == "code")
    text = (site.parent / "pages" / f"{name}.md").read_text(encoding="utf-8")
    assert text.count("```text") >= 2 and f'src="{path.stem}-' in page


def test_reference_is_complete(site, command):
    names = subprocess.run([command, "manual", "--names"], capture_output=True, text=True).stdout
    for name in names.split():
        page = (site / "reference" / "commands" / f"{name}.html").read_text(encoding="utf-8")
        assert "--help" in page or name in ("manual", "completion")
        own = name in ("train-expert", "sweep")
        assert ("<th>option</th>" in page) == own, name
    for header in (TOP / "include" / "slottar").glob("*.h"):
        assert (site / "reference" / "c" / f"{header.stem}.html").exists()
    python = (site / "reference" / "python.html").read_text(encoding="utf-8")
    assert 'id="votesegmenter"' in python and 'id="modelfit"' in python
    options = (site / "reference" / "options.html").read_text(encoding="utf-8")
    assert re.search(
        r"<td><code>lr</code></td>\s*<td><code>(?:<span[^>]*>)?3e-3",
        options,
    )
