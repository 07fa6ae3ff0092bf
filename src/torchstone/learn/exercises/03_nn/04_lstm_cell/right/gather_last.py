# earns: solved
# run to the end on cleaned padding, then gather the last steps
import torch
from torch import Tensor, nn


class LSTM(nn.Module):
    def __init__(self, inputs: int, size: int) -> None:
        super().__init__()
        self.size = size
        bound = size**-0.5
        self.weight_input = nn.Parameter(torch.empty(4 * size, inputs).uniform_(-bound, bound))
        self.weight_hidden = nn.Parameter(torch.empty(4 * size, size).uniform_(-bound, bound))
        self.bias = nn.Parameter(torch.empty(4 * size).uniform_(-bound, bound))

    def step(self, x: Tensor, hidden: Tensor, cell: Tensor) -> tuple[Tensor, Tensor]:
        return self.update(nn.functional.linear(x, self.weight_input, self.bias), hidden, cell)

    def update(self, given: Tensor, hidden: Tensor, cell: Tensor) -> tuple[Tensor, Tensor]:
        gates = torch.addmm(given, hidden, self.weight_hidden.T).unflatten(1, (4, self.size))
        i, f, o = gates[:, [0, 1, 3]].sigmoid().unbind(1)
        cell = torch.addcmul(f * cell, i, gates[:, 2].tanh())
        return o * cell.tanh(), cell

    def forward(self, padded: Tensor, lengths: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        n, time, _ = padded.shape
        over = torch.arange(time, device=padded.device)[None, :, None] >= lengths[:, None, None]
        given = (
            torch.einsum("nti,gi->ntg", torch.where(over, torch.zeros_like(padded), padded), self.weight_input)
            + self.bias
        )
        pairs = [(padded.new_zeros(n, self.size),) * 2]
        for t in range(time):
            pairs.append(self.update(given[:, t], *pairs[-1]))
        hiddens, cells = (torch.stack(side, dim=1) for side in zip(*pairs[1:], strict=True))
        last = (lengths - 1)[:, None, None].expand(n, 1, self.size)
        return hiddens.masked_fill(over, 0), hiddens.gather(1, last)[:, 0], cells.gather(1, last)[:, 0]
