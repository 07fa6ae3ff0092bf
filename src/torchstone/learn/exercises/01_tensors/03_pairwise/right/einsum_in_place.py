# earns: solved lean
# einsum for all three terms, added up in place
import torch
from torch import Tensor


def squared_distances(points: Tensor, others: Tensor) -> Tensor:
    """|p − o|² = |p|² − 2 p·o + |o|², all in the memory of the result."""
    result = torch.einsum("nd,md->nm", points, others)
    result *= -2
    result += torch.einsum("nd,nd->n", points, points).unsqueeze(1)
    result += torch.einsum("md,md->m", others, others).unsqueeze(0)
    return torch.relu_(result)
