# earns: solved
# each sequence by itself to its own end, then padded
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
        stacked = torch.cat([x, hidden], dim=1)
        weight = torch.cat([self.weight_input, self.weight_hidden], dim=1)
        gates = torch.addmm(self.bias, stacked, weight.T)
        i, f, g, o = gates.split(self.size, dim=1)
        new_cell = torch.sigmoid(f) * cell + torch.sigmoid(i) * torch.tanh(g)
        return torch.sigmoid(o) * torch.tanh(new_cell), new_cell

    def forward(self, padded: Tensor, lengths: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        rows, hiddens, cells = [], [], []
        for sequence, length in zip(padded, lengths.tolist()):
            hidden = cell = padded.new_zeros(1, self.size)
            steps = []
            for t in range(length):
                hidden, cell = self.step(sequence[t : t + 1], hidden, cell)
                steps.append(hidden)
            rest = padded.new_zeros(padded.shape[1] - length, self.size)
            rows.append(torch.cat([*steps, rest]))
            hiddens.append(hidden)
            cells.append(cell)
        return torch.stack(rows), torch.cat(hiddens), torch.cat(cells)
