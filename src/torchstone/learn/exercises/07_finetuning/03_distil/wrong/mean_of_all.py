# rejected by: loss_is_right: Divided by the number of classes as well
# 'summed over the classes. Both parts are means over the batch': reduction='mean' divides by the number of classes
# too
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
        reduction="mean",
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
    modes = [(module, module.training) for module in teacher.modules()]
    student.train()
    teacher.eval()
    try:
        for inputs, labels in batches:
            with torch.no_grad():
                opinion = teacher(inputs)
            loss = distillation_loss(student(inputs), opinion, labels, temperature, share)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
    finally:
        for module, mode in modes:
            module.training = mode
