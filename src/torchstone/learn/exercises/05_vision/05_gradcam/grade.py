"""Grades gradcam: the four steps as a reference, and a detector with hand-made filters whose objects are known."""

import copy
from itertools import combinations

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
    fail,
    looks_like,
    save_picture,
    when,
)

PROMISES = {
    'Grad-CAM answers why a classifier said "cat": the feature maps': None,
    "`gradcam(net, layer, images, targets)` — `layer` is a module": "maps_are_right",
    "It returns `(n, height, width)`:": "maps_are_right",
    "The maps carry no graph.": "nothing_is_left_behind",
    "The weight of a channel is the mean of its G over all places.": "maps_are_right",
}
"""Sentences of the task that no wrong answer quotes: the check that keeps each, or None where it only explains."""

SIZES = [(1, 4, 4), (2, 5, 5), (3, 6, 7)]
CLASSES = 3
SIDE = 24
OBJECTS = {
    "a cross": torch.tensor([[0, 1, 0], [1, 1, 1], [0, 1, 0]]),
    "a ring": torch.tensor([[1, 1, 1], [1, 0, 1], [1, 1, 1]]),
}


class Classifier(nn.Module):
    """Any small classifier; its features are neither the first nor the last module."""

    def __init__(self) -> None:
        super().__init__()
        self.stem = nn.Conv2d(2, 3, 3, padding=1)
        self.features = nn.Sequential(nn.Tanh(), nn.Conv2d(3, 5, 2, stride=2))
        self.middle = nn.Conv2d(5, 4, 1)
        self.head = nn.Linear(4, CLASSES)

    def forward(self, x: Tensor) -> Tensor:
        return self.head(self.middle(self.features(self.stem(x)).tanh()).square().mean((2, 3)))


def layer_of(net: nn.Module) -> nn.Module:
    return net.features


def steps(net: Classifier, images: Tensor, targets: Tensor) -> tuple[Tensor, Tensor]:
    """Activations of the features, and the gradient of each target score in them."""
    activations = net.features(net.stem(images)).detach().requires_grad_()
    scores = net.head(net.middle(activations.tanh()).square().mean((2, 3)))
    return activations.detach(), torch.autograd.grad(scores[range(len(images)), targets].sum(), activations)[0]


def finish(maps: Tensor, images: Tensor, rectify: bool = True, together: bool = False) -> Tensor:
    maps = maps.clamp_min(0) if rectify else maps
    maps = functional.interpolate(maps[:, None], images.shape[2:], mode="bilinear", align_corners=False)[:, 0]
    largest = maps.max().expand(len(maps), 1, 1) if together else maps.amax((1, 2), keepdim=True)
    return torch.where(largest > 0, maps / largest, maps * 0) if rectify else maps / largest


def reference(net: Classifier, images: Tensor, targets: Tensor) -> Tensor:
    activations, gradients = steps(net, images, targets)
    return finish((gradients.mean((2, 3), keepdim=True) * activations).sum(1), images)


def all_scores(net: Classifier, images: Tensor, targets: Tensor) -> Tensor:
    activations = net.features(net.stem(images)).detach().requires_grad_()
    scores = net.head(net.middle(activations.tanh()).square().mean((2, 3)))
    gradients = torch.autograd.grad(scores.sum(), activations)[0]
    return finish((gradients.mean((2, 3), keepdim=True) * activations.detach()).sum(1), images)


def of_probabilities(net: Classifier, images: Tensor, targets: Tensor) -> Tensor:
    activations = net.features(net.stem(images)).detach().requires_grad_()
    shares = net.head(net.middle(activations.tanh()).square().mean((2, 3))).softmax(1)
    gradients = torch.autograd.grad(shares[range(len(images)), targets].sum(), activations)[0]
    return finish((gradients.mean((2, 3), keepdim=True) * activations.detach()).sum(1), images)


def place_by_place(net: Classifier, images: Tensor, targets: Tensor) -> Tensor:
    activations, gradients = steps(net, images, targets)
    return finish((gradients * activations).sum(1), images)


