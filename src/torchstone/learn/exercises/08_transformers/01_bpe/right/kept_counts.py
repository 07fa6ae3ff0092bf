# earns: solved
# pair counts kept up to date with an index of the words that hold a pair; recursive decode
"""A byte-pair tokenizer: learn merges from a text, encode and decode with them."""

import re
from collections import Counter, defaultdict

Pair = tuple[int, int]


def split_words(text: str) -> list[str]:
    """Words with the space before them; what is put together again is the text."""
    return re.findall(r" ?[^ ]+| +", text)


def replace(word: list[int], pair: Pair, token: int) -> list[int]:
    out: list[int] = []
    rest = iter(range(len(word)))
    for i in rest:
        if i + 1 < len(word) and (word[i], word[i + 1]) == pair:
            out.append(token)
            next(rest)
        else:
            out.append(word[i])
    return out


class Trainer:
    def __init__(self, text: str) -> None:
        counter = Counter(split_words(text))
        self.words = [list(word.encode()) for word in counter]
        self.often = list(counter.values())
        self.pairs: dict[Pair, int] = defaultdict(int)
        self.where: dict[Pair, set[int]] = defaultdict(set)
        for i in range(len(self.words)):
            self.note(i, +1)

    def note(self, i: int, sign: int) -> None:
        word = self.words[i]
        for pair in zip(word, word[1:]):
            self.pairs[pair] += sign * self.often[i]
            if sign > 0:
                self.where[pair].add(i)

    def merge(self, pair: Pair, token: int) -> None:
        for i in self.where.pop(pair):
            self.note(i, -1)
            self.words[i] = replace(self.words[i], pair, token)
            self.note(i, +1)
        self.pairs.pop(pair)


def train(text: str, count: int) -> list[Pair]:
    """The pairs of tokens that become the tokens 256, 257, …"""
    trainer = Trainer(text)
    merges: list[Pair] = []
    for token in range(256, 256 + count):
        if not trainer.pairs:
            break
        most = max(trainer.pairs.values())
        if most < 2:
            break
        pair = min(pair for pair, often in trainer.pairs.items() if often == most)
        trainer.merge(pair, token)
        merges.append(pair)
    return merges


def encode(text: str, merges: list[Pair]) -> list[int]:
    """The tokens of a text."""
    words = {word: list(word.encode()) for word in split_words(text)}
    for token, pair in enumerate(merges, 256):
        for word, tokens in words.items():
            if pair[0] in tokens and pair[1] in tokens:
                words[word] = replace(tokens, pair, token)
    return [token for word in split_words(text) for token in words[word]]


def decode(tokens: list[int], merges: list[Pair]) -> str:
    """The text of some tokens."""
    stack, out = list(reversed(tokens)), bytearray()
    while stack:
        token = stack.pop()
        if token < 256:
            out.append(token)
        else:
            first, second = merges[token - 256]
            stack += (second, first)
    return out.decode(errors="replace")
