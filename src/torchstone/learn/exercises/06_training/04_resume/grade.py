"""Grades resume: a run with every source of chance, stopped anywhere, against the same run without a stop."""

import os
import pickle
import random
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import torch
from torch import Tensor, nn

from torchstone.learn.grading import Answer, Draw, check, expect, fail, in_place, pretend_device

PROMISES = {
    "`save` leaves the run and all of these as they are, and no other": "later_saves_replace_earlier_ones",
}
"""Sentences of the task that no wrong answer quotes: the check that keeps each, or None where it only explains."""

STEPS = 8
SOURCES = {
    "the net's weights": "net",
    "the optimizer": "The optimizer's own memory (moments, step count) is part of the state: save its state_dict.",
    "the scheduler": "The scheduler knows how far it is: without its state_dict the rate starts from the beginning.",
    "the order of the data": "The generator that shuffles goes on from its own state: save run.shuffler.get_state().",
    "torch's generator": "Dropout and noise come from torch's global generator: torch.get_rng_state, set_rng_state.",
    "Python's random": "Augmentation uses Python's random, which torch knows nothing about: random.getstate, setstate.",
}
UNPICKLABLE = "this optimizer fails on purpose while it is being saved"


class Momentum:
    """A small optimizer with a nested state, like torch's."""

    def __init__(self, net: nn.Module, rate: float) -> None:
        self.parameters, self.rate = list(net.parameters()), rate
        self.state = [{"speed": torch.zeros_like(parameter), "count": 0} for parameter in self.parameters]

    @torch.no_grad()
    def step(self) -> None:
        for parameter, state in zip(self.parameters, self.state, strict=True):
            state["count"] += 1
            state["speed"].mul_(0.9).add_(parameter.grad)
            parameter.sub_(state["speed"], alpha=self.rate / state["count"] ** 0.5)
            parameter.grad = None

    def state_dict(self) -> dict[str, Any]:
        return {"state": [dict(state) for state in self.state], "groups": [{"rate": self.rate}]}

    def load_state_dict(self, saved: dict[str, Any]) -> None:
        self.rate = saved["groups"][0]["rate"]
        for state, old in zip(self.state, saved["state"], strict=True):
            state["count"] = old["count"]
            state["speed"].copy_(old["speed"])


class Schedule:
    """Lowers the rate a little at each step."""

    def __init__(self, optimizer: Momentum) -> None:
        self.optimizer, self.steps, self.first = optimizer, 0, optimizer.rate

    def step(self) -> None:
        self.steps += 1
        self.optimizer.rate = self.first / (1 + self.steps)

    def state_dict(self) -> dict[str, Any]:
        return {"steps": self.steps, "first": self.first}

    def load_state_dict(self, saved: dict[str, Any]) -> None:
        self.steps, self.first = saved["steps"], saved["first"]


class Run:
    """Net, optimizer, scheduler and shuffler, newly made; draws from the global generator as any new net does."""

    def __init__(self, device: torch.device) -> None:
        self.net = nn.Sequential(nn.Linear(3, 4), nn.BatchNorm1d(4), nn.Tanh(), nn.Linear(4, 1)).to(device)
        self.optimizer = Momentum(self.net, 0.1)
        self.scheduler = Schedule(self.optimizer)
        self.shuffler = torch.Generator().manual_seed(random.randrange(2**31))


def train_step(run: Run, inputs: Tensor, targets: Tensor) -> None:
    """One step that depends on everything; chance is drawn on the CPU, so that it is the same on every device."""
    order = torch.randperm(len(inputs), generator=run.shuffler)[:6].to(inputs.device)
    noise = torch.randn(6, 3).to(inputs.device)
    # gauss makes two numbers at a time and keeps one: a spare is part of the state after an odd number of steps.
    stretch = random.uniform(0.5, 1.5) + random.gauss(0, 0.01)
    run.net.train()
    loss = (run.net(inputs[order] * stretch + 0.3 * noise) - targets[order]).square().mean()
    loss.backward()
    run.optimizer.step()
    run.scheduler.step()


