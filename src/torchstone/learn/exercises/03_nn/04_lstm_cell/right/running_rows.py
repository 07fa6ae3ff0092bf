# earns: solved
# only the rows that are still running are computed
"""An LSTM over sequences of different lengths."""

import torch
from torch import Tensor, nn


class LSTM(nn.Module):
    """One layer, batch first, from zero states."""

    def __init__(self, inputs: int, size: int) -> None:
        super().__init__()
        self.size = size
        bound = size**-0.5
        self.weight_input = nn.Parameter(torch.empty(4 * size, inputs).uniform_(-bound, bound))
        self.weight_hidden = nn.Parameter(torch.empty(4 * size, size).uniform_(-bound, bound))
        self.bias = nn.Parameter(torch.empty(4 * size).uniform_(-bound, bound))

    def step(self, x: Tensor, hidden: Tensor, cell: Tensor) -> tuple[Tensor, Tensor]:
        """One time step: the new hidden state and the new cell state."""
        columns = torch.addmm(self.bias, x, self.weight_input.T).addmm(hidden, self.weight_hidden.T)
        i, f, g, o = columns.unflatten(1, (4, self.size)).unbind(1)
        cell = torch.addcmul(f.sigmoid() * cell, i.sigmoid(), g.tanh())
        return o.sigmoid() * cell.tanh(), cell

    def forward(self, padded: Tensor, lengths: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        """All hidden states, zero after each end, and the two states at each sequence's last step."""
        nothing = padded.new_zeros(padded.shape[0], self.size)
        hidden, cell, rows = nothing, nothing, []
        for t in range(padded.shape[1]):
            running = torch.nonzero(lengths > t).squeeze(1)
            h, c = self.step(padded[running, t], hidden[running], cell[running])
            hidden, cell = hidden.index_copy(0, running, h), cell.index_copy(0, running, c)
            rows.append(nothing.index_copy(0, running, h))
        return torch.stack(rows, 1), hidden, cell
