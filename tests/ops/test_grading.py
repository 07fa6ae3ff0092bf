"""Right or wrong by the CPU's own error: hand-made answers whose verdict is known."""

import torch

from torchstone.ops.grading import grade


def test_the_cpu_is_never_wrong() -> None:
    cpu, wide = torch.tensor([1.0, 2.5]), torch.tensor([1.0, 2.0], dtype=torch.float64)
    graded = grade(cpu, cpu, wide)
    assert graded.wrong is None
    assert graded.error == graded.cpu_error == 0.25


def test_further_off_than_the_cpu_is_wrong() -> None:
    wide = torch.tensor([1.0, 2.0], dtype=torch.float64)
    graded = grade(torch.tensor([1.0, 2.1]), wide.float(), wide)
    assert graded.wrong is not None
    assert "1 of 2 elements" in graded.wrong


def test_where_the_cpu_is_bad_the_device_may_be() -> None:
    wide = torch.tensor([1.0, 2.0], dtype=torch.float64)
    assert grade(torch.tensor([1.0, 2.1]), torch.tensor([1.0, 1.95]), wide).wrong is None


def test_a_lost_nan_is_wrong() -> None:
    answer = torch.tensor([1.0, torch.nan])
    assert grade(torch.tensor([1.0, 0.0]), answer, answer.double()).wrong is not None
    assert grade(answer, answer, answer.double()).wrong is None


def test_a_nan_that_nobody_else_has_is_wrong() -> None:
    answer = torch.tensor([1.0, 2.0])
    assert grade(torch.tensor([1.0, torch.nan]), answer, answer.double()).wrong is not None


def test_an_overflow_of_the_narrow_dtype_is_no_fault() -> None:
    wide = torch.tensor([70000.0], dtype=torch.float64)
    cpu = torch.tensor([torch.inf], dtype=torch.float16)
    assert grade(cpu.clone(), cpu, wide).wrong is None


def test_shape_dtype_and_count_are_part_of_the_answer() -> None:
    one = torch.ones(2)
    assert "shape" in str(grade(torch.ones(3), one, one.double()).wrong)
    assert "dtype" in str(grade(torch.ones(2, dtype=torch.float16), one, one.double()).wrong)
    assert "outputs" in str(grade([one, one], one, one.double()).wrong)


def test_whole_numbers_are_exact() -> None:
    cpu = torch.tensor([1, 2, 3])
    assert grade(torch.tensor([1, 2, 4]), cpu, cpu).wrong is not None
    assert grade(cpu.clone(), cpu, cpu).wrong is None


def test_among_equal_values_any_index_is_right() -> None:
    values = torch.tensor([5.0, 5.0, 1.0])
    cpu, other = torch.tensor([2, 0, 1]), torch.tensor([2, 1, 0])
    assert grade(other, cpu, cpu, "ties", values).wrong is None
    assert grade(torch.tensor([0, 2, 1]), cpu, cpu, "ties", values).wrong is not None


def test_decompositions_up_to_a_sign() -> None:
    cpu = torch.tensor([[1.0, -2.0]])
    assert grade(-cpu, cpu, cpu.double(), "up to a sign").wrong is None


def test_uninitialised_memory_has_a_shape_alone() -> None:
    assert grade(torch.ones(2), torch.zeros(2), torch.zeros(2).double(), "uninitialised").wrong is None


def test_complex_parts_are_judged() -> None:
    cpu = torch.tensor([1 + 2j], dtype=torch.complex64)
    wide = cpu.to(torch.complex128)
    assert grade(torch.tensor([1 - 2j], dtype=torch.complex64), cpu, wide).wrong is not None
    assert grade(cpu.conj().conj(), cpu, wide).wrong is None
