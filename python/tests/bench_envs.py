"""Steps per second of 256 environments through Python, next to EnvPool where it is installed.

    python python/tests/bench_envs.py [ID...]

One thread each, random actions; the best of three rounds, by the wall clock and by processor time.

SPDX-License-Identifier: MIT
Copyright (c) 2026 the slottar authors
"""

import sys
import time

import numpy as np

COPIES, ROUNDS = 256, 3
IDS = ("MiniGrid-DoorKey-8x8-v0", "MiniGrid-KeyCorridorS3R3-v0", "makebedfull-v0", "makebed-v0")


def of_slottar(id):
    import slottar

    return slottar.make_vec(id, COPIES, threads=1)


def of_envpool(id):
    import envpool

    return envpool.make_gymnasium(id, num_envs=COPIES, num_threads=1, seed=0)


def rates(envs, steps):
    """Million steps per second: wall clock, processor time."""
    draw = np.random.default_rng(0)
    count = getattr(envs, "single_action_space", envs.action_space).n
    dtype = np.int64 if hasattr(envs, "single_action_space") else np.int32
    actions = [draw.integers(0, count, COPIES).astype(dtype) for _ in range(16)]
    envs.reset()
    for chosen in actions:
        envs.step(chosen)
    best = (0.0, 0.0)
    for _ in range(ROUNDS):
        wall, cpu = time.perf_counter(), time.process_time()
        for i in range(steps):
            envs.step(actions[i % len(actions)])
        spent = (time.perf_counter() - wall, time.process_time() - cpu)
        best = tuple(max(b, COPIES * steps / s / 1e6) for b, s in zip(best, spent))
    return best


def main(ids):
    for id in ids:
        for name, make, steps in (("slottar", of_slottar, 2000), ("EnvPool", of_envpool, 200)):
            try:
                wall, cpu = rates(make(id), steps)
            except Exception as problem:
                print(f"{id:30} {name:8} {type(problem).__name__}: {str(problem)[:60]}")
                continue
            print(f"{id:30} {name:8} {wall:7.2f} M steps/s, {cpu:7.2f} M per processor second")


if __name__ == "__main__":
    main(sys.argv[1:] or IDS)
