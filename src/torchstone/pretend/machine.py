"""The one pretend device of this process: its knobs, its clock and its memory.

PyTorch allows one PrivateUse1 backend a process, so this is one object and not a class to be passed around.
It knows nothing of torch: the kernels tell it what happened, the device module asks it how things are.
"""

import warnings
from collections import deque
from collections.abc import Callable
from pathlib import Path

from torchstone.pretend.clock import DeviceClock
from torchstone.pretend.knobs import Behaviour, Knobs, behaviour_of
from torchstone.pretend.memory import FreedBlock, MemoryLedger
from torchstone.pretend.users import sign_in


class Machine:
    """The state behind the device's kernels and its module."""

    def __init__(self) -> None:
        self.name = ""
        self.device_count = 0
        self.op_names: frozenset[str] = frozenset()
        self.clock = DeviceClock()
        self.ledger = MemoryLedger()
        self.knobs = Knobs()
        self.on_synchronize: Callable[[], None] = lambda: None
        """Told whenever the host asks to wait: a synchronize is no op, so nothing else in torch shows it."""
        self.freed_blocks: deque[FreedBlock] = deque(maxlen=0)
        """The last freed blocks, the last one last: as many as the knobs keep."""
        self._behaviours: dict[str, Behaviour] = {}
        self._warned: set[str] = set()

    def set_knobs(self, knobs: Knobs) -> None:
        """Take new knobs; every fallback may warn once again."""
        self.knobs = knobs
        if self.freed_blocks.maxlen != knobs.freed_blocks_kept:
            self.freed_blocks = deque(maxlen=knobs.freed_blocks_kept)
        self._behaviours = {}
        self._warned = set()

    def begin(self, op_name: str) -> Behaviour:
        """What the op must do; called before it runs."""
        if self.knobs.users_folder is not None:
            sign_in(Path(self.knobs.users_folder), self.name)
        behaviour = self._behaviours.get(op_name)
        if behaviour is None:
            behaviour = self._behaviours[op_name] = behaviour_of(op_name, self.knobs)
        if behaviour.missing:
            raise NotImplementedError(self._missing_message(op_name))
        if behaviour.fallback:
            self._fall_back(op_name)
        return behaviour

    def finish(self, behaviour: Behaviour) -> None:
        """Account for an op that has run."""
        if behaviour.leak_bytes:
            self.ledger.leak(behaviour.leak_bytes, self.knobs.leak_driver_only)
        if behaviour.seconds:
            self.spend(behaviour.seconds)

    def spend(self, seconds: float) -> None:
        """Keep the device busy; the host too, unless the device is asynchronous."""
        self.clock.enqueue(seconds)
        if not self.knobs.asynchronous:
            self.clock.wait()

    def synchronize(self) -> None:
        """Wait until the device has done everything, because the host asked for it."""
        self.on_synchronize()
        if self.knobs.synchronize_waits:
            self.clock.wait()

    def joules(self) -> float:
        """Energy used so far: power by the time for which the device was busy."""
        if self.knobs.watts is None:
            raise RuntimeError(f"the {self.name} device does not count its energy (knob `watts`)")
        return self.knobs.watts * self.clock.total_busy_s

    def transfer(self, nbytes: int) -> None:
        """Keep the device busy for as long as a copy to or from the host takes."""
        if self.knobs.transfer_bytes_per_s is not None:
            self.spend(nbytes / self.knobs.transfer_bytes_per_s)

    def _missing_message(self, op_name: str) -> str:
        return (
            f"The operator '{op_name}' is not currently implemented for the {self.name} device. As a temporary "
            "fix, you can run this op on the CPU. WARNING: this will be slower than running natively on "
            f"{self.name}."
        )

    def _fall_back(self, op_name: str) -> None:
        self.clock.wait()
        if op_name in self._warned:
            return
        self._warned.add(op_name)
        warnings.warn(
            f"The operator '{op_name}' is not currently supported on the {self.name} backend and will fall "
            "back to run on the CPU. This may have performance implications.",
            UserWarning,
            stacklevel=4,
        )


machine = Machine()
