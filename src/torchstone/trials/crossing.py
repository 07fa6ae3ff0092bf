"""From which batch on does a device beat the CPU? Small work does not pay: the way there and the start cost too much.

Both are timed in random-order pairs in one process, so that what else the machine does hits both alike.
"""

from collections.abc import Iterator

from torchstone.configurations import PLAIN
from torchstone.measuring.comparing import Comparison, compare_in_process
from torchstone.records import Finding, Measurement, Scalar
from torchstone.trials.affording import Allowance
from torchstone.trials.inferring import Attempt, prepared, time_once
from torchstone.trials.subjects import Subject

BATCHES = (1, 2, 4, 8, 16, 32, 64, 128)
PAIRS_NEEDED = 20
"""Pairs that a comparison takes at least: six to compare, the others to warm up."""
Ratios = dict[int, float]


def find_crossover(subject: Subject, device_id: str, allowance: Allowance) -> Iterator[Measurement | Finding]:
    """One finding: the first batch in which the device is faster, or how far it was looked for."""
    ratios: Ratios = {}
    ended = f"up to batch {BATCHES[-1]}"
    for position, batch in enumerate(BATCHES):
        compared = _compare(subject, batch, device_id, allowance, allowance.left_s / (len(BATCHES) - position))
        if isinstance(compared, str):
            ended = f"the search ended before batch {batch}: {compared}"
            break
        ratios[batch] = 1.0 / compared.ratio.ratio if compared.ratio is not None else 0.0
        if compared.verdict == "faster":
            yield _finding(subject, device_id, ratios, f"from batch {batch} on", "it is faster there")
            return
    yield _finding(subject, device_id, ratios, "not found", ended)


def _compare(subject: Subject, batch: int, device_id: str, allowance: Allowance, seconds: float) -> Comparison | str:
    """The device against the CPU, or why not."""
    attempts = [_attempt(subject, batch, where, allowance) for where in ("cpu", device_id)]
    pair_s = 0.0
    for attempt in attempts:
        once = time_once(attempt) if isinstance(attempt, Attempt) else attempt
        if isinstance(once, Measurement):
            return f"{once.setup.device}: {once.status}: {once.reason}"
        pair_s += once
    if PAIRS_NEEDED * pair_s > allowance.left_s:
        return f"a pair of calls takes {pair_s:.2g} s, and {max(allowance.left_s, 0.0):.2g} s are left"
    cpu, device = (attempt for attempt in attempts if isinstance(attempt, Attempt))
    compared = compare_in_process(cpu.call, device.call, device=device_id, names=("cpu", device_id), budget_s=seconds)
    return compared if compared.ratio is not None else str(compared)


def _attempt(subject: Subject, batch: int, device_id: str, allowance: Allowance) -> Attempt | Measurement:
    return prepared(subject, batch, PLAIN, device_id, f"inference/{subject.name}/batch={batch}", allowance)


def _finding(subject: Subject, device_id: str, ratios: Ratios, verdict: str, ended: str) -> Finding:
    seen = ", ".join(f"batch {batch}: {ratio:.2f}×" for batch, ratio in ratios.items()) or "nothing was compared"
    facts: dict[str, Scalar] = {f"batch={batch}": ratio for batch, ratio in ratios.items()}
    return Finding(
        kind="crossover",
        subject=f"inference/{subject.name}/crossover",
        verdict=verdict,
        tier="measured",
        evidence=f"{device_id} as fast as the CPU, eager float32: {seen}; {ended}",
        facts={"device": device_id, **facts},
    )
