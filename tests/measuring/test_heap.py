"""What the heap holds free, told by the C library."""

import pytest

from torchstone import host
from torchstone.measuring import heap
from torchstone.measuring.heap import free_heap_bytes, give_back_free_memory

BLOCKS, SIZE = 400, 20_000


@pytest.mark.skipif(free_heap_bytes() is None, reason="the C library does not say")
def test_holes_between_what_is_kept_are_counted() -> None:
    blocks: list[bytes | None] = [bytes(SIZE) for _ in range(BLOCKS)]
    before = free_heap_bytes()
    blocks[::2] = [None] * (BLOCKS // 2)
    after = free_heap_bytes()
    assert before is not None
    assert after is not None
    assert after - before == pytest.approx(BLOCKS // 2 * SIZE, rel=0.1)


@pytest.mark.skipif(free_heap_bytes() is None, reason="the C library does not say")
def test_what_is_free_is_part_of_the_footprint() -> None:
    free = free_heap_bytes()
    assert free is not None
    assert 0 <= free <= host.process_memory_bytes()


def test_without_a_count_there_is_none_and_free_memory_is_given_back(monkeypatch: pytest.MonkeyPatch) -> None:
    trimmed: list[int] = []
    monkeypatch.setattr(heap, "_c_function", {"malloc_trim": trimmed.append}.get)
    assert free_heap_bytes() is None
    give_back_free_memory()
    assert trimmed == [0]


def test_memory_that_is_counted_is_not_given_back(monkeypatch: pytest.MonkeyPatch) -> None:
    trimmed: list[int] = []
    monkeypatch.setattr(heap, "_c_function", {"malloc_trim": trimmed.append}.get)
    monkeypatch.setattr(heap, "free_heap_bytes", lambda: 1)
    give_back_free_memory()
    assert trimmed == []
