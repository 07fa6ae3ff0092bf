"""Latency under load: MLPerf LoadGen against the model, one query after another, all at once, and at rising rates.

A query is one input, copied to the device, answered by the model, and the device waited for.

- SingleStream: the next query comes when the last is answered. The latency of a service without a queue.
- Offline: all queries are there at once, and are answered in batches where the model takes them. The highest rate.
- Server: queries come at random moments (a Poisson process) and wait for one another. The rate rises in short runs
  until the 99th percentile of the latency breaks the bound (`--latency-bound`, in seconds), then closes in on it. A
  short run can't tell a queue that grows slowly from one that does not, so the rate found is only a candidate: it is
  confirmed, with some headroom below what was answered when more came than could be, by a run of ten seconds whose
  queue does not grow, or by one at a lower rate. Only such a rate is *proven*.

Whether a run is VALID is LoadGen's own verdict, here with a duration that fits the budget (MLPerf asks for ten
minutes): for a 99th percentile it needs 459 queries under the bound, and more for each one above it. Small budgets
take a small convolutional network, as a larger model would not answer that many; from three minutes on it is
EfficientNet-Lite0; `--model TARGET` for your own.
"""

import copy
import math
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from statistics import fmean, median
from typing import Any

import msgspec
import torch
from torch import nn

from torchstone.backends import Backend, find_device
from torchstone.contests.answering import judge_queries, reference_of
from torchstone.errors import UserError
from torchstone.experiments import Plan
from torchstone.files import temporary_folder
from torchstone.loadgen import Rules, Scenario, Verdict, import_loadgen, run_load
from torchstone.measuring.timing import complete_setup, status_of
from torchstone.models.batching import repeat_inputs
from torchstone.models.inputs import Inputs, move_inputs
from torchstone.models.placing import plain_setup, step_with_threads
from torchstone.models.subject import Subject, label, load_subject
from torchstone.records import PLAIN_DTYPE, Device, Finding, Measurement, Scalar, Setup, Status
from torchstone.scheduling.case import Case, Record, Turn, case

OPTIONS = {
    "latency-bound": {"metavar": "SECONDS", "type": "seconds", "help": "What p99 must keep under (0.1)."},
}

LATENCY_BOUND_S = 0.1
"""What people still feel as at once (Nielsen, Response Times: The 3 Important Limits)."""
SMALL_MODEL = "convnet"
LARGE_MODEL = "efficientnet_lite0"
OFFLINE_BATCH = 8
CALIBRATION_S = 0.4
KEPT_FOR_QUERIES = 0.5
"""Of a case's seconds, however long loading and calibrating took."""
FEWEST_TIMED, MOST_TIMED = 2, 400
"""Calls to learn how long one takes."""
STEP = 0.25
"""Of the calibrated rate: so much more at each step, until the bound breaks."""
FIRST_LOAD = 0.5
RUNS = 6
"""Short Server runs within a case: three steps to the calibrated rate, and three to close in."""
CONFIRM_S = 10.0
"""Of the run that proves a rate: at 105 % of what a server can do a queue of half a second has grown by then, where a
run of 1.8 s was VALID three times in five."""
CONFIRM_SHARE = 0.7
"""Of the seconds, for proving, with a second try; where that is less than a confirming run takes, the search has all of
them."""
CANDIDATE = 0.95
"""Of the highest rate that was seen to keep the bound: what is tried to be proven, at the most."""
HEADROOM = 0.86
"""Of what was answered a second when more came than could be: a machine's speed changes from minute to minute, and a
rate at the edge of it was VALID again only 5 times in 8."""
LOWER = 0.95
"""What is tried next, of the one that could not be proven."""
GROWTH, GROWN_BOUND_SHARE = 2.0, 0.25
"""A queue grows if the last third of the queries waits so many times as long as the first, and a good part of the
bound."""
ISSUING_SHARE = 0.8
"""Of a run's seconds, in which queries are issued; the rest is for the queue that is left, and for LoadGen's files."""
MOST_QUERIES = 20_000
"""In a run: enough for every percentile, and LoadGen's own work on more of them takes longer than a quick model's."""
OFFLINE_SHARE = 0.65
"""The same for Offline, where LoadGen asks for a tenth more queries than rate and duration make, beside our slack."""
FEWEST_CALLS = 16
"""Below, a run says nothing."""
SLACK = {"SingleStream": 4.0, "Offline": 1.2}
"""LoadGen makes its queries beforehand, and a run that uses them up before its time is INVALID: so more are asked for
than were calibrated. Offline all of them are answered, so there it is little."""
QUEUE_FACTOR = 4.0
"""A queue that takes so many latency bounds to work off means that the bound is broken for good: the run may end."""


