"""Stable-Baselines3's PPO learns a task that was never demonstrated, with skills as its actions.

    pip install stable-baselines3
    python examples/skills_ppo.py [SKILLS] [DECISIONS]

Skills come from demonstrations of bed, axe and shears; the task is to make a rope, with a reward for the rope alone.

SPDX-License-Identifier: MIT
Copyright (c) 2026 the slottar authors
"""

import os
import sys

import slottar
from stable_baselines3 import PPO
from stable_baselines3.common.env_util import make_vec_env
from stable_baselines3.common.evaluation import evaluate_policy

skills = sys.argv[1] if len(sys.argv) > 1 else "skills.safetensors"
decisions = int(sys.argv[2]) if len(sys.argv) > 2 else 8192

if not os.path.exists(skills):  # a minute or two
    demos = slottar.collect("craft-full", episodes=(2000, 300, 0))
    print(slottar.learn_skills(demos, skills), "skills")


def rope() -> slottar.SkillEnv:
    return slottar.SkillEnv("makeropefull-v0", skills, discount=0.99, goal_rewards=True)


# a skill takes six steps or so: PPO discounts decisions, not steps
envs = make_vec_env(rope, n_envs=16, seed=0)
agent = PPO("MlpPolicy", envs, n_steps=32, batch_size=128, gamma=0.95, ent_coef=0.01, seed=0, device="cpu")
judged = make_vec_env(rope, n_envs=16, seed=1000)
while True:
    returned, _ = evaluate_policy(agent, judged, 100, deterministic=False, return_episode_rewards=True)
    solved = sum(reward > 0 for reward in returned) / len(returned)
    print(f"{agent.num_timesteps} decisions: {100 * solved:.0f} % of 100 episodes make a rope")
    if solved >= 0.9 or agent.num_timesteps >= decisions:
        break
    agent.learn(512, reset_num_timesteps=False)
