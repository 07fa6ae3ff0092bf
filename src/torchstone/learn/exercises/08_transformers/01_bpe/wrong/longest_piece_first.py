# rejected by: tokens_are_right: That takes the longest token that fits
# "in each word the merge that was learned first comes first": takes the longest known piece from the left
"""A byte-pair tokenizer: learn merges from a text, encode and decode with them."""

import re
from collections import Counter

Pair = tuple[int, int]


def split_words(text: str) -> list[str]:
    """Words with the space before them; what is put together again is the text."""
    return re.findall(r" ?[^ ]+| +", text)


def merge(word: list[int], pair: Pair, token: int) -> list[int]:
    """The word with the pair replaced, from left to right."""
    result, i = [], 0
    while i < len(word):
        if tuple(word[i : i + 2]) == pair:
            result.append(token)
            i += 2
        else:
            result.append(word[i])
            i += 1
    return result


def train(text: str, count: int) -> list[Pair]:
    """The pairs of tokens that become the tokens 256, 257, …"""
    words = [(list(word.encode()), times) for word, times in Counter(split_words(text)).items()]
    merges: list[Pair] = []
    while len(merges) < count:
        pairs: Counter[Pair] = Counter()
        for word, times in words:
            for pair in zip(word, word[1:]):
                pairs[pair] += times
        best = min(pairs, key=lambda pair: (-pairs[pair], pair), default=None)
        if best is None or pairs[best] < 2:
            break
        token = 256 + len(merges)
        merges.append(best)
        words = [(merge(word, best, token), times) for word, times in words]
    return merges


def encode(text: str, merges: list[Pair]) -> list[int]:
    """The tokens of a text."""
    pieces = {bytes([byte]): byte for byte in range(256)}
    table = list(pieces)
    for left, right in merges:
        table.append(table[left] + table[right])
        pieces.setdefault(table[-1], len(table) - 1)
    result = []
    for word in map(str.encode, split_words(text)):
        while word:
            end = max(size for size in range(1, len(word) + 1) if word[:size] in pieces)
            result.append(pieces[word[:end]])
            word = word[end:]
    return result


def decode(tokens: list[int], merges: list[Pair]) -> str:
    """The text of some tokens."""
    table = [bytes([byte]) for byte in range(256)]
    for left, right in merges:
        table.append(table[left] + table[right])
    return b"".join(table[token] for token in tokens).decode(errors="replace")
