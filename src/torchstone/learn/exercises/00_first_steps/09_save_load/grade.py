"""Grades save_load: what is in the file, what a loaded model computes, and which files are refused."""

import pickle
from pathlib import Path

import torch
from torch import nn

from torchstone.learn.grading import Answer, Draw, check, expect, expect_close, expect_raises, fail, in_place, raw

PROMISES = {
    "What a model has learned is in its state dict: a dictionary": None,
    "That is what one saves, not the model itself: a file with": "the_file_is_a_state_dict",
    "load(model, path) reads it into model, another model of the": "loaded_models_compute_the_same",
    "It returns the model, in evaluation mode (model.eval()), ready": "loaded_models_compute_the_same",
    "The model stays on its device, wherever the weights were saved": "loaded_models_compute_the_same",
    "If names in the file do not fit the model, do not hide it: the": "misfits_are_refused",
    "save changes nothing in the model": "saving_changes_nothing",
}
"""Sentences of the task that no wrong answer quotes: the check that keeps each, or None where it only explains."""

WORDS = []


def net(draw: Draw, width: int, layers: int = 1) -> nn.Module:
    parts = [nn.Linear(width, width), nn.BatchNorm1d(width), nn.Dropout(0.5)]
    parts += [nn.Linear(width, width) for _ in range(layers - 1)]
    made = nn.Sequential(*parts)
    with torch.no_grad():
        for tensor in (*made.parameters(), made[1].running_mean):
            tensor.copy_(draw.normal(*tensor.shape).cpu())
    return made.to(draw.device)


class Tied(nn.Module):
    """One weight under two names, one that is frozen, and a buffer that is not to be saved."""

    def __init__(self, width: int) -> None:
        super().__init__()
        self.first, self.last = nn.Linear(width, width), nn.Linear(width, width)
        self.last.weight = self.first.weight
        self.last.bias.requires_grad_(False)
        self.register_buffer("cache", torch.ones(width), persistent=False)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.last(self.first(x))


def file(draw: Draw, ending: str = ".pt") -> Path:
    """In a folder where this grading works, which is emptied afterwards."""
    folder = Path.cwd() / "kept"
    folder.mkdir(exist_ok=True)
    return folder / f"weights_{draw.integer(0, 10**9)}{ending}"


class Trap:
    """Runs when a file is read without weights_only."""

    def __reduce__(self) -> tuple:
        return speak, ("the file ran code",)


def speak(words: str) -> None:
    WORDS.append(words)


@check("solved")
def the_file_is_a_state_dict(answer: Answer, draw: Draw) -> None:
    models = [net(draw, 1), net(draw, 3, 2), Tied(3).to(draw.device)]
    if draw.device.type == "cpu":
        models.append(net(draw, 2).double())
    for model, ending in zip(models, ("", ".pt", ".v2.weights", ".pth"), strict=False):
        path = file(draw, ending)
        answer.save(model, path)
        teach = "torch.save(what, path): the path as it is, its folder and its ending too."
        expect(path.exists(), f"save wrote no file at the path, …/{path.parent.name}/{path.name}", teach=teach)
        try:
            found = torch.load(path, map_location="cpu", weights_only=True)
        except (pickle.UnpicklingError, RuntimeError, EOFError) as error:
            reason = str(error).splitlines()[0]
            teach = "Save model.state_dict(), the names and tensors, instead of the model with its code."
            expect(False, f"the file cannot be read with weights_only=True: {reason}", teach=teach)
        expected = {name: tensor.cpu() for name, tensor in model.state_dict().items()}
        teach = "The file should hold model.state_dict(): buffers such as the running mean too."
        expect_close(dict(found) if isinstance(found, dict) else found, expected, what="the saved file", teach=teach)


