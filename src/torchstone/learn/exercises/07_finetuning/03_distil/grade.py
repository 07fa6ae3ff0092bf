"""Grades distil: the loss in float64 from its formula, two steps beside a reference, and agreement after training."""

import copy

import torch
from torch import Tensor, nn

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
)

PROMISES = {
    "The student trains, every part of it in train mode,": "steps_are_right",
    "Modes afterwards are not asked about.": None,
    'A trained teacher says "cat, perhaps a lynx, surely no': None,
    "`train_student(student, teacher, batches, optimizer, temperature, share)` takes one step of": "steps_are_right",
}
"""Sentences of the task that no wrong answer quotes: the check that keeps each, or None where it only explains."""

SIZES = [(1, 2), (2, 3), (5, 4)]
SETTINGS = [(1.0, 1.0), (2.0, 1.0), (2.0, 0.0), (4.0, 0.3), (0.5, 0.6)]
STEPS = 40
AGREEMENT = 0.75
"""After 40 steps a student of this size agreed on 88 to 100 % in 150 draws; one that learns from noise, on a third."""
Batch = tuple[Tensor, Tensor]


def divergence(wanted: Tensor, found: Tensor) -> Tensor:
    """KL(wanted ‖ found) for each row of log-probabilities."""
    return (wanted.exp() * (wanted - found)).sum(-1)


def reference(
    student: Tensor, teacher: Tensor, labels: Tensor, temperature: float, share: float, squared: bool = True
) -> Tensor:
    wanted = (teacher.detach().double() / temperature).log_softmax(-1)
    found = (student.double() / temperature).log_softmax(-1)
    hard = -student.double().log_softmax(-1).gather(-1, labels[:, None]).mean()
    factor = temperature**2 if squared else 1.0
    return (share * factor * divergence(wanted, found).mean() + (1 - share) * hard).to(student.dtype)


def reversed_divergence(student: Tensor, teacher: Tensor, labels: Tensor, temperature: float, share: float) -> Tensor:
    hard = reference(student, teacher, labels, temperature, 0.0)
    found, wanted = (student / temperature).log_softmax(-1), (teacher / temperature).log_softmax(-1)
    return share * temperature**2 * divergence(found, wanted).mean() + (1 - share) * hard


def mean_over_classes(student: Tensor, teacher: Tensor, labels: Tensor, temperature: float, share: float) -> Tensor:
    soft = reference(student, teacher, labels, temperature, 1.0) / student.shape[-1]
    return share * soft + (1 - share) * reference(student, teacher, labels, temperature, 0.0)


def warm_labels(student: Tensor, teacher: Tensor, labels: Tensor, temperature: float, share: float) -> Tensor:
    soft = reference(student, teacher, labels, temperature, 1.0)
    return share * soft + (1 - share) * reference(student / temperature, teacher, labels, 1.0, 0.0)


KNOWN = [
    looks_like(
        reversed_divergence,
        "That is KL(student ‖ teacher), the wrong way round: kl_div(input, target) is KL(target ‖ input).",
    ),
    looks_like(
        lambda *args: reference(*args, squared=False),
        "T² is missing: without it the softened part loses its weight as T grows.",
    ),
    looks_like(
        mean_over_classes,
        'Divided by the number of classes as well: the mean is over the batch only (reduction="batchmean").',
    ),
    looks_like(warm_labels, "The cross entropy with the labels knows no temperature."),
]


def loss_case(
    draw: Draw, rows: int, classes: int, setting: tuple[float, float], scale: float = 2.0
) -> tuple[Tensor, Tensor, Tensor, float, float]:
    logits = draw.normal(rows, classes, scale=scale), draw.normal(rows, classes, scale=scale)
    return *logits, draw.integers(rows, high=classes), *setting


