"""Plays the real minigrid package beside ours: minigrid_package.py PLAYER STEPS ID...

Uniformly random actions from many seeds; after each step a CRC over everything so far must be the
same on both sides. Prints a line per id and exits with 1 when one differs.
"""
import random
import struct
import subprocess
import sys
import warnings
import zlib
from concurrent.futures import ProcessPoolExecutor

EPISODE_STEPS = 2000  # per seed


def package_crcs(env, seed, actions):
    crc = 0

    def take_in(observation):
        nonlocal crc
        crc = zlib.crc32(observation["image"].tobytes() + bytes([observation["direction"]]), crc)

    crcs = []
    take_in(env.reset(seed=seed)[0])
    for action in actions:
        observation, reward, terminated, truncated, _ = env.step(action)
        take_in(observation)
        crc = zlib.crc32(struct.pack("<d??", reward, terminated, truncated), crc)
        if terminated or truncated:
            take_in(env.reset()[0])
        crcs.append("%08x" % crc)
    return crcs


def compare(job):
    player, steps, id = job
    import gymnasium
    import minigrid  # noqa: F401, registers the ids

    warnings.filterwarnings("ignore")
    env = gymnasium.make(id).unwrapped
    chance = random.Random(id)
    for start in range(0, steps, EPISODE_STEPS):
        seed = chance.choice([chance.randrange(1000), chance.randrange(2**63)])
        actions = [chance.randrange(7) for _ in range(min(EPISODE_STEPS, steps - start))]
        line = "%s %d %s\n" % (id, seed, "".join(map(str, actions)))
        ours = subprocess.run([player], input=line, capture_output=True, text=True, check=True)
        theirs = package_crcs(env, seed, actions)
        if ours.stdout.split() != theirs:
            pairs = zip(ours.stdout.split() + ["none"], theirs)
            first = next(i for i, (a, b) in enumerate(pairs) if a != b)
            return "%s: seed %d differs at step %d" % (id, seed, first)
    return None


def main():
    player, steps, ids = sys.argv[1], int(sys.argv[2]), sys.argv[3:]
    with ProcessPoolExecutor(2) as pool:
        faults = list(pool.map(compare, [(player, steps, id) for id in ids]))
    for id, fault in zip(ids, faults):
        print(fault or "%s: %d steps agree" % (id, steps))
    sys.exit(any(faults))


if __name__ == "__main__":
    main()
