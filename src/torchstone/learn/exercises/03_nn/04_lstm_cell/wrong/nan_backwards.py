# rejected by: gradients_are_right: The gradient goes back through every step
# NaN in the padding goes through step and is thrown away after it: values are right, the gradients of all weights
# are NaN; 'must not change anything, neither values nor gradients'
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
        real = torch.arange(padded.shape[1], device=padded.device) < lengths[:, None]
        hidden = cell = padded.new_zeros(len(padded), self.size)
        states = []
        for t, x in enumerate(padded.unbind(1)):
            now = real[:, t, None]
            new_hidden, new_cell = self.step(x, hidden, cell)
            hidden, cell = torch.where(now, new_hidden, hidden), torch.where(now, new_cell, cell)
            states.append(torch.where(now, hidden, 0))
        return torch.stack(states, dim=1), hidden, cell
