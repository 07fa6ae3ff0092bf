"""The runner: real workers, and an injected clock; what dies, hangs or is a mistake costs itself alone."""

import os
import signal
import sys
import time
from collections.abc import Callable, Iterator
from functools import partial
from itertools import count
from pathlib import Path
from typing import Any

import cloudpickle
import pytest

from torchstone.errors import UserError
from torchstone.processes import ForkServer, fork_is_safe
from torchstone.processes.killing import BY_ANYBODY
from torchstone.records import HUNG, Finding, Finished, Line, Measurement, Setup
from torchstone.scheduling.case import Case, Listing, Record, Turn, case
from torchstone.scheduling.runner import Progress, Runner, skipped_for_time

OTHER = Setup(dtype="bfloat16")
cloudpickle.register_pickle_by_value(sys.modules[__name__])  # workers do not have the tests on their path


def measured(name: str, setup: Setup | None = None, **rest: Any) -> Measurement:
    return Measurement(name=name, setup=setup or Setup(), unit="s", samples=(1.0,), **rest)


def fine(name: str, **listing: Any) -> Case:
    return case(name, lambda turn: [measured(name)], **listing)


def run(provide: Any, server: ForkServer | None = None, **settings: Any) -> tuple[list[Line], Runner]:
    kept: list[Line] = []
    runner = Runner(provide, kept.append, server=server, **settings)
    runner.run()
    return kept, runner


def names(kept: list[Line]) -> list[str]:
    return [line.name for line in kept if isinstance(line, Measurement)]


@pytest.fixture(scope="module")
def server() -> Iterator[ForkServer | None]:
    """Forks where that is allowed: the tests run with and without."""
    if not fork_is_safe():
        yield None
        return
    with ForkServer(("torch", "torchstone.scheduling.worker")) as started:
        yield started


def three() -> list[Case]:
    return [fine("late", rank=2), fine("first", rank=0), fine("second", rank=1)]


def test_cases_run_in_the_order_of_what_they_tell(server: ForkServer | None) -> None:
    kept, runner = run(three, server)
    assert names(kept) == ["first", "second", "late"]
    assert next(line.case for line in kept if isinstance(line, Finished)) == Listing(name="first").key
    assert runner.left == []


def test_a_new_process_for_each_worker_where_nothing_forks() -> None:
    assert names(run(three)[0]) == ["first", "second", "late"]


def test_what_was_finished_before_is_not_run_again(server: ForkServer | None) -> None:
    assert names(run(three, server, finished=frozenset({Listing(name="first").key}))[0]) == ["second", "late"]


def dies(turn: Turn) -> Iterator[Record]:
    yield measured("before")
    os.kill(os.getpid(), signal.SIGSEGV)


def a_death() -> list[Case]:
    return [case("dies", dies, rank=0), fine("after", rank=1)]


def test_a_case_that_kills_its_worker_costs_itself_alone(server: ForkServer | None) -> None:
    kept, _ = run(a_death, server)
    assert names(kept) == ["before", "dies", "after"]
    lost = next(line for line in kept if isinstance(line, Measurement) and line.name == "dies")
    assert (lost.status, lost.reason) == ("failed", "killed by SIGSEGV")


def is_killed(turn: Turn) -> Iterator[Record]:
    yield measured("before")
    os.kill(os.getpid(), signal.SIGKILL)


def a_kill() -> list[Case]:
    return [case("dies", is_killed)]


def test_a_kill_is_not_taken_for_want_of_memory(server: ForkServer | None) -> None:
    kept, _ = run(a_kill, server)
    lost = next(line for line in kept if isinstance(line, Measurement) and line.name == "dies")
    assert (lost.status, lost.reason) == ("failed", f"killed by SIGKILL{BY_ANYBODY}")


def one_setup_dies(turn: Turn) -> Iterator[Record]:
    if OTHER.key not in turn.excluded:
        turn.begin(OTHER)
        os.kill(os.getpid(), signal.SIGILL)
    yield measured("contest")


def a_rival_that_dies() -> list[Case]:
    return [case("contest", one_setup_dies)]


