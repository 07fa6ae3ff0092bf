"""Grades resnet_small: blocks recomputed from their own weights; then a short training on shapes drawn on the spot."""

import torch
from torch import Tensor, nn
from torch.nn import functional

from torchstone.learn.grading import (
    Answer,
    Draw,
    check,
    expect,
    expect_close,
    expect_reaches,
    guard,
    looks_like,
)

PROMISES = {
    "That one addition lets gradients pass through any number of layers.": None,
    "`Block(inputs, outputs, stride)` — keep these names, the checks look for them:": "net_has_its_parts",
}
"""Sentences of the task that no wrong answer quotes: the check that keeps each, or None where it only explains."""

BLOCKS = [(1, 1, 1), (3, 3, 1), (2, 2, 2), (2, 4, 1), (2, 5, 2), (4, 2, 3)]
SIDE, CLASSES, STEPS, BATCH, RATE, MOMENTUM = 8, 4, 40, 48, 0.05, 0.9
ACCURACY = 0.7
"""The solution reaches 0.98 to 1.0, guessing 0.25."""
LIVELY = 20
"""Weights are drawn so often, until not all channels are dead: of those nobody sees which places they come from."""


def normalize(x: Tensor, norm: nn.BatchNorm2d, training: bool) -> Tensor:
    if training:
        mean, variance = x.mean((0, 2, 3)), x.var((0, 2, 3), correction=0)
    else:
        mean, variance = norm.running_mean, norm.running_var
    shape = (1, -1, 1, 1)
    scaled = (x - mean.view(shape)) / (variance.view(shape) + norm.eps).sqrt()
    return scaled * norm.weight.view(shape) + norm.bias.view(shape)


def two_ways(block: nn.Module, x: Tensor, stride: int, training: bool) -> tuple[Tensor, Tensor]:
    """What a block's parts give: the way around, and the change."""
    change = functional.conv2d(x, block.conv1.weight, stride=stride, padding=1)
    change = normalize(change, block.norm1, training).relu()
    change = normalize(functional.conv2d(change, block.conv2.weight, padding=1), block.norm2, training)
    around = x
    if isinstance(block.shortcut, nn.Sequential) and len(block.shortcut):
        around = normalize(functional.conv2d(x, block.shortcut[0].weight, stride=stride), block.shortcut[1], training)
    return around, change


def expected_parts(inputs: int, outputs: int, stride: int) -> dict[str, tuple[int, ...]]:
    """The shapes of a block's parameters, by name."""
    parts = {"conv1.weight": (outputs, inputs, 3, 3), "conv2.weight": (outputs, outputs, 3, 3)}
    norms = ["norm1", "norm2"]
    if stride != 1 or inputs != outputs:
        parts["shortcut.0.weight"] = (outputs, inputs, 1, 1)
        norms.append("shortcut.1")
    return parts | {f"{norm}.{kind}": (outputs,) for norm in norms for kind in ("weight", "bias")}


def by_place(module: nn.Module, name: str) -> str:
    """With the numbers of the children of each nn.Sequential, which may have names of their own."""
    numbered = []
    for part in name.split("."):
        children = list(module.named_children()) if isinstance(module, nn.Sequential) else []
        numbered.append(next((str(number) for number, (child, _) in enumerate(children) if child == part), part))
        module = getattr(module, part, module)
    return ".".join(numbered)


def expect_parts(module: nn.Module, expected: dict[str, tuple[int, ...]], what: str) -> None:
    got = {by_place(module, name): tuple(parameter.shape) for name, parameter in module.named_parameters()}
    for name in expected:
        expect(name in got, f"{what} has no parameter {name!r}", teach="The task names the parts: keep its names.")
        message = f"{name} of {what} is {got[name]} and should be {expected[name]}"
        expect(got[name] == expected[name], message)
    extra = sorted(set(got) - set(expected))
    bias = any(name.endswith("bias") for name in extra)
    shortcut = any(name.startswith("shortcut") for name in extra)
    teach = None
    if bias:
        teach = "A bias before a batch norm is taken away again with the mean: bias=False."
    if shortcut:
        teach = "Where the shape stays as it is the shortcut is the identity: nothing to learn, nothing in the way."
    expect(not extra, f"{what} has a parameter {extra and extra[0]!r} that it should not have", teach=teach)


def shake(module: nn.Module) -> None:
    """Norms away from their first values, where weight 1, bias 0, mean 0 and variance 1 hide mistakes."""
    for part in module.modules():
        if isinstance(part, nn.BatchNorm2d):
            nn.init.uniform_(part.weight, 0.7, 1.5)
            with torch.no_grad():
                part.weight.mul_(torch.randint(2, part.weight.shape) * 2 - 1)
            nn.init.normal_(part.bias, std=0.3)
            nn.init.normal_(part.running_mean)
            nn.init.uniform_(part.running_var, 0.5, 2.0)


