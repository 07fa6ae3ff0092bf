# rejected by: graphs_without_nodes_keep_their_number: A graph without nodes has a number all the same
# "A graph may have no edges, or no nodes.": two graphs that begin at the same node, because one has none, count as
# one
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
    marks = torch.zeros(len(nodes) + 1, dtype=torch.int64, device=nodes.device)
    marks[starts[1:]] = 1
    owner = marks[:-1].cumsum(0)
    return nodes, edges + starts.repeat_interleave(links), owner


def pass_messages(nodes: Tensor, edges: Tensor) -> Tensor:
    """Each node's features plus the mean of those that an edge brings to it."""
    sources, targets = edges
    sums = torch.zeros_like(nodes).index_add_(0, targets, nodes[sources])
    counts = torch.bincount(targets, minlength=len(nodes)).clamp(min=1)
    return nodes + sums / counts[:, None]


def read_out(nodes: Tensor, owner: Tensor, graphs: int) -> Tensor:
    """The sum of each graph's nodes."""
    return nodes.new_zeros(graphs, nodes.shape[1]).index_add_(0, owner, nodes)
