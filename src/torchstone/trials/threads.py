"""How many threads torch uses, for a while.

Small models get one. Several mostly wait for one another in them, and on a machine that is also busy otherwise
OpenMP's waiting makes a call of a millisecond take a quarter of a second.
"""

from collections.abc import Iterator
from contextlib import contextmanager

import torch


@contextmanager
def using_threads(count: int | None) -> Iterator[None]:
    """Within, torch uses so many; None leaves it as it is."""
    before = torch.get_num_threads()
    torch.set_num_threads(count or before)
    try:
        yield
    finally:
        torch.set_num_threads(before)
