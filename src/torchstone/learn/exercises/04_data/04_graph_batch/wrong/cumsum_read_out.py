# rejected by: nothing_reaches_other_graphs: Only senders count
# "for each graph the sum of its nodes": a difference of running sums carries a NaN to the graphs after it
"""Run many graphs of different sizes as one."""

import torch
from torch import Tensor


def pack(graphs: list[tuple[Tensor, Tensor]]) -> tuple[Tensor, Tensor, Tensor]:
    """All nodes, all edges numbered anew, and for each node the number of its graph."""
    every_nodes, every_edges = zip(*graphs, strict=True)
    nodes, edges = torch.cat(every_nodes), torch.cat(every_edges, dim=1)
    sizes = torch.tensor([len(one) for one in every_nodes], device=nodes.device)
    counts = torch.tensor([one.shape[1] for one in every_edges], device=nodes.device)
    # A graph's nodes start where those of all graphs before it end: the sum of their sizes, without its own.
    starts = sizes.cumsum(0) - sizes
    owner = torch.arange(len(graphs), device=nodes.device).repeat_interleave(sizes)
    return nodes, edges + starts.repeat_interleave(counts), owner


def pass_messages(nodes: Tensor, edges: Tensor) -> Tensor:
    """Each node's features plus the mean of those that an edge brings to it."""
    source, target = edges
    arrived = torch.zeros_like(nodes).index_add_(0, target, nodes[source])
    count = nodes.new_zeros(len(nodes)).index_add_(0, target, nodes.new_ones(len(target)))
    return nodes + arrived / count.clamp(min=1)[:, None]


def read_out(nodes: Tensor, owner: Tensor, graphs: int) -> Tensor:
    """The sum of each graph's nodes."""
    order = owner.argsort(stable=True)
    sums = torch.cat([nodes.new_zeros(1, nodes.shape[1]), nodes[order].cumsum(0)])
    ends = torch.bincount(owner, minlength=graphs).cumsum(0)
    starts = ends - torch.bincount(owner, minlength=graphs)
    return sums[ends] - sums[starts]
