"""Does a device keep its promises? Checked on the machine at hand, since every number rests on them.

Each promise is something that torch's users take for granted: synchronize waits, counters count, what is copied comes
back, seeds repeat, an emptied cache is empty, and a program that dies does not take the device with it. A promise that
is broken says what follows from that; one that the device does not make (it has no such counter) is *not offered*, and
what could not be tried is *untested*. Fit for a bug report.
"""

import itertools
import os
import signal
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, Literal

from torchstone.backends import Backend, NoEnergyCounter, Reading, find_device
from torchstone.errors import first_line_of
from torchstone.measuring.clock import Clock
from torchstone.measuring.copies import check_copies
from torchstone.measuring.memory import read_series
from torchstone.measuring.spelling import spell_number
from torchstone.measuring.sync_audit import audit_synchronize, explain_no_wait
from torchstone.measuring.waiting import NoWaitError, WaitWatch
from torchstone.processes import Limits, is_out_of_memory, run_spawned
from torchstone.records import Finding

if TYPE_CHECKING:
    from torch import Tensor

Verdict = Literal["kept", "broken", "not offered", "untested"]
BLOCK_BYTES = 16 << 20
"""Large enough to be seen beside the allocator's rounding (CUDA's and Metal's of a few MiB)."""
POOLED_BYTES = (16 << 20, 64 << 20, 256 << 20)
ROUNDING = 0.25
WORK_S = 0.02
"""The work that synchronize must wait for lasts at least so long, else there is nothing to tell."""
ENERGY_PATIENCE_S = 2.0
"""NVML renews its counter every 0.1 s at the most, RAPL every millisecond."""
CHILD_S = 120.0
_SIDE, _MOST_PRODUCTS = 256, 4096
_DRAWS = 1000


@dataclass(frozen=True)
class Outcome:
    """What came of one promise."""

    verdict: Verdict
    evidence: str


