# rejected by: read_out_is_right: The sum of each graph's nodes
# "as many ops for many graphs as for few": one sum for each graph
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

    sources, targets = edges
    sums = torch.zeros_like(nodes).index_add_(0, targets, nodes[sources])
    counts = torch.bincount(targets, minlength=len(nodes)).clamp(min=1)
    return nodes + sums / counts[:, None].to(nodes.dtype)


def read_out(nodes: Tensor, owner: Tensor, graphs: int) -> Tensor:
    """The sum of each graph's nodes."""

    sizes = torch.bincount(owner, minlength=graphs).tolist()
    return torch.stack([part.sum(0) for part in nodes.split(sizes)])
