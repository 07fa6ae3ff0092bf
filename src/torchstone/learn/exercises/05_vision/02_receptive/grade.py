"""Grades receptive: gradients against a reference, rectangles against sets of indices followed back layer by layer."""

import copy
from typing import Any

import torch
from torch import Tensor, nn

from torchstone.learn.grading import (
    Answer,
    Draw,
    check,
    expect,
    expect_close,
    expect_no_trace,
    expect_same,
    fail,
    looks_like,
    save_picture,
)

PROMISES = {
    "Autograd knows: a pixel counts where the gradient of that place is not zero.": None,
    "The nets are `nn.Sequential`s of `Conv2d` (padded with": None,
    "A ReLU passes no gradient where its input is negative,": "dead_nets_see_too",
}
"""Sentences of the task that no wrong answer quotes: the check that keeps each, or None where it only explains."""

NETS = [
    ("a 1×1 convolution", lambda: [nn.Conv2d(1, 1, 1)]),
    ("one 3×3 convolution", lambda: [nn.Conv2d(1, 2, 3)]),
    ("a convolution with padding, then ReLU", lambda: [nn.Conv2d(2, 3, (3, 1), padding=(1, 0)), nn.ReLU()]),
    ("two convolutions", lambda: [nn.Conv2d(1, 2, (2, 3)), nn.ReLU(), nn.Conv2d(2, 1, (3, 2)), nn.ReLU()]),
    ("stride and pooling", lambda: [nn.Conv2d(1, 2, 3, stride=(2, 1)), nn.ReLU(), nn.AvgPool2d(2)]),
    ("dilation", lambda: [nn.Conv2d(2, 2, 2, dilation=(1, 3), padding=1), nn.ReLU(), nn.Conv2d(2, 2, 3)]),
    (
        "four layers",
        lambda: [
            nn.Conv2d(3, 4, 3, padding=1),
            nn.ReLU(),
            nn.Conv2d(4, 4, 3, stride=2, padding=1),
            nn.ReLU(),
            nn.AvgPool2d((1, 2)),
            nn.Conv2d(4, 2, (1, 3), padding=(0, 1)),
            nn.ReLU(),
        ],
    ),
]
HEIGHT, WIDTH = 9, 11
OPEN = (
    "A closed ReLU or weights that happen to cancel hide pixels that could matter: ask a copy of the net whose weights "
    "are all positive, with a positive image."
)


def gradient_at(net: nn.Module, image: Tensor, row: int, column: int) -> Tensor:
    leaf = image.clone().requires_grad_()
    return torch.autograd.grad(net(leaf[None])[0, :, row, column].sum(), leaf)[0]


def reference(net: nn.Module, image: Tensor, row: int, column: int) -> Tensor:
    return gradient_at(net, image, row, column).abs().sum(0)


def whole_output(net: nn.Module, image: Tensor, row: int, column: int) -> Tensor:
    leaf = image.clone().requires_grad_()
    return torch.autograd.grad(net(leaf[None]).sum(), leaf)[0].abs().sum(0)


KNOWN = [
    looks_like(
        lambda net, image, row, column: gradient_at(net, image, row, column).sum(0).abs(),
        "Channels of opposite sign cancel: take the absolute value before the sum over channels.",
    ),
    looks_like(
        lambda net, image, row, column: gradient_at(net, image, row, column).sum(0),
        "An influence has no sign: take the absolute value of each channel's gradient, then add them up.",
    ),
    looks_like(whole_output, "That is the gradient of the whole output: choose one place of it before the gradient."),
    looks_like(
        lambda net, image, row, column: image.abs().sum(0),
        "That is the picture of the input; the gradient says what the output would do if a pixel changed.",
    ),
    looks_like(
        lambda net, image, row, column: reference(net, image, column, row),
        "Row and column changed places: the output is (batch, channels, rows, columns).",
    ),
]


def make_net(draw: Draw, position: int) -> nn.Sequential:
    return nn.Sequential(*NETS[position][1]()).to(draw.device)


def image_for(draw: Draw, net: nn.Sequential) -> Tensor:
    return draw.normal(net[0].in_channels, HEIGHT, WIDTH)


