"""Which operators autocast casts how, read from the header that torch's devices share."""

from torchstone.checking.autocasting import CASTS, HEADER, read_policies
from torchstone.checking.phantom import find_operator


def test_the_installed_header_has_every_list_with_operators_of_this_torch() -> None:
    policies = read_policies(HEADER.read_text(encoding="utf-8"))
    assert set(CASTS) <= set(policies)
    named = [name for policy in CASTS for name in policies[policy]]
    assert len(named) > 90
    assert [name for name in named if find_operator(name) is None] == []
    assert "linear" in policies["LOWER_PRECISION_FP"]
    assert {"layer_norm", "pow.Tensor_Scalar"} <= set(policies["FP32"])
    assert policies["DIFFERENT_REDISPATCH_SIGNATURE"] == ("norm.Scalar", "norm.ScalarOpt_dim")
