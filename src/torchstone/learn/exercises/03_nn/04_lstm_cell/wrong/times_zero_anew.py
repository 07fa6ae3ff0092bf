# rejected by: real_nans_stay_in_their_row: A NaN in a real step belongs to its sequence
# zeros after the end by multiplying: a real step of NaN leaves NaN behind the end; 'with zeros after each
# sequence's end (even where one of its steps is NaN)'
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
        padded = torch.where(real[:, :, None], padded, 0)
        hidden = cell = padded.new_zeros(len(padded), self.size)
        states = []
        for t, x in enumerate(padded.unbind(1)):
            now = real[:, t, None]
            new_hidden, new_cell = self.step(x, hidden, cell)
            hidden, cell = torch.where(now, new_hidden, hidden), torch.where(now, new_cell, cell)
            states.append(hidden)
        return torch.stack(states, dim=1) * real[:, :, None], hidden, cell
