# rejected by: states_are_right: Row t holds the hidden state at step t
# the first rows are taken for those still running, as in a packed batch; '`lengths` ... in any order' (lengths [1,
# 3])
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
        cell = torch.sigmoid(f) * cell + torch.sigmoid(i) * torch.tanh(g)
        hidden = torch.sigmoid(o) * torch.tanh(cell)
        return hidden, cell

    def forward(self, padded: Tensor, lengths: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        """All hidden states, zero after each end, and the two states at each sequence's last step."""
        n, time, _ = padded.shape
        hidden = cell = padded.new_zeros(n, self.size)
        states = []
        for t in range(time):
            running = int((lengths > t).sum())
            new_hidden, new_cell = self.step(padded[:running, t], hidden[:running], cell[:running])
            hidden = torch.cat([new_hidden, hidden[running:]])
            cell = torch.cat([new_cell, cell[running:]])
            states.append(torch.cat([new_hidden, torch.zeros_like(hidden[running:])]))
        return torch.stack(states, dim=1), hidden, cell
