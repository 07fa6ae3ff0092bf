"""The parts of a page that are words: a machine's card and the list of findings."""

import re
from collections import Counter
from collections.abc import Sequence
from pathlib import PurePosixPath
from typing import Any

from torchstone.records import Device, Finding, Measurement
from torchstone.report.cases import is_good
from torchstone.report.cleaning import clean_text
from torchstone.report.formatting import count_words, fact_words
from torchstone.report.names import describe_setup
from torchstone.report.sources import Machine
from torchstone.report.terminal import format_bytes

MOST_PROBLEMS = 12
"""Of one machine: the tables hold the others."""
LONGEST_SLUG = 60
QUIET = ("ok", "skipped")


def slug(text: str) -> str:
    """Fit for a file name and an anchor: letters and digits alone, so that no path can be made of it."""
    return re.sub(r"[^a-z0-9]+", "-", text.lower()).strip("-")[:LONGEST_SLUG].strip("-") or "report"


def machine_card(machine: Machine) -> dict[str, Any]:
    """What was measured on."""
    found = machine.run.environment
    cores = f"{found.physical_cores} cores" if found.physical_cores else "cores unknown"
    rows = [
        ("System", found.os),
        ("Software", f"torch {found.torch}, Python {found.python}"),
        ("CPU threads", f"{found.threads} ({cores})"),
        ("Run", f"{machine.run.id}, {machine.run.started}, torchstone {machine.run.command}"),
        ("Records", _record_words(machine)),
    ]
    facts = [(name, fact_words(fact), fact.source) for name, fact in found.facts.items()]
    return {
        "title": found.chip or "Unknown chip",
        "label": machine.label,
        "file": clean_text(PurePosixPath(machine.url.replace("\\", "/")).name),
        "rows": rows,
        "devices": [_device_card(device) for device in machine.run.devices],
        "facts": facts,
    }


def _record_words(machine: Machine) -> str:
    counts = Counter(one.status for one in machine.run.measurements)
    listed = ", ".join(f"{count:,} {status.replace('_', ' ')}" for status, count in counts.most_common())
    return f"{listed or 'no measurements'}; {count_words(len(machine.run.findings), 'finding')}"


def _device_card(device: Device) -> dict[str, Any]:
    shared = {True: ", shared with the CPU", False: ", its own", None: ", not known whether shared"}
    whose = "" if device.kind == "cpu" else shared[device.unified_memory]
    return {
        "id": device.id,
        "name": _device_name(device),
        "memory": f"{format_bytes(device.memory_bytes)} memory{whose}",
        "facts": [(name, fact_words(fact), fact.source) for name, fact in device.facts.items()],
    }


def _device_name(device: Device) -> str:
    """The vendor once, where the name does not already begin with it."""
    return device.name if device.name.lower().startswith(device.vendor.lower()) else f"{device.vendor} {device.name}"


def finding_row(finding: Finding, label: str) -> dict[str, Any]:
    return {
        "good": is_good(finding),
        "verdict": finding.verdict,
        "subject": finding.subject,
        "evidence": finding.evidence,
        "hint": finding.hint,
        "kind": finding.kind,
        "machine": label,
        "tier": finding.tier,
    }


def remark(machine: Machine, text: str) -> dict[str, Any]:
    """Something about the file itself."""
    return finding_row(
        Finding(
            kind="run file", subject=machine.label, verdict="warning", level="warning", tier="stated", evidence=text
        ),
        machine.label,
    )


def model_remark(text: str) -> dict[str, Any]:
    """What was done with a person's own model before it was measured."""
    model, _, evidence = text.partition(": ")
    return finding_row(
        Finding(kind="model", subject=model, verdict="remark", level="note", tier="stated", evidence=evidence), ""
    )


def difference_rows(machines: Sequence[Machine]) -> list[dict[str, Any]]:
    """Runs that stand beside each other but were not made alike: said before anybody compares."""
    versions = list(dict.fromkeys(machine.run.environment.torch for machine in machines))
    if len(versions) < 2:
        return []
    evidence = f"these runs were made with torch {', '.join(versions[:6])}: part of a difference may be the version's"
    hint = "`torchstone compare A B` says which cases may be compared"
    finding = Finding(
        kind="runs",
        subject="torch versions",
        verdict="differ",
        level="warning",
        tier="stated",
        evidence=evidence,
        hint=hint,
    )
    return [finding_row(finding, "")]


def problem_rows(machines: Sequence[Machine]) -> list[dict[str, Any]]:
    """Measurements that failed, ran out of memory, are unsupported or wrong; equal reasons stand together."""
    found: list[dict[str, Any]] = []
    for machine in machines:
        problems = [one for one in machine.run.measurements if one.status not in QUIET]
        groups: dict[tuple[str, str, str], list[Measurement]] = {}
        for one in problems:
            groups.setdefault((one.status, one.setup.device, one.reason or ""), []).append(one)
        label = machine.label if len(machines) > 1 else ""
        found += [_problem_row(group, label) for group in list(groups.values())[:MOST_PROBLEMS]]
    return found


def _problem_row(group: Sequence[Measurement], label: str) -> dict[str, Any]:
    first = group[0]
    more = f" and {len(group) - 1} more" if len(group) > 1 else ""
    finding = Finding(
        kind="measurement",
        subject=f"{first.name} on {describe_setup(first.setup)}{more}",
        verdict=first.status.replace("_", " "),
        level="problem",
        tier="measured",
        evidence=first.reason or "",
    )
    return finding_row(finding, label)
