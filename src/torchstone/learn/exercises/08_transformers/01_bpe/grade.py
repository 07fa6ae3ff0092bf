"""Grades bpe: a plain tokenizer as the reference; training is timed beside one that counts each word once."""

import re
from collections import Counter
from itertools import pairwise

from torchstone.learn.grading import Answer, Draw, check, expect, expect_fast, expect_same, looks_like, watch_call, when

PROMISES = {
    "A tokenizer begins with 256 tokens, one for each byte,": None,
    "Fast: a text repeats its words, so the work per": "training_counts_each_word_once",
}
"""Sentences of the task that no wrong answer quotes: the check that keeps each, or None where it only explains."""

Pair = tuple[int, int]
TEXTS = [
    "aaaa aaaa bc bc bc bc bc",
    "",
    "a",
    "aa",
    "aaaa",
    "ab ab",
    "abab abab",
    "aaa aaa aaaaa",
    "é é",
    "ab cd cd cd ab",
    "ba ab ba ab",
    "a  b  a  b ",
    "\n\n \n\n",
    "a\tb a\tb\r\nc\r\nc",
    "abcdefgh" * 20,
]
SYLLABLES = ["ba", "na", "no", "ka", "o", "ü", "nan", "🙂", "-"]
WORDS = 24
"""Different words of the long text; it has forty times as many in all."""
ONCE = "The text repeats its words: keep each one once with its number (Counter), and merge it once."
RATIO = 3.0
"""Going through every word of the long text takes more than ten times as long."""


def split_words(text: str) -> list[str]:
    return re.findall(r" ?[^ ]+| +", text)


def merge(tokens: list[int], pair: Pair, new: int) -> list[int]:
    result, place = [], 0
    while place < len(tokens):
        hit = tuple(tokens[place : place + 2]) == pair
        result.append(new if hit else tokens[place])
        place += 2 if hit else 1
    return result


def train(text: str, count: int, words: list[str] | None = None, tie: int = 1) -> list[Pair]:
    counted = Counter(split_words(text) if words is None else words)
    pieces = [(list(word.encode()), times) for word, times in counted.items()]
    merges: list[Pair] = []
    for new in range(256, 256 + count):
        pairs: Counter[Pair] = Counter()
        for tokens, times in pieces:
            for pair in pairwise(tokens):
                pairs[pair] += times
        most = max(pairs.values(), default=0)
        if most < 2:
            break
        best = sorted(pair for pair, times in pairs.items() if times == most)[::tie][0]
        pieces = [(merge(tokens, best, new), times) for tokens, times in pieces]
        merges.append(best)
    return merges


def encode(text: str, merges: list[Pair], words: list[str] | None = None) -> list[int]:
    result: list[int] = []
    for word in split_words(text) if words is None else words:
        tokens = list(word.encode())
        for rank, pair in enumerate(merges):
            tokens = merge(tokens, tuple(pair), 256 + rank)
        result += tokens
    return result


def decode(tokens: list[int], merges: list[Pair]) -> str:
    def spell(token: int) -> bytes:
        return bytes([token]) if token < 256 else b"".join(spell(part) for part in merges[token - 256])

    return b"".join(spell(token) for token in tokens).decode(errors="replace")


def longest_first(text: str, merges: list[Pair]) -> list[int]:
    """A mistake: at each place the longest token that fits, whatever was learned first."""
    spelled = {decode_bytes(token, merges): token for token in range(256 + len(merges))}
    result = []
    for word in split_words(text):
        rest = word.encode()
        while rest:
            size = max(n for n in range(1, len(rest) + 1) if rest[:n] in spelled)
            result.append(spelled[rest[:size]])
            rest = rest[size:]
    return result


def decode_bytes(token: int, merges: list[Pair]) -> bytes:
    if token < 256:
        return bytes([token])
    return b"".join(decode_bytes(part, merges) for part in merges[token - 256])


def make_text(draw: Draw, words: int, different: int) -> str:
    stock = ["".join(draw.choice(SYLLABLES) for _ in range(draw.integer(1, 4))) for _ in range(different)]
    return " ".join(draw.choice(stock) for _ in range(words)) + draw.choice(["", " ", "  "])


