"""Grades feature_maps: every layer's output computed by hand, and the hooks that are left counted."""

import torch
from torch import Tensor, nn

from torchstone.learn.grading import (
    Answer,
    Draw,
    check,
    expect,
    expect_close,
    expect_no_trace,
    expect_raises,
    expect_same,
    fail,
    looks_like,
    raw,
    save_picture,
    when,
)

PROMISES = {
    "A forward hook is called each time a module has run.": None,
    "Each of them runs once and gives one tensor.": None,
}
"""Sentences of the task that no wrong answer quotes: the check that keeps each, or None where it only explains."""

REMOVE = (
    "register_forward_hook returns a handle: call its remove() in a finally, or leave it to an ExitStack, so that an "
    "exception cannot skip it."
)
MOSAICS = [(1, 1, 1, 1), (2, 1, 4, 1), (2, 4, 1, 2), (3, 2, 3, 2), (4, 3, 2, 2), (5, 2, 2, 3), (3, 2, 2, 5)]


class Net(nn.Module):
    """Nested, with ReLUs that work in place, and a layer whose name is no attribute of the net itself."""

    def __init__(self) -> None:
        super().__init__()
        self.stem = nn.Sequential(nn.Conv2d(2, 3, 3, padding=1), nn.ReLU(inplace=True))
        self.body = nn.Sequential(nn.Conv2d(3, 4, 3), nn.ReLU(inplace=True), nn.AvgPool2d(2), nn.Conv2d(4, 2, 1))
        self.head = nn.Linear(2, 3)

    def forward(self, x: Tensor) -> Tensor:
        return self.head(self.body(self.stem(x)).mean((2, 3)))


class Stumbles(nn.Module):
    def forward(self, x: Tensor) -> Tensor:
        raise ValueError("this layer always fails")


NAMES = ("stem.0", "stem", "body.0", "body.1", "body.2", "body.3", "body", "head")


def walk(net: Net, images: Tensor) -> dict[str, Tensor]:
    """What each layer gives, one after another, with nothing in place."""
    outputs: dict[str, Tensor] = {}
    with torch.no_grad():
        x = outputs["stem.0"] = net.stem[0](images)
        x = outputs["stem.1"] = outputs["stem"] = x.relu()
        x = outputs["body.0"] = net.body[0](x)
        x = outputs["body.1"] = x.relu()
        x = outputs["body.2"] = net.body[2](x)
        x = outputs["body.3"] = outputs["body"] = net.body[3](x)
        outputs["head"] = outputs[""] = net.head(x.mean((2, 3)))
    return outputs


def reference(net: Net, names: list[str], images: Tensor) -> dict[str, Tensor]:
    outputs = walk(net, images)
    return {name: outputs[name] for name in names}


def overwritten(net: Net, names: list[str], images: Tensor) -> dict[str, Tensor]:
    outputs = walk(net, images)
    outputs["stem.0"], outputs["body.0"] = outputs["stem.1"], outputs["body.1"]
    return {name: outputs[name] for name in names}


def hooks_of(net: nn.Module) -> int:
    kinds = ("_forward_hooks", "_forward_pre_hooks", "_backward_hooks", "_backward_pre_hooks")
    replaced = sum("forward" in vars(module) for module in net.modules())
    return replaced + sum(len(getattr(module, kind)) for module in net.modules() for kind in kinds)


def make(draw: Draw, count: int, height: int, width: int) -> tuple[Net, list[str], Tensor]:
    chosen = [name for name in NAMES if draw.integer(0, 2)] or ["stem.0"]
    draw.random.shuffle(chosen)
    return Net().to(draw.device), chosen, draw.normal(count, 2, height, width)


@check("solved")
def maps_are_right(answer: Answer, draw: Draw) -> None:
    in_place = looks_like(
        overwritten,
        "The ReLU after it works in place and has written over what you kept: keep a copy (clone) in the hook.",
    )
    pictures = when(
        lambda got, expected: any(
            value.shape[1] == 2 and value.shape != expected[name].shape for name, value in got.items()
        ),
        "That is what goes into the layer: a forward hook is called with (module, inputs, output).",
    )
    teach = (
        "named_modules gives every module under its full name, and each hook keeps the output of its own. Give the "
        "lambda the name as a default: in a loop it looks variables up only when it is called."
    )
    net = Net().to(draw.device)
    for name in NAMES:
        expect_same(
            answer.feature_maps,
            reference,
            net,
            [name],
            draw.normal(1, 2, 4, 4),
            diagnose=[in_place, pictures],
            teach=teach,
        )
    for case in draw.cases(make, [(1, 4, 4), (2, 5, 7)], repeats=3):
        got = expect_same(answer.feature_maps, reference, *case, diagnose=[in_place], teach=teach)
        expect(list(got) == case[1], f"the maps come in the order {list(got)}, not in that of names, {case[1]}")


