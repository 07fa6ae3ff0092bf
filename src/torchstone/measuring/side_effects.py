"""What a model does besides answering: it prints, warns, or changes torch's global state. Noticed, undone, said.

A person's model is somebody else's code. What it prints must not mix with `--json` on stdout, what it changes must not
reach the next case in the same process, and a warning that an operator fell back to the CPU belongs in the record.
"""

import contextlib
import io
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import torch

from torchstone.records import Scalar

TELLING = (UserWarning, RuntimeWarning)
"""A library's deprecations are for its programmers."""
MAX_WARNINGS = 3
MAX_WARNING_LENGTH = 200
Setting = tuple[Callable[[], Any], Callable[[Any], Any]]
SETTINGS: dict[str, Setting] = {
    "threads": (torch.get_num_threads, torch.set_num_threads),
    "default dtype": (torch.get_default_dtype, torch.set_default_dtype),
    "gradients": (torch.is_grad_enabled, torch.set_grad_enabled),
    "deterministic algorithms": (torch.are_deterministic_algorithms_enabled, torch.use_deterministic_algorithms),
    "float32 matmul precision": (torch.get_float32_matmul_precision, torch.set_float32_matmul_precision),
}
"""What code commonly changes, with how it is read and written back."""


@contextmanager
def observed() -> Iterator["Observation"]:
    """Watch a block; `Observation.facts()` is complete once it has ended."""
    seen = Observation()
    before = {name: read() for name, (read, _) in SETTINGS.items()}
    random_state = torch.default_generator.get_state()
    with warnings.catch_warnings(record=True) as caught, contextlib.redirect_stdout(seen.printed):
        # Once for each place: a warning in a hot loop must not cost memory and time at every call.
        warnings.simplefilter("default")
        try:
            yield seen
        finally:
            seen.changed = _restore(before)
            torch.default_generator.set_state(random_state)
            seen.warned = [str(one.message).strip() for one in caught if issubclass(one.category, TELLING)]


def _restore(before: dict[str, Any]) -> list[str]:
    changed = []
    for name, (read, write) in SETTINGS.items():
        now = read()
        if now != before[name]:
            changed.append(f"{name} {before[name]} → {now}")
            write(before[name])
    return changed


class Counter(io.TextIOBase):
    """Takes what is printed and keeps only how much it was."""

    def __init__(self) -> None:
        super().__init__()
        self.characters = 0

    def write(self, text: str) -> int:
        self.characters += len(text)
        return len(text)


@dataclass
class Observation:
    """What was seen in a block."""

    printed: Counter = field(default_factory=Counter)
    warned: list[str] = field(default_factory=list)
    changed: list[str] = field(default_factory=list)

    def facts(self) -> dict[str, Scalar]:
        """Empty for a model that only answers."""
        found: dict[str, Scalar] = {}
        if self.printed.characters:
            found["printed characters"] = self.printed.characters
        if self.changed:
            found["changed and restored"] = "; ".join(self.changed)
        if self.warned:
            lines = [text.splitlines()[0][:MAX_WARNING_LENGTH] for text in dict.fromkeys(self.warned) if text]
            found["warnings"] = " | ".join(lines[:MAX_WARNINGS])
        return found
