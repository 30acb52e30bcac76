"""Writes the files of this folder with the packages whose formats slottar reads: safetensors, numpy,
h5py, minari 0.5.4. Run it in this folder. The last three files are hostile on purpose;
crash.hdf5 is a damaged d4rl.hdf5 that our fuzzing found to crash libhdf5 1.10.8."""
import os
import shutil
import gymnasium as gym
import h5py
import numpy as np
from minari.data_collector.episode_buffer import EpisodeBuffer
from minari.dataset.minari_storage import MinariStorage
from safetensors.numpy import save_file

here = os.path.abspath(".") + "/"


def tensors():
    save_file({"w.kernel": np.arange(6, dtype=np.float32).reshape(2, 3), "b": np.array([1, 2, 3], np.uint8),
               "n": np.array(7, np.int64), "flags": np.array([True, False]),
               "half": np.array([1.5, -2], np.float16), "i": np.array([-5], np.int32),
               "u": np.array([65535], np.uint16), "nothing": np.zeros((0, 4), np.float64),
               "a": np.array([2.5], np.float32)}, here + "python.safetensors", metadata={"format": "pt"})


def archives():
    texts = b'{"environment":"npz-v0","action_names":"a,b,c","colour":"red"}'
    fields = dict(actions=np.array([0, 2, 1, 1], np.int64), observations=np.arange(8.0).reshape(4, 2) / 4,
                  episode_offsets=np.array([0, 3, 4], np.int64), segment=np.array([0, 0, 1, 0], np.int64),
                  rewards=np.array([0, .5, 0, 1]), terminated=np.array([True, False]),
                  truncated=np.array([False, True]), seed=np.array([11, 12], np.uint32),
                  task=np.array([0, 1], np.int8), split=np.array([0, 2], np.uint8),
                  final_observations=np.ones((2, 2)), metadata_json=np.frombuffer(texts, np.uint8),
                  unknown=np.array(["text"]))
    np.savez(here + "numpy.npz", **fields)
    np.savez_compressed(here + "numpy_compressed.npz", **fields)


def minari():
    folder = here + "minari/data"
    shutil.rmtree(here + "minari", ignore_errors=True)
    os.makedirs(folder)
    seen = gym.spaces.Dict(image=gym.spaces.Box(0, 100, (3, 3), np.uint8), pos=gym.spaces.Box(-5, 5, (2,), np.float64))
    storage = MinariStorage.new(folder, observation_space=seen, action_space=gym.spaces.Discrete(4))
    episodes = []
    for n, seed in ((3, 11), (2, 12)):
        observations = {"image": [np.full((3, 3), seed + t, np.uint8) for t in range(n + 1)],
                        "pos": [np.array([t, -seed / 4]) for t in range(n + 1)]}
        episodes.append(EpisodeBuffer(seed=seed, observations=observations, actions=[(t + seed) % 4 for t in range(n)],
                                      rewards=[0.25 * t for t in range(n)],
                                      terminations=[False] * (n - 1) + [seed == 11],
                                      truncations=[False] * (n - 1) + [seed == 12],
                                      infos={"segment": [9] + [t // 2 for t in range(n)]}))  # 9: at reset
    storage.update_episodes(episodes)
    storage.update_metadata({"dataset_id": "golden-v0", "minari_version": "0.5.4", "algorithm_name": "hand"})


def robomimic():
    with h5py.File(here + "robomimic.hdf5", "w") as file:
        for i, n in enumerate((3, 2)):
            demo = file.create_group(f"data/demo_{i}")
            demo.attrs["num_samples"] = n
            demo["actions"] = np.arange(2.0 * n).reshape(n, 2) / 8 + i
            for group, more in (("obs", 0), ("next_obs", 1)):
                demo[group + "/eef"] = np.arange(3.0 * n).reshape(n, 3) + 100 * i + 3 * more
                demo[group + "/gripper"] = np.arange(n, dtype=np.float32).reshape(n, 1) - 7 + more
            demo["rewards"] = np.zeros(n)
            demo["dones"] = np.array([0] * (n - 1) + [1])
        file["mask/train"] = np.array(["demo_0"], dtype="S")
        file.create_dataset("mask/valid", data=["demo_1"], dtype=h5py.string_dtype())


def camera():
    """robomimic with an 84x84 camera, and with parts of actions in a group."""
    with h5py.File(here + "camera.hdf5", "w") as file:
        for i, n in enumerate((4, 3)):
            demo = file.create_group(f"data/demo_{i}", track_order=False)
            demo["actions"] = np.arange(7.0 * n).reshape(n, 7) / 16 + i
            demo["action_dict/pos"] = np.arange(3.0 * n).reshape(n, 3)
            demo["action_dict/gripper"] = np.array([t % 2 for t in range(n)], np.int64).reshape(n, 1)
            for group, more in (("obs", 0), ("next_obs", 1)):
                demo.create_dataset(group + "/agentview_image", data=np.full((n, 84, 84, 3), 9, np.uint8),
                                    compression="gzip")
                demo[group + "/joint"] = np.arange(2.0 * n).reshape(n, 2) + 10 * i + more
                demo[group + "/gripper"] = np.arange(n, dtype=np.float32).reshape(n, 1) + more
            demo["dones"] = np.array([0] * (n - 1) + [1])


def d4rl():
    with h5py.File(here + "d4rl.hdf5", "w") as file:
        file.create_dataset("observations", data=np.arange(12, dtype=np.float32).reshape(6, 2), compression="gzip")
        file["actions"] = np.arange(6, dtype=np.float32).reshape(6, 1) / 4
        file["rewards"] = np.arange(6, dtype=np.float32)
        file["terminals"] = np.array([0, 1, 0, 0, 0, 0], bool)
        file["timeouts"] = np.array([0, 0, 0, 1, 0, 0], bool)


def hostile():
    with h5py.File(here + "huge.hdf5", "w") as file:  # promises 8 terabytes
        file.create_dataset("actions", shape=(10**6,), dtype="i4")
        file.create_dataset("observations", shape=(10**6, 10**6), dtype="f8", chunks=(1000, 1000))
        file.create_dataset("terminals", shape=(10**6,), dtype="u1")
    for name in ("linked", "outside"):  # wants the bytes of another file
        with h5py.File(here + name + ".hdf5", "w") as file:
            file["actions"] = np.zeros(3, "i4")
            file["terminals"] = np.array([0, 0, 1])
            if name == "linked":
                file["observations"] = h5py.ExternalLink("d4rl.hdf5", "observations")
            else:
                file.create_dataset("observations", (3, 2), dtype="u1", external=[("/etc/passwd", 0, 6)])


for make in (tensors, archives, minari, robomimic, camera, d4rl, hostile):
    make()
