"""The five nouns that carry everything: Device, Setup, Measurement, Finding, Run.

Frozen and typed, with a JSON form that is checked on reading. A missing number is `None` with a reason, never 0, −1
or infinity. Raw samples are kept; medians and intervals are computed on reading (`torchstone.stats`), never stored.

A run file is JSON lines: the first line is the `Run` without its records, each later line one `Measurement` or
`Finding`. History of the schema:

- torchstone/1: the first.
"""

import json
import math
from collections.abc import Iterable
from html import escape
from statistics import median
from typing import Literal, TypeAlias

import msgspec

SCHEMA = "torchstone/1"
SCHEMA_FAMILY = "torchstone/"

Scalar: TypeAlias = str | int | float | bool | None
Status: TypeAlias = Literal["ok", "unsupported", "out_of_memory", "wrong", "failed", "skipped"]
Sync: TypeAlias = Literal["synchronize", "none", "readback"]
Tier: TypeAlias = Literal["measured", "dispatcher", "ci-tables", "yaml", "stated"]
"""How a finding is known, strongest first (see docs/measuring.md); `stated` is what the system says of itself."""


class Record(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What all records share: frozen, keyword-only, strict about unknown fields."""


def _require_finite(what: str, values: Iterable[Scalar]) -> None:
    """JSON has no infinity: it would be written as null, a missing number without its reason."""
    if any(isinstance(value, float) and not math.isfinite(value) for value in values):
        raise ValueError(f"{what} must be finite numbers")


class Fact(Record, frozen=True, kw_only=True):
    """One fact of a device or machine, with where it was read; `value` is None where it can't be had."""

    value: Scalar
    source: str
    reason: str | None = None
    """Why `value` is None."""

    def __post_init__(self) -> None:
        _require_finite("facts", (self.value,))


class Device(Record, frozen=True, kw_only=True):
    """A place where tensors live and compute: `cpu`, `cuda:0`, `mps`, `xpu:0`, or an out-of-tree accelerator."""

    id: str
    kind: str
    vendor: str
    name: str
    memory_bytes: int | None
    unified_memory: bool | None
    """Whether host and device share one memory; None where nothing tells."""
    facts: dict[str, Fact] = {}


class Setup(Record, frozen=True, kw_only=True):
    """How something is run."""

    device: str = "cpu"
    dtype: str | None = None
    engine: str = "eager"
    memory_format: str = "contiguous"
    threads: int | None = None
    sync: Sync = "synchronize"


class Measurement(Record, frozen=True, kw_only=True, tag_field="record", tag="measurement"):
    """What was run, in which Setup, the raw samples with their unit, and whether they may be believed."""

    name: str
    """What was run, from general to special with slashes: `inference/resnet50/batch=8`."""
    setup: Setup
    unit: str
    """SI: `s`, `bytes`, `J`, `W`, `bytes/s`, `1/s`, `1`."""
    samples: tuple[float, ...] = ()
    quantity: str = "time"
    status: Status = "ok"
    reason: str | None = None
    protocol: str = "hot"
    """Which rules the samples were taken under; two runs are compared only where it matches."""
    calls_per_sample: int = 1
    first_call_s: float | None = None
    compile_s: float | None = None
    """The part of the first call that torch.compile reports as its own; None where nothing was compiled."""
    audit: dict[str, tuple[float, ...]] = {}
    """The sync audit's samples by the way of waiting: `none` and `readback` beside the `synchronize` of `samples`."""
    facts: dict[str, Scalar] = {}

    def __post_init__(self) -> None:
        if self.status != "ok" and not self.reason:
            raise ValueError(f"a measurement with status {self.status!r} needs a reason")
        for samples in (self.samples, *self.audit.values()):
            _require_finite("samples", samples)
        _require_finite("times and facts", (self.first_call_s, self.compile_s, *self.facts.values()))

    def __repr__(self) -> str:
        where = f"{self.name} on {self.setup.device}"
        if not self.samples:
            return f"Measurement({where}: {self.status}, {self.reason})"
        status = "" if self.status == "ok" else f", {self.status}: {self.reason}"
        middle = f"median {self.quantity} {median(self.samples):.4g} {self.unit}"
        return f"Measurement({where}: {middle} of {len(self.samples)} samples{status})"

    def _repr_html_(self) -> str:
        return f"<code>{escape(repr(self))}</code>"


class Finding(Record, frozen=True, kw_only=True, tag_field="record", tag="finding"):
    """A judgement with its evidence: a doctor's remark, an absent device, an atlas cell, a grade."""

    kind: str
    """What judged: `device`, `doctor`, `selftest`, `leak`, …"""
    subject: str
    verdict: str
    tier: Tier
    evidence: str
    hint: str | None = None
    facts: dict[str, Scalar] = {}

    def __post_init__(self) -> None:
        _require_finite("facts", self.facts.values())


class Environment(Record, frozen=True, kw_only=True):
    """What a number depends on beside the device: two runs are compared only where these match."""

    torch: str
    python: str
    os: str
    chip: str
    physical_cores: int | None
    threads: int
    facts: dict[str, Fact] = {}
    """Power state, container limits, load and the rest, each with its source."""


class Run(Record, frozen=True, kw_only=True, tag_field="record", tag="run"):
    """One sitting at one machine."""

    schema: str = SCHEMA
    id: str
    started: str
    """UTC, ISO 8601."""
    command: str
    environment: Environment
    devices: tuple[Device, ...] = ()
    records: tuple[Measurement | Finding, ...] = ()
    """Empty in the file's first line; filled from the later lines on reading."""

    @property
    def measurements(self) -> tuple[Measurement, ...]:
        return tuple(record for record in self.records if isinstance(record, Measurement))

    @property
    def findings(self) -> tuple[Finding, ...]:
        return tuple(record for record in self.records if isinstance(record, Finding))


def encode(record: Run | Measurement | Finding) -> bytes:
    """One line of JSON, without its newline."""
    try:
        return msgspec.json.encode(record)
    except UnicodeEncodeError:
        # An exception's words may hold a file name that is no UTF-8; a question mark in it loses less than the record.
        return json.dumps(msgspec.to_builtins(record), ensure_ascii=False).encode("utf-8", "replace")


_RUN_DECODER = msgspec.json.Decoder(Run)
_LINE_DECODER: msgspec.json.Decoder[Measurement | Finding] = msgspec.json.Decoder(Measurement | Finding)


class _SchemaOnly(msgspec.Struct):
    schema: str


def schema_of(line: bytes) -> str:
    """The schema that a run file's first line names; raises `msgspec.MsgspecError` where it names none."""
    return msgspec.json.decode(line, type=_SchemaOnly).schema


def decode_run(line: bytes) -> Run:
    """A run file's first line; raises `msgspec.MsgspecError` with the place of the mistake."""
    return _RUN_DECODER.decode(line)


def decode_record(line: bytes) -> Measurement | Finding:
    """A later line; raises `msgspec.MsgspecError` with the place of the mistake."""
    return _LINE_DECODER.decode(line)
