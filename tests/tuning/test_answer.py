"""The answer from records: tied winners together, wrong ones never, the advice not to bother."""

import random

import msgspec
import pytest

from torchstone.errors import UserError
from torchstone.records import Measurement, Scalar, Setup, Status
from torchstone.tuning.advising import findings_of
from torchstone.tuning.answer import answer_from
from torchstone.tuning.scoring import GROWN, LATENCY, Question, scores
from torchstone.tuning.search import CUT_SHORT, _sum_up

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
    answer = answer_from([rival(PLAIN, 1.0), rival(LAST, 0.8), rival(ONNX, 0.5)])
    assert [winner.setup for winner in answer.winners] == [ONNX]
    winner = answer.winners[0]
    assert winner.ratio == pytest.approx(2.0, rel=0.01)
    assert winner.low is not None
    assert winner.high is not None
    assert winner.low < winner.ratio < winner.high
    assert winner.pays_after_calls == pytest.approx(20.0, rel=0.02)
    assert answer.advice.startswith("run it with cpu, onnxruntime, 2 threads: 2 times as fast")
    assert answer.chosen == ONNX


def test_the_same_setup_under_two_names_wins_twice_the_simplest_first() -> None:
    answer = answer_from([rival(PLAIN, 1.0), rival(TWIN, 0.7), rival(LAST, 0.7)])
    assert [winner.setup for winner in answer.winners] == [LAST, TWIN]


def test_what_is_fast_and_wrong_is_shown_and_never_recommended() -> None:
    answer = answer_from([rival(PLAIN, 1.0), rival(ONNX, 0.1, status="wrong"), rival(LAST, 0.9)])
    assert [winner.setup for winner in answer.winners] == [LAST]
    assert [record.setup for record in answer.wrong] == [ONNX]


def test_nothing_beats_plain() -> None:
    answer = answer_from([rival(PLAIN, 1.0), rival(LAST, 1.2)])
    assert [winner.setup for winner in answer.winners] == [PLAIN]
    assert answer.advice.startswith("do not bother")
    assert answer.chosen == PLAIN


def test_who_was_lost_is_said_unless_it_was_timed_elsewhere() -> None:
    records = [
        rival(PLAIN, 1.0),
        rival(LAST, 0.5),
        rival(ONNX, 1.0, status="failed"),
        rival(LAST, 1.0, "tune/m/other", status="skipped"),
    ]
    assert [record.setup for record in answer_from(records).lost] == [ONNX]


def test_without_a_plain_run_there_is_no_answer() -> None:
    with pytest.raises(UserError, match="the plain run could not be measured: because"):
        answer_from([rival(PLAIN, 1.0, status="failed")])
    with pytest.raises(UserError, match="no time was left"):
        answer_from([])


def test_larger_batches_by_rows_a_second_within_the_bound() -> None:
    four = Setup(dtype="float32", threads=2, options=(f"{GROWN}4",))
    records = [
        rival(PLAIN, 1.0),
        rival(PLAIN, 1.0, "tune/m/batches/times=4"),
        rival(four, 2.0, "tune/m/batches/times=4"),
    ]
    answer = answer_from(records, Question("throughput"))
    assert answer.batches[0]["ratio"] == pytest.approx(2.0, rel=0.01)
    assert "4 times the rows" in answer.advice
    assert answer.chosen == four
    bounded = answer_from(records, Question("throughput", latency_bound_s=1.5))
    assert not bounded.batches[0]["keeps_bound"]
    assert bounded.advice.startswith("do not bother")


def amount(setup: Setup, size: float, unit: str = "bytes") -> Measurement:
    return Measurement(name="tune/m/final/amount", setup=setup, unit=unit, samples=(size,))


def test_least_memory_where_that_is_asked_for() -> None:
    records = [rival(PLAIN, 1.0), rival(LAST, 0.5), rival(ONNX, 0.1), amount(PLAIN, 100.0e6), amount(LAST, 300.0e6)]
    answer = answer_from(records, Question("memory"))
    assert [winner.setup for winner in answer.winners] == [PLAIN]
    assert "takes the least memory of those that are right: 100 MB" in answer.advice


def test_an_engine_whose_memory_cannot_be_counted_is_named_and_never_takes_the_least() -> None:
    uncounted = Measurement(name="x", setup=ONNX, unit="bytes", status="unsupported", reason="outside torch")
    records = [rival(PLAIN, 1.0), rival(ONNX, 0.1), amount(PLAIN, 100.0), uncounted]
    answer = answer_from(records, Question("memory"))
    assert [winner.setup for winner in answer.winners] == [PLAIN]
    assert "memory of cpu, onnxruntime, 2 threads: outside torch" in answer.notes


def test_least_energy_where_that_is_asked_for() -> None:
    records = [rival(PLAIN, 1.0), rival(LAST, 0.5), amount(PLAIN, 3.0, "J"), amount(LAST, 4.0, "J")]
    answer = answer_from(records, Question("energy"))
    assert [winner.setup for winner in answer.winners] == [PLAIN]
    assert "3 J a call above idle" in answer.advice
    none = answer_from([rival(PLAIN, 1.0)], Question("energy"))
    assert none.winners == ()
    assert none.advice == "the energy of no setup could be measured: nothing is recommended"


