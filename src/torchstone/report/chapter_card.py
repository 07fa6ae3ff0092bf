"""A card for each chapter of the ladder, as an SVG: what was climbed, and when; a whole chapter is framed in gold.

Drawn by hand, as text: it needs nothing to be shown, scales to any size, and fits into a page or a profile.
"""

from dataclasses import dataclass
from html import escape

WIDTH, HEIGHT = 420, 240
GOLD, GREY, INK, PAPER, GREEN = "#c8961e", "#b8bdc6", "#1f2733", "#fffdf8", "#2e7d4f"
STEP_GAP = 6
STEPS_WIDTH = WIDTH - 64


@dataclass(frozen=True)
class ChapterCard:
    """What a card says."""

    title: str
    solved: int
    exercises: int
    stars: int
    """Marks beyond *solved*."""
    offered_stars: int
    last_day: str = ""

    @property
    def is_whole(self) -> bool:
        return 0 < self.exercises == self.solved


def draw_card(card: ChapterCard) -> str:
    """The SVG."""
    colour = GOLD if card.is_whole else GREY
    word = "chapter complete" if card.is_whole else f"{card.solved} of {card.exercises} solved"
    when = f"on {card.last_day}" if card.last_day else ""
    stars = f"{'★' * min(card.stars, 12)} {card.stars} of {card.offered_stars} stars" if card.offered_stars else ""
    label = f"{card.title}: {word}, {card.stars} of {card.offered_stars} stars"
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" width="{WIDTH}" role="img"'
            f' aria-label="{escape(label, quote=True)}">',
            f'<rect x="4" y="4" width="{WIDTH - 8}" height="{HEIGHT - 8}" rx="14" fill="{PAPER}" stroke="{colour}"'
            f' stroke-width="{4 if card.is_whole else 2}"/>',
            *([_inner_frame()] if card.is_whole else []),
            _text(32, 52, "torchstone · the ladder", 13, GREY),
            _text(32, 96, card.title, 26, INK, "bold"),
            _text(32, 128, word, 16, GREEN if card.is_whole else INK),
            _steps(card),
            _text(32, 202, stars, 14, GOLD),
            _text(WIDTH - 32, 202, when, 13, INK, anchor="end"),
            "</svg>",
        ]
    )


def _inner_frame() -> str:
    return (
        f'<rect x="12" y="12" width="{WIDTH - 24}" height="{HEIGHT - 24}" rx="9" fill="none" stroke="{GOLD}"'
        ' stroke-width="1"/>'
    )


def _steps(card: ChapterCard) -> str:
    """A rung for each exercise, the solved ones filled."""
    count = max(1, card.exercises)
    width = (STEPS_WIDTH - STEP_GAP * (count - 1)) / count
    rungs = [
        f'<rect x="{32 + place * (width + STEP_GAP):.1f}" y="150" width="{width:.1f}" height="14" rx="3"'
        f' fill="{GREEN if place < card.solved else "#e6e8ec"}"/>'
        for place in range(card.exercises)
    ]
    return "".join(rungs)


def _text(x: int, y: int, words: str, size: int, colour: str, weight: str = "normal", anchor: str = "start") -> str:
    return (
        f'<text x="{x}" y="{y}" font-family="system-ui, sans-serif" font-size="{size}" fill="{colour}"'
        f' font-weight="{weight}" text-anchor="{anchor}">{escape(words)}</text>'
    )