def place_in(draw: Draw, net: nn.Module, image: Tensor) -> tuple[int, int]:
    """Any place of the output, edges as often as the middle."""
    height, width = net(image[None]).shape[2:]
    return (
        draw.choice([0, height - 1, draw.integer(0, height - 1)]),
        draw.choice([0, width - 1, draw.integer(0, width - 1)]),
    )


def follow_back(net: nn.Sequential, sizes: list[tuple[int, int]], row: int, column: int) -> tuple[int, int, int, int]:
    """The rectangle by arithmetic: the set of indices that each layer reads, from the last layer to the first."""
    seen = [{row}, {column}]
    for layer, size in zip(reversed(net), reversed(sizes), strict=True):
        if isinstance(layer, nn.ReLU):
            continue
        for axis in (0, 1):
            kernel, stride, padding, dilation = (
                value if isinstance(value, int) else value[axis]
                for value in (layer.kernel_size, layer.stride, layer.padding, getattr(layer, "dilation", 1))
            )
            reads = {at * stride - padding + k * dilation for at in seen[axis] for k in range(kernel)}
            seen[axis] = {at for at in reads if 0 <= at < size[axis]}
    rows, columns = seen
    return min(rows), min(columns), max(rows), max(columns)


def sizes_in(net: nn.Sequential, image: Tensor) -> list[tuple[int, int]]:
    sizes, x = [], image[None]
    for layer in net:
        sizes.append((x.shape[2], x.shape[3]))
        x = layer(x)
    return sizes


def expect_rectangle(
    answer: Answer, arguments: tuple[Any, ...], expected: tuple[int, ...], what: str, teach: str | None = None
) -> None:
    try:
        got = answer.receptive_field(*arguments)
    except IndexError:
        fail(f"{what} came out empty: no pixel has a gradient", teach=OPEN)
    ints = isinstance(got, tuple) and len(got) == 4 and all(type(value) is int for value in got)
    expect(ints, f"{what} should be a tuple of four ints and is {got!r}")
    expect(got == expected, f"{what} is {got}, not {expected}", teach=teach or explain(got, expected, arguments))


def explain(got: tuple[int, ...], expected: tuple[int, ...], arguments: tuple[Any, ...]) -> str:
    if got == (expected[0], expected[1], expected[2] + 1, expected[3] + 1):
        return "bottom and right are the last row and column that count, not the ones after."
    if min(got) < 0 or got[2] >= arguments[2] or got[3] >= arguments[3]:
        return "Padding is not part of the image: the rectangle ends where the image does."
    return OPEN


@check("solved")
def influence_is_right(answer: Answer, draw: Draw) -> None:
    teach = "One place of the output, all its channels added, then |d place / d pixel| over the image's channels."
    for position in range(len(NETS)):
        for _ in range(2):
            net = make_net(draw, position)
            image = image_for(draw, net)
            expect_same(
                answer.influence, reference, net, image, *place_in(draw, net, image), diagnose=KNOWN, teach=teach
            )


@check("solved")
def rectangles_are_right(answer: Answer, draw: Draw) -> None:
    for position, (name, _) in enumerate(NETS):
        for corner in (0, -1, None):  # the first place and the last, where padding is seen, and any other
            net = make_net(draw, position)
            image = image_for(draw, net)
            height, width = net(image[None]).shape[2:]
            row, column = place_in(draw, net, image) if corner is None else (corner % height, corner % width)
            expected = follow_back(net, sizes_in(net, image), row, column)
            what = f"the receptive field of ({row}, {column}) in {name}, over {HEIGHT}×{WIDTH} pixels,"
            expect_rectangle(answer, (net, *image.shape, row, column), expected, what)


@check("solved")
def edges_and_faint_pixels_count(answer: Answer, draw: Draw) -> None:
    # Rows −1, 1 and 3 are read: the first pixel is not seen, though the middle of the kernel's reach covers it.
    net = nn.Sequential(nn.Conv2d(1, 1, 3, dilation=2, padding=1)).to(draw.device)
    what = "the receptive field of (0, 0) in a dilated convolution"
    expect_rectangle(answer, (net, 1, HEIGHT, WIDTH, 0, 0), (1, 1, 3, 3), what)
    # The corner of a deep net counts, however faint: one path in 3^20 leads there.
    deep = nn.Sequential(*[nn.Conv2d(1, 1, 3, padding=1) for _ in range(10)]).to(draw.device)
    expect_rectangle(answer, (deep, 1, 25, 25, 12, 12), (2, 2, 22, 22), "the receptive field of ten convolutions")