def test_an_objective_that_there_is_not() -> None:
    with pytest.raises(UserError, match="no objective 'speed'"):
        Question("speed")


def test_who_holds_more_than_is_allowed_is_lost_with_the_reason() -> None:
    records = [rival(PLAIN, 1.0), rival(LAST, 0.5), amount(PLAIN, 1e9), amount(LAST, 3e9)]
    answer = answer_from(records, Question(memory_bound_bytes=2e9))
    assert [winner.setup for winner in answer.winners] == [PLAIN]
    assert [(one.setup, one.reason) for one in answer.lost] == [(LAST, "a call holds 3 GB, and 2 GB are allowed")]
    nothing = answer_from(records, Question(memory_bound_bytes=0.5e9))
    assert nothing.winners == ()
    assert nothing.advice.startswith("nothing that is right keeps the bounds")
    assert nothing.chosen == PLAIN


def test_a_latency_bound_that_nothing_keeps_is_said_and_one_that_some_keep_excludes_the_others() -> None:
    slow = answer_from([rival(PLAIN, 1.0), rival(ONNX, 0.5)], Question(latency_bound_s=0.1))
    assert "even the fastest call takes 501 ms, and 100 ms are allowed" in slow.advice
    records = [rival(PLAIN, 1.0), rival(LAST, 0.5), amount(PLAIN, 1e8), amount(LAST, 2e8)]
    bounded = answer_from(records, Question("memory", latency_bound_s=0.7))
    assert [winner.setup for winner in bounded.winners] == [LAST]
    assert "1e+03 ms" in str(bounded.lost[0].reason)


def test_without_a_last_contest_the_plain_run_of_each_stands_between() -> None:
    """A machine that was half as fast during one contest favours nobody in another."""
    records = [
        rival(PLAIN, 1.0, "tune/m/eager"),
        rival(LAST, 0.8, "tune/m/eager"),
        rival(PLAIN, 3.0, "tune/m/onnxruntime"),
        rival(ONNX, 1.5, "tune/m/onnxruntime"),
    ]
    assert scores(records, Question())[ONNX] == pytest.approx(0.5, rel=0.01)
    assert ONNX in [winner.setup for winner in answer_from(records).winners]


def test_one_core_has_a_plain_run_too() -> None:
    plain, last = Setup(dtype="float32", threads=1), Setup(dtype="float32", threads=1, memory_format="channels_last")
    assert answer_from([rival(plain, 1.0), rival(last, 0.5)]).chosen == last


def test_what_is_not_decided_is_not_recommended() -> None:
    few = [rival(PLAIN, 1.0, rounds=4), rival(ONNX, 0.5, rounds=4)]
    answer = answer_from(few)
    assert answer.advice.startswith("undecided: the best so far is cpu, onnxruntime, 2 threads")
    assert answer.chosen == PLAIN


def test_what_there_was_no_time_for_is_said() -> None:
    def left(part: str) -> Measurement:
        return Measurement(name=f"tune/m/{part}", setup=PLAIN, unit="s", status="skipped", reason="no time was left")

    records = [rival(PLAIN, 1.0, "tune/m/eager"), left("openvino"), left("more"), left("final")]
    answer = answer_from(records)
    assert answer.untried == ("openvino",)
    assert answer.advice.startswith(
        "undecided: nothing that was tried beats the plain run, and no time was left to try"
    )
    assert "no time was left to try openvino: give more --budget" in answer.notes
    faster = answer_from([*records, rival(LAST, 0.5, "tune/m/eager")])
    assert faster.advice.startswith("run it with")
    assert "no time was left to try openvino: give more --budget" in faster.notes


def test_a_random_answer_and_what_was_put_right_are_noted() -> None:
    plain = msgspec.structs.replace(
        rival(PLAIN, 1.0), facts={"unverified": "its answer is random (dropout)", "remark": "dropout was on"}
    )
    notes = answer_from([plain]).notes
    assert notes == (
        "dropout was on",
        "unverified: its answer is random (dropout); speeds alone were compared, not the answers",
    )


def test_what_was_said_travels_into_the_run() -> None:
    answer = answer_from([rival(PLAIN, 1.0), rival(ONNX, 0.5)])
    advice, *notes = findings_of(answer, "mine.py:model")
    assert (advice.kind, advice.subject, advice.evidence) == ("tune", "mine.py:model", answer.advice)
    assert [note.evidence for note in notes] == list(answer.notes)


def test_the_document_has_what_json_promises() -> None:
    document = answer_from([rival(PLAIN, 1.0), rival(ONNX, 0.5)]).document
    lists = {"winners", "wrong", "lost", "batches", "workers", "notes"}
    assert lists | {"baseline", "advice", "chosen", "code", "interrupted"} == set(document)
    assert {"setup", "ratio", "low", "high", "error", "prepare_s", "pays_after_calls"} <= set(document["winners"][0])
    assert set(document["baseline"]) == {"setup", "median_s"}


def test_an_interrupted_search_tells_what_it_has() -> None:
    stopped = KeyboardInterrupt()
    answer = _sum_up([rival(PLAIN, 1.0), rival(ONNX, 0.5)], LATENCY, stopped)
    assert answer.interrupted is stopped
    assert answer.document["interrupted"]
    assert answer.notes[-1] == CUT_SHORT
    with pytest.raises(KeyboardInterrupt):
        _sum_up([], LATENCY, stopped)
