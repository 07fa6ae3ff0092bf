"""What a run of `bench` was asked for, as its file keeps it: who goes on with the run goes on with that.

The words are those of a command line, so that a person who looks into the file can read them. For how long, and when it
is quiet enough, is not among them: that may be another in every sitting.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from torchstone.commands.experimenting.options import read_option
from torchstone.errors import UserError

if TYPE_CHECKING:
    from torchstone.records import Scalar

MODEL, INPUT = "--model", "--input"
OTHER_HINT = "leave that out to go on with it, or begin a new run"


@dataclass(frozen=True)
class Asked:
    """All that decides which cases there are, the devices apart."""

    experiments: tuple[str, ...] = ()
    """None for all."""
    model: str | None = None
    input_shape: str | None = None
    options: "Mapping[str, Scalar]" = field(default_factory=dict)
    """Of the experiments, by name."""

    def as_words(self) -> tuple[str, ...]:
        """For the run file."""
        own = {f"--{name}": value for name, value in self.options.items()}
        given = {MODEL: self.model, INPUT: self.input_shape, **own}
        return (*self.experiments, *(f"{name}={value}" for name, value in given.items() if value is not None))


def asked_from(words: tuple[str, ...]) -> Asked:
    """As the run file has it."""
    values = {word.partition("=")[0]: word.partition("=")[2] for word in words if word.startswith("--")}
    model, input_shape = values.pop(MODEL, None), values.pop(INPUT, None)
    options = {name.removeprefix("--"): read_option(name.removeprefix("--"), text) for name, text in values.items()}
    return Asked(tuple(word for word in words if not word.startswith("--")), model, input_shape, options)


def go_on(before: Asked, now: Asked) -> Asked:
    """What a run was asked for, or a part of its experiments; whatever else is named anew is another run."""
    others = set(now.experiments) - set(before.experiments) if before.experiments else set()
    if others:
        raise _other(before, " ".join(sorted(others)))
    for name in ("model", "input_shape"):
        given = getattr(now, name)
        if given is not None and given != getattr(before, name):
            raise _other(before, str(given))
    for name, value in now.options.items():
        if before.options.get(name) != value:
            raise _other(before, f"--{name}={value}")
    return Asked(now.experiments or before.experiments, before.model, before.input_shape, before.options)


def _other(before: Asked, named: str) -> UserError:
    asked = " ".join(before.as_words()) or "all experiments"
    return UserError(f"that run was asked for {asked}, not {named}", OTHER_HINT)
