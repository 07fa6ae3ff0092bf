# earns: solved fast
# each token is a character and a merge is str.replace
"""A byte-pair tokenizer: learn merges from a text, encode and decode with them."""

import re
from collections import Counter

Pair = tuple[int, int]


def split_words(text: str) -> list[str]:
    """Words with the space before them; what is put together again is the text."""
    return re.findall(r" ?[^ ]+| +", text)


def train(text: str, count: int) -> list[Pair]:
    """The pairs of tokens that become the tokens 256, 257, …"""
    counts = Counter(split_words(text))
    words = {"".join(map(chr, word.encode())): times for word, times in counts.items()}
    merges: list[Pair] = []
    for token in range(256, 256 + count):
        pairs: Counter[str] = Counter()
        for word, times in words.items():
            for i in range(len(word) - 1):
                pairs[word[i : i + 2]] += times
        most = max(pairs.values(), default=0)
        if most < 2:
            break
        best = min(pair for pair, times in pairs.items() if times == most)
        merges.append((ord(best[0]), ord(best[1])))
        words = {word.replace(best, chr(token)): times for word, times in words.items()}
    return merges


def encode(text: str, merges: list[Pair]) -> list[int]:
    """The tokens of a text."""
    order = [(chr(left) + chr(right), chr(256 + i)) for i, (left, right) in enumerate(merges)]
    words = split_words(text)
    known = {}
    for word in set(words):
        letters = "".join(map(chr, word.encode()))
        for pair, token in order:
            letters = letters.replace(pair, token)
        known[word] = [ord(letter) for letter in letters]
    return [token for word in words for token in known[word]]


def decode(tokens: list[int], merges: list[Pair]) -> str:
    """The text of some tokens."""
    table = [bytes([byte]) for byte in range(256)]
    for left, right in merges:
        table.append(table[left] + table[right])
    return b"".join(table[token] for token in tokens).decode(errors="replace")
