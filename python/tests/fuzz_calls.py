"""Calls everything public with values that make little sense; run by test_python_fuzz.py in a
process of its own.

    fuzz_calls.py SEED CALLS

Whatever is refused must be refused by an exception of the documented kinds. SystemError,
RecursionError, and of course a crash, are mistakes of ours.

SPDX-License-Identifier: MIT
Copyright (c) 2026 the slottar authors
"""

import faulthandler
import logging
import os
import random
import sys
import tempfile
import warnings
from collections import Counter

import numpy as np
import slottar

REFUSALS = (
    ValueError,
    TypeError,
    OSError,
    IndexError,
    NotImplementedError,
    MemoryError,
    ArithmeticError,
    slottar.SlottarError,
    UnicodeError,
)
TINY = dict(epochs=1, hidden=8, heads=1, slot_size=8, threads=1)


def arrays(draw):
    shape = draw.choice([(), (0,), (1,), (3,), (2, 3), (0, 4), (3, 0), (2, 2, 2), (1,) * 9])
    dtype = draw.choice(
        ["u1", "i1", "i4", "i8", "u8", "f2", "f4", "f8", "?", "c8", "O", "U3", "M8[s]"]
    )
    values = np.zeros(shape) + draw.choice([0, 1, -1, 5, 255, 300, 2.5, 1e300, -1e9])
    with np.errstate(all="ignore"):
        out = np.asarray(values).astype(dtype)
    if dtype[0] == "f" and draw.random() < 0.3:
        out = np.asarray(out * np.nan)
    return out[::-1] if out.ndim and draw.random() < 0.2 else out


def value(draw, depth=0):
    """Anything."""
    kinds = [
        lambda: draw.choice(
            [None, True, False, 0, 1, -1, 2, 3, 7, 2**31, 2**63, 2**64, -(2**70), 10**30]
        ),
        lambda: draw.choice([0.0, 0.5, -1.5, float("nan"), float("inf"), 1e308, 1j]),
        lambda: draw.choice(
            [
                "",
                "a",
                "train",
                "test",
                "bot",
                "cpu",
                "cuda",
                "a\0b",
                "\ud800",
                "x" * 5000,
                "../..",
                "/",
                "é",
            ]
        ),
        lambda: draw.choice(
            [b"", b"abc", b"\xff\0", object(), type, len, {}, {"actions": [1]}, set(), range(3)]
        ),
        lambda: arrays(draw),
        lambda: draw.choice(GOOD),
        lambda: draw.choice(
            [np.int64(3), np.float32(2), np.bool_(True), np.uint64(2**64 - 1), slice(None), ...]
        ),
    ]
    if depth < 3:
        kinds += [lambda: [value(draw, depth + 1) for _ in range(draw.randrange(4))]] * 3
        kinds += [
            lambda: {draw.choice(NAMES): value(draw, depth + 1) for _ in range(draw.randrange(3))}
        ]
    return draw.choice(kinds)()


def keywords(draw, names):
    return {draw.choice(names): value(draw) for _ in range(draw.randrange(3))}


NAMES = [
    "actions",
    "observations",
    "rewards",
    "segments",
    "final_observation",
    "split",
    "seed",
    "task",
    "colour",
]
DATA = slottar.from_arrays(
    [[0, 1, 2], [2, 1], [0], [1, 1, 1, 0]],
    [np.eye(4)[:3], np.eye(4)[:2], np.eye(4)[:1], np.eye(4)],
    segments=[[0, 0, 1], [0, 1], [0], [0, 0, 1, 1]],
)
MODEL = slottar.Segmenter(**TINY).fit(DATA)
ENVS = slottar.make_vec("MiniGrid-DoorKey-5x5-v0", 2, threads=1)
ENVS.reset(seed=0)
EXPERT = ENVS.expert()
GOOD = [DATA, DATA[0], MODEL, DATA.path, MODEL.checkpoint_, [[0, 1], [1]], np.array([0, 1])]


def damaged(draw):
    """A data set or a checkpoint with some bytes changed or cut off."""
    with open(draw.choice([DATA.path, MODEL.checkpoint_]), "rb") as file:
        content = bytearray(file.read())
    for _ in range(draw.randrange(1, 8)):
        content[draw.randrange(min(len(content), draw.choice([16, 600, len(content)])))] = (
            draw.randrange(256)
        )
    with open("damaged", "wb") as file:
        file.write(content[: draw.choice([len(content), draw.randrange(len(content))])])
    return "damaged"


def look_at(data):
    """Everything of a data set that was accepted."""
    for episode in data[:3]:
        [
            getattr(episode, name)
            for name in ("actions", "observations", "final_observation", "rewards", "segments")
        ]
    return data.actions.sum(), repr(data), data.split("test")


