"""README.md is run as it stands: its Python, its commands, its links; versions agree.

SPDX-License-Identifier: MIT
Copyright (c) 2026 the slottar authors
"""

import os
import re
import subprocess
import sys
from importlib import metadata
from pathlib import Path

import slottar

TOP = Path(__file__).parents[2]
README = (TOP / "README.md").read_text(encoding="utf-8")


def block(language):
    (code,) = re.findall(rf"^```{language}\n(.*?)^```", README, re.M | re.S)
    return code


def test_python_and_commands(tmp_path):
    code = block("python") + '\nslottar.from_arrays(episodes).save("recordings.npz")\n'
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", code],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert done.returncode == 0, done.stderr
    boundaries, types, confidence, trust = done.stdout.splitlines()
    assert f"print(segments.boundaries[0])   # {boundaries}: last step" in code
    assert f"print(model.trust_)             # {trust}: how far" in code
    assert len(types.split()) == 3 and len(confidence.split()) == 2
    assert "60 runs" in done.stderr  # progress is shown
    assert b"</html>" in (tmp_path / "report.html").read_bytes()[-100:]

    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    done = subprocess.run(
        ["sh", "-ec", block("sh")],
        cwd=tmp_path,
        env={**os.environ, "PATH": path},
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.count("3 segments") >= 3 and (tmp_path / "first.html").exists()
    assert (tmp_path / "segments.csv").read_text().startswith("episode,step,segment,type\n0,0,0,")


def test_links_lead_somewhere():
    links = re.findall(r"\]\(([^)#\s]+)(?:#[^)]*)?\)", README)
    local = [link for link in links if not link.startswith("https:")]
    assert len(local) > 20 and [link for link in local if not (TOP / link).exists()] == []


def test_versions_agree():
    for name, pattern in (
        ("CITATION.cff", "^version: (.*)$"),
        ("debian/changelog", r"^slottar \((.*)-1\)"),
        ("CHANGELOG.md", r"\A# Changelog\n\n## (.*)$"),
    ):
        text = (TOP / name).read_text(encoding="utf-8")
        assert re.findall(pattern, text, re.M) == [slottar.__version__], name
    assert metadata.version("slottar") == slottar.__version__
