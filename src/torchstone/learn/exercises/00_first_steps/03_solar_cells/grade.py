"""Grades solar_cells: single steps against a plain loop, then real photographs from elpv-dataset."""

import copy

import torch
from torch import Tensor, nn
from torch.nn import functional

from torchstone.data.elpv import load_elpv, read_cells
from torchstone.learn.grading import (
    Answer,
    Draw,
    check,
    expect,
    expect_close,
    expect_reaches,
    expect_same,
    in_place,
    looks_like,
    save_picture,
)

PROMISES = {
    "Neither of the two switches the model to train() or eval()": "modes_stay",
    "Dark parts give no electricity": None,
    "train(model, optimizer, images, labels, epochs) does this": "steps_are_right",
    "ask the model for its scores, scores = model(images): one row": None,
    "It returns the list of the losses, one Python float for each": "steps_are_right",
    "predict(model, images) returns for each image the class with": "predictions_are_right",
    "When it is solved, open the picture in .torchstone/pictures": None,
}
"""Sentences of the task that no wrong answer quotes: the check that keeps each, or None where it only explains."""

SIDE, SHOWN_SIDE, COLUMNS = 30, 60, 8
TRAINED, HELD_BACK = 160, 96
EPOCHS = 60
GOOD_ENOUGH = 0.7
GREEN, RED = (40, 200, 80), (230, 50, 50)
MOMENTUM, RATE = 0.5, 0.3
STEP = "Each step: zero_grad(), then backward(), then step(). Without one of them the model does not learn rightly."


def small_net(draw: Draw, width: int, classes: int) -> nn.Module:
    net = nn.Sequential(nn.Flatten(), nn.Linear(width, 3), nn.Tanh(), nn.Linear(3, classes))
    return net.to(draw.device)


def walk(
    net: nn.Module, images: Tensor, labels: Tensor, epochs: int, forget: bool = True, lr: float = RATE
) -> list[float]:
    """The same training by hand, with momentum."""
    weights = list(net.parameters())
    pace = [torch.zeros_like(weight) for weight in weights]
    gathered = [torch.zeros_like(weight) for weight in weights]
    losses = []
    for _ in range(epochs):
        loss = functional.cross_entropy(net(images), labels)
        gradients = torch.autograd.grad(loss, weights)
        losses.append(loss.item())
        with torch.no_grad():
            for number, weight in enumerate(weights):
                gathered[number] = gradients[number] if forget else gathered[number] + gradients[number]
                pace[number] = MOMENTUM * pace[number] + gathered[number]
                weight -= lr * pace[number]
    return losses


@check("solved")
def steps_are_right(answer: Answer, draw: Draw) -> None:
    # An optimizer that climbs: the losses rise, and every step is taken all the same.
    for epochs, classes, climbs in ((1, 2, False), (3, 2, False), (4, 3, False), (6, 2, True), (0, 2, False)):
        net = small_net(draw, 6, classes)
        images, labels = draw.normal(5, 1, 2, 3), draw.integers(5, high=classes)
        rate = -RATE if climbs else RATE
        expected_net, adding = copy.deepcopy(net).cpu(), copy.deepcopy(net).cpu()
        expected = walk(expected_net, images.cpu(), labels.cpu(), epochs, lr=rate)
        walk(adding, images.cpu(), labels.cpu(), epochs, forget=False, lr=rate)
        optimizer = torch.optim.SGD(net.parameters(), lr=RATE, momentum=MOMENTUM, maximize=climbs)
        if classes == 3:  # someone has looked at a gradient before
            for weight in net.parameters():
                weight.grad = torch.ones_like(weight)
        before, kept = images.clone(), labels.clone()
        losses = in_place(answer.train)(net, optimizer, images, labels, epochs)
        expect(isinstance(losses, list), f"train returned {type(losses).__name__}, no list", teach="One loss a step.")
        floats = all(type(loss) is float for loss in losses)
        expect(floats, "the losses are not Python floats", teach="loss.item() is the number inside the tensor.")
        for (name, got), want, added in zip(
            net.named_parameters(), expected_net.parameters(), adding.parameters(), strict=True
        ):
            summed = epochs > 1 and torch.allclose(got.detach().cpu(), added, atol=1e-5)
            teach = "backward() added to the gradients of the step before: call zero_grad() in every step."
            what = f"after {epochs} steps, the model's {name}"
            expect_close(got.detach(), want.detach(), what=what, teach=teach if summed else STEP)
        expect_close(losses, expected, what=f"the losses of {epochs} steps", teach="The loss of each step, in order.")
        untouched = torch.equal(before, images) and torch.equal(kept, labels)
        expect(untouched, "the images or labels were changed", teach="Training changes the model alone.")


