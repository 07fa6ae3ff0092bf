"""The answer from records: tied winners together, wrong ones never, the advice not to bother."""

import random

import msgspec
import pytest

from torchstone.errors import UserError
from torchstone.records import Measurement, Scalar, Setup, Status
from torchstone.tuning.advising import LEFT_OUT, findings_of
from torchstone.tuning.answer import answer_from
from torchstone.tuning.doubting import OTHER_THREADS, WAITS_LESS
from torchstone.tuning.scoring import GROWN, LATENCY, Question, scores
from torchstone.tuning.search import CUT_SHORT, _sum_up
from torchstone.tuning.winning import TOO_FEW, TOO_WIDE

PLAIN = Setup(dtype="float32", threads=2)
LAST = Setup(dtype="float32", threads=2, memory_format="channels_last")
TWIN = Setup(dtype="float32", threads=2, memory_format="channels_last", options=("under another name",))
ONNX = Setup(dtype="float32", threads=2, engine="onnxruntime")
ONE = Setup(dtype="float32", threads=1)
NARROW = Setup(dtype="bfloat16", precision="cast", threads=2)
NARROW_ONE = Setup(dtype="bfloat16", precision="cast", threads=1)


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


def lost(setup: Setup, reason: str, contest: str = "tune/m/eager", status: Status = "failed") -> Measurement:
    return Measurement(name=contest, setup=setup, unit="s", status=status, reason=reason)


def test_without_a_plain_run_its_own_reason_is_told_with_what_was_found() -> None:
    records = [
        lost(LAST, "killed by SIGSEGV"),
        lost(PLAIN, "no time was left", status="skipped"),
        lost(PLAIN, "it raised"),
        rival(ONNX, 0.5),
    ]
    answer = answer_from(records)
    assert answer.advice == "the plain run could not be measured: it raised; nothing is recommended"
    assert (answer.winners, answer.chosen, answer.document["baseline"]["median_s"]) == ((), None, None)
    assert [(one.setup, one.reason) for one in answer.lost] == [(LAST, "killed by SIGSEGV")]
    assert any(
        "onnxruntime" in note and "501 ms a call, with nothing to compare it with" in note for note in answer.notes
    )
    assert findings_of(answer, "m")[0].level == "problem"
    assert "could not be measured" in repr(answer)
    with pytest.raises(UserError, match="no time was left"):
        answer_from([])


def test_the_rounds_of_a_contest_that_died_count() -> None:
    """The final was lost, and the first contest began anew: each rival is set beside the plain run that it raced."""
    records = [
        rival(PLAIN, 1.0, "tune/m/eager"),
        rival(LAST, 0.5, "tune/m/eager"),
        lost(ONNX, "hangs"),
        rival(PLAIN, 3.0, "tune/m/eager", seed=1),
        lost(PLAIN, "killed", "tune/m/final"),
    ]
    answer = answer_from(records)
    assert answer.baseline.samples
    assert answer.chosen == LAST
    assert answer.winners[0].ratio == pytest.approx(2.0, rel=0.01)


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
    assert nothing.chosen is None
    unsure = [rival(PLAIN, 1.0, rounds=3), rival(LAST, 0.5, rounds=3), amount(PLAIN, 3e9), amount(LAST, 1e9)]
    answer = answer_from(unsure, Question(memory_bound_bytes=2e9))
    assert answer.advice.startswith("undecided")
    assert answer.chosen is None


def test_a_latency_bound_that_nothing_keeps_is_said_and_one_that_some_keep_excludes_the_others() -> None:
    slow = answer_from([rival(PLAIN, 1.0), rival(ONNX, 0.5)], Question(latency_bound_s=0.1))
    assert "even the fastest call takes 501 ms, and 100 ms are allowed" in slow.advice
    records = [rival(PLAIN, 1.0), rival(LAST, 0.5), amount(PLAIN, 1e8), amount(LAST, 2e8)]
    bounded = answer_from(records, Question("memory", latency_bound_s=0.7))
    assert [winner.setup for winner in bounded.winners] == [LAST]
    assert "1,001 ms" in str(bounded.lost[0].reason)


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


def scattered(setup: Setup, seconds: float, contest: str = "tune/m/final") -> Measurement:
    """So unsteady that no round tells anything."""
    noise = random.Random(setup.key)
    samples = tuple(seconds * noise.choice((0.5, 2.0)) for _ in range(12))
    return Measurement(name=contest, setup=setup, unit="s", samples=samples, contest=contest)


