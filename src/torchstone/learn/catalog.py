"""The exercises: one folder each, `exercises/<NN_chapter>/<NN_name>/`, and nothing else to register.

What is known of an exercise without running it stands in the front matter of its `task.md`:

    ---
    difficulty: 2
    minutes: 15
    grades: C O M
    links: https://docs.pytorch.org/docs/stable/generated/torch.cdist.html
    ---

Optional lines: `elective: yes`, `seconds: 20` (time limit), `memory_gb: 2`, `needs: triton` (a package),
`pretend: no, because …` (why the solution is not graded on the pretend device too), `preload: torch._dynamo` (modules
that the server of grading processes should hold: what takes long to import and every verdict needs), `portable: yes`
(the task promises that the code runs on any device: what is solved on the CPU is tried on the pretend device too).
"""

import re
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from torchstone.errors import UserError, nearest_names
from torchstone.learn.verdicts import Mark

EXERCISES = Path(__file__).parent / "exercises"
GRADES = {
    "C": "right results",
    "G": "right gradients",
    "O": "few operations",
    "M": "little memory",
    "S": "speed",
    "D": "runs on any device",
    "P": "draws a picture",
    "L": "learns",
}
MARK_OF_GRADE: dict[str, Mark] = {
    "C": "solved",
    "G": "solved",
    "D": "solved",
    "P": "solved",
    "L": "solved",
    "O": "lean",
    "M": "lean",
    "S": "fast",
}
FRONT_MATTER = re.compile(r"\A---\n(.*?)\n---\n", re.DOTALL)
FOLDER = re.compile(r"\d\d_[a-z0-9_]+")
KEYS = frozenset(
    {
        "difficulty",
        "minutes",
        "grades",
        "links",
        "elective",
        "seconds",
        "memory_gb",
        "needs",
        "pretend",
        "preload",
        "portable",
    }
)


@dataclass(frozen=True)
class Exercise:
    """One folder of the ladder."""

    folder: Path

    @property
    def name(self) -> str:
        return self.folder.name[3:]

    @property
    def chapter(self) -> str:
        return self.folder.parent.name

    @property
    def stem(self) -> Path:
        """Where it stands in the learner's folder, without suffix: `01_tensors/02_views`."""
        return Path(self.chapter) / self.folder.name

    @cached_property
    def facts(self) -> dict[str, str]:
        """The front matter of its task."""
        return read_front_matter(self.folder / "task.md")

    @property
    def task(self) -> str:
        """The task's text without its front matter."""
        return FRONT_MATTER.sub("", _read(self.folder / "task.md")).strip()

    @property
    def title(self) -> str:
        return self.task.splitlines()[0].lstrip("# ")

    @property
    def hints(self) -> tuple[str, ...]:
        """The steps of `hints.md`, each under a heading of its own."""
        parts = re.split(r"^#+ .*$", _read(self.folder / "hints.md"), flags=re.MULTILINE)
        return tuple(part.strip() for part in parts if part.strip())

    @property
    def starter(self) -> Path:
        return self.folder / "start.py"

    @property
    def solution(self) -> Path:
        return self.folder / "solution.py"

    @property
    def grades(self) -> tuple[str, ...]:
        return tuple(self.facts.get("grades", "").split())

    @property
    def marks(self) -> tuple[Mark, ...]:
        """The marks that its grades call for, in the order solved, lean, fast."""
        found = {MARK_OF_GRADE[grade] for grade in self.grades if grade in MARK_OF_GRADE}
        order: tuple[Mark, ...] = ("solved", "lean", "fast")
        return tuple(mark for mark in order if mark in found or mark == "solved")

    @property
    def difficulty(self) -> int:
        return int(self.facts.get("difficulty", "1"))

    @property
    def minutes(self) -> int:
        return int(self.facts.get("minutes", "10"))

    @property
    def elective(self) -> bool:
        return self.facts.get("elective", "no") == "yes"

    @property
    def time_limit_s(self) -> float:
        return float(self.facts.get("seconds", "10"))

    @property
    def memory_bytes(self) -> int:
        return int(float(self.facts.get("memory_gb", "2")) * 2**30)

    @property
    def needs(self) -> tuple[str, ...]:
        """Packages beyond torchstone's own that it needs."""
        return tuple(self.facts.get("needs", "").split())

    @property
    def preload(self) -> tuple[str, ...]:
        """Modules beyond torch that should be loaded before a verdict is asked for."""
        return tuple(self.facts.get("preload", "").split())

    @property
    def graded_on_pretend(self) -> bool:
        return not self.facts.get("pretend", "yes").startswith("no")

    @property
    def portable(self) -> bool:
        """Whether the task promises that the code runs on any device."""
        return self.facts.get("portable", "no") == "yes"


def find_exercises(root: Path = EXERCISES, drafts: bool = False) -> tuple[Exercise, ...]:
    """All of them, in the order of the ladder; `drafts`, whose files are not all there yet, only for authors."""
    folders = (folder for folder in root.glob("*/*") if folder.is_dir() and _is_numbered(folder))
    return tuple(Exercise(folder) for folder in sorted(folders) if drafts or _is_complete(folder))


def find_exercise(wanted: str, exercises: tuple[Exercise, ...]) -> Exercise:
    """By name (`views`), by place (`01_tensors/02_views`), or by the path of the learner's file."""
    asked = wanted.removesuffix(".py").removesuffix(".md").rstrip("/")
    for exercise in exercises:
        if asked in (exercise.name, exercise.folder.name) or Path(asked).parts[-2:] == exercise.stem.parts:
            return exercise
    near = nearest_names(asked.split("/")[-1], [exercise.name for exercise in exercises])
    hint = f"did you mean {' or '.join(near)}?" if near else "`torchstone learn list` shows them all"
    raise UserError(f"there is no exercise {wanted!r}", hint)


def read_front_matter(path: Path) -> dict[str, str]:
    """`key: value` lines between two `---` lines; empty where there are none."""
    found = FRONT_MATTER.match(_read(path))
    if found is None:
        return {}
    pairs = (line.partition(":") for line in found.group(1).splitlines() if line.strip())
    return {key.strip(): value.strip() for key, _, value in pairs}


def _is_complete(folder: Path) -> bool:
    return all((folder / name).is_file() for name in ("task.md", "start.py", "solution.py", "grade.py", "hints.md"))


def _is_numbered(folder: Path) -> bool:
    return bool(FOLDER.fullmatch(folder.name) and FOLDER.fullmatch(folder.parent.name))


def _read(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except FileNotFoundError:
        return ""