@check("solved")
def the_net_runs_once(answer: Answer, draw: Draw) -> None:
    net, runs = Net().to(draw.device), []
    net.stem.register_forward_hook(lambda module, args, output: runs.append(1))
    answer.feature_maps(net, ["stem.0", "body.1", "head"], draw.normal(1, 2, 5, 5))
    teach = "Register all hooks first, then run the net once: a run may be dear, and dropout differs from run to run."
    expect(len(runs) == 1, f"the net ran {len(runs)} times for three names", teach=teach)


@check("solved")
def hooks_are_removed(answer: Answer, draw: Draw) -> None:
    net, images = Net().to(draw.device), draw.normal(1, 2, 5, 5)
    net.body.register_forward_hook(lambda module, args, output: None)
    for _ in range(2):
        answer.feature_maps(net, ["stem", "body.3"], images)
        left = hooks_of(net) - 1
        expect(
            left >= 0, "a hook that was there before is gone", teach="Remove the hooks that you made, by their handles."
        )
        expect(left == 0, f"{left} hooks are still registered after the call", teach=REMOVE)
    expect_no_trace(answer.feature_maps, Net().to(draw.device), ["stem.0", "head"], images)


@check("solved")
def hooks_are_removed_after_a_failure(answer: Answer, draw: Draw) -> None:
    net, images = Net().to(draw.device), draw.normal(1, 2, 5, 5)
    net.body[2] = Stumbles()
    try:
        answer.feature_maps(net, ["stem", "body.0"], images)
    except ValueError:
        pass
    else:
        fail("a layer raised ValueError and feature_maps returned as if nothing had happened")
    left = hooks_of(net)
    expect(left == 0, f"{left} hooks are still registered after the net raised an exception", teach=REMOVE)


@check("solved")
def unknown_names_are_refused(answer: Answer, draw: Draw) -> None:
    net, images = Net().to(draw.device), draw.normal(1, 2, 5, 5)
    for names in (["body.7"], ["stem", "body.7"], ["body.7", "head"]):
        expect_raises(KeyError, answer.feature_maps, net, names, images, mentioning="body.7")
        left = hooks_of(net)
        expect(left == 0, f"{left} hooks are still registered after a name was refused", teach=REMOVE)


@check("solved")
def maps_carry_no_graph(answer: Answer, draw: Draw) -> None:
    net, images = Net().to(draw.device), draw.normal(1, 2, 5, 5).requires_grad_()
    maps = answer.feature_maps(net, ["stem.0", "head"], images)
    kept = [name for name, value in maps.items() if value.requires_grad]
    teach = "A map that requires grad keeps the whole graph in memory: detach it, or run the net under no_grad."
    expect(not kept, f"the map of {kept and kept[0]!r} still hangs on its graph", teach=teach)
    maps["stem.0"].add_(1)
    again = answer.feature_maps(net, ["stem.0"], images)
    expect_close(again["stem.0"] + 1, maps["stem.0"].to("cpu"), what="the map of a second call")


