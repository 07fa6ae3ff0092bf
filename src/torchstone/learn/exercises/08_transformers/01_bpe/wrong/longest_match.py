# rejected by: tokens_are_right: That takes the longest token that fits
# 'in each word the merge that was learned first comes first': the longest known token is taken from the left
"""A byte-pair tokenizer: learn merges from a text, encode and decode with them."""

import re
from collections import Counter

Pair = tuple[int, int]


def split_words(text: str) -> list[str]:
    """Words with the space before them; what is put together again is the text."""
    return re.findall(r" ?[^ ]+| +", text)


def merged(word: list[int], pair: Pair, token: int) -> list[int]:
    result, i = [], 0
    while i < len(word):
        if i + 1 < len(word) and (word[i], word[i + 1]) == pair:
            result.append(token)
            i += 2
        else:
            result.append(word[i])
            i += 1
    return result


def train(text: str, count: int) -> list[Pair]:
    words = [(list(word.encode()), times) for word, times in Counter(split_words(text)).items()]
    merges: list[Pair] = []
    while len(merges) < count:
        pairs: Counter[Pair] = Counter()
        for word, times in words:
            for pair in zip(word, word[1:]):
                pairs[pair] += times
        if not pairs:
            break
        best = min(pairs, key=lambda pair: (-pairs[pair], pair))
        if pairs[best] < 2:
            break
        words = [(merged(word, best, 256 + len(merges)), times) for word, times in words]
        merges.append(best)
    return merges


def encode(text: str, merges: list[Pair]) -> list[int]:
    table = [bytes([i]) for i in range(256)]
    for left, right in merges:
        table.append(table[left] + table[right])
    number = {}
    for token, raw in enumerate(table):
        number.setdefault(raw, token)
    longest = max(map(len, table))
    result = []
    for word in split_words(text):
        raw, place = word.encode(), 0
        while place < len(raw):
            for size in range(min(longest, len(raw) - place), 0, -1):
                if raw[place : place + size] in number:
                    result.append(number[raw[place : place + size]])
                    place += size
                    break
    return result


def decode(tokens: list[int], merges: list[Pair]) -> str:
    table = [bytes([i]) for i in range(256)]
    for left, right in merges:
        table.append(table[left] + table[right])
    return b"".join(table[token] for token in tokens).decode(errors="replace")
