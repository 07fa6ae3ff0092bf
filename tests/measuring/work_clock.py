"""A clock that only work moves, so that contests can be tested without a real one."""

import random
from collections.abc import Callable
from dataclasses import dataclass, field


@dataclass
class WorkClock:
    """Stands still until a call of `work` moves it, or moves by a tick whenever it is read."""

    at: float = 0.0
    noise: random.Random = field(default_factory=lambda: random.Random(1))
    calls: list[str] = field(default_factory=list)
    """Who was called, in order."""

    tick_s: float = 0.0

    def __call__(self) -> float:
        self.at += self.tick_s
        return self.at

    def sleep(self, seconds: float) -> None:
        self.at += seconds

    def work(self, seconds: float, spread: float = 0.0, name: str = "") -> Callable[[], str]:
        """A call that takes so long by this clock, give or take."""

        def call() -> str:
            self.calls.append(name)
            self.at += seconds * (1.0 + abs(self.noise.gauss(0.0, spread)))
            return name

        return call
