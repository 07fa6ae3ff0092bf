# rejected by: messages_are_right: the result of pass_messages is
# "an edge given twice counts twice": equal edges are merged
"""Run many graphs of different sizes as one."""

import torch
from torch import Tensor


def pack(graphs: list[tuple[Tensor, Tensor]]) -> tuple[Tensor, Tensor, Tensor]:
    """All nodes, all edges numbered anew, and for each node the number of its graph."""
    nodes = torch.cat([nodes for nodes, _ in graphs])
    edges = torch.cat([edges for _, edges in graphs], dim=1)
    sizes = torch.tensor([len(nodes) for nodes, _ in graphs], device=nodes.device)
    counts = torch.tensor([edges.shape[1] for _, edges in graphs], device=nodes.device)
    starts = sizes.cumsum(0) - sizes
    owner = torch.repeat_interleave(torch.arange(len(graphs), device=nodes.device), sizes)
    return nodes, edges + torch.repeat_interleave(starts, counts), owner


def pass_messages(nodes: Tensor, edges: Tensor) -> Tensor:
    """Each node's features plus the mean of those that an edge brings to it."""
    sources, targets = torch.unique(edges, dim=1)
    sums = torch.zeros_like(nodes).index_add(0, targets, nodes[sources])
    counts = torch.bincount(targets, minlength=len(nodes)).clamp(min=1)
    return nodes + sums / counts[:, None]


def read_out(nodes: Tensor, owner: Tensor, graphs: int) -> Tensor:
    """The sum of each graph's nodes."""
    return nodes.new_zeros(graphs, nodes.shape[1]).index_add(0, owner, nodes)
