# rejected by: gradients_are_right: The gradient goes back through every step, by the hidden state
# only NaN is taken out of the padding, so infinities give NaN gradients; 'What stands in the padding, NaN even,
# must not change anything, neither values nor gradients'
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
        inside = torch.arange(padded.shape[1], device=padded.device) < lengths.to(padded.device)[:, None]
        padded = torch.where(padded.isnan() & ~inside[..., None], torch.zeros_like(padded), padded)
        hidden = cell = padded.new_zeros(len(padded), self.size)
        states = []
        for x, runs in zip(padded.unbind(1), inside.unbind(1), strict=True):
            new_hidden, new_cell = self.step(x, hidden, cell)
            hidden = torch.where(runs[:, None], new_hidden, hidden)
            cell = torch.where(runs[:, None], new_cell, cell)
            states.append(new_hidden.masked_fill(~runs[:, None], 0.0))
        return torch.stack(states, dim=1), hidden, cell