@check("solved")
def predictions_are_right(answer: Answer, draw: Draw) -> None:
    known = [
        looks_like(lambda net, images: net(images), "Those are the scores; argmax says where the largest is."),
        looks_like(lambda net, images: net(images).amax(1), "Those are the largest scores; argmax says where they are"),
        looks_like(lambda net, images: net(images).argmax(0), "dim=1: the largest of each row, not of each column."),
    ]
    for images, classes in ((3, 2), (1, 2), (4, 3), (9, 5), (6, 3)):
        net, pictures = small_net(draw, 6, classes), draw.normal(images, 1, 2, 3)
        if images == 6:  # scores that are all large: a sigmoid makes them equal
            with torch.no_grad():
                net[-1].bias.copy_(draw.place(torch.tensor([150.0, 200.0, 180.0])))
        if images == 4:  # the last class, of more than two
            with torch.no_grad():
                net[-1].bias.copy_(draw.place(torch.tensor([0.0, 0.0, 50.0])))
        teach = "One whole number for each image: the column of its largest score."
        expect_same(answer.predict, lambda net, x: net(x).argmax(1), net, pictures, diagnose=known, teach=teach)


def pick_cells() -> tuple[int, ...]:
    """As many working as broken cells, of those that the experts were sure of; working and broken take turns."""
    cells = read_cells()
    mono = [(row, cell.probability) for row, cell in enumerate(cells) if cell.kind == "mono"]
    sure = {wanted: [row for row, probability in mono if probability == wanted] for wanted in (0, 1)}
    half = (TRAINED + HELD_BACK) // 2
    # Neighbours in the list are from one module: every second is another picture, spread over all of them.
    spread = {wanted: rows[:: max(1, len(rows) // half)][:half] for wanted, rows in sure.items()}
    return tuple(row for pair in zip(spread[0], spread[1], strict=True) for row in pair)


def load_photographs() -> tuple[Tensor, Tensor]:
    """(cells, 1, 300, 300) between 0 and 1, and the class of each."""
    cells = load_elpv(pick_cells())
    order = torch.randperm(len(cells.labels), generator=torch.Generator().manual_seed(0))
    images = torch.tensor(cells.images)[order].permute(0, 3, 1, 2).float() / 255
    return images, torch.tensor(cells.labels)[order]


def make_net() -> nn.Module:
    """A small network that always starts alike, so that luck does not decide."""
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(1)
        return nn.Sequential(
            nn.Conv2d(1, 8, 5, stride=2),
            nn.ReLU(),
            nn.Conv2d(8, 16, 3, stride=2),
            nn.ReLU(),
            nn.AdaptiveMaxPool2d(1),
            nn.Flatten(),
            nn.Linear(16, 2),
        )


def frame(photograph: Tensor, right: bool) -> Tensor:
    """(3, side, side) bytes with a frame."""
    picture = (photograph * 255).to(torch.uint8).expand(3, -1, -1).clone()
    colour = torch.tensor(GREEN if right else RED, dtype=torch.uint8)[:, None, None]
    for edge in (picture[:, :3], picture[:, -3:], picture[:, :, :3], picture[:, :, -3:]):
        edge[:] = colour
    return picture


def draw_wall(photographs: Tensor, right: Tensor) -> Tensor:
    """The photographs side by side, in rows."""
    small = functional.interpolate(photographs, size=(SHOWN_SIDE, SHOWN_SIDE), mode="area")[:, 0]
    framed = [frame(one, bool(good)) for one, good in zip(small, right, strict=True)]
    rows = [torch.cat(framed[start : start + COLUMNS], 2) for start in range(0, len(framed), COLUMNS)]
    return torch.cat(rows, 1)


@check("solved")
def broken_cells_are_found(answer: Answer, draw: Draw) -> None:
    photographs, labels = load_photographs()
    small = functional.interpolate(photographs, size=(SIDE, SIDE), mode="area")
    images = draw.place((small - small.mean()) / small.std(), torch.float32)
    labels = labels.to(draw.device)
    net = make_net().to(draw.device)
    optimizer = torch.optim.Adam(net.parameters(), lr=0.01)
    in_place(answer.train)(net, optimizer, images[:TRAINED], labels[:TRAINED], EPOCHS)
    with torch.no_grad():
        right = (answer.predict(net, images[TRAINED:]) == labels[TRAINED:]).cpu()
    save_picture("solar cells that the model had never seen", draw_wall(photographs[TRAINED:], right))
    found = "the share of photographs, not used for training, that are told apart"
    expect_reaches(found, right.float().mean().item(), at_least=GOOD_ENOUGH)


@check("solved")
def modes_stay(answer: Answer, draw: Draw) -> None:
    """Each layer works in the mode that it came in, whatever its neighbours do."""
    for modes in ((True, True, True), (False, False, False), (True, False, True), (False, True, False)):
        net = nn.Sequential(nn.Flatten(), nn.Linear(6, 2), nn.Dropout(0.0)).to(draw.device)
        for layer, mode in zip((net, net[1], net[2]), modes, strict=True):
            layer.training = mode
        seen: list[bool] = []
        net[2].register_forward_hook(lambda layer, *_, seen=seen: seen.append(layer.training))
        images, labels = draw.normal(4, 1, 2, 3), draw.integers(4, high=2)
        in_place(answer.train, also=("modes",))(net, torch.optim.SGD(net.parameters(), lr=RATE), images, labels, 2)
        answer.predict(net, images)
        now = (net.training, net[1].training, net[2].training)
        teach = "Whoever calls has chosen the mode: no train() and no eval() in here."
        expect(now == modes and set(seen) == {modes[2]}, "the mode of a layer was switched", teach=teach)


@check("solved")
def every_step_is_taken(answer: Answer, draw: Draw) -> None:
    """With all images, however many; when there is nothing left to learn; when nothing can be learned."""
    for images, epochs, kind in ((5_000, 2, ""), (4, 40, "perfect"), (4, 4, "broken")):
        net, pictures = small_net(draw, 6, 2), draw.normal(images, 1, 2, 3)
        labels = draw.integers(images, high=2)
        if kind == "perfect":
            labels.zero_()
            with torch.no_grad():
                net[-1].bias.copy_(draw.place(torch.tensor([500.0, -500.0])))
        elif kind == "broken":
            pictures[0] = torch.nan
        optimizer = torch.optim.SGD(net.parameters(), lr=RATE)
        calls, steps = [], []
        net.register_forward_hook(lambda module, args, scores, calls=calls: calls.append(len(scores)))
        optimizer.register_step_post_hook(lambda *_, steps=steps: steps.append(1))
        losses = in_place(answer.train)(net, optimizer, pictures, labels, epochs)
        teach = "Each step takes all images at once: one call of the model, one step of the optimizer."
        expect(calls == [images] * epochs, f"{images} images came to the model as {calls[:5]} …", teach=teach)
        teach = "The steps are counted by epochs alone: no loss, however small or strange, ends them early."
        taken = f"{len(steps)} steps were taken and {len(losses)} losses returned for {epochs} epochs"
        expect(len(steps) == len(losses) == epochs, taken, teach=teach)


@check("solved")
def steep_steps_are_taken_whole(answer: Answer, draw: Draw) -> None:
    """Gradients in the thousands: the optimizer gets them as they are."""
    net = nn.Sequential(nn.Flatten(), nn.Linear(6, 2)).to(draw.device)
    images, labels = draw.normal(5, 1, 2, 3, scale=1e4), draw.integers(5, high=2)
    expected = copy.deepcopy(net).cpu()
    walk(expected, images.cpu(), labels.cpu(), 1)
    in_place(answer.train)(net, torch.optim.SGD(net.parameters(), lr=RATE), images, labels, 1)
    what = "after a step with large gradients, the weights"
    expect_close(net[1].weight.detach(), expected[1].weight.detach(), what=what, teach=STEP, rtol=1e-3)
