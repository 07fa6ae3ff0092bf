"""The five nouns that carry everything: Device, Setup, Measurement, Finding, Run.

Frozen and typed, with a JSON form that is checked on reading. A missing number is `None` with a reason, never 0, −1
or infinity. Raw samples are kept; medians and intervals are computed on reading (`torchstone.stats`), never stored.

A run file is JSON lines: the first line is the `Run` without its records, each later line one `Measurement` or
`Finding`. History of the schema:

- torchstone/1: the first.
- torchstone/2: `Setup.precision` and `Setup.options`, `Measurement.contest`, `Finding.level`, `Finished`, more tiers. A
  run of /1 is read as one of /2: its precision stood among the facts, and its findings' levels follow from their words.

A newer minor version (torchstone/2.1) may add fields; they stay in the file and are passed over here.
"""

import json
from collections.abc import Iterator, Sequence
from functools import cached_property
from statistics import median
from typing import Annotated, Any, Literal, TypeAlias

import msgspec

from torchstone.bounds import require_facts, require_numbers, require_samples, require_times

SCHEMA = "torchstone/2"
SCHEMA_FAMILY = "torchstone/"
FIRST_SCHEMA = "torchstone/1"
READABLE = (FIRST_SCHEMA, SCHEMA)

Count: TypeAlias = Annotated[int, msgspec.Meta(ge=1, le=2**31)]
"""Of threads, cores, calls: checked where a file is read."""
Scalar: TypeAlias = str | int | float | bool | None
Status: TypeAlias = Literal["ok", "unsupported", "out_of_memory", "wrong", "failed", "skipped"]
Sync: TypeAlias = Literal["synchronize", "none", "readback"]
Tier: TypeAlias = Literal[
    "measured", "dispatcher", "ci-tables", "metal-kernel", "registrations", "refusal", "yaml", "stated"
]
"""How a finding is known, strongest first (see docs/measuring.md); `stated` is what the system says of itself."""
Level: TypeAlias = Literal["ok", "note", "warning", "problem"]
"""What a finding means to a person: good, worth knowing, to be looked at, to be acted on."""
AS_IT_IS = "as it is"
PLAIN_DTYPE = "float32"
HUNG = "hung"
"""A fact of what was ended because it did not end by itself."""
MODEL_FILE = "file of the model"
"""A fact of a run: the digest of the file that a person's own model comes from."""
REMARK = "remark"
"""A fact of a measurement: what a person should know of the model, as that it came in train mode."""
IN_DOUBT = "in doubt"
"""The fact of a peak that says why more may be possible."""
PEAK_IN_DOUBT = "peak in doubt"
"""A fact of a measurement: why a peak that it is beyond was not believed."""


