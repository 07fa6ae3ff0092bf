"""What a fine-tuned model said of test photographs: read from a run's findings and the pictures beside it.

Only pictures that the findings name are taken, each checked as all pictures are (see `pictures`); a finding that lacks
a part, or has a wrong one, is left out.
"""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

from torchstone.records import Finding, Scalar
from torchstone.report.charts.parts import Spec
from torchstone.report.charts.pictures import picture_chart
from torchstone.report.figures import Figure
from torchstone.report.formatting import count_words
from torchstone.report.pictures import Picture, folder_of_run, picture_named
from torchstone.report.sources import Machine

PREDICTION_KIND = "prediction"
"""One answer of a fine-tuned model, which stands with its picture."""
_FILES = ("photograph", "overlay")
MOST_SHOWN = 8
"""Of one training."""
MOST_GROUPS = 4
LARGEST_TOTAL_BYTES = 600_000
LONGEST_LABEL = 26
CAPTION = (
    "Test photographs as the fine-tuned model named them, with where (not why) it found evidence for that (Grad-CAM)"
)


@dataclass(frozen=True)
class Prediction:
    """One photograph and what was said of it."""

    named: str
    truth: str
    confidence: float
    photograph: Picture
    overlay: Picture | None
    no_overlay: str
    most_evidence: str

    @property
    def is_right(self) -> bool:
        return self.named == self.truth

    @property
    def verdict(self) -> str:
        return "✓ Right" if self.is_right else "✗ Mistake"

    @property
    def sure(self) -> str:
        return f"{self.confidence:.1%}"

    @property
    def photograph_words(self) -> str:
        return f"A test photograph of the class {self.truth}"

    @property
    def overlay_words(self) -> str:
        where = f": most of it {self.most_evidence}" if self.most_evidence else ""
        return f"The same photograph with the evidence for {self.named} in colour{where}"


@dataclass(frozen=True)
class Predictions:
    """Those of one training, with what a reader must know of them."""

    place: str
    choice: str
    """Which were chosen, of how many."""
    sight: str
    """How the pictures are to be read."""
    source: str
    shown: tuple[Prediction, ...]


def prediction_files(machine: Machine) -> set[str]:
    """The names of the pictures that predictions take, which then are not shown once more."""
    facts = [one.facts.get(name) for one in machine.run.findings if one.kind == PREDICTION_KIND for name in _FILES]
    return {name for name in facts if isinstance(name, str)}


def predictions_of(machines: Sequence[Machine]) -> list[Predictions]:
    """Of every training that kept some, as many as a page can hold."""
    found: list[Predictions] = []
    left_bytes = LARGEST_TOTAL_BYTES
    for machine in machines:
        for findings in _by_training(machine).values():
            shown = _read(machine, findings, left_bytes)
            left_bytes -= sum(_size(one) for one in shown)
            if shown and len(found) < MOST_GROUPS:
                found.append(_describe(machine if len(machines) > 1 else None, findings[0], shown))
    return found


def _by_training(machine: Machine) -> dict[tuple[str, str], list[Finding]]:
    """By what was trained and on which device, in the order kept."""
    groups: dict[tuple[str, str], list[Finding]] = defaultdict(list)
    for one in machine.run.findings:
        if one.kind == PREDICTION_KIND:
            groups[one.subject.partition("/prediction ")[0], str(one.facts.get("device"))].append(one)
    return groups


def _read(machine: Machine, findings: Sequence[Finding], most_bytes: int) -> tuple[Prediction, ...]:
    shown: list[Prediction] = []
    for finding in findings[:MOST_SHOWN]:
        one = _prediction(machine, finding.facts)
        if one is not None and _size(one) <= most_bytes:
            shown.append(one)
            most_bytes -= _size(one)
    return tuple(shown)


def _prediction(machine: Machine, facts: dict[str, Scalar]) -> Prediction | None:
    named, truth, confidence = (facts.get(name) for name in ("named", "truth", "confidence"))
    photograph, overlay = (_picture(machine, facts.get(name)) for name in _FILES)
    if not isinstance(named, str) or not isinstance(truth, str) or photograph is None:
        return None
    if isinstance(confidence, bool) or not isinstance(confidence, int | float) or not 0 <= confidence <= 1:
        return None
    reason = "" if overlay is not None else _words(facts, "no overlay") or "its picture is not beside the run file"
    return Prediction(named, truth, confidence, photograph, overlay, reason, _words(facts, "most evidence"))


