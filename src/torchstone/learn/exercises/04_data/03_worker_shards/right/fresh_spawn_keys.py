# earns: solved
# even blocks in a row, and a SeedSequence with the index as its spawn key
"""An iterable dataset that several workers share."""

from collections.abc import Iterator

import numpy as np
from torch.utils.data import IterableDataset, get_worker_info


def noise(seed: int, index: int) -> float:
    """The draw that belongs to this seed and this index."""
    sequence = np.random.SeedSequence(seed, spawn_key=(index,))
    return float(np.random.Generator(np.random.PCG64(sequence)).standard_normal())


class NoisyStream(IterableDataset):
    """Yields (index, noise) for `length` indices, split among the workers."""

    def __init__(self, length: int, seed: int) -> None:
        super().__init__()
        self.length, self.seed = length, seed

    def __iter__(self) -> Iterator[tuple[int, float]]:
        info = get_worker_info()
        first, last = 0, self.length
        if info is not None:
            first = info.id * self.length // info.num_workers
            last = (info.id + 1) * self.length // info.num_workers
        yield from ((index, noise(self.seed, index)) for index in range(first, last))
