"""All operators that the atlas judges: torch's own samples, and ours for what they miss."""

from functools import cache

from torchstone.ops.operators import Operator
from torchstone.ops.opinfo import opinfo_operators
from torchstone.ops.own import own_operators
from torchstone.ops.own_duplicates import duplicate_operators
from torchstone.ops.own_layouts import layout_operators


@cache
def all_operators() -> tuple[Operator, ...]:
    """In alphabetical order."""
    every = (*opinfo_operators(), *own_operators(), *duplicate_operators(), *layout_operators())
    return tuple(sorted(every, key=lambda one: (one.name, one.variant)))
