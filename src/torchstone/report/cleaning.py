"""The border: every string of a run file that another person wrote is made harmless before any report sees it.

HTML is escaped by the templates and JSON is packed; what those let through, terminal escapes, control
characters, marks that turn the reading direction, endless strings and shared dictionaries without end, is cut here.
"""

import base64
import gzip
import json
import re
from itertools import islice
from typing import Any, Literal, TypeVar

import msgspec

from torchstone.errors import without_controls
from torchstone.records import Finding, Measurement, Record, Run

R = TypeVar("R", bound=Record)

LONGEST_NAME = 160
LONGEST_SENTENCE = 800
VALUE = "value"
"""What a fact holds, as `Fact` calls it; so are the plain values of a record's facts treated."""
SENTENCES = ("evidence", "hint", "reason", VALUE)
"""Fields that may be longer than a name."""
EMPTY = {"name": "unnamed", "reason": "(no words)", "hint": "(no words)"}
"""What holds nothing visible stays a name, a reason or a hint."""
MOST_FACTS = 40
MOST_DEVICES = 32
WRONG: Literal["wrong"] = "wrong"
"""The verdict of an answer, and the status that goes with it."""
_INVISIBLE = re.compile("[\u061c\u200b\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]")
"""Marks that make text read otherwise than it is written (CVE-2021-42574)."""


def clean_text(text: str, longest: int = LONGEST_SENTENCE) -> str:
    """One line of plain text, cut to a length with an ellipsis."""
    shortened = text[: 4 * longest]  # before the work: a string may have a hundred million characters
    seen = _INVISIBLE.sub("", without_controls(shortened)).encode("utf-8", "replace").decode("utf-8")
    plain = " ".join(seen.split())
    return plain if len(plain) <= longest else plain[: longest - 1] + "…"


def pack(text: str) -> str:
    """A fraction of the characters, none of which can end an element; the same for the same text."""
    return base64.b64encode(gzip.compress(text.encode("utf-8"), mtime=0)).decode("ascii")


def pack_json(value: Any) -> str:
    """For a script of the page, which unpacks it."""
    return pack(json.dumps(value, allow_nan=False, separators=(",", ":")))


def clean_run(run: Run) -> Run:
    """The same run with every string cleaned, and with every answer that was judged wrong called so."""
    return _clean(
        msgspec.structs.replace(run, devices=run.devices[:MOST_DEVICES], records=tuple(map(_as_judged, run.records)))
    )


def _as_judged(record: Measurement | Finding) -> Measurement | Finding:
    """A status of another program's or of an edited file may say `ok` where the facts beside it say otherwise."""
    if isinstance(record, Finding) or record.status != "ok" or record.facts.get("verdict") != WRONG:
        return record
    return msgspec.structs.replace(record, status=WRONG, reason=record.reason or "its verdict says that it is wrong")


def clean_record(record: Measurement | Finding) -> Measurement | Finding:
    """The same record with every string cleaned."""
    return _clean(record)


def _clean(record: R) -> R:
    """By kind of value, whatever the field: one that is added to a record is cleaned without anybody thinking of it."""
    found: dict[str, Any] = {name: _clean_field(name, getattr(record, name)) for name in record.__struct_fields__}
    return msgspec.structs.replace(record, **found)


def _clean_field(name: str, value: Any) -> Any:
    if isinstance(value, str):
        cleaned = clean_text(value, LONGEST_SENTENCE if name in SENTENCES else LONGEST_NAME)
        return cleaned or EMPTY.get(name, "")
    if isinstance(value, Record):
        return _clean(value)
    if isinstance(value, dict):
        return {
            clean_text(key, LONGEST_NAME): _clean_field(VALUE, fact) for key, fact in islice(value.items(), MOST_FACTS)
        }
    if isinstance(value, tuple) and value and isinstance(value[0], Record):
        return tuple(_clean(one) for one in value)
    return value
