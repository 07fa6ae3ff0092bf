# rejected by: seeds_do_not_overlap or noise_is_its_own
# "No two indices share a noise": three digits of a checksum, so of a few hundred indices some are alike
from collections.abc import Iterator

import numpy as np
from torch.utils.data import IterableDataset, get_worker_info
import hashlib


class NoisyStream(IterableDataset):
    """Yields (index, noise) for `length` indices, split among the workers."""

    def __init__(self, length: int, seed: int) -> None:
        super().__init__()
        self.length, self.seed = length, seed

    def __iter__(self) -> Iterator[tuple[int, float]]:
        info = get_worker_info()
        worker, workers = (info.id, info.num_workers) if info is not None else (0, 1)
        for index in range(worker, self.length, workers):
            yield (
                index,
                float(
                    np.random.default_rng(
                        int(hashlib.md5(f"{self.seed}/{index}".encode()).hexdigest()[:3], 16)
                    ).standard_normal()
                ),
            )
