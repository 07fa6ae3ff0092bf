"""The same weights and inputs from the same seed, without disturbing anybody else's random numbers.

Only the CPU generator is seeded: weights and inputs are made on the CPU and moved, so that every device gets the same
numbers. `torch.manual_seed` would also seed, and so start up, every accelerator.
"""

from collections.abc import Iterator
from contextlib import contextmanager

import torch


@contextmanager
def seeded(seed: int) -> Iterator[None]:
    """Within, torch's own CPU generator starts from `seed`; afterwards it goes on from where it was."""
    state = torch.default_generator.get_state()
    torch.default_generator.manual_seed(seed)
    try:
        yield
    finally:
        torch.default_generator.set_state(state)


def generator(seed: int) -> torch.Generator:
    """A CPU generator of one's own."""
    return torch.Generator(device="cpu").manual_seed(seed)
