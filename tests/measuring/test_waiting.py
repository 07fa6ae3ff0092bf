"""Each sample is asked whether the device had finished: stalls hide nothing for long, and refuse nobody."""

import random
from collections.abc import Callable
from itertools import cycle

import pytest
import torch
from tests.measuring.work_clock import WorkClock

import torchstone.pretend as pretend
from torchstone.backends import find_device
from torchstone.measuring import repeats, timing
from torchstone.measuring.clock import Clock
from torchstone.measuring.latency import measure_latency
from torchstone.measuring.rivals import Rival, Stopwatch
from torchstone.measuring.sync_audit import SAMPLES, audit_within
from torchstone.measuring.waiting import FIRST_LOOKS, LOOK_EVERY, PROOF, NoWaitError, WaitWatch, watch_of
from torchstone.records import Setup


@pytest.fixture
def watch(pretend_device: str, steady_time: WorkClock) -> WaitWatch:
    backend, device = find_device(pretend_device)
    return WaitWatch(Clock(backend, device.id, steady_time))


def stalling(call: Callable[[], torch.Tensor], time: WorkClock, stalls_s: list[float]) -> Callable[[], torch.Tensor]:
    """The call on a host that stalls in it, in turn."""
    turns = cycle(stalls_s)

    def stalled() -> torch.Tensor:
        output = call()
        time.sleep(next(turns))
        return output

    return stalled


@pytest.mark.parametrize("device_s", [0.0005, 0.02])
@pytest.mark.parametrize("calls", [None, 1])
def test_samples_that_were_not_waited_for_are_refused_though_the_audit_was_misled(
    pretend_device: str, steady_time: WorkClock, monkeypatch: pytest.MonkeyPatch, device_s: float, calls: int | None
) -> None:
    monkeypatch.setattr(timing, "audit_within", lambda *_: ({"readback": (device_s,)}, None))
    x = torch.ones(8, 8, device=pretend_device)
    with pretend.configure(asynchronous=True, slow={"add": device_s}, synchronize_waits=False):
        started = steady_time.at
        found = timing.measure(lambda: x + x, device="pretend", budget_s=2.0, calls_per_sample=calls, now=steady_time)
        torch.ones(1, device=pretend_device).item()
    assert (found.status, found.samples) == ("wrong", ())
    assert "synchronize does not wait" in (found.reason or "")
    assert found.audit == {"readback": (device_s,)}
    assert steady_time.at - started < 60.0, "it is refused before work for minutes has gathered"


def test_stalls_in_most_looks_of_an_audit_hide_nothing_from_the_samples(
    pretend_device: str, steady_time: WorkClock
) -> None:
    """The calls stall for as long as the device works until the audit is over."""
    x = torch.ones(8, 8, device=pretend_device)
    stalls = stalling(lambda: x + x, steady_time, [0.02] * 30)

    def call() -> torch.Tensor:
        return stalls() if steady_time.at < quiet_from else x + x

    with pretend.configure(asynchronous=True, slow={"add": 0.02}, synchronize_waits=False):
        quiet_from = steady_time.at + 0.7
        found = timing.measure(call, device="pretend", budget_s=2.0, now=steady_time)
    assert found.status == "wrong", "the machine is quiet when the samples are taken"


@pytest.mark.parametrize("seed", range(5))
def test_a_device_that_waits_is_believed_on_a_machine_that_stalls(
    pretend_device: str, steady_time: WorkClock, seed: int
) -> None:
    """Stalls of a hundred calls' length, in one call of four."""
    draw = random.Random(seed)
    x = torch.ones(8, 8, device=pretend_device)
    stalls = stalling(lambda: x + x, steady_time, [0.2 if draw.random() < 0.25 else 0.0 for _ in range(997)])
    with pretend.configure(asynchronous=True, slow={"add": 0.002}):
        found = timing.measure(stalls, device="pretend", budget_s=20.0, now=steady_time)
    assert found.status == "ok"


@pytest.mark.parametrize("seed", range(5))
def test_late_readings_by_chance_are_no_proof(watch: WaitWatch, seed: int) -> None:
    draw = random.Random(seed)
    for _ in range(2000):
        watch.weigh(0.001, 0.01 if draw.random() < 0.15 else 0.0)


def test_late_readings_that_prevail_are_proof(watch: WaitWatch) -> None:
    turns = cycle([0.01, 0.01, 0.0])

    def weigh_for_long() -> None:
        for _ in range(10 * PROOF):
            watch.weigh(0.001, next(turns))

    with pytest.raises(NoWaitError, match=r"what seems to take 0.001 s is there only 0.01 s after it"):
        weigh_for_long()
    assert watch.reason is not None


