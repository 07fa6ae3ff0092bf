"""The parts of a page, one file each: what it takes from the runs, and the sentences and figures that it makes of it.

The folder is the registry, with a person's own folder beside it (`TORCHSTONE_SECTIONS`): an experiment brings its part
of the page, of the short form and of the post by bringing one file.
"""

import importlib
import os
import pkgutil
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Protocol, cast

from torchstone.errors import UserError
from torchstone.records import Finding
from torchstone.report.answers import Answers
from torchstone.report.cases import Experiment, Row
from torchstone.report.figures import Figure
from torchstone.report.predictions import Predictions
from torchstone.report.sources import Machine

FOLDER_VARIABLE = "TORCHSTONE_SECTIONS"
"""A folder of a person's own sections; each file keeps to the same contract."""
NEEDED = ("TITLE", "ORDER", "show")

if os.environ.get(FOLDER_VARIABLE):
    __path__.append(os.environ[FOLDER_VARIABLE])


@dataclass(frozen=True)
class View:
    """What a section may look at."""

    machines: Sequence[Machine]
    experiments: Sequence[Experiment]
    answers: Sequence[Answers]
    """One a machine."""
    is_beside_published: bool = False
    """Whether others' published figures were asked for."""

    def rows(self, *names: str) -> list[Row]:
        """The rows of these experiments."""
        return [row for one in self.experiments if one.name in names for row in one.rows]

    def findings(self, *kinds: str) -> list[tuple[str, Finding]]:
        """The findings of these kinds, each with its machine where there are several."""
        several = len(self.machines) > 1
        return [
            (machine.label if several else "", one)
            for machine in self.machines
            for one in machine.run.findings
            if one.kind in kinds
        ]


@dataclass(frozen=True)
class Shown:
    """What a section has to say; sentences first."""

    sentences: list[str]
    figures: list[Figure] = field(default_factory=list)
    findings: list[tuple[str, Finding]] = field(default_factory=list)
    predictions: list[Predictions] = field(default_factory=list)


class SectionFile(Protocol):
    """What every file in this folder offers; `EXPERIMENTS`, `KINDS` and `IN_POST` it may have."""

    TITLE: str
    ORDER: int
    """The smaller the earlier."""

    def show(self, view: View) -> Shown | None:
        """What to say of these runs; None where they hold nothing of it."""
        ...


@dataclass(frozen=True)
class Section:
    """One part as it is shown."""

    slug: str
    title: str
    shown: Shown
    is_in_post: bool = False


def section_names() -> tuple[str, ...]:
    return tuple(sorted(module.name for module in pkgutil.iter_modules(__path__)))


def load_section(name: str) -> SectionFile:
    """The file, checked: a sentence says what is missing."""
    module = importlib.import_module(f"{__name__}.{name}")
    missing = [needed for needed in NEEDED if not hasattr(module, needed)]
    if missing:
        raise UserError(f"the section {name} in {module.__file__} has no {', '.join(missing)}", "see docs/report.md")
    return cast(SectionFile, module)


def sections_of(view: View) -> list[Section]:
    """Everything that has something to say, in order."""
    loaded = sorted(((name, load_section(name)) for name in section_names()), key=lambda pair: (pair[1].ORDER, pair[0]))
    found = [(name, one, one.show(view)) for name, one in loaded]
    return [
        Section(name.replace("_", "-"), one.TITLE, shown, bool(getattr(one, "IN_POST", False)))
        for name, one, shown in found
        if shown is not None and (shown.sentences or shown.figures or shown.findings)
    ]


def claimed(what: str) -> set[str]:
    """The experiments (`EXPERIMENTS`) or kinds of findings (`KINDS`) that some section speaks of."""
    return {name for section in map(load_section, section_names()) for name in getattr(section, what, ())}
