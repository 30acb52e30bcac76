"""The drawings of docs/concepts.md, as SVG files: drawings.py FOLDER

SPDX-License-Identifier: MIT
Copyright (c) 2026 the slottar authors
"""

from __future__ import annotations

import math
import sys
from pathlib import Path
from typing import Callable, Dict, List, Sequence, Tuple

COLOURS = ("#2a9d8f", "#e9a23b", "#7b6cb8", "#d1605e")
INK, PALE, LINE = "#22313a", "#6b7780", "#c3cbd0"
WIDTH = 640


class Drawing:
    def __init__(self, height: int, title: str) -> None:
        self.height, self.title, self.parts = height, title, []

    def add(self, part: str) -> None:
        self.parts.append(part)

    def text(
        self, x: float, y: float, words: str, size: int = 13, fill: str = INK, anchor: str = "start"
    ) -> None:
        self.add(
            f'<text x="{x:g}" y="{y:g}" font-size="{size}" fill="{fill}" text-anchor="{anchor}">{words}</text>'
        )

    def box(
        self, x: float, y: float, w: float, h: float, fill: str, opacity: float = 1, r: float = 3
    ) -> None:
        self.add(
            f'<rect x="{x:g}" y="{y:g}" width="{w:g}" height="{h:g}" rx="{r:g}" fill="{fill}" fill-opacity="{opacity:g}"/>'
        )

    def line(
        self,
        points: Sequence[Tuple[float, float]],
        stroke: str = INK,
        width: float = 1.5,
        dash: str = "",
    ) -> None:
        where = " ".join(f"{x:g},{y:g}" for x, y in points)
        dashed = f' stroke-dasharray="{dash}"' if dash else ""
        self.add(
            f'<polyline points="{where}" fill="none" stroke="{stroke}" stroke-width="{width:g}"{dashed}/>'
        )

    def arrow(self, x1: float, y1: float, x2: float, y2: float) -> None:
        self.line([(x1, y1), (x2, y2)], PALE, 1.2)
        turn = math.atan2(y2 - y1, x2 - x1)
        ends = [(x2 - 7 * math.cos(turn + s), y2 - 7 * math.sin(turn + s)) for s in (0.45, -0.45)]
        self.line([ends[0], (x2, y2), ends[1]], PALE, 1.2)

    def steps(
        self, x: float, y: float, segments: Sequence[Tuple[str, int]], size: float = 22
    ) -> List[float]:
        """A row of steps, a colour per segment; gives where segments end."""
        ends = []
        for letters, colour in segments:
            for letter in letters:
                self.box(x, y, size - 2, size - 2, COLOURS[colour], 0.85)
                self.text(x + size / 2 - 1, y + size / 2 + 4, letter, 12, "#fff", "middle")
                x += size
            ends.append(x - 1)
        return ends

    def svg(self) -> str:
        return (
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {self.height}" role="img" '
            f'aria-label="{self.title}" font-family="system-ui, sans-serif">\n'
            f"<title>{self.title}</title>\n"
            f'<rect width="{WIDTH}" height="{self.height}" fill="#fff"/>\n'
            + "\n".join(self.parts)
            + "\n</svg>\n"
        )


EPISODE = (("llfffg", 0), ("rrffffu", 1), ("lffffg", 2), ("rfffu", 3))


def boundary() -> Drawing:
    d = Drawing(
        165, "an episode of 24 steps in four segments; a boundary is the last step of a segment"
    )
    d.text(30, 20, "an episode: a row of steps, each an observation and an action", 13, PALE)
    ends = d.steps(30, 60, EPISODE)
    names = ("get wood", "use workbench", "get iron", "use toolshed")
    start = 30.0
    for n, end in enumerate(ends):
        d.line([(start + 2, 92), (start + 2, 97), (end - 2, 97), (end - 2, 92)], COLOURS[n])
        d.text((start + end) / 2, 113, names[n], 12, COLOURS[n], "middle")
        if n + 1 < len(ends):
            d.arrow(end - 10, 44, end - 10, 57)
        start = end
    d.text(ends[0] - 10, 41, "boundary", 12, INK, "middle")
    d.text(ends[1] - 10, 41, "boundary", 12, INK, "middle")
    d.text(ends[2] - 10, 41, "boundary", 12, INK, "middle")
    d.text(
        30,
        145,
        "four segments, three boundaries: the last step of every segment but the last",
        13,
        INK,
    )
    return d


