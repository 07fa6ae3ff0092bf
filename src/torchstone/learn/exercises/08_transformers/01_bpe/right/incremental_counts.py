# earns: solved
"""A byte-pair tokenizer: learn merges from a text, encode and decode with them."""

import re
from collections import Counter, defaultdict

Pair = tuple[int, int]


def split_words(text: str) -> list[str]:
    return re.findall(r" ?[^ ]+| +", text)


def merged(word: list[int], pair: Pair, token: int) -> list[int]:
    out: list[int] = []
    places = iter(range(len(word)))
    for i in places:
        if i + 1 < len(word) and (word[i], word[i + 1]) == pair:
            out.append(token)
            next(places, None)
        else:
            out.append(word[i])
    return out


def train(text: str, count: int) -> list[Pair]:
    tally = Counter(split_words(text))
    words = [list(word.encode()) for word in tally]
    times = list(tally.values())
    counts: dict[Pair, int] = defaultdict(int)
    holders: dict[Pair, set[int]] = defaultdict(set)
    for i, word in enumerate(words):
        for pair in zip(word, word[1:]):
            counts[pair] += times[i]
            holders[pair].add(i)
    merges: list[Pair] = []
    while len(merges) < count and counts:
        best = max(counts, key=lambda pair: (counts[pair], -pair[0], -pair[1]))
        if counts[best] < 2:
            break
        token = 256 + len(merges)
        merges.append(best)
        for i in list(holders[best]):
            for pair in zip(words[i], words[i][1:]):
                counts[pair] -= times[i]
                holders[pair].discard(i)
            words[i] = merged(words[i], best, token)
            for pair in zip(words[i], words[i][1:]):
                counts[pair] += times[i]
                holders[pair].add(i)
        for pair in [pair for pair, number in counts.items() if number <= 0]:
            del counts[pair]
            holders.pop(pair, None)
    return merges


def encode(text: str, merges: list[Pair]) -> list[int]:
    rank = {pair: i for i, pair in enumerate(merges)}
    result: list[int] = []
    for text_word in split_words(text):
        word = list(text_word.encode())
        while len(word) > 1:
            first = min(zip(word, word[1:]), key=lambda pair: rank.get(pair, len(merges)))
            if first not in rank:
                break
            word = merged(word, first, 256 + rank[first])
        result.extend(word)
    return result


def decode(tokens: list[int], merges: list[Pair]) -> str:
    def spell(token: int) -> bytes:
        if token < 256:
            return bytes((token,))
        left, right = merges[token - 256]
        return spell(left) + spell(right)

    return b"".join(map(spell, tokens)).decode(errors="replace")
