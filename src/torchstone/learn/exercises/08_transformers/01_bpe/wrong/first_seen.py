# rejected by: merges_are_right: Of equally frequent pairs the smallest wins
# 'Of equally frequent pairs take the smallest': most_common(1) takes the one that was met first
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
    for token in range(256, 256 + count):
        pairs: Counter[Pair] = Counter()
        for word, times in words:
            for pair in zip(word, word[1:]):
                pairs[pair] += times
        if not pairs:
            break
        [(best, top)] = pairs.most_common(1)
        if top < 2:
            break
        words = [(merged(word, best, token), times) for word, times in words]
        merges.append(best)
    return merges


def encode(text: str, merges: list[Pair]) -> list[int]:
    ranks = {pair: rank for rank, pair in enumerate(merges)}
    known: dict[str, list[int]] = {}
    tokens: list[int] = []
    for word in split_words(text):
        if word not in known:
            parts = list(word.encode())
            while len(parts) > 1:
                best = min(zip(parts, parts[1:]), key=lambda pair: ranks.get(pair, len(merges)))
                if best not in ranks:
                    break
                parts = merged(parts, best, 256 + ranks[best])
            known[word] = parts
        tokens += known[word]
    return tokens


def decode(tokens: list[int], merges: list[Pair]) -> str:
    table = [bytes([i]) for i in range(256)]
    for left, right in merges:
        table.append(table[left] + table[right])
    return b"".join(table[token] for token in tokens).decode(errors="replace")
