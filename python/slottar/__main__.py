"""``python -m slottar segment DATA -o OUT``: the vote on a file or a LeRobot folder, labels included.

The command ``slottar`` does the same and more for all formats but LeRobot, which needs pyarrow.

SPDX-License-Identifier: MIT
Copyright (c) 2026 the slottar authors
"""

from __future__ import annotations

import argparse
import sys
import warnings
from typing import List, Optional

from . import DoubtWarning, SlottarError, VoteSegmenter, load, write_labels
from .building import labels_path
from .outputs import check_output


def _arguments(words: Optional[List[str]]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m slottar", description=__doc__.split("\n")[0])
    commands = parser.add_subparsers(required=True, metavar="segment")
    add = commands.add_parser("segment", help="a copy of the data with the segments in it")
    add.add_argument("data", help="LeRobot folder, csv, HDF5, npz, ...")
    add.add_argument("-o", "--output", required=True, help="a folder (with / at its end) or a file")
    add.add_argument("-f", "--force", action="store_true", help="replaces outputs that exist")
    add.add_argument("--actions", help="patterns of the features that are the action: 'action'")
    add.add_argument("--observations", help="likewise: 'observation.state'; '': none")
    add.add_argument("--episode", help="csv: the column that tells episodes apart")
    add.add_argument("--prior", help="number of segments: 3, 3..6, ~4.5, probabilities")
    kinds = ("auto", "events", "phases", "windows", "mdl")
    add.add_argument("--kind", choices=kinds, default="auto")
    add.add_argument("--runs", type=int, help="of every group that votes; default: 60 or 120")
    add.add_argument("--seconds", type=float, help="a bound on the time")
    add.add_argument("--min-length", type=int, help="steps of a segment")
    add.add_argument("--seed", type=int, default=0)
    add.add_argument("-q", "--quiet", action="store_true")
    return parser.parse_args(words)


def _segment(args: argparse.Namespace) -> str:
    chosen = {name: getattr(args, name) for name in ("actions", "observations", "episode")}
    data = load(args.data, **{name: given for name, given in chosen.items() if given is not None})
    # what cannot be written is said before anything is learned
    check_output(labels_path(data, args.output), [args.data], args.force, folder=bool(data._origin))
    model = VoteSegmenter(
        kind=args.kind,
        runs=args.runs,
        prior=args.prior,
        min_length=args.min_length,
        seconds=args.seconds,
        random_state=args.seed,
    ).fit(data)
    segments = model.predict(data)
    if not args.quiet:
        found = sum(len(one.boundaries) + 1 for one in segments) / len(segments)
        print(
            f"{len(segments)} episodes, {found:.1f} segments each; {model.trust_}", file=sys.stderr
        )
    return write_labels(data, segments, args.output, overwrite=args.force)


def main(words: Optional[List[str]] = None) -> int:
    args = _arguments(words)
    warnings.simplefilter("ignore", DoubtWarning)  # the summary has it
    try:
        print(_segment(args))
    except (SlottarError, OSError, ValueError) as error:
        print(f"slottar: {getattr(error, 'strerror', None) or error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
