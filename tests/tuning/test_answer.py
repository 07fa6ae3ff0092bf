"""The answer from records: tied winners together, wrong ones never, the advice not to bother."""

import random

import pytest

from torchstone.errors import UserError
from torchstone.records import Measurement, Scalar, Setup, Status
from torchstone.tuning.answer import GROWN, answer_from, best_first

PLAIN = Setup(dtype="float32", threads=2)
LAST = Setup(dtype="float32", threads=2, memory_format="channels_last")
TWIN = Setup(dtype="float32", threads=2, memory_format="channels_last", options=("under another name",))
ONNX = Setup(dtype="float32", threads=2, engine="onnxruntime")


def rival(
    setup: Setup, seconds: float, contest: str = "tune/m/final", status: Status = "ok", rounds: int = 40, seed: int = 0
) -> Measurement:
    noise = random.Random(f"{setup.key}{seed}")
    samples = tuple(seconds * (1 + 0.002 * noise.random()) for _ in range(rounds)) if status == "ok" else ()
    reason = None if status == "ok" else "because"
    facts: dict[str, Scalar] = {"prepare_s": 10.0 if setup.engine != "eager" else 0.0, "error": 1e-7}
    return Measurement(
        name=contest, setup=setup, unit="s", samples=samples, contest=contest, status=status, reason=reason, facts=facts
    )


def test_the_fastest_wins_with_its_ratio_and_when_it_pays() -> None:
    answer = answer_from("latency", [rival(PLAIN, 1.0), rival(LAST, 0.8), rival(ONNX, 0.5)], [])
    assert [winner.setup for winner in answer.winners] == [ONNX]
    winner = answer.winners[0]
    assert winner.ratio == pytest.approx(2.0, rel=0.01)
    assert winner.low is not None
    assert winner.high is not None
    assert winner.low < winner.ratio < winner.high
    assert winner.pays_after_calls == pytest.approx(20.0, rel=0.02)
    assert answer.advice.startswith("use the first winner: 2 times as fast")


def test_the_same_setup_under_two_names_wins_twice_the_simplest_first() -> None:
    answer = answer_from("latency", [rival(PLAIN, 1.0), rival(TWIN, 0.7), rival(LAST, 0.7)], [])
    assert [winner.setup for winner in answer.winners] == [LAST, TWIN]


def test_what_is_fast_and_wrong_is_shown_and_never_recommended() -> None:
    answer = answer_from("latency", [rival(PLAIN, 1.0), rival(ONNX, 0.1, status="wrong"), rival(LAST, 0.9)], [])
    assert [winner.setup for winner in answer.winners] == [LAST]
    assert [record.setup for record in answer.wrong] == [ONNX]


def test_nothing_beats_plain() -> None:
    answer = answer_from("latency", [rival(PLAIN, 1.0), rival(LAST, 1.2)], [])
    assert [winner.setup for winner in answer.winners] == [PLAIN]
    assert answer.advice.startswith("do not bother")


def test_who_was_lost_is_said_unless_it_was_timed_elsewhere() -> None:
    records = [
        rival(PLAIN, 1.0),
        rival(LAST, 0.5),
        rival(ONNX, 1.0, status="failed"),
        rival(LAST, 1.0, "tune/m/other", status="skipped"),
    ]
    assert [record.setup for record in answer_from("latency", records, []).lost] == [ONNX]


def test_without_a_plain_run_there_is_no_answer() -> None:
    with pytest.raises(UserError, match="the plain run could not be measured: because"):
        answer_from("latency", [rival(PLAIN, 1.0, status="failed")], [])
    with pytest.raises(UserError, match="no time was left"):
        answer_from("latency", [], [])


def test_the_best_of_every_contest_comes_to_the_last_one() -> None:
    records = [
        rival(PLAIN, 1.0, "tune/m/eager"),
        rival(LAST, 0.8, "tune/m/eager"),
        rival(PLAIN, 1.0, "tune/m/onnxruntime"),
        rival(ONNX, 0.5, "tune/m/onnxruntime"),
    ]
    assert [record.setup for record in best_first(records, 1.15)] == [ONNX, LAST]


def test_larger_batches_by_rows_a_second_within_the_bound() -> None:
    four = Setup(dtype="float32", threads=2, options=(f"{GROWN}4",))
    batches = [rival(PLAIN, 1.0, "tune/m/batches"), rival(four, 2.0, "tune/m/batches")]
    answer = answer_from("throughput", [rival(PLAIN, 1.0)], batches)
    assert answer.batches[0]["ratio"] == pytest.approx(2.0, rel=0.01)
    assert "4 times the rows" in answer.advice
    bounded = answer_from("throughput", [rival(PLAIN, 1.0)], batches, latency_bound_s=1.5)
    assert not bounded.batches[0]["keeps_bound"]
    assert bounded.advice.startswith("do not bother")


def test_least_memory_where_that_is_asked_for() -> None:
    memory = [
        Measurement(name="tune/m/final/memory", setup=setup, unit="bytes", quantity="peak memory", samples=(size,))
        for setup, size in ((PLAIN, 100.0), (LAST, 300.0))
    ]
    answer = answer_from("memory", [rival(PLAIN, 1.0), rival(LAST, 0.5), *memory], [])
    assert [winner.setup for winner in answer.winners] == [PLAIN]


def test_the_document_has_what_json_promises() -> None:
    document = answer_from("latency", [rival(PLAIN, 1.0), rival(ONNX, 0.5)], []).document
    assert set(document) == {"baseline", "winners", "wrong", "lost", "batches", "advice"}
    assert {"setup", "ratio", "low", "high", "error", "prepare_s", "pays_after_calls"} <= set(document["winners"][0])
    assert set(document["baseline"]) == {"setup", "median_s"}
