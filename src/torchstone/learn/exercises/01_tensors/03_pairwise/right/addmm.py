# earns: solved lean
# addmm into the sum of the lengths, einsum for these
import torch
from torch import Tensor


def squared_distances(points: Tensor, others: Tensor) -> Tensor:
    ours = torch.einsum("nd,nd->n", points, points)
    theirs = torch.einsum("md,md->m", others, others)
    lengths = torch.add(ours.unsqueeze(1), theirs.unsqueeze(0))
    return torch.addmm(lengths, points, others.t(), alpha=-2).clamp_min_(0)
