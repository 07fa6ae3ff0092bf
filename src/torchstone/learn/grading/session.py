"""The one grading that this process does: its device, its seed, what the learner's code may not call.

A grading has a process of its own, so this is one object, and the functions that a `grade.py` calls need not be
handed it. It is set up before the learner's file is imported.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import torch

from torchstone.learn.verdicts import Picture


@dataclass
class Call:
    """The learner's function that was called last, with copies of its arguments from before the call."""

    name: str
    arguments: Mapping[str, Any]
    """By the learner's own parameter names."""
    positional: tuple[Any, ...] = ()
    keyword: Mapping[str, Any] = field(default_factory=dict)


@dataclass
class Session:
    """What the functions of `torchstone.learn.grading` share."""

    device: torch.device = field(default_factory=lambda: torch.device("cpu"))
    seed: int = 0
    path: Path = Path("answer.py")
    """The learner's file: only its lines are shown."""
    forbidden: Mapping[str, str] = field(default_factory=dict)
    """Names of torch functions and the reason why each may not be called."""
    last_call: Call | None = None
    diagnosis: str | None = None
    """The sentence for a recognised mistake that ends in an exception."""
    teach: str | None = None
    """What the running comparison would teach, for where it ends in an exception that nobody knows."""
    last_expected: Any = None
    """What the reference gave for the call before: an answer that gives it again has cached."""
    evidence: str | None = None
    """What the running check has to say though it passes."""
    timed: bool = False
    """Whether the running check has asked a clock."""
    brief: bool = False
    """Whether one case of each size is enough: the checks have passed once, on another device."""
    told_of_breakpoint: bool = False
    pictures: list[Picture] = field(default_factory=list)
    calls: list[Call] | None = None
    """All calls, where someone asked for them to be kept (the mutation benchmark)."""

    def begin_check(self) -> None:
        """Forget what the check before has left, and draw the same stream again."""
        self.last_call = None
        self.diagnosis = self.teach = None
        self.last_expected = None
        self.evidence = None
        self.timed = False
        # Not torch.manual_seed: it formats a stack trace for each kind of device that is not there. And not the seed of
        # the drawn inputs: a random direction that equals an input would let a wrong gradient pass.
        torch.default_generator.manual_seed(self.seed + 1)


session = Session()
