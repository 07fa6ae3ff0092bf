# earns: solved lean
# offsets as Python lists turned into tensors once; scatter_add for the rest
import torch
from torch import Tensor


def pack(graphs: list[tuple[Tensor, Tensor]]) -> tuple[Tensor, Tensor, Tensor]:
    """All nodes, all edges numbered anew, and for each node the number of its graph."""

    parts, links, owner, shift, start = [], [], [], [], 0
    for number, (nodes, edges) in enumerate(graphs):
        parts.append(nodes)
        links.append(edges)
        owner.extend([number] * nodes.shape[0])
        shift.extend([start] * edges.shape[1])
        start += nodes.shape[0]
    device = parts[0].device
    joined = torch.cat(links, 1) + torch.tensor(shift, dtype=torch.int64, device=device)
    return torch.cat(parts), joined, torch.tensor(owner, dtype=torch.int64, device=device)


def pass_messages(nodes: Tensor, edges: Tensor) -> Tensor:
    """Each node's features plus the mean of those that an edge brings to it."""

    index = edges[1].unsqueeze(1).expand(-1, nodes.shape[1])
    sums = torch.zeros_like(nodes).scatter_add(0, index, nodes.index_select(0, edges[0]))
    ones = torch.ones_like(edges[1], dtype=nodes.dtype)
    counts = nodes.new_zeros(len(nodes)).scatter_add(0, edges[1], ones)
    mean = sums / counts.clamp(min=1).unsqueeze(1)
    return nodes + mean


def read_out(nodes: Tensor, owner: Tensor, graphs: int) -> Tensor:
    """The sum of each graph's nodes."""

    index = owner.unsqueeze(1).expand_as(nodes)
    return torch.scatter_add(nodes.new_zeros(graphs, nodes.shape[1]), 0, index, nodes)
