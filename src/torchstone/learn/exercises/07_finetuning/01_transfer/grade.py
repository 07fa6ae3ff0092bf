"""Grades transfer: a checkpoint built with known new names, one step of training by hand, memory kept by a graph."""

import torch
from torch import Tensor, nn

from torchstone.learn.grading import (
    Answer,
    Draw,
    check,
    expect,
    expect_close,
    format_bytes,
    in_place,
    note,
    only_values_change,
    watch,
)

PROMISES = {
    "(About batch norm's `num_batches_tracked`": "a_whole_prefix_can_go",
    "`prepare(model, head)` makes the model ready for an epoch in which": "only_the_head_learns",
    "You take its weights, put your own head on top and train only that.": None,
}
"""Sentences of the task that no wrong answer quotes: the check that keeps each, or None where it only explains."""

WIDTH = 4
RENAMES = {"features.": "body.", "fc.": "head.", "left.": "right.", "right.": "left."}
OLD_NAMES = {"body.": "features.", "head.": "fc.", "left.": "right.", "right.": "left."}
ACTIVATIONS = 6
"""A block makes three activations and hands on one; a graph over eight blocks would keep more than sixteen."""

BUFFERS = "Batch norm's running statistics are buffers: they are in the state dict, not among the parameters."


class Body(nn.Module):
    """Batch norm and dropout, and a layer that has the name of the old head."""

    def __init__(self) -> None:
        super().__init__()
        self.fc = nn.Linear(WIDTH, WIDTH)
        self.norm = nn.BatchNorm1d(WIDTH)
        self.drop = nn.Dropout(0.5)

    def forward(self, x: Tensor) -> Tensor:
        return nn.functional.dropout(self.drop(self.norm(self.fc(x))), 0.3, self.training)


class Net(nn.Module):
    """Two branches of one shape, and beside the head a layer whose name begins like it."""

    def __init__(self, classes: int) -> None:
        super().__init__()
        self.body = Body()
        self.left = nn.Linear(WIDTH, WIDTH)
        self.right = nn.Linear(WIDTH, WIDTH)
        self.head_norm = nn.BatchNorm1d(WIDTH)
        self.head = nn.Sequential(
            nn.BatchNorm1d(WIDTH), nn.Linear(WIDTH, 3), nn.Sequential(nn.Tanh(), nn.Linear(3, classes))
        )

    def features(self, x: Tensor) -> Tensor:
        hidden = nn.functional.dropout(self.body(x), 0.3, self.training)
        return self.head_norm(self.left(hidden) - self.right(hidden).tanh())

    def forward(self, x: Tensor) -> Tensor:
        return self.head(self.features(x))


def make_net(draw: Draw, classes: int) -> Net:
    """A net with random values everywhere, in its buffers too."""
    net = Net(classes).to(draw.dtype)
    net.load_state_dict({key: random_entry(draw, value) for key, value in net.state_dict().items()})
    return net.to(draw.device)


def random_entry(draw: Draw, value: Tensor) -> Tensor:
    if not value.is_floating_point():
        return draw.integers(*value.shape, high=2**40).cpu()  # no float32 holds them
    return draw.uniform(*value.shape, low=0.2, high=1.5, dtype=value.dtype).cpu()


def old_name(key: str) -> str:
    front = next((front for front in OLD_NAMES if key.startswith(front)), "")
    return OLD_NAMES.get(front, "") + key.removeprefix(front)


def state_of(net: nn.Module) -> dict[str, Tensor]:
    return {key: value.detach().cpu().clone() for key, value in net.state_dict().items()}


@check("solved", teach="strict=False forgives missing keys, not another shape: leave out what does not fit first.")
def checkpoint_is_loaded(answer: Answer, draw: Draw) -> None:
    teach = (
        "Each key changes its front once: not in its middle (features.fc.weight has the old head's name inside), and "
        "not twice (left becomes right, and must not become left again)."
    )
    for classes, draw.dtype in ((2, torch.float32), (5, torch.float32), (2, torch.float64)):
        net, old = make_net(draw, 2), make_net(draw, classes)
        before, given = state_of(net), state_of(old)
        fitting = {key: value for key, value in given.items() if value.shape == before[key].shape}
        saved = {old_name(key): value for key, value in given.items()} | {"steps": torch.tensor(9)}
        with only_values_change(net):
            left_out = in_place(answer.load_renamed, 0)(net, saved, RENAMES)
        for key, expected in (before | fitting).items():
            what = f"{key} of the model, which {'was in' if key in fitting else 'does not fit'} the checkpoint,"
            expect_close(net.state_dict()[key], expected, what=what, teach=BUFFERS if "running" in key else teach)
        expect_close(
            left_out,
            sorted(before.keys() - fitting.keys()),
            what="the list of entries that were not filled",
            teach="Name what the checkpoint did not fill: silence here is how a random layer gets into production.",
        )


