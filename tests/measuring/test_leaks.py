"""Leaks: planted ones are found and sized, growth that is no leak raises no alarm."""

import mmap
import random

import pytest
import torch

import torchstone.pretend as pretend
from torchstone.errors import UserError
from torchstone.measuring.heap import free_heap_bytes
from torchstone.measuring.leaks import THRESHOLD_BYTES, find_leaks, judge_process, judge_series

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


def test_growth_that_begins_late_is_neither_a_leak_nor_ok() -> None:
    hidden = [1e9 + 10240 * max(0.0, call - 600) for call in CALLS]
    assert judge_series(CALLS, hidden).verdict == "late"
    ended = [1e9 + 10240 * min(call, 500) for call in CALLS]
    assert judge_series(CALLS, ended).verdict == "ok"


@pytest.mark.parametrize("period", [100, 250, 500])
def test_what_grows_in_steps_is_no_all_clear(period: int) -> None:
    steps = [1e9 + 2e6 * (call // period) for call in CALLS]
    assert judge_series(CALLS, steps).verdict in ("leak", "wide", "small")
    one_step = [1e9 + (1e6 if index > 15 else 0) for index in range(24)]
    assert judge_series(CALLS, one_step).verdict == "wide", "a second one may follow"
    early_step = [1e9 + (1e6 if index > 5 else 0) for index in range(24)]
    assert judge_series(CALLS, early_step).verdict == "ok", "half of the run saw none"


def test_noise_that_could_hide_a_leak_is_no_all_clear() -> None:
    noise = random.Random(3)
    assert judge_series(CALLS, [1e9 + noise.gauss(0, 1e6) for _ in CALLS]).verdict == "wide"
    assert judge_series(CALLS, [1e9 + noise.gauss(0, 1e4) for _ in CALLS]).verdict == "ok"


def test_steady_growth_in_too_few_calls_is_no_all_clear() -> None:
    threshold = 12 * KIBIBYTE * 1000.0
    for kib in (1, 4):
        growing = [1e9 + kib * KIBIBYTE * call for call in CALLS]
        assert judge_series(CALLS, growing, threshold).verdict == "small"
    assert judge_series(CALLS, [1e9 + 90 * call for call in CALLS]).verdict == "ok", "below what any alarm needs"
    ended = [1e9 + 4 * KIBIBYTE * min(call, 500) for call in CALLS]
    assert judge_series(CALLS, ended, threshold).verdict == "ok"
    ending = [1e9 + 4 * KIBIBYTE * min(call, 900) for call in CALLS]
    assert judge_series(CALLS, ending, threshold).verdict != "ok"


def test_pages_that_come_and_go_are_no_growth() -> None:
    calls = [10.0 * index for index in range(8)]
    for pages in ([0, 0, 0, 0, 1, 1, 1, 1], [0, 0, 0, 2, 2, 2, 3, 4]):
        footprints = [1e9 + mmap.PAGESIZE * count for count in pages]
        kept, _ = judge_process(calls, footprints, [1e6] * 8, 12 * KIBIBYTE * 1000.0)
        assert kept.verdict == "ok"
    leaking = [1e9 + mmap.PAGESIZE * (call * KIBIBYTE // mmap.PAGESIZE) for call in range(0, 80, 10)]
    assert judge_process(calls, leaking, [1e6] * 8, 12 * KIBIBYTE * 1000.0)[0].verdict == "small"


def test_growth_that_begins_late_is_said(pretend_device: str) -> None:
    kept: list[torch.Tensor] = []

    def keep_late(number: int) -> None:
        """The warm-up has 60 calls and the earlier half 40."""
        if number >= 100:
            kept.append(torch.ones(256, device=pretend_device))

    report = find_leaks(keep_late, device="pretend", windows=8, calls_per_window=10, empties=False)
    finding = next(one for one in report.findings if one.subject.startswith("call: allocator"))
    assert (finding.verdict, finding.level) == ("unclear", "note")
    assert ", +0 bytes in the earlier half and +1,000 KiB in the later" in finding.evidence
    assert finding.hint is not None


def test_the_interval_holds_both_halves_where_growth_changes_its_pace() -> None:
    changing = [1e9 + 5000 * min(call, 600) + 7000 * max(0.0, call - 600) for call in CALLS]
    found = judge_series(CALLS, changing).bytes_per_1000
    assert found is not None
    assert found.low <= 5e6 < found.estimate < 7e6 <= found.high


def test_holes_in_the_heap_do_not_swell_a_leak() -> None:
    footprints = [1e9 + 7168 * call for call in CALLS]
    kept, footprint = judge_process(CALLS, footprints, [1e6 + 3072 * call for call in CALLS])
    assert kept.alarm
    assert kept.bytes_per_1000 is not None
    assert footprint.bytes_per_1000 is not None
    assert kept.bytes_per_1000.estimate == pytest.approx(4096e3)
    assert footprint.bytes_per_1000.estimate == pytest.approx(7168e3)


def test_the_interval_of_a_footprint_allows_for_a_few_pages() -> None:
    kept, _ = judge_process(CALLS, [1e9] * len(CALLS), [1e6] * len(CALLS))
    assert kept.bytes_per_1000 is not None
    slack = 8 * mmap.PAGESIZE / (CALLS[-1] - CALLS[0]) * 1000
    assert (kept.bytes_per_1000.low, kept.bytes_per_1000.high) == pytest.approx((-slack, slack))
    assert kept.verdict == "ok"


def test_free_memory_does_not_hide_a_leak() -> None:
    free = [max(0.0, 6e6 - 10240 * call) for call in CALLS]
    footprints = [1e9 + max(0.0, 10240 * call - 6e6) for call in CALLS]
    assert judge_series(CALLS, footprints).verdict == "late", "what the footprint alone tells"
    kept, _ = judge_process(CALLS, footprints, free)
    assert kept.alarm
    assert kept.bytes_per_1000 is not None
    assert kept.bytes_per_1000.estimate == pytest.approx(10240e3)


def test_a_footprint_that_grows_while_nothing_is_kept_is_unclear() -> None:
    growth = [3072 * call for call in CALLS]
    kept, footprint = judge_process(CALLS, [1e9 + one for one in growth], growth)
    assert (kept.verdict, footprint.verdict) == ("holes", "leak")


@pytest.mark.skipif(free_heap_bytes() is None, reason="the C library does not say what its heap holds free")
def test_a_leak_between_temporaries_of_many_sizes_is_sized() -> None:
    kept: list[bytes] = []

    def keep(number: int) -> None:
        temporaries = [bytes(2048 * (1 + number % 4)) for _ in range(3)]
        kept.append(bytes(10 * KIBIBYTE))
        del temporaries

    report = find_leaks(keep, windows=8, calls_per_window=60, empties=False)
    (finding,) = report.findings
    assert finding.verdict == "leak"
    assert finding.facts["bytes_per_1000_calls"] == pytest.approx(10 * KIBIBYTE * 1000, rel=0.1)
    assert finding.facts["footprint_bytes_per_1000_calls"] is not None
    assert report.measurements[0].facts["without"] == "what the heap holds free"


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


@pytest.mark.parametrize("phases_that_grow", [1, 2])
def test_a_cache_that_a_later_phase_saw_full_is_no_leak(pretend_device: str, phases_that_grow: int) -> None:
    kept: list[torch.Tensor] = []

    def fill(_: int) -> None:
        if len(kept) < 140 * phases_that_grow:
            kept.append(torch.ones(256, device=pretend_device))

    report = find_leaks(fill, varied=fill, device="pretend", windows=8, calls_per_window=10)
    of_tensors = [one for one in report.findings if one.subject.startswith("call: allocator")]
    assert "leak" not in [one.verdict for one in of_tensors]
    first = of_tensors[0]
    assert (first.verdict, first.level) == ("unclear", "note")
    assert first.evidence.startswith("filling: +")
    assert "which ended" in first.evidence


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


def test_a_counter_that_stands_still_gives_no_all_clear(pretend_device: str) -> None:
    x = torch.ones(4, device=pretend_device)
    with pretend.configure(leak_bytes_per_call=KIBIBYTE, frozen_counters=True):
        report = find_leaks(lambda _: x * x, device="pretend", windows=8, calls_per_window=10, empties=False)
    counted = [one for one in report.findings if "process" not in one.subject]
    assert [one.verdict for one in counted] == ["unclear", "unclear"]
    assert all("stands still" in one.evidence for one in counted)
    still = find_leaks(lambda _: x * x, device="pretend", windows=8, calls_per_window=10, empties=False)
    assert verdicts(still)["call: allocator, fixed shapes"] == "ok", "this one does move where a tensor is made"


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
    assert "failed: call: memory floor, varied shapes: ValueError: no" in repr(report)
    assert "ValueError: no" in report._repr_html_()


@pytest.mark.parametrize("count", ["windows", "calls_per_window"])
def test_a_senseless_count_is_refused(count: str) -> None:
    with pytest.raises(UserError, match=f"{count}=0 measures nothing"):
        find_leaks(lambda: None, **{count: 0})  # type: ignore[arg-type]


def test_the_threshold_is_a_hundred_bytes_a_call() -> None:
    assert THRESHOLD_BYTES == 100 * KIBIBYTE
