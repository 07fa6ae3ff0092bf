# rejected by: packing_is_right: The caller still needs what it handed in
# "pack(graphs) gets a list": the edges of the caller are shifted in place, so packing twice goes wrong
import torch
from torch import Tensor


def pack(graphs: list[tuple[Tensor, Tensor]]) -> tuple[Tensor, Tensor, Tensor]:
    """All nodes, all edges numbered anew, and for each node the number of its graph."""

    offset, owners = 0, []
    for number, (nodes, edges) in enumerate(graphs):
        edges += offset
        offset += len(nodes)
        owners += [number] * len(nodes)
    nodes = torch.cat([nodes for nodes, _ in graphs])
    edges = torch.cat([edges for _, edges in graphs], dim=1)
    return nodes, edges, torch.tensor(owners, dtype=torch.int64, device=nodes.device)


def pass_messages(nodes: Tensor, edges: Tensor) -> Tensor:
    """Each node's features plus the mean of those that an edge brings to it."""

    sources, targets = edges
    sums = torch.zeros_like(nodes).index_add_(0, targets, nodes[sources])
    counts = torch.bincount(targets, minlength=len(nodes)).clamp(min=1)
    return nodes + sums / counts[:, None].to(nodes.dtype)


def read_out(nodes: Tensor, owner: Tensor, graphs: int) -> Tensor:
    """The sum of each graph's nodes."""

    return nodes.new_zeros(graphs, nodes.shape[1]).index_add_(0, owner, nodes)