def test_only_the_setup_at_work_is_blamed_and_the_others_go_on(server: ForkServer | None) -> None:
    kept, _ = run(a_rival_that_dies, server)
    found = [line for line in kept if isinstance(line, Measurement)]
    assert [(one.setup.dtype, one.status) for one in found] == [("bfloat16", "failed"), (None, "ok")]
    assert "SIGILL" in str(found[0].reason)


def saves_and_dies(turn: Turn) -> Iterator[Record]:
    """A contest of two in which one ends the process after a round of both."""
    own = [one for one in turn.earlier if isinstance(one, Measurement)]
    if OTHER.key not in turn.excluded:
        turn.save((measured("contest"), measured("contest", OTHER)))
        turn.begin(OTHER)
        os.kill(os.getpid(), signal.SIGILL)
    yield measured("contest", facts={"earlier": sum(len(one.samples) for one in own)})


def test_the_rounds_of_the_others_survive_who_ends_the_process(server: ForkServer | None) -> None:
    kept, _ = run(lambda: [case("contest", saves_and_dies)], server)
    found = [(one.setup.dtype, one.status) for one in kept if isinstance(one, Measurement)]
    assert found == [(None, "ok"), ("bfloat16", "failed"), (None, "ok")]
    assert [one.facts for one in kept if isinstance(one, Measurement)][-1] == {"earlier": 1}


def saves_and_waits(turn: Turn) -> Iterator[Record]:
    turn.save((measured("contest"),))
    turn.note("saved")
    yield from forever(turn)


def test_an_interrupt_keeps_what_a_case_had_until_then(server: ForkServer | None) -> None:
    kept: list[Line] = []

    def interrupt(progress: Progress) -> None:
        if progress.note == "saved":
            raise KeyboardInterrupt

    runner = Runner(lambda: [case("contest", saves_and_waits)], kept.append, interrupt, server=server)
    with pytest.raises(KeyboardInterrupt):
        runner.run()
    assert names(kept) == ["contest"]
    assert not [one for one in kept if isinstance(one, Finished)], "another sitting goes on with it"


def forever(turn: Turn) -> Iterator[Record]:
    while True:
        time.sleep(1)
    yield measured("never")


JUDGEMENT = Finding(kind="ops", subject="aten::mm", verdict="ok", tier="measured", evidence="", level="ok")


def a_hang() -> list[Case]:
    return [case("hangs", forever, limit_s=0.5, finding=JUDGEMENT, is_timed=False), fine("after", rank=1)]


def test_what_hangs_is_ended_and_judged(server: ForkServer | None) -> None:
    kept, _ = run(a_hang, server)
    found = next(line for line in kept if isinstance(line, Finding))
    assert (found.verdict, found.level, found.evidence) == ("hang", "problem", "did not end within 0.5 s")
    assert names(kept) == ["after"]


def speaks_and_hangs(turn: Turn) -> Iterator[Record]:
    turn.note("calling it")
    yield from forever(turn)


def measures_and_hangs(turn: Turn) -> Iterator[Record]:
    yield measured("stays")
    yield from forever(turn)


def test_what_was_measured_is_not_called_too_slow_as_well(server: ForkServer | None) -> None:
    kept: list[Line] = []
    runner = Runner(
        lambda: [case("stays", measures_and_hangs)],
        kept.append,
        server=server,
        budget_s=10.0,
        now=lambda: 1e6 if names(kept) else 0.0,
    )
    runner.run()
    assert [(one.name, one.status) for one in kept if isinstance(one, Measurement)] == [("stays", "ok")]


def tells_what_it_knows(turn: Turn) -> Iterator[Record]:
    own = [one for one in turn.earlier if isinstance(one, Measurement)]
    yield measured("contest", facts={"earlier": sum(len(one.samples) for one in own)})


def test_a_later_sitting_knows_the_samples_of_the_one_before(server: ForkServer | None) -> None:
    before = measured("contest", contest="contest")
    kept, _ = run(lambda: [case("contest", tells_what_it_knows)], server, known=(before, measured("another")))
    assert [one.facts for one in kept if isinstance(one, Measurement)] == [{"earlier": 1}]


