"""A copy that did not happen is noticed, however often the right bytes came before."""

import pytest
import torch

from torchstone.measuring.copying import Copying, NoPinnedMemoryError, pin, prepare


@pytest.mark.parametrize("pieces", [1, 4])
def test_what_was_copied_agrees_and_what_was_not_does_not(pieces: int) -> None:
    copier = prepare(Copying(4096, "cpu", "cpu", pieces=pieces))
    assert f"{pieces} of {pieces} pieces" in (copier.disagreement() or "")
    copier()
    assert copier.disagreement() is None
    assert copier.disagreement() is None, "nothing was copied in between"
    copier.unchecked = True
    assert copier.disagreement() is not None, "bytes of an earlier copy vouch for a later one"


def test_pieces_have_memory_of_their_own() -> None:
    copier = prepare(Copying(4096, "cpu", "cpu", pieces=4))
    places = {tensor.untyped_storage().data_ptr() for tensor in (*copier.sources, *copier.destinations)}
    assert len(places) == 8
    assert sum(tensor.nbytes for tensor in copier.sources) == 4096


@pytest.mark.parametrize("error", [RuntimeError("no allocator"), NotImplementedError("register it first")])
def test_no_pinned_memory(error: Exception, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(_: torch.Tensor) -> torch.Tensor:
        raise error

    monkeypatch.setattr(torch.Tensor, "pin_memory", refuse)
    with pytest.raises(NoPinnedMemoryError, match="no pinned memory here"):
        pin(torch.ones(2))


def test_pinned_memory_that_is_none(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(torch.Tensor, "pin_memory", lambda tensor: tensor.clone())
    with pytest.raises(NoPinnedMemoryError, match="ordinary memory"):
        pin(torch.ones(2))


def test_out_of_memory_is_not_taken_for_a_missing_feature(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(_: torch.Tensor) -> torch.Tensor:
        raise torch.OutOfMemoryError("out of memory")

    monkeypatch.setattr(torch.Tensor, "pin_memory", refuse)
    with pytest.raises(torch.OutOfMemoryError):
        pin(torch.ones(2))
