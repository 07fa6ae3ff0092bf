# earns: solved
# every sequence runs to the end of the time; the states at the ends are gathered afterwards
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
        both = torch.cat([self.weight_input, self.weight_hidden], dim=1)
        gates = nn.functional.linear(torch.cat([x, hidden], dim=1), both, self.bias)
        i, f, g, o = gates.unflatten(1, (4, self.size)).unbind(1)
        cell = f.sigmoid() * cell + i.sigmoid() * g.tanh()
        return o.sigmoid() * cell.tanh(), cell

    def forward(self, padded: Tensor, lengths: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        """All hidden states, zero after each end, and the two states at each sequence's last step."""
        outside = torch.arange(padded.size(1), device=lengths.device).unsqueeze(0).ge(lengths.unsqueeze(1)).unsqueeze(2)
        clean = padded.masked_fill(outside, 0.0)
        hidden = cell = self.bias.new_zeros(padded.size(0), self.size)
        hiddens, cells = [], []
        for t in range(padded.size(1)):
            hidden, cell = self.step(clean.select(1, t), hidden, cell)
            hiddens.append(hidden)
            cells.append(cell)
        all_hidden, all_cell = torch.stack(hiddens, 1), torch.stack(cells, 1)
        last = (lengths - 1).view(-1, 1, 1).expand(-1, 1, self.size)
        ends = all_hidden.gather(1, last).squeeze(1), all_cell.gather(1, last).squeeze(1)
        return all_hidden.masked_fill(outside, 0.0), *ends