@check("solved")
def blocks_have_their_parts(answer: Answer, draw: Draw) -> None:
    for inputs, outputs, stride in BLOCKS:
        block = answer.Block(inputs, outputs, stride)
        expect_parts(block, expected_parts(inputs, outputs, stride), f"Block({inputs}, {outputs}, {stride})")


@check("solved")
def blocks_are_right(answer: Answer, draw: Draw) -> None:
    teach = "relu(shortcut(x) + norm2(conv2(relu(norm1(conv1(x))))))"
    for inputs, outputs, stride in BLOCKS:
        for training in (True, False):
            block = answer.Block(inputs, outputs, stride).train(training)
            shake(block)
            x = draw.normal(3, inputs, 5, 6)
            with torch.no_grad():
                around, change = two_ways(block, x.to("cpu"), stride, training)
                got = guard(block.to(draw.device), f"Block({inputs}, {outputs}, {stride})")(x)
            known = [
                looks_like(lambda: change.relu(), "The way around is missing: this is a plain block."),  # noqa: B023
                looks_like(lambda: around + change, "The last ReLU is missing: it comes after the sum."),  # noqa: B023
                looks_like(
                    lambda: around + change.relu(),  # noqa: B023
                    "The last ReLU comes after the sum: before it, a block could only add and never take away.",
                ),
            ]
            how = "training" if training else "evaluation"
            what = f"Block({inputs}, {outputs}, {stride}) in {how}"
            expect_close(got, (around + change).relu(), what=what, diagnose=known, teach=teach, rtol=1e-3, atol=1e-4)


@check("solved")
def gradients_pass_by(answer: Answer, draw: Draw) -> None:
    block = answer.Block(2, 2).to(draw.device)
    nn.init.zeros_(block.norm2.weight)
    x = draw.uniform(2, 2, 4, 4, low=0.5, high=1.0).requires_grad_()
    (gradient,) = torch.autograd.grad(guard(block, "Block(2, 2)")(x).sum(), x)
    teach = "With norm2 at zero the block changes nothing, and the gradient must pass by it untouched."
    expect_close(gradient, torch.ones(2, 2, 4, 4), what="the gradient around a block that does nothing", teach=teach)


@check("solved")
def net_has_its_parts(answer: Answer, draw: Draw) -> None:
    for classes, widths in ((2, (3,)), (3, (4, 6, 8)), (5, (2, 4)), (3, (4, 4, 2))):
        net = answer.ResNet(classes, widths)
        expected = {"stem.0.weight": (widths[0], 1, 3, 3), "stem.1.weight": (widths[0],), "stem.1.bias": (widths[0],)}
        for index, (inputs, outputs) in enumerate(zip((widths[0], *widths), widths, strict=False)):
            parts = expected_parts(inputs, outputs, 2 if index else 1)
            expected |= {f"blocks.{index}.{name}": shape for name, shape in parts.items()}
        expected |= {"head.weight": (classes, widths[-1]), "head.bias": (classes,)}
        expect_parts(net, expected, f"ResNet({classes}, {widths})")


def features(net: nn.Module, x: Tensor) -> Tensor:
    """What the last block gives, by the plain formulas."""
    x = normalize(functional.conv2d(x, net.stem[0].weight, padding=1), net.stem[1], False).relu()
    for index, block in enumerate(net.blocks):
        x = sum(two_ways(block, x, 2 if index else 1, False)).relu()
    return x


@check("solved")
def net_is_right(answer: Answer, draw: Draw) -> None:
    # A width that stays as it is, and one that falls, halve the size like any other.
    for (height, width), widths in (
        ((8, 8), (2, 3, 4)),
        ((5, 7), (3, 3)),
        ((12, 5), (2, 4, 4, 3)),
        ((1, 1), (2, 3, 4)),
        ((40, 21), [2, 3, 4]),
    ):
        net = answer.ResNet(3, widths).eval()
        images = draw.normal(2, 1, height, width)
        with torch.no_grad():
            for _ in range(LIVELY):
                shake(net)
                x = features(net, images.to("cpu"))
                if x.mean((2, 3)).count_nonzero() > 1:
                    break
            expected = functional.linear(x.mean((2, 3)), net.head.weight, net.head.bias)
            got = guard(net.to(draw.device), f"ResNet(3, {widths})")(images)
        teach = "stem, blocks (the first keeps the size, each further one halves it), the mean over all places, head."
        expect_close(
            got,
            expected,
            what=f"the logits of widths {widths} for {height}×{width} pixels",
            teach=teach,
            rtol=1e-3,
            atol=1e-4,
        )
    same = answer.ResNet(3, (8, 16, 32))
    shapes = {by_place(same, name): tuple(parameter.shape) for name, parameter in same.named_parameters()}
    expect_parts(answer.ResNet(3), shapes, "ResNet(3) with its default widths")