def not_rectified(net: Classifier, images: Tensor, targets: Tensor) -> Tensor:
    activations, gradients = steps(net, images, targets)
    return finish((gradients.mean((2, 3), keepdim=True) * activations).sum(1), images, rectify=False)


def scaled_together(net: Classifier, images: Tensor, targets: Tensor) -> Tensor:
    activations, gradients = steps(net, images, targets)
    return finish((gradients.mean((2, 3), keepdim=True) * activations).sum(1), images, together=True)


def unweighted(net: Classifier, images: Tensor, targets: Tensor) -> Tensor:
    return finish(steps(net, images, targets)[0].sum(1), images)


NO_EVIDENCE = "Where no place speaks for the class the largest value is 0, and 0/0 is NaN: such a map stays zeros."
UNIFORM = "A uniform map explains nothing: it must be high where the evidence is and low elsewhere."
KNOWN = [
    when(lambda got, expected: bool(got.isnan().any()), NO_EVIDENCE),
    looks_like(all_scores, "All classes are explained at once: take only the score of each image's own target."),
    looks_like(
        of_probabilities,
        "Weights come from the gradient of the score, a logit: this is that of its share after softmax.",
    ),
    looks_like(
        place_by_place,
        "The gradient is used place by place: the weight of a channel is one number, the mean of its gradient.",
    ),
    looks_like(not_rectified, "What is negative speaks against the class: it becomes 0 before the map is stretched."),
    looks_like(scaled_together, "Each map is divided by its own largest value, not by that of the whole batch."),
    looks_like(unweighted, "The channels are added without their weights, so the target makes no difference."),
    when(lambda got, expected: bool((got == got.flatten()[0]).all() and expected.max() > expected.min()), UNIFORM),
]
TEACH = "Weights: the gradient of the target's score in the layer's output, averaged over its places."


def make(draw: Draw, count: int, height: int, width: int) -> tuple[Classifier, Tensor, Tensor]:
    """A case in which every known mistake can be told from the right map and from the others."""
    while True:
        net = Classifier()
        images, targets = draw.normal(count, 2, height, width), draw.integers(count, high=CLASSES)
        exact = copy.deepcopy(net).to(images.dtype), images.to("cpu"), targets.to("cpu")
        maps = [f(*exact) for f in (reference, all_scores, of_probabilities, place_by_place, not_rectified, unweighted)]
        different = all(not torch.allclose(a, b, atol=1e-2) for a, b in combinations(maps, 2))
        if different and (maps[0].amax((1, 2)) > 0).all():
            return net.to(draw.device), images, targets


def without_evidence(draw: Draw) -> tuple[Classifier, Tensor, Tensor]:
    """Positive features, each of which lowers every score."""
    net, images, targets = make(draw, 2, 4, 4)
    with torch.no_grad():
        net.features[1].bias.fill_(3.0)
        net.middle.weight.abs_()
        net.middle.bias.zero_()
        net.head.weight.copy_(-net.head.weight.abs())
    return net, images, targets


def everywhere(draw: Draw) -> tuple[Classifier, Tensor, Tensor]:
    """Positive features, each of which raises every score: the smallest value of a map is far above 0."""
    net, images, targets = without_evidence(draw)
    with torch.no_grad():
        net.head.weight.neg_()
    return net, images, targets


def faint(draw: Draw, size: float) -> tuple[Classifier, Tensor, Tensor]:
    """Scores that hardly move: the largest value of a map is far below an eps, and the map still ends at 1."""
    net, images, targets = make(draw, 2, 5, 5)
    with torch.no_grad():
        net.head.weight.mul_(size)
    return net, images, targets


def detector() -> nn.Sequential:
    """Two hand-made filters, a ring and a cross; the score of a class is the mean of its feature map."""
    net = nn.Sequential(
        nn.Conv2d(1, 2, 3, padding=1), nn.ReLU(), nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(2, 2)
    )
    with torch.no_grad():
        for index, pattern in enumerate(OBJECTS.values()):
            net[0].weight[index, 0] = pattern * 2.0 - 1.0
            net[0].bias[index] = 1.5 - pattern.sum()
        net[4].weight.copy_(torch.tensor([[1.0, -0.5], [-0.5, 1.0]]))
        net[4].bias.zero_()
    return net


