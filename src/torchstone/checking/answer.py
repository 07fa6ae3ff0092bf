"""The answer of a check: findings with where and what to do, and one verdict over them."""

from collections.abc import Iterable
from typing import Any, Literal

import msgspec

from torchstone.report.notebooks import check_screen, screen_html, screen_text

Verdict = Literal["runs", "falls_back", "will_not_run", "wrong", "unknown"]
GRAVITY: tuple[Verdict, ...] = ("runs", "unknown", "falls_back", "will_not_run", "wrong")
"""Of findings with different verdicts, the last in this order speaks for the whole. A call that will surely fail or
fall back says more than one of which nothing is known."""
FIELDS = ("subject", "verdict", "tier", "phase", "dtypes", "calls", "module", "modules", "source", "hint")


class CheckFinding(msgspec.Struct, frozen=True, kw_only=True):
    """One operator (or another cause) at one place in the person's program."""

    subject: str
    """`aten::linalg_eig`; for what is no operator, what it is in words."""
    verdict: Verdict
    tier: str
    """How it is known: `measured`, `ci-tables`, …"""
    phase: str = "forward"
    dtypes: tuple[str, ...] = ()
    calls: int = 1
    module: str = ""
    """The first."""
    modules: int = 1
    """How many it is the same in."""
    source: str = ""
    hint: str = ""
    reason: str = ""
    """For the screen."""
    likely: str | None = None
    """What an unknown most likely is."""

    def document(self) -> dict[str, Any]:
        """The fields that `--json` promises."""
        return {name: msgspec.to_builtins(getattr(self, name)) for name in FIELDS}


class Divergence(msgspec.Struct, frozen=True, kw_only=True):
    """The first place where a device's values leave what the CPU's own rounding explains."""

    subject: str
    module: str
    source: str
    phase: str
    reason: str


class Answer(msgspec.Struct, frozen=True, kw_only=True):
    """What `check` says of a model on a device."""

    verdict: Verdict
    device: str
    stage: str
    findings: tuple[CheckFinding, ...] = ()
    peak_memory_bytes: int | None = None
    memory_bytes: int | None = None
    """Of the device, where it is known."""
    first_divergence: Divergence | None = None
    notes: tuple[str, ...] = ()

    @property
    def problems(self) -> tuple[CheckFinding, ...]:
        """What keeps the verdict from being `runs`, the gravest first."""
        found = [one for one in self.findings if weight_of(one) != "runs"]
        return tuple(sorted(found, key=lambda one: -GRAVITY.index(weight_of(one))))

    def __repr__(self) -> str:
        return screen_text(check_screen("the model", self.screen()))

    def _repr_html_(self) -> str:
        return screen_html(check_screen("the model", self.screen()))

    def document(self) -> dict[str, Any]:
        """The one JSON document, without its schema and command."""
        return {
            "verdict": self.verdict,
            "device": self.device,
            "stage": self.stage,
            "findings": [one.document() for one in self.findings],
            "peak_memory_bytes": self.peak_memory_bytes,
            "first_divergence": msgspec.to_builtins(self.first_divergence),
            "notes": list(self.notes),
        }

    def screen(self) -> dict[str, Any]:
        """What a person is shown."""
        peak, room = self.peak_memory_bytes, self.memory_bytes
        return {
            **self.document(),
            "problems": [msgspec.to_builtins(one) for one in self.problems],
            "calls": sum(one.tier != "traced" for one in self.findings),
            "likely": sum(one.verdict == "unknown" and one.likely == "ok" for one in self.findings),
            "memory_bytes": room,
            "fits": None if peak is None or room is None else peak <= room,
        }


def weight_of(finding: CheckFinding) -> Verdict:
    """What a finding means for the whole: where nothing speaks against a call, it is taken to run."""
    return "runs" if finding.verdict == "unknown" and finding.likely == "ok" else finding.verdict


def verdict_of(findings: Iterable[CheckFinding]) -> Verdict:
    """The gravest."""
    return max((weight_of(one) for one in findings), key=GRAVITY.index, default="runs")
