"""MLPerf LoadGen as a function: it issues queries by a scenario's rules, a model in this process answers them.

LoadGen decides when a query is due, measures its latency from that moment, and says whether the run is VALID; none of
that is done here. Its log files go to a folder of the caller's, and its own figures are read from them. A model that
raises ends the run early: the queries left over are completed unanswered, because LoadGen waits for every one.

The model answers in the thread that calls: in another one OpenMP would build a second team of threads beside the first,
more than there are cores, and put all of them to sleep after every operator. LoadGen has a thread of its own.
"""

import json
import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from queue import SimpleQueue
from threading import Thread
from typing import Any, Literal

from torchstone.extras import import_extra

Scenario = Literal["SingleStream", "Offline", "Server"]
Serve = Callable[[int], object]
"""Answers so many queries at once and returns when the device has done so."""

MODULE = "mlperf_loadgen"
PERCENTILE = 0.99
_LOG_PREFIX = ":::MLLOG "
# The trace is almost JSON: some keys have two quotation marks. Latencies stand in it as LoadGen counts them.
_LATENCY = re.compile(r'"name":"Sample".*"complete_ns":(\d+)')
_NANOSECONDS = 1e-9


@dataclass(frozen=True)
class Rules:
    """What LoadGen is asked to do."""

    scenario: Scenario
    rate: float
    """Queries a second: what Server issues on average, and what the others are expected to answer."""
    min_duration_s: float
    latency_bound_s: float
    """The Server scenario's, for its 99th percentile."""
    min_query_count: int = 1
    most_waiting: int = 0
    """A Server run ends early with more queries than this unanswered; 0 for no limit."""
    batch: int = 1
    """Offline queries that are answered at once."""


@dataclass(frozen=True)
class Verdict:
    """What LoadGen says of a run."""

    latencies_s: tuple[float, ...]
    results: dict[str, Any]
    """Its own figures by LoadGen's names, such as `result_validity`."""
    errors: tuple[str, ...]

    @property
    def is_valid(self) -> bool:
        return bool(self.results.get("result_validity") == "VALID")

    @property
    def holds_bound(self) -> bool:
        """Whether the percentile that was seen lies under the bound, many queries or few."""
        return bool(self.results.get("result_perf_constraints_met"))

    @property
    def rate(self) -> float | None:
        """Queries a second that were answered."""
        names = (
            "result_completed_samples_per_sec",
            "result_samples_per_second",
            "result_qps_without_loadgen_overhead",
        )
        return next((float(self.results[name]) for name in names if name in self.results), None)

    @property
    def reason(self) -> str:
        """Why the run is INVALID, in LoadGen's words."""
        parts = [text for name, text in _REQUIREMENTS.items() if self.results.get(name) is False]
        stopping = " ".join(str(self.results.get("early_stopping_result", "")).replace("*", "").split())
        if self.results.get("early_stopping_met") is False and stopping:
            parts.append(stopping)
        return "; ".join([*parts, *self.errors])


_REQUIREMENTS = {
    "result_perf_constraints_met": "the latency bound is broken",
    "result_min_duration_met": "shorter than the minimum duration",
    "result_min_queries_met": "fewer queries than the minimum",
}


def import_loadgen() -> Any:
    """LoadGen's module; a `UserError` with the pip command where it is not installed."""
    return import_extra(MODULE)


def run_load(serve: Serve, rules: Rules, folder: Path) -> Verdict:
    """One run; raises what the model raised."""
    loadgen = import_loadgen()
    answering = _Answering(loadgen, serve, rules.batch)
    library = loadgen.ConstructQSL(1, 1, _ignore, _ignore)
    system = loadgen.ConstructSUT(answering.issue, _ignore)
    # The last argument is a file of overrides, which LoadGen would else look for in the current folder.
    settings = _settings(loadgen, rules), _log_settings(loadgen, folder), str(folder / "audit.config")
    try:
        answering.work_while(lambda: loadgen.StartTestWithLogSettings(system, library, *settings))
    finally:
        loadgen.DestroySUT(system)
        loadgen.DestroyQSL(library)
    if answering.error is not None:
        raise answering.error
    return read_verdict(folder)


def _ignore(*_: object) -> None:
    """There is nothing to load, unload or flush: the one input is in memory."""


def _settings(loadgen: Any, rules: Rules) -> Any:
    settings = loadgen.TestSettings()
    settings.scenario = getattr(loadgen.TestScenario, rules.scenario)
    settings.mode = loadgen.TestMode.PerformanceOnly
    settings.min_duration_ms = max(1, round(rules.min_duration_s * 1e3))
    settings.min_query_count = rules.min_query_count
    settings.server_target_qps = rules.rate
    settings.server_target_latency_ns = round(rules.latency_bound_s / _NANOSECONDS)
    settings.server_target_latency_percentile = PERCENTILE
    settings.server_max_async_queries = rules.most_waiting
    settings.offline_expected_qps = rules.rate
    settings.single_stream_expected_latency_ns = max(1, round(1.0 / rules.rate / _NANOSECONDS))
    return settings


def _log_settings(loadgen: Any, folder: Path) -> Any:
    output = loadgen.LogOutputSettings()
    output.outdir = str(folder)
    output.copy_summary_to_stdout = False
    settings = loadgen.LogSettings()
    settings.log_output = output
    settings.enable_trace = True
    return settings


def read_verdict(folder: Path) -> Verdict:
    """LoadGen's figures and every query's latency, from its log files."""
    results: dict[str, Any] = {}
    errors: list[str] = []
    for line in (folder / "mlperf_log_detail.txt").read_text(encoding="utf-8").splitlines():
        entry = json.loads(line.removeprefix(_LOG_PREFIX))
        if entry["metadata"]["is_error"]:
            errors.append(str(entry["value"]))
        results[entry["key"]] = entry["value"]
    trace = (folder / "mlperf_log_trace.json").read_text(encoding="utf-8")
    latencies = tuple(int(found) * _NANOSECONDS for found in _LATENCY.findall(trace))
    return Verdict(latencies, results, tuple(errors))


class _Answering:
    """Takes queries from LoadGen's thread and answers them in the caller's, first come, first served."""

    def __init__(self, loadgen: Any, serve: Serve, batch: int) -> None:
        self._loadgen = loadgen
        self._serve = serve
        self._batch = batch
        self._waiting: SimpleQueue[list[int] | None] = SimpleQueue()
        self.error: BaseException | None = None

    def work_while(self, drive: Callable[[], None]) -> None:
        """Answer until the test that another thread drives has ended."""
        thread = Thread(target=self._drive, args=(drive,), daemon=True)
        thread.start()
        while thread.is_alive():
            try:
                self._work()
                thread.join()
            except BaseException as error:  # a signal between two queries: LoadGen waits for those that are left
                self.error = error

    def issue(self, samples: Any) -> None:
        """LoadGen calls this when queries are due."""
        numbers = [sample.id for sample in samples]
        for start in range(0, len(numbers), self._batch):
            self._waiting.put(numbers[start : start + self._batch])

    def _drive(self, drive: Callable[[], None]) -> None:
        try:
            drive()
        except BaseException as error:
            self.error = error
        finally:
            self._waiting.put(None)

    def _work(self) -> None:
        while (numbers := self._waiting.get()) is not None:
            if self.error is None:
                try:
                    self._serve(len(numbers))
                except BaseException as error:  # LoadGen would wait for this query for ever; raised after the run
                    self.error = error
            self._loadgen.QuerySamplesComplete([self._loadgen.QuerySampleResponse(number, 0, 0) for number in numbers])
        self._waiting.put(None)  # so that it ends at once if it is called again
