"""Contests by a clock that only work moves: who drops out when, what is kept, and what a scheduler can do with it."""

import gc
import random
from collections.abc import Callable

import pytest
import torch
from tests.measuring.work_clock import WorkClock

import torchstone.pretend as pretend
from torchstone import stats
from torchstone.backends import find_device
from torchstone.measuring.contest import Contest, Goal
from torchstone.measuring.rivals import Rival, synchronizer
from torchstone.measuring.timing import REASON_LIMIT
from torchstone.records import Setup

MS = 1e-3


def contest(clock: WorkClock, *entrants: Rival, goal: Goal = "against_baseline", rows: int = 1) -> Contest:
    return Contest(entrants, goal=goal, rows=rows, now=clock, rng=random.Random(3))


class TestAgainstTheBaseline:
    def test_a_large_difference_takes_eight_rounds_and_drops_out(self) -> None:
        clock = WorkClock()
        near = Rival("near", clock.work(1.01 * MS, 0.02))
        found = contest(clock, Rival("base", clock.work(MS, 0.02)), Rival("far", clock.work(4 * MS, 0.02)), near).run()
        assert (found["far"].verdict, len(found["far"].samples)) == ("slower", 8)
        assert found["far"].why == "decided after 8 rounds"
        assert len(found["near"].samples) == found.rounds == len(found["base"].samples) > 8
        assert found.is_decided
        assert found.baseline == "base"
        assert found["base"].ratio is None

    @pytest.mark.parametrize(("times", "verdict"), [(0.9, "faster"), (1.0, "same"), (1.1, "slower")])
    def test_the_verdicts(self, times: float, verdict: str) -> None:
        clock = WorkClock()
        found = contest(clock, Rival("a", clock.work(2 * MS, 0.01)), Rival("b", clock.work(2 * times * MS, 0.01))).run()
        ratio = found["b"].ratio
        assert found["b"].verdict == verdict
        assert ratio is not None
        assert ratio.ratio == pytest.approx(times, rel=0.01)

    def test_the_samples_alone_give_the_same_ratio_again(self) -> None:
        clock = WorkClock()
        found = contest(clock, Rival("a", clock.work(2 * MS, 0.05)), Rival("b", clock.work(2.02 * MS, 0.05))).run()
        assert found["b"].ratio == stats.paired_ratio(found["a"].samples, found["b"].samples, band=stats.STRICT)

    def test_what_is_surely_alike_ends_sooner_where_less_is_asked(self) -> None:
        def rounds(band: stats.Band) -> int:
            clock = WorkClock()
            pair = Rival("a", clock.work(2 * MS, 0.01)), Rival("b", clock.work(2 * MS, 0.01))
            found = Contest(pair, band=band, now=clock, rng=random.Random(3)).run()
            assert found["b"].verdict == "same"
            return found.rounds

        assert 3 * rounds(stats.BAND) < rounds(stats.STRICT)

    def test_many_rows_ask_for_more_evidence(self) -> None:
        clock = WorkClock()
        found = contest(clock, Rival("a", clock.work(MS)), Rival("b", clock.work(2 * MS)), rows=40).run()
        ratio = found["b"].ratio
        assert ratio is not None
        assert ratio.rounds == 14, "2¹⁴ / 15 is the first over 40 / 0.05"
        assert stats.declare([ratio, *[stats.paired_ratio([1.0] * 8, [1.0] * 8)] * 39])[0] == "slower"

    def test_another_band_asks_another_question(self) -> None:
        clock = WorkClock()
        pair = Rival("reference", clock.work(MS, 0.3)), Rival("mine", clock.work(1.2 * MS, 0.3))
        found = Contest(pair, band=stats.Band(0.2, 1.5), now=clock, rng=random.Random(3)).run()
        assert found["mine"].verdict == "same", "within what is allowed"
        assert found.rounds < 40


