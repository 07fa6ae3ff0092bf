"""Grades graph_batch: every graph alone, node by node, as the reference; ops counted for few graphs and for many."""

import torch
from torch import Tensor

from torchstone.learn.grading import Answer, Draw, check, expect_same, expect_same_ops, looks_like, when

PROMISES = {
    "Put side by side they are *one* graph whose parts": None,
    "`owner` may come in any order.": "read_out_is_right",
}
"""Sentences of the task that no wrong answer quotes: the check that keeps each, or None where it only explains."""

PACKS = [((1, 0),), ((2, 1),), ((1, 1), (2, 2)), ((3, 2), (1, 0), (2, 4)), ((0, 0), (2, 1), (0, 0)), ((4, 7), (5, 3))]
"""Nodes and edges of each graph."""
GRAPHS = [(1, 0), (1, 2), (2, 1), (3, 5), (6, 4), (5, 12)]
DTYPES = (torch.float32, torch.float64)
Graph = tuple[Tensor, Tensor]


def graph(draw: Draw, nodes: int, edges: int, features: int = 2) -> Graph:
    ends = draw.integers(2, edges, high=nodes) if nodes else draw.place(torch.zeros(2, 0), torch.int64)
    return draw.normal(nodes, features), ends


def several(draw: Draw, *sizes: tuple[int, int]) -> list[Graph]:
    return [graph(draw, *size) for size in sizes]


def owned(draw: Draw, nodes: int, graphs: int) -> tuple[Tensor, Tensor, int]:
    return draw.normal(nodes, 3), draw.integers(nodes, high=max(1, graphs - 1)), graphs


def packed(graphs: list[Graph]) -> tuple[Tensor, Tensor, Tensor]:
    start, edges, owner = 0, [], []
    for number, (nodes, ends) in enumerate(graphs):
        edges += [(int(a) + start, int(b) + start) for a, b in ends.T]
        owner += [number] * len(nodes)
        start += len(nodes)
    all_edges = torch.tensor(edges, dtype=torch.int64).reshape(-1, 2).T
    return torch.cat([nodes for nodes, _ in graphs]), all_edges, torch.tensor(owner, dtype=torch.int64)


def messages(nodes: Tensor, edges: Tensor) -> Tensor:
    result = nodes.double().clone()
    for target in range(len(nodes)):
        senders = [nodes[int(a)].double() for a, b in edges.T if int(b) == target]
        if senders:
            result[target] += torch.stack(senders).mean(0)
    return result.to(nodes.dtype)


def sums(nodes: Tensor, owner: Tensor, graphs: int) -> Tensor:
    rows = [nodes[owner == number].double().sum(0) for number in range(graphs)]
    return torch.stack(rows).to(nodes.dtype)


@check("solved")
def packing_is_right(answer: Answer, draw: Draw) -> None:
    teach = "Edges are numbered anew: by as many as there are nodes in the graphs before it."
    for graphs in draw.cases(several, PACKS):
        expect_same(answer.pack, packed, graphs, teach=teach)


@check("solved")
def messages_are_right(answer: Answer, draw: Draw) -> None:
    known = [
        looks_like(
            lambda nodes, edges: messages(nodes, edges.flip(0)), "Messages go from edges[0] to edges[1], not back."
        ),
        when(
            lambda got, expected: bool(got.isnan().any()),
            "A node without incoming edges divides 0 by 0: it keeps its own features.",
        ),
        looks_like(
            lambda nodes, edges: nodes + torch.zeros_like(nodes).index_add(0, edges[1], nodes[edges[0]]),
            "These are the sums of what arrives; the task asks for the mean.",
        ),
    ]
    teach = (
        "A node's own features plus the mean of its senders; index_add_ adds up, where plain indexing keeps the last."
    )
    for case in draw.cases(graph, GRAPHS, dtypes=DTYPES, layouts=("strided",)):
        expect_same(answer.pass_messages, messages, *case, diagnose=known, teach=teach)


@check("solved")
def read_out_is_right(answer: Answer, draw: Draw) -> None:
    teach = "The sum of each graph's nodes; the last graphs may be without nodes and are zeros then."
    for case in draw.cases(owned, [(1, 1), (3, 2), (6, 4), (2, 5)], dtypes=DTYPES):
        expect_same(answer.read_out, sums, *case, teach=teach)


@check("lean")
def ops_do_not_grow(answer: Answer, draw: Draw) -> None:
    expect_same_ops(answer.pass_messages, graph(draw, 6, 12), graph(draw, 1_200, 2_400))
    expect_same_ops(answer.read_out, owned(draw, 6, 3), owned(draw, 1_200, 600))


@check("lean")
def packing_ops_do_not_grow(answer: Answer, draw: Draw) -> None:
    teach = "All graphs' edges can be moved at once: repeat_interleave gives each edge its graph's offset."
    few, many = several(draw, *[(3, 4)] * 3), several(draw, *[(3, 4)] * 140)
    expect_same_ops(answer.pack, (few,), (many,), count_lines=False, teach=teach)