@check("solved")
def misfits_are_left_out(answer: Answer, draw: Draw) -> None:
    net = make_net(draw, 2)
    before = state_of(net)
    saved = dict(before) | {"left.bias": torch.ones(1), "left.weight": torch.ones(WIDTH * WIDTH)}
    saved |= {"right.weight": torch.ones(WIDTH, 1), "body.norm.running_mean": torch.ones(1)}
    misfits = sorted(set(saved) - {key for key, value in saved.items() if value.shape == before[key].shape})
    left_out = in_place(answer.load_renamed, 0)(net, saved, {})
    teach = "Only an entry of the very same shape fits: copy_ would stretch (1,) over a row, reshape press anything in."
    expect_close(left_out, misfits, what="the list of entries that were not filled", teach=teach)
    for key in misfits:
        expect_close(net.state_dict()[key], before[key], what=f"{key}, whose saved shape does not fit,", teach=teach)


@check("solved")
def fronts_are_renamed_once(answer: Answer, draw: Draw) -> None:
    net = nn.ModuleDict({"a": nn.ModuleDict({"x": nn.Linear(2, 2)})}).to(draw.device)
    saved = {"x.x.weight": torch.ones(2, 2), "x.x.bias": torch.ones(2)}
    left_out = in_place(answer.load_renamed, 0)(net, saved, {"x.": "a."})
    teach = "The front alone is renamed: x.x.weight becomes a.x.weight; str.replace changes every x. in it."
    expect_close(left_out, [], what="the list of entries that were not filled by x.x.weight", teach=teach)


@check("solved")
def beginnings_end_anywhere(answer: Answer, draw: Draw) -> None:
    teach = "A beginning is some letters of a key, and need not end at its first dot: key.startswith(front)."
    fronts = (("module.net.", ""), ("net_", ""), ("tru", "bo"), ("gain", "left.weight"), ("stem.", "body.norm."))
    for front, new in fronts:
        net, old = make_net(draw, 2), make_net(draw, 2)
        given = state_of(old)
        saved = {front + key.removeprefix(new) if key.startswith(new) else key: one for key, one in given.items()}
        left_out = in_place(answer.load_renamed, 0)(net, saved, {front: new})
        what = f"the list of entries that were not filled, with {{{front!r}: {new!r}}},"
        expect_close(left_out, [], what=what, teach=teach)
        for key, value in given.items():
            what = f"{key} of the model, with {{{front!r}: {new!r}}},"
            expect_close(net.state_dict()[key], value, what=what, teach=teach)


@check("solved")
def other_keys_keep_their_names(answer: Answer, draw: Draw) -> None:
    """A front that stands in the middle of a key, or that only a pattern would find: no rename."""
    teach = "renames holds plain beginnings: a key that does not begin with one keeps its name."
    for renames in ({"fc.": "head."}, {"b.": "other."}, {"eft.": "x."}, {"body.n.": "x."}):
        net, old = make_net(draw, 2), make_net(draw, 2)
        left_out = in_place(answer.load_renamed, 0)(net, state_of(old), renames)
        what = f"the list of entries that were not filled, with {renames} and keys none of which begins so,"
        expect_close(left_out, [], what=what, teach=teach)
        expect_close(net.body.fc.weight, old.body.fc.weight.detach().cpu(), what="body.fc.weight of the model")


@check("solved")
def a_whole_prefix_can_go(answer: Answer, draw: Draw) -> None:
    net, old = make_net(draw, 3), make_net(draw, 3)
    saved = {f"module.{key}": value for key, value in state_of(old).items()}
    gone = ["body.norm.num_batches_tracked", "head.0.running_var", "left.bias"]
    for key in gone:
        del saved[f"module.{key}"]
    left_out = in_place(answer.load_renamed, 0)(net, saved, {"module.": ""})
    expect_close(
        left_out,
        gone,
        what="the list of entries that were not filled",
        teach="Parameters and buffers count alike: batch norm without its statistics is not loaded.",
    )
    expect_close(net.body.fc.weight, old.body.fc.weight.detach().cpu(), what="body.fc.weight of the model")


@check("solved")
def only_the_head_learns(answer: Answer, draw: Draw) -> None:
    for spoil in (nn.Module.train, nn.Module.eval, freeze_all, thaw_all):
        net = make_net(draw, 3)
        spoil(net)
        learning = in_place(answer.prepare, 0, also=("modes", "flags"))(net, "head")
        expect_head_parameters(net, learning)
        before = state_of(net)
        step(net, draw.normal(8, WIDTH), learning)
        expect_rest_unchanged(before, state_of(net))


