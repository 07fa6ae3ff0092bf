# rejected by: states_are_right: Row t holds the hidden state at step t, and zeros after the
# sorts by length and goes back with the same permutation instead of its inverse; '`lengths` `(n,)` has at least 1
# everywhere, in any order'
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
        order = lengths.argsort(descending=True)
        padded, lengths = padded[order], lengths[order]
        hidden = cell = padded.new_zeros(len(padded), self.size)
        states = []
        for time, x in enumerate(padded.unbind(1)):
            running = int((lengths > time).sum())
            new_hidden, new_cell = self.step(x[:running], hidden[:running], cell[:running])
            hidden = torch.cat([new_hidden, hidden[running:]])
            cell = torch.cat([new_cell, cell[running:]])
            states.append(torch.cat([new_hidden, torch.zeros_like(hidden[running:])]))
        return torch.stack(states, dim=1)[order], hidden[order], cell[order]
