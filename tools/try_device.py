"""What device="auto" takes here, and a model trained there.

SPDX-License-Identifier: MIT
Copyright (c) 2026 the slottar authors
"""

import time
import warnings

import slottar
from slottar._work import Context

data = slottar.collect("craft-full", "device.safetensors", episodes=(400, 40, 40), overwrite=True)
with warnings.catch_warnings(record=True) as said:
    warnings.simplefilter("always")
    device = Context(1, "auto").device
    begun = time.monotonic()
    model = slottar.Segmenter(slots=5, prior=4, epochs=2, device="auto").fit(data)
    seconds = time.monotonic() - begun
print(f"device auto: {device}; two epochs of SloTTAr in {seconds:.1f} s, F1 {model.score(data):.3f}")
for message in sorted({str(one.message) for one in said if "device" in str(one.message)}):
    print("it says:", message)