@check("solved")
def loaded_models_compute_the_same(answer: Answer, draw: Draw) -> None:
    for width, ending in ((2, ".pt"), (5, "")):
        model, other, path = net(draw, width), net(draw, width), file(draw, ending)
        raw(answer.save)(model, path)
        device = next(other.parameters()).device
        other.train()
        other.training = width == 2  # the whole may say eval where its parts do not
        got = in_place(answer.load, also=("modes", "layers"))(other, path)
        expect(isinstance(got, nn.Module), f"load returned a {type(got).__name__}", teach="Return the model.")
        expect(got is other, "load returned another model", teach="Fill the one that was handed in, and return it.")
        modes = [part.training for part in got.modules()]
        expect(not any(modes), "the model is still in training mode", teach="model.eval() switches dropout off.")
        moved = next(got.parameters()).device != device
        expect(not moved, "the model moved to another device", teach="load_state_dict copies to where the model is.")
        inputs = draw.normal(4, width)
        expected = model.eval()(inputs).detach().cpu()
        what = "what the loaded model computes"
        expect_close(got(inputs).detach(), expected, what=what, teach="Each tensor must arrive, the buffers too.")


@check("solved")
def saving_changes_nothing(answer: Answer, draw: Draw) -> None:
    for training in (True, False):
        model = net(draw, 2).train(training)
        answer.save(model, file(draw))
        expect(model.training == training, "save changed the mode of the model", teach="Only write; change nothing.")


@check("solved")
def misfits_are_refused(answer: Answer, draw: Draw) -> None:
    path = file(draw)
    raw(answer.save)(net(draw, 2, layers=1), path)
    expect_raises(RuntimeError, raw(answer.load), net(draw, 2, layers=2), path, mentioning="missing")
    raw(answer.save)(net(draw, 2, layers=2), path)
    expect_raises(RuntimeError, raw(answer.load), net(draw, 2, layers=1), path, mentioning="unexpected")
    teach = "Hand load_state_dict what is in the file, as it is: it raises where a name is not the model's."
    weights = net(draw, 2).cpu().state_dict()
    for renamed in (
        *({prefix + name: weight for name, weight in weights.items()} for prefix in ("module.", "model.", "0.", "1")),
        {name.upper(): weight for name, weight in weights.items()},
        {"state_dict": weights},
    ):
        torch.save(renamed, path)
        expect_raises(RuntimeError, raw(answer.load), net(draw, 2), path, mentioning="missing", teach=teach)
    torch.save(weights, path)
    expect_raises(RuntimeError, raw(answer.load), nn.Sequential(net(draw, 2)), path, mentioning="missing", teach=teach)


@check("solved")
def files_run_no_code(answer: Answer, draw: Draw) -> None:
    path, model = file(draw), net(draw, 2)
    torch.save({**model.state_dict(), "trap": Trap()}, path)
    WORDS.clear()
    try:
        raw(answer.load)(model, path)
        refused = False
    except Exception:  # refusing is right, however it is said
        refused = True
    teach = "weights_only=True reads tensors and refuses everything else: there is no second try without it."
    expect(refused and not WORDS, "a file with code in it was read, and its code ran", teach=teach)


@check("solved")
def the_device_may_be_gone(answer: Answer, draw: Draw) -> None:
    path, seen = file(draw), []
    model = net(draw, 2)
    raw(answer.save)(model, path)
    load = torch.load

    def watched(*args: object, **kwargs: object) -> object:
        seen.append(kwargs.get("map_location", args[1] if len(args) > 1 else None))
        return load(*args, **kwargs)  # type: ignore[arg-type]

    torch.load = watched
    try:
        raw(answer.load)(model, path)
    finally:
        torch.load = load
    teach = 'Weights saved on a device that is not here cannot go back there: map_location="cpu".'
    mark = torch.serialization.location_tag
    torch.serialization.location_tag = lambda storage: "cuda:77"
    try:
        torch.save({name: tensor.cpu() for name, tensor in model.state_dict().items()}, path)
    finally:
        torch.serialization.location_tag = mark
    try:
        raw(answer.load)(model, path)
    except (RuntimeError, AssertionError) as error:
        fail(f"weights that were saved on cuda:77 cannot be read: {str(error).splitlines()[0]}", teach=teach)
    expect(None not in seen, "torch.load was not told where to put the weights", teach=teach)