@check("solved")
def loss_is_right(answer: Answer, draw: Draw) -> None:
    sizes = [(*size, setting) for size in SIZES for setting in SETTINGS]
    teach = "share · T² · KL(p ‖ q) + (1 − share) · cross entropy, each a mean over the batch."
    for case in draw.cases(loss_case, sizes, dtypes=(torch.float32, torch.float64), layouts=("contiguous", "strided")):
        expect_same(answer.distillation_loss, reference, *case, diagnose=KNOWN, teach=teach)


@check("solved")
def huge_logits_are_right(answer: Answer, draw: Draw) -> None:
    teach = "softmax of large logits has zeros, and log(0) is −inf: log_softmax goes the short way and has none."
    for case in draw.cases(loss_case, [(2, 3, setting, far) for far in (300.0, 1e5) for setting in SETTINGS]):
        expect_same(answer.distillation_loss, reference, *case, teach=teach)


@check("solved")
def only_the_student_gets_gradients(answer: Answer, draw: Draw) -> None:
    for student, teacher, *rest in draw.cases(loss_case, [(3, 4, setting) for setting in SETTINGS]):
        mine, theirs = student.clone().requires_grad_(), teacher.clone().requires_grad_()
        answer.distillation_loss(mine, theirs, *rest).backward()
        untouched = theirs.grad is None or not bool(theirs.grad.any())
        expect(
            untouched,
            "the teacher's logits got a gradient",
            teach="The teacher is what the student moves towards; it does not move itself: detach its logits.",
        )
        expect(mine.grad is not None, "the student's logits got no gradient")
        own = student.cpu().clone().requires_grad_()
        reference(own, teacher.cpu(), rest[0].cpu(), *rest[1:]).backward()
        expect_close(mine.grad, own.grad, what="the gradient in the student's logits")


def make_student(draw: Draw) -> nn.Module:
    return nn.Sequential(nn.BatchNorm1d(2), nn.Linear(2, 16), nn.Tanh(), nn.Linear(16, 3)).to(draw.device)


def make_teacher(draw: Draw) -> nn.Module:
    """Three directions, seen through statistics that a batch does not have, with dropout in between."""
    net = nn.Sequential(nn.BatchNorm1d(2), nn.Linear(2, 12), nn.Dropout(0.5), nn.Linear(12, 3))
    angles = torch.arange(3) * 2.1
    with torch.no_grad():
        net[0].running_mean.copy_(torch.tensor([1.0, -1.0]))
        net[1].weight.copy_(torch.stack([angles.cos(), angles.sin()], 1).repeat(4, 1))
        net[1].bias.zero_()
        net[3].weight.copy_(torch.eye(3).repeat(1, 4))
        net[3].bias.zero_()
    return net.to(draw.device)


def make_batches(draw: Draw, count: int, rows: int) -> list[Batch]:
    centre = draw.place(torch.tensor([1.0, -1.0]))
    return [(draw.normal(rows, 2, scale=2.0) + centre, draw.integers(rows, high=3)) for _ in range(count)]


@check("solved")
def teacher_only_gives_its_opinion(answer: Answer, draw: Draw) -> None:
    for mode, parts in ((True, True), (False, True), (True, False)):
        student, teacher = make_student(draw).eval(), make_teacher(draw)
        teacher.train(parts).training = mode
        before = copy.deepcopy(teacher.state_dict())
        seen: list[bool] = []
        for part in teacher:
            part.register_forward_pre_hook(lambda part, _, seen=seen: seen.append(part.training))
        optimizer = torch.optim.SGD(student.parameters(), lr=0.1)
        in_place(answer.train_student, also=("modes", "flags"))(
            student, teacher, make_batches(draw, 2, 8), optimizer, 2.0, 0.5
        )
        for name, value in before.items():
            teach = "In train mode batch norm goes on collecting statistics and dropout goes on dropping: call eval()."
            expect_close(teacher.state_dict()[name], value.cpu(), what=f"the teacher's {name} afterwards", teach=teach)
        all_of_it = (
            "A part may have a mode of its own, whatever the flag of the whole says: teacher.eval() reaches all."
        )
        expect(not any(seen), "a part of the teacher ran in train mode", teach=all_of_it)
        expect(
            all(parameter.grad is None for parameter in teacher.parameters()),
            "the teacher's parameters have gradients afterwards",
            teach="The teacher does not learn: call it under torch.no_grad(), which saves its activations, too.",
        )


