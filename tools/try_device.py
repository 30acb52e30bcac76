"""What device="auto" takes here; a model is trained there, and a vote runs there.

SPDX-License-Identifier: MIT
Copyright (c) 2026 the slottar authors
"""

import time
import warnings

import numpy as np
import slottar
from slottar._work import Context

data = slottar.collect("craft-full", "device.safetensors", episodes=(400, 40, 40), overwrite=True)
with warnings.catch_warnings(record=True) as said:
    warnings.simplefilter("always")
    device = Context(1, "auto").device
    begun = time.monotonic()
    model = slottar.Segmenter(slots=5, prior=4, epochs=2, device="auto").fit(data)
    seconds = time.monotonic() - begun
    rng = np.random.default_rng(0)
    velocity = np.array([[0.8, 0.2], [-0.5, 0.9], [0.1, -0.7]])
    episodes = [np.repeat(velocity, rng.integers(8, 14, 3), axis=0) for _ in range(40)]
    episodes = [actions + rng.normal(0, 0.05, actions.shape) for actions in episodes]
    begun = time.monotonic()
    vote = slottar.VoteSegmenter(device="auto").fit(episodes)
    vote_seconds = time.monotonic() - begun
    found = vote.predict(episodes)
print(
    f"device auto: {device}; two epochs of SloTTAr in {seconds:.1f} s, F1 {model.score(data):.3f}"
)
print(
    f"a vote in {vote_seconds:.1f} s, {vote.trust_}, {found.numbers.mean():.2f} segments"
)
assert device in ("cpu", "cuda") and abs(found.numbers.mean() - 3) < 0.2
for message in sorted({str(one.message) for one in said if "device" in str(one.message)}):
    print("it says:", message)