def raises(turn: Turn) -> Iterator[Record]:
    yield measured("before")
    raise RuntimeError("no such kernel: not implemented")


def talkative(turn: Turn) -> Iterator[Record]:
    """Prints and changes a setting while it makes the second of its records."""
    import torch

    yield measured("talkative/first")
    print("from the model")  # noqa: T201
    torch.set_default_dtype(torch.float64)
    yield measured("talkative/second", facts={"batch": 1})
    yield measured("talkative/third", facts={"default": str(torch.get_default_dtype())})


def someone_else() -> list[Case]:
    return [case("talkative", talkative)]


def test_what_a_model_does_besides_is_said_with_its_record(server: ForkServer | None) -> None:
    kept, _ = run(someone_else, server)
    facts = {one.name: one.facts for one in kept if isinstance(one, Measurement)}
    assert facts == {
        "talkative/first": {},
        "talkative/second": {
            "batch": 1,
            "printed characters": len("from the model\n"),
            "changed and restored": "default dtype torch.float32 → torch.float64",
        },
        "talkative/third": {"default": "torch.float32"},
    }


def asks_for_what_is_missing(turn: Turn) -> Iterator[Record]:
    raise UserError("this needs kornia", "pip install it")
    yield measured("never")


def mistakes() -> Iterator[Case | UserError]:
    yield UserError("no loadgen", "pip install it")
    yield case("raises", raises)
    yield case("asks", asks_for_what_is_missing, rank=1)
    yield fine("after", rank=2)


def test_exceptions_are_records_and_mistakes_are_told(server: ForkServer | None) -> None:
    kept, runner = run(mistakes, server)
    assert [(line.name, line.status) for line in kept if isinstance(line, Measurement)] == [
        ("before", "ok"),
        ("raises", "unsupported"),
        ("after", "ok"),
    ]
    assert [one.message for one in runner.mistakes] == ["no loadgen", "this needs kornia"]


def list_nothing() -> list[Case]:
    raise UserError("nothing here", "look elsewhere")


def test_a_mistake_while_listing_is_raised(server: ForkServer | None) -> None:
    with pytest.raises(UserError, match="nothing here"):
        run(list_nothing, server)


def die_at_once() -> list[Case]:
    os._exit(3)


def test_a_worker_that_cannot_even_list_is_explained(server: ForkServer | None) -> None:
    with pytest.raises(UserError, match="before it could list its cases"):
        run(die_at_once, server)


def test_no_cases_at_all(server: ForkServer | None) -> None:
    kept, runner = run(list, server)
    assert kept == [] == runner.left


