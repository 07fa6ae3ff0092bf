"""What runs a model: plain torch, torch.compile, and others. One file each; the folder is the registry.

An engine says which setups of it are worth trying on a device, and makes a subject ready in one of them: `prepare`
gives a `Prepared`, or a sentence why not. What it imports for that it imports inside:
looking at the folder stays quick.
"""

import importlib
import importlib.util
import os
import pkgutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol, cast

from torchstone.errors import UserError, first_line_of
from torchstone.processes import is_out_of_memory
from torchstone.records import Device, Setup

if TYPE_CHECKING:
    from torch import nn

    from torchstone.models.inputs import Inputs
    from torchstone.models.subject import Subject

FOLDER_VARIABLE = "TORCHSTONE_ENGINES"
"""A folder of a person's own engines, beside ours; each file keeps to the same contract."""
ONLY_VARIABLE = "TORCHSTONE_ONLY_ENGINES"
"""The engines to use, comma-separated, where not all should be."""
NEEDED = ("COST", "explain_absence", "setups", "prepare", "emit")

if os.environ.get(FOLDER_VARIABLE):
    __path__.append(os.environ[FOLDER_VARIABLE])


@dataclass(frozen=True)
class Prepared:
    """A subject ready to be called in one setup."""

    call: Callable[[], Any]
    model: "nn.Module | None" = None
    """Where it still is a module of torch's."""
    inputs: "Inputs | None" = None
    """As they were put on the device."""


class StepError(Exception):
    """What an engine could not do with a model, in words that name the step."""


@contextmanager
def naming(step: str) -> Iterator[None]:
    """Name the step of an engine that fails, and the first cause of it: a library's own words ("3 is not in list",
    "this is step 1/3") say neither. Memory that ran out stays what it is."""
    try:
        yield
    except Exception as error:  # a library may fail at a person's model in any way
        if is_out_of_memory(error):
            raise
        raise StepError(f"{step} failed: {first_line_of(_first_cause(error))}") from error


def _first_cause(error: BaseException) -> BaseException:
    return error if error.__cause__ is None else _first_cause(error.__cause__)


class Engine(Protocol):
    """What every file in this folder offers. The first line of its docstring is its summary."""

    COST: int
    """How dear preparing is: 0 nothing, 1 seconds, 2 tens of seconds. The cheapest are tried first."""

    def explain_absence(self) -> str | None:
        """Why it can't be used here (what to install), or None."""
        ...

    def setups(self, device: Device, subject: "Subject", plain: Setup) -> tuple[Setup, ...]:
        """What of it is worth trying for this subject on this device; `plain` is the baseline there."""
        ...

    def prepare(self, subject: "Subject", setup: Setup, batch: int) -> "Prepared | str":
        """Ready to be called, or a sentence why not; raises what the model or the device raises."""
        ...

    def emit(self, setup: Setup) -> str:
        """Plain code, without torchstone, that turns `model, args, kwargs` on the CPU into a function `run()`."""
        ...


def engine_names() -> tuple[str, ...]:
    """The engines in the folder, by name."""
    found = tuple(sorted(module.name for module in pkgutil.iter_modules(__path__)))
    only = os.environ.get(ONLY_VARIABLE, "")
    chosen = tuple(name for name in found if name in only.split(",")) if only else found
    if not chosen:
        raise UserError(f"{ONLY_VARIABLE} names no engine: {only!r}", f"there are: {', '.join(found)}")
    return chosen


def load_engine(name: str) -> Engine:
    """The engine of a setup's `engine`, whose variant after a colon is its own matter."""
    base = name.partition(":")[0]
    if base not in engine_names():
        raise UserError(f"no engine {base!r}", f"there are: {', '.join(engine_names())}")
    module = importlib.import_module(f"{__name__}.{base}")
    missing = [needed for needed in NEEDED if not hasattr(module, needed)]
    if missing:
        raise UserError(f"the engine {base} in {module.__file__} has no {', '.join(missing)}", "see docs/extending.md")
    return cast(Engine, module)


def prepare(subject: "Subject", setup: Setup, batch: int) -> "Prepared | str":
    """The subject ready in that setup, whichever engine runs it; or a sentence why not."""
    engine = load_engine(setup.engine)
    try:
        return engine.explain_absence() or engine.prepare(subject, setup, batch)
    except StepError as error:
        return f"{setup.engine.partition(':')[0]}: {error}"


def setups_worth_trying(
    device: Device, subject: "Subject", plain: Setup, least_cost: int = 0, most_cost: int = 2
) -> tuple[Setup, ...]:
    """Of all engines that are here and cost so much, the cheapest to prepare first."""
    engines = sorted((load_engine(name) for name in engine_names()), key=lambda engine: engine.COST)
    affordable = [engine for engine in engines if least_cost <= engine.COST <= most_cost]
    usable = [engine for engine in affordable if engine.explain_absence() is None]
    return tuple(setup for engine in usable for setup in engine.setups(device, subject, plain))
