# earns: solved
# plain Python over groups, and a class that is fitted and applied
import torch
from torch import Tensor


def split(groups: Tensor, share: float, generator: torch.Generator) -> tuple[Tensor, Tensor]:
    """Row indices for training and for testing; no group is on both sides."""

    listed = groups.tolist()
    names = sorted(set(listed))
    wanted = min(len(names) - 1, max(1, round(share * len(names))))
    drawn = torch.randperm(len(names), generator=generator).tolist()[:wanted]
    tested = {names[place] for place in drawn}
    sides: tuple[list[int], list[int]] = ([], [])
    for row, name in enumerate(listed):
        sides[name in tested].append(row)
    train, test = (torch.tensor(rows, dtype=torch.int64, device=groups.device) for rows in sides)
    return train, test


class Scaler:
    """Knows only what it was fitted to."""

    def __init__(self, rows: Tensor) -> None:
        variance, self.mean = torch.var_mean(rows, dim=0, correction=0)
        self.std = variance.sqrt()
        flat = torch.all(rows == rows[:1], dim=0)
        self.std[flat] = 1

    def __call__(self, rows: Tensor) -> Tensor:
        return (rows - self.mean) / self.std


def standardize(features: Tensor, train: Tensor) -> Tensor:
    """All rows, centered and scaled by what the train rows alone tell."""

    return Scaler(features[train])(features)
