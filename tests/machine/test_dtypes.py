"""Which dtypes a device computes in: tried on the CPU, on the pretend device, and on the real second device."""

import os
import warnings

import pytest

from torchstone.errors import UserError
from torchstone.machine import dtypes as probing
from torchstone.machine.dtypes import DTYPES, probe_dtypes, probe_dtypes_here
from torchstone.processes import Limits, Outcome, tell_error


def test_the_cpu_computes_in_all() -> None:
    facts = probe_dtypes("cpu")
    assert tuple(facts) == DTYPES
    assert {fact.value for fact in facts.values()} == {"computes"}
    assert {fact.source for fact in facts.values()} == {"probed: filled, added, multiplied, read back"}


def test_every_dtype_may_warn_even_where_torch_warns_once(monkeypatch: pytest.MonkeyPatch) -> None:
    import torch

    def compute(device_id: str, name: str) -> None:
        assert torch.is_warn_always_enabled()
        warnings.warn("aten::add is not supported and will fall back to run on the CPU", UserWarning, stacklevel=1)

    torch.set_warn_always(False)
    monkeypatch.setattr(probing, "_compute", compute)
    assert {fact.value for fact in probe_dtypes_here("cpu").values()} == {"falls back to the CPU"}
    assert not torch.is_warn_always_enabled()


class TestPretendDevice:
    @pytest.fixture(autouse=True)
    def installed(self) -> None:
        from torchstone import pretend

        pretend.install()

    def test_rejected_dtypes(self) -> None:
        from torchstone import pretend

        with pretend.configure(rejected_dtypes={"float64", "complex128"}):
            facts = probe_dtypes_here("pretend:0")
        refused = {name for name, fact in facts.items() if fact.value is None}
        assert refused == {"float64", "complex128"}
        assert all("float64" in str(facts["float64"].reason) for name in refused)
        assert facts["float32"].value == "computes"

    def test_wrong_results(self) -> None:
        from torchstone import pretend

        with pretend.configure(wrong={"add"}):
            facts = probe_dtypes_here("pretend:0")
        assert facts["float32"].value is None
        assert str(facts["float32"].reason).startswith("1 + 1 gave ")
        assert facts["int32"].value == "computes"

    def test_wrong_products(self) -> None:
        from torchstone import pretend

        with pretend.configure(wrong={"mm"}):
            reason = probe_dtypes_here("pretend:0")["float32"].reason
        assert str(reason).startswith("a product of ones gave ")

    def test_missing_operators(self) -> None:
        from torchstone import pretend

        with pretend.configure(missing={"mm"}):
            facts = probe_dtypes_here("pretend:0")
        assert facts["float32"].value is None
        assert "mm" in str(facts["float32"].reason)
        assert facts["int64"].value == "computes"

    def test_fall_back(self) -> None:
        from torchstone import pretend

        with pretend.configure(fallback={"add"}):
            facts = probe_dtypes_here("pretend:0")
        assert "falls back to the CPU" in {fact.value for fact in facts.values()}

    def test_in_a_process_of_its_own(self) -> None:
        assert {fact.value for fact in probe_dtypes("pretend:0").values()} == {"computes"}


class TestAProbeThatDies:
    def probe(self, monkeypatch: pytest.MonkeyPatch, outcome: Outcome) -> str:
        monkeypatch.setattr(probing, "run_spawned", lambda call, limits, returns: outcome)
        facts = probe_dtypes("someday:0")
        assert tuple(facts) == DTYPES
        assert {fact.value for fact in facts.values()} == {None}
        [reason] = {fact.reason for fact in facts.values()}
        return str(reason)

    def test_aborted(self, monkeypatch: pytest.MonkeyPatch) -> None:
        assert self.probe(monkeypatch, Outcome("killed", detail="killed by SIGABRT")).endswith("killed by SIGABRT")

    def test_raised(self, monkeypatch: pytest.MonkeyPatch) -> None:
        detail = 'Traceback (most recent call last):\n  File "x.py"\nRuntimeError: no such driver\n'
        assert (
            self.probe(monkeypatch, Outcome("raised", detail=detail))
            == "the probe raised: RuntimeError: no such driver"
        )

    def test_a_user_error_stays_one(self, monkeypatch: pytest.MonkeyPatch) -> None:
        error = tell_error(UserError("torchvulkan cannot be imported", "see its driver"))
        monkeypatch.setattr(probing, "run_spawned", lambda call, limits, returns: Outcome("raised", error=error))
        with pytest.raises(UserError, match="torchvulkan"):
            probe_dtypes("vulkan:0")

    def test_a_real_death(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(probing, "_LIMITS", Limits(seconds=60))
        monkeypatch.setattr(probing, "probe_dtypes_here", lambda device_id: os.abort())
        assert "SIGABRT" in str(probe_dtypes("someday:0")["float32"].reason)


@pytest.mark.vulkan
def test_the_real_second_device_sends_bfloat16_to_the_cpu() -> None:
    facts = probe_dtypes("vulkan:0")
    assert facts["float32"].value == "computes"
    assert facts["bfloat16"].value == "falls back to the CPU"
