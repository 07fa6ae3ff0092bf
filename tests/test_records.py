"""The five nouns: frozen, and the same again after a trip through JSON, or refused with the place of the mistake."""

import math
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from torchstone import records
from torchstone.bounds import COUNTS, LONGEST_S, MOST_OF_A_FACT, SHORTEST_S
from torchstone.records import Device, Environment, Fact, Finding, Finished, Measurement, Run, Setup

texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=12)
numbers = st.floats(-MOST_OF_A_FACT, MOST_OF_A_FACT)
times = st.floats(SHORTEST_S, LONGEST_S) | st.just(0.0)
whole_numbers = st.integers(-(2**63), 2**64 - 1)
scalars = texts | whole_numbers | numbers | st.booleans() | st.none()
samples = st.lists(times, max_size=5).map(tuple)
statuses = st.sampled_from(["ok", "unsupported", "out_of_memory", "wrong", "failed", "skipped"])
facts = st.builds(Fact, value=scalars, source=texts, reason=texts | st.none())
devices = st.builds(
    Device,
    id=texts,
    kind=texts,
    vendor=texts,
    name=texts,
    memory_bytes=st.integers(0, 2**60) | st.none(),
    unified_memory=st.booleans() | st.none(),
    facts=st.dictionaries(texts, facts, max_size=2),
)
setups = st.builds(
    Setup,
    device=texts,
    dtype=texts | st.none(),
    engine=texts,
    memory_format=texts,
    threads=st.integers(1, 512) | st.none(),
    precision=texts,
    options=st.lists(texts, max_size=2).map(tuple),
    sync=st.sampled_from(["synchronize", "none", "readback"]),
)
measurements = st.builds(
    Measurement,
    name=texts,
    setup=setups,
    unit=texts,
    samples=samples,
    quantity=texts,
    status=statuses,
    reason=texts.filter(bool),
    protocol=texts,
    contest=texts | st.none(),
    calls_per_sample=st.integers(1, 10**9),
    first_call_s=times | st.none(),
    compile_s=times | st.none(),
    audit=st.dictionaries(texts, samples, max_size=2),
    facts=st.dictionaries(texts, scalars, max_size=2),
)
findings = st.builds(
    Finding,
    kind=texts,
    subject=texts,
    verdict=texts,
    level=st.sampled_from(["ok", "note", "warning", "problem"]),
    tier=st.sampled_from(["measured", "dispatcher", "ci-tables", "registrations", "yaml", "stated"]),
    evidence=texts,
    hint=texts | st.none(),
    facts=st.dictionaries(texts, scalars, max_size=2),
)
environments = st.builds(
    Environment,
    torch=texts,
    python=texts,
    os=texts,
    chip=texts,
    physical_cores=st.integers(1, 512) | st.none(),
    threads=st.integers(1, 512),
    facts=st.dictionaries(texts, facts, max_size=2),
)
runs = st.builds(
    Run,
    id=texts,
    started=texts,
    command=texts,
    environment=environments,
    devices=st.lists(devices, max_size=2).map(tuple),
    records=st.lists(measurements | findings, max_size=2).map(tuple),
)
nouns = st.one_of(devices, setups, measurements, findings, environments, runs)

MEASUREMENT = Measurement(name="a", setup=Setup(), unit="s", samples=(1.0, 2.0, 4.0))
FINDING = Finding(kind="doctor", subject="s", verdict="warning", tier="stated", evidence="e")
ENVIRONMENT = Environment(torch="2.13.0", python="3.11", os="Linux", chip="Chip", physical_cores=2, threads=2)
RUN = Run(id="1", started="2026-01-01T00:00:00+00:00", command="selftest", environment=ENVIRONMENT)


def changed(original: Any, /, **changes: object) -> bytes:
    """The record's JSON with some fields replaced, or left out where the change is `...`."""
    content = {**msgspec.to_builtins(original), **changes}
    return msgspec.json.encode({name: value for name, value in content.items() if value is not ...})


@given(nouns)
def test_json_round_trip(record: Any) -> None:
    line = msgspec.json.encode(record)
    again = msgspec.json.decode(line, type=type(record))
    assert again == record
    assert type(again) is type(record)


@given(measurements | findings)
def test_a_line_holds_one_record_and_no_newline(record: Measurement | Finding) -> None:
    line = records.encode(record)
    assert b"\n" not in line
    assert records.decode_record(line) == record


@given(runs)
def test_the_first_line_is_a_run(run: Run) -> None:
    line = records.encode(run)
    assert records.schema_of(line) == records.SCHEMA
    assert records.decode_run(line) == run


