"""The first chart of two machines without a script: items a second, one colour a machine, each at its best."""

from collections.abc import Sequence
from dataclasses import dataclass

from torchstone.report.bests import Best
from torchstone.report.charts.parts import PALETTE
from torchstone.report.formatting import format_number
from torchstone.report.headlines import VERBS

MOST_MODELS = 4
"""Of a stage: as many as a screen holds beside the headline; the sections and tables hold the others."""


@dataclass(frozen=True)
class Line:
    """What one machine does of a piece of work."""

    machine: str
    colour: str
    place: float
    """Per cent of the width, from nothing."""
    rate: str
    how: str


@dataclass(frozen=True)
class Group:
    """One model at one batch, on all machines."""

    model: str
    batch: str
    lines: tuple[Line, ...]


@dataclass(frozen=True)
class MachineStages:
    """Training and evaluation."""

    colours: dict[str, str]
    stages: dict[str, list[Group]]
    left_out: int


def machine_stages(named: Sequence[tuple[str, Best]]) -> MachineStages | None:
    """Only what more than one machine did; of a model its largest batch. None where there is nothing."""
    machines = list(dict.fromkeys(label for label, _ in named))[: len(PALETTE)]
    colours = dict(zip(machines, PALETTE, strict=False))
    shared = _shared([(label, best) for label, best in named if label in colours and best.rate])
    stages = {stage: [group for group in shared if group[0][1].work.stage == stage] for stage in VERBS}
    shown = {stage.capitalize(): _groups(groups[:MOST_MODELS], colours) for stage, groups in stages.items() if groups}
    left_out = sum(max(0, len(groups) - MOST_MODELS) for groups in stages.values())
    return MachineStages(colours, shown, left_out) if shown else None


def _shared(named: Sequence[tuple[str, Best]]) -> list[list[tuple[str, Best]]]:
    """By model and stage, the largest batch that several machines have."""
    by_work: dict[tuple[str, str, int | None], list[tuple[str, Best]]] = {}
    for label, best in named:
        by_work.setdefault((best.work.model, best.work.stage, best.work.batch), []).append((label, best))
    largest: dict[tuple[str, str], list[tuple[str, Best]]] = {}
    for (model, stage, _), group in sorted(by_work.items(), key=lambda item: item[0][2] or 0):
        if len({label for label, _ in group}) > 1:
            largest[model, stage] = group
    order = list(dict.fromkeys((best.work.model, best.work.stage) for _, best in named))
    return [largest[key] for key in order if key in largest]


def _groups(groups: Sequence[Sequence[tuple[str, Best]]], colours: dict[str, str]) -> list[Group]:
    most = max(best.rate or 0.0 for group in groups for _, best in group)
    return [
        Group(
            group[0][1].work.model_words,
            f"batch {group[0][1].work.batch}" if group[0][1].work.batch is not None else "",
            tuple(_line(label, best, colours[label], most) for label, best in group),
        )
        for group in groups
    ]


def _line(label: str, best: Best, colour: str, most: float) -> Line:
    rate = best.rate or 0.0
    how = f"{best.device} {best.how}".strip()
    return Line(label, colour, round(100 * rate / most, 2), f"{format_number(rate)}/s", how)
