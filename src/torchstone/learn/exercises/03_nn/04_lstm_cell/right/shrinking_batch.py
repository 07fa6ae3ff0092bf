# earns: solved
# sorted by length, and each step runs only on the sequences that are still there
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
        gates = x @ self.weight_input.T + hidden @ self.weight_hidden.T + self.bias
        i, f, g, o = gates.chunk(4, dim=1)
        cell = f.sigmoid() * cell + i.sigmoid() * g.tanh()
        return o.sigmoid() * cell.tanh(), cell

    def forward(self, padded: Tensor, lengths: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        """All hidden states, zero after each end, and the two states at each sequence's last step."""
        n, time = padded.shape[:2]
        order = lengths.argsort(descending=True)
        back = order.argsort()
        counts = lengths[order]
        hidden = cell = self.weight_hidden.new_zeros(n, self.size)
        states = []
        for t in range(time):
            alive = int((counts > t).sum())
            if alive == 0:
                break
            new_hidden, new_cell = self.step(padded[:, t].index_select(0, order[:alive]), hidden[:alive], cell[:alive])
            hidden = torch.cat([new_hidden, hidden[alive:]])
            cell = torch.cat([new_cell, cell[alive:]])
            states.append(nn.functional.pad(new_hidden, (0, 0, 0, n - alive)))
        while len(states) < time:
            states.append(self.weight_hidden.new_zeros(n, self.size))
        return torch.stack(states, dim=1)[back], hidden[back], cell[back]