@check("solved")
def rest_works_as_in_evaluation(answer: Answer, draw: Draw) -> None:
    net = make_net(draw, 3)
    x = draw.normal(8, WIDTH)
    expected = net.eval().features(x).detach().cpu()
    net.train()
    in_place(answer.prepare, 0, also=("modes", "flags"))(net, "head")
    expect_close(
        net.features(x),
        expected,
        what="what reaches the head",
        teach="The loaded weights fit the loaded statistics: no dropout, no statistics of the batch before the head.",
    )


@check("solved")
def heads_may_be_deep(answer: Answer, draw: Draw) -> None:
    inner = nn.Sequential(nn.BatchNorm1d(WIDTH), nn.Linear(WIDTH, WIDTH), nn.BatchNorm1d(WIDTH), nn.Linear(WIDTH, 2))
    net = nn.ModuleDict({"body": nn.Linear(WIDTH, WIDTH), "decoder": nn.ModuleDict({"in": inner[0], "out": inner[1:]})})
    head = net.to(draw.device)["decoder"]["out"]
    teach = "The name may have dots: model.get_submodule(head) goes down them."
    learning = in_place(answer.prepare, 0, also=("modes", "flags"))(net.eval().requires_grad_(False), "decoder.out")
    found = {id(parameter) for parameter in learning} == {id(parameter) for parameter in head.parameters()}
    expect(found, "prepare did not return the parameters of decoder.out", teach=teach)
    inside = {id(part) for part in head.modules()}
    modes = all(part.training for part in head.modules())
    others = [name for name, part in net.named_modules() if part.training and id(part) not in inside]
    expect(modes and not others, f"after prepare for decoder.out {others or 'it is not'} in training", teach=teach)


@check("lean")
def frozen_part_keeps_nothing(answer: Answer, draw: Draw) -> None:
    rows, width = 64, 32
    blocks = [nn.Sequential(nn.Linear(width, width), nn.BatchNorm1d(width), nn.Tanh()) for _ in range(8)]
    net = nn.Sequential(*blocks, nn.Linear(width, 2)).to(draw.device)
    in_place(answer.prepare, 0, also=("modes", "flags"))(net, "8")
    x = draw.normal(rows, width)
    with watch() as seen:
        result = net(x)
    budget = 4 * ACTIVATIONS * rows * width
    expect(
        seen.peak_bytes <= budget,
        f"the forward pass holds {format_bytes(seen.peak_bytes)}; {format_bytes(budget)} are enough for {result.shape}",
        teach="Parameters that require grad make autograd keep their inputs: requires_grad_(False) for what is frozen.",
    )
    note(f"{format_bytes(seen.peak_bytes)} in the forward pass, {format_bytes(budget)} allowed")


def freeze_all(net: nn.Module) -> None:
    net.requires_grad_(False)


def thaw_all(net: nn.Module) -> None:
    net.requires_grad_(True)


def expect_head_parameters(net: Net, learning: object) -> None:
    expect(isinstance(learning, list), f"prepare returned a {type(learning).__name__}, not a list of parameters")
    names = {id(parameter): name for name, parameter in net.named_parameters()}
    got = [names.get(id(parameter), "something else") for parameter in learning]
    wanted = [name for name, _ in net.named_parameters() if name.startswith("head.")]
    expect(
        sorted(got) == sorted(wanted),
        f"prepare returned {got}, and the head's parameters are {wanted}",
        teach="A name may begin like another (head_norm is not in head): get_submodule finds the module itself.",
    )
    expect(
        all(parameter.requires_grad for parameter in learning),
        "a parameter of the head still has requires_grad=False",
        teach="The model may come frozen from end to end: switch gradients on for the head, too.",
    )


def step(net: Net, x: Tensor, learning: list[nn.Parameter]) -> None:
    """One step of plain gradient descent over what `prepare` returned."""
    net.zero_grad()
    (net(x) - torch.arange(3, device=x.device)).square().sum().backward()
    with torch.no_grad():
        for parameter in learning:
            if parameter.grad is not None:
                parameter.sub_(parameter.grad, alpha=0.1)


def expect_rest_unchanged(before: dict[str, Tensor], after: dict[str, Tensor]) -> None:
    for key, value in before.items():
        changed = not torch.equal(value, after[key])
        if key.startswith("head."):
            teach = "The head works as in training: gradients, and statistics of its own batch norm."
            expect(changed, f"{key} is the same after a step of training, and should have learned", teach=teach)
        else:
            teach = (
                "Batch norm's running statistics are buffers: they follow train() and eval(), not requires_grad. "
                "Only eval() holds them still."
            )
            expect(not changed, f"{key} has changed in a step of training, though it is not in the head", teach=teach)
