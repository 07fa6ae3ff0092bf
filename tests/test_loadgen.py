"""LoadGen as a function: what it says is read rightly, and nothing that the model does can hang it."""

import json
import threading
from pathlib import Path

import pytest

from torchstone.loadgen import Rules, Scenario, read_verdict, run_load


@pytest.mark.parametrize("scenario", ["SingleStream", "Offline", "Server"])
def test_every_query_is_answered_and_has_its_latency(scenario: Scenario, tmp_path: Path) -> None:
    answered: list[int] = []
    verdict = run_load(answered.append, Rules(scenario, 200.0, 0.2, 1.0, batch=4), tmp_path)
    assert sum(answered) == len(verdict.latencies_s) > 0
    assert max(verdict.latencies_s) == pytest.approx(verdict.results["result_max_latency_ns"] * 1e-9)
    assert verdict.rate is not None
    assert verdict.rate > 0
    assert max(answered) == (4 if scenario == "Offline" else 1)


@pytest.mark.parametrize("scenario", ["SingleStream", "Offline", "Server"])
@pytest.mark.parametrize("error", [RuntimeError("no more"), KeyboardInterrupt(), SystemExit(3)])
def test_what_the_model_raises_comes_out_after_the_run(
    scenario: Scenario, error: BaseException, tmp_path: Path
) -> None:
    def fail(_: int) -> None:
        raise error

    threads = threading.active_count()
    with pytest.raises(type(error)):
        run_load(fail, Rules(scenario, 100.0, 0.1, 1.0), tmp_path)
    assert threading.active_count() == threads


def test_the_model_answers_in_the_thread_that_calls(tmp_path: Path) -> None:
    """Another thread would have a second team of OpenMP's threads, more than there are cores."""
    answering: set[threading.Thread] = set()
    run_load(lambda _: answering.add(threading.current_thread()), Rules("Server", 100.0, 0.1, 1.0), tmp_path)
    assert answering == {threading.current_thread()}


def test_too_few_queries_are_invalid_in_loadgens_words(tmp_path: Path) -> None:
    verdict = run_load(lambda _: None, Rules("Server", 100.0, 0.1, 1.0), tmp_path)
    assert not verdict.is_valid
    assert verdict.holds_bound
    assert "Would need to run at least" in verdict.reason


def test_a_queue_without_end_ends_the_run(tmp_path: Path) -> None:
    gate = threading.Event()
    threading.Timer(0.5, gate.set).start()
    verdict = run_load(lambda _: gate.wait(), Rules("Server", 1000.0, 30.0, 0.01, most_waiting=20), tmp_path)
    assert not verdict.holds_bound
    assert "Too many outstanding queries" in verdict.reason
    assert len(verdict.latencies_s) < 1000


def test_the_log_files_are_read(tmp_path: Path) -> None:
    def line(key: str, value: object, is_error: bool = False) -> str:
        return ":::MLLOG " + json.dumps({"key": key, "value": value, "metadata": {"is_error": is_error}})

    lines = [line("result_validity", "VALID"), line("error_runtime", "too late", is_error=True)]
    (tmp_path / "mlperf_log_detail.txt").write_text("\n".join(lines))
    (tmp_path / "mlperf_log_trace.json").write_text(
        '{"name":"Sample","ph":"b","args":{"sample_seq":0,"complete_ns":1500}},\n{"name":"Wait","args":{"key":""x""}},'
    )
    verdict = read_verdict(tmp_path)
    assert verdict.is_valid
    assert verdict.latencies_s == pytest.approx([1.5e-6])
    assert verdict.errors == ("too late",)
    assert verdict.rate is None
