# rejected by: read_out_is_right: The sum of each graph's nodes
# segment_reduce takes the nodes as sorted by graph; '`owner` may come in any order' (owner [1, 0, 1])
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
    owner = torch.arange(len(graphs), device=nodes.device).repeat_interleave(sizes)
    return nodes, edges + starts.repeat_interleave(counts), owner


def pass_messages(nodes: Tensor, edges: Tensor) -> Tensor:
    """Each node's features plus the mean of those that an edge brings to it."""
    source, target = edges
    sums = torch.zeros_like(nodes).index_add_(0, target, nodes[source])
    counts = torch.bincount(target, minlength=len(nodes)).clamp(min=1)
    return nodes + sums / counts[:, None]


def read_out(nodes: Tensor, owner: Tensor, graphs: int) -> Tensor:
    """The sum of each graph's nodes."""
    lengths = torch.bincount(owner, minlength=graphs)
    return torch.segment_reduce(nodes, "sum", lengths=lengths, initial=0)
