# earns: solved
# KL as a cross entropy with soft targets minus the teacher's own entropy; a deep copy of the teacher is asked
"""Train a small net on the softened opinions of a large one."""

import copy
from collections.abc import Iterable

import torch
from torch import Tensor, nn


def distillation_loss(
    student_logits: Tensor, teacher_logits: Tensor, labels: Tensor, temperature: float, share: float
) -> Tensor:
    """share · T² · KL(teacher ‖ student) at temperature T, plus (1 − share) · cross entropy with the labels."""
    softened = teacher_logits.detach() / temperature
    opinion = torch.softmax(softened, dim=-1)
    own = torch.nn.functional.cross_entropy(softened, opinion)
    other = torch.nn.functional.cross_entropy(student_logits / temperature, opinion)
    hard = nn.functional.nll_loss(student_logits.log_softmax(dim=-1), labels)
    return share * temperature * temperature * (other - own) + (1 - share) * hard


def train_student(
    student: nn.Module,
    teacher: nn.Module,
    batches: Iterable[tuple[Tensor, Tensor]],
    optimizer: torch.optim.Optimizer,
    temperature: float,
    share: float,
) -> None:
    """One step of the optimizer for each batch; the teacher stays as it is."""
    for module in student.modules():
        module.training = True
    expert = copy.deepcopy(teacher).eval().requires_grad_(False)
    for inputs, labels in batches:
        with torch.no_grad():
            opinion = expert(inputs)
        loss = distillation_loss(student(inputs), opinion, labels, temperature, share)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