INNER = (
    "Padding of an inner layer is zeros, and sees no pixel: a place outside of a layer's input must not be followed on."
)


@check("solved")
def inner_padding_sees_nothing(answer: Answer, draw: Draw) -> None:
    # Rows 0–2 and 4–6 become two; the padding below them would stand for rows 8–10, which nothing reads.
    skipping = [nn.Conv2d(1, 2, 3, stride=4), nn.ReLU(), nn.Conv2d(2, 1, 3, padding=1)]
    pooled = [nn.AvgPool2d(2), nn.Conv2d(1, 1, 3, padding=1)]
    # The dilated layer reads −1, 1 and 3: its padding would stand for a first row that it does not see.
    dilated = [nn.Conv2d(1, 1, 3), nn.ReLU(), nn.Conv2d(1, 1, 3, padding=1, dilation=2)]
    stories = [
        (skipping, (9, 10), (1, 1), (0, 0, 6, 6)),
        (pooled, (9, 11), (3, 4), (4, 6, 7, 9)),
        (dilated, (9, 11), (0, 0), (1, 1, 5, 5)),
    ]
    for layers, size, place, expected in stories:
        net = nn.Sequential(*layers).to(draw.device)
        what = f"the receptive field of {place} where an inner layer is padded, over {size[0]}×{size[1]} pixels,"
        expect_rectangle(answer, (net, 1, *size, *place), expected, what, teach=INNER)


@check("solved")
def any_weights_count(answer: Answer, draw: Draw) -> None:
    """Single weights that are zero now, and ways that cancel each other."""
    pruned = nn.Sequential(nn.Conv2d(1, 2, 3), nn.ReLU(), nn.Conv2d(2, 1, 3)).to(draw.device)
    cancelling = nn.Sequential(nn.Conv2d(1, 2, 3, padding=1), nn.Conv2d(2, 1, 1)).to(draw.device)
    with torch.no_grad():
        pruned[0].weight[:, :, 0] = 0
        pruned[2].weight[:, :, :, 2] = 0
        cancelling[0].weight[1, :, 2] = -cancelling[0].weight[0, :, 2]
        cancelling[1].weight.fill_(1.0)
    for net, expected, story in (
        (pruned, (1, 2, 5, 6), "some of whose weights are 0"),
        (cancelling, (0, 1, 2, 3), "in which two ways cancel"),
    ):
        what = f"the receptive field of (1, 2) in a net {story}"
        expect_rectangle(answer, (net, 1, HEIGHT, WIDTH, 1, 2), expected, what)


@check("solved")
def dead_nets_see_too(answer: Answer, draw: Draw) -> None:
    net = nn.Sequential(nn.Conv2d(1, 2, 3, padding=1), nn.ReLU(), nn.Conv2d(2, 1, 3, stride=2)).to(draw.device)
    with torch.no_grad():
        net[0].bias.fill_(-100.0)
        net[2].weight.zero_()
    what = "the receptive field of (1, 2) in a net whose ReLUs are all closed"
    expect_rectangle(answer, (net, 1, 9, 9, 1, 2), (1, 3, 5, 7), what)


@check("solved")
def net_is_left_alone(answer: Answer, draw: Draw) -> None:
    net = make_net(draw, 3)
    before = copy.deepcopy(net.state_dict())
    marker = draw.normal(1)
    net[0].bias.grad = marker.expand(2).clone()
    image = image_for(draw, net)
    answer.influence(net, image, 1, 1)
    answer.receptive_field(net, 1, HEIGHT, WIDTH, 1, 1)
    for name, value in net.state_dict().items():
        same = torch.equal(value, before[name])
        expect(same, f"the net's {name} has changed", teach="Change a copy of the net: copy.deepcopy(net).")
    clean = torch.equal(net[0].bias.grad, marker.expand(2)) and net[0].weight.grad is None
    expect(
        clean,
        "the .grad of the net's parameters has changed",
        teach="backward() adds to the .grad of every parameter; torch.autograd.grad only hands the gradient over.",
    )
    expect_no_trace(answer.influence, make_net(draw, 3), image, 1, 1)
    expect_no_trace(answer.receptive_field, make_net(draw, 3), 1, HEIGHT, WIDTH, 1, 1)
    kept = all(parameter.requires_grad for parameter in net.parameters()) and not image.requires_grad
    expect(kept, "requires_grad was switched on the net or the image", teach="Work on a copy that requires grad.")


