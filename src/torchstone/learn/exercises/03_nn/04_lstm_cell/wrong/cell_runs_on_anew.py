# rejected by: last_states_are_right: Each sequence ends at its own last step
# hidden is taken at each sequence's end, the cell at the end of the padding; 'the `hidden` and the `cell` of each
# sequence at *its own* last step' (lengths 1 and 3)
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
        for x in padded.unbind(1):
            hidden, cell = self.step(x, hidden, cell)
            states.append(hidden)
        states = torch.where(real[:, :, None], torch.stack(states, dim=1), 0)
        last = states[torch.arange(len(padded), device=padded.device), lengths - 1]
        return states, last, cell
