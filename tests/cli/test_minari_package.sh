#!/usr/bin/env bash
# What we write is read by the real minari package, and what it makes is read by us. The package goes
# into a virtual environment below the build folder, once; without a network the test is skipped.
# sanitizers: too long
. "$(dirname "$0")/tap.sh"
if ! command -v python3 >/dev/null; then
    skip "minari reads what we write" "there is no python3"
    plan
fi
venv=$(dirname "$SLOTTAR")/venv-minari
if ! "$venv/bin/python" -c 'import minari, h5py, PIL' 2>/dev/null; then
    rm -rf "$venv"
    { python3 -m venv "$venv" && timeout 120 "$venv/bin/pip" install -q --no-compile --timeout 5 --retries 0 minari==0.5.4 h5py pillow; } >pip.log 2>&1
fi
if ! "$venv/bin/python" -c 'import minari, h5py, PIL' 2>>pip.log; then
    skip "minari reads what we write" "the minari package could not be installed: $(tail -1 pip.log)"
    plan
fi
printf 'episode,action,x,y,segment,seed\n0,left,1,2.5,0,77\n0,right,-1,1e3,0,77\n0,left,0,0,1,77\n5,up,3,4,0,78\n' >a.csv
check "csv to Minari" 0 "$SLOTTAR" convert a.csv demo/
cat >read.py <<'PY'
import minari, numpy as np
data = minari.MinariDataset("demo/data")
assert data.total_episodes == 2 and data.total_steps == 4 and data.spec.dataset_id == "demo-v0"
assert data.spec.action_space.n == 3 and data.spec.observation_space.shape == (2,)
first, second = data.iterate_episodes()
assert first.observations.shape == (4, 2) and first.observations[1, 1] == 1000
assert first.actions.tolist() == [0, 1, 0] and second.actions.tolist() == [2]
assert first.infos["segment"].tolist() == [0, 0, 1]
assert first.truncations.dtype == bool and first.truncations.tolist() == [False, False, True]
assert [m["seed"] for m in data.storage.get_episode_metadata([0, 1])] == [77, 78]
PY
check "minari reads what we write" 0 "$venv/bin/python" read.py
cat >write.py <<'PY'
import os, gymnasium as gym, numpy as np
from minari.data_collector.episode_buffer import EpisodeBuffer
from minari.dataset.minari_storage import MinariStorage
os.makedirs("other/data")
box = gym.spaces.Box(-1, 1, (3,), np.float32)
storage = MinariStorage.new(os.path.abspath("other/data"), observation_space=box, action_space=gym.spaces.Discrete(5))
storage.update_episodes([EpisodeBuffer(seed=3, observations=[np.ones(3, np.float32)] * 8, actions=[4, 1, 0, 2, 2, 1, 0],
                                       rewards=[0.0] * 7, terminations=[False] * 6 + [True], truncations=[False] * 7)])
PY
check "minari writes" 0 "$venv/bin/python" write.py
check "we read what minari writes" 0 "$SLOTTAR" info other
says "all of it" out "1 episodes, 7 steps, longest 7"
says "its action space" out "actions: 5"
plan