@check("solved")
def steps_are_right(answer: Answer, draw: Draw) -> None:
    for rows in (4, 7):
        student, teacher, batches = make_student(draw).eval(), make_teacher(draw), make_batches(draw, 3, rows)
        twin = copy.deepcopy(student).cpu().train()
        student.training = rows == 7  # the flag of the whole says nothing of its parts, which are in evaluation
        optimizer = torch.optim.SGD(student.parameters(), lr=0.1)
        for parameter in student.parameters():  # left by someone, and no part of the first step
            parameter.grad = torch.full_like(parameter, 1.0 if rows == 4 else torch.inf)
        own_step(twin, copy.deepcopy(teacher).cpu().eval(), batches, 2.0, 0.7)
        in_place(answer.train_student, also=("modes", "flags"))(student, teacher, iter(batches), optimizer, 2.0, 0.7)
        teach = (
            "For each batch: forget the old gradients, one backward pass, one step. The student is in train mode, the "
            "teacher in eval mode."
        )
        for name, value in twin.state_dict().items():
            what = f"the student's {name} after three batches"
            expect_close(student.state_dict()[name], value, what=what, teach=teach, rtol=1e-3, atol=1e-4)
    expect_all_batches(answer, draw)


def expect_all_batches(answer: Answer, draw: Draw) -> None:
    """Batches of any size count, a single sample too (which batch norm could not bear), and a large loss."""
    for far in (1.0, 300.0):
        student = nn.Sequential(nn.Linear(2, 6), nn.Dropout(0.0), nn.Tanh(), nn.Linear(6, 3)).to(draw.device)
        with torch.no_grad():
            student[3].weight.mul_(far)
        student[1].eval()
        batches = [one for rows in (1, 5, 1, 2, 9, 1) for one in make_batches(draw, 1, rows)]
        twin, teacher = copy.deepcopy(student).cpu().train(), make_teacher(draw)
        own_step(twin, copy.deepcopy(teacher).cpu().eval(), batches, 2.0, 0.7)
        optimizer = torch.optim.SGD(student.parameters(), lr=0.1)
        in_place(answer.train_student, also=("modes", "flags"))(student, teacher, batches, optimizer, 2.0, 0.7)
        teach = "One step for each batch, whatever its size and its loss: nothing is skipped, held or clipped."
        for name, value in twin.state_dict().items():
            what = f"the student's {name} after batches of 1, 5, 1, 2, 9 and 1 samples"
            expect_close(student.state_dict()[name], value, what=what, teach=teach, rtol=1e-2, atol=1e-3)


def own_step(student: nn.Module, teacher: nn.Module, batches: list[Batch], temperature: float, share: float) -> None:
    for inputs, labels in batches:
        student.zero_grad()
        reference(student(inputs.cpu()), teacher(inputs.cpu()), labels.cpu(), temperature, share).backward()
        with torch.no_grad():
            for parameter in student.parameters():
                parameter.sub_(parameter.grad, alpha=0.1)


@check("solved")
def student_learns_the_opinions(answer: Answer, draw: Draw) -> None:
    student, teacher = make_student(draw), make_teacher(draw)
    optimizer = torch.optim.Adam(student.parameters(), lr=0.05)
    in_place(answer.train_student, also=("modes", "flags"))(
        student, teacher, make_batches(draw, STEPS, 64), optimizer, 2.0, 1.0
    )
    inputs = make_batches(draw, 1, 400)[0][0]
    with torch.no_grad():
        same = student.eval()(inputs).argmax(-1) == teacher.eval()(inputs).argmax(-1)
    expect_reaches(
        "the share of points where student and teacher agree",
        same.float().mean(),
        at_least=AGREEMENT,
        teach="The labels are noise here and share is 1: all that can be learned comes from the teacher's logits.",
    )
