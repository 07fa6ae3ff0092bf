# earns: solved
# incremental counts with an index from pairs to words; encode applies the merges in the order learned; decode with a
# stack
"""A byte-pair tokenizer: learn merges from a text, encode and decode with them."""

import re
from collections import Counter

Pair = tuple[int, int]


def split_words(text: str) -> list[str]:
    """Words with the space before them; what is put together again is the text."""
    return re.findall(r" ?[^ ]+| +", text)


from collections import defaultdict


def _join(word: tuple[int, ...], pair: Pair, token: int) -> tuple[int, ...]:
    out: list[int] = []
    place = 0
    while place < len(word):
        if word[place : place + 2] == pair:
            out.append(token)
            place += 2
        else:
            out.append(word[place])
            place += 1
    return tuple(out)


def train(text: str, count: int) -> list[Pair]:
    found = Counter(split_words(text))
    words = [tuple(word.encode()) for word in found]
    times = list(found.values())
    totals: dict[Pair, int] = defaultdict(int)
    where: dict[Pair, set[int]] = defaultdict(set)
    for number, word in enumerate(words):
        for pair in zip(word, word[1:]):
            totals[pair] += times[number]
            where[pair].add(number)
    merges: list[Pair] = []
    for token in range(256, 256 + count):
        best, top = None, 1
        for pair, total in totals.items():
            if total > top or (total == top and best is not None and pair < best):
                best, top = pair, total
        if best is None:
            break
        merges.append(best)
        for number in list(where[best]):
            word = words[number]
            for pair in zip(word, word[1:]):
                totals[pair] -= times[number]
                where[pair].discard(number)
            words[number] = word = _join(word, best, token)
            for pair in zip(word, word[1:]):
                totals[pair] += times[number]
                where[pair].add(number)
        totals = defaultdict(int, {pair: total for pair, total in totals.items() if total > 0})
    return merges


def encode(text: str, merges: list[Pair]) -> list[int]:
    pieces = split_words(text)
    coded = {}
    for piece in set(pieces):
        word = tuple(piece.encode())
        for number, pair in enumerate(merges):
            if len(word) < 2:
                break
            word = _join(word, pair, 256 + number)
        coded[piece] = word
    return [token for piece in pieces for token in coded[piece]]


def decode(tokens: list[int], merges: list[Pair]) -> str:
    raw = bytearray()
    stack = list(reversed(tokens))
    while stack:
        token = stack.pop()
        if token < 256:
            raw.append(token)
        else:
            left, right = merges[token - 256]
            stack += [right, left]
    return raw.decode("utf-8", "replace")
