"""Statistics against values computed by hand, against scipy, as properties, and by simulation with fixed seeds."""

import math
import random
from collections.abc import Callable
from statistics import median
from typing import Any, Literal

import numpy as np
import pytest
import scipy.stats
from hypothesis import given
from hypothesis import strategies as st

from torchstone import stats
from torchstone.stats import Interval, PairedRatio

TIMES = st.floats(1e-9, 1e4)
ANYTHING = st.floats(-1e6, 1e6)


@pytest.mark.parametrize("trials", [1, 2, 7, 64, 1000])
@pytest.mark.parametrize("probability", [0.01, 0.1, 0.5, 0.9, 0.999])
def test_binomial_cdf_is_scipys(trials: int, probability: float) -> None:
    for successes in {0, 1, trials // 3, trials // 2, trials - 1, trials}:
        expected = float(scipy.stats.binom.cdf(successes, trials, probability))
        assert stats.binomial_cdf(successes, trials, probability) == pytest.approx(expected, rel=1e-9, abs=1e-12)


def test_binomial_cdf_by_hand() -> None:
    assert stats.binomial_cdf(-1, 5, 0.5) == 0.0
    assert stats.binomial_cdf(5, 5, 0.5) == 1.0
    assert stats.binomial_cdf(0, 3, 0.5) == pytest.approx(1 / 8)
    assert stats.binomial_cdf(1, 3, 0.5) == pytest.approx(4 / 8)
    assert stats.binomial_cdf(50_000, 100_000, 0.5) == pytest.approx(0.5, abs=0.01)


class TestQuantileInterval:
    @pytest.mark.parametrize(
        ("count", "ranks"),
        # Conover's table of the sign test at 5 %: the k-th smallest and k-th largest of n.
        [(5, None), (6, (0, 5)), (8, (0, 7)), (9, (1, 7)), (10, (1, 8)), (15, (3, 11)), (20, (5, 14)), (100, (39, 60))],
    )
    def test_ranks_of_the_median(self, count: int, ranks: tuple[int, int] | None) -> None:
        assert stats.interval_ranks(count) == ranks

    def test_none_without_samples(self) -> None:
        assert stats.quantile_interval([]) is None

    def test_by_hand(self) -> None:
        assert stats.quantile_interval([3.0, 1.0, 2.0, 6.0, 5.0, 4.0]) == Interval(3.5, 1.0, 6.0, 0.95)

    @pytest.mark.parametrize("quantile", [0.1, 0.5, 0.9])
    @pytest.mark.parametrize("count", [50, 75, 200])
    def test_as_wide_as_scipys(self, quantile: float, count: int) -> None:
        samples = np.random.default_rng(count).exponential(size=count)
        test: Any = scipy.stats.quantile_test(samples, q=0.0, p=quantile)  # the stubs take the interval for a float
        expected = test.confidence_interval(0.95)
        found = stats.quantile_interval(samples.tolist(), quantile)
        assert found is not None
        assert (found.low, found.high) == (expected.low, expected.high)

    @given(st.lists(ANYTHING, min_size=6, max_size=60))
    def test_holds_the_median_and_sees_no_order(self, samples: list[float]) -> None:
        found = stats.quantile_interval(samples)
        assert found is not None
        assert found.low <= found.estimate <= found.high
        assert found.estimate == pytest.approx(median(samples))
        assert found == stats.quantile_interval(samples[::-1])

    @given(st.lists(st.integers(-1000, 1000), min_size=6, max_size=60), st.integers(-100, 100))
    def test_moves_and_scales_with_the_samples(self, samples: list[int], shift: int) -> None:
        plain = stats.quantile_interval(samples)
        moved = stats.quantile_interval([sample + shift for sample in samples])
        scaled = stats.quantile_interval([sample * 4.0 for sample in samples])
        mirrored = stats.quantile_interval([-sample for sample in samples])
        assert plain is not None
        assert moved == Interval(plain.estimate + shift, plain.low + shift, plain.high + shift, 0.95)
        assert scaled == Interval(plain.estimate * 4, plain.low * 4, plain.high * 4, 0.95)
        assert mirrored == Interval(-plain.estimate, -plain.high, -plain.low, 0.95)

    @given(st.lists(ANYTHING, min_size=10, max_size=60))
    def test_more_confidence_is_wider(self, samples: list[float]) -> None:
        narrow, wide = (stats.quantile_interval(samples, 0.5, confidence) for confidence in (0.8, 0.99))
        assert narrow is not None
        assert wide is not None
        assert wide.low <= narrow.low <= narrow.high <= wide.high

    @pytest.mark.parametrize("count", [6, 30, 101])
    def test_covers_the_true_median_as_promised(self, count: int) -> None:
        # 2,000 draws: the share's own standard error is 0.5 %, so 93.5 % is three of them below 95 %.
        draws = np.sort(np.random.default_rng(7).exponential(size=(2000, count)), axis=1)
        ranks = stats.interval_ranks(count)
        assert ranks is not None
        inside = (draws[:, ranks[0]] <= math.log(2)) & (math.log(2) <= draws[:, ranks[1]])
        assert inside.mean() >= 0.935


class TestPercentile:
    @pytest.mark.parametrize(("wanted", "needed"), [(0.5, 11), (0.9, 64), (0.95, 130), (0.97, 219), (0.99, 662)])
    def test_samples_needed_as_loadgen_asks(self, wanted: float, needed: int) -> None:
        assert stats.samples_needed(wanted) == needed
        assert scipy.stats.binom.cdf(1, needed, 1 - wanted) <= 0.01
        assert scipy.stats.binom.cdf(1, needed - 1, 1 - wanted) > 0.01

    def test_p90_of_63_samples_is_refused_and_what_they_support_is_named(self) -> None:
        found = stats.percentile([float(n) for n in range(63)], 0.9)
        assert found.value is None
        assert (found.samples, found.samples_needed, found.supported) == (63, 64, 0.89)
        assert found.supported_value is not None

    def test_p90_of_64_samples_is_the_second_largest(self) -> None:
        assert stats.percentile([float(n) for n in range(64)], 0.9).value == 62.0

    @pytest.mark.parametrize("samples", [[], [1.0], [1.0] * 10])
    def test_hardly_any_samples_support_nothing(self, samples: list[float]) -> None:
        found = stats.percentile(samples, 0.5)
        assert (found.value, found.supported, found.supported_value) == (None, None, None)

    @given(st.lists(TIMES, min_size=64, max_size=150))
    def test_the_bound_rises_with_the_percentile(self, samples: list[float]) -> None:
        bounds = [stats.percentile(samples, wanted).value for wanted in (0.5, 0.7, 0.8, 0.9)]
        known = [bound for bound in bounds if bound is not None]
        assert len(known) == 4
        assert known == sorted(known)
        assert known[-1] <= max(samples)

    def test_the_bound_is_one_at_99_percent(self) -> None:
        draws = np.random.default_rng(3).exponential(size=(300, 200))
        bounds = [stats.percentile(row.tolist(), 0.9).value for row in draws]
        true = -math.log(0.1)
        assert np.mean([bound is not None and bound >= true for bound in bounds]) >= 0.97


class TestEvidence:
    @pytest.mark.parametrize(
        ("rounds", "above", "evidence"),
        # 2ⁿ · B(s+1, n−s+1) = 2ⁿ / ((n+1) · C(n, s)), by hand.
        [(0, 0, 1.0), (1, 0, 1.0), (2, 1, 2 / 3), (7, 0, 16.0), (8, 0, 256 / 9), (8, 8, 256 / 9), (12, 1, 4096 / 156)],
    )
    def test_by_hand(self, rounds: int, above: int, evidence: float) -> None:
        assert math.exp(stats.log_evidence(rounds, above)) == pytest.approx(evidence)

    @pytest.mark.parametrize("rounds", [1, 2, 9, 50])
    def test_a_fair_coin_gives_1_on_average(self, rounds: int) -> None:
        terms = [math.comb(rounds, s) / 2**rounds * math.exp(stats.log_evidence(rounds, s)) for s in range(rounds + 1)]
        assert sum(terms) == pytest.approx(1.0)

    @pytest.mark.parametrize(
        ("rounds", "rank"), [(0, None), (7, None), (8, 0), (11, 0), (12, 1), (16, 2), (40, 10), (100, 34)]
    )
    def test_the_rank(self, rounds: int, rank: int | None) -> None:
        assert stats.anytime_rank(rounds) == rank
        if rank is not None:
            below, at = (math.exp(stats.log_evidence(rounds, k)) for k in (rank, rank + 1))
            assert below >= 20 > at

    def test_eight_rounds_that_agree_decide(self) -> None:
        assert stats.fewest_rounds() == 8
        assert stats.fewest_rounds(0.99) == 11


class TestPairedRatio:
    @given(st.lists(TIMES, min_size=1, max_size=40))
    def test_a_against_itself_is_one(self, a: list[float]) -> None:
        found = stats.paired_ratio(a, a)
        assert found.ratio == 1.0
        assert found.rounds == len(a)
        assert found.verdict == ("same" if len(a) >= 8 else "unclear")
        assert found.e_value <= 1.0 + 1e-9

    def test_by_hand(self) -> None:
        found = stats.paired_ratio([1.0] * 8, [2.0, 2.1, 1.9, 2.2, 1.8, 2.0, 2.0, 2.0])
        assert found.ratio == 2.0
        assert found.interval == Interval(2.0, 1.8, 2.2, 0.95)
        assert found.verdict == "slower"
        assert found.e_value == pytest.approx(256 / 9)

    def test_the_intervals_of_all_rounds_are_intersected(self) -> None:
        narrow, wide = [1.0] * 8, [0.5, 2.0] * 2
        found = stats.paired_ratio([1.0] * 12, narrow + wide)
        assert found.interval == Interval(1.0, 1.0, 1.0, 0.95)
        alone = stats.paired_ratio([1.0] * 12, narrow + wide, intersected=False).interval
        assert alone == Interval(1.0, 0.5, 2.0, 0.95)

    def test_rounds_that_contradict_each_other_say_nothing(self) -> None:
        found = stats.paired_ratio([1.0] * 108, [2.0] * 8 + [1.0] * 100)
        assert found.is_contradicted
        assert found.verdict == "unclear"
        assert found.interval == Interval(1.0, 1.0, 1.0, 0.95), "the last look's own"

    @given(st.lists(st.tuples(TIMES, TIMES), min_size=8, max_size=40))
    def test_swapped_it_is_turned_over(self, pairs: list[tuple[float, float]]) -> None:
        a, b = zip(*pairs, strict=True)
        there, back = stats.paired_ratio(a, b), stats.paired_ratio(b, a)
        opposite = {"faster": "slower", "slower": "faster", "same": "same", "unclear": "unclear"}
        assert there.ratio * back.ratio == pytest.approx(1.0)
        assert there.interval is not None
        assert back.interval is not None
        assert there.interval.low * back.interval.high == pytest.approx(1.0)
        assert there.interval.low <= there.ratio <= there.interval.high
        edges = [stats.BAND.low, stats.BAND.high]
        if all(abs(end / edge - 1) > 1e-9 for end in (there.interval.low, there.interval.high) for edge in edges):
            assert back.verdict == opposite[there.verdict]

    @given(st.lists(st.tuples(TIMES, TIMES), min_size=1, max_size=40), st.integers(0, 20))
    def test_who_dropped_out_has_the_first_rounds_alone(self, pairs: list[tuple[float, float]], more: int) -> None:
        a, b = ([*one] for one in zip(*pairs, strict=True))
        assert stats.paired_ratio([*a, *[1.0] * more], b) == stats.paired_ratio(a, b)

    def test_a_look_after_every_round_says_what_the_samples_say_later(self) -> None:
        noise = random.Random(4)
        running, a, b = stats.RunningRatio(), [], []
        for _ in range(60):
            a.append(math.exp(noise.gauss(0, 0.03)))
            b.append(math.exp(noise.gauss(0.02, 0.03)))
            running.add(a[-1], b[-1])
            assert running.look() == stats.paired_ratio(a, b)

    @pytest.mark.parametrize(("a", "b"), [([1.0], []), ([], []), ([0.0], [1.0]), ([1.0], [-1.0])])
    def test_what_has_no_ratio(self, a: list[float], b: list[float]) -> None:
        with pytest.raises(ValueError, match=r"no round|positive"):
            stats.paired_ratio(a, b)

    @pytest.mark.parametrize(
        ("low", "high", "verdict"),
        [
            (0.90, 0.95, "faster"),
            (0.90, 0.98, "unclear"),
            (1.04, 1.10, "slower"),
            (1.02, 1.10, "unclear"),
            (0.98, 1.02, "same"),
            (0.90, 1.10, "unclear"),
        ],
    )
    def test_a_difference_counts_only_beyond_the_margin(
        self, low: float, high: float, verdict: Literal["faster", "slower", "same", "unclear"]
    ) -> None:
        middle = (low + high) / 2
        assert stats.verdict_of(low, high) == verdict
        assert PairedRatio(middle, Interval(middle, low, high, 0.95), stats.BAND, 100, 1.0).verdict == verdict

    @pytest.mark.parametrize(
        ("low", "high", "verdict"),
        [(0.98, 1.02, "unclear"), (0.996, 1.004, "same"), (1.006, 1.02, "slower"), (0.98, 0.994, "faster")],
    )
    def test_a_strict_one_tells_half_a_percent(self, low: float, high: float, verdict: str) -> None:
        assert stats.verdict_of(low, high, stats.STRICT) == verdict

    def test_too_few_rounds_say_nothing(self) -> None:
        assert stats.paired_ratio([1.0] * 7, [2.0] * 7).verdict == "unclear"
        assert stats.paired_ratio([1.0] * 7, [2.0] * 7).interval is None

    def test_evidence_is_finite_however_many_rounds(self) -> None:
        assert math.isfinite(stats.paired_ratio([1.0] * 3000, [2.0] * 3000).e_value)


def run_until_decided(draw: Callable[[], float], most: int = 200) -> tuple[str, int]:
    """The verdict of a contest by simulated log-ratios, looked at after every round."""
    running = stats.RunningRatio(band=stats.STRICT)
    for _ in range(most):
        running.add(1.0, math.exp(draw()))
        found = running.look().verdict
        if found != "unclear":
            return found, running.rounds
    return "unclear", most


class TestLookingAfterEveryRound:
    """Simulated with fixed seeds: the promises, each with a look after every round."""

    @pytest.mark.parametrize("scale", [0.01, 0.1])
    def test_the_interval_holds_at_all_rounds_at_once(self, scale: float) -> None:
        noise, missed = random.Random(5), 0
        for _ in range(300):
            running, ever = stats.RunningRatio(), False
            for _ in range(150):
                running.add(1.0, math.exp(0.3 + noise.gauss(0, scale) * (10 if noise.random() < 0.05 else 1)))
                found = running.look()
                ever |= found.interval is not None and not found.interval.low <= math.exp(0.3) <= found.interval.high
            missed += ever
        assert missed <= 0.05 * 300

    def test_alike_rivals_raise_no_alarm_though_the_machine_drifts(self) -> None:
        # The order is drawn by lot: whoever runs second of a pair pays for the drift within the round.
        noise, alarms = random.Random(6), 0
        for _ in range(200):
            level = iter([0.01 * math.sin(step / 9) + 0.02 for step in range(200)])
            alarms += run_until_decided(lambda: noise.choice((-1, 1)) * next(level))[0] in ("faster", "slower")  # noqa: B023
        assert alarms <= 0.05 * 200

    @pytest.mark.parametrize(("change", "at_most"), [(0.03, 40), (0.1, 12), (1.0, 8)])
    def test_the_larger_the_change_the_fewer_the_rounds(self, change: float, at_most: int) -> None:
        noise = random.Random(7)
        found = [run_until_decided(lambda: math.log1p(change) + noise.gauss(0, 0.02)) for _ in range(60)]
        assert [verdict for verdict, _ in found] == ["slower"] * 60
        assert median(rounds for _, rounds in found) <= at_most

    def test_an_ordinary_interval_would_cry_wolf(self) -> None:
        noise, alarms = random.Random(8), 0
        for _ in range(100):
            ratios: list[float] = []
            for _ in range(150):
                ratios.append(noise.gauss(0, 0.1))
                found = stats.quantile_interval(ratios)
                if found is not None and (found.low > math.log1p(0.005) or found.high < -math.log1p(0.005)):
                    alarms += 1
                    break
        assert alarms > 10, "which is why it is not looked at after every round"


class TestManyRows:
    @pytest.mark.parametrize(
        ("e_values", "declared"),
        [
            ([], []),
            ([19.0], [False]),
            ([20.0], [True]),
            # Of four rows: 80 alone, 40 each for two, 26.7 for three, 20 for four.
            ([30.0, 30.0, 1.0, 0.5], [False, False, False, False]),
            ([200.0, 30.0, 1.0, 0.5], [True, False, False, False]),
            ([40.0, 1.0, 41.0, 0.5], [True, False, True, False]),
            ([20.0, 20.0, 20.0, 20.0], [True] * 4),
        ],
    )
    def test_e_bh_by_hand(self, e_values: list[float], declared: list[bool]) -> None:
        assert list(stats.e_bh(e_values)) == declared

    @given(st.lists(st.floats(0.0, 1e6), min_size=1, max_size=30))
    def test_e_bh_as_its_definition_says(self, e_values: list[float]) -> None:
        rows = len(e_values)
        ranked = sorted(e_values, reverse=True)
        best = max((k for k in range(1, rows + 1) if ranked[k - 1] >= rows / (0.05 * k)), default=0)
        assert sorted(value for value, yes in zip(e_values, stats.e_bh(e_values), strict=True) if yes) == sorted(
            ranked[:best]
        )

    def test_one_difference_among_many_rows_needs_more_rounds(self) -> None:
        alike = [stats.paired_ratio([1.0] * 8, [1.0] * 8)] * 9
        assert stats.declare([*alike, stats.paired_ratio([1.0] * 8, [2.0] * 8)])[-1] == "unclear"
        assert stats.declare([*alike, stats.paired_ratio([1.0] * 12, [2.0] * 12)])[-1] == "slower"
        assert stats.declare([*alike, stats.paired_ratio([1.0] * 12, [0.5] * 12)])[:9] == ("same",) * 9

    def test_of_the_differences_declared_few_are_false(self) -> None:
        noise, shares = random.Random(9), []
        for _ in range(40):
            rows = []
            for row in range(20):
                change = 0.0 if row < 15 else 0.05
                b = [math.exp(noise.gauss(change, 0.03)) for _ in range(60)]
                rows.append(stats.paired_ratio([1.0] * 60, b, band=stats.STRICT))
            declared = [row for row, verdict in enumerate(stats.declare(rows)) if verdict in ("faster", "slower")]
            shares.append(sum(row < 15 for row in declared) / max(1, len(declared)))
            assert len(declared) >= 5
        assert sum(shares) / len(shares) <= 0.05


class TestSmallestDetectableChange:
    def test_none_with_too_few_rounds(self) -> None:
        assert stats.smallest_detectable_change([0.0] * 5, random.Random(0).randrange) is None

    def test_without_noise_it_is_the_margin(self) -> None:
        assert stats.smallest_detectable_change([0.0] * 50, random.Random(0).randrange) == pytest.approx(0.005)

    def test_more_rounds_tell_smaller_changes(self) -> None:
        noise = random.Random(1)
        few, many = (
            stats.smallest_detectable_change([noise.gauss(0, 0.02) for _ in range(count)], noise.randrange)
            for count in (30, 300)
        )
        assert few is not None
        assert many is not None
        assert 0.005 < many < few

    def test_a_change_of_that_size_is_found_in_about_95_of_100_comparisons(self) -> None:
        noise = random.Random(5)
        found = trials = 0
        for _ in range(20):
            quiet = [noise.gauss(0, 0.02) for _ in range(100)]
            smallest = stats.smallest_detectable_change(quiet, noise.randrange, resamples=300)
            assert smallest is not None
            for _ in range(25):
                b = [math.exp(noise.gauss(0, 0.02)) * (1 + smallest) for _ in range(100)]
                found += stats.paired_ratio([1.0] * 100, b, band=stats.STRICT).verdict == "slower"
                trials += 1
        # Each estimate rests on 100 noisy rounds itself, so "about" is wide below and open above.
        assert found / trials >= 0.88

    def test_a_tenth_of_it_is_not(self) -> None:
        noise = random.Random(6)
        smallest = stats.smallest_detectable_change([noise.gauss(0, 0.05) for _ in range(100)], noise.randrange)
        assert smallest is not None
        shift = 1 + smallest / 10
        b = [[math.exp(noise.gauss(0, 0.05)) * shift for _ in range(100)] for _ in range(100)]
        assert sum(stats.paired_ratio([1.0] * 100, one).verdict == "slower" for one in b) < 30


class TestTheilSen:
    @pytest.mark.parametrize("seed", range(8))
    @pytest.mark.parametrize("count", [4, 5, 12, 60])
    def test_is_scipys(self, seed: int, count: int) -> None:
        noise = np.random.default_rng(seed)
        x = np.arange(count, dtype=float)
        y = 3.0 * x + noise.normal(scale=5.0, size=count)
        if seed % 2:
            y = np.round(y / 4)  # ties
        expected = scipy.stats.theilslopes(y, x, alpha=0.95)
        found = stats.theil_sen(x.tolist(), y.tolist())
        assert found is not None
        assert found.estimate == pytest.approx(expected.slope)
        assert found.low == pytest.approx(expected.low_slope)
        assert found.high == pytest.approx(expected.high_slope)

    @pytest.mark.parametrize("count", [0, 1, 3])
    def test_none_with_too_few_points(self, count: int) -> None:
        assert stats.theil_sen(range(count), range(count)) is None

    def test_none_where_all_x_are_one(self) -> None:
        assert stats.theil_sen([1.0] * 6, range(6)) is None

    def test_ties_everywhere(self) -> None:
        assert stats.theil_sen([0.0, 0.0, 1.0, 2.0, 3.0], [5.0] * 5) == Interval(0.0, 0.0, 0.0, 0.95)

    def test_a_straight_line_is_sure(self) -> None:
        x = [float(n) for n in range(10)]
        assert stats.theil_sen(x, [2 * value + 1 for value in x]) == Interval(2.0, 2.0, 2.0, 0.95)

    @given(st.lists(st.integers(-1000, 1000), min_size=4, max_size=25))
    def test_mirrored_data_give_the_mirrored_interval(self, y: list[int]) -> None:
        x = range(len(y))
        plain, mirrored = stats.theil_sen(x, y), stats.theil_sen(x, [-value for value in y])
        assert plain is not None
        assert mirrored is not None
        assert plain.low <= plain.estimate <= plain.high
        # Python rounds halves to even, so the two ends may differ by one slope there; the estimate never.
        assert mirrored.estimate == -plain.estimate

    def test_covers_the_true_slope_as_promised(self) -> None:
        noise = random.Random(2)
        inside = 0
        for _ in range(400):
            found = stats.theil_sen(range(20), [0.5 * x + noise.gauss(0, 3) for x in range(20)])
            assert found is not None
            inside += found.low <= 0.5 <= found.high
        assert inside / 400 >= 0.92


class TestSteadiness:
    def test_spread_by_hand(self) -> None:
        assert stats.spread([1.0, 2.0, 3.0, 4.0, 100.0]) == pytest.approx(1 / 3)
        assert stats.spread([-1.0, 0.0, 1.0]) == 0.0

    @given(st.lists(TIMES, min_size=1, max_size=30), st.floats(0.1, 10))
    def test_spread_has_no_unit(self, samples: list[float], factor: float) -> None:
        assert stats.spread([sample * factor for sample in samples]) == pytest.approx(stats.spread(samples), abs=1e-9)

    def test_too_few_samples_are_not_steady(self) -> None:
        assert not stats.is_steady([1.0] * 15)
        assert stats.is_steady([1.0] * 16)

    @pytest.mark.parametrize(("later", "steady"), [(1.04, True), (0.96, True), (1.06, False), (0.5, False)])
    def test_the_tolerance(self, later: float, steady: bool) -> None:
        assert stats.is_steady([1.0] * 8 + [later] * 8) is steady

    def test_only_the_last_two_windows_count(self) -> None:
        assert stats.is_steady([100.0] * 50 + [1.0] * 16)

    def test_a_hiccup_does_not_matter(self) -> None:
        assert stats.is_steady([1.0] * 15 + [50.0])

    def test_a_warm_up_is_not_steady(self) -> None:
        assert not stats.is_steady([2.0**-n for n in range(16)])

    def test_a_clock_too_coarse_for_the_work(self) -> None:
        assert stats.is_steady([0.0] * 16)
        assert not stats.is_steady([0.0] * 8 + [1.0] * 8)
