"""Grades dream: the climb recomputed in float64 with the layer taken out of the net; then stripes to dream of."""

import copy

import torch
from torch import Tensor, nn
from torch.nn import functional

from torchstone.learn.grading import (
    Answer,
    Draw,
    check,
    expect,
    expect_close,
    expect_no_trace,
    expect_same,
    expect_same_gradients,
    fail,
    looks_like,
    raw,
    save_picture,
    when,
)

# sizes, steps, rate, smooth
CLIMBS = [
    ((4,), 1, 0.05, 0.0),
    ((4,), 1, 0.05, 2.0),
    ((5,), 3, 0.02, 0.5),
    ((3, 6), 2, 0.03, 0.3),
    ((6, 4, 7), 1, 0.4, 1.0),
    ((4,), 5, 0.5, 0.2),
    ((3, 5), 4, 0.6, 0.0),
]
STRIPES = 4
"""Pixels from one white stripe to the next."""


def rough(image: Tensor) -> Tensor:
    down, across = image[:, 1:] - image[:, :-1], image[:, :, 1:] - image[:, :, :-1]
    return (down**2).mean() + (across**2).mean()


def body(draw: Draw) -> nn.Sequential:
    """Layers up to the one that dreams, the last; then a head that fits no size at all."""
    return nn.Sequential(
        nn.Conv2d(2, 4, 3, padding=1), nn.Tanh(), nn.Conv2d(4, 3, 3, padding=1), nn.Flatten(), nn.Linear(7, 2)
    ).to(draw.device)


def climb(
    net: nn.Sequential,
    channel: int,
    image: Tensor,
    sizes: tuple[int, ...],
    steps: int,
    rate: float,
    smooth: float,
    *,
    sign: float = 1.0,
    normed: bool = True,
    clamped: bool = True,
) -> Tensor:
    """The reference, with switches for the known mistakes."""
    part, image = copy.deepcopy(net[:3]).double(), image.double()
    for size in sizes:
        image = functional.interpolate(image[None], (size, size), mode="bilinear", align_corners=False)[0]
        for _ in range(steps):
            leaf = image.detach().requires_grad_()
            goal = part(leaf[None])[:, channel].mean() - smooth * rough(leaf)
            (gradient,) = torch.autograd.grad(goal, leaf)
            scale = gradient.square().mean().sqrt() + 1e-8 if normed else 1.0
            image = image + sign * rate * gradient / scale
            image = image.clamp(0, 1) if clamped else image
    return image.float()


KNOWN = [
    looks_like(lambda *call: climb(*call, sign=-1.0), "Downhill: this makes the channel as quiet as it can be."),
    looks_like(
        lambda *call: climb(*call, normed=False), "Each step is as long as the hill is steep: divide by √mean(g²)."
    ),
    looks_like(lambda *call: climb(*call, clamped=False), "Pixels left the range 0 … 1: clamp after each step."),
    looks_like(
        lambda net, channel, image, sizes, steps, rate, smooth: climb(net, channel, image, sizes, steps, rate, 0.0),
        "The roughness has no effect on the gradient: is it computed from the leaf?",
    ),
    looks_like(
        lambda net, channel, image, sizes, *rest: climb(net, channel, image, sizes[-1:], *rest),
        "Only the last size was climbed: begin with the first, and stretch what has been dreamt so far.",
    ),
]
TEACH = "goal = mean of the channel − smooth · roughness; image + rate · g / √mean(g²), clamped, step by step."


@check("solved")
def roughness_is_right(answer: Answer, draw: Draw) -> None:
    known = [
        looks_like(lambda image: rough(image) / 2, "The two means are added, not averaged."),
        when(lambda got, expected: got.dim() > 0, "Roughness is one number for the whole image."),
    ]
    for image in draw.cases(
        lambda draw, *shape: draw.normal(*shape), [(1, 2, 2), (2, 2, 3), (3, 5, 4)], layouts=("contiguous", "strided")
    ):
        expect_same(answer.roughness, rough, image, diagnose=known)
    expect_same_gradients(answer.roughness, rough, draw.normal(2, 3, 4))


