"""Steps per second of 256 environments whose actions are skills, through Python.

    python python/tests/bench_skills.py SKILLS [ID...]

One thread, random skills; the best of five rounds, by processor time.

SPDX-License-Identifier: MIT
Copyright (c) 2026 the slottar authors
"""

import sys
import time

import numpy as np
import slottar

COPIES, ROUNDS, CALLS = 256, 5, 60


def main(skills, ids):
    for id in ids:
        envs = slottar.SkillVectorEnv(id, skills, COPIES, threads=1, autoreset_mode="SAME_STEP")
        draw, best = np.random.default_rng(0), (0.0, 0.0)
        envs.reset(seed=0)
        for _ in range(ROUNDS):
            steps, calls, started = 0, 0, time.process_time()
            for _ in range(CALLS):
                infos = envs.step(draw.integers(0, envs.single_action_space.n, COPIES))[4]
                steps, calls = steps + infos["steps"].sum(), calls + COPIES
            spent = time.process_time() - started
            best = max(best, (steps / spent, calls / spent))
        print(f"{id:24} {best[0] / 1e6:.2f} M steps/s, {best[1] / 1e3:.0f} k skills/s")


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2:] or ["makebedfull-v0"])