def shapes(draw: Draw, count: int) -> tuple[Tensor, Tensor]:
    """Crosses, rings, squares and stripes of 5×5 pixels anywhere in a noisy image."""
    stamps = torch.zeros(CLASSES, 5, 5)
    stamps[0, 2, :] = stamps[0, :, 2] = 1
    stamps[1] = 1
    stamps[1, 1:4, 1:4] = 0
    stamps[2] = 1
    stamps[3, ::2] = 1
    labels = torch.randint(CLASSES, (count,), generator=draw.generator)
    corners = torch.randint(SIDE - 4, (count, 2), generator=draw.generator)
    images = torch.randn(count, 1, SIDE, SIDE, generator=draw.generator) * 0.1
    within = torch.arange(5)
    rows = (corners[:, :1] + within)[:, :, None]
    columns = (corners[:, 1:] + within)[:, None, :]
    images[torch.arange(count)[:, None, None], 0, rows, columns] += stamps[labels]
    return draw.place(images, torch.float32), draw.place(labels, torch.int64)


@check("solved")
def net_learns_shapes(answer: Answer, draw: Draw) -> None:
    net = answer.ResNet(CLASSES, (8, 16)).to(draw.device)
    parameters = list(net.parameters())
    velocities = [torch.zeros_like(parameter) for parameter in parameters]
    for step in range(STEPS):
        images, labels = shapes(draw, BATCH)
        gradients = torch.autograd.grad(functional.cross_entropy(net(images), labels), parameters)
        rate = RATE * min(1, 2 * (STEPS - step) / STEPS)
        with torch.no_grad():
            for parameter, velocity, gradient in zip(parameters, velocities, gradients, strict=True):
                parameter.sub_(velocity.mul_(MOMENTUM).add_(gradient), alpha=rate)
    images, labels = shapes(draw, 256)
    with torch.no_grad():
        for _ in range(6):  # running statistics lag behind weights that have just moved
            net(shapes(draw, 256)[0])
        accuracy = (net.eval()(images).argmax(1) == labels).float().mean()
    expect_reaches("the accuracy on new shapes", accuracy, at_least=ACCURACY)


@check("solved")
def parts_are_of_their_kind(answer: Answer, draw: Draw) -> None:
    """What another net can take over as it is: the stem with its ReLU, the blocks, one by one."""
    teach = "The task names the parts and their kinds: whoever uses net.stem alone expects its ReLU in it."
    for widths in ((3,), (4, 4, 6)):
        net = answer.ResNet(3, widths)
        stem = [type(part) for part in net.stem] if isinstance(net.stem, nn.Sequential) else type(net.stem)
        expect(stem == [nn.Conv2d, nn.BatchNorm2d, nn.ReLU], f"stem consists of {stem}", teach=teach)
        kind = type(net.blocks).__name__
        expect(isinstance(net.blocks, nn.Sequential), f"blocks is a {kind}, not an nn.Sequential", teach=teach)
        expect(len(net.blocks) == len(widths), f"{len(widths)} widths gave {len(net.blocks)} blocks", teach=teach)
        expect(isinstance(net.head, nn.Linear), f"head is a {type(net.head).__name__}, not an nn.Linear", teach=teach)
    for inputs, outputs, stride in BLOCKS:
        shortcut = answer.Block(inputs, outputs, stride).shortcut
        same = stride == 1 and inputs == outputs
        right = isinstance(shortcut, nn.Identity if same else nn.Sequential)
        words = f"the shortcut of Block({inputs}, {outputs}, {stride}) is a {type(shortcut).__name__}"
        expect(right and (same or len(shortcut) == 2), words, teach=teach)


@check("solved")
def any_number_of_images(answer: Answer, draw: Draw) -> None:
    teach = "(n, classes) for one image alone too: squeeze() takes away every axis of size 1, the batch's as well."
    for classes, widths, size in ((3, (2, 3), (4, 5)), (1, (1,), (1, 1))):
        net = answer.ResNet(classes, widths).eval()
        shake(net)
        net.to(draw.device)
        images = draw.normal(2, 1, *size)
        with torch.no_grad():
            together = guard(net, "ResNet")(images).cpu()
            for number in range(2):
                alone = guard(net, "ResNet")(images[number : number + 1])
                what = f"the logits of one image alone, {classes} classes, widths {widths}"
                expect_close(alone, together[number : number + 1], what=what, teach=teach, rtol=1e-3, atol=1e-4)


@check("solved")
def large_numbers_pass(answer: Answer, draw: Draw) -> None:
    """A ReLU has no upper end, and images need not lie around 0."""
    block, x = answer.Block(2, 2).eval(), draw.normal(2, 2, 4, 4, scale=1e5)
    with torch.no_grad():
        expected = sum(two_ways(block, x.to("cpu"), 1, False)).relu()
        got = guard(block.to(draw.device), "Block(2, 2)")(x)
    teach = "The ReLU of the sum of both ways, however large it is."
    expect_close(got, expected, what="Block(2, 2) for large numbers", teach=teach, rtol=1e-3, atol=1.0)
