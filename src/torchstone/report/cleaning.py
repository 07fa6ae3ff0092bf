"""The border: every string of a run file that another person wrote is made harmless before any report sees it.

HTML is escaped by the templates and JSON by `embed_json`; what those let through, terminal escapes, control
characters, marks that turn the reading direction, endless strings and shared dictionaries without end, is cut here.
"""

import json
import re
from typing import Any

import msgspec

from torchstone.records import Device, Environment, Fact, Finding, Measurement, Run, Scalar, Setup

LONGEST_NAME = 160
LONGEST_SENTENCE = 800
MOST_FACTS = 40
MOST_DEVICES = 32
_ESCAPES = re.compile(r"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)?|[@-Z\\-_])?")
"""Terminal escapes: colours and cursor movements, titles and links, and a bare Escape."""
_INVISIBLE = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200b\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]")
"""Controls, and the marks that make text read otherwise than it is written (CVE-2021-42574)."""


def clean_text(text: str, longest: int = LONGEST_SENTENCE) -> str:
    """One line of plain text, cut to a length with an ellipsis."""
    shortened = text[: 4 * longest]  # before the work: a string may have a hundred million characters
    seen = _INVISIBLE.sub("", _ESCAPES.sub("", shortened)).encode("utf-8", "replace").decode("utf-8")
    plain = " ".join(seen.split())
    return plain if len(plain) <= longest else plain[: longest - 1] + "…"


def embed_json(value: Any) -> str:
    """JSON that can stand inside a script element: nothing in it can end the element or start a comment."""
    text = json.dumps(value, ensure_ascii=True, allow_nan=False, separators=(",", ":"))
    return text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")


def clean_run(run: Run) -> Run:
    """The same run with every string cleaned."""
    return msgspec.structs.replace(
        run,
        id=_name(run.id),
        started=_name(run.started),
        command=_name(run.command),
        environment=_clean_environment(run.environment),
        devices=tuple(_clean_device(device) for device in run.devices[:MOST_DEVICES]),
        records=tuple(clean_record(record) for record in run.records),
    )


def clean_record(record: Measurement | Finding) -> Measurement | Finding:
    return _clean_finding(record) if isinstance(record, Finding) else _clean_measurement(record)


def _clean_measurement(one: Measurement) -> Measurement:
    return msgspec.structs.replace(
        one,
        name=_name(one.name) or "unnamed",
        setup=_clean_setup(one.setup),
        unit=_name(one.unit),
        quantity=_name(one.quantity),
        protocol=_name(one.protocol),
        reason=_sentence(one.reason),
        facts=_clean_scalars(one.facts),
    )


def _clean_finding(one: Finding) -> Finding:
    return msgspec.structs.replace(
        one,
        kind=_name(one.kind),
        subject=_name(one.subject),
        verdict=_name(one.verdict),
        evidence=clean_text(one.evidence),
        hint=_sentence(one.hint),
        facts=_clean_scalars(one.facts),
    )


def _clean_setup(setup: Setup) -> Setup:
    return msgspec.structs.replace(
        setup,
        device=_name(setup.device),
        dtype=None if setup.dtype is None else _name(setup.dtype),
        engine=_name(setup.engine),
        memory_format=_name(setup.memory_format),
    )


def _clean_environment(found: Environment) -> Environment:
    return msgspec.structs.replace(
        found,
        torch=_name(found.torch),
        python=_name(found.python),
        os=_name(found.os),
        chip=_name(found.chip),
        facts=_clean_facts(found.facts),
    )


def _clean_device(device: Device) -> Device:
    return msgspec.structs.replace(
        device,
        id=_name(device.id),
        kind=_name(device.kind),
        vendor=_name(device.vendor),
        name=_name(device.name),
        facts=_clean_facts(device.facts),
    )


def _clean_facts(facts: dict[str, Fact]) -> dict[str, Fact]:
    return {_name(key): _clean_fact(fact) for key, fact in list(facts.items())[:MOST_FACTS]}


def _clean_fact(fact: Fact) -> Fact:
    return Fact(value=_scalar(fact.value), source=_name(fact.source), reason=_sentence(fact.reason))


def _clean_scalars(facts: dict[str, Scalar]) -> dict[str, Scalar]:
    return {_name(key): _scalar(value) for key, value in list(facts.items())[:MOST_FACTS]}


def _scalar(value: Scalar) -> Scalar:
    return clean_text(value) if isinstance(value, str) else value


def _name(text: str) -> str:
    return clean_text(text, LONGEST_NAME)


def _sentence(text: str | None) -> str | None:
    """A reason that holds nothing visible stays a reason."""
    return None if text is None else clean_text(text) or "(no words)"
