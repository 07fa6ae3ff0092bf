"""Runs a file that `tune` emitted, in this fresh process, against the plain run: is it right, and how fast?

python benchmarks/run_emitted.py tuned.py TARGET DTYPE SECONDS
"""

import importlib.util
import json
import sys
from functools import partial
from typing import Any

import torch

from torchstone.contests.answering import reference_of
from torchstone.engines import prepare
from torchstone.measuring.contest import Contest
from torchstone.measuring.rivals import Rival
from torchstone.models.placing import plain_setup
from torchstone.models.subject import load_subject


def main(path: str, target: str, dtype: str, seconds: str) -> None:
    threads = torch.get_num_threads()
    run = load(path).run
    tuned_threads = torch.get_num_threads()
    subject = load_subject(target)
    torch.set_num_threads(threads)
    plain: Any = prepare(subject, plain_setup(), 1)
    judge = reference_of(subject).judge(dtype or None, rows=subject.example_of(1))
    rivals = [
        Rival("plain", plain.call, switch=partial(torch.set_num_threads, threads)),
        Rival("tuned", run, switch=partial(torch.set_num_threads, tuned_threads), check=judge),
    ]
    result = Contest(rivals, goal="all_rounds").run(within_s=float(seconds) * 2, fewest_rounds=8)
    tuned = result["tuned"]
    ratio = tuned.ratio
    interval = None if ratio is None else ratio.interval
    found = {
        "wrong": tuned.reason,
        "error": judge.facts().get("error"),
        "ratio": None if ratio is None else 1 / ratio.ratio,
        "low": None if interval is None else 1 / interval.high,
        "high": None if interval is None else 1 / interval.low,
    }
    print(json.dumps(found))


def load(path: str) -> Any:
    """The file as a module."""
    specification = importlib.util.spec_from_file_location("tuned", path)
    assert specification is not None
    assert specification.loader is not None
    module = importlib.util.module_from_spec(specification)
    specification.loader.exec_module(module)
    return module


if __name__ == "__main__":
    main(*sys.argv[1:])