class TestTheBudget:
    """By a clock that the test moves: every look takes a second."""

    def test_what_is_not_begun_is_said(self, server: ForkServer | None) -> None:
        ticking = count()
        kept, runner = run(three, server, budget_s=4.0, now=lambda: float(next(ticking)))
        begun = len(set(names(kept)))
        assert begun + len(runner.left) == 3
        assert runner.left
        skipped = skipped_for_time(runner.left)
        assert {record.status for record in skipped if isinstance(record, Measurement)} == {"skipped"}

    def test_each_gets_its_share_by_weight(self, server: ForkServer | None, tmp_path: Path) -> None:
        kept, _ = run(partial(weighted, str(tmp_path)), server, budget_s=100.0, now=lambda: 0.0)
        assert len(names(kept)) == 3
        assert [float(Path(tmp_path, name).read_text()) for name in "abc"] == [50.0, 75.0, 100.0]

    def test_where_not_all_fit_those_come_first_that_tell_most_for_their_effort(
        self, server: ForkServer | None
    ) -> None:
        roomy, _ = run(of_efforts, server, budget_s=100.0, now=lambda: 0.0)
        assert names(roomy) == ["telling but heavy", "telling", "beside it", "light"]
        short, _ = run(of_efforts, server, budget_s=10.0, now=lambda: 0.0)
        assert names(short) == ["telling", "light", "beside it", "telling but heavy"]

    def test_without_a_word_of_its_effort_a_case_is_as_heavy_as_its_weight(self) -> None:
        assert Listing(name="a", rank=1, weight=3.0).price == Listing(name="a", rank=1, effort=3.0).price == 6.0

    def test_the_undecided_get_what_is_left_and_what_was_found(self, server: ForkServer | None) -> None:
        kept, _ = run(undecided, server, budget_s=100.0)
        assert names(kept) == ["contest", "other", "contest"]
        assert [len(line.samples) for line in kept if isinstance(line, Measurement)] == [1, 1, 2]

    def test_who_had_a_turn_is_not_called_left_for_want_of_another(self, server: ForkServer | None) -> None:
        kept: list[Line] = []
        runner = Runner(
            never_decided,
            kept.append,
            server=server,
            budget_s=100.0,
            now=lambda: 101.0 if len(names(kept)) > 2 else 0.0,  # over, and nobody is overdue
        )
        runner.run()
        assert names(kept) == ["first", "second", "first"]
        assert runner.left == []

    def test_one_that_hangs_leaves_half_of_the_budget_to_the_others(self, server: ForkServer | None) -> None:
        kept: list[Line] = []
        clock = [0.0]

        def pass_half(progress: Progress) -> None:
            if progress.case == "hangs":
                clock[0] = 51.0

        cases = [case("hangs", forever), fine("after", rank=1)]
        runner = Runner(lambda: cases, kept.append, pass_half, budget_s=100.0, server=server, now=lambda: clock[0])
        runner.run()
        assert [one.status for one in kept if isinstance(one, Measurement)] == ["skipped", "ok"]

    @pytest.mark.parametrize(("hangs", "ended_s"), [(forever, 31), (speaks_and_hangs, 31), (saves_and_waits, 11)])
    def test_a_case_that_showed_something_is_no_longer_starting(
        self, hangs: Callable[[Turn], Iterator[Record]], ended_s: int, server: ForkServer | None
    ) -> None:
        kept: list[Line] = []
        clock = [0.0]

        def pass_time(progress: Progress) -> None:
            if progress.case == "hangs" and (progress.note or hangs is forever):
                clock[0] = float(ended_s) if clock[0] else ended_s - 2.0

        cases = [case("hangs", hangs), fine("after", rank=1)]
        Runner(lambda: cases, kept.append, pass_time, budget_s=20.0, server=server, now=lambda: clock[0]).run()
        lost = next(one for one in kept if isinstance(one, Measurement) and one.name == "hangs")
        assert (lost.status, lost.facts) == ("skipped", {HUNG: True})
        assert f"did not end within {ended_s} s" in (lost.reason or "")

    def test_who_is_ended_with_the_budget_is_not_said_to_hang(self, server: ForkServer | None) -> None:
        kept: list[Line] = []
        clock = [0.0]

        def pass_time(progress: Progress) -> None:
            if progress.case == "slow":
                clock[0] = 23.0

        cases = [fine("first"), case("slow", forever, rank=1)]
        Runner(lambda: cases, kept.append, pass_time, budget_s=20.0, server=server, now=lambda: clock[0]).run()
        lost = next(one for one in kept if isinstance(one, Measurement) and one.name == "slow")
        assert (lost.status, lost.facts) == ("skipped", {})


def of_efforts() -> list[Case]:
    return [
        fine("telling but heavy", rank=0, weight=1.0, effort=9.0),
        fine("telling", rank=0, weight=2.0, effort=0.5),
        fine("beside it", rank=1, weight=2.0),
        fine("light", rank=3, weight=0.3),
    ]


def weighted(folder: str) -> list[Case]:
    def told(name: str, turn: Turn) -> list[Record]:
        Path(folder, name).write_text(str(turn.seconds))
        return [measured(name)]

    weights = {"a": 2.0, "b": 1.5, "c": 0.5}
    return [case(name, partial(told, name), weight=weight) for name, weight in weights.items()]


