# rejected by: gradients_are_right: The gradient goes back through every step
# "whole batches, values and gradients": the state is detached every eight steps, so long sequences get too little
# gradient
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
        n, time, _ = padded.shape
        real = torch.arange(time, device=padded.device) < lengths.to(padded.device)[:, None]
        padded = torch.where(real[..., None], padded, 0.0)
        hidden = cell = padded.new_zeros(n, self.size)
        states = []
        for t in range(time):
            new_hidden, new_cell = self.step(padded[:, t], hidden, cell)
            now = real[:, t, None]
            hidden, cell = torch.where(now, new_hidden, hidden), torch.where(now, new_cell, cell)
            if t % 8 == 7:
                hidden, cell = hidden.detach(), cell.detach()
            states.append(torch.where(now, new_hidden, 0.0))
        return torch.stack(states, dim=1), hidden, cell
