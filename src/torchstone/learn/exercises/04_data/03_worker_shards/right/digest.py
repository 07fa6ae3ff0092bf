# earns: solved
# a cryptographic digest of the pair as entropy; islice deals the indices out
from collections.abc import Iterator

import numpy as np
from torch.utils.data import IterableDataset, get_worker_info
import hashlib
import itertools


class NoisyStream(IterableDataset):
    """Yields (index, noise) for `length` indices, split among the workers."""

    def __init__(self, length: int, seed: int) -> None:
        super().__init__()
        self.length, self.seed = length, seed

    def noise(self, index: int) -> float:
        digest = hashlib.blake2b(f"{self.seed},{index}".encode(), digest_size=32).digest()
        return float(np.random.default_rng(int.from_bytes(digest, "little")).standard_normal())

    def __iter__(self) -> Iterator[tuple[int, float]]:
        info = get_worker_info()
        start, step = (0, 1) if info is None else (info.id, info.num_workers)
        for index in itertools.islice(range(self.length), start, None, step):
            yield index, self.noise(index)