def test_the_table_and_the_advice_agree_where_rounds_are_few() -> None:
    slower = Setup(dtype="float32", threads=2, engine="compile")
    few = [rival(PLAIN, 1.0, rounds=4), rival(ONE, 0.21, rounds=4), rival(slower, 1.24, rounds=4)]
    answer = answer_from(few)
    assert [winner.setup for winner in answer.winners] == [PLAIN]
    assert [(one.setup, one.why) for one in answer.undecided] == [(ONE, TOO_FEW), (slower, TOO_FEW)]
    assert answer.advice.startswith("undecided: the best so far is cpu, eager, 1 thread, 4.76 times as fast")
    shown = repr(answer)
    assert "tied" not in shown
    assert "Not decided: cpu, compile, 2 threads, 0.81×: too few rounds" in shown.replace("\n", " ")


def test_what_is_slower_so_far_is_no_winner_and_not_the_best_so_far() -> None:
    answer = answer_from([rival(PLAIN, 1.0, rounds=4), rival(LAST, 1.24, rounds=4)])
    assert [winner.setup for winner in answer.winners] == [PLAIN]
    assert answer.advice.startswith("undecided: of cpu, eager, channels_last, 2 threads it could not be told")


def test_an_interval_that_tells_nothing_is_not_decided_beside_a_proven_winner() -> None:
    answer = answer_from([rival(PLAIN, 1.0), rival(LAST, 0.7), scattered(ONNX, 0.7)])
    assert [winner.setup for winner in answer.winners] == [LAST]
    assert [(one.setup, one.why) for one in answer.undecided] == [(ONNX, TOO_WIDE)]


def test_a_batch_without_an_interval_is_not_recommended() -> None:
    four, contest = Setup(dtype="float32", threads=2, options=(f"{GROWN}4",)), "tune/m/batches/times=4"
    records = [rival(PLAIN, 1.0), rival(PLAIN, 1.0, contest, rounds=4), rival(four, 2.0, contest, rounds=4)]
    answer = answer_from(records, Question("throughput"))
    assert (answer.batches[0]["low"], answer.chosen) == (None, PLAIN)


def test_the_best_that_keeps_the_bounds_where_the_plain_run_does_not() -> None:
    records = [rival(PLAIN, 1.0), rival(LAST, 1.2), amount(PLAIN, 3e9), amount(LAST, 1e9)]
    answer = answer_from(records, Question(memory_bound_bytes=2e9))
    assert answer.chosen == LAST
    assert "0.834 times as fast" in answer.advice
    assert "the plain run does not keep the bounds" in answer.advice


class TestABusyMachine:
    BUSY = "other programs kept 1.7 of 2 cores busy"

    def test_a_number_of_threads_is_no_merit(self) -> None:
        records = [rival(PLAIN, 1.0), rival(ONE, 0.002), rival(NARROW_ONE, 0.002)]
        quiet, busy = answer_from(records), answer_from(records, busy=self.BUSY)
        assert quiet.chosen is not None
        assert quiet.chosen.threads == 1
        assert busy.chosen == PLAIN
        assert {(one.setup, one.why) for one in busy.undecided} == {(ONE, OTHER_THREADS), (NARROW_ONE, OTHER_THREADS)}
        assert "keep the plain run" in busy.advice
        assert "this machine was busy" in busy.advice
        assert f"this machine was busy: {self.BUSY}" in busy.notes

    def test_the_same_with_the_plain_runs_threads_is_recommended_where_it_was_decided(self) -> None:
        answer = answer_from([rival(PLAIN, 1.0), rival(NARROW, 0.7), rival(NARROW_ONE, 0.002)], busy=self.BUSY)
        assert answer.chosen == NARROW
        assert [one.setup for one in answer.undecided] == [NARROW_ONE]

    def test_who_does_not_beat_the_plain_run_on_one_thread_only_waits_less(self) -> None:
        """The kernels of a narrow dtype may use one thread whatever number they are given."""
        stalled = [rival(PLAIN, 1.0), rival(ONE, 0.001), rival(NARROW, 0.002), rival(ONNX, 0.0005)]
        assert answer_from(stalled[:3], busy=self.BUSY).chosen == PLAIN
        answer = answer_from(stalled, busy=self.BUSY)
        assert answer.chosen == ONNX
        apart = [rival(PLAIN, 1.0, "a"), rival(ONE, 0.001, "a"), rival(PLAIN, 1.0, "b"), rival(NARROW, 0.002, "b")]
        doubted = answer_from(apart, busy=self.BUSY)
        assert {(one.setup, one.why) for one in doubted.undecided} == {(ONE, OTHER_THREADS), (NARROW, WAITS_LESS)}

    def test_a_control_that_was_lost_clears_nobody(self) -> None:
        raced = [rival(PLAIN, 1.0), rival(NARROW, 0.002)]
        assert answer_from([*raced, rival(ONE, 0.001, status="wrong")], busy=self.BUSY).chosen == PLAIN
        assert answer_from(raced, busy=self.BUSY).chosen == NARROW

    def test_a_larger_batch_too_is_set_beside_one_thread(self) -> None:
        four, contest = Setup(dtype="float32", threads=2, options=(f"{GROWN}4",)), "tune/m/batches/times=4"
        raced = [rival(PLAIN, 1.0), *(rival(one, s, contest) for one, s in ((PLAIN, 1.0), (ONE, 0.001), (four, 1.0)))]
        assert answer_from(raced, Question("throughput")).chosen == four
        assert answer_from(raced, Question("throughput"), busy=self.BUSY).chosen == PLAIN

    def test_other_verdicts_stay(self) -> None:
        records = [rival(PLAIN, 1.0), rival(LAST, 0.5), amount(PLAIN, 2.0), amount(ONE, 1.0), rival(ONE, 1.0)]
        assert answer_from(records, busy=self.BUSY).chosen == LAST
        assert answer_from(records, Question("memory"), busy=self.BUSY).chosen == ONE
        least = answer_from(records, Question("memory"), busy=self.BUSY)
        assert least.advice.endswith("how fast it is can't be told on a busy machine")
        assert "times as fast" not in least.advice
        assert any(note.startswith("this machine was busy") for note in least.notes)
        assert "times as fast" in answer_from(records, Question("memory")).advice


