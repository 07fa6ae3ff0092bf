"""The sync audit: a synchronize that does not wait is exposed by reading back, and its times are refused."""

import pytest
import torch
from tests.measuring.work_clock import WorkClock

import torchstone.pretend as pretend
from torchstone.backends import find_device
from torchstone.measuring.sync_audit import SAMPLES, audit_synchronize, explain_no_wait, refuse_unwaited
from torchstone.records import Measurement, Setup


@pytest.mark.parametrize("waits", [True, False])
def test_who_waits_and_who_does_not(steady_time: WorkClock, waits: bool) -> None:
    backend, device = find_device("pretend")
    x = torch.ones(4, device="pretend")
    with pretend.configure(asynchronous=True, slow={"mul": 0.02}, synchronize_waits=waits):
        audit = audit_synchronize(backend, device.id, lambda: x * x, now=steady_time)
    assert {way: len(samples) for way, samples in audit.items()} == dict.fromkeys(
        ("none", "synchronize", "readback", "idle readback"), SAMPLES
    )
    reason = explain_no_wait(audit)
    assert (reason is None) == waits
    if reason is not None:
        assert reason.startswith("synchronize does not wait")


def test_a_call_without_a_tensor_can_not_be_read_back(steady_time: WorkClock) -> None:
    backend, device = find_device("pretend")
    audit = audit_synchronize(backend, device.id, lambda: None, now=steady_time)
    assert sorted(audit) == ["none", "synchronize"]
    assert explain_no_wait(audit) is None


def measured(readback: float, calls: int = 1, idle: float = 0.0) -> Measurement:
    return Measurement(
        name="x",
        setup=Setup(),
        unit="s",
        samples=(0.001,) * 20,
        calls_per_sample=calls,
        audit={"none": (0.0001,) * 11, "readback": (readback,) * 11, "idle readback": (idle,) * 11},
    )


@pytest.mark.parametrize(
    ("found", "status"),
    [
        (measured(0.02), "wrong"),
        (measured(0.0012), "ok"),
        (measured(0.02, idle=0.019), "ok"),
        (measured(0.00102, calls=10), "ok"),
    ],
    ids=["far longer", "a little longer", "reading itself is slow", "many calls a sample"],
)
def test_its_times_are_refused_with_that_reason(found: Measurement, status: str) -> None:
    refused = refuse_unwaited(found)
    assert refused.status == status
    assert refused.samples == found.samples, "they are kept, but not believed"
    assert ("does not wait" in (refused.reason or "")) == (status == "wrong")


def test_one_quick_reading_is_enough_to_stay_silent() -> None:
    """A busy machine makes some readings late, not all."""
    audit = {"synchronize": (0.01,) * 11, "readback": (*[0.05] * 10, 0.011), "idle readback": (0.0,) * 11}
    assert explain_no_wait(audit) is None


def test_what_has_no_audit_is_left_alone() -> None:
    plain = Measurement(name="x", setup=Setup(), unit="s", samples=(1.0,))
    assert refuse_unwaited(plain) is plain
