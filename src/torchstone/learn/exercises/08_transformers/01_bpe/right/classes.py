# earns: solved
# a small class for words, a heap-free max with a key, table built in a dict
"""A byte-pair tokenizer: learn merges from a text, encode and decode with them."""

import re
from collections import Counter

Pair = tuple[int, int]


def split_words(text: str) -> list[str]:
    """Words with the space before them; what is put together again is the text."""
    return re.findall(r" ?[^ ]+| +", text)


class Word:
    __slots__ = ("tokens", "times")

    def __init__(self, text: str, times: int = 1) -> None:
        self.tokens = list(text.encode("utf-8"))
        self.times = times

    def pairs(self) -> list[Pair]:
        return [(self.tokens[i], self.tokens[i + 1]) for i in range(len(self.tokens) - 1)]

    def merge(self, pair: Pair, token: int) -> None:
        i = 0
        while i < len(self.tokens) - 1:
            if self.tokens[i] == pair[0] and self.tokens[i + 1] == pair[1]:
                self.tokens[i : i + 2] = [token]
            i += 1


def train(text: str, count: int) -> list[Pair]:
    words = [Word(word, times) for word, times in Counter(split_words(text)).items()]
    merges: list[Pair] = []
    for token in range(256, 256 + count):
        counts: dict[Pair, int] = {}
        for word in words:
            for pair in word.pairs():
                counts[pair] = counts.get(pair, 0) + word.times
        frequent = [pair for pair in counts if counts[pair] >= 2]
        if not frequent:
            return merges
        most = max(counts.values())
        best = min(pair for pair in frequent if counts[pair] == most)
        for word in words:
            word.merge(best, token)
        merges.append(best)
    return merges


def encode(text: str, merges: list[Pair]) -> list[int]:
    number = {pair: 256 + i for i, pair in enumerate(merges)}
    result: list[int] = []
    for piece in split_words(text):
        word = Word(piece)
        while True:
            possible = [number[pair] for pair in word.pairs() if pair in number]
            if not possible:
                break
            token = min(possible)
            word.merge(merges[token - 256], token)
        result.extend(word.tokens)
    return result


def decode(tokens: list[int], merges: list[Pair]) -> str:
    spelled = {i: bytes((i,)) for i in range(256)}
    for i, (first, second) in enumerate(merges):
        spelled[256 + i] = spelled[first] + spelled[second]
    return b"".join(map(spelled.__getitem__, tokens)).decode(errors="replace")
