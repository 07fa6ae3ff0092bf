"""The rate of queries that a device keeps: the answer of `bench load`, of every model and device."""

from dataclasses import dataclass

from torchstone.records import Finding, Run
from torchstone.report.formatting import format_number, format_value
from torchstone.report.names import work_of


@dataclass(frozen=True)
class Load:
    """The highest rate, in queries a second, at which 99 of 100 answers came within the bound."""

    model: str
    device: str
    bound_s: float
    proven_rate: float | None
    """Confirmed by a run long enough to see a queue grow."""
    seen_rate: float | None
    """Kept in a short run; a queue that grows slowly was not ruled out."""
    broken_rate: float | None
    """The lowest at which the bound was broken; None where none was found."""

    @property
    def words(self) -> str:
        who = f"on {'the CPU' if self.device == 'cpu' else self.device} {self.model}"
        within = f"within {format_value(self.bound_s, 's')}"
        if self.proven_rate is not None:
            return f"{who} keeps {format_number(self.proven_rate)} queries a second {within} (99 of 100; proven)"
        if self.seen_rate is not None:
            seen = f"{who} kept {format_number(self.seen_rate)} queries a second {within} in a short run"
            return f"{seen}; no rate is proven yet: more --budget"
        broken = f": {format_number(self.broken_rate)} a second were too many" if self.broken_rate else ""
        return f"{who} kept no rate of queries that was tried {within}{broken}"


def loads_of(run: Run) -> list[Load]:
    """The newest of every model and device."""
    found = [_load(finding) for finding in run.findings if finding.kind == "load"]
    return list({(one.model, one.device, one.bound_s): one for one in found if one is not None}.values())


def _load(finding: Finding) -> Load | None:
    bound_s = _number(finding, "latency_bound_s")
    if bound_s is None:
        return None
    return Load(
        model=work_of(finding.subject.partition(": ")[0]).model_words,
        device=str(finding.facts.get("device") or "cpu"),
        bound_s=bound_s,
        proven_rate=_number(finding, "rate"),
        seen_rate=_number(finding, "highest_seen_rate"),
        broken_rate=_number(finding, "lowest_broken_rate"),
    )


def _number(finding: Finding, name: str) -> float | None:
    value = finding.facts.get(name)
    return float(value) if isinstance(value, int | float) and not isinstance(value, bool) and value > 0 else None
