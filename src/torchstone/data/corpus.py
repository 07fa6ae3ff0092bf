"""Token ids to read and continue. No tokenizer is needed: a model's speed depends on how many ids there are.

The ids follow Zipf's law (the n-th most frequent word is n times rarer than the first), so that the embedding table is
visited as unevenly as real text visits it.
"""

import numpy
import torch
from torch import Tensor


def token_ids(batch: int, length: int, vocabulary: int, seed: int) -> Tensor:
    """`batch` rows of `length` ids below `vocabulary`, int64."""
    random = numpy.random.default_rng(seed)
    weights = 1.0 / numpy.arange(1, vocabulary + 1)
    cumulative = numpy.cumsum(weights / weights.sum())
    ranks = numpy.searchsorted(cumulative, random.random((batch, length)))
    # The sum of many roundings may end just below 1.
    return torch.from_numpy(numpy.minimum(ranks, vocabulary - 1).astype(numpy.int64))
