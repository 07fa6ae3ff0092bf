# rejected by: last_states_are_right: Each sequence ends at its own last step
# "the hidden and the cell (n, size) of each sequence at its own last step": hidden is picked at the end of each, the
# cell is what runs on through the padding
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
        n, time, _ = padded.shape
        real = torch.arange(time, device=padded.device) < lengths[:, None]
        padded = torch.where(real[..., None], padded, 0.0)
        hidden = cell = padded.new_zeros(n, self.size)
        states = []
        for x in padded.unbind(1):
            hidden, cell = self.step(x, hidden, cell)
            states.append(hidden)
        states = torch.stack(states, dim=1)
        last = states[torch.arange(n, device=padded.device), lengths - 1]
        return torch.where(real[..., None], states, 0.0), last, cell