ARRAYS = [
    "lengths",
    "rewards",
    "segments",
    "final_observations",
    "splits",
    "terminated",
    "truncated",
    "seeds",
    "tasks",
    "action_count",
    "action_names",
    "environment",
    "expert",
    "metadata",
]
CALLS = [
    lambda d: slottar.load(value(d)),
    lambda d: look_at(slottar.load(damaged(d))),
    lambda d: slottar.load_model(damaged(d)).predict(DATA),
    lambda d: look_at(slottar.from_arrays(value(d), value(d), **keywords(d, ARRAYS))),
    lambda d: look_at(slottar.from_arrays([[0, 1], [1]], **keywords(d, ARRAYS))),
    lambda d: look_at(slottar.from_episodes(value(d))),
    lambda d: look_at(
        slottar.from_episodes([{"actions": [0, 1], **keywords(d, NAMES)} for _ in range(2)])
    ),
    lambda d: DATA[value(d)],
    lambda d: DATA.split(value(d)),
    lambda d: DATA.metadata(value(d)),
    lambda d: DATA.save(d.choice(["a.npz", "a.safetensors", "", "nowhere/a.npz", "a.what", 3])),
    lambda d: slottar.collect(
        value(d),
        "c.safetensors",
        **{
            **keywords(
                d, ["observations", "expert", "noise", "truth", "seed", "threads", "callback"]
            ),
            "episodes": d.choice([1, 0, -1, [1, 1], [1] * 5, None and 3, "a"]),
            "overwrite": True,
        },
    ),
    lambda d: (
        slottar.Segmenter(**{**TINY, **keywords(d, slottar.Segmenter._names())}).fit(
            d.choice([DATA, DATA, value(d)])
        )
        if d.random() < 0.2
        else None
    ),
    lambda d: slottar.Segmenter(**keywords(d, [*slottar.Segmenter._names(), "colour"])),
    lambda d: (
        slottar.VoteSegmenter(**{"runs": 4, **keywords(d, slottar.VoteSegmenter._names())})
        .fit(d.choice([DATA, [np.eye(3), np.eye(4)[:, :3]], value(d)]))
        .predict(d.choice([DATA, value(d)]))
        if d.random() < 0.2
        else None
    ),
    lambda d: MODEL.predict(
        value(d), **keywords(d, ["split", "pictures", "min_length", "max_length"])
    ),
    lambda d: MODEL.predict(DATA, **keywords(d, ["split", "pictures", "min_length", "max_length"])),
    lambda d: MODEL.score(
        d.choice([DATA, value(d)]), value(d), metric=d.choice(["f1", "loss", "x", None])
    ),
    lambda d: MODEL.transform(value(d)),
    lambda d: slottar.score(value(d), value(d)),
    lambda d: slottar.score([[0, 1]], [[0, 0]], tolerance=value(d)),
    lambda d: (
        slottar.Baseline(
            d.choice([*slottar.baseline_names(), value(d)]),
            prior=value(d),
            seed=d.choice([0, value(d)]),
        )
        .fit(d.choice([DATA, value(d)]))
        .predict(d.choice([DATA, value(d)]))
    ),
    lambda d: slottar.make_vec(
        d.choice(["getwood-v0", value(d)]),
        d.choice([1, 3, 0, -1, 2.5, "a", None]),
        **keywords(d, ["autoreset_mode", "threads", "render_mode"]),
    ),
    lambda d: ENVS.step(value(d)),
    lambda d: ENVS.reset(seed=value(d), options=d.choice([None, {"reset_mask": value(d)}])),
    lambda d: ENVS.restore(d.choice([value(d), ENVS.snapshot()[:-1], bytes(len(ENVS.snapshot()))])),
    lambda d: EXPERT(value(d)),
    lambda d: slottar.from_minari(value(d)),
]


def main(seed, calls):
    draw, refused, accepted = random.Random(seed), Counter(), 0
    for number in range(calls):
        call = draw.choice(CALLS)
        try:
            call(draw)
            accepted += 1
        except REFUSALS as problem:
            refused[type(problem).__name__] += 1
        except BaseException:
            print(
                f"call {number} of seed {seed}, line {call.__code__.co_firstlineno}",
                file=sys.stderr,
            )
            raise
    assert (
        MODEL.predict(DATA)[0].ids == slottar.Segmenter(**TINY).fit(DATA).predict(DATA)[0].ids
    ).all()
    print(f"{calls} calls: {accepted} accepted, {sum(refused.values())} refused {dict(refused)}")


if __name__ == "__main__":
    faulthandler.enable()
    warnings.simplefilter("ignore")
    logging.disable(logging.CRITICAL)
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        main(int(sys.argv[1]), int(sys.argv[2]))
        os.chdir("/")
