# earns: solved
# a SHA-256 of seed and index seeds the generator of each index
"""An iterable dataset that several workers share."""

import hashlib
from collections.abc import Iterator

import numpy as np
from torch.utils.data import IterableDataset, get_worker_info


class NoisyStream(IterableDataset):
    """Yields (index, noise) for `length` indices, split among the workers."""

    def __init__(self, length: int, seed: int) -> None:
        super().__init__()
        self.length, self.seed = length, seed

    def noise(self, index: int) -> float:
        digest = hashlib.sha256(f"{self.seed}:{index}".encode()).digest()
        return float(np.random.default_rng(int.from_bytes(digest, "big")).standard_normal())

    def __iter__(self) -> Iterator[tuple[int, float]]:
        info = get_worker_info()
        first, workers = (0, 1) if info is None else (info.id, info.num_workers)
        for index in range(first, self.length, workers):
            yield index, self.noise(index)
