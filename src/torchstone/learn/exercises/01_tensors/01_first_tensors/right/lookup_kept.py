# earns: solved
# a table of all 256 answers for brighten, stack of unbind, sum over count
import torch
from torch import Tensor


def to_planes(image: Tensor) -> Tensor:
    return torch.stack(image.unbind(dim=2)).float().div(255)


def brighten(image: Tensor, amount: int) -> Tensor:
    answers = [min(max(byte + amount, 0), 255) for byte in range(256)]
    return torch.tensor(answers, dtype=torch.uint8, device=image.device)[image.long()]


def center_rows(table: Tensor) -> Tensor:
    wide = table if table.dtype in (torch.float32, torch.float64) else table.to(torch.float32)
    means = wide.sum(dim=1) / wide.shape[1]
    return wide.sub(means.unsqueeze(1))