class TestSamples:
    def test_short_calls_are_many_a_sample_and_every_sample_is_long_enough(self) -> None:
        clock = WorkClock()
        found = contest(clock, Rival("a", clock.work(3e-6)), Rival("b", clock.work(7 * MS))).run()
        assert found["a"].calls_per_sample * 3e-6 >= 1 * MS
        assert found["b"].calls_per_sample == 1
        assert found["a"].samples[0] == pytest.approx(3e-6)
        assert found["b"].samples[0] == pytest.approx(7 * MS)

    def test_one_call_before_each_sample_is_not_counted(self) -> None:
        clock = WorkClock()
        last: list[str] = []

        def work(name: str) -> Callable[[], None]:
            def call() -> None:
                clock.at += 2 * MS if last[-1:] == [name] else 5 * MS  # the other has filled the caches
                last.append(name)

            return call

        found = contest(clock, Rival("a", work("a")), Rival("b", work("b"))).run()
        assert found["a"].samples + found["b"].samples == pytest.approx([2 * MS] * 2 * found.rounds)

    def test_a_long_call_is_called_once_a_sample(self) -> None:
        clock = WorkClock()
        contest(clock, Rival("a", clock.work(2.0, name="a")), Rival("b", clock.work(9.0, name="b"))).run(most_rounds=5)
        assert clock.calls.count("a") == clock.calls.count("b") == 2 + 5, "two to warm up"

    def test_the_order_is_drawn_by_lot(self) -> None:
        clock = WorkClock()
        one = contest(
            clock, Rival("a", clock.work(2.0, name="a")), Rival("b", clock.work(2.0, name="b")), goal="all_rounds"
        )
        one.run(most_rounds=40)
        firsts = clock.calls[4::2]
        assert len(firsts) == 40
        assert 10 < firsts.count("a") < 30

    def test_a_call_that_gets_faster_is_warmed_up(self) -> None:
        clock = WorkClock()
        falling = iter([1.0, 0.8, 0.4, 0.2, 0.1])

        def warming() -> None:
            clock.at += next(falling, 0.05)

        found = contest(clock, Rival("a", clock.work(0.1)), Rival("b", warming)).run()
        assert found["b"].samples == pytest.approx([0.05] * 8)
        assert found["b"].first_call_s == 1.0


class TestOnAnAsynchronousDevice:
    def test_the_clock_waits_for_each_rivals_own_device(self, pretend_device: str, steady_time: WorkClock) -> None:
        x = torch.ones(2, device=pretend_device)
        backend, device = find_device("pretend")
        with pretend.configure(asynchronous=True, slow={"aten::mul": 0.06, "aten::add": 0.002}):
            found = contest(
                steady_time,
                Rival("host", steady_time.work(2 * MS)),
                Rival("add", lambda: x + x, synchronizer(backend, device.id)),
                Rival("mul", lambda: x * x, synchronizer(backend, device.id)),
                Rival("mul, not waited for", lambda: x * x),
            ).run(most_rounds=20)
        assert found["add"].samples == pytest.approx([2 * MS] * len(found["add"].samples), rel=0.05)
        assert found["mul"].samples == pytest.approx([60 * MS] * 8, rel=0.05)
        assert max(found["mul, not waited for"].samples) < 2 * MS


class TestSwitching:
    def test_each_rival_runs_with_its_own_threads_and_pays_for_no_switch(self) -> None:
        clock = WorkClock()
        state = {"threads": 0, "fresh": 0}

        def switch_to(threads: int) -> Callable[[], None]:
            def switch() -> None:
                state.update(threads=threads, fresh=1)

            return switch

        def work() -> int:
            clock.at += 2 * MS / state["threads"] + 10 * MS * state["fresh"]  # a new pool is built by the first call
            state["fresh"] = 0
            return state["threads"]

        two, also_two, one = (Rival(name, work, switch=switch_to(n)) for name, n in (("2", 2), ("2 too", 2), ("1", 1)))
        found = contest(clock, two, also_two, one).run()
        assert found["2"].samples + found["2 too"].samples == pytest.approx([MS] * 16)
        assert found["1"].samples == pytest.approx([2 * MS] * 8)

    def test_contests_can_take_turns_in_one_process(self) -> None:
        clock = WorkClock()
        threads = [0]

        def rival(count: int) -> Rival:
            def work() -> None:
                assert threads[0] == count
                clock.at += 2 * MS

            return Rival(f"{count}", work, switch=lambda: threads.__setitem__(0, count))

        first, second = contest(clock, rival(1), rival(2)), contest(clock, rival(3), rival(4))
        while first.step() | second.step():
            pass
        assert [standing.status for one in (first, second) for standing in one.result().standings] == ["ok"] * 4

    def test_a_switch_for_some_alone_is_refused(self) -> None:
        with pytest.raises(ValueError, match="either every rival"):
            Contest([Rival("a", lambda: 1), Rival("b", lambda: 1, switch=lambda: None)])


