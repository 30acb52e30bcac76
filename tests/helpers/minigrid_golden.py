"""Records golden files from the real minigrid package: minigrid_golden.py FOLDER NAME ID...

Writes FOLDER/layouts_NAME.jsonl.gz (the first resets of ten seeds per id) and
FOLDER/traces_NAME.jsonl.gz (random play of two seeds per id), as `slottar verify` reads them.
"""
import base64
import gzip
import json
import random
import sys
import warnings
import zlib

import gymnasium
import minigrid  # noqa: F401, registers the ids

SEEDS, RESETS, TRACES, EPISODES = 10, 2, 2, 3


def crc(array):
    return "%08x" % zlib.crc32(array.tobytes())


def packed(array):
    return base64.b64encode(zlib.compress(array.tobytes(), 9)).decode()


def start(env):
    return [int(env.agent_pos[0]), int(env.agent_pos[1]), int(env.agent_dir)]


def sizes(env):
    return {"w": env.width, "h": env.height, "max_steps": env.max_steps}


def layout(env, seed):
    line = {"env": env.spec.id, "seed": seed, **sizes(env), "resets": []}
    for i in range(RESETS):
        image = env.reset(seed=seed if i == 0 else None)[0]["image"]
        state = env.np_random.bit_generator.state
        line["resets"].append({
            "start": start(env), "mission": env.mission, "grid_crc": crc(env.grid.encode()),
            "obs_crc": crc(image), "pcg_state": "%032x" % state["state"]["state"],
            "has_uint32": state["has_uint32"], "uinteger": state["uinteger"] * state["has_uint32"]})
    return line


def carried(env):
    return [int(v) for v in env.carrying.encode()] if env.carrying else None


def episode(env, seed, chance):
    image = env.reset(seed=seed)[0]["image"]
    record = {"reset_seed": seed, **sizes(env), "grid": packed(env.grid.encode()),
              "start": start(env), "mission": env.mission, "obs0": packed(image),
              "actions": "", "obs_crc": "", "pos_dir": "", "rewards": {}, "carry": {},
              "terminated": -1, "truncated": -1}
    hands, ends = None, False
    for step in range(env.max_steps):
        action = chance.choice([0, 1, 2, 2, 2, 3, 4] if chance.random() < 0.9 else [5, 6])
        observation, reward, terminated, truncated, _ = env.step(action)
        record["actions"] += str(action)
        record["obs_crc"] += crc(observation["image"])
        record["pos_dir"] += "%02x%02x%d" % tuple(start(env))
        if reward:
            record["rewards"][str(step)] = [float(reward), float(reward).hex()]
        if carried(env) != hands:
            hands = record["carry"][str(step)] = carried(env)
        if terminated:
            record["terminated"] = step
        if truncated:
            record["truncated"] = step
        if terminated or truncated:
            break
    record["grid_end_crc"] = crc(env.grid.encode())
    return record


def trace(env, seed):
    chance = random.Random("%s %d" % (env.spec.id, seed))
    seeds = [seed] + [None] * (EPISODES - 1)
    return {"env": env.spec.id, "seed": seed, "episodes": [episode(env, s, chance) for s in seeds]}


def write(path, lines):
    text = "".join(json.dumps(line, separators=(",", ":")) + "\n" for line in lines)
    with open(path, "wb") as file:
        file.write(gzip.compress(text.encode(), 9, mtime=0))


def main():
    folder, name, ids = sys.argv[1], sys.argv[2], sys.argv[3:]
    warnings.filterwarnings("ignore")
    envs = [gymnasium.make(id).unwrapped for id in ids]
    write("%s/layouts_%s.jsonl.gz" % (folder, name),
          [layout(env, 7000 + s) for env in envs for s in range(SEEDS)])
    write("%s/traces_%s.jsonl.gz" % (folder, name),
          [trace(env, 8000 + s) for env in envs for s in range(TRACES)])


if __name__ == "__main__":
    main()
