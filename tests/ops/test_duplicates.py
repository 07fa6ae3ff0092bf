"""What names one place several times: no contribution may be lost, in the atlas and in the probes."""

from typing import Any

import pytest
import torch

from torchstone import pretend
from torchstone.ops.catalog import all_operators
from torchstone.ops.judging import judge
from torchstone.ops.own_duplicates import VARIANT
from torchstone.ops.probes.bases import all_bases
from torchstone.ops.probes.conditions import LOWERED, Point
from torchstone.ops.probes.judging import Prober


@pytest.fixture(autouse=True)
def _pretend() -> None:
    pretend.install()


def lose_duplicates(call: pretend.Call) -> Any:
    """Each cell gets the last of its contributions alone."""
    into, dim, index, source = call.args[:4]
    if not index.numel():
        return call.right()
    return into.scatter(dim, index, into.gather(dim, index) + source)


def own(name: str) -> list[tuple[str, str]]:
    operator = next(one for one in all_operators() if (one.name, one.variant) == (name, VARIANT))
    return [(str(one.facts["direction"]), one.verdict) for one in judge(operator, torch.float32, "pretend", None)]


def test_the_atlas_sees_what_is_lost() -> None:
    assert own("scatter_add") == [("forward", "ok"), ("backward", "ok")]
    with pretend.configure(faults={"scatter_add": lose_duplicates}):
        assert own("scatter_add")[0] == ("forward", "wrong")


def test_what_is_read_twice_is_written_twice() -> None:
    with pretend.configure(faults={"scatter_add_": lambda call: call.args[0].copy_(lose_duplicates(call))}):
        assert own("gather") == [("forward", "ok"), ("backward", "wrong")]


def test_all_of_them_are_right_on_the_cpu() -> None:
    every = [one for one in all_operators() if one.variant == VARIANT]
    assert len(every) == 10
    verdicts = {cell.verdict for one in every for cell in judge(one, torch.float32, "cpu", None)}
    assert verdicts == {"ok"}


@pytest.mark.parametrize("layout", [None, ("expanded", 0)])
def test_the_probe_sees_it_too(layout: tuple[str, int | None] | None) -> None:
    """Also where view and clone are equally wrong: the CPU is asked of the values of an expanded argument."""
    base = next(one for one in all_bases() if one.name == "scatter_add")
    point = Point(torch.float32, layout=layout)
    assert Prober(base, torch.device("pretend"), LOWERED).judge(point) is None
    with pretend.configure(faults={"scatter_add": lose_duplicates}):
        assert Prober(base, torch.device("pretend"), LOWERED).judge(point) is not None


@pytest.mark.parametrize("name", ["scatter_add", "scatter_reduce", "index_add", "index_put", "embedding"])
def test_each_base_that_writes_by_index_has_duplicates(name: str) -> None:
    from torchstone.ops.placing import tensors
    from torchstone.ops.probes.calling import prepare

    base = next(one for one in all_bases() if one.name == name)
    index = next(one for one in tensors(prepare(base, Point(torch.float32), LOWERED).args) if one.dtype == torch.int64)
    names = index if index.dim() > 1 else index.unsqueeze(0)
    assert any(len(row.unique()) < len(row) for row in names)