class TestWhatGoesWrong:
    def test_who_raises_leaves_and_the_others_go_on(self) -> None:
        clock = WorkClock()
        work, left = clock.work(2 * MS), iter(range(12))

        def fragile() -> None:
            next(left)
            work()

        found = contest(
            clock, Rival("a", clock.work(2 * MS)), Rival("fragile", fragile), Rival("c", clock.work(3 * MS))
        ).run()
        assert (found["fragile"].status, found["fragile"].ending) == ("failed", "failed")
        assert "StopIteration" in (found["fragile"].reason or "")
        assert 0 < len(found["fragile"].samples) < 8
        assert found["fragile"].verdict == "unclear"
        assert found["c"].verdict == "slower"

    def test_a_baseline_that_cannot_run_gives_its_place_to_the_next(self) -> None:
        clock = WorkClock()

        def missing() -> None:
            raise NotImplementedError("no such kernel")

        found = contest(
            clock, Rival("a", missing), Rival("b", clock.work(2 * MS)), Rival("c", clock.work(3 * MS))
        ).run()
        assert found["a"].status == "unsupported"
        assert found.baseline == "b"
        assert found["c"].verdict == "slower"

    def test_a_baseline_lost_on_the_way_ends_the_comparing_and_says_so(self) -> None:
        clock = WorkClock()
        left, work = iter(range(8)), clock.work(2 * MS)

        def fragile() -> None:
            next(left)
            work()

        found = contest(clock, Rival("a", fragile), Rival("b", clock.work(3 * MS))).run()
        assert found.baseline == "a"
        assert len(found["a"].samples) < len(found["b"].samples) == 8
        assert found["b"].verdict == "unclear"
        assert "the baseline left after" in found["b"].why

    def test_who_is_left_alone_still_gets_samples(self) -> None:
        clock = WorkClock()
        found = contest(clock, Rival("a", clock.work(2 * MS)), Rival("b", lambda: 1 / 0)).run()
        assert len(found["a"].samples) == 8
        assert found["b"].reason == "ZeroDivisionError: division by zero"
        assert found["b"].samples == ()

    def test_all_failing_is_no_error(self) -> None:
        found = contest(WorkClock(), Rival("a", lambda: 1 / 0), Rival("b", lambda: 1 / 0)).run()
        assert [one.status for one in found.standings] == ["failed", "failed"]
        assert found.rounds == 0

    def test_a_long_message_is_cut(self) -> None:
        def fail() -> None:
            raise RuntimeError("x" * 10_000)

        found = contest(WorkClock(), Rival("a", fail), Rival("b", fail)).run()
        assert len(found["a"].reason or "") == REASON_LIMIT

    def test_an_interrupted_round_leaves_the_samples_aligned(self) -> None:
        clock = WorkClock()
        interrupting = [False]
        work = clock.work(2 * MS)

        def call() -> None:
            if interrupting[0]:
                raise KeyboardInterrupt
            work()

        one = contest(clock, Rival("a", clock.work(2 * MS)), Rival("b", call), Rival("c", clock.work(2 * MS)))
        while one.rounds < 3:
            one.step()
        interrupting[0] = True
        for _ in range(5):  # whatever the order drawn
            with pytest.raises(KeyboardInterrupt):
                one.step()
        assert {len(standing.samples) for standing in one.result().standings} == {3}
        assert gc.isenabled()

    @pytest.mark.parametrize("wrong_from", [1, 4, 30, 10_000])
    def test_an_answer_that_goes_wrong_is_seen(self, wrong_from: int) -> None:
        clock = WorkClock()
        count = 0

        def call() -> int:
            nonlocal count
            clock.at += 2 * MS
            count += 1
            return count

        check = lambda output: "differs" if output >= wrong_from else None  # noqa: E731
        one = contest(clock, Rival("a", clock.work(2 * MS)), Rival("b", call, check=check), goal="all_rounds")
        found = one.run(most_rounds=30)["b"]
        assert (found.status, found.reason) == (("ok", None) if wrong_from == 10_000 else ("wrong", "differs"))
        assert found.verdict == ("same" if wrong_from == 10_000 else "unclear")

    def test_the_last_answer_of_who_drops_out_is_checked_too(self) -> None:
        clock = WorkClock()

        def check(_: object) -> str | None:
            return "late" if one.rounds > 8 else None  # the last of the rounds at which answers are looked at

        one = contest(clock, Rival("a", clock.work(MS)), Rival("b", clock.work(9 * MS), check=check), rows=40)
        found = one.run()["b"]
        assert (found.status, found.reason, len(found.samples)) == ("wrong", "late", 14)

    def test_nothing_is_faster_than_a_wrong_baseline(self) -> None:
        clock = WorkClock()
        one = contest(
            clock,
            Rival("a", clock.work(2 * MS), check=lambda _: "differs" if one.rounds else None),
            Rival("b", clock.work(MS)),
        )
        found = one.run()
        assert (found.baseline, found["a"].status) == ("a", "wrong")
        assert (found["b"].ratio, found["b"].verdict, found["b"].status) == (None, "unclear", "ok")
        assert len(found["b"].samples) == 8

    def test_a_clock_that_stands_still_is_no_time(self) -> None:
        found = contest(WorkClock(), Rival("a", lambda: None), Rival("b", lambda: None)).run()
        assert found["a"].reason == "RuntimeError: the clock did not move during 1000000 calls"

    def test_finishing_before_the_first_call_calls_nobody(self) -> None:
        never = Rival("a", lambda: pytest.fail("called"), check=lambda _: "wrong")
        found = contest(WorkClock(), never, Rival("b", lambda: 1)).finish()
        assert found["a"].why == "stopped before its first round"

    def test_one_alone_is_timed(self) -> None:
        clock = WorkClock()
        for goal in ("against_baseline", "fastest"):
            found = contest(clock, Rival("a", clock.work(2 * MS)), goal=goal).run()
            assert len(found["a"].samples) == 8

    @pytest.mark.parametrize("names", [["a", "a"], []])
    def test_what_is_no_contest(self, names: list[str]) -> None:
        with pytest.raises(ValueError, match="a name of its own"):
            Contest([Rival(name, lambda: 1) for name in names])