@dataclass
class Service:
    """The model on the device, ready for queries."""

    subject: Subject
    model: nn.Module
    device: Device
    backend: Backend
    inputs: dict[int, Inputs] = field(default_factory=dict)
    """On the host, by the number of queries in them."""
    output: Any = None
    queries: int = 1
    call_s: float = 0.0

    def serve(self, queries: int) -> None:
        """Answer so many queries in one call."""
        if queries not in self.inputs:
            self.inputs[queries] = repeat_inputs(self.subject.inputs(1), queries)
        with torch.no_grad():
            moved = move_inputs(self.inputs[queries], self.device.id)
            self.output = self.model(*moved.args, **moved.kwargs)
        self.queries = queries
        self.backend.synchronize(self.device.id)

    def disagreement(self) -> str | None:
        """What is wrong with the last output, or None."""
        return judge_queries(self.subject, self.queries)(self.output)


def cases(plan: Plan) -> Iterator[Case]:
    """The three scenarios of one model on every device."""
    import_loadgen()
    model = plan.model or (LARGE_MODEL if plan.is_deep else SMALL_MODEL)
    for device in plan.devices:
        ask = _Ask(device, model, plan.input_shape, _latency_bound(plan))
        scenarios: tuple[tuple[Scenario, float], ...] = (("Server", 5.0), ("SingleStream", 1.0), ("Offline", 1.0))
        for scenario, weight in scenarios:
            run = partial(_run, ask, scenario)
            yield case(ask.name(scenario), run, setup=plain_setup(device), rank=5, weight=weight)


def _run(ask: "_Ask", scenario: Scenario, turn: Turn) -> Iterator[Record]:
    records = _run_server(ask, turn) if scenario == "Server" else _run_once(ask, scenario, turn.left_s)
    yield from step_with_threads(1 if ask.model == SMALL_MODEL else None, records)


def _latency_bound(plan: Plan) -> float:
    given = plan.options.get("latency-bound", LATENCY_BOUND_S)
    if isinstance(given, bool) or not isinstance(given, int | float) or not 0 < given < float("inf"):
        raise UserError(f"a latency bound of {given!r} cannot be", "give seconds: --latency-bound 0.1")
    return float(given)


@dataclass(frozen=True)
class _Ask:
    """What all cases have in common."""

    device: Device
    model: str
    input_shape: str | None
    bound_s: float

    def name(self, scenario: str) -> str:
        return f"load/{label(self.model)}/{scenario}"

    def subject(self) -> Subject:
        return load_subject(self.model, self.input_shape)

    def without(self, scenario: str, status: Status, reason: str) -> Measurement:
        """A record of a run that was not to be had."""
        return Measurement(
            name=self.name(scenario),
            setup=complete_setup(Setup(dtype=PLAIN_DTYPE), self.device.id),
            unit="s",
            quantity="latency",
            protocol=_protocol(scenario),
            status=status,
            reason=reason,
        )


def _protocol(scenario: str) -> str:
    return f"loadgen {scenario.partition('/')[0]}"


def _start(ask: _Ask, scenario: str) -> Service | Measurement:
    """The model on the device, found right and calibrated; or the record that says why not."""
    try:
        subject = ask.subject()
        backend, _ = find_device(ask.device.id)
        service = Service(subject, copy.deepcopy(subject.model).to(ask.device.id).eval(), ask.device, backend)
        service.call_s = _calibrate(service, 1)
        wrong = service.disagreement()
    except UserError:
        raise
    except Exception as error:  # the exception is the result
        return ask.without(scenario, *status_of(error))
    return service if wrong is None else ask.without(scenario, "wrong", wrong)