@check("solved")
def climbs_are_right(answer: Answer, draw: Draw) -> None:
    def dream(net: nn.Sequential, channel: int, image: Tensor, *how: object) -> Tensor:
        try:
            return answer.dream(net, net[2], channel, image, *how)
        except RuntimeError as error:
            whole = "mat1 and mat2" in str(error)
            ends = "End the forward pass at the layer: a hook may raise an exception of yours, which you catch outside."
            expect(not whole, f"the part of the net after the layer was run, and it fails: {error}", teach=ends)
            raise

    for how in CLIMBS:
        for channel in (0, 2):
            image = draw.uniform(2, 4, 5, low=0.1, high=0.9)
            expect_same(
                dream, climb, body(draw), channel, image, *how, diagnose=KNOWN, teach=TEACH, rtol=1e-3, atol=1e-3
            )


@check("solved")
def flat_places_are_harmless(answer: Answer, draw: Draw) -> None:
    net = body(draw)
    nn.init.zeros_(net[2].weight)
    image = draw.uniform(2, 4, 4)
    got = answer.dream(net, net[2], 1, image, (4,), 2, 0.1, 0.0)
    teach = "A gradient of zeros has length 0, and 0/0 is NaN: the 1e-8 stands outside the root."
    expect_close(got, image.to("cpu"), what="the image where nothing can be climbed", device=draw.device, teach=teach)

    def dream(net: nn.Sequential, channel: int, image: Tensor, *how: object) -> Tensor:
        return answer.dream(net, net[2], channel, image, *how)

    for size in (1e-5, 1e-7, 1e-8):
        net = body(draw)
        with torch.no_grad():
            net[2].weight.mul_(size)
        image = draw.uniform(2, 4, 4, low=0.3, high=0.7)
        gentle = "Where it is nearly flat the 1e-8 matters: it is that large, and stands outside the root."
        how = (4,), 2, 0.1, 0.0
        expect_same(dream, climb, net, 1, image, *how, teach=gentle, rtol=1e-3, atol=1e-3)


@check("solved")
def nothing_is_left_behind(answer: Answer, draw: Draw) -> None:
    for frozen in (False, True):
        net = body(draw).requires_grad_(not frozen)
        before, image = copy.deepcopy(net.state_dict()), draw.uniform(2, 4, 4).requires_grad_(frozen)
        result = answer.dream(net, net[2], 0, image, (4, 5), 2, 0.1, 0.1)
        kinds = ("_forward_hooks", "_forward_pre_hooks", "_backward_hooks", "_backward_pre_hooks")
        hooks = sum(len(getattr(module, kind)) for module in net.modules() for kind in kinds)
        expect(hooks == 0, f"{hooks} hooks are left registered", teach="remove() each hook, in a finally.")
        polluted = [name for name, parameter in net.named_parameters() if parameter.grad is not None]
        teach = "backward() fills the .grad of every parameter: ask torch.autograd.grad for the image's gradient alone."
        expect(not polluted, f"the .grad of {polluted and polluted[0]} was filled", teach=teach)
        moved = [name for name, value in net.state_dict().items() if not torch.equal(value, before[name])]
        expect(not moved, f"the net's {moved and moved[0]} has changed")
        kept = all(parameter.requires_grad != frozen for parameter in net.parameters())
        kept = kept and image.requires_grad == frozen and image.grad is None
        expect(kept, "requires_grad of the net or of the image has changed", teach="Only a leaf of your own needs it.")
        expect(not result.requires_grad, "the dream hangs on its graph", teach="Step outside of the graph, or detach.")


