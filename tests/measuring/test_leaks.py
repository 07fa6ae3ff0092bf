"""Leaks: planted ones are found and sized, growth that is no leak raises no alarm."""

import random

import pytest
import torch

import torchstone.pretend as pretend
from torchstone.measuring.leaks import THRESHOLD_BYTES, find_leaks, judge_series

CALLS = [50.0 * index for index in range(24)]
KIBIBYTE = 1024


def verdicts(report: object) -> dict[str, str]:
    return {finding.subject: finding.verdict for finding in report.findings}  # type: ignore[attr-defined]


def test_a_steady_climb_is_an_alarm_with_its_size() -> None:
    leak = judge_series(CALLS, [1e9 + 1024 * call for call in CALLS])
    assert leak.alarm
    assert leak.bytes_per_1000 is not None
    assert leak.bytes_per_1000.estimate == pytest.approx(1024 * 1000)


@pytest.mark.parametrize(
    "floors",
    [
        [1e9] * 24,
        [1e9 + (4096 if index > 12 else 0) for index in range(24)],
        [1e9 + min(index, 10) * 1e6 for index in range(24)],
        [1e9 + 40 * call for call in CALLS],
        [1e9 + random.Random(3).gauss(0, 1e6) for _ in CALLS],
        [1e9 - 1024 * call for call in CALLS],
    ],
    ids=["flat", "one page", "a cache that fills", "below the threshold", "noise", "falling"],
)
def test_no_alarm_on_what_is_no_leak(floors: list[float]) -> None:
    assert not judge_series(CALLS, floors).alarm


def test_a_cache_that_still_fills_is_unclear_and_a_leak_with_a_bend_is_not() -> None:
    slowing = [1e9 + 1024 * min(call, 600) + 300 * max(0.0, call - 600) for call in CALLS]
    assert judge_series(CALLS, slowing).verdict == "filling"
    bent = [1e9 + 1024 * min(call, 600) + 700 * max(0.0, call - 600) for call in CALLS]
    assert judge_series(CALLS, bent).verdict == "leak"
    quickening = [1e9 + 300 * min(call, 600) + 1024 * max(0.0, call - 600) for call in CALLS]
    assert judge_series(CALLS, quickening).verdict == "leak", "what grows faster and faster is no cache"


def test_filling_is_said_and_is_no_alarm(pretend_device: str) -> None:
    kept: list[torch.Tensor] = []

    def fill(number: int) -> None:
        """A cache that takes every call at first, and every fourth one later."""
        if number < 100 or number % 4 == 0:
            kept.append(torch.ones(256, device=pretend_device))

    report = find_leaks(fill, device="pretend", windows=8, calls_per_window=10, empties=False)
    finding = next(one for one in report.findings if one.subject.startswith("call: allocator"))
    assert finding.verdict == "unclear"
    assert finding.evidence.startswith("filling: +")
    assert "KiB per 1,000 calls" in finding.evidence
    assert finding.hint is not None
    assert report.leaks == ()
    assert "unclear: call: allocator" in repr(report)


def test_a_call_without_a_number_and_the_public_name() -> None:
    import torchstone

    report = torchstone.find_leaks(lambda: torch.ones(4), windows=8, calls_per_window=2)
    assert {one.status for one in report.measurements} == {"ok"}
    assert isinstance(report, torchstone.LeakReport)


def test_too_few_windows_give_no_verdict() -> None:
    leak = judge_series(CALLS[:5], [1.0, 2.0, 3.0, 4.0, 5.0])
    assert leak.bytes_per_1000 is None
    assert not leak.alarm


def test_a_planted_leak_on_the_device_is_found_and_sized(pretend_device: str) -> None:
    x = torch.ones(4, device=pretend_device)
    with pretend.configure(leak_bytes_per_call=KIBIBYTE, leak_ops=frozenset({"aten::mul.Tensor"})):
        report = find_leaks(lambda _: x * x, device="pretend", windows=8, calls_per_window=10)
    found = {finding.subject: finding for finding in report.findings}
    for phase in ("fixed shapes", "after empty-cache"):
        finding = found[f"call: allocator, {phase}"]
        assert finding.verdict == "leak"
        assert finding.facts["bytes_per_1000_calls"] == pytest.approx(KIBIBYTE * 1000, rel=0.2)
        assert finding.hint


def test_a_leak_that_only_the_driver_sees(pretend_device: str) -> None:
    x = torch.ones(4, device=pretend_device)
    with pretend.configure(
        leak_bytes_per_call=KIBIBYTE, leak_ops=frozenset({"aten::mul.Tensor"}), leak_driver_only=True
    ):
        found = verdicts(find_leaks(lambda _: x * x, device="pretend", windows=8, calls_per_window=10))
    assert found["call: allocator, fixed shapes"] == "ok"
    assert found["call: driver, fixed shapes"] == "leak"


def test_a_leak_that_only_varied_shapes_bring(pretend_device: str) -> None:
    kept: dict[int, torch.Tensor] = {}

    def by_shape(number: int) -> None:
        kept.setdefault(number, torch.ones(256, device=pretend_device))

    found = verdicts(
        find_leaks(
            lambda _: torch.ones(4, device=pretend_device),
            varied=by_shape,
            device="pretend",
            windows=8,
            calls_per_window=10,
        )
    )
    assert found["call: allocator, fixed shapes"] == "ok"
    assert found["call: allocator, varied shapes"] == "leak"


def test_a_cache_is_no_leak_once_emptied(pretend_device: str) -> None:
    def grow(number: int) -> None:
        torch.empty((number + 1) * KIBIBYTE, dtype=torch.uint8, device=pretend_device)

    found = verdicts(find_leaks(grow, device="pretend", windows=8, calls_per_window=10))
    assert found["call: driver, after empty-cache"] == "ok"


def test_a_call_that_fails_is_recorded_and_the_other_phases_go_on() -> None:
    def fail(_: int) -> None:
        raise ValueError("no")

    report = find_leaks(lambda _: None, varied=fail, windows=8, calls_per_window=2)
    assert {one.status for one in report.measurements} == {"ok", "failed"}


def test_the_threshold_is_a_hundred_bytes_a_call() -> None:
    assert THRESHOLD_BYTES == 100 * KIBIBYTE
