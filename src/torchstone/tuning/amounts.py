"""Bytes and joules of a setup that is ready: what `--objective memory` and `energy` compare, each from a real counter.

Torch can count what torch allocates. The memory of an engine outside of it stands in no counter of torch's, and the
process's own growth is not it, so such an engine has no figure, and says so.
"""

from statistics import median

import msgspec

from torchstone.contests.race import Ready
from torchstone.measuring.energy import measure_energy
from torchstone.measuring.memory import MemoryPeak, measure_memory
from torchstone.measuring.timing import status_of
from torchstone.models.placing import using_threads
from torchstone.records import Measurement, Setup

NOT_TORCHS = "{} holds its weights outside torch, where torch cannot count them"
NOT_ABOVE_IDLE = "its calls took no more than the device takes idle, by its counter"
FROZEN = "freezing"
ENERGY_S = 2.0
"""For the joules of one setup, of which a quarter measures idle power."""


def measure_peak(ready: Ready, setup: Setup, name: str) -> Measurement:
    """The bytes that are held at the peak of a call, weights included."""
    record = Measurement(name=name, setup=setup, unit="bytes", quantity="peak memory")
    if ready.model is None:
        return msgspec.structs.replace(record, status="unsupported", reason=NOT_TORCHS.format(setup.engine))
    try:
        with using_threads(setup.threads):
            peak = measure_memory(ready.call, model=ready.model, optimizer=ready.optimizer, device=setup.device)
    except Exception as error:  # the exception is the result
        status, reason = status_of(error)
        return msgspec.structs.replace(record, status=status, reason=reason)
    held = float(peak.peak_bytes + _unseen_weights(ready, setup, peak))
    return msgspec.structs.replace(record, samples=(held,), facts={**peak.facts(), "held_bytes": held})


def _unseen_weights(ready: Ready, setup: Setup, peak: MemoryPeak) -> int:
    """A frozen program uses a copy of the weights that is its own; the model goes on holding the first."""
    assert ready.model is not None
    held = sum(tensor.nbytes for tensor in (*ready.model.parameters(), *ready.model.buffers()))
    missing = held if peak.weights_bytes == 0 else 0
    return missing + (held if setup.engine.partition(":")[2] == FROZEN else 0)


def measure_joules(ready: Ready, setup: Setup, name: str) -> Measurement:
    """The joules of a call above idle, from the device's own counter; or why there are none."""
    with using_threads(setup.threads):
        found = measure_energy(ready.call, name=name, device=setup.device, setup=setup, budget_s=ENERGY_S)
    if found.status != "ok" or median(found.samples) > 0:
        return found
    return msgspec.structs.replace(found, samples=(), status="skipped", reason=NOT_ABOVE_IDLE)
