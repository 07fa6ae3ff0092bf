"""Transfers: named, verified, timed to their end, and never a crash where a device lacks something."""

from collections.abc import Iterator
from statistics import median

import pytest
from tests import turns

import torchstone.pretend as pretend
from torchstone.experiments import transfer
from torchstone.measuring.clock import Call
from torchstone.measuring.copying import Copier, Copying, prepare
from torchstone.measuring.timing import sync_gap
from torchstone.records import Finding, Measurement
from torchstone.scheduling.case import Case, Record, Turn

SECONDS = 0.5
MIB = 2**20


pytestmark = pytest.mark.usefixtures("one_thread")


@pytest.fixture(autouse=True)
def knobs_at_rest() -> Iterator[None]:
    yield
    pretend.set_knobs(pretend.Knobs())


@pytest.fixture
def affordable(monkeypatch: pytest.MonkeyPatch) -> None:
    """However slow the machine is at the moment, nothing is skipped for it."""

    def call_once(call: Call, *_: object) -> float:
        call()
        return 1e-9

    monkeypatch.setattr(transfer, "_time_call", call_once)


def cases_on(device: str, is_deep: bool = True) -> list[Case]:
    """Of that device, whether it is the CPU or beside it."""
    plan = turns.make_plan(*([] if device == "cpu" else [device]), is_deep=is_deep)
    return [case for case in transfer.cases(plan) if case.listing.setup.device.partition(":")[0] == device]


def names_on(device: str, is_deep: bool = True) -> list[str]:
    return [case.listing.name for case in cases_on(device, is_deep)]


def run(name: str, device: str, seconds: float = SECONDS) -> list[Record]:
    return list(turns.case_named(cases_on(device), name).run(Turn(seconds)))


def only(records: list[Record]) -> Measurement:
    (found,) = records
    assert isinstance(found, Measurement)
    return found


def test_every_size_and_kind_is_there_under_a_name_of_its_own() -> None:
    names = names_on("pretend")
    assert len(names) == len(set(names))
    assert {"4 KiB", "256 MiB"} <= {name.split("/")[2] for name in names if name.count("/") > 1}
    for wanted in (
        "transfer/host to device/4 KiB/pageable",
        "transfer/device to host/16 MiB/pinned, not blocking",
        "transfer/host to device/16 MiB in 256 pieces/pageable",
        "transfer/within memory/16 MiB",
        "transfer/training step",
        "transfer/unified memory",
    ):
        assert wanted in names


def test_a_quick_round_has_the_first_of_the_same_cases() -> None:
    assert set(names_on("pretend", is_deep=False)) < set(names_on("pretend"))
    assert len(names_on("pretend", is_deep=False)) == transfer.QUICK_COPIES + 2


@pytest.mark.usefixtures("affordable")
def test_on_the_cpu_there_is_nothing_to_transfer_and_the_record_says_so() -> None:
    names = names_on("cpu")
    assert not [name for name in names if "host" in name or "unified" in name]
    found = only(run("transfer/within memory/4 KiB", "cpu"))
    assert found.status == "ok"
    assert found.facts["items"] == 4096
    assert found.facts["item"] == "bytes"
    assert "nothing has to be transferred" in str(found.facts["note"])


@pytest.mark.usefixtures("affordable")
@pytest.mark.parametrize("way", ["host to device", "device to host"])
def test_a_copy_is_timed_to_its_end_and_the_audit_shows_what_it_seems_without(way: str) -> None:
    with pretend.configure(transfer_bytes_per_s=4096 / 0.002, asynchronous=True):
        found = only(run(f"transfer/{way}/4 KiB/pageable, not blocking", "pretend"))
    assert found.status == "ok"
    assert median(found.samples) >= 0.002
    gap = sync_gap(found)
    assert gap is not None
    if way == "host to device":  # the other way waits on the pretend device, whatever is asked
        assert gap > 1.0
    assert found.facts["blocking"] is False


@pytest.mark.usefixtures("affordable")
def test_pieces_hold_the_same_bytes() -> None:
    found = only(run("transfer/host to device/1 MiB in 256 pieces/pageable", "pretend", 3.0))
    assert found.facts["items"] == MIB
    assert found.facts["pieces"] == 256
    assert found.status == "ok"


def test_no_pinned_memory_is_unsupported() -> None:
    found = only(run("transfer/host to device/4 KiB/pinned", "pretend"))
    assert found.status == "unsupported"
    assert "no pinned memory" in (found.reason or "")


def test_no_room_on_the_device_is_a_record() -> None:
    case = turns.case_named(cases_on("pretend"), "transfer/host to device/16 MiB/pageable")
    with pretend.configure(capacity_bytes=MIB):
        assert only(list(case.run(Turn(SECONDS)))).status == "out_of_memory"


@pytest.mark.usefixtures("affordable")
def test_bytes_that_arrive_changed_are_wrong(monkeypatch: pytest.MonkeyPatch) -> None:
    def prepare_wrongly(copying: Copying) -> Copier:
        copier = prepare(copying)
        return Copier(copying, [piece + 1 for piece in copier.contents], copier.sources, copier.destinations)

    monkeypatch.setattr(transfer, "prepare", prepare_wrongly)
    found = only(run("transfer/host to device/4 KiB/pageable", "pretend"))
    assert found.status == "wrong"
    assert "other contents" in (found.reason or "")


def test_a_copy_that_does_not_fit_the_budget_is_skipped_with_the_reason() -> None:
    with pretend.configure(transfer_bytes_per_s=4096 / 0.01):
        found = only(run("transfer/host to device/4 KiB/pageable", "pretend", 0.05))
    assert found.status == "skipped"
    assert "are needed" in (found.reason or "")


@pytest.mark.usefixtures("affordable")
@pytest.mark.parametrize("device", ["cpu", "pretend"])
def test_the_share_of_a_training_step(device: str) -> None:
    without, with_copy, finding = run("transfer/training step", device, 1.0)
    assert isinstance(without, Measurement)
    assert isinstance(with_copy, Measurement)
    assert isinstance(finding, Finding)
    assert (without.name, with_copy.name) == (
        "transfer/training step/without the copy",
        "transfer/training step/with the copy",
    )
    assert with_copy.facts["item"] == "images"
    assert len(without.samples) == len(with_copy.samples) > 0
    assert isinstance(finding.facts["share"], float)


@pytest.mark.usefixtures("affordable")
def test_a_wrong_training_step_is_wrong_and_gives_no_share() -> None:
    case = turns.case_named(cases_on("pretend"), "transfer/training step")
    with pretend.configure(wrong={"aten::_log_softmax"}):
        found = only(list(case.run(Turn(SECONDS))))
    assert found.status == "wrong"
    assert "on the CPU in float64" in (found.reason or "")


@pytest.mark.usefixtures("affordable")
def test_what_unified_memory_saves_is_tried_out() -> None:
    found = run("transfer/unified memory", "pretend")
    finding = found[-1]
    assert isinstance(finding, Finding)
    assert finding.verdict == "copied"
    assert "times as long as a copy within the host's memory" in finding.evidence
