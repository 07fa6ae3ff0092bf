"""Contests: rounds of rivals in an order drawn by lot, looked at after every round, until each is decided.

The one way in which speeds are compared. The rivals are prepared and live in this process; the first is the baseline. A
round runs every rival that is still in, so drift hits all of them, and the ratio to the baseline is taken within the
round. Because the order is drawn by lot, alike rivals are a fair coin whatever the noise, and the interval of
`stats.RunningRatio` may be looked at after every round: a 400× difference takes 8 rounds, and only a small one takes
many. Who is decided drops out; so the i-th sample of each rival is of the i-th round, always (docs/measuring.md).
"""

import gc
import math
import random
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from statistics import median
from typing import Literal

from torchstone import stats
from torchstone.measuring.rivals import Ending, Entrant, Rival, Stopwatch
from torchstone.measuring.timing import MIN_SAMPLE_S
from torchstone.records import Measurement, Scalar, Setup, Status
from torchstone.stats import Band, PairedRatio, RunningRatio, Verdict

MOST_ROUNDS = 1000
PROTOCOL = "contest"

Goal = Literal["against_baseline", "fastest", "all_rounds"]
"""Who drops out: whose ratio to the baseline is decided; who is beaten by any other; or nobody."""


@dataclass(frozen=True)
class Standing:
    """What a contest found of one rival."""

    name: str
    samples: tuple[float, ...]
    """Seconds a call, the i-th of the i-th round; fewer than the contest has rounds if it dropped out."""
    calls_per_sample: int
    first_call_s: float | None
    compile_s: float | None
    ratio: PairedRatio | None
    """Its time over the baseline's; None for the baseline itself, where one of the two has no samples, and where the
    baseline's answer was wrong: then there is nothing to be faster than."""
    status: Status
    reason: str | None
    """Why the status is not ok."""
    ending: Ending
    why: str
    """Why it takes part no more, in words."""

    @property
    def verdict(self) -> Verdict:
        return "unclear" if self.ratio is None or self.status != "ok" else self.ratio.verdict

    def as_measurement(
        self, name: str, setup: Setup, facts: dict[str, Scalar] | None = None, contest: str | None = None
    ) -> Measurement:
        """The record of it. The speed of a wrong answer is kept: its status says what it is worth."""
        return Measurement(
            name=name,
            setup=setup,
            unit="s",
            samples=self.samples,
            status=self.status,
            reason=self.reason,
            protocol=PROTOCOL,
            contest=contest,
            calls_per_sample=self.calls_per_sample,
            first_call_s=self.first_call_s,
            compile_s=self.compile_s,
            facts=facts or {},
        )


@dataclass(frozen=True)
class ContestResult:
    """All rivals in the order given."""

    standings: tuple[Standing, ...]
    baseline: str
    """The first rival that could be run."""
    rounds: int
    is_decided: bool
    """Whether more rounds would tell nothing that was asked."""

    def __getitem__(self, name: str) -> Standing:
        return next(standing for standing in self.standings if standing.name == name)

    @property
    def fastest(self) -> tuple[Standing, ...]:
        """Those that no other has beaten, the one with the smallest median first."""
        unbeaten = [one for one in self.standings if one.ending != "beaten" and one.status == "ok" and one.samples]
        return tuple(sorted(unbeaten, key=lambda one: median(one.samples)))


