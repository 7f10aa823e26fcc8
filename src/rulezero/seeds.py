"""Pseudorandom numbers that depend only on a key."""

import hashlib


def keyed(*key: object) -> int:
    """A 64-bit hash of the key: the same key gives the same number everywhere."""
    text = "/".join(str(part) for part in key)
    return int.from_bytes(hashlib.blake2b(text.encode(), digest_size=8).digest(), "little")
