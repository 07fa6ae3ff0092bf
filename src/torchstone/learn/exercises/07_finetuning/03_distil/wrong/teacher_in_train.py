# rejected by: teacher_only_gives_its_opinion: In train mode batch norm goes on collecting statistics and dropout
# 'the teacher only gives its opinion, as it would in use': its dropout is on and its batch norm learns, if it came in
# train mode
"""Train a small net on the softened opinions of a large one."""

from collections.abc import Iterable

import torch
from torch import Tensor, nn
from torch.nn import functional


def distillation_loss(
    student_logits: Tensor, teacher_logits: Tensor, labels: Tensor, temperature: float, share: float
) -> Tensor:
    soft = functional.kl_div(
        functional.log_softmax(student_logits / temperature, -1),
        functional.log_softmax(teacher_logits.detach() / temperature, -1),
        reduction="batchmean",
        log_target=True,
    )
    return share * temperature**2 * soft + (1 - share) * functional.cross_entropy(student_logits, labels)


def train_student(
    student: nn.Module,
    teacher: nn.Module,
    batches: Iterable[tuple[Tensor, Tensor]],
    optimizer: torch.optim.Optimizer,
    temperature: float,
    share: float,
) -> None:
    student.train()
    for inputs, labels in batches:
        with torch.no_grad():
            opinion = teacher(inputs)
        loss = distillation_loss(student(inputs), opinion, labels, temperature, share)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
