# earns: solved lean
# owners by searchsorted, means and sums by scatter
"""Run many graphs of different sizes as one."""

import torch
from torch import Tensor


def _owners(sizes: list[int], device: torch.device) -> Tensor:
    ends = torch.tensor(sizes, dtype=torch.int64, device=device).cumsum(0)
    return torch.searchsorted(ends, torch.arange(sum(sizes), device=device), right=True)


def pack(graphs: list[tuple[Tensor, Tensor]]) -> tuple[Tensor, Tensor, Tensor]:
    """All nodes, all edges numbered anew, and for each node the number of its graph."""
    sizes = [len(nodes) for nodes, _ in graphs]
    starts = [sum(sizes[:i]) for i in range(len(sizes))]
    nodes = torch.cat([nodes for nodes, _ in graphs])
    edges = torch.cat([edges for _, edges in graphs], dim=1)
    owner = _owners([edges.shape[1] for _, edges in graphs], nodes.device)
    shift = torch.tensor(starts, dtype=torch.int64, device=nodes.device)[owner]
    return nodes, edges + shift, _owners(sizes, nodes.device)


def pass_messages(nodes: Tensor, edges: Tensor) -> Tensor:
    """Each node's features plus the mean of those that an edge brings to it."""
    places = edges[1].unsqueeze(1).expand(-1, nodes.shape[1])
    means = torch.zeros_like(nodes).scatter_reduce(0, places, nodes[edges[0]], "mean", include_self=False)
    return nodes + means


def read_out(nodes: Tensor, owner: Tensor, graphs: int) -> Tensor:
    """The sum of each graph's nodes."""
    empty = torch.zeros(graphs, nodes.shape[1], dtype=nodes.dtype, device=nodes.device)
    return empty.scatter_add_(0, owner[:, None].expand_as(nodes), nodes)