@check("solved")
def merges_are_right(answer: Answer, draw: Draw) -> None:
    known = [
        when(
            lambda got, expected: got == [] and expected != [],
            "Nothing was learned: count the pairs of neighbours, and put the most frequent one into the list.",
        ),
        looks_like(
            lambda text, count: train(text, count, words=[text]),
            "A pair reaches across two words: count inside each word only.",
        ),
        looks_like(
            lambda text, count: train(text, count, tie=-1),
            "Of equally frequent pairs the smallest wins, not the largest and not the first seen.",
        ),
        looks_like(
            lambda text, count: train(text, count, words=sorted(set(split_words(text)))),
            "Each word was counted once: it counts as often as it occurs in the text.",
        ),
    ]
    teach = "Count all pairs, merge the most frequent (of equals the smallest) from left to right, and count anew."
    texts = [(text, count) for text in TEXTS for count in (1, 3)] + [("abab abab", 0)]
    texts += [(make_text(draw, 6 * n, n), 3 * n) for n in (2, 4, 8, 16)]
    several = " ".join(a + b for a in "abcdefghijklmnop" for b in "qrstuvwxyzABCDEFG")
    texts += [(f"{several} {several}", 260)]  # more merges than there are bytes
    for text, count in texts:
        expect_same(answer.train, train, text, count, diagnose=known, teach=teach)


@check("solved")
def tokens_are_right(answer: Answer, draw: Draw) -> None:
    known = [
        looks_like(
            longest_first, "That takes the longest token that fits; the merge that was learned first comes first."
        ),
        looks_like(
            lambda text, merges: encode(text, merges, words=[text]),
            "A pair was merged across two words: cut the text into words first.",
        ),
    ]
    teach = "In each word: as long as a learned pair is there, merge the one that was learned first, everywhere."
    for text, merges in [
        ("abc", [(98, 99), (97, 98)]),
        ("abcd abc", [(97, 98), (99, 100), (98, 99), (256, 99), (258, 100)]),
        ("aaaaa", [(97, 97), (256, 97)]),
        ("aaaaa", [(97, 97), (256, 256)]),
        ("abab", [(98, 97), (97, 98), (97, 256)]),
        ("ab ab", [(98, 32), (97, 98)]),
        *((text, train(text, 4)) for text in TEXTS),
        *((make_text(draw, 30, 9), train(make_text(draw, 90, 9), 24)) for _ in range(6)),
    ]:
        expect_same(answer.encode, encode, text, merges, diagnose=known, teach=teach)


@check("solved")
def texts_come_back(answer: Answer, draw: Draw) -> None:
    teach = "Join the bytes of all tokens and decode once: one character's bytes may lie in two tokens."
    for text in [*TEXTS, "naïve 🙂🙃", make_text(draw, 40, 10)]:
        merges = train(text + " " + make_text(draw, 40, 10), 12)
        tokens = encode(text, merges)
        expect_same(answer.decode, decode, tokens, merges, teach=teach)
        expect_same(answer.decode, decode, list(text.encode()), merges, teach=teach)
        expect_same(answer.decode, decode, [draw.integer(0, 255 + len(merges)) for _ in range(9)], merges, teach=teach)


def lines_per_merge(answer: Answer, text: str) -> float:
    """Lines of Python for each of the last merges: what happens once, before the first, does not count."""
    few, many = (watch_call(answer.train, text, count, count_lines=True).python.total() for count in (4, 10))
    return (many - few) / 6


@check("fast")
def training_counts_each_word_once(answer: Answer, draw: Draw) -> None:
    # Counted first, which a busy machine can't blur: the same words, four times as often.
    once = " " + make_text(draw, 3 * WORDS, WORDS // 2).strip()
    short, long = lines_per_merge(answer, once), lines_per_merge(answer, once * 4)
    expect(
        long <= 1.5 * short + 10,
        f"a merge runs {short:.0f} lines of Python, and {long:.0f} when the text has each word four times as often",
        teach=ONCE,
    )
    texts = [(make_text(draw, 40 * WORDS, WORDS), 12) for _ in range(3)]
    expect_fast(
        answer.train,
        train,
        texts,
        ratio=RATIO,
        floor=0.02,
        teach=ONCE,
    )
