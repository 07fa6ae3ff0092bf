# earns: solved
# sorted by length, the active part shrinks, then everything is put back in order
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
        linear = nn.functional.linear
        gates = linear(x, self.weight_input, self.bias) + linear(hidden, self.weight_hidden)
        gates = gates.unflatten(1, (4, self.size))
        i, f, o = torch.sigmoid(gates[:, [0, 1, 3]]).unbind(1)
        cell = torch.addcmul(f * cell, i, torch.tanh(gates[:, 2]))
        return o * torch.tanh(cell), cell

    def forward(self, padded: Tensor, lengths: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        n, time, _ = padded.shape
        order = torch.argsort(lengths, descending=True, stable=True).to(padded.device)
        back = torch.argsort(order)
        counts = [int((lengths > t).sum()) for t in range(time)]
        rows = padded[order]
        hidden, cell = rows.new_zeros(n, self.size), rows.new_zeros(n, self.size)
        states, done_hidden, done_cell = [], [], []
        for t, count in enumerate(counts):
            done_hidden.insert(0, hidden[count:])
            done_cell.insert(0, cell[count:])
            hidden, cell = hidden[:count], cell[:count]
            if count:
                hidden, cell = self.step(rows[:count, t], hidden, cell)
            states.append(torch.cat([hidden, hidden.new_zeros(n - count, self.size)]))
        hidden, cell = torch.cat([hidden, *done_hidden]), torch.cat([cell, *done_cell])
        return torch.stack(states, 1)[back], hidden[back], cell[back]
