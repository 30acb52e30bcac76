"""Seconds from Ctrl-C to KeyboardInterrupt, for every model at the size of the paper.

    python python/tests/bench_interrupt.py [--device cuda] [MODEL...]

Craft with full view, the preset of each model; the signal comes at ten moments of a step that are
spread over it. The first column is the length of a step, the others the median and the longest wait.

SPDX-License-Identifier: MIT
Copyright (c) 2026 the slottar authors
"""

import argparse
import os
import signal
import statistics
import tempfile
import threading
import time

import slottar

ROUNDS = 10
MODELS = ("Segmenter", "MDLSegmenter", "CompILE", "OMPN")


def wait_of(model, data, share, step):
    """Fits, sends Ctrl-C `share` of a step after the second one, and waits for the exception."""
    sent, seen = [], []

    def interrupt():
        time.sleep(share * step)
        sent.append(time.perf_counter())
        os.kill(os.getpid(), signal.SIGINT)

    def hear(report):
        seen.append(time.perf_counter())
        if len(seen) == 2:
            threading.Thread(target=interrupt).start()

    try:
        model.fit(data, callbacks=[hear])
    except KeyboardInterrupt:
        return time.perf_counter() - sent[0], seen
    raise RuntimeError("the training came to its end before the signal")


def measure(name, data, device):
    model = getattr(slottar, name)(preset="craft-full", epochs=1000, device=device)
    try:
        _, seen = wait_of(model, data, 2, 1)
    except RuntimeError as problem:  # a device without kernels for it
        print(f"{name:14} {problem}")
        return
    step = statistics.median(b - a for a, b in zip(seen, seen[1:]))
    waits = sorted(wait_of(model, data, i / ROUNDS, step)[0] for i in range(ROUNDS))
    print(f"{name:14} step {step:6.3f} s, wait {statistics.median(waits):6.3f}, {waits[-1]:6.3f} s")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--device", default="cpu")
    parser.add_argument("models", nargs="*", default=MODELS)
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "craft.safetensors")
        data = slottar.collect("craft-full", path, episodes=(640, 64, 64))
        for name in asked.models:
            measure(name, data, asked.device)


if __name__ == "__main__":
    main()