def slot() -> Drawing:
    d = Drawing(225, "the encoder reads the whole episode; slots compete for its steps")
    d.steps(56, 175, EPISODE)
    d.box(56, 118, 526, 26, LINE, 0.7)
    d.text(319, 136, "encoder: every step looks at all others", 13, INK, "middle")
    for x in range(67, 590, 44):
        d.line([(x, 173), (x, 146)], LINE, 1)
    for n in range(5):
        x, used = 110 + 100 * n, n < 4
        d.box(x - 30, 32, 60, 34, COLOURS[n] if used else LINE, 0.9 if used else 0.7, 8)
        d.text(x, 54, f"slot {n + 1}", 13, "#fff" if used else PALE, "middle")
        if used:
            centre = (122, 265, 408, 529)[n]
            for off in (-40, -14, 14, 40):
                d.line([(x, 68), (centre + off, 117)], COLOURS[n], 1.4)
    d.text(30, 20, "K slots: one vector for each segment; a slot may stay unused", 13, PALE)
    return d


def curve(
    d: Drawing,
    x: float,
    y: float,
    values: Sequence[float],
    colour: str,
    high: float = 34,
    step: float = 22,
) -> None:
    d.line([(x, y), (x + step * len(values), y)], LINE, 1)
    d.line([(x + step * (i + 0.5), y - high * v) for i, v in enumerate(values)], colour, 2)


def mask() -> Drawing:
    d = Drawing(290, "from where a slot ends to the steps that it explains")
    ends = (5, 12, 18)
    d.steps(96, 20, EPISODE)
    soft = lambda t, end: math.exp(-0.5 * ((t - end) / 0.7) ** 2)
    done: List[List[float]] = []
    for end in ends:
        weights = [soft(t, end) for t in range(24)]
        done.append([sum(weights[: t + 1]) / sum(weights) for t in range(24)])
    for n, label in enumerate(("slot 1", "slot 2", "slot 3", "slot 4")):
        y = 88 + 50 * n
        before = done[n - 1] if n else [1.0] * 24
        after = done[n] if n < 3 else [0.0] * 24
        values = [(1 - after[t]) * before[t] if n < 3 else before[t] for t in range(24)]
        d.text(30, y - 8, label, 13, COLOURS[n])
        for t, v in enumerate(values):
            d.box(96 + 22 * t, y - 34 * v, 20, 34 * v, COLOURS[n], 0.35, 1)
        curve(d, 96, y, values, COLOURS[n])
        if n < 3:
            d.line(
                [(96 + 22 * (ends[n] + 1), y - 38), (96 + 22 * (ends[n] + 1), y + 4)], INK, 1, "3 3"
            )
    d.text(
        30,
        270,
        "a slot says where it ends; its mask is what it explains: from the end of the slot before to its own",
        12.5,
        INK,
    )
    return d


def bars(
    d: Drawing,
    x: float,
    y: float,
    values: Sequence[float],
    colour: str,
    high: float = 90,
    wide: float = 26,
) -> None:
    d.line([(x - 4, y), (x + wide * len(values), y)], LINE, 1)
    for n, value in enumerate(values):
        d.box(x + wide * n, y - high * value, wide - 6, high * value, colour, 0.9, 1)
        d.text(x + wide * n + (wide - 6) / 2, y + 16, str(n + 1), 12, PALE, "middle")


def halting() -> Drawing:
    d = Drawing(190, "halting: every slot says how likely it is the last one")
    chances = (0.02, 0.05, 0.15, 0.9, 0.95)
    left, out = 1.0, []
    for n, p in enumerate(chances):
        x = 60 + 76 * n
        d.box(x - 26, 40, 52, 30, COLOURS[n % 4] if n < 4 else LINE, 0.9, 8)
        d.text(x, 60, f"slot {n + 1}", 12, "#fff" if n < 4 else PALE, "middle")
        d.text(x, 88, f"stop: {p:g}", 12, INK, "middle")
        if n:
            d.arrow(x - 48, 55, x - 28, 55)
        out.append(left * p)
        left *= 1 - p
    d.text(30, 24, "each slot: is it the last one?", 13, PALE)
    d.text(450, 24, "number of segments", 13, PALE)
    bars(d, 460, 145, out, COLOURS[3])
    d.text(30, 120, "probability of 4 segments:", 12.5, INK)
    d.text(30, 140, "0.98 × 0.95 × 0.85 × 0.9 = 0.71", 12.5, INK)
    return d