def fingerprint(run: Run) -> dict[str, Any]:
    """All that decides how the run goes on."""
    return {
        "the net's weights": [value.to("cpu").clone() for value in run.net.state_dict().values()],
        "the optimizer": [
            run.optimizer.rate,
            *(state["speed"].to("cpu").clone() for state in run.optimizer.state),
            *(state["count"] for state in run.optimizer.state),
        ],
        "the scheduler": [run.scheduler.steps, run.scheduler.first],
        "the order of the data": [run.shuffler.get_state()],
        "torch's generator": [torch.get_rng_state()],
        "Python's random": [random.getstate()],
    }


def equal(a: Any, b: Any) -> bool:
    return torch.equal(a, b) if isinstance(a, Tensor) else a == b


def differing(a: dict[str, Any], b: dict[str, Any]) -> str | None:
    """The first source in which two fingerprints differ."""
    for name in a:
        if not all(equal(one, other) for one, other in zip(a[name], b[name], strict=True)):
            return name
    return None


def data(draw: Draw) -> tuple[Tensor, Tensor]:
    inputs = draw.normal(16, 3)
    return inputs, inputs.sum(1, keepdim=True).sin()


def seeded(draw: Draw) -> None:
    torch.default_generator.manual_seed(draw.integer(0, 2**31))
    random.seed(draw.integer(0, 2**31))


def expect_continued(answer: Answer, draw: Draw, stop: int, path: Path) -> None:
    inputs, targets = data(draw)
    seeded(draw)
    run = Run(draw.device)
    for _ in range(stop):
        train_step(run, inputs, targets)
    before = fingerprint(run)
    in_place(answer.save)(path, run, stop)
    saved = fingerprint(run)
    moved = differing(before, saved)
    unmoved = "Saving only looks: a run that was saved goes on exactly like one that was not."
    expect(moved is None, f"save itself has changed {moved}", teach=unmoved)
    for _ in range(stop, STEPS):
        train_step(run, inputs, targets)
    unbroken = fingerprint(run)
    seeded(draw)
    fresh = Run(draw.device)
    step = in_place(answer.load)(path, fresh)
    expect(step == stop, f"load should return the step {stop} and returned {step!r}")
    wrong = differing(saved, fingerprint(fresh))
    if wrong is not None:
        fail(f"after a stop at step {stop}, {wrong} is not what it was when it was saved", teach=SOURCES[wrong])
    for _ in range(step, STEPS):
        train_step(fresh, inputs, targets)
    last = differing(unbroken, fingerprint(fresh))
    same = "the weights must share no memory with the file's state: copy them into the net"
    expect(last is None, f"after a stop at step {stop}, {last} differs from the run without a stop", teach=same)


@check("solved")
def runs_continue_to_the_last_bit(answer: Answer, draw: Draw) -> None:
    for stop in (3, 0, 1, 7):
        expect_continued(answer, draw, stop, Path(f"stop_{stop}.pt").resolve())


@check("solved")
def later_saves_replace_earlier_ones(answer: Answer, draw: Draw) -> None:
    path = Path("again.pt").resolve()
    before = set(Path().iterdir())
    for stop in (2, 5):
        expect_continued(answer, draw, stop, path)
    left = sorted(item.name for item in set(Path().iterdir()) - before)
    teach = "Rename the unfinished file onto the target (Path.replace), or remove it."
    expect(left == ["again.pt"], f"save leaves other files beside the checkpoint: {left}", teach=teach)


@check("solved")
def the_file_is_safe_to_read(answer: Answer, draw: Draw) -> None:
    path, run = Path("safe.pt").resolve(), Run(draw.device)
    train_step(run, *data(draw))
    in_place(answer.save)(path, run, 1)
    try:
        torch.load(path, weights_only=True)
    except pickle.UnpicklingError:
        teach = "Whole objects need code to come back: save their state, as tensors and plain Python values."
        fail("torch.load(path, weights_only=True) refuses the file, because it would have to run code", teach=teach)