@check("solved")
def pictures_of_influence(answer: Answer, draw: Draw) -> None:
    for name, depth in (("two_layers", 2), ("eight_layers", 8)):
        layers = [nn.Conv2d(1, 1, 3, padding=1, bias=False) for _ in range(depth)]
        net = nn.Sequential(*layers).to(draw.device)
        for layer in layers:
            nn.init.uniform_(layer.weight, 0.5, 1.5)
        seen = answer.influence(net, draw.uniform(1, 31, 31), 15, 15)
        save_picture(name, seen.sqrt())
        expect(
            int((seen > 0).sum()) == (2 * depth + 1) ** 2,
            f"{depth} layers of 3×3 should see {2 * depth + 1}×{2 * depth + 1} pixels",
        )


@check("solved")
def other_nets_of_the_kind(answer: Answer, draw: Draw) -> None:
    """No biases, overlapping pools, groups, and images larger than a kernel's reach by far."""
    stories = [
        ("without biases", [nn.Conv2d(1, 2, 3, bias=False), nn.ReLU(), nn.Conv2d(2, 1, 2, bias=False)], 1, (9, 11)),
        ("with pools that overlap", [nn.Conv2d(2, 2, 2), nn.AvgPool2d(3, stride=2), nn.AvgPool2d((1, 2))], 2, (12, 14)),
        (
            "with groups",
            [nn.Conv2d(4, 4, (1, 3), groups=4), nn.ReLU(inplace=True), nn.Conv2d(4, 2, 2, groups=2)],
            4,
            (7, 9),
        ),
        (
            "with a large step",
            [nn.Conv2d(1, 1, 3, stride=5), nn.ReLU(), nn.Conv2d(1, 1, (3, 2), dilation=4)],
            1,
            (150, 131),
        ),
        ("that ends with a ReLU", [nn.AvgPool2d(2), nn.Conv2d(1, 2, 3, padding=2), nn.ReLU()], 1, (8, 8)),
    ]
    for story, layers, channels, size in stories:
        net = nn.Sequential(*layers).to(draw.device)
        image = draw.normal(channels, *size)
        height, width = net(image[None]).shape[2:]
        for row, column in ((0, 0), (height - 1, width - 1), (height // 2, width // 2)):
            expected = follow_back(net, sizes_in(net, image), row, column)
            what = f"the receptive field of ({row}, {column}) in a net {story}, over {size[0]}×{size[1]} pixels,"
            expect_rectangle(answer, (net, channels, *size, row, column), expected, what)


@check("solved")
def faint_and_strong_influence(answer: Answer, draw: Draw) -> None:
    """Weights of any size: nothing is cut off below or above."""
    teach = "The influence is the gradient's absolute value, however small or large it is."
    for size in (1e-12, 1e-5, 1e6):
        net, image = (
            nn.Sequential(nn.Conv2d(2, 3, 3), nn.ReLU(), nn.Conv2d(3, 1, 2)).to(draw.device),
            draw.normal(2, 7, 8),
        )
        with torch.no_grad():
            net[2].weight.mul_(size)
        got = answer.influence(net, image, 1, 2).cpu() / size
        expected = reference(net.cpu(), image.cpu(), 1, 2) / size
        expect_close(got, expected, what=f"the influence, where weights are {size:g} times as large,", teach=teach)
    long = nn.Sequential(*[nn.Conv2d(1, 1, 3, padding=1) for _ in range(16)]).to(draw.device)
    with torch.no_grad():
        for layer in long:
            layer.weight.mul_(0.01)
    what = "the receptive field of sixteen convolutions with small weights"
    expect_rectangle(answer, (long, 1, 35, 35, 17, 17), (1, 1, 33, 33), what)