@dataclass(frozen=True)
class Subject:
    """The device in question, and where time comes from."""

    backend: Backend
    device_id: str
    now: Callable[[], float] = time.perf_counter

    def block(self, nbytes: int = BLOCK_BYTES) -> "Tensor":
        """Memory that is really there."""
        import torch

        return torch.zeros(nbytes // 4, device=self.device_id)


@dataclass(frozen=True)
class Promise:
    """What is promised, how it is checked, and what follows where it is broken."""

    words: str
    check: Callable[[Subject], Outcome]
    consequence: str


def check_promises(device: str, now: Callable[[], float] = time.perf_counter) -> tuple[Finding, ...]:
    """Every promise, in order: a finding each of the kind `promise`."""
    return tuple(check_each(device, now))


def check_each(device: str, now: Callable[[], float] = time.perf_counter) -> Iterator[Finding]:
    """The same, one by one as they are known."""
    backend, found = find_device(device)
    subject = Subject(backend, found.id, now)
    for promise in promises():
        try:
            outcome = promise.check(subject)
        except Exception as error:  # a device that fails at this has not kept its promise
            outcome = Outcome("broken", f"it failed: {first_line_of(error)}")
        yield Finding(
            kind="promise",
            subject=promise.words,
            verdict=outcome.verdict,
            level="problem" if outcome.verdict == "broken" else "ok",
            tier="measured",
            evidence=outcome.evidence,
            hint=promise.consequence if outcome.verdict == "broken" else None,
            facts={"device": found.id},
        )


def promises() -> tuple[Promise, ...]:
    """In the order in which they are checked; the last one may cost the device."""
    right = "do not trust what this device gives, and report it to its makers"
    uncounted = "do not believe memory figures that come from this device's own counter"
    return (
        Promise(
            "synchronize waits",
            check_synchronize,
            "times on this device are too short: do not believe them, and report it to its makers",
        ),
        Promise("the memory counter follows", check_current, uncounted),
        Promise("the peak counter follows", check_peak, uncounted),
        Promise("empty-cache frees", check_empty_cache, "a cache can't be told from a leak on this device"),
        Promise("the energy counter moves", check_energy, "do not believe energy figures of this device"),
        *(Promise(words, partial(_check_copies, kind=kind), right) for kind, words in _COPIES.items()),
        Promise("seeds repeat", check_seeds, "runs with random numbers can't be repeated on this device"),
        Promise("a process that dies leaves it usable", check_after_death, "restart the device after a crash"),
    )


_COPIES = {
    "plain": "copies come back",
    "strided": "strided copies come back",
    "non-blocking": "non-blocking copies come back",
    "within": "copies within the device are right",
}


def is_broken(finding: Finding) -> bool:
    return finding.verdict == "broken"


def check_synchronize(subject: Subject) -> Outcome:
    """By the sync audit, on a chain of matrix products that lasts long enough."""
    clock = Clock(subject.backend, subject.device_id, subject.now)
    work, seconds = _choose_work(subject, clock)
    if seconds < WORK_S:
        return Outcome("untested", f"no work lasted long enough: {seconds:.3g} s")
    try:
        audit = audit_synchronize(subject.backend, subject.device_id, work, now=subject.now, watch=WaitWatch(clock))
    except NoWaitError as error:
        return Outcome("broken", str(error))
    reason = explain_no_wait(audit)
    if reason is not None:
        return Outcome("broken", reason)
    without, waited, read = (sorted(audit[way])[len(audit[way]) // 2] for way in ("none", "synchronize", "readback"))
    return Outcome("kept", f"{waited:.3g} s synchronized, {read:.3g} s read back, {without:.3g} s without waiting")


def _choose_work(subject: Subject, clock: Clock) -> tuple[Callable[[], Any], float]:
    """As many products as last long enough, by the time until a value can be read."""
    import torch

    matrix = torch.eye(_SIDE, device=subject.device_id)

    def work(products: int) -> "Tensor":
        result = matrix
        for _ in range(products):
            result = result @ matrix
        return result

    products = 1
    while True:
        call = partial(work, products)
        clock.time_readback(call)
        seconds = clock.time_readback(call) or 0.0
        if seconds >= 2 * WORK_S or products >= _MOST_PRODUCTS:
            return call, seconds
        products *= 2


def check_current(subject: Subject) -> Outcome:
    before = subject.backend.read_memory(subject.device_id).current
    if before.bytes is None:
        return _not_offered(before)
    start = _series(subject, "allocator")
    block = subject.block()
    held = _series(subject, "allocator") - start
    del block
    left = _series(subject, "allocator") - start
    evidence = f"{_mib(BLOCK_BYTES)} held counted as {_mib(held)}, and as {_mib(left)} when they were freed"
    follows = BLOCK_BYTES <= held <= BLOCK_BYTES * (1 + ROUNDING) and abs(left) <= BLOCK_BYTES * ROUNDING
    return Outcome("kept" if follows else "broken", evidence)


def check_peak(subject: Subject) -> Outcome:
    backend, device_id = subject.backend, subject.device_id
    if backend.read_memory(device_id).peak.bytes is None:
        return _not_offered(backend.read_memory(device_id).peak)
    backend.reset_peak_memory(device_id)
    start = _peak(subject)
    block = subject.block()
    backend.synchronize(device_id)
    del block
    _series(subject, "allocator")
    risen = _peak(subject) - start
    backend.reset_peak_memory(device_id)
    reset = _peak(subject) - start
    evidence = (
        f"{_mib(BLOCK_BYTES)} held for a moment raised it by {_mib(risen)}; after a reset it was {_mib(reset)} above"
    )
    follows = BLOCK_BYTES <= risen <= BLOCK_BYTES * (1 + ROUNDING) and reset <= BLOCK_BYTES * ROUNDING
    return Outcome("kept" if follows else "broken", evidence)


def check_empty_cache(subject: Subject) -> Outcome:
    """With larger and larger blocks: what an allocator takes as a pool for small ones it may keep."""
    driver = subject.backend.read_memory(subject.device_id).driver
    if driver.bytes is None:
        return _not_offered(driver)
    tried: list[str] = []
    for size in POOLED_BYTES:
        try:
            held, freed = _empty_after(subject, size)
        except Exception as error:  # a device without so much memory
            if not is_out_of_memory(error):
                raise
            break
        tried.append(f"of {_mib(size)} the driver counted {_mib(held)}, and gave {_mib(freed)} back")
        if held >= size and freed >= size * (1 - ROUNDING):
            return Outcome("kept", tried[-1])
    return Outcome("broken", "; ".join(tried) or "not even the smallest block could be had")


def _empty_after(subject: Subject, size: int) -> tuple[int, int]:
    """By how much the driver's count rises with a block, and falls when the block is freed and the cache emptied."""
    subject.backend.empty_cache(subject.device_id)
    start = _series(subject, "driver")
    block = subject.block(size)
    held = _series(subject, "driver")
    del block
    subject.backend.synchronize(subject.device_id)
    subject.backend.empty_cache(subject.device_id)
    return held - start, held - _series(subject, "driver")


def check_energy(subject: Subject, patience_s: float = ENERGY_PATIENCE_S) -> Outcome:
    counter = subject.backend.energy_counter(subject.device_id)
    if isinstance(counter, NoEnergyCounter):
        return Outcome("not offered", counter.reason)
    block = subject.block()
    readings = [counter.read_joules()]
    start = subject.now()
    while subject.now() - start < patience_s and readings[-1] <= readings[0]:
        (block + block).sum().item()
        readings.append(counter.read_joules())
    if readings[-1] <= readings[0]:
        return Outcome("broken", f"{counter.source}: it did not rise within {patience_s:g} s of work")
    for _ in range(10):
        (block + block).sum().item()
        readings.append(counter.read_joules())
    if any(later < earlier for earlier, later in itertools.pairwise(readings)):
        return Outcome("broken", f"{counter.source}: it went backwards")
    return Outcome("kept", f"{counter.source}: rose by {readings[-1] - readings[0]:.3g} J")


def _check_copies(subject: Subject, kind: str) -> Outcome:
    found = check_copies(subject.device_id, kind, partial(subject.backend.synchronize, subject.device_id))
    refused = f"; it has no {', '.join(found.refused)}" if found.refused else ""
    if found.wrong:
        return Outcome("broken", f"{'; '.join(found.wrong[:3])}{_more(len(found.wrong) - 3)}{refused}")
    if not found.right:
        return Outcome("untested", f"no dtype could be copied{refused}")
    return Outcome("kept", f"{found.right} copies of {len(found.dtypes)} dtypes, bit for bit{refused}")


def check_seeds(subject: Subject) -> Outcome:
    """Each way of drawing twice from one seed, and once from another."""
    import torch

    device = subject.device_id
    ways: dict[str, Callable[[], Tensor]] = {
        "rand": lambda: torch.rand(_DRAWS, device=device),
        "randn": lambda: torch.randn(_DRAWS, device=device),
        "randint": lambda: torch.randint(0, 1 << 20, (_DRAWS,), device=device),
        "randperm": lambda: torch.randperm(_DRAWS, device=device),
        "dropout": lambda: torch.nn.functional.dropout(torch.ones(_DRAWS, device=device)),
    }
    repeated: list[str] = []
    stuck: list[str] = []
    missing: list[str] = []
    with torch.random.fork_rng(devices=[]):
        for name, draw in ways.items():
            try:
                first, again, other = (_draw(draw, seed) for seed in (7, 7, 8))
            except (RuntimeError, NotImplementedError, TypeError):
                missing.append(name)
                continue
            if not torch.equal(first, again):
                return Outcome("broken", f"{name}: the same seed gave other numbers")
            (stuck if torch.equal(first, other) else repeated).append(name)
    lacks = f"; it has no {', '.join(missing)}" if missing else ""
    if stuck:
        return Outcome("broken", f"{', '.join(stuck)}: another seed gave the same numbers{lacks}")
    return Outcome("kept" if repeated else "untested", f"{', '.join(repeated) or 'nothing'} twice from one seed{lacks}")


def _draw(draw: Callable[[], "Tensor"], seed: int) -> "Tensor":
    import torch

    torch.manual_seed(seed)
    return draw().cpu()


def check_after_death(subject: Subject) -> Outcome:
    """A process that is killed while it works there; then this one works there, and a fresh one."""
    died = run_spawned(partial(_work_and_die, subject.device_id), Limits(seconds=CHILD_S))
    if died.ended not in ("killed", "exited"):
        return Outcome("untested", f"the process that was to die {died.ended}: {died.detail.strip()[-200:]}")
    try:
        total = _sum_there(subject.device_id)
    except Exception as error:  # whatever a lost device raises
        return Outcome("broken", f"after a process had died there, this one failed: {error}")
    if total != _EXPECTED:
        return Outcome("broken", f"after a process had died there, a sum was {total:g} instead of {_EXPECTED:g}")
    fresh = run_spawned(partial(_sum_there, subject.device_id), Limits(seconds=CHILD_S))
    if fresh.ended != "returned" or fresh.value != _EXPECTED:
        return Outcome("broken", f"after a process had died there, a fresh one {fresh.ended}: {fresh.detail[-200:]}")
    return Outcome("kept", "a process was killed at work; this one and a fresh one could go on")


_EXPECTED = 2.0 * (1 << 16)


def _sum_there(device: str) -> float:
    import torch

    find_device(device)
    return float((torch.ones(1 << 16, device=device) + 1).sum().item())


def _work_and_die(device: str) -> None:
    import torch

    _sum_there(device)
    kept = torch.ones(1 << 20, device=device)
    for _ in range(10):
        kept = kept + kept  # in its queue when it dies
    os.kill(os.getpid(), getattr(signal, "SIGKILL", signal.SIGTERM))


def _series(subject: Subject, series: str) -> int:
    return read_series(subject.backend, subject.device_id)[series] or 0


def _peak(subject: Subject) -> int:
    return subject.backend.read_memory(subject.device_id).peak.bytes or 0


def _not_offered(reading: Reading) -> Outcome:
    return Outcome("not offered", reading.reason or "the device has no such counter")


def _mib(nbytes: int) -> str:
    return f"{spell_number(nbytes / 2**20)} MiB"


def _more(count: int) -> str:
    return f"; and {count} more" if count > 0 else ""
