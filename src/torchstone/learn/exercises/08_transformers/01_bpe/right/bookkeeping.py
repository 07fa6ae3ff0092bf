# earns: solved
# pair counts kept up to date with an index of words; encoding merge by merge; decoding with a stack
"""A byte-pair tokenizer: learn merges from a text, encode and decode with them."""

import re
from collections import Counter, defaultdict

Pair = tuple[int, int]


def split_words(text: str) -> list[str]:
    """Words with the space before them; what is put together again is the text."""
    return re.findall(r" ?[^ ]+| +", text)


def _replace(word: list[int], pair: Pair, token: int) -> None:
    """Merge the pair in this list, from left to right."""
    read = write = 0
    while read < len(word):
        if read + 1 < len(word) and (word[read], word[read + 1]) == pair:
            word[write] = token
            read += 2
        else:
            word[write] = word[read]
            read += 1
        write += 1
    del word[write:]


def train(text: str, count: int) -> list[Pair]:
    """The pairs of tokens that become the tokens 256, 257, …"""
    times = Counter(split_words(text))
    words = [(list(word.encode()), number) for word, number in times.items()]
    frequency: Counter[Pair] = Counter()
    places: defaultdict[Pair, set[int]] = defaultdict(set)

    def book(index: int, sign: int) -> None:
        word, number = words[index]
        for pair in zip(word, word[1:]):
            frequency[pair] += sign * number
            if sign > 0:
                places[pair].add(index)
            else:
                places[pair].discard(index)

    for index in range(len(words)):
        book(index, 1)
    merges: list[Pair] = []
    for token in range(256, 256 + count):
        most = max(frequency.values(), default=0)
        if most < 2:
            break
        best = min(pair for pair, number in frequency.items() if number == most)
        for index in list(places[best]):
            book(index, -1)
            _replace(words[index][0], best, token)
            book(index, 1)
        merges.append(best)
    return merges


def encode(text: str, merges: list[Pair]) -> list[int]:
    """The tokens of a text."""
    pieces = {word: list(word.encode()) for word in set(split_words(text))}
    for piece in pieces.values():
        for token, pair in enumerate(merges, 256):
            if pair[0] in piece and pair[1] in piece:
                _replace(piece, pair, token)
    return [token for word in split_words(text) for token in pieces[word]]


def decode(tokens: list[int], merges: list[Pair]) -> str:
    """The text of some tokens."""
    result = bytearray()
    stack = list(reversed(tokens))
    while stack:
        token = stack.pop()
        if token < 256:
            result.append(token)
        else:
            first, second = merges[token - 256]
            stack += [second, first]
    return result.decode(errors="replace")
