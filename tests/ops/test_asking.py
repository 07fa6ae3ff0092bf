"""What a sweep was asked for goes into the run file and comes back, and another is refused."""

import pytest

from torchstone.errors import UserError
from torchstone.ops.asking import Asked, asked_from, refuse_others

EVERY = Asked(("nn.functional*", "exp"), ("float32", "bfloat16"), 3, 15.0, True, False)


@pytest.mark.parametrize("asked", [EVERY, Asked(), Asked(speed=True, limit_s=0.5)])
def test_all_of_it_comes_back(asked: Asked) -> None:
    assert asked_from(asked.as_words()) == asked


def test_what_a_newer_torchstone_asked_for_is_not_passed_over() -> None:
    with pytest.raises(UserError, match="--layouts, which is not known here"):
        asked_from(("exp", "--layouts=all"))


def test_the_same_may_be_named_again_and_another_may_not() -> None:
    refuse_others(EVERY, {"samples": 3, "patterns": EVERY.patterns})
    with pytest.raises(UserError, match=r"that run was asked for .*, not sin"):
        refuse_others(EVERY, {"patterns": ("sin",)})