class Contest:
    """A contest in the making: one `step()` at a time, so that a scheduler can look at its clock in between."""

    def __init__(
        self,
        rivals: Sequence[Rival],
        *,
        goal: Goal = "against_baseline",
        band: Band = stats.STRICT,
        confidence: float = stats.CONFIDENCE,
        rows: int = 1,
        sample_s: float = MIN_SAMPLE_S,
        now: Callable[[], float] = time.perf_counter,
        rng: random.Random | None = None,
        earlier: Mapping[str, Sequence[float]] | None = None,
        patience_s: float | None = None,
    ) -> None:
        """`earlier` holds the aligned samples of an earlier sitting, by name: the contest goes on from there, without
        those who are behind, as their next sample would not be of the same round as the others' sample of that number.

        `rows` is about how many verdicts the whole run will give: each difference then gathers the evidence that
        e-BH asks for even if it is the only one. Who takes longer than `patience_s` for a sample leaves."""
        _require_a_contest(rivals)
        self._goal = goal
        self._enough_evidence = rows / (1.0 - confidence)
        # Of k rivals the best could be lost to each of the k − 1 others by chance.
        self._confidence = 1.0 - (1.0 - confidence) / max(len(rivals) - 1, 1) if goal == "fastest" else confidence
        self._asked_confidence, self._band = confidence, band
        self._entrants = [Entrant(rival, list((earlier or {}).get(rival.name, ()))) for rival in rivals]
        self.rounds = max(len(entrant.samples) for entrant in self._entrants)
        for late in (entrant for entrant in self._entrants if len(entrant.samples) < self.rounds):
            late.leave("stopped", f"too late to join: the others had run {self.rounds} rounds before")
        self._watch = Stopwatch(now, sample_s, band.high - 1.0, patience_s=patience_s)
        self._rng = rng or random.Random()
        self._running: dict[tuple[str, str], RunningRatio] = {}
        self.at_work: str | None = None
        """Whose turn it is: another thread may look, to name the one that never ends."""

    @property
    def live(self) -> tuple[str, ...]:
        """The names of those that are still in."""
        return tuple(entrant.rival.name for entrant in self._live())

    @property
    def round_s(self) -> float:
        """What the next round will take, by the last turns of those that are still in; 0 before the first."""
        return sum(entrant.turn_s for entrant in self._live())

    @property
    def is_decided(self) -> bool:
        """Whether more rounds would tell nothing that was asked."""
        live = self._live()
        if self._goal == "all_rounds":
            return not live
        if self._goal == "fastest" and len(live) > 1:
            return self._rest_is_tied(live)
        if self._goal == "against_baseline" and len(live) > 1 and self._baseline().is_live:
            return False
        # Nothing is left to compare; whoever is still in gets as many samples as an interval of its own time needs.
        return all(len(entrant.samples) >= stats.fewest_rounds() for entrant in live)

    @property
    def next_cold(self) -> str | None:
        """Who is warmed up in the next step; None where all are warm."""
        cold = self._next_cold()
        return None if cold is None else cold.rival.name

    @property
    def call_s(self) -> dict[str, float]:
        """Seconds of a warm call of each that is still in."""
        return {entrant.rival.name: entrant.call_s for entrant in self._live() if entrant.is_warm}

    def withdraw(self, name: str, why: str) -> None:
        """Take a rival out whose rounds would cost the others theirs."""
        next(entrant for entrant in self._live() if entrant.rival.name == name).leave("stopped", why)

    @property
    def progress(self) -> str:
        """What it is doing, in words."""
        cold = self._next_cold()
        if cold is not None:
            return f"warming up {cold.rival.name}"
        return f"round {self.rounds + 1}, {len(self._live())} of {len(self._entrants)} still in"

    def step(self) -> bool:
        """Warm one rival up, or run one round; says whether there is more to do."""
        if self.is_decided:
            return False
        self._watch.in_force = None  # between two steps somebody else may have switched threads and flags
        cold = self._next_cold()
        taken = []
        with _garbage_later():
            if cold is not None:
                cold.warm_up(self._watch)
            else:
                for entrant in self._draw_order():
                    self.at_work = entrant.rival.name
                    taken.append((entrant, entrant.take_turn(self._watch)))
        self.at_work = None
        if cold is None:
            self._keep_round(taken)
        return not self.is_decided

    def run(self, within_s: float = math.inf, fewest_rounds: int = 1, most_rounds: int = MOST_ROUNDS) -> ContestResult:
        """Step until all is decided, or these seconds or rounds are over; the fewest rounds whatever the seconds.

        An undecided contest can be run again for more.
        """
        started = self._watch.now()
        first_round = self.rounds
        while self.step() and self.rounds - first_round < most_rounds:
            spent_s = self._watch.now() - started
            if self.rounds >= fewest_rounds and spent_s + self.round_s > within_s:
                break
        return self.finish()

    def result(self) -> ContestResult:
        """What is known so far; the contest can go on after it."""
        baseline = self._baseline()
        standings = tuple(self._standing(entrant, baseline) for entrant in self._entrants)
        return ContestResult(standings, baseline.rival.name, self.rounds, self.is_decided)

    def finish(self) -> ContestResult:
        """Look at the last outputs of those that are still in, and give the result."""
        self._watch.in_force = None
        for entrant in self._live():
            entrant.look_back(self._watch)
        return self.result()

    def _live(self) -> list[Entrant]:
        return [entrant for entrant in self._entrants if entrant.is_live]

    def _next_cold(self) -> Entrant | None:
        return next((entrant for entrant in self._live() if not entrant.is_warm), None)

    def _baseline(self) -> Entrant:
        """The first that could be run at all: where the one given can't, the others are set against the next."""
        return next((one for one in self._entrants if one.is_live or one.samples), self._entrants[0])

    def _draw_order(self) -> list[Entrant]:
        order = self._live()
        self._rng.shuffle(order)
        return order

    def _keep_round(self, taken: Sequence[tuple[Entrant, float | None]]) -> None:
        """Samples are kept only when the round is over: an interruption leaves all rivals aligned."""
        for entrant, seconds in taken:
            if seconds is not None:
                entrant.samples.append(seconds)
        self.rounds += 1
        if self._goal == "fastest":
            self._drop_the_beaten()
        elif self._goal == "against_baseline":
            self._drop_the_decided()

    def _drop_the_decided(self) -> None:
        baseline = self._baseline()
        for entrant in self._live():
            if entrant is not baseline and self._is_settled(self._look(baseline, entrant)):
                self._dismiss(entrant, "decided", f"decided after {len(entrant.samples)} rounds")

    def _is_settled(self, found: PairedRatio) -> bool:
        return found.verdict == "same" or (found.verdict != "unclear" and found.e_value >= self._enough_evidence)

    def _drop_the_beaten(self) -> None:
        live = self._live()
        beaten = [(one, self._winner_over(one, live)) for one in live]
        for loser, winner in beaten:
            if winner is not None:
                self._dismiss(loser, "beaten", f"beaten by {winner.rival.name} after {len(loser.samples)} rounds")

    def _winner_over(self, entrant: Entrant, live: Sequence[Entrant]) -> Entrant | None:
        looks = [(other, self._look(other, entrant)) for other in live if other is not entrant]
        beats = {other.rival.name: found.ratio for other, found in looks if found.verdict == "slower"}
        return max(
            (other for other, _ in looks if other.rival.name in beats),
            key=lambda one: beats[one.rival.name],
            default=None,
        )

    def _dismiss(self, entrant: Entrant, ending: Ending, why: str) -> None:
        entrant.look_back(self._watch)
        if entrant.is_live:
            entrant.leave(ending, why)

    def _look(self, baseline: Entrant, entrant: Entrant) -> PairedRatio:
        """Take up the rounds that have not been looked at yet."""
        key = baseline.rival.name, entrant.rival.name
        running = self._running.setdefault(key, RunningRatio(self._confidence, self._band))
        for index in range(running.rounds, min(len(baseline.samples), len(entrant.samples))):
            running.add(baseline.samples[index], entrant.samples[index])
        return running.look()

    def _rest_is_tied(self, live: Sequence[Entrant]) -> bool:
        if not self.rounds:
            return False
        leader = min(live, key=lambda one: median(one.samples))
        return all(self._look(leader, one).verdict == "same" for one in live if one is not leader)

    def _standing(self, entrant: Entrant, baseline: Entrant) -> Standing:
        comparable = entrant is not baseline and entrant.samples and baseline.samples and baseline.status != "wrong"
        samples = tuple(entrant.samples)
        ratio = None
        if comparable:
            ratio = stats.paired_ratio(baseline.samples, samples, self._asked_confidence, self._band)
        return Standing(
            entrant.rival.name,
            samples,
            entrant.calls_per_sample,
            entrant.first_call_s,
            entrant.compile_s,
            ratio,
            entrant.status,
            entrant.reason,
            entrant.ending or "stopped",
            entrant.why or self._why_stopped(entrant, baseline),
        )

    def _why_stopped(self, entrant: Entrant, baseline: Entrant) -> str:
        rounds, fewest = len(entrant.samples), stats.fewest_rounds(self._confidence)
        if not entrant.samples:
            return "stopped before its first round"
        if entrant is baseline:
            return f"the baseline of {rounds} rounds"
        if not baseline.is_live and baseline.status != "ok":
            return f"the baseline left after {len(baseline.samples)} rounds: {baseline.reason}"
        if rounds < fewest:
            return f"undecided for want of samples: {rounds} rounds, and {fewest} are the fewest that decide"
        return f"stopped after {rounds} rounds"


def _require_a_contest(rivals: Sequence[Rival]) -> None:
    names = [rival.name for rival in rivals]
    if len(set(names)) < len(names) or not names:
        raise ValueError(f"a contest needs rivals, each with a name of its own: {names}")
    if len({rival.switch is None for rival in rivals}) > 1:
        raise ValueError("either every rival of a contest has a switch or none: else one would run as another left it")


@contextmanager
def _garbage_later() -> Iterator[None]:
    """Python may collect between two rounds, not inside a sample; collecting all before every round would cost more
    than the round."""
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()