def test_a_text_that_is_no_unicode_is_kept_as_far_as_it_can_be() -> None:
    record = msgspec.structs.replace(FINDING, evidence="cannot open caf\udce9.txt — ×")
    assert records.decode_record(records.encode(record)) == msgspec.structs.replace(
        FINDING, evidence="cannot open caf?.txt — ×"
    )


@pytest.mark.parametrize(
    ("line", "words"),
    [
        (changed(MEASUREMENT, medain=1.0), "unknown field `medain`"),
        (changed(MEASUREMENT, setup={"device": "cpu", "colour": "red"}), r"unknown field `colour`.*\$.setup"),
        (changed(MEASUREMENT, name=...), "missing required field `name`"),
        (changed(MEASUREMENT, samples="fast"), r"Expected `array`, got `str`.*\$.samples"),
        (changed(MEASUREMENT, samples=[1.0, "2"]), r"Expected `float`, got `str`.*\$.samples\[1\]"),
        (changed(MEASUREMENT, samples=[None]), r"Expected `float`, got `null`.*\$.samples\[0\]"),
        (changed(MEASUREMENT, status="great"), r"Invalid enum value 'great'.*\$.status"),
        (changed(MEASUREMENT, status="failed"), "status 'failed' needs a reason"),
        (changed(MEASUREMENT, record="poem"), "Invalid value 'poem'"),
        (changed(FINDING, tier="guessed"), r"Invalid enum value 'guessed'.*\$.tier"),
        (changed(FINDING, facts={"a": [1]}), r"\$.facts"),
        (b'{"record":"measurement","samples":[1e999]}', "out of range"),
        (b"[]", "Expected `object`, got `array`"),
        (b"\xff\xfe\x00", "malformed"),
        (b"", "truncated"),
    ],
)
def test_a_mistake_is_named_with_its_place(line: bytes, words: str) -> None:
    with pytest.raises(msgspec.MsgspecError, match=words):
        records.decode_record(line)


@pytest.mark.parametrize("schema", ["torchstone/3", "torchstone/20", "pyperf/1", ""])
def test_the_schema_is_read_whatever_else_the_line_holds(schema: str) -> None:
    assert records.schema_of(changed(RUN, schema=schema, from_the_future={"x": 1})) == schema


@pytest.mark.parametrize("line", [b"{}", b'{"schema":1}', b"[]", b"torchstone/1", b""])
def test_a_line_without_a_schema_is_refused(line: bytes) -> None:
    with pytest.raises(msgspec.MsgspecError):
        records.schema_of(line)


@pytest.mark.parametrize("bad", [math.nan, math.inf, -math.inf])
class TestOnlyFiniteNumbers:
    """JSON would turn them into null: a missing number without its reason."""

    def test_samples(self, bad: float) -> None:
        with pytest.raises(ValueError, match="samples must be finite"):
            Measurement(name="a", setup=Setup(), unit="s", samples=(1.0, bad))

    def test_audit(self, bad: float) -> None:
        with pytest.raises(ValueError, match="samples must be finite"):
            Measurement(name="a", setup=Setup(), unit="s", audit={"none": (bad,)})

    @pytest.mark.parametrize("field", ["first_call_s", "compile_s"])
    def test_times(self, bad: float, field: str) -> None:
        with pytest.raises(ValueError, match="must be finite"):
            msgspec.convert({**msgspec.to_builtins(MEASUREMENT), field: bad}, Measurement)

    def test_facts(self, bad: float) -> None:
        with pytest.raises(ValueError, match="facts must be finite"):
            Measurement(name="a", setup=Setup(), unit="s", facts={"x": bad})
        with pytest.raises(ValueError, match="facts must be finite"):
            Finding(kind="k", subject="s", verdict="v", tier="stated", evidence="e", facts={"x": bad})
        with pytest.raises(ValueError, match="facts must be finite"):
            Fact(value=bad, source="s")


@pytest.mark.parametrize("status", ["unsupported", "out_of_memory", "wrong", "failed", "skipped"])
@pytest.mark.parametrize("reason", [None, ""])
def test_a_status_needs_its_reason(status: records.Status, reason: str | None) -> None:
    with pytest.raises(ValueError, match="needs a reason"):
        Measurement(name="a", setup=Setup(), unit="s", status=status, reason=reason)


@pytest.mark.parametrize("record", [MEASUREMENT, FINDING, RUN, ENVIRONMENT, Setup(), Fact(value=1, source="s")])
def test_records_are_frozen(record: msgspec.Struct) -> None:
    field = record.__struct_fields__[0]
    with pytest.raises(AttributeError):
        setattr(record, field, "x")


def test_records_do_not_share_their_default_facts() -> None:
    assert Finding(kind="k", subject="s", verdict="v", tier="stated", evidence="e").facts is not FINDING.facts


