# earns: solved
# a Counter of words, pairs counted anew for each merge; encoding by lowest rank
"""A byte-pair tokenizer: learn merges from a text, encode and decode with them."""

import re
from collections import Counter

Pair = tuple[int, int]


def split_words(text: str) -> list[str]:
    """Words with the space before them; what is put together again is the text."""
    return re.findall(r" ?[^ ]+| +", text)


def _merged(word: tuple[int, ...], pair: Pair, token: int) -> tuple[int, ...]:
    """The word with each occurrence of the pair replaced, from left to right."""
    result = []
    i = 0
    while i < len(word):
        if word[i : i + 2] == pair:
            result.append(token)
            i += 2
        else:
            result.append(word[i])
            i += 1
    return tuple(result)


def train(text: str, count: int) -> list[Pair]:
    """The pairs of tokens that become the tokens 256, 257, …"""
    words = Counter(tuple(word.encode()) for word in split_words(text))
    merges: list[Pair] = []
    while len(merges) < count:
        pairs: Counter[Pair] = Counter()
        for word, times in words.items():
            for pair in zip(word, word[1:]):
                pairs[pair] += times
        if not pairs:
            break
        best = min(pairs, key=lambda pair: (-pairs[pair], pair))
        if pairs[best] < 2:
            break
        after: Counter[tuple[int, ...]] = Counter()
        for word, times in words.items():
            after[_merged(word, best, 256 + len(merges))] += times
        words = after
        merges.append(best)
    return merges


def encode(text: str, merges: list[Pair]) -> list[int]:
    """The tokens of a text."""
    rank = {pair: i for i, pair in enumerate(merges)}
    known: dict[str, tuple[int, ...]] = {}
    result: list[int] = []
    for text_word in split_words(text):
        if text_word not in known:
            word = tuple(text_word.encode())
            while len(word) > 1:
                pair = min(zip(word, word[1:]), key=lambda pair: rank.get(pair, len(merges)))
                if pair not in rank:
                    break
                word = _merged(word, pair, 256 + rank[pair])
            known[text_word] = word
        result.extend(known[text_word])
    return result


def decode(tokens: list[int], merges: list[Pair]) -> str:
    """The text of some tokens."""
    table = [bytes([i]) for i in range(256)]
    for first, second in merges:
        table.append(table[first] + table[second])
    return b"".join(table[token] for token in tokens).decode(errors="replace")
