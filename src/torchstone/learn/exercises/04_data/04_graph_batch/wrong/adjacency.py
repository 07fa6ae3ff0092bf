# rejected by: messages_are_right: the result of pass_messages
# "an edge given twice counts twice": an adjacency matrix of ones knows an edge only once
"""Run many graphs of different sizes as one."""

import torch
from torch import Tensor


def pack(graphs: list[tuple[Tensor, Tensor]]) -> tuple[Tensor, Tensor, Tensor]:
    """All nodes, all edges numbered anew, and for each node the number of its graph."""
    nodes = torch.cat([nodes for nodes, _ in graphs])
    edges = torch.cat([edges for _, edges in graphs], dim=1)
    sizes = torch.tensor([len(nodes) for nodes, _ in graphs], device=nodes.device)
    links = torch.tensor([edges.shape[1] for _, edges in graphs], device=nodes.device)
    starts = sizes.cumsum(0) - sizes
    owner = torch.arange(len(graphs), device=nodes.device).repeat_interleave(sizes)
    return nodes, edges + starts.repeat_interleave(links), owner


def pass_messages(nodes: Tensor, edges: Tensor) -> Tensor:
    """Each node's features plus the mean of those that an edge brings to it."""
    sources, targets = edges
    sends = nodes.new_zeros(len(nodes), len(nodes))
    sends[targets, sources] = 1
    return nodes + sends @ nodes / sends.sum(1, keepdim=True).clamp(min=1)


def read_out(nodes: Tensor, owner: Tensor, graphs: int) -> Tensor:
    """The sum of each graph's nodes."""
    return nodes.new_zeros(graphs, nodes.shape[1]).index_add_(0, owner, nodes)