def test_a_run_sorts_its_records() -> None:
    run = msgspec.structs.replace(RUN, records=(MEASUREMENT, FINDING, MEASUREMENT))
    assert run.measurements == (MEASUREMENT, MEASUREMENT)
    assert run.findings == (FINDING,)


class TestAnotherTurn:
    """Of a case that was measured again, in the same sitting or when the run went on, the newest alone counts."""

    @staticmethod
    def timed(samples: int, contest: str | None = "a", **changes: Any) -> Measurement:
        record = Measurement(name="a", setup=Setup(), unit="s", samples=(1.0,) * samples, contest=contest)
        return msgspec.structs.replace(record, **changes)

    @staticmethod
    def of(*found: Measurement | Finding, devices: tuple[Device, ...] = ()) -> Run:
        return msgspec.structs.replace(RUN, records=found, finished=(Finished(case="a @ cpu"),), devices=devices)

    @pytest.mark.parametrize("contest", ["a", None])
    def test_what_stood_outside_of_its_contest_gives_way(self, contest: str | None) -> None:
        newest = self.timed(10, contest)
        assert self.of(self.timed(1, None), newest).measurements == (newest,)

    def test_a_case_for_which_there_was_no_time_gives_way_whenever_that_was(self) -> None:
        skipped = self.timed(0, None, status="skipped", reason="no time was left")
        newest = self.timed(10)
        assert self.of(skipped, newest).measurements == (newest,)
        assert self.of(newest, skipped).measurements == (newest,)
        assert self.of(skipped, skipped).measurements == (skipped,)

    def test_a_failure_gives_way_to_a_later_success_and_does_not_hide_an_earlier_one(self) -> None:
        failed = self.timed(0, None, status="failed", reason="it broke")
        newest = self.timed(10)
        assert self.of(failed, newest).measurements == (newest,)
        assert self.of(newest, failed).measurements == (newest, failed)

    def test_other_work_stays(self) -> None:
        others = [self.timed(1, None, name="b"), self.timed(1, None, quantity="latency"), self.timed(3, "b")]
        assert self.of(*others, self.timed(10)).measurements == (*others, self.timed(10))

    LEAK = msgspec.structs.replace(FINDING, kind="leak")

    def test_a_newer_judgement_replaces_the_older(self) -> None:
        newer = msgspec.structs.replace(self.LEAK, verdict="ok", level="ok")
        assert self.of(self.LEAK, newer).findings == (newer,)
        assert msgspec.structs.replace(RUN, records=(self.LEAK, newer)).findings == (self.LEAK, newer)

    @pytest.mark.parametrize("kind", ["tune", "ops", "ops speed", "finetune", "prediction", "selftest"])
    def test_what_one_turn_says_of_one_subject_stays(self, kind: str) -> None:
        """Advice and its notes, an operator in many dtypes."""
        said = [msgspec.structs.replace(FINDING, kind=kind, evidence=words) for words in ("first", "second")]
        assert self.of(*said).findings == tuple(said)

    def test_what_was_seen_of_the_machine_holds_for_its_own_time(self) -> None:
        seen = msgspec.structs.replace(FINDING, kind="machine")
        assert self.of(seen, seen).findings == (seen, seen)

    def test_judgements_of_two_devices_stay_apart(self) -> None:
        devices = tuple(
            Device(id=name, kind=name, vendor="v", name="n", memory_bytes=None, unified_memory=None)
            for name in ("cpu", "mps")
        )
        named = [msgspec.structs.replace(self.LEAK, facts={"device": device.id}) for device in devices]
        assert self.of(*named, named[0], devices=devices).findings == (named[1], named[0])
        assert self.of(self.LEAK, self.LEAK, devices=devices).findings == (self.LEAK, self.LEAK)


def test_a_measurement_shows_itself() -> None:
    assert repr(MEASUREMENT) == "Measurement(a on cpu: median time 2 s of 3 samples)"
    failed = Measurement(name="<b>", setup=Setup(), unit="s", status="failed", reason="it fell")
    assert repr(failed) == "Measurement(<b> on cpu: failed, it fell)"
    assert "<b>failed:</b> it fell" in failed._repr_html_()
    wrong = msgspec.structs.replace(MEASUREMENT, status="wrong", reason="off by 2")
    assert repr(wrong) == "Measurement(a on cpu: median time 2 s of 3 samples, wrong: off by 2)"


