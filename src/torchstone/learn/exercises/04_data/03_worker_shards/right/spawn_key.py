# earns: solved
# a SeedSequence with the index as spawn key, indices by islice
"""An iterable dataset that several workers share."""

from collections.abc import Iterator
from itertools import islice

import numpy as np
from torch.utils.data import IterableDataset, get_worker_info


def _noise(seed: int, index: int) -> float:
    sequence = np.random.SeedSequence(seed, spawn_key=(index,))
    return np.random.Generator(np.random.PCG64(sequence)).standard_normal()


class NoisyStream(IterableDataset):
    """Yields (index, noise) for `length` indices, split among the workers."""

    def __init__(self, length: int, seed: int) -> None:
        super().__init__()
        self.length, self.seed = length, seed

    def __iter__(self) -> Iterator[tuple[int, float]]:
        info = get_worker_info()
        mine = range(self.length)
        if info is not None:
            mine = islice(mine, info.id, None, info.num_workers)
        return ((index, float(_noise(self.seed, index))) for index in mine)
