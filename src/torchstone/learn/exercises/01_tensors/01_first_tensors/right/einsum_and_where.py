# earns: solved
# einsum as a permutation, arithmetic with where, a mean as sum over count
import torch
from torch import Tensor


def to_planes(image: Tensor) -> Tensor:
    scale = torch.full((), 255.0, dtype=torch.float32, device=image.device)
    return torch.einsum("hwc->chw", image.to(torch.float32)) / scale


def brighten(image: Tensor, amount: int) -> Tensor:
    wide = image.to(torch.int32) + max(-255, min(255, amount))
    wide = torch.where(wide > 255, torch.full_like(wide, 255), wide)
    wide = torch.where(wide < 0, torch.zeros_like(wide), wide)
    return wide.to(image.dtype)


def center_rows(table: Tensor) -> Tensor:
    floats = table if table.is_floating_point() else table.to(torch.float32)
    rows, columns = floats.shape
    mean = floats.sum(dim=1) / columns if columns else floats.new_zeros(rows)
    return floats - mean.reshape(rows, 1).expand(rows, columns)
