"""What a device cannot have done is refused, and honest results never are."""

from typing import Any

import msgspec
import pytest
import torch
from torch import nn

from torchstone.machine import busyness
from torchstone.machine.busyness import Business
from torchstone.measuring import plausibility
from torchstone.measuring.peak import Peak
from torchstone.measuring.plausibility import Arithmetic, count_arithmetic, measured_peak, refuse_beyond_peak
from torchstone.models.inputs import Inputs
from torchstone.records import PEAK_IN_DOUBT, Measurement, Setup


def timed(seconds: float, device: str = "cpu") -> Measurement:
    return Measurement(name="x", setup=Setup(device=device, dtype="float32"), unit="s", samples=(seconds,))


def peaks(monkeypatch: pytest.MonkeyPatch, first: float, second: float) -> list[float]:
    """Give these two peaks instead of measuring; the list tells which were asked for."""
    asked: list[float] = []

    def give(device: str, dtype: str, budget_s: float) -> Peak:
        asked.append(budget_s)
        return Peak({dtype: first if budget_s == plausibility.FIRST_LOOK_S else second}, None)

    measured_peak.cache_clear()
    monkeypatch.setattr(plausibility, "measure_peak", give)
    return asked


def test_flops_by_hand() -> None:
    found = count_arithmetic(nn.Linear(8, 4), Inputs((torch.ones(3, 8),), {}))
    assert found == Arithmetic(2 * 3 * 8 * 4, 2 * 3 * 8 * 4)


def test_a_convolution_counts_a_quarter() -> None:
    model = nn.Conv2d(3, 5, 3, bias=False)
    whole = 2 * (4 * 4) * 5 * 3 * 9
    assert count_arithmetic(model, Inputs((torch.ones(1, 3, 6, 6),), {})) == Arithmetic(whole, whole / 4)


def test_what_cannot_be_counted_has_no_bound() -> None:
    class Refuses(nn.Module):
        def forward(self, x: Any) -> Any:
            raise RuntimeError("no")

    assert count_arithmetic(Refuses(), Inputs((torch.ones(1),), {})) is None
    assert count_arithmetic(nn.ReLU(), Inputs((torch.ones(1),), {})) is None
    assert refuse_beyond_peak(timed(1e-12), None).status == "ok"


def others_take(monkeypatch: pytest.MonkeyPatch, cores: float) -> None:
    monkeypatch.setattr(busyness, "between", lambda first, last: Business(2, cores, 0.0, 0))


def test_beyond_the_peak_is_wrong(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = peaks(monkeypatch, 1e9, 1e9)
    others_take(monkeypatch, 0.0)
    found = refuse_beyond_peak(timed(1.0), flops=5e9)
    assert found.status == "wrong"
    assert "was it waited for" in (found.reason or "")
    assert asked == [plausibility.FIRST_LOOK_S, *[plausibility.SECOND_LOOK_S] * 3]


def test_a_peak_taken_on_a_busy_machine_refuses_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    peaks(monkeypatch, 1e9, 9e9)
    assert refuse_beyond_peak(timed(1.0), flops=5e9).status == "ok"


@pytest.mark.parametrize(
    ("device", "others", "first", "second", "doubted"),
    [
        ("cpu", 1.5, 1e9, 1e9, "the machine was busy"),
        ("cpu", 0.0, 1e9, 3e9, "differed 3.0 times from look to look"),
        ("cuda:0", 1.5, 1e9, 1e9, ""),
        ("cpu", 1.5, 1e7, 1e7, ""),
    ],
)
def test_a_peak_that_cannot_be_believed_is_doubted_rather_than_the_result(
    device: str, others: float, first: float, second: float, doubted: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    peaks(monkeypatch, first, second)
    others_take(monkeypatch, others)
    found = refuse_beyond_peak(timed(1.0, device), flops=5e9)
    assert found.status == ("ok" if doubted else "wrong")
    assert doubted in str(found.facts.get(PEAK_IN_DOUBT, ""))


def test_the_peak_is_measured_again_with_the_threads_of_the_setup(monkeypatch: pytest.MonkeyPatch) -> None:
    used = []

    def give(device: str, dtype: str, budget_s: float) -> Peak:
        used.append(torch.get_num_threads())
        return Peak({dtype: 1e9 if len(used) == 1 else 9e9}, None)

    measured_peak.cache_clear()
    monkeypatch.setattr(plausibility, "measure_peak", give)
    before = torch.get_num_threads()
    own = msgspec.structs.replace(timed(1.0), setup=Setup(device="cpu", dtype="float32", threads=before + 1))
    assert refuse_beyond_peak(own, flops=5e9).status == "ok"
    assert used == [before, before + 1]


def test_what_is_possible_needs_no_second_look(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = peaks(monkeypatch, 1e9, 9e9)
    assert refuse_beyond_peak(timed(1.0), flops=1e9).status == "ok"
    assert asked == [plausibility.FIRST_LOOK_S]


def test_the_peak_is_measured_once_and_leaves_the_precision_as_it_was(pretend_device: str) -> None:
    before = torch.get_float32_matmul_precision()
    measured_peak.cache_clear()
    found = measured_peak(pretend_device, "float32", 1)
    assert found.flops_per_s["float32"] > 0
    assert measured_peak(pretend_device, "float32", 1) is found
    assert torch.get_float32_matmul_precision() == before
