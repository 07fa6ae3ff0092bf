# rejected by: read_out_is_right: the last graphs may be without nodes and
# read_out cuts the nodes into runs, as if owner came in ascending order
import torch
from torch import Tensor


def pack(graphs: list[tuple[Tensor, Tensor]]) -> tuple[Tensor, Tensor, Tensor]:
    nodes = torch.cat([nodes for nodes, _ in graphs])
    edges = torch.cat([edges for _, edges in graphs], dim=1)
    sizes = torch.tensor([len(nodes) for nodes, _ in graphs], device=nodes.device)
    counts = torch.tensor([edges.shape[1] for _, edges in graphs], device=nodes.device)
    starts = sizes.cumsum(0) - sizes
    owner = torch.arange(len(graphs), device=nodes.device).repeat_interleave(sizes)
    return nodes, edges + starts.repeat_interleave(counts), owner


def pass_messages(nodes: Tensor, edges: Tensor) -> Tensor:
    source, target = edges
    sums = torch.zeros_like(nodes).index_add_(0, target, nodes[source])
    counts = torch.bincount(target, minlength=len(nodes)).clamp(min=1)
    return nodes + sums / counts[:, None]


def read_out(nodes: Tensor, owner: Tensor, graphs: int) -> Tensor:
    ends = torch.bincount(owner, minlength=graphs).cumsum(0)
    running = torch.cat([nodes.new_zeros(1, nodes.shape[1]), nodes.cumsum(0)])
    return running[ends].diff(dim=0, prepend=running[:1])
