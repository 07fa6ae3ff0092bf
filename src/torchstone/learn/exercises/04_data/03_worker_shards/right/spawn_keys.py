# earns: solved
# even blocks by integer division, SeedSequence with the index as a spawn key
from collections.abc import Iterator

import numpy as np
from torch.utils.data import IterableDataset, get_worker_info


class NoisyStream(IterableDataset):
    """Yields (index, noise) for `length` indices, split among the workers."""

    def __init__(self, length: int, seed: int) -> None:
        super().__init__()
        self.length, self.seed = length, seed

    def share(self) -> range:
        info = get_worker_info()
        if info is None:
            return range(self.length)
        first = self.length * info.id // info.num_workers
        return range(first, self.length * (info.id + 1) // info.num_workers)

    def __iter__(self) -> Iterator[tuple[int, float]]:
        for index in self.share():
            sequence = np.random.SeedSequence(entropy=self.seed, spawn_key=(index,))
            generator = np.random.Generator(np.random.PCG64(sequence))
            yield index, float(generator.normal(0.0, 1.0))
