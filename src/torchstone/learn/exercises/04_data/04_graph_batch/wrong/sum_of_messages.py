# rejected by: messages_are_right: These are the sums of what arrives
# "plus the *mean* of those that send to it": the sum
import torch
from torch import Tensor


def pack(graphs: list[tuple[Tensor, Tensor]]) -> tuple[Tensor, Tensor, Tensor]:
    """All nodes, all edges numbered anew, and for each node the number of its graph."""

    nodes = torch.cat([nodes for nodes, _ in graphs])
    edges = torch.cat([edges for _, edges in graphs], dim=1)
    sizes = torch.tensor([len(one) for one, _ in graphs], device=nodes.device)
    counts = torch.tensor([one.shape[1] for _, one in graphs], device=nodes.device)
    owner = torch.arange(len(graphs), device=nodes.device).repeat_interleave(sizes)
    offsets = sizes.cumsum(0) - sizes
    return nodes, edges + offsets.repeat_interleave(counts), owner


def pass_messages(nodes: Tensor, edges: Tensor) -> Tensor:
    """Each node's features plus the mean of those that an edge brings to it."""

    return nodes.index_add(0, edges[1], nodes[edges[0]])


def read_out(nodes: Tensor, owner: Tensor, graphs: int) -> Tensor:
    """The sum of each graph's nodes."""

    return nodes.new_zeros(graphs, nodes.shape[1]).index_add_(0, owner, nodes)