class TestUnverifiedAnswers:
    REASON = "its answer changes with every call, because it keeps a state (calls): a counter"

    def unverified(self, setup: Setup, seconds: float) -> Measurement:
        return msgspec.structs.replace(rival(setup, seconds), facts={"unverified": self.REASON})

    @pytest.mark.parametrize(
        "doubtful",
        [
            Setup(dtype="bfloat16", precision="cast", threads=2),
            Setup(dtype="float32", precision="int8 dynamic", threads=2, engine="torchao"),
            Setup(dtype="float32", threads=2, options=("accumulation×2",)),
        ],
    )
    def test_nothing_that_may_change_them_is_recommended_and_the_advice_says_so(self, doubtful: Setup) -> None:
        records = [self.unverified(PLAIN, 1.0), self.unverified(LAST, 0.7), self.unverified(doubtful, 0.3)]
        answer = answer_from(records)
        assert answer.chosen == LAST
        assert [one.setup for one in answer.undecided] == [doubtful]
        assert "(its answer changes with every call, because it keeps a state (calls))" in answer.advice

    def test_nor_one_that_alone_could_not_be_verified(self) -> None:
        answer = answer_from([rival(PLAIN, 1.0), self.unverified(NARROW, 0.3)])
        assert answer.chosen == PLAIN
        assert answer.advice.startswith("keep the plain run: cpu, eager, cast to bfloat16, 2 threads seemed")


@pytest.mark.parametrize(
    ("share", "winner", "is_warned"), [(0.9, ONNX, True), (0.2, ONNX, False), (0.9, LAST, False), (None, ONNX, False)]
)
def test_who_exports_is_warned_of_python_code_that_is_left_out(
    share: float | None, winner: Setup, is_warned: bool
) -> None:
    facts = {} if share is None else {"python_share": share}
    answer = answer_from([msgspec.structs.replace(rival(PLAIN, 1.0), facts=facts), rival(winner, 0.001)])
    assert answer.chosen == winner
    assert (LEFT_OUT in answer.advice) is is_warned
    assert answer.document["baseline"]["python_share"] == share


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
    lists = {"winners", "undecided", "wrong", "lost", "batches", "workers", "notes"}
    assert lists | {"baseline", "advice", "chosen", "code", "interrupted"} == set(document)
    assert {"setup", "ratio", "low", "high", "error", "prepare_s", "pays_after_calls"} <= set(document["winners"][0])
    assert set(document["baseline"]) == {"setup", "median_s", "python_share"}


def test_an_interrupted_search_tells_what_it_has() -> None:
    stopped = KeyboardInterrupt()
    answer = _sum_up([rival(PLAIN, 1.0), rival(ONNX, 0.5)], LATENCY, stopped)
    assert answer.interrupted is stopped
    assert answer.document["interrupted"]
    assert answer.notes[-1] == CUT_SHORT
    with pytest.raises(KeyboardInterrupt):
        _sum_up([], LATENCY, stopped)
