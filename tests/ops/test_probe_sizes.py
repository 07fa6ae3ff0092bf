"""The sizes that a probe promises are run, on every device; what is not run, and how far it went, is said."""

import math
from typing import Any

import pytest
import torch

from torchstone import pretend
from torchstone.ops.probes.bases import Base, all_bases
from torchstone.ops.probes.cases import probe_cases
from torchstone.ops.probes.conditions import FOR_PRETEND, LOWERED, Point, Thresholds, points_alone, points_in_pairs
from torchstone.ops.probes.judging import Prober
from torchstone.ops.probes.state import thresholds_for
from torchstone.records import Finding
from torchstone.scheduling import Turn

DEVICE = torch.device("pretend")
EVERY = [FOR_PRETEND, Thresholds()]


def base(name: str) -> Base:
    return next(one for one in all_bases() if one.name == name)


def wrong_from_32768(call: pretend.Call) -> Any:
    answer = call.right()
    return answer + 1 if call.args[0].numel() >= 2**15 else answer


@pytest.mark.parametrize("thresholds", EVERY, ids=["pretend", "real"])
def test_each_size_of_the_docs_is_among_the_points(thresholds: Thresholds) -> None:
    sizes = {point.size[1] for point, _ in points_alone(base("relu"), 1, thresholds) if point.size}
    assert {32767, 32768, 65536, 65537, 2**22 + 1} <= sizes
    assert (2**24 + 1 in sizes) == (thresholds == Thresholds())


def test_a_large_dimension_is_alone_so_that_it_fits() -> None:
    """16,777,217 by 4 or 6 is more than any argument may hold: so it was never run."""
    thresholds = Thresholds()
    for size in thresholds.large:
        sizes = thresholds.sizes_of(base("relu"), ("n", size))
        assert math.prod(sizes.values()) <= thresholds.most_elements


def test_a_pretend_device_has_its_real_sizes() -> None:
    pretend.install()
    assert thresholds_for(DEVICE) == FOR_PRETEND
    with pretend.configure(faults={"relu": wrong_from_32768}):
        prober = Prober(base("relu"), DEVICE, thresholds_for(DEVICE))
        assert prober.judge(Point(torch.float32, size=("n", 2048))) is None
        assert prober.judge(Point(torch.float32, size=("n", 32767))) is not None


def test_a_large_size_meets_dtypes_and_options_alone() -> None:
    pairs = [point for point, _ in points_in_pairs(base("add"), 2, Thresholds(), set())]
    large = [point for point in pairs if point.size and point.size[1] > 2**20]
    assert large
    assert all(point.layout is None and point.values == "plain" and point.way == "forward" for point in large)


def test_a_verdict_names_the_largest_size() -> None:
    (case,) = probe_cases("cpu", ["logical_not"], ["float32"], 60.0, LOWERED)
    (found,) = [one for one in case.run(Turn(math.inf)) if isinstance(one, Finding)]
    assert f"with up to {found.facts['largest_elements']:,} elements" in found.evidence
    assert found.facts["largest_elements"] == 2048 * 6


def test_what_is_too_large_is_refused_before_it_is_drawn_and_said() -> None:
    prober = Prober(base("solve"), torch.device("cpu"), Thresholds())
    for size in (65537, 32767):
        assert prober.judge(Point(torch.float32, size=("k", size))) is None
    assert prober.judged == 0
    assert prober.not_run_in_words == "k=32767 and more (more than 67,108,864 elements)"


def test_steps_that_wait_for_each_other_are_not_made_by_the_thousands() -> None:
    lengths = {
        point.size[1] for point, _ in points_alone(base("lstm"), 7, Thresholds()) if point.size and point.size[0] == "l"
    }
    assert max(lengths) == 2048
    assert "l=2049 and more (each step waits" in Prober(base("lstm"), DEVICE, Thresholds()).not_run_in_words