class TestTime:
    def test_the_seconds_are_kept_and_more_can_be_given_later(self) -> None:
        clock = WorkClock()
        one = contest(clock, Rival("a", clock.work(0.1, 0.05)), Rival("b", clock.work(0.101, 0.05)))
        first = one.run(within_s=5.0)
        assert clock.at <= 5.0
        assert not first.is_decided
        assert first["b"].why == f"stopped after {first.rounds} rounds"
        more = one.run(within_s=500.0)
        assert more.is_decided
        assert more["b"].samples[: first.rounds] == first["b"].samples

    def test_too_few_rounds_are_said(self) -> None:
        clock = WorkClock()
        found = contest(clock, Rival("a", clock.work(10.0)), Rival("b", clock.work(20.0))).run(within_s=130.0)
        assert found["b"].verdict == "unclear"
        assert found["b"].why == "undecided for want of samples: 2 rounds, and 8 are the fewest that decide"
        assert found["b"].ratio is not None
        assert found["b"].ratio.ratio == 2.0

    def test_one_round_is_run_in_any_case(self) -> None:
        clock = WorkClock()
        assert contest(clock, Rival("a", clock.work(10.0)), Rival("b", clock.work(20.0))).run(within_s=1.0).rounds == 1

    def test_progress_and_what_a_round_will_take(self) -> None:
        clock = WorkClock()
        one = contest(clock, Rival("a", clock.work(2.0)), Rival("b", clock.work(3.0)))
        assert (one.progress, one.round_s) == ("warming up a", 0.0)
        one.step()
        assert one.progress == "warming up b"
        one.step()
        one.step()
        assert (one.progress, one.rounds, one.live) == ("round 2, 2 of 2 still in", 1, ("a", "b"))
        assert one.round_s == pytest.approx(5.0)
        assert one.result()["b"].why.startswith("undecided for want of samples: 1 round")