class TestOtherVersions:
    """A run of /1 is read as one of /2; what a newer minor version adds is passed over."""

    def test_the_precision_of_the_first_version_stood_among_the_facts(self) -> None:
        line = changed(MEASUREMENT, setup={"device": "cpu"}, contest=..., facts={"precision": "autocast"})
        found = records.decode_record(line, "torchstone/1")
        assert isinstance(found, Measurement)
        assert found.setup.precision == "autocast"

    @pytest.mark.parametrize(
        ("kind", "verdict", "level"),
        [
            ("leak", "ok", "ok"),
            ("leak", "leak", "problem"),
            ("doctor", "warning", "warning"),
            ("crossover", "from batch 8 on", "note"),
            ("load", "unproven", "warning"),
            ("strange", "strange", "warning"),
        ],
    )
    def test_the_level_of_the_first_version_follows_from_its_words(self, kind: str, verdict: str, level: str) -> None:
        found = records.decode_record(changed(FINDING, kind=kind, verdict=verdict, level=...), "torchstone/1")
        assert isinstance(found, Finding)
        assert found.level == level

    def test_fields_of_a_newer_minor_version_are_passed_over(self) -> None:
        device = {
            **msgspec.to_builtins(Device(id="a", kind="b", vendor="c", name="d", memory_bytes=1, unified_memory=None))
        }
        fact = {"value": 1, "source": "s", "colour": "red"}
        header = changed(RUN, schema="torchstone/2.4", mood="new", devices=[{**device, "facts": {"f": fact}, "age": 3}])
        assert records.is_readable("torchstone/2.4")
        run = records.decode_run(header, "torchstone/2.4")
        assert run.devices[0].facts["f"].value == 1
        line = changed(MEASUREMENT, colour="red", setup={"device": "cpu", "colour": "red"})
        assert records.decode_record(line, "torchstone/2.4") == MEASUREMENT

    @pytest.mark.parametrize("line", [b"[]", b'{"record":"poem"}', b'{"record":[]}', b"1"])
    def test_junk_stays_junk(self, line: bytes) -> None:
        with pytest.raises(msgspec.MsgspecError):
            records.decode_record(line, "torchstone/2.4")


@pytest.mark.parametrize("unit", ["s", "1/s", "bytes/s"])
def test_times_and_rates_are_never_negative(unit: str) -> None:
    with pytest.raises(ValueError, match="cannot be negative"):
        Measurement(name="x", setup=Setup(device="cpu"), unit=unit, samples=(1.0, -1.0))
    Measurement(name="x", setup=Setup(device="cpu"), unit="J", samples=(-1.0,))


@pytest.mark.parametrize("name", COUNTS)
@pytest.mark.parametrize("bad", [-1, -0.5, 1e19, 1e308, 10**400, math.nan, math.inf])
@pytest.mark.parametrize("original", [MEASUREMENT, FINDING], ids=lambda one: type(one).__name__)
def test_counts_are_counts(original: Measurement | Finding, name: str, bad: float) -> None:
    with pytest.raises(ValueError, match="must be"):
        msgspec.structs.replace(original, facts={name: bad})


def test_nothing_has_no_speed() -> None:
    with pytest.raises(ValueError, match="items must be more than nothing"):
        msgspec.structs.replace(MEASUREMENT, facts={"items": 0})


@pytest.mark.parametrize("bad", [1e-13, 1e10, 1e308])
@pytest.mark.parametrize("field", ["samples", "audit", "first_call_s", "compile_s"])
def test_times_are_those_of_this_world(field: str, bad: float) -> None:
    value = {"samples": (1.0, bad), "audit": {"none": (bad,)}}.get(field, bad)
    with pytest.raises(ValueError, match=r"must lie between|must be finite"):
        msgspec.structs.replace(MEASUREMENT, **{field: value})


def test_a_sample_that_took_no_time_is_damage_and_a_compilation_that_took_none_is_not() -> None:
    with pytest.raises(ValueError, match="must lie between"):
        msgspec.structs.replace(MEASUREMENT, samples=(1.0, 0.0))
    unhurried = {"compile_s": 0.0, "first_call_s": 0.0, "audit": {"none": (0.0,)}}
    assert msgspec.structs.replace(MEASUREMENT, **unhurried).compile_s == 0
    assert msgspec.structs.replace(MEASUREMENT, unit="bytes", samples=(0.0,)).samples == (0.0,)


@pytest.mark.parametrize(
    ("original", "changes"),
    [
        (MEASUREMENT, {"calls_per_sample": 0}),
        (MEASUREMENT, {"setup": {"threads": -4}}),
        (RUN, {"environment": {**msgspec.to_builtins(ENVIRONMENT), "threads": 0}}),
        (RUN, {"environment": {**msgspec.to_builtins(ENVIRONMENT), "physical_cores": 10**12}}),
    ],
    ids=str,
)
def test_counts_of_threads_cores_and_calls(original: Measurement | Run, changes: dict[str, Any]) -> None:
    decode = records.decode_run if isinstance(original, Run) else records.decode_record
    with pytest.raises(msgspec.ValidationError, match="Expected `int`"):
        decode(changed(original, **changes))
