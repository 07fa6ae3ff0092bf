# earns: solved
# a seed sequence with a spawn key, islice, a method and map
"""An iterable dataset that several workers share."""

from collections.abc import Iterator
from itertools import islice

import numpy as np
from torch.utils.data import IterableDataset, get_worker_info


class NoisyStream(IterableDataset):
    """Yields (index, noise) for `length` indices, split among the workers."""

    def __init__(self, length: int, seed: int) -> None:
        super().__init__()
        self.length, self.seed = length, seed

    def sample(self, index: int) -> tuple[int, float]:
        """One sample, whoever asks for it."""
        sequence = np.random.SeedSequence(self.seed, spawn_key=(index,))
        return index, np.random.default_rng(sequence).standard_normal(1).item()

    def __iter__(self) -> Iterator[tuple[int, float]]:
        info = get_worker_info()
        mine = range(self.length)
        if info is not None:
            mine = islice(mine, info.id, None, info.num_workers)
        return map(self.sample, mine)