class Record(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What all records share: frozen, keyword-only, strict about unknown fields."""


class Fact(Record, frozen=True, kw_only=True):
    """One fact of a device or machine, with where it was read; `value` is None where it can't be had."""

    value: Scalar
    source: str
    reason: str | None = None
    """Why `value` is None."""

    def __post_init__(self) -> None:
        require_numbers("facts", (self.value,))


class Device(Record, frozen=True, kw_only=True):
    """A place where tensors live and compute: `cpu`, `cuda:0`, `mps`, `xpu:0`, or an out-of-tree accelerator."""

    id: str
    kind: str
    vendor: str
    name: str
    memory_bytes: Annotated[int, msgspec.Meta(ge=0, le=2**62)] | None
    unified_memory: bool | None
    """Whether host and device share one memory; None where nothing tells."""
    facts: dict[str, Fact] = {}

    def __repr__(self) -> str:
        return f"Device({self.id}: {self.vendor} {self.name})"

    def _repr_html_(self) -> str:
        from torchstone.report.notebooks import devices_html

        return devices_html((self,))


class Setup(Record, frozen=True, kw_only=True):
    """How something is run: the one word for it everywhere."""

    device: str = "cpu"
    dtype: str | None = None
    precision: str = AS_IT_IS
    """How the dtype comes about: `as it is`, `cast` (weights and inputs), `autocast` (operator by operator), `tf32`,
    `int8 dynamic`, `int8 weight-only`."""
    engine: str = "eager"
    """What runs it, with its variant after a colon: `compile:freezing`."""
    memory_format: str = "contiguous"
    threads: Count | None = None
    """None is all that torch has."""
    sync: Sync = "synchronize"
    options: tuple[str, ...] = ()
    """What else differs, such as `fused optimizer`, `checkpointing` or `interop=2`, in alphabetical order."""

    @property
    def key(self) -> str:
        """The setup as one word, for the key of a case."""
        threads = "all" if self.threads is None else str(self.threads)
        named = (self.device, self.dtype or "-", self.precision, self.engine, self.memory_format, f"threads={threads}")
        return "|".join((*named, *self.options))

    @property
    def words(self) -> str:
        """The setup for people: where, by what, and whatever else is not as a plain run has it."""
        said = [self.device, self.engine]
        if self.precision in ("cast", "autocast"):
            said.append(f"{self.precision} to {self.dtype}")
        elif self.precision != AS_IT_IS:
            said.append(self.precision)
        if self.memory_format != "contiguous":
            said.append(self.memory_format)
        if self.threads is not None:
            said.append(f"{self.threads} thread{'s' if self.threads != 1 else ''}")
        return ", ".join((*said, *self.options))


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
    contest: str | None = None
    """The contest that the samples belong to: the i-th samples of all its rivals were taken in the same round, so their
    ratio is a pair. A rival that dropped out has fewer samples, always those of the first rounds."""
    calls_per_sample: Count = 1
    first_call_s: float | None = None
    compile_s: float | None = None
    """The part of the first call that torch.compile reports as its own; None where nothing was compiled."""
    audit: dict[str, tuple[float, ...]] = {}
    """The sync audit's samples by the way of waiting: `none` and `readback` beside the `synchronize` of `samples`."""
    facts: dict[str, Scalar] = {}

    def __post_init__(self) -> None:
        if self.status != "ok" and not self.reason:
            raise ValueError(f"a measurement with status {self.status!r} needs a reason")
        require_samples(self.unit, self.samples)
        for times in (*self.audit.values(), (self.first_call_s, self.compile_s)):
            require_times(times)
        require_facts(self.facts)

    def __repr__(self) -> str:
        where = f"{self.name} on {self.setup.device}"
        if not self.samples:
            return f"Measurement({where}: {self.status}, {self.reason})"
        status = "" if self.status == "ok" else f", {self.status}: {self.reason}"
        middle = f"median {self.quantity} {median(self.samples):.4g} {self.unit}"
        unsteady = ", not steady" if self.facts.get("steady") is False else ""
        return f"Measurement({where}: {middle} of {len(self.samples)} samples{unsteady}{status})"

    def _repr_html_(self) -> str:
        from torchstone.report.notebooks import measurement_html

        return measurement_html(self)


class Finding(Record, frozen=True, kw_only=True, tag_field="record", tag="finding"):
    """A judgement with its evidence: a doctor's remark, an absent device, an atlas cell, a grade."""

    kind: str
    """What judged: `device`, `doctor`, `selftest`, `leak`, …"""
    subject: str
    verdict: str
    level: Level = "note"
    tier: Tier
    evidence: str
    hint: str | None = None
    facts: dict[str, Scalar] = {}

    def __post_init__(self) -> None:
        require_facts(self.facts)

    def __repr__(self) -> str:
        hint = f"; what to do: {self.hint}" if self.hint else ""
        return f"Finding({self.level}: {self.subject}: {self.verdict}: {self.evidence}{hint})"

    def _repr_html_(self) -> str:
        from torchstone.report.notebooks import findings_html

        return findings_html((self,))


class Finished(Record, frozen=True, kw_only=True, tag_field="record", tag="finished"):
    """A case whose records are all there: a run that is taken up again goes on with the others."""

    case: str
    """Its key: name and setup."""
    is_undecided: bool = False
    """More seconds would tell more."""


class Environment(Record, frozen=True, kw_only=True):
    """What a number depends on beside the device: two runs are compared only where these match."""

    torch: str
    python: str
    os: str
    chip: str
    physical_cores: Count | None
    threads: Count
    facts: dict[str, Fact] = {}
    """Power state, container limits, load and the rest, each with its source."""


ONCE_A_TURN = ("images", "leak", "load", "transfer", "crossover")
"""Kinds of findings of which a turn gives one for each subject. Advice has notes beside it, an operator many dtypes, a
training many photographs, and what was seen of the machine holds for its own time."""


class Run(Record, frozen=True, kw_only=True, dict=True, tag_field="record", tag="run"):
    """One sitting at one machine."""

    schema: str = SCHEMA
    id: str
    started: str
    """UTC, ISO 8601."""
    command: str
    asked: tuple[str, ...] = ()
    """What was named on the command line, such as experiments; none for all. Who continues the run, continues that."""
    environment: Environment
    devices: tuple[Device, ...] = ()
    records: tuple[Measurement | Finding, ...] = ()
    """Empty in the file's first line; filled from the later lines on reading."""
    finished: tuple[Finished, ...] = ()
    """The cases that are done, of a run whose cases have keys; filled likewise."""

    @cached_property
    def measurements(self) -> tuple[Measurement, ...]:
        """Of what was measured more than once, the newest alone."""
        found = [record for record in self.records if isinstance(record, Measurement)]
        return tuple(_newest_measurements(found, has_turns=bool(self.finished)))

    @cached_property
    def findings(self) -> tuple[Finding, ...]:
        """Of a case that had another turn, the newest alone, where a turn judges a subject once."""
        found = [record for record in self.records if isinstance(record, Finding)]
        if not self.finished:
            return tuple(found)
        newest = {_judged(one): number for number, one in enumerate(found)}
        return tuple(
            one
            for number, one in enumerate(found)
            if newest[_judged(one)] == number or one.kind not in ONCE_A_TURN or not self._is_told_apart(one)
        )

    def _is_told_apart(self, finding: Finding) -> bool:
        """Whether its device is known: one of a case on another device may have the same subject."""
        return len(self.devices) <= 1 or "device" in finding.facts

    def __repr__(self) -> str:
        counted = f"{len(self.measurements):,} measurements, {len(self.findings):,} findings"
        where = f"{self.environment.chip}, torch {self.environment.torch}"
        return f"Run({self.command} of {self.started} on {where}: {counted})"

    def _repr_html_(self) -> str:
        from torchstone.report.notebooks import run_html

        return run_html(self)


def _newest_measurements(found: Sequence[Measurement], has_turns: bool) -> Iterator[Measurement]:
    """Of a rival that got more rounds later the newest holds the samples of those before. Of a case that had another
    turn, or was measured again when the run went on, what stands outside of a contest gives way too, and so does what
    has no samples to what has; that there was no time for it says nothing where there was at another time."""
    if has_turns:
        timed = {_measured(one) for one in found if one.samples}
        found = [one for one in found if one.status != "skipped" or _measured(one) not in timed]
    sampled = {_measured(one): number for number, one in enumerate(found) if one.samples}
    newest = {(one.contest, _measured(one)): number for number, one in enumerate(found)}
    for number, one in enumerate(found):
        stays = newest[one.contest, _measured(one)] == number or (one.contest is None and not has_turns)
        gives_way = has_turns and (one.contest is None or not one.samples)
        if stays and not (gives_way and sampled.get(_measured(one), -1) > number):
            yield one


def _measured(one: Measurement) -> tuple[str, Setup, str]:
    """What was measured."""
    return one.name, one.setup, one.quantity


def _judged(one: Finding) -> tuple[str, str, Scalar]:
    """What was judged, and where."""
    return one.kind, one.subject, one.facts.get("device")


Line: TypeAlias = Measurement | Finding | Finished
"""What a later line of a run file holds."""


def encode(record: Run | Line) -> bytes:
    """One line of JSON, without its newline."""
    try:
        return msgspec.json.encode(record)
    except UnicodeEncodeError:
        # An exception's words may hold a file name that is no UTF-8; a question mark in it loses less than the record.
        return json.dumps(msgspec.to_builtins(record), ensure_ascii=False).encode("utf-8", "replace")


_RUN_DECODER = msgspec.json.Decoder(Run)
_LINE_DECODER: msgspec.json.Decoder[Line] = msgspec.json.Decoder(Line)
_TAGGED = {"run": Run, "measurement": Measurement, "finding": Finding, "finished": Finished}


def is_whole(line: bytes) -> bool:
    """Whether a line of a run file was written to its end, whatever it holds."""
    try:
        return isinstance(msgspec.json.decode(line), dict)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
        return False


class _SchemaOnly(msgspec.Struct):
    schema: str


def schema_of(line: bytes) -> str:
    """The schema that a run file's first line names; raises `msgspec.MsgspecError` where it names none."""
    return msgspec.json.decode(line, type=_SchemaOnly).schema


def is_readable(schema: str) -> bool:
    """Whether files of that schema are read here: ours, its newer minor versions, and the first."""
    return schema in READABLE or schema.startswith(f"{SCHEMA}.")


def decode_run(line: bytes, schema: str = SCHEMA) -> Run:
    """A run file's first line; raises `msgspec.MsgspecError` with the place of the mistake."""
    return _RUN_DECODER.decode(_translated(line, schema))


def decode_record(line: bytes, schema: str = SCHEMA) -> Line:
    """A later line; raises `msgspec.MsgspecError` with the place of the mistake."""
    return _LINE_DECODER.decode(_translated(line, schema))


def _translated(line: bytes, schema: str) -> bytes:
    """A line of another readable schema as one of ours."""
    if schema == SCHEMA:
        return line
    content = msgspec.json.decode(line)
    tag = content.get("record") if isinstance(content, dict) else None
    kind = _TAGGED.get(tag) if isinstance(tag, str) else None
    if kind is None:
        return line
    if schema == FIRST_SCHEMA:
        return msgspec.json.encode(_from_first(content))
    return msgspec.json.encode(_known_part(content, msgspec.inspect.type_info(kind)))


def _known_part(content: Any, wanted: msgspec.inspect.Type) -> Any:
    """Without the fields that only a newer version knows."""
    if isinstance(wanted, msgspec.inspect.StructType) and isinstance(content, dict):
        known = {field.encode_name: field.type for field in wanted.fields}
        kept = {name: _known_part(value, known[name]) for name, value in content.items() if name in known}
        return {**kept, "record": content["record"]} if wanted.tag_field == "record" else kept
    if isinstance(wanted, msgspec.inspect.DictType) and isinstance(content, dict):
        return {name: _known_part(value, wanted.value_type) for name, value in content.items()}
    if isinstance(wanted, msgspec.inspect.VarTupleType) and isinstance(content, list):
        return [_known_part(value, wanted.item_type) for value in content]
    return content


# How /1 said what /2 has fields for. Nothing else may decide by a verdict's words.
_GOOD_WORDS = ("ok", "fine", "solved", "shared", "costs nothing", "proven", "right", "supported", "as on the cpu")
_PROBLEM_WORDS = ("leak", "wrong", "failed")
_WARNING_WORDS = ("warning", "unproven", "none", "costs time", "differ", "unclear")
_NOTING_KINDS = ("crossover", "transfer", "finetune", "load", "selftest", "prediction")


def _from_first(content: dict[str, Any]) -> dict[str, Any]:
    if content["record"] == "run":
        return {**content, "schema": SCHEMA}
    if content["record"] == "finding":
        return {**content, "level": _level_from_words(str(content.get("kind")), str(content.get("verdict")).lower())}
    facts, setup = content.get("facts"), content.get("setup")
    if isinstance(facts, dict) and isinstance(setup, dict) and isinstance(facts.get("precision"), str):
        content = {**content, "setup": {**setup, "precision": facts["precision"]}}
    return content


def _level_from_words(kind: str, verdict: str) -> Level:
    if verdict in _GOOD_WORDS:
        return "ok"
    if verdict in _PROBLEM_WORDS:
        return "problem"
    return "note" if kind in _NOTING_KINDS and verdict not in _WARNING_WORDS else "warning"