def _calibrate(service: Service, queries: int) -> float:
    """Seconds a call of so many queries: the mean once the first, often slower ones are over. Not the median: stalls
    fill a queue too, and the mean sets what a server can do."""
    deadline = time.perf_counter() + CALIBRATION_S
    seconds: list[float] = []
    while len(seconds) < FEWEST_TIMED or (len(seconds) < MOST_TIMED and time.perf_counter() < deadline):
        start = time.perf_counter()
        service.serve(queries)
        seconds.append(time.perf_counter() - start)
    return fmean(seconds[len(seconds) // 2 :])


def _run_once(ask: _Ask, scenario: Scenario, seconds: float) -> Iterator[Record]:
    """SingleStream or Offline, as long as the time allows."""
    deadline = time.monotonic() + seconds
    service = _start(ask, scenario)
    if isinstance(service, Measurement):
        yield service
        return
    deadline = max(deadline, time.monotonic() + KEPT_FOR_QUERIES * seconds)
    left_s = deadline - time.monotonic()
    if left_s * ISSUING_SHARE < FEWEST_CALLS * service.call_s:
        reason = (
            f"a call takes {service.call_s:.3g} s, so {FEWEST_CALLS} of them {FEWEST_CALLS * service.call_s:.3g} s: "
            f"{left_s * ISSUING_SHARE:.3g} s are granted"
        )
        yield ask.without(scenario, "skipped", reason)
        return
    batch, batch_s = _offline_batch(service) if scenario == "Offline" else (1, service.call_s)
    left_s = deadline - time.monotonic()
    duration_s = _duration(left_s * (OFFLINE_SHARE if scenario == "Offline" else ISSUING_SHARE), batch / batch_s)
    rate = SLACK[scenario] * batch / batch_s
    yield _measure(ask, service, scenario, Rules(scenario, rate, max(duration_s, batch_s), ask.bound_s, batch=batch))[0]


def _duration(seconds: float, rate: float) -> float:
    return min(seconds, MOST_QUERIES / rate)


def _offline_batch(service: Service) -> tuple[int, float]:
    """How many queries to answer at once and how long that takes: one where the model does not take more."""
    try:
        batch_s = _calibrate(service, OFFLINE_BATCH)
        if service.disagreement() is None:
            return OFFLINE_BATCH, batch_s
    except Exception:  # a person's model may refuse other batch sizes with any exception
        pass
    return 1, service.call_s


def _measure(ask: _Ask, service: Service, scenario: str, rules: Rules) -> tuple[Measurement, Verdict | None]:
    """One run of LoadGen as a record, and LoadGen's verdict where it came to one."""
    try:
        with temporary_folder("loadgen") as folder:
            verdict = run_load(service.serve, rules, folder)
        wrong = service.disagreement()
    except Exception as error:  # the exception is the result
        return ask.without(scenario, *status_of(error)), None
    if wrong is not None:
        return ask.without(scenario, "wrong", wrong), None
    valid = "VALID" if verdict.is_valid else "INVALID"
    record = Measurement(
        name=ask.name(scenario),
        setup=complete_setup(Setup(dtype=PLAIN_DTYPE), ask.device.id),
        unit="s",
        samples=verdict.latencies_s,
        quantity="latency",
        reason=None if verdict.is_valid else f"LoadGen: INVALID: {verdict.reason}",
        protocol=_protocol(scenario),
        facts={**_facts(rules, service), "rate": verdict.rate, "verdict": valid},
    )
    return record, verdict


def _facts(rules: Rules, service: Service) -> dict[str, Scalar]:
    facts: dict[str, Scalar] = {
        "items": 1,
        "item": "queries",
        "batch": rules.batch,
        "min_duration_s": rules.min_duration_s,
        "min_query_count": rules.min_query_count,
    }
    if rules.scenario == "Server":
        facts |= {"scheduled_rate": rules.rate, "latency_bound_s": rules.latency_bound_s}
    unjudged = reference_of(service.subject).unverifiable
    if unjudged is not None:
        facts["unverified"] = unjudged
    return facts


def _run_server(ask: _Ask, turn: Turn) -> Iterator[Record]:
    """Short runs at rising rates until the bound breaks, then between; what was found is then proven, or less."""
    seconds = turn.left_s
    deadline = time.monotonic() + seconds
    service = _start(ask, "Server")
    if isinstance(service, Measurement):
        yield service
        return
    deadline = max(deadline, time.monotonic() + KEPT_FOR_QUERIES * seconds)
    kept_s = CONFIRM_SHARE * (deadline - time.monotonic())
    search = Search()
    for record in _search(ask, service, search, deadline - (kept_s if kept_s >= CONFIRM_S else 0.0)):
        yield record
        turn.save((_judge(ask, search),) if search.runs else ())
    yield from _confirm(ask, service, search, deadline)
    if search.runs:
        yield _judge(ask, search)


def _search(ask: _Ask, service: Service, search: "Search", deadline: float) -> Iterator[Record]:
    for left in range(RUNS, 0, -1):
        load = search.next_load()
        slot_s = (deadline - time.monotonic()) / left
        rate = load / service.call_s
        if slot_s * ISSUING_SHARE * rate < FEWEST_CALLS:
            yield ask.without(f"Server/load={load:.0%}", "skipped", _too_short(rate, slot_s))
            return
        duration_s = _duration(slot_s * ISSUING_SHARE, rate)
        rules = Rules("Server", rate, duration_s, ask.bound_s, most_waiting=_most_waiting(ask, service))
        record, verdict = _measure(ask, service, f"Server/load={load:.0%}", rules)
        yield record
        if verdict is None:
            search.is_over = True
            return
        search.take(load, rate, verdict)


def _confirm(ask: _Ask, service: Service, search: "Search", deadline: float) -> Iterator[Record]:
    """The rate that was found, and lower ones while there is time, until one is proven."""
    rate = min(CANDIDATE * search.held / service.call_s, HEADROOM * search.capacity)
    while rate > 0 and not search.is_over and deadline - time.monotonic() >= CONFIRM_S:
        rules = Rules("Server", rate, CONFIRM_S, ask.bound_s, most_waiting=_most_waiting(ask, service))
        record, verdict = _measure(ask, service, f"Server/confirmed={rate * service.call_s:.0%}", rules)
        if verdict is None:
            yield record
            return
        grows = queue_grows(verdict.latencies_s, ask.bound_s)
        yield msgspec.structs.replace(
            record, samples=_thinned(verdict.latencies_s), facts={**record.facts, "queue grows": grows}
        )
        if verdict.is_valid and not grows:
            search.proven = rate
            return
        rate *= LOWER


def queue_grows(latencies_s: Sequence[float], bound_s: float) -> bool:
    """Whether the last queries waited far longer than the first."""
    third = len(latencies_s) // 3
    if not third:
        return False
    first, last = median(latencies_s[:third]), median(latencies_s[-third:])
    return last > GROWTH * first and last > GROWN_BOUND_SHARE * bound_s


def _thinned(latencies_s: tuple[float, ...]) -> tuple[float, ...]:
    """Every so many, where there are more than a record should hold."""
    return latencies_s[:: -(-len(latencies_s) // MOST_QUERIES) or 1]


def _too_short(rate: float, slot_s: float) -> str:
    return f"at {rate:.3g} queries/s fewer than {FEWEST_CALLS} come in the {max(slot_s, 0.0):.3g} s that are left"


def _most_waiting(ask: _Ask, service: Service) -> int:
    return FEWEST_CALLS + round(QUEUE_FACTOR * ask.bound_s / service.call_s)


@dataclass
class Search:
    """Where the highest rate that keeps the bound lies, in parts of the rate at which the model was calibrated."""

    held: float = 0.0
    broke: float | None = None
    runs: list[tuple[float, Verdict]] = field(default_factory=list)
    """Scheduled rates of the short runs and what LoadGen said."""
    proven: float | None = None
    """The rate that a long run has confirmed."""
    is_over: bool = False

    @property
    def capacity(self) -> float:
        """Queries a second that were answered while the bound was broken; infinite where it never was."""
        answered = [verdict.rate for _, verdict in self.runs if not verdict.holds_bound]
        return median([rate for rate in answered if rate is not None] or [math.inf])

    def next_load(self) -> float:
        if self.broke is not None:
            return (self.held + self.broke) / 2
        return self.held + STEP if self.held else FIRST_LOAD

    def take(self, load: float, rate: float, verdict: Verdict) -> None:
        self.runs.append((rate, verdict))
        if verdict.holds_bound:
            self.held = load
        else:
            self.broke = load


def _judge(ask: _Ask, search: Search) -> Finding:
    proven = search.proven
    seen = max((rate for rate, verdict in search.runs if verdict.holds_bound), default=None)
    broke = min((rate for rate, verdict in search.runs if not verdict.holds_bound), default=None)
    texts = [
        f"no rate was confirmed by a run of {CONFIRM_S:g} s"
        if proven is None
        else f"{proven:.4g} queries/s was confirmed by a run of {CONFIRM_S:g} s whose queue did not grow",
        "none was seen to keep it" if seen is None else f"{seen:.4g} is the highest that kept it for a while",
        "none broke it" if broke is None else f"{broke:.4g} is the lowest that broke it",
    ]
    return Finding(
        kind="load",
        subject=f"{ask.name('Server')}: highest rate, {ask.device.id}",
        verdict="proven" if proven is not None else "none" if seen is None else "unproven",
        level="ok" if proven is not None else "warning",
        tier="measured",
        evidence=f"99th percentile under {ask.bound_s:g} s: {'; '.join(texts)}",
        hint=None if proven is not None else "`bench load --budget 60` has the time to confirm a rate",
        facts={
            "device": ask.device.id,
            "latency_bound_s": ask.bound_s,
            "rate": proven,
            "highest_seen_rate": seen,
            "lowest_broken_rate": broke,
        },
    )
