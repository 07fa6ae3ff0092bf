"""Hot, paced and sustained latency: one call a sample, the pace kept."""

import pytest

from torchstone.measuring import latency
from torchstone.measuring.latency import measure_latency


def test_paced_calls_leave_a_gap_before_each() -> None:
    gaps: list[float] = []
    found = measure_latency(lambda: None, "paced", budget_s=0.01, gap_s=0.5, pause=gaps.append)
    assert len(gaps) == len(found.samples)
    assert set(gaps) == {0.5}
    assert found.protocol == "paced, 0.5 s apart"


@pytest.mark.parametrize("pace", ["hot", "sustained"])
def test_other_paces_do_not_wait(pace: str) -> None:
    found = measure_latency(lambda: None, pace, budget_s=0.01, pause=lambda _: pytest.fail("waited"))  # type: ignore[arg-type]
    assert found.protocol == pace
    assert found.calls_per_sample == 1
    assert found.samples


def test_a_call_that_fails_is_a_status() -> None:
    assert measure_latency(lambda: 1 / 0, "hot", budget_s=0.01).status == "failed"


def test_a_device_whose_synchronize_does_not_wait_is_refused(
    pretend_device: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(latency, "audit_within", lambda *_: ({}, "synchronize does not wait"))
    found = measure_latency(lambda: None, "hot", device="pretend", budget_s=0.1)
    assert (found.status, found.reason, found.samples) == ("wrong", "synchronize does not wait", ())
