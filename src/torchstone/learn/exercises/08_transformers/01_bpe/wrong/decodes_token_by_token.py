# rejected by: texts_come_back: Join the bytes of all tokens and decode once: one character
# each token is decoded alone, so a letter whose bytes lie in two tokens becomes �; promised: "`decode(tokens,
# merges)` returns the text", "every text comes back"
"""A byte-pair tokenizer: learn merges from a text, encode and decode with them."""

import re
from collections import Counter

Pair = tuple[int, int]


def split_words(text: str) -> list[str]:
    """Words with the space before them; what is put together again is the text."""
    return re.findall(r" ?[^ ]+| +", text)


def _letters(word: str) -> str:
    """One character for each byte; later one for each token."""
    return word.encode().decode("latin-1")


def train(text: str, count: int) -> list[Pair]:
    """The pairs of tokens that become the tokens 256, 257, …"""
    words = {_letters(word): times for word, times in Counter(split_words(text)).items()}
    merges: list[Pair] = []
    while len(merges) < count:
        pairs: Counter[str] = Counter()
        for word, times in words.items():
            for first, second in zip(word, word[1:]):
                pairs[first + second] += times
        if not pairs:
            break
        often = max(pairs.values())
        if often < 2:
            break
        best = min(pair for pair, times in pairs.items() if times == often)
        token = chr(256 + len(merges))
        merges.append((ord(best[0]), ord(best[1])))
        words = {word.replace(best, token): times for word, times in words.items()}
    return merges


def encode(text: str, merges: list[Pair]) -> list[int]:
    """The tokens of a text."""
    known: dict[str, list[int]] = {}
    tokens: list[int] = []
    for word in split_words(text):
        if word not in known:
            letters = _letters(word)
            for number, (first, second) in enumerate(merges):
                letters = letters.replace(chr(first) + chr(second), chr(256 + number))
            known[word] = [ord(letter) for letter in letters]
        tokens += known[word]
    return tokens


def decode(tokens: list[int], merges: list[Pair]) -> str:
    """The text of some tokens."""
    table = [bytes([byte]) for byte in range(256)]
    for first, second in merges:
        table.append(table[first] + table[second])
    return "".join(table[token].decode(errors="replace") for token in tokens)
