# earns: solved
# movedim, float arithmetic, and the table turned so that the means line up
import torch
from torch import Tensor


def to_planes(image: Tensor) -> Tensor:
    return torch.movedim(image, -1, 0) * torch.tensor(1.0, dtype=torch.float32) / 255.0


def brighten(image: Tensor, amount: int) -> Tensor:
    changed = image.to(torch.float32).add(float(amount))
    return torch.clip(changed, 0.0, 255.0).to(torch.uint8)


def center_rows(table: Tensor) -> Tensor:
    if table.dtype != torch.float64:
        table = table.to(torch.float32)
    return (table.T - table.mean(1)).T
