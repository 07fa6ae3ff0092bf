# rejected by: states_are_right: Row t holds the hidden state at step
# the states are as long as the longest sequence and not (n, time, size)
import torch
from torch import Tensor, nn


class LSTM(nn.Module):
    def __init__(self, inputs: int, size: int) -> None:
        super().__init__()
        self.size = size
        bound = size**-0.5
        self.weight_input = nn.Parameter(torch.empty(4 * size, inputs).uniform_(-bound, bound))
        self.weight_hidden = nn.Parameter(torch.empty(4 * size, size).uniform_(-bound, bound))
        self.bias = nn.Parameter(torch.empty(4 * size).uniform_(-bound, bound))

    def step(self, x: Tensor, hidden: Tensor, cell: Tensor) -> tuple[Tensor, Tensor]:
        gates = x @ self.weight_input.T + hidden @ self.weight_hidden.T + self.bias
        i, f, g, o = gates.chunk(4, dim=1)
        cell = f.sigmoid() * cell + i.sigmoid() * g.tanh()
        return o.sigmoid() * cell.tanh(), cell

    def forward(self, padded: Tensor, lengths: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        n, time = len(padded), int(lengths.max())
        padded = padded[:, :time]
        alive = torch.arange(time, device=padded.device) < lengths[:, None]
        padded = padded.masked_fill(~alive[:, :, None], 0)
        hidden = cell = padded.new_zeros(n, self.size)
        states = []
        for t in range(time):
            here = alive[:, t, None]
            new_hidden, new_cell = self.step(padded[:, t], hidden, cell)
            hidden, cell = torch.where(here, new_hidden, hidden), torch.where(here, new_cell, cell)
            states.append(torch.where(here, new_hidden, 0))
        return torch.stack(states, dim=1), hidden, cell
