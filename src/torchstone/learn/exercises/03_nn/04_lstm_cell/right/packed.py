# earns: solved
# sorted by length, and at each step only those that still run
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
        both = torch.cat([x, hidden], dim=1) @ torch.cat([self.weight_input, self.weight_hidden], dim=1).T + self.bias
        size = self.size
        inlet, forget, outlet = (torch.sigmoid(both[:, k * size : (k + 1) * size]) for k in (0, 1, 3))
        cell = forget * cell + inlet * torch.tanh(both[:, 2 * size : 3 * size])
        return outlet * torch.tanh(cell), cell

    def forward(self, padded: Tensor, lengths: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        n, time, _ = padded.shape
        order = lengths.argsort(descending=True)
        back = order.argsort()
        running = (lengths[:, None] > torch.arange(time, device=lengths.device)).sum(0).tolist()
        hidden = cell = padded.new_zeros(n, self.size)
        states = []
        for t, k in enumerate(running):
            new_hidden, new_cell = self.step(padded[order[:k], t], hidden[:k], cell[:k])
            hidden, cell = torch.cat([new_hidden, hidden[k:]]), torch.cat([new_cell, cell[k:]])
            states.append(torch.cat([new_hidden, padded.new_zeros(n - k, self.size)]))
        return torch.stack(states, dim=1)[back], hidden[back], cell[back]