def lay_out(maps: Tensor, columns: int) -> Tensor:
    count, height, width = maps.shape
    picture = torch.zeros(-(-count // columns) * height, columns * width, dtype=maps.dtype)
    for index, one in enumerate(maps):
        top, left = index // columns * height, index % columns * width
        spread = one.max() - one.min()
        cell = (one - one.min()) / spread if spread > 0 else torch.zeros_like(one)
        picture[top : top + height, left : left + width] = cell
    return picture


def some_maps(draw: Draw, count: int, height: int, width: int, columns: int) -> tuple[Tensor, int]:
    maps = draw.normal(count, height, width, scale=5.0)
    flat = draw.integer(0, count)
    if flat < count:
        maps[flat] = draw.choice([0.0, 3.0, -2.5])
    return maps, columns


@check("solved")
def mosaics_are_right(answer: Answer, draw: Draw) -> None:
    together = looks_like(
        lambda maps, columns: (
            lay_out(maps, columns) * 0 + lay_out_raw((maps - maps.min()) / (maps.max() - maps.min()), columns)
        ),
        "Stretched all together: one strong map makes the others black. Each map has its own lowest and highest value.",
    )
    teach = "Cell (a, b) of the grid holds map a · columns + b, and map rows of one grid row lie side by side."
    for case in draw.cases(some_maps, MOSAICS, layouts=("contiguous", "strided"), repeats=3):
        expect_same(answer.mosaic, lay_out, *case, diagnose=[together], teach=teach)
    faint, columns = some_maps(draw, 3, 2, 4, 2)
    teach = "However faint a map is, its own highest value becomes 1: add nothing to the divisor."
    for factor in (1e-6, 1e-12, 1e-25, 1e9):
        expect_same(answer.mosaic, lay_out, faint * factor, columns, teach=teach, rtol=1e-3, atol=1e-3)


def lay_out_raw(maps: Tensor, columns: int) -> Tensor:
    missing = -len(maps) % columns
    cells = torch.cat([maps, maps.new_zeros(missing, *maps.shape[1:])]).unflatten(0, (-1, columns))
    return cells.transpose(1, 2).flatten(2, 3).flatten(0, 1)


@check("solved")
def picture_of_the_layers(answer: Answer, draw: Draw) -> None:
    edges = torch.tensor([[-1.0, 0.0, 1.0], [-2.0, 0.0, 2.0], [-1.0, 0.0, 1.0]])
    net = nn.Sequential(nn.Conv2d(1, 4, 3, padding=1, bias=False), nn.ReLU(inplace=True))
    with torch.no_grad():
        net[0].weight.copy_(torch.stack([edges, edges.mT, -edges, -edges.mT])[:, None])
    net.to(draw.device)
    image = torch.zeros(1, 1, 32, 32)
    image[..., 8:24, 6:20] = 1.0
    image[..., 14:30, 14:26] += 0.5
    maps = answer.feature_maps(net, ["0", "1"], draw.place(image))
    save_picture("feature_maps", answer.mosaic(torch.cat([maps["0"][0], maps["1"][0]]), 4))


class Overwrites(nn.Module):
    """Works in place in its own code: at once, later, and in what a layer has only handed on."""

    def __init__(self, how: str) -> None:
        super().__init__()
        self.how, self.first, self.same, self.last = how, nn.Conv2d(2, 3, 1), nn.Identity(), nn.Conv2d(3, 2, 1)

    def forward(self, x: Tensor) -> Tensor:
        given = self.same(self.first(x))
        if self.how == "relu_":
            given.relu_()
        elif self.how == "+=":
            given += 1
        elif self.how == "index":
            given[:, 0] = 7
        result = self.last(given)
        given.zero_()
        return result.mul_(3)


@check("solved")
def code_may_work_in_place(answer: Answer, draw: Draw) -> None:
    teach = "What comes after the layer may write into the same memory, at once or at the end: copy it in the hook."
    for how in ("relu_", "+=", "index", "later"):
        net, images = Overwrites(how).to(draw.device), draw.normal(1, 2, 3, 3)
        with torch.no_grad():
            first = net.first(images)
            kept = {"relu_": first.relu(), "+=": first + 1, "later": first}.get(how, first.clone())
            if how == "index":
                kept[:, 0] = 7
            wanted = {"last": net.last(kept), "same": first, "first": first, "": net.last(kept) * 3}
        got = answer.feature_maps(net, ("last", "same", "first", ""), images)
        expect(list(got) == list(wanted), f"the maps are those of {list(got)}, not of {list(wanted)}")
        for name, value in wanted.items():
            what = f"the map of {name!r}, which the net overwrites by {how!r}"
            expect_close(got[name], value.cpu(), what=what, device=draw.device, teach=teach)


@check("solved")
def names_are_any_sequence(answer: Answer, draw: Draw) -> None:
    net, images = Net().to(draw.device), draw.normal(1, 2, 5, 5)
    teach = 'A sequence of names: a list, a tuple, none at all, the net itself under its name "".'
    for names in (("head", "stem"), [], [""], ("", "body.3")):
        got = expect_same(answer.feature_maps, reference, net, names, images, teach=teach)
        expect(list(got) == list(names), f"the maps come in the order {list(got)}, not {list(names)}", teach=teach)


@check("solved")
def nets_run_as_they_are(answer: Answer, draw: Draw) -> None:
    """In the mode they are in: a layer in training gives what it gives in training."""
    teach = "The maps are what the layer gave: the net runs in the mode that it is in."
    images = draw.normal(4, 2, 3, 3)
    for training in (True, False):
        net = nn.Sequential(nn.BatchNorm2d(2, affine=False), nn.Conv2d(2, 1, 1)).to(draw.device).train(training)
        spread = images.var((0, 2, 3), correction=0, keepdim=True)
        centered = images - images.mean((0, 2, 3), keepdim=True)
        expected = (centered / (spread + 1e-5).sqrt() if training else images / (1 + 1e-5) ** 0.5).cpu()
        got = raw(answer.feature_maps)(net, ["0"], images)["0"]
        what = f"the map of a batch norm in {'training' if training else 'evaluation'}"
        expect_close(got, expected, what=what, teach=teach, rtol=1e-3, atol=1e-4)


@check("solved")
def mosaics_keep_their_dtype(answer: Answer, draw: Draw) -> None:
    teach = "A mosaic has the dtype of its maps, and is computed in it."
    maps = draw.on(torch.device("cpu")).normal(3, 4, 5).double() * 1e-9 + 1
    got = answer.mosaic(maps, 2)
    expect_close(got, lay_out(maps, 2), what="the mosaic in float64", teach=teach, rtol=1e-12, atol=1e-12)
