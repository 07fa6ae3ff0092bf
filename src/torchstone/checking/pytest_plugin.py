"""A plugin of pytest: assert in a test that a model runs on a device, also where the device is not.

    from torchstone.checking.pytest_plugin import runs_on

    def test_it_runs_on_a_mac():
        runs_on(MyModel(), (torch.randn(1, 3, 32, 32),), device="mps")

or take the fixture of the same name. Pytest loads this file in every project, so it imports nothing until it is used.
"""

from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from torchstone.checking.answer import Answer

SHOWN = 10


def runs_on(
    model: Any,
    args: Any = (),
    kwargs: dict[str, Any] | None = None,
    *,
    device: str = "mps",
    train: bool = False,
    strict: bool = False,
) -> "Answer":
    """Fail the test, with the line that breaks it, where the model would not run there; a fallback only if `strict`."""
    __tracebackhide__ = True
    import torchstone
    from torchstone.errors import UserError

    try:
        answer = torchstone.check(model, args, kwargs, device=device, train=train, strict=strict)
    except UserError as error:  # it can't be checked: a sentence says so, and no traceback
        pytest.fail(f"{error}\n  {error.hint}", pytrace=False)
    if answer.verdict not in ("runs", "falls_back"):
        pytest.fail(explain(answer), pytrace=False)
    return answer


def explain(answer: "Answer") -> str:
    """What breaks it, where, and what to do."""
    lines = [f"on {answer.device} the model: {answer.verdict}"]
    for one in answer.problems[:SHOWN]:
        place = f"{one.source or 'not at a line of your own'}{f' in {one.module}' if one.module else ''} ({one.phase})"
        lines.append(f"  {place}: {one.subject}: {one.verdict}: {one.reason}")
        lines.append(f"    {one.hint}")
    return "\n".join(lines)


@pytest.fixture(name="runs_on")
def runs_on_fixture() -> Any:
    """`runs_on(model, args, device="mps")`."""
    return runs_on
