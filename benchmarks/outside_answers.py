"""Answers written from the task texts alone, by people who never saw the checks: which of them does the grader believe?

Why: mutants stand near the solution; what people write does not. A folder `<chapter>/<exercise>/{wrong,right}/*.py`
goes in; the first line of each file says what it is (`# WRONG: what is wrong`, `# RIGHT: style`; `# WRONG lean: …` or
`# RIGHT solved lean: …` where it is about those marks). Each is graded as the learner's own file, by the real grader,
with a new seed. A wrong one is believed when it earns the mark it names; where it names none, when it earns every mark:
what breaks a promise of *lean* or *fast* may well be solved. Those that are solved and no more are counted too.
`discarded.txt` in the folder names answers that are in truth not what they claim, each with its reason. The last line
is one JSON document.

    python benchmarks/outside_answers.py FOLDER [--chapters 01 02] [--names views] [--jobs 2]
"""

import argparse
import json
import re
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from queue import SimpleQueue
from typing import Any

from torchstone.learn.catalog import Exercise, find_exercises
from torchstone.learn.grader import Grader, Servers
from torchstone.learn.verdicts import MARKS, Verdict

MOST_WRONG_ACCEPTED = 0.05
HEAD = re.compile(r"#\s*(?P<kind>WRONG|RIGHT)(?P<marks>[\w ,()]*)\s*[:—-]?\s*(?P<what>.*)", re.IGNORECASE)


@dataclass(frozen=True)
class OutsideAnswer:
    """One file, and what it says of itself."""

    exercise: Exercise
    file: Path
    is_right: bool
    marks: tuple[str, ...]
    """For a wrong one the mark that it must not have; for a right one those that it must."""
    what: str

    @property
    def name(self) -> str:
        return "/".join(self.file.parts[-4:])


@dataclass(frozen=True)
class Judged:
    answer: OutsideAnswer
    as_it_should: bool
    verdict: Verdict

    @property
    def is_partly_earned(self) -> bool:
        """Solved and no more: as it should be where *lean* or *fast* is broken, doubtful for a right answer."""
        counted = self.answer.exercise.marks
        return self.verdict.solved and any(
            mark not in self.verdict.earned and (mark != "fast" or not self.answer.is_right) for mark in counted
        )


def read_answers(folder: Path, exercises: tuple[Exercise, ...]) -> list[OutsideAnswer]:
    """Every answer in the folder whose exercise is among these, but for the discarded ones."""
    discarded = folder / "discarded.txt"
    left_out = {line.split(":")[0].strip() for line in discarded.read_text().splitlines()} if discarded.exists() else ()
    found = []
    for exercise in exercises:
        for kind in ("wrong", "right"):
            # By name: an exercise may have moved within its chapter since the answers were written.
            for file in sorted(folder.glob(f"{exercise.chapter}/[0-9][0-9]_{exercise.name}/{kind}/*.py")):
                answer = _read_answer(exercise, file, kind == "right")
                if answer.name not in left_out:
                    found.append(answer)
    return found


def _read_answer(exercise: Exercise, file: Path, is_right: bool) -> OutsideAnswer:
    first = file.read_text(encoding="utf-8").partition("\n")[0]
    head = HEAD.match(first)
    named: tuple[str, ...] = tuple(mark for mark in MARKS if head is not None and mark in head["marks"].lower())
    if not is_right and not named and head is not None:
        # Some say it in words: "WRONG: not lean, loops over rows".
        said = re.match(r"\(?(lean|fast)\b", head["what"].lower())
        named = (said[1],) if said else ()
    unnamed = ("solved",) if is_right else exercise.marks
    return OutsideAnswer(exercise, file, is_right, named or unnamed, head["what"] if head else first)


def judge(answer: OutsideAnswer, grader: Grader) -> Judged:
    source = answer.file.read_bytes()
    with tempfile.TemporaryDirectory(prefix="torchstone-outside-") as folder:
        path = Path(folder) / f"{answer.exercise.folder.name}.py"
        path.write_bytes(source)
        verdict = grader.grade(answer.exercise, path, source)
    earned = set(verdict.earned)
    wanted = set(answer.marks) & set(answer.exercise.marks)
    ok = wanted <= earned if answer.is_right else not set(answer.marks) <= earned
    return Judged(answer, ok, verdict)


def judge_all(answers: list[OutsideAnswer], jobs: int) -> list[Judged]:
    """All of them, so many at a time; what is not as it should be is told on stderr as it comes."""
    graders: SimpleQueue[Grader] = SimpleQueue()
    servers = Servers()
    for _ in range(jobs):
        graders.put(Grader("cpu", servers, many=True))

    def perform(answer: OutsideAnswer) -> Judged:
        grader = graders.get()
        try:
            judged = judge(answer, grader)
        finally:
            graders.put(grader)
        if not judged.as_it_should or judged.is_partly_earned:
            print(_tell(judged), file=sys.stderr, flush=True)
        return judged

    try:
        with ThreadPoolExecutor(jobs) as pool:
            return list(pool.map(perform, answers))
    finally:
        for _ in range(jobs):
            graders.get().close()
        servers.close()


def _tell(judged: Judged) -> str:
    answer, verdict = judged.answer, judged.verdict
    if answer.is_right and judged.as_it_should:
        return f"no lean  {answer.name}: {verdict.failures[0].message if verdict.failures else 'skipped'}"
    if not answer.is_right:
        word = "solved  " if judged.as_it_should else "ACCEPTED"
        return f"{word} {answer.name} ({', '.join(verdict.earned)}): {answer.what}"
    reason = verdict.failures[0].message if verdict.failures else "no reason"
    return f"REFUSED  {answer.name} (has {', '.join(verdict.earned) or 'nothing'}): {reason}"


def figures(judged: list[Judged]) -> dict[str, Any]:
    wrong = [one for one in judged if not one.answer.is_right]
    right = [one for one in judged if one.answer.is_right]
    accepted = sum(not one.as_it_should for one in wrong)
    return {
        "wrong": len(wrong),
        "wrong_accepted": accepted,
        "wrong_solved_only": sum(one.as_it_should and one.is_partly_earned for one in wrong),
        "share_accepted": accepted / len(wrong) if wrong else None,
        "right": len(right),
        "right_refused": sum(not one.as_it_should for one in right),
        "right_without_lean": sum(one.as_it_should and one.is_partly_earned for one in right),
    }


def figures_by_exercise(judged: list[Judged]) -> dict[str, dict[str, Any]]:
    names = dict.fromkeys(one.answer.exercise.name for one in judged)
    return {name: figures([one for one in judged if one.answer.exercise.name == name]) for name in names}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("folder", type=Path)
    parser.add_argument("--chapters", nargs="*", default=[], help="two digits each; all unless told")
    parser.add_argument("--names", nargs="*", default=[])
    parser.add_argument("--jobs", type=int, default=2)
    options = parser.parse_args()
    chosen = tuple(
        one
        for one in find_exercises()
        if (not options.chapters or one.chapter[:2] in options.chapters)
        and (not options.names or one.name in options.names)
    )
    judged = judge_all(read_answers(options.folder, chosen), options.jobs)
    total = figures(judged)
    share = total["share_accepted"]
    print(
        json.dumps(
            {
                "benchmark": "outside_answers",
                "tried": len(judged),
                **total,
                "within": share is not None and share <= MOST_WRONG_ACCEPTED and total["right_refused"] == 0,
                "not_as_they_should": [_tell(one) for one in judged if not one.as_it_should],
                "exercises": figures_by_exercise(judged),
            },
            ensure_ascii=False,
        )
    )


if __name__ == "__main__":
    main()