@check("solved")
def the_file_needs_no_device(answer: Answer, draw: Draw) -> None:
    path = Path("portable.pt").resolve()
    with pretend_device() as device:
        there = draw.on(device)
        run = Run(device)
        train_step(run, *data(there))
        in_place(answer.save)(path, run, 1)
        there_still = all(parameter.device.type == device.type for parameter in run.net.parameters())
        away = "Bring copies to the CPU, not the net that is being trained: module.cpu() moves the module itself."
        expect(there_still, "save has moved the net away from its device", teach=away)
        before = fingerprint(run)
        places: list[str] = []
        torch.load(path, weights_only=True, map_location=lambda storage, place: places.append(place) or storage)
        foreign = sorted({place for place in places if place != "cpu"})
        teach = "A tensor remembers its device in the file: bring every tensor to the CPU first, nested ones too."
        expect(
            not foreign, f"the file holds tensors on {', '.join(foreign)}, and cannot be read without it", teach=teach
        )
        fresh = Run(device)
        in_place(answer.load)(path, fresh)
        wrong = differing(before, fingerprint(fresh))
        expect(wrong is None, f"loaded on another device, {wrong} differs", teach=teach)
        stayed = all(parameter.device.type == device.type for parameter in fresh.net.parameters())
        expect(stayed, "load moved the net to another device", teach="load_state_dict copies to where the net is.")


@check("solved")
def the_old_file_is_never_opened(answer: Answer, draw: Draw) -> None:
    """A crash can come between any two steps: only a rename onto the old file leaves no gap."""
    path, run = Path("whole.pt").resolve(), Run(draw.device)
    train_step(run, *data(draw))
    in_place(answer.save)(path, run, 1)
    first = path.stat().st_ino
    with touching(path) as touched:
        in_place(answer.save)(path, run, 2)
    teach = "Write the whole of it beside the old file, then let Path.replace (os.replace) put it in place in one step."
    expect(not touched, f"the previous checkpoint was {''.join(touched[:1])} before the new one was there", teach=teach)
    expect(path.stat().st_ino != first, "the previous checkpoint was written over where it lies", teach=teach)


@contextmanager
def touching(path: Path) -> Iterator[list[str]]:
    """What Python does to a file: opened for writing, removed, moved away."""
    touched: list[str] = []

    def see(event: str, arguments: Any) -> None:
        if not looking or not arguments or not isinstance(arguments[0], (str, bytes, os.PathLike)):
            return
        if event == "os.rename" and Path(os.fsdecode(arguments[1])).resolve() == path:
            source = Path(os.fsdecode(arguments[0])).resolve()
            if path.parent not in source.parents:
                touched.append("to be replaced from another folder, perhaps of another disk, which is a copy,")
        if Path(os.fsdecode(arguments[0])).resolve() != path:
            return
        if event == "open" and isinstance(arguments[1], str) and set(arguments[1]) & set("wax+"):
            touched.append("opened for writing")
        elif event in ("os.remove", "os.truncate"):
            touched.append("removed")
        elif event == "os.rename":
            touched.append("moved away")

    looking = True
    sys.addaudithook(see)
    try:
        yield touched
    finally:
        looking = False


class Interrupted(Exception):  # noqa: N818 - it stands for a crash, which has no better name
    """What a crash in the middle of saving looks like from inside."""


class Explosive:
    """Fails while it is pickled, after everything before it has been written."""

    def __reduce__(self) -> Any:
        raise Interrupted(UNPICKLABLE)


@check("solved")
def a_failed_save_loses_nothing(answer: Answer, draw: Draw) -> None:
    path, run = Path("precious.pt").resolve(), Run(draw.device)
    inputs, targets = data(draw)
    train_step(run, inputs, targets)
    in_place(answer.save)(path, run, 1)
    before = path.read_bytes()
    train_step(run, inputs, targets)
    good = run.scheduler.state_dict
    run.scheduler.state_dict = lambda: good() | {"explosive": Explosive()}
    try:
        in_place(answer.save)(path, run, 2)
    except Interrupted:
        pass
    else:
        fail("saving failed in the middle, and save returned as if nothing had happened")
    intact = path.exists() and path.read_bytes() == before
    teach = (
        "torch.save empties the file before it writes: write to another file beside it, then move it into place with "
        "Path.replace."
    )
    expect(intact, "a save that failed in the middle has destroyed the previous checkpoint", teach=teach)
