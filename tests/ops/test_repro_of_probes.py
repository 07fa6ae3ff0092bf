"""What a probe found can't be written as a sample of the atlas: that is said, with what is wrong."""

import pytest

from torchstone.commands.ops import _print_reproduction
from torchstone.errors import UserError
from torchstone.ops.verdicts import cells_of, finding

IDENTITY = {"op": "aten::bmm", "name": "bmm", "variant": "probe: float16", "dtype": "float16", "device": "pretend"}


def test_wrong_conditions_are_not_nothing() -> None:
    cells = cells_of([finding(dict(IDENTITY), "forward", "wrong", "3 of 4 elements are wrong")])
    with pytest.raises(UserError, match="wrong are 1 of these, the first is probe: float16"):
        _print_reproduction(cells, "pretend")


def test_where_nothing_is_wrong_there_is_nothing() -> None:
    cells = cells_of([finding(dict(IDENTITY), "forward", "ok", "right under 3 conditions")])
    with pytest.raises(UserError, match="there is nothing to reproduce"):
        _print_reproduction(cells, "pretend")
