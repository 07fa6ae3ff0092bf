"""What a task promises or forbids, sentence by sentence, and the case that breaks when it is broken.

A promise is kept by a wrong answer: a file in `wrong/` whose opening comment quotes the words of the task that it
breaks, and which a check rejects. Where a sentence needs none (it explains, or a check of its own covers it),
`grade.py` says so in `PROMISES`: words of the task, and the name of a check, or None for what promises nothing.
"""

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from torchstone.learn.catalog import Exercise

HEAD = re.compile(r"# rejected by: (?P<checks>\w+(?: or \w+)+|\w+(?=: ))(?:: (?P<phrase>.+))?$", re.MULTILINE)
"""Of a wrong answer: the check that rejects it and a phrase that it says; or those one of which does, by chance."""
QUOTED = re.compile(r"\"([^\"]{3,})\"|'([^']{3,})'")
PROMISING = re.compile(
    r"\b(must|never|always|exactly|only|no|not|none|nothing|without|every|each|all|any|same|returns?|gives?|raises?|"
    r"stays?|keeps?|ruled out|at most|at least|may|once|alone|zeros?|float32|int64|Lean|Fast)\b"
)
"""Words of a sentence that binds the learner, or frees them; one without any of them explains."""
SUMMARY = "**Graded** — solved:"
"""What follows sums up the task; *lean* and *fast* promise more."""
FEWEST_LETTERS = 4


@dataclass(frozen=True)
class Promise:
    """One sentence of a task."""

    sentence: str
    answers: tuple[str, ...]
    """The wrong answers that break it."""
    checks: tuple[str, ...]
    """What rejects those, and what `PROMISES` names."""
    binds: bool
    """Whether it promises or forbids something, as far as its words tell."""

    @property
    def is_kept(self) -> bool:
        return not self.binds or bool(self.checks)


def promises_of(exercise: Exercise) -> tuple[Promise, ...]:
    """The sentences of the task, each with its cases."""
    broken = list(_broken(exercise.folder / "wrong"))
    declared = read_declared(exercise.folder / "grade.py")
    return tuple(_promise(sentence, broken, declared) for sentence in sentences_of(exercise.task))


def _promise(sentence: str, broken: list[tuple[str, str, str]], declared: dict[str, str | None]) -> Promise:
    plain = simplify(sentence)
    found = [(answer, check) for words, answer, check in broken if words in plain]
    named = {words: check for words, check in declared.items() if simplify(words) in plain}
    checks = dict.fromkeys([check for _, check in found] + [check for check in named.values() if check])
    binds = bool(PROMISING.search(sentence)) and None not in named.values() and not sentence.startswith(SUMMARY)
    return Promise(sentence, tuple(answer for answer, _ in found), tuple(checks), binds)


def find_faults(exercise: Exercise, checks: set[str]) -> Iterator[str]:
    """Promises without a case, and what `PROMISES` says that is not so."""
    declared = read_declared(exercise.folder / "grade.py")
    plain = simplify(exercise.task)
    for words, check in declared.items():
        if simplify(words) not in plain:
            yield f"grade.py: PROMISES quotes {words!r}, which task.md does not say"
        if check is not None and check not in checks:
            yield f"grade.py: PROMISES names a check {check!r} that grade.py has not"
    for promise in promises_of(exercise):
        if not promise.is_kept:
            yield f"task.md: no wrong answer breaks this promise, and PROMISES names no check: {promise.sentence}"


def sentences_of(task: str) -> list[str]:
    """The prose of a task, without its heading and its code blocks."""
    prose = re.sub(r"```.*?```", "", task, flags=re.DOTALL)
    lines = [line for line in prose.splitlines() if not line.startswith(("#", "    "))]
    blocks = re.split(r"\n\s*\n|\n(?=\s*(?:[-*]|\d\.)\s)", "\n".join(lines))
    found = []
    for block in blocks:
        text = re.sub(r"^\s*(?:[-*]|\d\.)\s+", "", " ".join(block.split()))
        found += re.split(r"(?<=[.!?:;])\s+(?=[A-ZΣ`*(\"])", text)
    return [sentence for sentence in found if len(re.findall(r"[A-Za-z]", sentence)) >= FEWEST_LETTERS]


def simplify(text: str) -> str:
    """Letters, digits and single spaces, so that a quotation is found though its marks or line breaks differ."""
    return " ".join(re.sub(r"[^\w²³ᵀ·√]+", " ", text).split()).lower()


def named_checks(head: re.Match[str]) -> list[str]:
    """Of a wrong answer's first line."""
    return head["checks"].split(" or ")


def _broken(folder: Path) -> Iterator[tuple[str, str, str]]:
    """Words of the task that a wrong answer quotes, the answer, and the check that rejects it."""
    for file in sorted(folder.glob("*.py")):
        text = file.read_text(encoding="utf-8")
        head = HEAD.match(text)
        if head is None:
            continue
        comment = " ".join(line.lstrip("# ") for line in text.splitlines()[1:5] if line.startswith("#"))
        for quoted in QUOTED.finditer(comment):
            for words in re.split(r"\.\.\.|…", quoted[1] or quoted[2]):
                if len(simplify(words)) >= FEWEST_LETTERS:
                    yield simplify(words), file.stem, named_checks(head)[0]


def read_declared(path: Path) -> dict[str, str | None]:
    """The `PROMISES` of a `grade.py`, without running it."""
    for node in ast.parse(path.read_bytes()).body:
        if isinstance(node, ast.Assign) and any(
            isinstance(one, ast.Name) and one.id == "PROMISES" for one in node.targets
        ):
            value: dict[str, str | None] = ast.literal_eval(node.value)
            return value
    return {}