def never_decided() -> list[Case]:
    def contest(name: str, turn: Turn) -> list[Record]:
        turn.is_undecided = True
        return [measured(name)]

    return [case(name, partial(contest, name)) for name in ("first", "second")]


def undecided() -> list[Case]:
    def contest(turn: Turn) -> list[Record]:
        before = [one for record in turn.earlier if isinstance(record, Measurement) for one in record.samples]
        turn.is_undecided = not before
        return [Measurement(name="contest", setup=Setup(), unit="s", samples=(*before, 1.0))]

    return [case("contest", contest, rank=0), fine("other", rank=1)]


def beside(folder: str) -> list[Case]:
    """Each waits until the other has begun: they end only side by side."""

    def meet(mine: str, other: str, turn: Turn) -> list[Record]:
        Path(folder, mine).touch()
        while not Path(folder, other).exists():
            time.sleep(0.01)
        return [measured(mine)]

    parts = [("a", "b"), ("b", "a")]
    return [case(mine, partial(meet, mine, other), is_timed=False, limit_s=60.0) for mine, other in parts]


def test_what_is_not_timed_runs_side_by_side(server: ForkServer | None, tmp_path: Path) -> None:
    kept, _ = run(partial(beside, str(tmp_path)), server, workers=2)
    assert sorted(names(kept)) == ["a", "b"]
    assert all(line.status == "ok" for line in kept if isinstance(line, Measurement))


def pids() -> list[Case]:
    def tell(name: str, turn: Turn) -> list[Record]:
        return [measured(name, facts={"process": os.getpid()})]

    shared = [case(name, partial(tell, name), rank=0) for name in ("a", "b")]
    return [*shared, case("alone", partial(tell, "alone"), rank=1, is_alone=True)]


def test_cases_share_a_worker_unless_one_must_be_alone(server: ForkServer | None) -> None:
    kept, _ = run(pids, server)
    a, b, alone = (line.facts["process"] for line in kept if isinstance(line, Measurement))
    assert a == b != alone


def test_progress_is_shown(server: ForkServer | None) -> None:
    seen: list[Progress] = []
    run(three, server, show=seen.append)
    assert {one.case for one in seen if one.record is not None} == {"first", "second", "late"}
    assert max(one.done for one in seen) == 3 == seen[-1].total


def test_an_interrupt_leaves_no_worker_behind(server: ForkServer | None) -> None:
    shown: list[Progress] = []

    def interrupt(progress: Progress) -> None:
        shown.append(progress)
        raise KeyboardInterrupt

    runner = Runner(three, lambda line: None, interrupt, server=server)
    with pytest.raises(KeyboardInterrupt):
        runner.run()
    assert all(worker.handle.outcome is not None for worker in runner._team)


def test_after_an_interrupt_it_says_how_many_cases_are_left(server: ForkServer | None) -> None:
    def interrupt(progress: Progress) -> None:
        if progress.done == 1:
            raise KeyboardInterrupt

    runner = Runner(three, lambda line: None, interrupt, server=server)
    with pytest.raises(KeyboardInterrupt):
        runner.run()
    assert [runner.unfinished, len(runner.left)] == [2, 0]


def counting() -> list[Case]:
    def count_known(turn: Turn) -> list[Record]:
        return [measured(f"knows {len(turn.earlier)}")]

    return [fine("first"), fine("second", rank=1), case("third", count_known, rank=2, knows_all=True)]


def test_a_case_may_know_what_all_others_found(server: ForkServer | None) -> None:
    kept, _ = run(counting, server)
    assert names(kept) == ["first", "second", "knows 2"]


def test_the_first_case_is_begun_however_late_where_that_is_wanted(server: ForkServer | None) -> None:
    def late() -> Any:
        looks = count()
        return lambda: 0.0 if next(looks) == 0 else 100.0

    kept, runner = run(three, server, budget_s=4.0, now=late(), begins_anyway=True)
    assert names(kept) == ["first"]
    assert [listing.name for listing in runner.left] == ["second", "late"]
    assert names(run(three, server, budget_s=4.0, now=late())[0]) == []
