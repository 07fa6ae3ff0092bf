"""The experiments: what is this hardware worth? One file each; the folder is the registry.

A file here is an `Experiment`: it yields `Case`s, each of which, when run, gives records. A case builds what it needs,
verifies it against a CPU float64 reference, measures, and gives its records one by one; it neither prints nor writes.
The runner runs the cases of one device in a worker process, so a case that crashes, hangs or eats all memory costs
that case alone.

What every experiment keeps to, so that reports can read them all alike:

- `Measurement.name` is `experiment/subject/variant…`, the same on every device: `inference/resnet50/batch=8`. What
  differs from device to device stands in the `Setup`. The baseline is the CPU in eager float32 with all cores; "times
  faster" is the baseline's median time over the setup's, for the same name.
- `facts["items"]` is how many items one call processes and `facts["item"]` what they are (`images`, `tokens`,
  `sequences`, `bytes`): items over median seconds is the rate.
- A configuration that does not fit, is unsupported or wrong is a record with that status and its reason.
"""

import importlib
import importlib.util
import os
import pkgutil
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol, cast

from torchstone.errors import UserError
from torchstone.records import Device, Finding, Measurement, Scalar, Setup

Record = Measurement | Finding
FOLDER_VARIABLE = "TORCHSTONE_EXPERIMENTS"
"""A folder of a person's own experiments, beside ours; each file keeps to the same contract."""

if os.environ.get(FOLDER_VARIABLE):
    __path__.append(os.environ[FOLDER_VARIABLE])


@dataclass(frozen=True)
class Plan:
    """What was asked of an experiment, for one device."""

    device: Device
    budget_s: float
    """For all cases on this device together."""
    model: str | None = None
    """The person's own model, a TARGET; None for the ones that we ship."""
    input_shape: str | None = None
    """For a TARGET that is a module without example inputs: `1x3x224x224`."""
    options: Mapping[str, Scalar] = field(default_factory=dict)
    """The experiment's own options by name, such as `data` or `latency-bound`; unset ones are absent."""
    artifacts: str | None = None
    """A folder for pictures and checkpoints beside the run file; None where nothing may be kept."""
    beside_others: bool = False
    """Whether more than one device is measured. Then each of them, the CPU too, begins with something small, so that
    a slow device has a number that can be set against the CPU's."""


@dataclass(frozen=True)
class Case:
    """One thing to run."""

    name: str
    """The name of its main measurement."""
    run: Callable[[float], Iterable[Record]]
    """Given seconds to spend, measures and gives records as they come."""
    weight: float = 1.0
    """Its share of the experiment's budget, against the other cases' weights."""
    setup: Setup | None = None
    """How it runs, for the record of a case that kills its process before it gives any; None where it runs plain."""


class Experiment(Protocol):
    """What every file in this folder offers. The first line of its docstring is its summary in `bench --list`, the
    whole docstring its `bench EXPERIMENT --help`."""

    WEIGHT: float
    """Its share of a quick round's budget, against the other experiments' weights."""
    OPTIONS: tuple[str, ...]
    """The options of `bench` that it reads from `Plan.options`, such as `("data", "resume")`."""

    def cases(self, plan: Plan) -> Iterator[Case]:
        """The cases for this device and budget, the most telling first; fewer and smaller ones for a small budget."""
        ...


def experiment_names() -> tuple[str, ...]:
    """The experiments in the folder, by name."""
    return tuple(sorted(module.name for module in pkgutil.iter_modules(__path__)))


def load_experiment(name: str) -> Experiment:
    """The module of that name, which is an `Experiment`."""
    if name not in experiment_names():
        known = ", ".join(experiment_names())
        raise UserError(f"no experiment {name!r}", f"`torchstone bench --list` shows them: {known}")
    return cast(Experiment, importlib.import_module(f"{__name__}.{name}"))


def explain(name: str) -> str:
    """What an experiment does, from its file alone: nothing is imported."""
    import ast

    specification = importlib.util.find_spec(f"{__name__}.{name}")
    if specification is None or specification.origin is None:
        raise UserError(f"no experiment {name!r}", "`torchstone bench --list` shows them")
    source = Path(specification.origin).read_text(encoding="utf-8")
    return ast.get_docstring(ast.parse(source)) or ""