def _picture(machine: Machine, name: Scalar) -> Picture | None:
    folder = folder_of_run(machine.url)
    return picture_named(folder, name) if folder is not None and isinstance(name, str) else None


def _size(one: Prediction) -> int:
    return one.photograph.size_bytes + (one.overlay.size_bytes if one.overlay else 0)


def _words(facts: dict[str, Scalar], name: str) -> str:
    value = facts.get(name)
    return value if isinstance(value, str) else ""


def _number(facts: dict[str, Scalar], name: str) -> int | None:
    value = facts.get(name)
    return value if isinstance(value, int) and not isinstance(value, bool) else None


def _describe(machine: Machine | None, first: Finding, shown: tuple[Prediction, ...]) -> Predictions:
    facts = first.facts
    device = _words(facts, "device") or "an unnamed device"
    return Predictions(
        place=f"{machine.label} · {device}" if machine is not None else device,
        choice=" ".join(part for part in (_choice(facts, shown), _stopped(facts)) if part),
        sight=_sight(facts, any(one.overlay for one in shown)),
        source=_words(facts, "data"),
        shown=shown,
    )


def _choice(facts: dict[str, Scalar], shown: tuple[Prediction, ...]) -> str:
    mistakes = sum(not one.is_right for one in shown)
    looked_at, wrong = _number(facts, "looked at"), _number(facts, "mistakes")
    counted = f"Of {looked_at} test photographs it named {wrong} wrongly. " if looked_at and wrong is not None else ""
    parts = [f"the {count_words(mistakes, 'mistake')} that it was surest of"] if mistakes else []
    if len(shown) > mistakes:
        parts.append(f"the first {len(shown) - mistakes} that it named rightly")
    return f"{counted}Shown are {' and '.join(parts)}, in turn for each class: not a fair sample."


def _stopped(facts: dict[str, Scalar]) -> str:
    step, steps = _number(facts, "steps"), _number(facts, "of steps")
    if step is None or steps is None or step >= steps:
        return ""
    return f"The training was stopped at step {step} of {steps}."


def _sight(facts: dict[str, Scalar], has_overlay: bool) -> str:
    side, places = _number(facts, "side"), _words(facts, "places")
    seen = f"what the model saw ({side} pixels a side, scaled for the page)" if side else "what the model saw"
    doubt = "The confidence is the softmax, which is often too sure of itself."
    if not has_overlay:
        return f"Each picture is {seen}. {doubt}"
    coarse = f", no finer than the {places} places of the network's last map" if places else ""
    return (
        f"Left is {seen}, right the same with the evidence for the class that it named{coarse}. "
        f"Grad-CAM shows where evidence lies; it does not explain why. {doubt}"
    )


def predictions_figure(machines: Sequence[Machine]) -> Figure | None:
    """The predictions of the first training as one picture, for a post."""
    found = predictions_of(machines)
    if not found:
        return None
    first = found[0]
    description = f"{first.choice} " + " ".join(map(_sentence, first.shown))
    return Figure(
        "finetune-predictions",
        f"{CAPTION}. {first.choice} {first.source}".strip(),
        description,
        _draw(first, description),
    )


def _sentence(one: Prediction) -> str:
    where = f", most evidence {one.most_evidence}" if one.overlay and one.most_evidence else ""
    return f"{one.verdict.partition(' ')[2]}: named {one.named} ({one.sure}), truly {one.truth}{where}."


def _draw(found: Predictions, description: str) -> Spec:
    cells = [((one.photograph.uri, one.overlay.uri if one.overlay else None), _labels(one)) for one in found.shown]
    return picture_chart(cells, description)


def _labels(one: Prediction) -> list[str]:
    return [f"{one.verdict}, {one.sure}", *(_short(line) for line in (f"named {one.named}", f"is {one.truth}"))]


def _short(line: str) -> str:
    return line if len(line) <= LONGEST_LABEL else f"{line[: LONGEST_LABEL - 1]}…"