def prior() -> Drawing:
    d = Drawing(185, "four priors over the number of segments")
    shapes = (
        ("prior=4", (0.01, 0.01, 0.01, 0.94, 0.01, 0.01)),
        ("prior=3..5", (0.01, 0.01, 0.32, 0.32, 0.32, 0.01)),
        ("prior=0,0,.3,.7", (0.005, 0.005, 0.3, 0.68, 0.005, 0.005)),
        ("prior=flat", (1 / 6,) * 6),
    )
    for n, (name, values) in enumerate(shapes):
        x = 36 + 152 * n
        d.text(x + 58, 28, name, 13, INK, "middle")
        bars(d, x, 140, values, COLOURS[n], 95, 20)
    d.text(320, 176, "number of segments", 12.5, PALE, "middle")
    return d


def told() -> Drawing:
    d = Drawing(215, "what a method is told, from nothing to labels")
    rows = (
        ("nothing", "episodes alone", 0),
        ("a range, a mean", "prior=3..6: what you guess", 1),
        ("histogram", "how often 3, 4, 5 segments occur", 2),
        ("the number", "of every episode: CompILE and OMPN", 3),
        ("labels", "choose the epoch: the paper's early stopping", 3),
    )
    for n, (name, words, colour) in enumerate(rows):
        y, w = 18 + 38 * n, 90 + 48 * n
        d.box(30, y, w, 28, COLOURS[colour], 0.35 + 0.14 * n)
        d.text(40, y + 19, name, 13, INK)
        d.text(40 + w, y + 19, words, 12.5, PALE)
    return d


def kinds() -> Drawing:
    d = Drawing(235, "events and phases: two notions of a segment")
    d.text(30, 26, "events: a segment ends with something that happens", 13, INK)
    ends = d.steps(30, 52, (("llffg", 0), ("rrfffu", 1), ("lffg", 2), ("rffu", 3)))
    for n, end in enumerate(ends):
        d.text(end - 10, 46, ("get", "use", "get", "use")[n], 12, INK, "middle")
    d.text(30, 116, "phases: a segment is a time of one kind of behaviour", 13, INK)
    x, points = 30.0, []
    for n, (length, level, wave) in enumerate(
        ((130, 0.75, 1), (150, 0.25, 2.5), (110, 0.6, 0.4), (140, 0.1, 1.6))
    ):
        d.box(x, 130, length, 76, COLOURS[n], 0.22, 0)
        points += [
            (x + i, 200 - 60 * level - 6 * math.sin(i * wave / 6)) for i in range(0, length, 4)
        ]
        d.text(
            x + length / 2, 224, ("reach", "grasp", "lift", "carry")[n], 12, COLOURS[n], "middle"
        )
        x += length
    d.line(points, INK, 1.6)
    return d


def trust() -> Drawing:
    d = Drawing(225, "many runs vote; trust is how far they agree")
    d.text(
        30,
        24,
        "many small models, each from another start and another half of the episodes",
        13,
        PALE,
    )
    good = ((6, 13, 19),) * 4 + ((6, 13, 18), (6, 13))
    bad = ((3, 9, 20), (6, 16), (5, 13, 17, 21), (11,), (2, 8, 14), (7, 18))
    for side, (runs, name, value) in enumerate(
        ((good, "trust 0.95", COLOURS[0]), (bad, "trust 0.3: doubtful", COLOURS[3]))
    ):
        left = 30 + 310 * side
        votes = [0.0] * 25
        for n, cuts in enumerate(runs):
            y = 42 + 16 * n
            d.box(left, y, 250, 11, LINE, 0.6, 2)
            for cut in cuts:
                d.box(left + 10 * cut, y - 1, 4, 13, value, 1, 1)
                votes[cut] += 1 / len(runs)
        for cut, height in enumerate(votes):
            if height:
                d.box(left + 10 * cut, 190 - 44 * height, 4, 44 * height, value, 0.9, 1)
        d.line([(left, 190), (left + 250, 190)], LINE, 1)
        d.text(left, 212, name, 13, value)
        d.text(left + 250, 212, "the vote", 12.5, PALE, "end")
    return d


DRAWINGS: Dict[str, Callable[[], Drawing]] = {
    f.__name__: f for f in (boundary, slot, mask, halting, prior, told, kinds, trust)
}

if __name__ == "__main__":
    for name, draw in DRAWINGS.items():
        (Path(sys.argv[1]) / f"{name}.svg").write_text(draw().svg(), encoding="utf-8")
