# earns: solved lean
# each message is divided before it is sent; index_put with accumulate
"""Run many graphs of different sizes as one."""

import torch
from torch import Tensor


def pack(graphs: list[tuple[Tensor, Tensor]]) -> tuple[Tensor, Tensor, Tensor]:
    """All nodes, all edges numbered anew, and for each node the number of its graph."""
    nodes = torch.cat([nodes for nodes, _ in graphs])
    edges = torch.cat([edges for _, edges in graphs], dim=1)
    sizes = torch.tensor([nodes.size(0) for nodes, _ in graphs], device=nodes.device)
    counts = torch.tensor([edges.shape[1] for _, edges in graphs], device=nodes.device)
    starts = torch.nn.functional.pad(sizes, (1, 0))[:-1].cumsum(0)
    owner = torch.repeat_interleave(torch.arange(len(graphs), device=nodes.device), sizes)
    return nodes, edges + torch.repeat_interleave(starts, counts), owner


def pass_messages(nodes: Tensor, edges: Tensor) -> Tensor:
    """Each node's features plus the mean of those that an edge brings to it."""
    sources, targets = edges
    ones = torch.ones(len(targets), 1, dtype=nodes.dtype, device=nodes.device)
    incoming = torch.zeros(len(nodes), 1, dtype=nodes.dtype, device=nodes.device).index_put(
        (targets,), ones, accumulate=True
    )
    return nodes.index_put((targets,), nodes[sources] / incoming[targets], accumulate=True)


def read_out(nodes: Tensor, owner: Tensor, graphs: int) -> Tensor:
    """The sum of each graph's nodes."""
    return torch.zeros(graphs, nodes.size(1), dtype=nodes.dtype, device=nodes.device).index_put_(
        (owner,), nodes, accumulate=True
    )
