"""The device's queue, on a clock that the test moves."""

from torchstone.pretend.clock import DeviceClock


class FakeTime:
    """Time that passes only when slept, or a little each time it is looked at."""

    def __init__(self) -> None:
        self.moment = 100.0
        self.slept: list[float] = []

    def now(self) -> float:
        self.moment += 1e-6
        return self.moment

    def sleep(self, seconds: float) -> None:
        self.slept.append(seconds)
        self.moment += seconds


def test_work_queues_up_behind_work() -> None:
    time = FakeTime()
    clock = DeviceClock(time.now, time.sleep)
    clock.enqueue(1.0)
    clock.enqueue(2.0)
    assert 2.99 < clock.pending_s() <= 3.0
    assert clock.is_busy()


def test_an_idle_device_starts_now_and_not_in_the_past() -> None:
    time = FakeTime()
    clock = DeviceClock(time.now, time.sleep)
    clock.enqueue(1.0)
    time.moment += 10
    assert not clock.is_busy()
    clock.enqueue(1.0)
    assert 0.99 < clock.pending_s() <= 1.0


def test_waiting_reaches_the_end_of_the_queue_and_not_more() -> None:
    time = FakeTime()
    clock = DeviceClock(time.now, time.sleep)
    clock.enqueue(1.0)
    clock.wait()
    assert clock.busy_until <= time.moment < clock.busy_until + 1e-3
    assert len(time.slept) == 1


def test_waiting_for_an_idle_device_does_not_sleep() -> None:
    time = FakeTime()
    DeviceClock(time.now, time.sleep).wait()
    assert time.slept == []
