"""Runs README.md's Python and its commands as a newcomer pastes them: readme.py README.md BIN

SPDX-License-Identifier: MIT
Copyright (c) 2026 the slottar authors
"""

import os
import re
import subprocess
import sys

readme, bin_folder = sys.argv[1:]
with open(readme, encoding="utf-8") as file:
    text = file.read()
(python,), (shell,) = (re.findall(rf"^```{name}\n(.*?)^```", text, re.M | re.S) for name in ("python", "sh"))
python += '\nslottar.from_arrays(episodes).save("recordings.npz", overwrite=True)\n'
path = os.pathsep.join([bin_folder, os.environ["PATH"]])
for command in ([os.path.join(bin_folder, "python"), "-c", python], ["sh", "-ec", shell]):
    subprocess.run(command, env={**os.environ, "PATH": path}, check=True)
