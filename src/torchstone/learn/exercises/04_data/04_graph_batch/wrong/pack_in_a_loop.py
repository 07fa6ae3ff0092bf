# rejected by: packing_ops_do_not_grow: All graphs' edges can be moved at once
# "as many ops for many graphs as for few ... in pack too": each graph's edges are shifted by an op of their own
import torch
from torch import Tensor


def pack(graphs: list[tuple[Tensor, Tensor]]) -> tuple[Tensor, Tensor, Tensor]:
    """All nodes, all edges numbered anew, and for each node the number of its graph."""

    all_nodes, all_edges, owner, offset = [], [], [], 0
    for number, (nodes, edges) in enumerate(graphs):
        all_nodes.append(nodes)
        all_edges.append(edges + offset)
        owner.append(torch.full((len(nodes),), number, dtype=torch.int64, device=nodes.device))
        offset += len(nodes)
    return torch.cat(all_nodes), torch.cat(all_edges, dim=1), torch.cat(owner)


def pass_messages(nodes: Tensor, edges: Tensor) -> Tensor:
    """Each node's features plus the mean of those that an edge brings to it."""

    sources, targets = edges
    sums = torch.zeros_like(nodes).index_add_(0, targets, nodes[sources])
    counts = torch.bincount(targets, minlength=len(nodes)).clamp(min=1)
    return nodes + sums / counts[:, None].to(nodes.dtype)


def read_out(nodes: Tensor, owner: Tensor, graphs: int) -> Tensor:
    """The sum of each graph's nodes."""

    return nodes.new_zeros(graphs, nodes.shape[1]).index_add_(0, owner, nodes)