class TestTheFastest:
    def test_the_beaten_drop_out_and_the_best_stays(self) -> None:
        clock = WorkClock()
        times = {"base": 4.0, "slow": 9.0, "best": 2.0, "near": 2.2}
        found = contest(
            clock, *(Rival(name, clock.work(time * MS, 0.02)) for name, time in times.items()), goal="fastest"
        ).run()
        assert [one.name for one in found.fastest] == ["best"]
        assert {found[name].ending for name in ("base", "slow", "near")} == {"beaten"}
        assert found["base"].why.startswith("beaten by best after")
        assert len(found["slow"].samples) < len(found["near"].samples) + 1
        assert found["best"].verdict == "faster", "than the baseline, by the rounds that both ran"

    def test_alike_ones_are_tied_and_it_ends(self) -> None:
        clock = WorkClock()
        names = {"a": 2.0, "b": 2.0, "c": 3.0}
        found = contest(
            clock, *(Rival(name, clock.work(time * MS, 0.01)) for name, time in names.items()), goal="fastest"
        ).run()
        assert found.is_decided
        assert {one.name for one in found.fastest} == {"a", "b"}

    def test_the_best_is_hardly_ever_lost(self) -> None:
        lost = 0
        for seed in range(60):
            clock = WorkClock(noise=random.Random(seed))
            entrants = [Rival(f"{n}", clock.work((2.0 if n == 3 else 2.02) * MS, 0.1)) for n in range(5)]
            one = Contest(entrants, goal="fastest", now=clock, rng=random.Random(seed))
            lost += "3" not in [standing.name for standing in one.run(most_rounds=120).fastest]
        assert lost <= 3


def test_a_record_says_how_it_was_measured() -> None:
    clock = WorkClock()
    found = contest(clock, Rival("a", clock.work(1e-4)), Rival("b", clock.work(2 * MS))).run()
    record = found["a"].as_measurement("inference/net", Setup(threads=1), {"items": 8}, contest="net")
    assert (record.name, record.contest, record.protocol, record.status) == ("inference/net", "net", "contest", "ok")
    assert record.samples == found["a"].samples
    assert record.calls_per_sample == found["a"].calls_per_sample > 1
    assert record.facts == {"items": 8}


class TestGoingOn:
    def test_a_contest_goes_on_from_the_samples_of_an_earlier_sitting(self) -> None:
        clock = WorkClock()
        earlier = {"a": [1.0] * 5, "b": [2.0] * 5}
        one = Contest(
            [Rival("a", clock.work(1.0)), Rival("b", clock.work(2.0))], now=clock, rng=random.Random(1), earlier=earlier
        )
        assert one.rounds == 5
        found = one.run()
        assert found["b"].samples[:5] == (2.0,) * 5
        assert found.rounds == len(found["b"].samples) < 5 + stats.fewest_rounds()

    @pytest.mark.parametrize("behind", ["a", "b", "c"])
    def test_who_is_behind_cannot_join_as_samples_must_stay_aligned(self, behind: str) -> None:
        clock = WorkClock()
        earlier = {name: [1.0] * (2 if name == behind else 5) for name in "abc"}
        rivals = [Rival(name, clock.work(seconds)) for name, seconds in (("a", 1.0), ("b", 1.5), ("c", 2.0))]
        found = Contest(rivals, now=clock, earlier=earlier).run()
        assert found[behind].samples == (1.0, 1.0)
        assert found[behind].why == "too late to join: the others had run 5 rounds before"
        others = [one for one in found.standings if one.name != behind]
        assert {len(one.samples) for one in others} == {found.rounds}
        assert found.rounds > 5

    def test_who_costs_the_others_their_rounds_is_withdrawn(self) -> None:
        clock = WorkClock()
        one = contest(clock, Rival("a", clock.work(1.0)), Rival("b", clock.work(500.0)))
        while one.next_cold is not None:
            one.step()
        assert one.call_s == {"a": 1.0, "b": 500.0}
        one.withdraw("b", "too slow")
        found = one.run()["b"]
        assert (found.samples, found.ending, found.why) == ((), "stopped", "too slow")
