# rejected by: messages_are_right: the result of pass_messages is
# "an edge given twice counts twice": a dense 0/1 adjacency forgets it
"""Run many graphs of different sizes as one."""

import itertools

import torch
from torch import Tensor


def pack(graphs: list[tuple[Tensor, Tensor]]) -> tuple[Tensor, Tensor, Tensor]:
    """All nodes, all edges numbered anew, and for each node the number of its graph."""
    features, links = zip(*graphs, strict=True)
    device = features[0].device
    sizes = [one.shape[0] for one in features]
    starts = torch.tensor([0, *itertools.accumulate(sizes)][:-1], device=device)
    numbers = torch.arange(len(sizes), device=device)
    owner = numbers.repeat_interleave(torch.tensor(sizes, device=device))
    shift = starts.repeat_interleave(torch.tensor([one.shape[1] for one in links], device=device))
    return torch.cat(features), torch.cat(links, 1) + shift, owner


def pass_messages(nodes: Tensor, edges: Tensor) -> Tensor:
    """Each node's features plus the mean of those that an edge brings to it."""
    adjacency = nodes.new_zeros(len(nodes), len(nodes))
    adjacency[edges[1], edges[0]] = 1
    return nodes + adjacency @ nodes / adjacency.sum(1, keepdim=True).clamp(min=1)


def read_out(nodes: Tensor, owner: Tensor, graphs: int) -> Tensor:
    """The sum of each graph's nodes."""
    return nodes.new_zeros(graphs, nodes.shape[1]).index_add(0, owner, nodes)
