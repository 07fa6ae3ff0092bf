"""The experiments: what is this hardware worth? One file each; the folder is the registry.

A file here is an `Experiment`: it yields cases, each of which, when run, gives records. A case builds what it needs,
verifies it against a CPU float64 reference, measures, and gives its records one by one; it neither prints nor writes,
and it does not predict how long anything takes: it is given a `Turn` and looks at its clock. The cases run in a worker
process, so one that crashes, hangs or eats all memory costs that case alone.

What every experiment keeps to, so that reports can read them all alike:

- `Measurement.name` is `experiment/subject/variant…`, the same on every device: `inference/resnet50/batch=8`. What
  differs from device to device stands in the `Setup`. All setups of one name that are set against each other are the
  rivals of one contest, whose first is the CPU in plain float32 with all cores.
- `facts["items"]` is how many items one call processes and `facts["item"]` what they are (`images`, `tokens`,
  `sequences`, `bytes`): items over median seconds is the rate.
- A setup that does not fit, is unsupported or wrong is a record with that status and its reason.
"""

import ast
import importlib
import importlib.util
import os
import pkgutil
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol, cast

from torchstone.errors import UserError

if TYPE_CHECKING:  # `bench --help` reads this folder, and must stay quick
    from torchstone.records import Device, Scalar
    from torchstone.scheduling.case import Case

FOLDER_VARIABLE = "TORCHSTONE_EXPERIMENTS"
"""A folder of a person's own experiments, beside ours; each file keeps to the same contract."""

if os.environ.get(FOLDER_VARIABLE):
    __path__.append(os.environ[FOLDER_VARIABLE])


@dataclass(frozen=True)
class Plan:
    """What was asked of an experiment."""

    devices: "tuple[Device, ...]"
    """The CPU first: everything is set against it."""
    model: str | None = None
    """The person's own model, a TARGET; None for the ones that we ship."""
    input_shape: str | None = None
    """For a TARGET that is a module without example inputs: `1x3x224x224`."""
    options: "Mapping[str, Scalar]" = field(default_factory=dict)
    """The experiment's own options by name, such as `data` or `latency-bound`; unset ones are absent."""
    artifacts: str | None = None
    """A folder for pictures and checkpoints beside the run file; None where nothing may be kept."""
    is_deep: bool = False
    """Whether there is time for more than a quick round."""
    is_asked_for: bool = True
    """Whether the experiment was named, rather than run as part of a round of all."""

    @property
    def cpu(self) -> "Device":
        return self.devices[0]

    @property
    def others(self) -> "tuple[Device, ...]":
        """The accelerators."""
        return self.devices[1:]


class Experiment(Protocol):
    """What every file in this folder offers. The first line of its docstring is its summary in `bench --list`, the
    whole docstring its `bench EXPERIMENT --help`."""

    OPTIONS: Mapping[str, Mapping[str, Any]]
    """The options of `bench` that it reads from `Plan.options`, written as plain literals so that `--help` can read
    them without importing the file: `{"data": {"metavar": "FOLDER", "help": "your own images"}}`. A `type` is `text`
    (the default), `count`, `seconds`, `rate`, or a list of choices."""

    def cases(self, plan: Plan) -> "Iterator[Case]":
        """All cases; their ranks say which tell most."""
        ...


def experiment_names() -> tuple[str, ...]:
    """The experiments in the folder, by name."""
    return tuple(sorted(module.name for module in pkgutil.iter_modules(__path__)))


def load_experiment(name: str) -> Experiment:
    """The module of that name, which is an `Experiment`."""
    _whole(name)  # says what is wrong with a file that is broken
    module = importlib.import_module(f"{__name__}.{name}")
    missing = [needed for needed in ("OPTIONS", "cases") if not hasattr(module, needed)]
    if missing:
        raise UserError(f"the experiment {name} in {module.__file__} has no {' and no '.join(missing)}", CONTRACT_HINT)
    return cast(Experiment, module)


CONTRACT_HINT = "docs/extending.md says what a file of each kind offers"


def cases_of(name: str, plan: Plan) -> "Iterable[Case | UserError]":
    """Its cases; or the mistake that keeps it from being run, such as a missing extra."""
    try:
        yield from load_experiment(name).cases(plan)
    except UserError as error:
        yield error


def explain(name: str) -> str:
    """What an experiment does, from its file alone: nothing is imported."""
    return ast.get_docstring(_head(name)) or ""


def summary_of(name: str) -> str:
    """Its first line, read alone where it is the docstring's: `bench --help` lists all of them, and must stay quick."""
    with _path(name).open(encoding="utf-8", errors="replace") as file:
        line = file.readline().strip()
    if line.startswith('"""') and len(line) > len('"""'):
        return line.strip('"')
    return next(iter(explain(name).splitlines()), "")


def options_of(name: str) -> dict[str, dict[str, Any]]:
    """The options that it declares, from its file alone."""
    found = _options_in(_head(name)) or _options_in(_whole(name))
    if found is None:
        return {}
    try:
        declared: dict[str, dict[str, Any]] = ast.literal_eval(found)
    except ValueError:
        raise UserError(f"OPTIONS of the experiment {name} is not a plain literal", CONTRACT_HINT) from None
    return declared


def _options_in(source: ast.Module) -> ast.expr | None:
    for node in source.body:
        targets = [node.target] if isinstance(node, ast.AnnAssign) else getattr(node, "targets", [])
        if any(isinstance(target, ast.Name) and target.id == "OPTIONS" for target in targets):
            return cast(ast.Assign, node).value
    return None


def reads_model(name: str) -> bool:
    """Whether it looks at the person's own model, from its file alone: in a line of code, not in a text or comment."""
    own_words = ast.get_docstring(_head(name), clean=False) or ""
    return _READS_MODEL.search(_text(name).replace(own_words, "", 1)) is not None


_READS_MODEL = re.compile(r"^[^#\"'\n]*\bplan\.model\b", re.MULTILINE)
_FIRST_DEFINITION = re.compile(r"^(?:def|class|async def|@)", re.MULTILINE)


@cache
def _head(name: str) -> ast.Module:
    """What stands before its first function, where the docstring and the options are: a whole file takes ten times as
    long to parse, and help must stay quick."""
    text = _text(name)
    first = _FIRST_DEFINITION.search(text)
    try:
        return ast.parse(text[: first.start()] if first else text)
    except SyntaxError:  # its docstring holds such a line, or it is broken
        return _whole(name)


@cache
def _whole(name: str) -> ast.Module:
    try:
        return ast.parse(_text(name))
    except SyntaxError as error:
        raise UserError(f"the experiment {name} cannot be read: {error}", f"mend {_path(name)}") from None


@cache
def _text(name: str) -> str:
    path = _path(name)
    try:
        return path.read_text(encoding="utf-8")
    except UnicodeDecodeError as error:
        raise UserError(f"the experiment {name} cannot be read: {error}", f"mend {path}") from None


def _path(name: str) -> Path:
    specification = importlib.util.find_spec(f"{__name__}.{name}") if name in experiment_names() else None
    if specification is None or specification.origin is None:
        raise unknown(name)
    return Path(specification.origin)


def unknown(name: str) -> UserError:
    """That there is no experiment of that name."""
    return UserError(
        f"no experiment {name!r}", f"`torchstone bench --list` shows them: {', '.join(experiment_names())}"
    )
