"""All operators that the atlas judges: torch's own samples, and ours for what they miss."""

from functools import cache

from torchstone.ops.operators import Operator
from torchstone.ops.opinfo import opinfo_operators
from torchstone.ops.own import own_operators
from torchstone.ops.own_layouts import layout_operators


@cache
def all_operators() -> tuple[Operator, ...]:
    """In alphabetical order."""
    return tuple(
        sorted((*opinfo_operators(), *own_operators(), *layout_operators()), key=lambda one: (one.name, one.variant))
    )