def planted(draw: Draw) -> tuple[Tensor, list[tuple[int, int]]]:
    """An image with a cross in one half and a ring in the other, and the middle of each."""
    image = torch.zeros(1, 1, SIDE, SIDE)
    halves = [0, SIDE // 2]
    draw.random.shuffle(halves)
    middles = []
    for pattern, left in zip(OBJECTS.values(), halves, strict=True):
        row, column = draw.integer(2, SIDE - 3), left + draw.integer(2, SIDE // 2 - 3)
        image[0, 0, row - 1 : row + 2, column - 1 : column + 2] = pattern.float()
        middles.append((row, column))
    return draw.place(image), middles


@check("solved")
def maps_are_right(answer: Answer, draw: Draw) -> None:
    cases = draw.cases(make, SIZES, dtypes=(torch.float32, torch.float64))
    planned = (without_evidence(draw), everywhere(draw))
    for net, images, targets in (*cases, *planned, *(faint(draw, size) for size in (1e-6, 1e-12, 1e6))):
        net.to(images.dtype)

        def gradcam(net: Classifier, images: Tensor, targets: Tensor) -> Tensor:
            return answer.gradcam(net, layer_of(net), images, targets)

        expect_same(gradcam, reference, net, images, targets, diagnose=KNOWN, teach=TEACH, atol=1e-4)


@check("solved")
def peak_lies_on_the_object(answer: Answer, draw: Draw) -> None:
    net = detector().to(draw.device)
    for _ in range(3):
        image, middles = planted(draw)
        both = image.expand(2, -1, -1, -1).contiguous()
        maps = answer.gradcam(net, net[1], both, draw.place(torch.tensor([0, 1]), torch.int64)).to("cpu")
        for index, name in enumerate(OBJECTS):
            flat = float(maps[index].max() - maps[index].min()) < 0.1
            expect(not flat, f"the map for {name} is the same everywhere", teach=UNIFORM)
            row, column = divmod(int(maps[index].argmax()), SIDE)
            near = max(abs(row - middles[index][0]), abs(column - middles[index][1])) <= 1
            message = f"the map for {name}, which is at {middles[index]}, has its peak at ({row}, {column})"
            expect(near, message, teach=TEACH)
    save_picture("image", image[0, 0])
    for index, name in enumerate(OBJECTS):
        save_picture("map_of_" + name.replace(" ", "_"), maps[index])


@check("solved")
def frozen_nets_work(answer: Answer, draw: Draw) -> None:
    frozen = (
        "With frozen parameters nothing before the layer requires grad: make the layer's output a leaf in the hook "
        "(detach().requires_grad_(), and return it), or let a copy of the images require grad."
    )
    net, images, targets = make(draw, 2, 6, 6)
    net.requires_grad_(False)

    def gradcam(net: Classifier, images: Tensor, targets: Tensor) -> Tensor:
        try:
            return answer.gradcam(net, layer_of(net), images, targets)
        except RuntimeError as error:
            expect("does not require grad" not in str(error), f"the net is frozen: {error}", teach=frozen)
            raise

    expect_same(gradcam, reference, net, images, targets, teach=frozen, atol=1e-4)
    switched = [name for name, parameter in net.named_parameters() if parameter.requires_grad]
    expect(not switched and not images.requires_grad, "requires_grad was switched on and left on", teach=frozen)


@check("solved")
def nothing_is_left_behind(answer: Answer, draw: Draw) -> None:
    net, images, targets = make(draw, 2, 6, 6)
    maps = answer.gradcam(net, layer_of(net), images, targets)
    kinds = ("_forward_hooks", "_forward_pre_hooks", "_backward_hooks", "_backward_pre_hooks")
    hooks = sum(len(getattr(module, kind)) for module in net.modules() for kind in kinds)
    expect(hooks == 0, f"{hooks} hooks are left registered", teach="Keep the handle of each hook and remove() it.")
    polluted = [name for name, parameter in net.named_parameters() if parameter.grad is not None]
    expect(
        not polluted,
        f"the .grad of {polluted and polluted[0]} was filled",
        teach="backward() fills the .grad of every parameter; torch.autograd.grad asks for one gradient only.",
    )
    expect_no_trace(lambda net, images: answer.gradcam(net, layer_of(net), images, targets), net, images)
    expect(not maps.requires_grad, "the maps still hang on the graph", teach="detach() what the layer gave.")


@check("solved")
def a_failing_net_keeps_no_hooks(answer: Answer, draw: Draw) -> None:
    net, images, targets = make(draw, 1, 6, 6)
    net.head = nn.Linear(3, CLASSES).to(draw.device)
    try:
        answer.gradcam(net, layer_of(net), images, targets)
    except RuntimeError:
        pass
    else:
        fail("the net fails after its layer, and gradcam returned as if nothing had happened")
    hooks = sum(len(module._forward_hooks) + len(module._backward_hooks) for module in net.modules())
    expect(hooks == 0, f"{hooks} hooks are left after the net failed", teach="remove() each hook, in a finally.")


class InPlace(nn.Module):
    """A ReLU that works in place, right after the layer."""

    def __init__(self) -> None:
        super().__init__()
        self.layer, self.act = nn.Conv2d(2, 3, 3, padding=1), nn.ReLU(inplace=True)
        self.head = nn.Linear(3, CLASSES)

    def forward(self, x: Tensor) -> Tensor:
        return self.head(self.act(self.layer(x)).square().mean((2, 3)))


@check("solved")
def what_the_layer_gave_counts(answer: Answer, draw: Draw) -> None:
    def explained(net: InPlace, images: Tensor, targets: Tensor) -> Tensor:
        given = net.layer(images).detach().requires_grad_()
        scores = net.head(given.relu().square().mean((2, 3)))
        gradients = torch.autograd.grad(scores[range(len(images)), targets].sum(), given)[0]
        return finish((gradients.mean((2, 3), keepdim=True) * given.detach()).sum(1), images)

    def gradcam(net: InPlace, images: Tensor, targets: Tensor) -> Tensor:
        try:
            return answer.gradcam(net, net.layer, images, targets)
        except RuntimeError as error:
            if "in-place" in str(error) or "inplace" in str(error):
                return explained(net.cpu(), images.cpu(), targets.cpu()).to(images.device)  # refused, not quietly wrong
            raise

    teach = "The ReLU after the layer works in place and writes over what you kept: hand a clone on from the hook."
    targets = draw.integers(2, high=CLASSES)
    expect_same(gradcam, explained, InPlace().to(draw.device), draw.normal(2, 2, 5, 5), targets, teach=teach, atol=1e-4)


@check("solved")
def maps_are_exact_in_float64(answer: Answer, draw: Draw) -> None:
    """In float64, for scores of any size, and beside an image that has no map at all."""
    teach = "The map is computed in the dtype of the net: weights, sums and the largest value, however faint they are."
    on_cpu = draw.on(torch.device("cpu"))
    for size in (1.0, 1e-25, 1e25):
        net, images, targets = make(on_cpu, 2, 5, 6)
        net, images = net.double(), images.double()
        with torch.no_grad():
            net.head.weight.mul_(size)
        got = answer.gradcam(net, layer_of(net), images, targets)
        expected = reference(net, images, targets)
        expect_close(
            got, expected, what=f"the maps in float64, scores of size {size:g}", teach=teach, rtol=1e-9, atol=1e-11
        )


@check("solved")
def images_do_not_reach_each_other(answer: Answer, draw: Draw) -> None:
    net, images, targets = make(draw, 3, 6, 6)
    together = answer.gradcam(net, layer_of(net), images, targets)
    teach = "Each image has its own weights, its own map and its own largest value."
    for number in range(3):
        alone = answer.gradcam(net, layer_of(net), images[number : number + 1], targets[number : number + 1])
        expect_close(
            alone, together[number : number + 1].cpu(), what="the map of an image alone", teach=teach, atol=1e-4
        )
    images[1] = torch.nan
    got = answer.gradcam(net, layer_of(net), images, targets)
    expect_close(got[::2], together[::2].cpu(), what="the maps beside an image of NaN", teach=teach, atol=1e-4)
