"""The fastest right way: pairs decide, what cannot be told apart is tied, and what is wrong is no way."""

import pytest
from torchstone.trials import recommending
from torchstone.trials.recommending import Candidate, recommend

from torchstone import stats
from torchstone.measuring.comparing import Comparison
from torchstone.records import Finding, Measurement, Scalar, Setup, Status

PAIRS = 40


def candidate(name: str, seconds: float, status: Status = "ok") -> Candidate:
    facts: dict[str, Scalar] = {"items": 8, "item": "images"}
    measured = Measurement(
        name="images/x",
        setup=Setup(engine=name),
        unit="s",
        samples=(seconds,) * 9 if status == "ok" else (),
        status=status,
        reason=None if status == "ok" else "it differs",
        facts=facts,
    )
    return Candidate(name, f"{name} does it", measured, lambda: name)


def recommended(
    monkeypatch: pytest.MonkeyPatch, candidates: list[Candidate], true_s: dict[str, float], budget_s: float = 100.0
) -> tuple[Finding, list[tuple[str, str]]]:
    """With pairs that show these seconds; also which were set against each other."""
    seen = []

    def compare(a: object, b: object, *, device: str, budget_s: float) -> Comparison:
        names = tuple(one() for one in (a, b) if callable(one))
        seen.append((names[0], names[1]))
        sides = []
        for name in names:
            # Noise that differs from pair to pair and is the same for every candidate of the same seconds.
            samples = tuple(true_s[name] * (1 + 0.001 * (number * 7 % 5)) for number in range(PAIRS))
            sides.append(Measurement(name=name, setup=Setup(), unit="s", samples=samples))
        return Comparison(sides[0], sides[1], stats.paired_ratio(sides[0].samples, sides[1].samples), ())

    monkeypatch.setattr(recommending, "compare_in_process", compare)
    found = recommend("images", candidates, "right is right", budget_s)
    assert found is not None
    return found, seen


def test_the_fastest_is_named_with_its_rate(monkeypatch: pytest.MonkeyPatch) -> None:
    found, seen = recommended(
        monkeypatch,
        [candidate("slow", 9.0), candidate("near", 1.1), candidate("fast", 1.0)],
        {"near": 1.1, "fast": 1.0},
    )
    assert (found.kind, found.subject, found.verdict) == ("images", "images/x", "ok")
    assert (found.facts["fastest"], found.facts["rate"], found.facts["tied with"]) == ("fast", 8.0, None)
    assert seen == [("fast", "near")], "nine times slower needs no pairs"
    assert "slow takes 9× as long" in found.evidence
    assert "near takes 1.100× as long in pairs" in found.evidence


def test_what_cannot_be_told_apart_is_tied(monkeypatch: pytest.MonkeyPatch) -> None:
    found, _ = recommended(monkeypatch, [candidate("a", 1.0), candidate("b", 1.1)], {"a": 1.0, "b": 1.0})
    assert found.facts["tied with"] == "b"
    assert "b is tied" in found.evidence


def test_pairs_overrule_medians_taken_one_after_another(monkeypatch: pytest.MonkeyPatch) -> None:
    candidates = [candidate("a", 1.0), candidate("b", 1.1), candidate("c", 1.2)]
    found, seen = recommended(monkeypatch, candidates, {"a": 1.3, "b": 1.0, "c": 1.2})
    assert found.facts["fastest"] == "b"
    assert seen == [("a", "b"), ("a", "c"), ("b", "a"), ("b", "c")], "the others are set against the new best"
    assert found.facts["tied with"] is None


def test_a_wrong_way_is_not_recommended_however_fast(monkeypatch: pytest.MonkeyPatch) -> None:
    found, _ = recommended(monkeypatch, [candidate("wrong", 0.1, "wrong"), candidate("right", 1.0)], {})
    assert found.facts["fastest"] == "right"
    assert "no other way gave a right result" in found.evidence


def test_no_right_way_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    found, _ = recommended(monkeypatch, [candidate("wrong", 0.1, "wrong")], {})
    assert found.verdict == "none"
    assert "wrong: wrong" in found.evidence


def test_what_was_skipped_is_not_called_wrong() -> None:
    assert recommend("images", [candidate("a", 1.0, "skipped")], "right is right", 1.0) is None


def test_without_seconds_for_pairs_near_ones_count_as_tied(monkeypatch: pytest.MonkeyPatch) -> None:
    found, seen = recommended(monkeypatch, [candidate("a", 1.0), candidate("b", 1.1)], {}, budget_s=1.0)
    assert seen == []
    assert found.facts["tied with"] == "b"
    assert "no seconds were left" in found.evidence


def test_one_alone_is_no_fastest_while_others_were_not_timed() -> None:
    alone = [candidate("a", 1.0), candidate("b", 1.0, "skipped")]
    assert recommend("images", alone, "right is right", 1.0) is None


def test_what_was_not_timed_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    candidates = [candidate("a", 1.0), candidate("b", 9.0), candidate("c", 1.0, "skipped")]
    found, _ = recommended(monkeypatch, candidates, {})
    assert found.facts["not timed"] == "c"
    assert "not timed: c" in found.evidence
