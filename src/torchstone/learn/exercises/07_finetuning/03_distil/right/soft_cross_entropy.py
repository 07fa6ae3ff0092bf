# earns: solved
# KL as soft cross entropy minus the teacher's entropy, a context manager for the teacher's mode
"""Train a small net on the softened opinions of a large one."""

from collections.abc import Iterable

import torch
from torch import Tensor, nn
from torch.nn import functional
from contextlib import contextmanager


def distillation_loss(
    student_logits: Tensor, teacher_logits: Tensor, labels: Tensor, temperature: float, share: float
) -> Tensor:
    teacher_soft = (teacher_logits.detach() / temperature).softmax(-1)
    teacher_log = (teacher_logits.detach() / temperature).log_softmax(-1)
    entropy = -(teacher_soft * teacher_log).sum(-1).mean()
    crossed = functional.cross_entropy(student_logits / temperature, teacher_soft)
    hard = functional.nll_loss(student_logits.log_softmax(-1), labels)
    return torch.add(share * temperature**2 * (crossed - entropy), hard, alpha=1 - share)


@contextmanager
def in_use(net: nn.Module):
    training = [module for module in net.modules() if module.training]
    net.eval()
    try:
        yield net
    finally:
        for module in training:
            module.training = True


def train_student(
    student: nn.Module,
    teacher: nn.Module,
    batches: Iterable[tuple[Tensor, Tensor]],
    optimizer: torch.optim.Optimizer,
    temperature: float,
    share: float,
) -> None:
    student.train()
    with in_use(teacher):
        for inputs, labels in batches:
            with torch.no_grad():
                said = teacher(inputs)
            loss = distillation_loss(student(inputs), said, labels, temperature, share)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