@check("solved")
def whoever_lends_the_net_gets_it_back(answer: Answer, draw: Draw) -> None:
    def dream(net: nn.Sequential, image: Tensor) -> Tensor:
        return answer.dream(net, net[2], 0, image, (4, 5), 2, 0.1, 0.1)

    expect_no_trace(dream, body(draw), draw.uniform(2, 4, 4))


@check("solved")
def a_failing_net_keeps_no_hooks(answer: Answer, draw: Draw) -> None:
    net = body(draw)
    try:
        answer.dream(net, net[2], 0, draw.uniform(3, 4, 4), (4,), 1, 0.1, 0.0)
    except RuntimeError:
        pass
    else:
        fail("the net cannot take 3 channels, and dream returned as if nothing had happened")
    hooks = sum(len(module._forward_hooks) for module in net.modules())
    expect(hooks == 0, f"{hooks} hooks are left after the net failed", teach="remove() each hook, in a finally.")


@check("solved")
def stripes_are_dreamt(answer: Answer, draw: Draw) -> None:
    wave = torch.cos(torch.arange(2 * STRIPES) * 2 * torch.pi / STRIPES)
    net = nn.Sequential(nn.Conv2d(1, 2, 2 * STRIPES, bias=False), nn.ReLU()).to(draw.device)
    with torch.no_grad():
        net[0].weight.copy_(torch.stack([wave.expand(8, 8), wave[:, None].expand(8, 8)])[:, None])
    for channel, name in ((0, "upright"), (1, "lying")):
        image = draw.uniform(1, 16, 16, low=0.4, high=0.6)
        made = answer.dream(net, net[1], channel, image, (16, 32), 12, 0.1, 0.1)
        save_picture(f"{name}_stripes", made[0])
        with torch.no_grad():
            before, after = (float(net(x[None])[:, channel].mean()) for x in (image, made))
        message = f"the channel for {name} stripes went from {before:.3g} to {after:.3g} only"
        expect(after > 5 * before + 1, message, teach=TEACH)


class Counts(nn.Module):
    """Stands after the layer, and counts how often the forward pass comes that far."""

    def __init__(self) -> None:
        super().__init__()
        self.calls = 0

    def forward(self, x: Tensor) -> Tensor:
        self.calls += 1
        raise RuntimeError("this fits no size")


@check("solved")
def the_pass_ends_at_the_layer(answer: Answer, draw: Draw) -> None:
    net = nn.Sequential(*body(draw)[:3], Counts())
    raw(answer.dream)(net, net[2], 0, draw.uniform(2, 4, 4), [4], 2, 0.1, 0.1)
    teach = "End the forward pass at the layer: a hook may raise an exception of yours, which you catch outside."
    expect(net[3].calls == 0, "what comes after the layer was run", teach=teach)


@check("solved")
def only_steps_clamp(answer: Answer, draw: Draw) -> None:
    """Images beyond 0 … 1: the first gradient is theirs, and without a step they are stretched alone."""
    teach = "Stretch, take the gradient at the image as it is, make the step, and only then clamp."

    def dream(net: nn.Sequential, channel: int, image: Tensor, *how: object) -> Tensor:
        return answer.dream(net, net[2], channel, image, *how)

    for scale, offset in ((6.0, -2.5), (40.0, -20.0)):
        image = draw.uniform(2, 4, 5) * scale + offset
        for how in (((4,), 1, 0.3, 0.5), ((3, 6), 0, 0.1, 0.0)):
            expect_same(dream, climb, body(draw), 1, image, *how, teach=teach, rtol=1e-3, atol=2e-3)


@check("solved")
def roughness_has_no_bound(answer: Answer, draw: Draw) -> None:
    teach = "The mean of the squared differences, however large or small they are, in the image's dtype."
    for scale in (1e-8, 1e4, 1e9):
        image = draw.on(torch.device("cpu")).normal(2, 3, 4).double() * scale
        got = answer.roughness(image)
        expect_close(got, rough(image), what="the roughness in float64", teach=teach, rtol=1e-10, atol=0)
