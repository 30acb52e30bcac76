"""slottar finds the sub-routines in recorded behaviour.

    import slottar
    model = slottar.VoteSegmenter().fit(episodes)      # a list of arrays, or slottar.load(path)
    segments = model.predict(episodes)

SPDX-License-Identifier: MIT
Copyright (c) 2026 the slottar authors
"""

from ._extras import missing
from ._library import version as __version__
from ._work import Progress
from .building import from_arrays, from_episodes, write_labels
from .data import Dataset, Episode, collect, load, save, sets
from .errors import SlottarError
from .models import OMPN, CompILE, MDLSegmenter, Segmenter, load_model
from .plans import Plan, Plans, learn_plans
from .policies import Policy, learn_skills, train_expert
from .registry import env_ids, env_info, register
from .results import Segmentation, Segments
from .baselines import Baseline, baseline_names
from .scores import score
from .stream import Stream
from .trust import DoubtWarning, Trust
from .vote import VoteSegmenter

# what needs another package is imported when it is asked for
_LATER = {
    "SegmentInfo": "wrapper",
    "SkillEnv": "skills",
    "SkillVectorEnv": "skills",
    "SlottarEnv": "envs",
    "SlottarVectorEnv": "envs",
    "make_vec": "envs",
    "from_gymnasium": "exchange",
    "from_lerobot": "lerobot",
    "from_minari": "exchange",
    "from_npz": "exchange",
    "to_lerobot": "lerobot",
    "to_minari": "exchange",
}

__all__ = [
    "CompILE",
    "Dataset",
    "DoubtWarning",
    "Episode",
    "MDLSegmenter",
    "OMPN",
    "Plan",
    "Plans",
    "Policy",
    "Progress",
    "Baseline",
    "Segmentation",
    "Segmenter",
    "Segments",
    "SlottarError",
    "Stream",
    "Trust",
    "VoteSegmenter",
    "__version__",
    "collect",
    "env_ids",
    "env_info",
    "from_arrays",
    "from_episodes",
    "learn_plans",
    "learn_skills",
    "load",
    "load_model",
    "baseline_names",
    "save",
    "score",
    "sets",
    "train_expert",
    "write_labels",
]

register()


def __getattr__(name: str) -> object:
    if name not in _LATER:
        raise AttributeError(f"module 'slottar' has no attribute {name!r}")
    from importlib import import_module

    try:
        return getattr(import_module(f".{_LATER[name]}", __name__), name)
    except ModuleNotFoundError as absent:
        raise missing(f"slottar.{name}", (absent.name or "").split(".")[0]) from absent


def __dir__() -> list:
    return sorted([*globals(), *_LATER])