@pytest.mark.parametrize(("spent_s", "late_s"), [(0.01, 0.004), (0.00001, 0.00009)])
def test_a_little_late_is_no_suspicion(watch: WaitWatch, spent_s: float, late_s: float) -> None:
    watch.weigh(spent_s, late_s)
    assert watch.suspicion == 0


def test_it_looks_often_at_first_then_now_and_then_and_always_where_it_suspects(
    watch: WaitWatch, monkeypatch: pytest.MonkeyPatch
) -> None:
    looked: list[int] = []
    monkeypatch.setattr(WaitWatch, "weigh", lambda self, *_: looked.append(self._seen))
    x = torch.ones(2)
    for _ in range(4 * LOOK_EVERY):
        watch.look(0.001, x)
    assert looked == [*range(1, FIRST_LOOKS + 1), 2 * LOOK_EVERY, 3 * LOOK_EVERY, 4 * LOOK_EVERY]
    watch.suspicion = 1
    watch.look(0.001, x)
    assert looked[-1] == 4 * LOOK_EVERY + 1
    watch.look(0.001, None)
    assert looked[-1] == 4 * LOOK_EVERY + 1, "what returns no tensor tells nothing"


def test_a_suspicion_is_settled_either_way(watch: WaitWatch) -> None:
    watch.suspicion = PROOF - 2
    watch.settle(lambda: watch.weigh(0.001, 0.0))
    assert watch.suspicion == 0
    watch.suspicion = PROOF - 2
    with pytest.raises(NoWaitError):
        watch.settle(lambda: watch.weigh(0.001, 0.1))


def test_an_audit_looks_again_where_its_few_looks_are_odd(watch: WaitWatch, steady_time: WorkClock) -> None:
    """A slow call gets three looks; one of them was synchronized far more quickly than any was read."""
    taken: list[float] = []

    def call() -> torch.Tensor:
        taken.append(0.1)
        steady_time.sleep(0.1)
        return torch.ones(1)

    audit_within(watch.clock, call, 0.1)
    few = len(taken)

    def sometimes_quick(clock: Clock, once: Callable[[], torch.Tensor], calls: int = 1) -> tuple[float, torch.Tensor]:
        return 0.01, once()

    taken.clear()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(WaitWatch, "time_synchronized", sometimes_quick)
        audit, _ = audit_within(watch.clock, call, 0.1)
    assert len(audit["readback"]) == SAMPLES
    assert len(taken) > 2 * few


@pytest.mark.parametrize("pace", ["hot", "sustained", "paced"])
def test_latencies_are_refused_by_their_samples(
    pretend_device: str, steady_time: WorkClock, monkeypatch: pytest.MonkeyPatch, pace: str
) -> None:
    from torchstone.measuring import latency

    monkeypatch.setattr(latency, "audit_within", lambda *_: ({}, None))
    monkeypatch.setattr(latency, "Clock", lambda backend, device_id: Clock(backend, device_id, steady_time))
    x = torch.ones(8, 8, device=pretend_device)
    with pretend.configure(asynchronous=True, slow={"add": 0.002}, synchronize_waits=False):
        found = measure_latency(lambda: x + x, pace, device="pretend", budget_s=1.0, gap_s=0.001, pause=lambda _: None)  # type: ignore[arg-type]
    assert (found.status, found.samples) == ("wrong", ())
    assert "synchronize does not wait" in (found.reason or "")


def test_the_posts_protocol_is_refused_by_its_samples(
    pretend_device: str, steady_time: WorkClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(repeats, "Clock", lambda backend, device_id: Clock(backend, device_id, steady_time))
    x = torch.ones(8, 8, device=pretend_device)
    with pretend.configure(asynchronous=True, slow={"add": 0.02}, synchronize_waits=False):
        found = repeats.measure_repeats(lambda: x + x, 60.0, name="step", setup=Setup(device="pretend:0"))
    assert found.status == "wrong"
    assert "synchronize does not wait" in (found.reason or "")


def test_a_rival_is_looked_at_whenever_it_is_timed(watch: WaitWatch, steady_time: WorkClock) -> None:
    x = torch.ones(8, 8, device="pretend")
    rival = Rival("x", lambda: x + x, watch=watch)
    stopwatch = Stopwatch(steady_time)
    with pretend.configure(asynchronous=True, slow={"add": 0.02}, synchronize_waits=False):
        for _ in range(PROOF - 1):
            stopwatch.time(rival, 1)
        with pytest.raises(NoWaitError):
            stopwatch.time(rival, 1)


def test_the_cpu_needs_no_watch() -> None:
    backend, device = find_device("cpu")
    assert watch_of(Clock(backend, device.id), device.kind) is None
