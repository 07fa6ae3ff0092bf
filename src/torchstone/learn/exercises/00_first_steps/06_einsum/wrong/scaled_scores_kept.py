# rejected by: scores_are_right: Only the dot products: the scaling comes elsewhere
# scores are divided by the root of d, as attention does later on, and are not the dot products
import torch
from torch import Tensor


def turn(table: Tensor) -> Tensor:
    return torch.einsum("ij->ji", table)


def column_sums(table: Tensor) -> Tensor:
    return torch.einsum("ij->j", table)


def product(a: Tensor, b: Tensor) -> Tensor:
    return torch.einsum("ik,kj->ij", a, b)


def row_products(a: Tensor, b: Tensor) -> Tensor:
    return torch.einsum("ik,ik->i", a, b)


def many_products(a: Tensor, b: Tensor) -> Tensor:
    return torch.einsum("bik,bkj->bij", a, b)


def scores(queries: Tensor, keys: Tensor) -> Tensor:
    return torch.einsum("bhnd,bhmd->bhnm", queries * queries.shape[-1] ** -0.5, keys)
